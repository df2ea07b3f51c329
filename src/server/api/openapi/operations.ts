import type { Json } from '../../../codec/json.ts'
import { KEPT_DAYS, RUN_HEADER, RUN_ID } from '../../../domain/resources/entry-run.ts'
import { DATED_TARGETS } from '../../../domain/resources/dated-target.ts'
import { fieldsOnRequest } from '../../../domain/schema.ts'
import type { QueryParameter, Route } from '../call.ts'
import { controllerOf } from './controllers.ts'
import { bodyExample, shownExample, valueExample } from './examples.ts'
import type { Facts, RefusalScope } from './facts.ts'
import { type Schema, shownField } from './field-schemas.ts'
import { contentIn, refused, usualHeaders } from './responses.ts'
import { draftName, listName, patchName, ref, shownName } from './schemas.ts'
import { descriptionOf, operationId, resourceAt, summaryOf, type OperationVerb, verbOf } from './verbs.ts'

/** Describes the header that makes a POST take effect only once. */
export const IDEMPOTENCY_KEY: Schema = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Any text of your own. The same request with the same key is done once; later ones get the first answer.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  example: '6b1a3c52-6f0e-4d0a-9f0e-2f6c1c1d7a55',
}

/** Returns a path as the document writes it: every id has a name. */
export const describedPath = (path: string): string => path.replace('{key}', '{id}')

const ID: Schema = { type: 'integer', minimum: 0 }

const RUN_SCHEMA: Schema = { type: 'string', pattern: RUN_ID.source }

/** Describes an id in a path: that of the resource itself, or of its parent, such as `{user_id}`. */
const pathParameter = (path: string, name: string): Schema => {
  const { fields, title } = resourceAt(path)
  const field = fields[name === 'key' ? 'id' : name]
  const isOwn = name === 'id' || name === 'key'
  return {
    name: isOwn ? 'id' : name,
    in: 'path',
    required: true,
    description: isOwn ? `Id of the ${title}` : `Id of the ${name.replace(/_id$/, '')}`,
    schema: name === 'run' ? RUN_SCHEMA : name === 'key' && field ? withoutMarks(shownField(field)) : ID,
    example: field ? valueExample(field) : 1,
  }
}

/** Returns a schema without the keywords that only make sense for a property of an object. */
const withoutMarks = ({ description: _description, readOnly: _readOnly, ...schema }: Schema): Schema => schema

/** Describes the ids in a path. */
const pathParameters = (path: string): Schema[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => pathParameter(path, name))

const querySchema = (parameter: QueryParameter): Schema => {
  if (parameter.kind === 'integer') return { type: 'integer', minimum: parameter.least, maximum: parameter.most }
  if (parameter.kind === 'boolean') return { type: 'boolean' }
  return parameter.kind === 'day' ? { type: 'string', format: 'date' } : { type: 'array', items: ID }
}

/** Describes a parameter of the query. */
const queryParameter = (parameter: QueryParameter): Schema => ({
  name: parameter.name,
  in: 'query',
  description: parameter.about,
  schema: querySchema(parameter),
  ...(parameter.kind === 'ids' && { style: 'form', explode: false }),
  example: parameter.example,
})

/** Describes the header that says which run a batch is of. */
export const RUN: Schema = {
  name: RUN_HEADER,
  in: 'header',
  description: `Id of a run of your own. What the batch replaces is kept for ${KEPT_DAYS} days, so that it can be taken back. Of a batch that is sent again it is counted what it made the first time.`,
  schema: RUN_SCHEMA,
  example: '5f0c1d2e3a4b5c6d',
}

/** Describes the header that asks for dated targets. */
export const PREFER: Schema = {
  name: 'Prefer',
  in: 'header',
  description: `\`${DATED_TARGETS}\` asks for the dated targets too: target_base and targets. The answer then has the header Preference-Applied.`,
  schema: { type: 'string' },
  example: DATED_TARGETS,
}

const hasDatedTargets = ({ gives }: Route): boolean => gives !== undefined && fieldsOnRequest(gives).length > 0

const isPost = (verb: OperationVerb): boolean => verb === 'add' || verb === 'addMany' || verb === 'undo'

const parametersOf = (verb: OperationVerb, route: Route): Schema[] => {
  const { path, query = [] } = route
  return [
    ...pathParameters(path),
    ...query.map(queryParameter),
    ...(isPost(verb) ? [ref('parameters', 'IdempotencyKey')] : []),
    ...(verb === 'addMany' ? [ref('parameters', 'Run')] : []),
    ...(hasDatedTargets(route) ? [ref('parameters', 'Prefer')] : []),
  ]
}

const bodyOf = (verb: OperationVerb, { takes }: Route, { formats }: Facts): Schema => {
  if (!takes) return {}
  const purpose = verb === 'update' ? 'update' : 'add'
  const schema = ref('schemas', purpose === 'update' ? patchName(takes) : draftName(takes))
  return { requestBody: { required: true, content: contentIn(formats, schema, bodyExample(takes, purpose)) } }
}

const answerOf = (verb: OperationVerb, { gives }: Route, { formats }: Facts): Schema => {
  if (!gives) return {}
  const one: Json = shownExample(gives)
  const isList = verb === 'list'
  const schema = ref('schemas', isList ? listName(gives) : shownName(gives))
  return { content: contentIn(formats, schema, isList ? [one] : one) }
}

const success = (verb: OperationVerb, route: Route, facts: Facts): Schema => ({
  description: verb === 'remove' ? 'It is deleted; the body is empty.' : 'It is done.',
  headers: {
    ...usualHeaders(facts),
    ...(isPost(verb) && { 'Idempotent-Replayed': ref('headers', 'Replayed') }),
    ...(verb === 'add' && { Location: ref('headers', 'Location') }),
    ...(route.counts && { 'X-Total-Count': ref('headers', 'TotalCount') }),
    ...(hasDatedTargets(route) && { 'Preference-Applied': ref('headers', 'PreferenceApplied') }),
  },
  ...answerOf(verb, route, facts),
})

/** Describes the answer of a POST that updates instead of adding. */
const updated = (route: Route, facts: Facts): Schema => ({
  ...success('addMany', route, facts),
  description: 'It was there, and is updated.',
})

const successesOf = (verb: OperationVerb, route: Route, facts: Facts): Schema => ({
  [verb === 'add' ? 201 : 200]: success(verb, route, facts),
  ...(route.upserts && { 200: updated(route, facts) }),
})

const possible: Record<RefusalScope, (verb: OperationVerb, route: Route) => boolean> = {
  anywhere: () => true,
  'where credentials are needed': () => true,
  // A run of which nothing is kept has no entries.
  'at an id': (_verb, { path }) => path.includes('{') && !path.includes('{run}'),
  'where it writes': (verb) => verb !== 'list' && verb !== 'get',
  'with a body': (_verb, { takes }) => takes !== undefined,
  'where much may be': (_verb, { takes, isLong }) => takes !== undefined || isLong === true,
}

/** Returns one operation of the OpenAPI document. */
export const operationOf = (route: Route, facts: Facts): Schema => {
  const verb = verbOf(route)
  return {
    tags: [controllerOf(route.path).name],
    operationId: operationId(verb, route.path),
    summary: summaryOf(verb, route.path),
    description: descriptionOf(verb, route),
    ...(route.scope && { security: [{ [facts.security.name]: [route.scope] }] }),
    parameters: parametersOf(verb, route),
    ...bodyOf(verb, route, facts),
    responses: {
      ...successesOf(verb, route, facts),
      ...refused(facts, ({ where }) => possible[where](verb, route)),
    },
  }
}
