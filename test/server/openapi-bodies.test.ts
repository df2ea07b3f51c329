import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { readDraft, readJson, readPatch } from '../../src/codec/json.ts'
import { Fault } from '../../src/domain/errors.ts'
import { newerBatchFlags, newerEntry } from '../../src/domain/resources/entry.ts'
import { resources } from '../../src/domain/resources/index.ts'
import { asAsked, type Field, type Resource } from '../../src/domain/schema.ts'
import { type Schema, takenField } from '../../src/server/api/openapi/field-schemas.ts'
import { bodyFormats } from '../../src/server/api/body-format.ts'
import { bodyFields, draftName, patchName, schemasOf } from '../../src/server/api/openapi/schemas.ts'

const STYLES = [
  { variant: 'classic', protocol: { isXml: true, isLenient: true } },
  { variant: 'v1', protocol: { isXml: false, isLenient: false } },
] as const

const all: readonly Resource[] = [...resources, newerEntry, newerBatchFlags]

/** The resource as the service reads bodies of it: with what answers show only on request. */
const takenAs = (of: Resource): Resource =>
  Object.values<Field>(of.fields).some(({ onRequest }) => onRequest) ? asAsked(of) : of

/** The texts that a pattern cannot tell from good ones: those with characters that no text may have. */
const HAS_CONTROLS = /[\p{Cc}\p{Cs}\ufffe\uffff]/u

/** The schemas that a generator may take a value from: a schema itself, or any of its alternatives. */
const alternatives = (schema: Schema): Schema[] =>
  Array.isArray(schema['anyOf']) ? schema['anyOf'].map((one: Schema) => ({ ...schema, ...one })) : [schema]

type Case = { readonly name: string; readonly field: Field; readonly pattern: string; readonly isLenient: boolean }

const withPattern: Case[] = STYLES.flatMap(({ variant, protocol: { isLenient } }) =>
  all.flatMap((of) =>
    bodyFields(of, 'add').flatMap(({ name, field }) =>
      alternatives(takenField(field, 'add', isLenient)).flatMap(({ pattern }) =>
        typeof pattern === 'string' ? [{ name: `${variant} ${of.name}.${name}`, field, pattern, isLenient }] : [],
      ),
    ),
  ),
)

describe('what a generator makes of a pattern is taken', () => {
  test.each(withPattern)('$name', ({ field, pattern, isLenient }) => {
    const texts = fc
      .stringMatching(new RegExp(pattern))
      .filter((text) => !HAS_CONTROLS.test(text) && Array.from(text).length <= (field.max ?? 1000))
    fc.assert(
      fc.property(texts, (text) => {
        expect([text.trim() === '', readJson(field, text, isLenient) instanceof Fault]).toEqual([false, false])
      }),
      { numRuns: 40 },
    )
  })

  test.each(withPattern)('and never a blank: $name', ({ pattern }) => {
    expect(['', ' ', '\t\n'].filter((blank) => new RegExp(pattern).test(blank))).toEqual([])
  })
})

describe.each(STYLES)('a body that changes something, as $variant describes it', ({ protocol }) => {
  const changed = all.filter(({ verbs }) => verbs.includes('update'))

  const propertiesOf = (of: Resource): [name: string, property: Schema][] =>
    Object.entries((schemasOf(of, protocol)[patchName(of)] as { properties: Record<string, Schema> }).properties)

  test.each(changed)('$name: demands nothing, and brings no value that was not sent', (of) => {
    const fallbacks = propertiesOf(of).filter(([, { description, writeOnly }]) => {
      return writeOnly !== true && String(description).includes('not given')
    })
    expect([schemasOf(of, protocol)[patchName(of)], fallbacks]).toEqual([
      expect.not.objectContaining({ required: expect.anything() }),
      [],
    ])
  })

  test.each(changed)('$name: has no field that a change would ignore', (of) => {
    const ignored = new Set(['id', ...of.writable.filter(({ field }) => field.secret).map(({ name }) => name)])
    expect(propertiesOf(of).filter(([name]) => ignored.has(name))).toEqual([])
  })
})

/** Values of a field, from what is usual to what is at and beyond the bounds of every kind. */
const VALUES: readonly unknown[] = (
  [
    [null, '', ' ', '\t\n', 'a', [], {}, [1], true, false, 'true', 'false', 'TRUE', 'yes'],
    [0, -0, 1, -1, 1.5, 0.00001, 32_767, 32_768, -32_768, -32_769, 1e14, 99_999_999_999_999, -1e14, 1e15],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1, Number.MIN_SAFE_INTEGER, 1e300],
    [
      '0',
      '-0',
      '1',
      '-1',
      '1.5',
      '01',
      '00001',
      '+1',
      '1e3',
      '0x1',
      '.5',
      '1.',
      '--1',
      ' 1 ',
      '32767',
      '32768',
      '-32768',
    ],
    ['99999999999999', '100000000000000', '99999999999999.99999', '9'.repeat(15), '9'.repeat(16)],
    ['D', 'd', 'U', 'SUM', 'sum', 'A', 'Admin', '#.00', '0', 'a@example.com', 'a@b', 'a b@example.com'],
    ['2026-02-28', '2026-02-30', '2026-02-28T00:00:00', '2026-02-28T01:00:00', '1899-12-31', '1900-01-01'],
    ['2199-12-31', '2200-01-01', '2026-2-1', 'a\r\nb', 'a\u0000b', '\ud800', '\u{1f600}', ' a '],
    [25, 26, 50, 51, 100, 101, 150, 151, 500, 501].map((length) => 'x'.repeat(length)),
    [20, 21].map((length) => '\u{1f600}'.repeat(length)),
  ] as unknown[][]
).flat()

/** What a schema cannot say, or must not so that generators make what is usual: all that service and schema differ in. */
const DIFFERENCES: Readonly<Record<string, (field: Field, value: string) => boolean>> = {
  'blanks around a value are dropped': (_, value) => value !== value.trim() && value.trim() !== '',
  'blanks alone are as a text without characters': ({ kind }, value) =>
    kind !== 'text' && value !== '' && value.trim() === '',
  'a text has no control characters': (_, value) => HAS_CONTROLS.test(value),
  'a decimal is rounded before its digits are counted': ({ kind }, value) =>
    kind === 'decimal' && value === '99999999999999.99999',
  'a whole number may have more digits before it, all 0': ({ kind }, value) => kind === 'int16' && value === '00001',
  'midnight in another form is a date': ({ kind }, value) => kind === 'date' && value === '2026-02-28T00:00:00',
  'a date is in the years 1900 to 2199': ({ kind }, value) =>
    kind === 'date' && ['1899-12-31', '2200-01-01'].includes(value),
}

const isDifference = (field: Field, value: unknown): boolean =>
  typeof value === 'string' && Object.values(DIFFERENCES).some((differs) => differs(field, value))

/** Returns a value that is good for a field. */
const goodValue = ({ kind, oneOf: [choice] = [], form, example }: Field): unknown => {
  if (example !== undefined) return example
  if (kind === 'text') return form?.matches.test('#') === true ? '#' : form ? 'a@example.com' : 'Text'
  if (kind === 'choice') return choice
  if (kind === 'date') return '2026-02-28'
  return kind === 'boolean' ? true : 1
}

/** The bodies that make or change a resource: which of them the service takes, and which its document describes. */
type Purposed = {
  readonly of: Resource
  readonly purpose: 'add' | 'update'
  readonly isTaken: (body: object) => boolean
  readonly isDescribed: ValidateFunction
}

describe.each(STYLES)('a body of $variant is taken exactly if its schema describes it', ({ variant, protocol }) => {
  const ajv = new Ajv2020({ strict: false, formats: fullFormats })
  const ofVariant = variant === 'classic' ? resources.filter(({ newer }) => !newer) : [...resources, newerEntry]
  // The entries of a batch are bodies of their own.
  const all = [...ofVariant, { ...newerBatchFlags, lists: {} }].filter(({ writable }) => writable.length > 0)
  const bodies: readonly Purposed[] = all.flatMap((of: Resource) => {
    const schemas = schemasOf(of, protocol) as Readonly<Record<string, Schema>>
    const { [draftName(of)]: draft = false, [patchName(of)]: patch } = schemas
    const { isLenient } = protocol
    const add = {
      of,
      purpose: 'add' as const,
      isTaken: (body: object) => readDraft(takenAs(of), body, isLenient).issues.length === 0,
      isDescribed: ajv.compile(draft),
    }
    if (!patch) return [add]
    const isTaken = (body: object): boolean => readPatch(takenAs(of), body, isLenient).issues.length === 0
    return [add, { of, purpose: 'update' as const, isTaken, isDescribed: ajv.compile(patch) }]
  })
  const named = bodies.map((body) => [`${body.purpose} ${body.of.name}`, body] as const)

  test.each(named)('%s', async (_, { of, purpose, isTaken, isDescribed }) => {
    const fields = bodyFields(of, purpose)
    const good = Object.fromEntries(of.writable.map(({ name, field }) => [name, goodValue(field)]))
    expect([isTaken(good), isDescribed(good)]).toEqual([true, true])
    const differing: string[] = []
    const compare = (body: object, what: string): void => {
      const [taken, described] = [isTaken(body), isDescribed(body)]
      if (taken !== described) differing.push(`${what}: taken ${taken}, described ${described}`)
    }
    for (const { name, field } of fields) {
      compare(Object.fromEntries(Object.entries(good).filter(([other]) => other !== name)), `no ${name}`)
      for (const value of VALUES) {
        if (!isDifference(field, value)) compare({ ...good, [name]: value }, `${name} ${JSON.stringify(value)}`)
      }
    }
    expect(differing).toEqual([])
  })

  const inXml = protocol.isXml ? named.filter(([, { of }]) => of.root !== '') : []
  test.each(inXml)('%s in XML, as the same text in JSON', async (_, { of, purpose, isTaken }) => {
    const good = Object.fromEntries(of.writable.map(({ name, field }) => [name, String(goodValue(field))]))
    for (const { name, field } of bodyFields(of, purpose)) {
      for (const value of VALUES) {
        if (value !== null && (typeof value !== 'string' || HAS_CONTROLS.test(value))) continue
        const element = value === null ? `<${name} i:nil="true"/>` : `<${name}>${value}</${name}>`
        const others = Object.entries(good).filter(([other]) => other !== name)
        const text = others.map(([other, given]) => `<${other}>${given}</${other}>`).join('')
        const xml = `<${of.root} xmlns:i="http://www.w3.org/2001/XMLSchema-instance">${text}${element}</${of.root}>`
        const body = (await bodyFormats.xml.read(Buffer.from(xml), of)) as object
        // XML has two more ways to write a boolean.
        const same = field.kind === 'boolean' && (value?.trim() === '0' || value?.trim() === '1') ? 'true' : value
        expect([xml, isTaken(body)]).toEqual([xml, isTaken({ ...good, [name]: same })])
      }
    }
  })
})

test.each(STYLES)('no schema of $variant has a default, which generators make mandatory', ({ protocol }) => {
  expect(
    all.map((of) => JSON.stringify(schemasOf(of, protocol))).filter((text) => text.includes('"default":')),
  ).toEqual([])
})
