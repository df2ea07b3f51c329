import * as fc from 'fast-check'
import { NAMESPACE, parseXml, type XmlElement, XSI } from '../../src/codec/xml-parse.ts'
import type { AnyRecord, Field, FieldValue, Resource } from '../../src/domain/schema.ts'

/** How a client may write XML. */
export type Style = {
  /** Of the interface's namespace; without one it is the default namespace. */
  readonly prefix?: string
  /** Whether the namespace is named where there is no prefix. */
  readonly named?: boolean
  readonly nilPrefix?: string
  readonly cdata?: boolean
  /** Between elements. */
  readonly gap?: string
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&#60;').replaceAll('>', '&gt;').replaceAll('\r', '&#xD;')

const inCdata = (text: string): string =>
  `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>').replaceAll('\r', ']]>&#13;<![CDATA[')}]]>`

const textOfJson = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

type Body = Readonly<Record<string, unknown>>

/** A JSON body as a client would write it in XML. Its numbers must be plain. */
export const xmlOf = (of: Resource, body: Body, protocol: Style = {}): string => {
  const { prefix = '', named = true, nilPrefix = 'i', cdata = false, gap = '' } = protocol
  const mark = prefix === '' ? '' : `${prefix}:`
  const tag = (name: string, content: string, more = ''): string =>
    `<${mark}${name}${more}>${content}</${mark}${name}>${gap}`
  const nil = (name: string): string => tag(name, '', ` ${nilPrefix}:nil="true"`)
  const one = (resource: Resource, name: string, value: unknown): string => {
    if (value === null || value === undefined) return nil(name)
    const list = resource.lists?.[name]
    const item = (of: Resource, values: Body | null): string =>
      values ? tag(of.root, fields(of, values)) : nil(of.root)
    if (list) return tag(name, gap + (value as (Body | null)[]).map((each) => item(list, each)).join(''))
    return tag(name, (cdata ? inCdata : escaped)(textOfJson(value)))
  }
  const fields = (resource: Resource, values: Body): string =>
    gap +
    Object.entries(values)
      .map(([name, value]) => one(resource, name, value))
      .join('')
  const ours = named || prefix !== '' ? ` xmlns${prefix === '' ? '' : `:${prefix}`}="${NAMESPACE}"` : ''
  return tag(of.root, fields(of, body), `${ours} xmlns:${nilPrefix}="${XSI}"`)
}

/** The element names and texts of a document: a list of pairs, or the text of an element without any, or null. */
export type XmlContent = string | null | readonly (readonly [name: string, content: XmlContent])[]

const contentOf = ({ isNil, text, children }: XmlElement): XmlContent => {
  if (isNil) return null
  return children.length === 0 ? text : children.map((child) => [child.name, contentOf(child)] as const)
}

/** What a document holds, in its order. */
export const readDocument = async (text: string): Promise<readonly [root: string, content: XmlContent]> => {
  const root = await parseXml(text)
  return [root.name, contentOf(root)]
}

const textOfAnswer = (field: Field, value: unknown): string | null => {
  if (value === null) return null
  return field.kind === 'decimal' ? Number(value).toFixed(4) : textOfJson(value)
}

/** What the XML of a record must hold whose JSON is known. */
export const contentOfJson = (of: Resource, json: Body): XmlContent =>
  Object.entries(json).map(([name, value]) => [name, textOfAnswer(of.fields[name] as Field, value)] as const)

const UNSTORED = /[[\p{Cc}\p{Cs}\ufffe\uffff]--[\n\t]]/gv

/** Text as the service may keep it. */
export const storedText = fc
  .string({ unit: 'binary', maxLength: 30 })
  .map((text) => text.replace(UNSTORED, '<').trim())
  .filter((text) => text !== '')

const storedValue = ({ kind, oneOf = ['x'] }: Field): fc.Arbitrary<FieldValue> => {
  switch (kind) {
    case 'integer':
      return fc.integer({ min: 0, max: 999_999_999_999_999 })
    case 'int16':
      return fc.integer({ min: -32_768, max: 32_767 })
    case 'decimal':
      return fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n })
    case 'boolean':
      return fc.boolean()
    case 'choice':
      return fc.constantFrom(...oneOf)
    case 'text':
      return storedText
    case 'date':
      return fc.integer({ min: -25_567, max: 84_005 })
    case 'datetime':
      return fc.integer({ min: 0, max: 4_000_000_000 })
    case 'targets':
      return fc.constantFrom('130 from 2027-01-01', '-0.5 from 2027-01-01, 140 from 2028-02-29')
  }
}

/** Any record of some fields, each of which may also be null. */
export const recordsOf = (fields: readonly { name: string; field: Field }[]): fc.Arbitrary<AnyRecord> =>
  fc.record(Object.fromEntries(fields.map(({ name, field }) => [name, fc.option(storedValue(field))])))
