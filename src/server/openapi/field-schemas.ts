import type { Json } from '../../codec/json.ts'
import { INTEGER_DIGITS } from '../../domain/decimal.ts'
import { INT16_MAX } from '../../domain/field-value.ts'
import type { Field, Kind } from '../../domain/schema.ts'

/** A schema of OpenAPI 3.1, which is JSON Schema 2020-12. */
export type Schema = Readonly<Record<string, Json>>

const WHOLE = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
const INT16 = { minimum: -INT16_MAX - 1, maximum: INT16_MAX }
const DECIMAL = { exclusiveMinimum: -(10 ** INTEGER_DIGITS), exclusiveMaximum: 10 ** INTEGER_DIGITS }
const DATETIME = String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$`

const shownAs: Record<Kind, Schema> = {
  integer: { type: 'integer' },
  int16: { type: 'integer', ...INT16 },
  decimal: { type: 'number' },
  boolean: { type: 'boolean' },
  text: { type: 'string' },
  choice: { type: 'string' },
  date: { type: 'string', format: 'date' },
  datetime: { type: 'string', pattern: DATETIME },
}

const strictly: Record<Kind, Schema> = {
  integer: { type: 'integer', ...WHOLE },
  int16: { type: 'integer', ...INT16 },
  decimal: { type: 'number', ...DECIMAL },
  boolean: { type: 'boolean' },
  text: { type: 'string' },
  choice: { type: 'string' },
  date: { type: 'string', pattern: String.raw`\d{4}-\d{2}-\d{2}(T00:00:00)?` },
  datetime: { type: 'string', pattern: DATETIME },
}

/** What older clients send instead of a number or a boolean: text that stands for it (decisions, section 4). */
const leniently: Record<Kind, Schema> = {
  ...strictly,
  integer: { type: ['integer', 'string'], pattern: String.raw`-?\d{1,15}`, ...WHOLE },
  int16: { type: ['integer', 'string'], pattern: String.raw`-?\d{1,5}`, ...INT16 },
  decimal: { type: ['number', 'string'], pattern: String.raw`-?0*\d{1,${INTEGER_DIGITS}}(\.\d+)?`, ...DECIMAL },
  boolean: { type: ['boolean', 'string'], pattern: 'true|false' },
}

const orNull = (schema: Schema): Schema => ({
  ...schema,
  type: [schema['type'], 'null'].flat(),
  ...(Array.isArray(schema['enum']) && { enum: [...schema['enum'], null] }),
})

const limitsOf = ({ max, oneOf }: Field): Schema => ({
  ...(max !== undefined && { maxLength: max }),
  ...(oneOf && { enum: oneOf }),
})

/** A field as answers show it. A secret is always null. */
export const shownField = (field: Field): Schema => {
  const about = { description: field.about, ...(field.readOnly && { readOnly: true }) }
  if (field.secret) return { ...about, type: 'null' }
  const schema = { ...about, ...shownAs[field.kind], ...limitsOf(field) }
  return field.nullable ? orNull(schema) : schema
}

/** Blanks around a value do not count; only blanks are as good as null, where there may be null. */
const patternOf = (pattern: Json, mayBeBlank: boolean): Schema =>
  typeof pattern === 'string' ? { pattern: String.raw`^\s*(${pattern})${mayBeBlank ? '?' : ''}\s*$` } : {}

const textPattern = ({ kind, form, oneOf }: Field, mayBeBlank: boolean): Schema => {
  if (kind !== 'text' && kind !== 'choice') return {}
  if (form) return { pattern: form.matches.source }
  return mayBeBlank || oneOf ? {} : { pattern: String.raw`\S` }
}

/** A field as bodies may hold it. A field with a fallback takes null for it. */
export const takenField = (field: Field, isLenient: boolean): Schema => {
  const mayBeNull = field.nullable === true || field.fallback !== undefined
  const { pattern, ...taken } = (isLenient ? leniently : strictly)[field.kind]
  const schema = {
    description: field.about,
    ...((field.writeOnly || field.secret) && { writeOnly: true }),
    ...taken,
    ...(pattern === undefined ? textPattern(field, mayBeNull) : patternOf(pattern, mayBeNull)),
    ...limitsOf(field),
    ...(typeof field.fallback === 'boolean' && { default: field.fallback }),
  }
  return mayBeNull ? orNull(schema) : schema
}
