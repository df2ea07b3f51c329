import type { Json } from '../../../codec/json.ts'
import { MOST_DATED_TARGETS } from '../../../domain/targets/dated-targets.ts'
import { INTEGER_DIGITS } from '../../../domain/decimal.ts'
import { INT16_MAX } from '../../../domain/field-value.ts'
import { datedTarget } from '../../../domain/resources/dated-target.ts'
import { describeFallback, type Field, type FieldKind } from '../../../domain/schema.ts'

/** Describes a schema of OpenAPI 3.1, which is JSON Schema 2020-12. */
export type Schema = Readonly<Record<string, Json>>

const WHOLE = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
const INT16 = { minimum: -INT16_MAX - 1, maximum: INT16_MAX }
const DECIMAL = { exclusiveMinimum: -(10 ** INTEGER_DIGITS), exclusiveMaximum: 10 ** INTEGER_DIGITS }
const DATETIME = String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$`

const { from: FROM, target: TARGET } = datedTarget.fields

/** Returns the schema of a list of dated targets. */
const listOfTargets = (target: Schema): Schema => ({
  type: 'array',
  maxItems: MOST_DATED_TARGETS,
  items: {
    type: 'object',
    properties: {
      from: { description: FROM.about, type: 'string', format: 'date' },
      target: { description: TARGET.about, ...target },
    },
    required: ['from', 'target'],
  },
})

const shownAs: Record<FieldKind, Schema> = {
  integer: { type: 'integer' },
  int16: { type: 'integer', ...INT16 },
  decimal: { type: 'number' },
  boolean: { type: 'boolean' },
  text: { type: 'string' },
  choice: { type: 'string' },
  date: { type: 'string', format: 'date' },
  datetime: { type: 'string', pattern: DATETIME },
  targets: listOfTargets({ type: 'number' }),
}

const takenAs: Record<FieldKind, Schema> = {
  ...shownAs,
  integer: { type: 'integer', ...WHOLE },
  decimal: { type: 'number', ...DECIMAL },
  targets: listOfTargets({ type: 'number', ...DECIMAL }),
}

/**
 * Lists the schemas of text that older clients send instead of a number or a boolean. They come second, and allow no
 * surrounding blanks although the service does, as generators make values from patterns.
 */
const asText: Partial<Record<FieldKind, Schema>> = {
  integer: { type: 'string', pattern: String.raw`^-?\d{1,15}$` },
  int16: {
    type: 'string',
    pattern: String.raw`^(-?(\d{1,4}|[12]\d{4}|3[01]\d{3}|32[0-6]\d{2}|327[0-5]\d|3276[0-7])|-32768)$`,
  },
  decimal: { type: 'string', pattern: String.raw`^-?\d{1,${INTEGER_DIGITS}}(\.\d+)?$` },
  boolean: { type: 'string', enum: ['true', 'false'] },
}

const orNull = (schema: Schema): Schema => {
  const { anyOf, enum: choices } = schema
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: 'null' }] }
  return {
    ...schema,
    type: [schema['type'], 'null'].flat(),
    ...(Array.isArray(choices) && { enum: [...choices, null] }),
  }
}

const limitsOf = ({ max, oneOf }: Field): Schema => ({
  ...(max !== undefined && { maxLength: max }),
  ...(oneOf && { enum: oneOf }),
})

/** Returns the schema of a field in answers. A secret is always null. */
export const shownField = (field: Field): Schema => {
  const about = { description: field.about, ...(field.readOnly && { readOnly: true }) }
  if (field.secret) return { ...about, type: 'null' }
  const schema = { ...about, ...shownAs[field.kind], ...limitsOf(field) }
  return field.nullable ? orNull(schema) : schema
}

const textPattern = ({ kind, form, oneOf }: Field, mayBeNull: boolean): Schema => {
  if (kind !== 'text') return {}
  if (form) return { pattern: form.matches.source }
  return mayBeNull || oneOf ? {} : { pattern: String.raw`\S` }
}

/** Describes the blank text that stands for null. */
const BLANK: Schema = { type: 'string', enum: [''] }

const valueOf = ({ kind }: Field, isLenient: boolean, mayBeNull: boolean): Schema => {
  if (kind === 'targets' && isLenient) return { anyOf: [takenAs[kind], BLANK] }
  const text = isLenient ? asText[kind] : undefined
  return text ? { anyOf: [takenAs[kind], text, ...(mayBeNull ? [BLANK] : [])] } : takenAs[kind]
}

/** Names the purpose of a body: it creates a resource, or changes one. */
export type Purpose = 'add' | 'update'

/**
 * Returns the description of a field in a body. It names the default in the text and not in `default`, as generators
 * make fields with a default mandatory. A change keeps stored values that are missing, so only flags on how to store
 * have a default there.
 */
const aboutOf = (field: Field, purpose: Purpose): string => {
  const fallback = describeFallback(field)
  if (fallback === undefined) return field.about
  return `${field.about}; ${purpose === 'add' || field.writeOnly ? `${fallback} or null` : 'null changes nothing'}`
}

/**
 * Returns the schema of a field in bodies. Null clears a field that may be null; for one with a default, it is as if the
 * field were not given. What a schema cannot say is listed in `test/server/openapi-bodies.test.ts`.
 */
export const takenField = (field: Field, purpose: Purpose, isLenient: boolean): Schema => {
  const mayBeNull = field.nullable === true || field.fallback !== undefined
  const schema = {
    description: aboutOf(field, purpose),
    ...((field.writeOnly || field.secret) && { writeOnly: true }),
    ...valueOf(field, isLenient, mayBeNull),
    ...textPattern(field, mayBeNull),
    ...limitsOf(field),
  }
  return mayBeNull ? orNull(schema) : schema
}
