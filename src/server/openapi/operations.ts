import type { Json } from '../../codec/json.ts'
import type { Route } from '../call.ts'
import { controllerOf } from './controllers.ts'
import { bodyExample, shownExample } from './examples.ts'
import type { Schema } from './field-schemas.ts'
import type { Facts, Where } from './facts.ts'
import { pathParameters, queryParameter } from './parameters.ts'
import { contentIn, refused, usualHeaders } from './responses.ts'
import { draftName, listName, patchName, ref, shownName } from './schemas.ts'
import { descriptionOf, operationId, summaryOf, type Verb, verbOf } from './verbs.ts'

const isPost = (verb: Verb): boolean => verb === 'add' || verb === 'addMany'

const parametersOf = (verb: Verb, { path, query = [] }: Route): Schema[] => [
  ...pathParameters(path),
  ...query.map(queryParameter),
  ...(isPost(verb) ? [ref('parameters', 'IdempotencyKey')] : []),
]

const bodyOf = (verb: Verb, { takes }: Route, { formats }: Facts): Schema => {
  if (!takes) return {}
  const purpose = verb === 'update' ? 'update' : 'add'
  const schema = ref('schemas', purpose === 'update' ? patchName(takes) : draftName(takes))
  return { requestBody: { required: true, content: contentIn(formats, schema, bodyExample(takes, purpose)) } }
}

const answerOf = (verb: Verb, { gives }: Route, { formats }: Facts): Schema => {
  if (!gives) return {}
  const one: Json = shownExample(gives)
  const isList = verb === 'list'
  const schema = ref('schemas', isList ? listName(gives) : shownName(gives))
  return { content: contentIn(formats, schema, isList ? [one] : one) }
}

const success = (verb: Verb, route: Route, facts: Facts): Schema => ({
  description: verb === 'remove' ? 'It is deleted; the body is empty.' : 'It is done.',
  headers: {
    ...usualHeaders(facts),
    ...(isPost(verb) && { 'Idempotent-Replayed': ref('headers', 'Replayed') }),
    ...(verb === 'add' && { Location: ref('headers', 'Location') }),
    ...(route.counts && { 'X-Total-Count': ref('headers', 'TotalCount') }),
  },
  ...answerOf(verb, route, facts),
})

/** What an update in place of an addition answers. */
const updated = (route: Route, facts: Facts): Schema => ({
  ...success('addMany', route, facts),
  description: 'It was there, and is updated.',
})

const successesOf = (verb: Verb, route: Route, facts: Facts): Schema => ({
  [verb === 'add' ? 201 : 200]: success(verb, route, facts),
  ...(route.upserts && { 200: updated(route, facts) }),
})

const possible: Record<Where, (verb: Verb, route: Route) => boolean> = {
  anywhere: () => true,
  'behind the door': () => true,
  'at an id': (_verb, { path }) => path.includes('{'),
  'where it writes': (verb) => verb !== 'list' && verb !== 'get',
  'with a body': (_verb, { takes }) => takes !== undefined,
  'where much may be': (_verb, { takes, isLong }) => takes !== undefined || isLong === true,
}

/** One operation as OpenAPI has it. */
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
