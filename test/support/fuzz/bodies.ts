import fc from 'fast-check'
import { type Description, type Operation } from '../description.ts'
import { type Field, type Node, PLAIN_XML, type XmlStyle, writeJson, writeXml } from './document.ts'
import { damage, mutations } from './mutate.ts'

/** A schema of a description, as far as bodies are made from it. */
type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly (string | null)[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly maxLength?: number
  readonly xml?: { readonly name?: string }
}

/** How the text of a body becomes bytes. */
export type Charset = 'utf8' | 'utf16le' | 'latin1'

/** A body, and whether it is as it is described: neither mutated nor damaged. */
export type Body = {
  readonly format: 'json' | 'xml'
  readonly text: string
  readonly charset: Charset
  readonly isAsDescribed: boolean
}

const DAYS = ['2026-11-20', '2026-11-21', '2026-11-19', '2026-01-01', '1900-01-01', '2199-12-31']
const EMAILS = ['new@example.com', 'zoë@example.com', 'ann@example.com', 'Bob@Example.com']
const NUMBERS = ['0', '1', '5', '-3', '12.5', '0.0001', '99999999999999', '-99999999999999.5', '1e3', '7.00000']

const texts = (values: readonly string[]): fc.Arbitrary<Node> => fc.constantFrom(...values)
const digits = (values: readonly string[]): fc.Arbitrary<Node> =>
  fc.constantFrom(...values.map((one) => ({ digits: one })))

/** Ids of what the account holds (test/support/suite/ids.ts), by the field or parameter that names it; the likeliest stand often. */
const IDS: Readonly<Record<string, readonly number[]>> = {
  user_id: [2, 2, 2, 1, 3, 4],
  kpi_id: [1, 1, 1, 2, 3, 4, 5],
  category_id: [1, 1, 2],
  unit_id: [1, 2, 3, 4],
  icon_id: [1, 2, 30],
  breakdown_id: [2, 2, 3, 1],
  group_id: [2, 2, 3, 1],
  source_id: [2, 2, 5, 6],
  '/groupitems': [5, 5, 6],
  '/items': [5, 6],
  '/kpientries': [1, 1, 2],
  '/breakdownitems': [5, 6, 2],
  '/kpis': [1, 2, 3, 5],
}

/** Ids that are mostly of what is there; 30 and 31 are of another account, 99 of nobody. */
export const idFor = (name: string): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...(IDS[name] ?? [1, 2, 3, 4])) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 30, 31, 99) },
  )

/** Values of fields whose form or meaning their schema does not tell. */
const BY_NAME: Readonly<Record<string, fc.Arbitrary<Node>>> = {
  entry_date: texts(DAYS),
  email: texts(EMAILS),
  entry_format: texts(['#', '#.00', '0.0']),
  display_format: texts(['#', '£ #.00', '#.00%', '0 kg']),
  password: texts(['secret', 'x'.repeat(20)]),
}

/** Fields that say once more what another one says, and mostly contradict it. */
const SELDOM: ReadonlySet<string> = new Set(['email', 'source_id'])

const textOf = ({ maxLength = 200 }: Schema): fc.Arbitrary<Node> =>
  fc.oneof(
    texts(['Sales', 'Größe', '売上 📈', 'a "b" <c> & d', 'x'.repeat(maxLength), '😀'.repeat(maxLength)]),
    fc
      .string({ unit: 'grapheme-ascii', minLength: 1, maxLength: Math.min(maxLength, 12) })
      .map((text) => `.${text.slice(1)}`),
  )

const isOf = ({ type = [] }: Schema, name: string): boolean => [type].flat().includes(name)

/** Makes values for the schemas of a description. */
const valuesFor = ({ components }: Description): ((name: string, schema: Schema) => fc.Arbitrary<Node>) => {
  const resolved = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : (components['schemas']?.[schema.$ref.split('/').at(-1) ?? ''] ?? {})
  const valueOf = (name: string, schema: Schema): fc.Arbitrary<Node> => {
    const known = BY_NAME[name]
    if (known) return known
    if (schema.enum) return fc.constantFrom(...schema.enum)
    if (isOf(schema, 'boolean')) return fc.boolean()
    if (isOf(schema, 'number')) return digits(NUMBERS)
    if (isOf(schema, 'integer')) return idFor(name).map((one) => ({ digits: String(one) }))
    if (isOf(schema, 'array')) return listOf(name, schema)
    return isOf(schema, 'object') || schema.$ref !== undefined ? objectOf(schema) : textOf(schema)
  }
  const orNull = (schema: Schema, value: fc.Arbitrary<Node>): fc.Arbitrary<Node> =>
    isOf(schema, 'null') ? fc.oneof({ weight: 5, arbitrary: value }, fc.constant(null)) : value
  const listOf = (name: string, { items = {} }: Schema): fc.Arbitrary<Node> =>
    fc.array(valueOf(name, items), { minLength: 1, maxLength: 4 })
  const objectOf = (schema: Schema): fc.Arbitrary<Node> => {
    const { properties = {}, required = [] } = resolved(schema)
    const fields = Object.entries(properties).map(([name, property]) => {
      const value = orNull(property, valueOf(name, property))
      const field = value.map((one): Field | undefined => [name, one])
      if (required.includes(name)) return field
      return fc.oneof(
        { weight: SELDOM.has(name) ? 6 : 1, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: field },
      )
    })
    return fc.tuple(...fields).map((all) => ({ fields: all.filter((field) => field !== undefined) }))
  }
  return valueOf
}

const xmlStyle: fc.Arbitrary<XmlStyle> = fc.oneof(
  { withCrossShrink: true },
  { weight: 4, arbitrary: fc.constant(PLAIN_XML) },
  fc
    .record({
      prolog: fc.constantFrom(
        '',
        '<?xml version="1.1"?>',
        '<?xml version="1.0" encoding="ISO-8859-1"?>',
        '<!-- x -->',
        '<?x y?>',
        '<!DOCTYPE KPI>',
        '<!DOCTYPE KPI [<!ENTITY a "b">]>',
      ),
      root: fc.constantFrom('in other case', 'another'),
      namespace: fc.constantFrom('', 'xmlns="urn:x"', 'xmlns:k="urn:x"', 'x="1" x="2"', 'xmlns="" xmlns:i=""'),
      prefix: fc.constantFrom('', 'k:', ':'),
      text: fc.constantFrom('CDATA', 'as it is'),
      epilog: fc.constantFrom('', '\n<!-- x -->', '<KPI/>', 'x', '\u0000'),
    })
    // Mostly one thing at a time is odd.
    .chain((odd) => fc.subarray(Object.entries(odd), { minLength: 1, maxLength: 2 }))
    .map((some) => ({ ...PLAIN_XML, ...Object.fromEntries(some) })),
)

const charset = fc.oneof(
  { withCrossShrink: true },
  { weight: 40, arbitrary: fc.constant<Charset>('utf8') },
  fc.constantFrom<Charset>('utf16le', 'latin1'),
)

type Refers = { readonly schema: Schema }

/** Bodies for an operation of a description, in the formats that it takes. */
export const bodiesFor = (description: Description): ((operation: Operation) => fc.Arbitrary<Body>) => {
  const valueOf = valuesFor(description)
  const rootOf = ({ $ref = '' }: Schema): string => {
    const schema: Schema = description.components['schemas']?.[$ref.split('/').at(-1) ?? ''] ?? {}
    return schema.xml?.name ?? 'Root'
  }
  return ({ requestBody }) => {
    const content = Object.entries(requestBody?.content ?? {}) as [string, Refers][]
    const schema = content[0]?.[1].schema ?? {}
    const format = fc.constantFrom(
      ...content.map(([type]) => (type.endsWith('xml') ? ('xml' as const) : ('json' as const))),
    )
    const whole = fc.record({ format, node: valueOf('', schema), mutations, protocol: xmlStyle, damage, charset })
    return whole.map(({ format: chosen, node, mutations: changes, protocol, damage: harm, charset: letters }) => {
      const changed = changes.reduce((one, change) => change(one), node)
      const written = chosen === 'json' ? writeJson(changed) : writeXml(protocol, rootOf(schema), changed)
      const text = harm(written)
      const isPlain = changes.length === 0 && text === written && (chosen === 'json' || protocol === PLAIN_XML)
      return { format: chosen, text, charset: letters, isAsDescribed: isPlain && letters === 'utf8' }
    })
  }
}
