import type { Element, Value } from './suite/xml.ts'

/** A schema of a description, as far as it says how a value stands in XML. */
export type XmlSchema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, XmlSchema>>
  readonly items?: XmlSchema
  readonly xml?: { readonly name?: string }
}

/** Finds the schema that a reference names. */
export type Resolve = (schema: XmlSchema) => XmlSchema

const isList = (value: Value): value is readonly Value[] => Array.isArray(value)

const scalarOf = ({ type = [] }: XmlSchema, text: string): unknown => {
  const types = new Set([type].flat())
  if (types.has('string')) return text
  if ((types.has('integer') || types.has('number')) && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text)
  return types.has('boolean') && /^(?:true|false)$/.test(text) ? text === 'true' : text
}

const jsonOf = (value: Value, schema: XmlSchema, resolve: Resolve): unknown => {
  const { items = {}, properties = {} } = resolve(schema)
  if (value === null) return null
  if (isList(value)) return value.map((one) => jsonOf(one, items, resolve))
  if (typeof value === 'string') return scalarOf(resolve(schema), value)
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, jsonOf(one, properties[name] ?? {}, resolve)]),
  )
}

/** What an answer in XML would be in JSON by its schema. Throws where its root is not the one that is described. */
export const asJson = ({ name, value }: Element, schema: XmlSchema, resolve: Resolve): unknown => {
  const expected = resolve(schema).xml?.name
  if (name !== expected) throw new Error(`the root is ${name}, not ${expected}`)
  return jsonOf(value, schema, resolve)
}
