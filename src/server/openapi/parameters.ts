import type { QueryParameter } from '../call.ts'
import { valueExample } from './examples.ts'
import { type Schema, shownField } from './field-schemas.ts'
import { resourceAt } from './verbs.ts'

/** The header with which a POST is done only once. */
export const IDEMPOTENCY_KEY: Schema = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Any text of your own. The same request with the same key is done once; later ones get the first answer.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: '6b1a3c52-6f0e-4d0a-9f0e-2f6c1c1d7a55',
}

/** Returns a path as the description has it: every id is called by a name. */
export const describedPath = (path: string): string => path.replace('{key}', '{id}')

const ID: Schema = { type: 'integer', minimum: 0 }

/** Describes the id of the resource that a path is about, or of the one above it, such as the user of `{user_id}`. */
const pathParameter = (path: string, name: string): Schema => {
  const { fields, title } = resourceAt(path)
  const field = fields[name === 'key' ? 'id' : name]
  const isOwn = name === 'id' || name === 'key'
  return {
    name: isOwn ? 'id' : name,
    in: 'path',
    required: true,
    description: isOwn ? `Id of the ${title}` : `Id of the ${name.replace(/_id$/, '')}`,
    schema: name === 'key' && field ? withoutMarks(shownField(field)) : ID,
    example: field ? valueExample(field) : 1,
  }
}

/** Returns a schema without what only makes sense for the property of an object. */
const withoutMarks = ({ description: _description, readOnly: _readOnly, ...schema }: Schema): Schema => schema

/** Describes the ids in a path. */
export const pathParameters = (path: string): Schema[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => pathParameter(path, name))

const querySchema = (parameter: QueryParameter): Schema => {
  if (parameter.kind === 'integer') return { type: 'integer', minimum: parameter.least, maximum: parameter.most }
  if (parameter.kind === 'boolean') return { type: 'boolean' }
  return parameter.kind === 'day' ? { type: 'string', format: 'date' } : { type: 'array', items: ID }
}

/** Describes a parameter of the query. */
export const queryParameter = (parameter: QueryParameter): Schema => ({
  name: parameter.name,
  in: 'query',
  description: parameter.about,
  schema: querySchema(parameter),
  ...(parameter.kind === 'ids' && { style: 'form', explode: false }),
  example: parameter.example,
})
