import { expect } from 'vitest'
import { type Told, TYPES } from './ask.ts'
import { type Format, type Row, SHAPES } from './row.ts'
import { asXml, readXml } from './xml.ts'

const PROBLEM = 'application/problem+json'

type Content = { readonly root: string | undefined; readonly value: unknown }

/** What an answer holds, in the clothes of JSON; in XML all values are text. */
const contentOf = (text: string, format: Format): Content => {
  if (format === 'json') return { root: undefined, value: JSON.parse(text) }
  const { name, value } = readXml(text)
  return { root: name, value }
}

const inFormat = (expected: object, format: Format): object => (format === 'json' ? expected : Object(asXml(expected)))

/** Every field of a resource is there, in order, and no other. */
const expectWhole = (record: unknown, shape: string | undefined): void => {
  expect(Object.keys(Object(record)).join(' ')).toBe(shape)
}

const expectRecords = (value: unknown, { of = '', shape, tells = [], count }: Row, format: Format): void => {
  const one = of.replace('ArrayOf', '')
  const list = of === one ? [value] : value
  if (!Array.isArray(list)) throw new Error(`a list was expected: ${JSON.stringify(value)}`)
  for (const record of list) expectWhole(record, shape ?? SHAPES[one])
  if (count !== undefined) expect(list).toHaveLength(count)
  for (const told of [tells].flat()) {
    expect(list).toContainEqual(expect.objectContaining(inFormat(told, format)))
  }
}

type Refusal = {
  readonly message: string
  readonly errors?: readonly { readonly index?: number | string; readonly field: string; readonly message: string }[]
}

const expectRefusal = (value: unknown, { faults }: Row): void => {
  const { message, errors, ...rest } = value as Refusal
  expect([typeof message, message.length > 0, rest]).toEqual(['string', true, {}])
  const named = errors?.map(({ index, field }) => (index === undefined ? field : `${index}.${field}`))
  expect(named?.sort()).toEqual(faults && [...faults].sort())
  for (const fault of errors ?? []) expect(fault.message).toMatch(/./)
}

type Problem = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance: string
  readonly errors?: readonly { readonly pointer: string; readonly field: string; readonly detail: string }[]
}

/** Where a fault is, as the rows name it: in a batch with the index. */
const placeOf = (pointer: string, field: string): string => {
  const [, index] = /^\/entries\/(\d+)(?:\/|$)/.exec(pointer) ?? []
  return index === undefined ? field : `${index}.${field}`
}

const pointerTo = (fault: string): string => {
  const [index, field] = fault.split('.')
  if (field === undefined) return `/${fault}`
  return field === 'entries' ? `/entries/${index}` : `/entries/${index}/${field}`
}

/** A path as it is told again: what may be a secret that came to the wrong place is not. */
const toldPath = (path: string): string =>
  path
    .split('/')
    .map((word) => (/^[\w.~-]{0,24}$/.test(word) ? word : encodeURIComponent('…')))
    .join('/')

/** Problem details (RFC 9457), with a pointer to each fault. */
const expectProblem = (value: unknown, { ask, status, faults }: Row): void => {
  const { errors, ...problem } = value as Problem
  const [, target = ''] = ask.split(' ')
  const text = expect.stringMatching(/./) as string
  const instance = toldPath(`/v1${target.split('?')[0]}`)
  expect(problem).toEqual({ type: text, title: text, status, detail: text, instance })
  expect(errors?.map(({ pointer, field }) => placeOf(pointer, field)).sort()).toEqual(faults && [...faults].sort())
  expect(errors?.map(({ pointer }) => pointer).sort()).toEqual(faults?.map(pointerTo).sort())
  for (const fault of errors ?? []) expect(fault.detail).toMatch(/./)
}

const expectHeaders = ({ headers }: Told, { sends = {} }: Row): void => {
  expect(headers['x-request-id']).toMatch(/./)
  for (const [name, told] of Object.entries(sends)) {
    if (told instanceof RegExp) expect(headers[name]).toMatch(told)
    else expect(headers[name]).toBe(told)
  }
}

/** Holds an answer against what a row says of it. */
export const expectTold = (told: Told, row: Row, format: Format): void => {
  const { status, headers, text } = told
  expect(status === row.status ? status : `${status}: ${text}`).toBe(row.status)
  expectHeaders(told, row)
  if (row.ask.startsWith('HEAD') || (status < 300 && row.of === undefined)) {
    expect(text).toBe('')
    return
  }
  expect(headers['content-type']).toBe(row.problem ? PROBLEM : `${TYPES[format]}; charset=utf-8`)
  const { root, value } = contentOf(text, format)
  if (format === 'xml') expect(root).toBe(row.of ?? 'Error')
  if (status < 300) expectRecords(value, row, format)
  else (row.problem ? expectProblem : expectRefusal)(value, row)
  if (row.says) expect(text).toMatch(row.says)
}

/** Holds what a GET is told afterwards against a status or values. */
export const expectAfter = (told: Told, expected: number | object, format: Format): void => {
  if (typeof expected === 'number') expect(told.status).toBe(expected)
  else expect(contentOf(told.text, format).value).toMatchObject(inFormat(expected, format))
}
