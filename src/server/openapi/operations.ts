import type { Resource } from '../../domain/schema.ts'
import type { QueryParameter, Route } from '../call.ts'
import { controllerOf } from './controllers.ts'
import { type Schema, shownField } from './field-schemas.ts'
import type { Facts, Where } from './facts.ts'
import { contentIn, refused, usualHeaders } from './responses.ts'
import { draftName, listName, patchName, ref, shownName } from './schemas.ts'

type Verb = 'list' | 'get' | 'add' | 'addMany' | 'update' | 'remove'

/** A POST that answers with what was sent has made it; another one has made many. */
const verbOf = ({ method, path, takes, gives }: Route): Verb => {
  if (method === 'GET') return path.endsWith('}') ? 'get' : 'list'
  if (method === 'POST') return takes === gives ? 'add' : 'addMany'
  return method === 'PUT' ? 'update' : 'remove'
}

const isPost = (verb: Verb): boolean => verb === 'add' || verb === 'addMany'

const idOf = (verb: Verb, path: string): string => {
  const { one, many } = controllerOf(path)
  if (verb === 'list') return `list${many}`
  return verb === 'addMany' ? `add${many}` : `${verb}${one}`
}

const summaryOf = (verb: Verb, path: string): string => {
  const { name } = controllerOf(path)
  const says: Record<Verb, string> = {
    list: 'list',
    get: 'get one',
    add: 'add one',
    addMany: 'add or update many, all or nothing',
    update: 'change one; what is not sent stays as it is',
    remove: 'delete one',
  }
  return `${name}: ${says[verb]}`
}

/** A path as the description has it: every id is called by a name. */
export const describedPath = (path: string): string => path.replace('{key}', '{id}')

const pathParameters = (path: string, gives: Resource | undefined): Schema[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name: name === 'key' ? 'id' : name,
    in: 'path',
    required: true,
    schema: name === 'key' && gives?.fields['id'] ? shownField(gives.fields['id']) : { type: 'integer', minimum: 0 },
  }))

const querySchema = (parameter: QueryParameter): Schema => {
  if (parameter.kind === 'integer') return { type: 'integer', minimum: parameter.least, maximum: parameter.most }
  if (parameter.kind === 'boolean') return { type: 'boolean' }
  if (parameter.kind === 'day') return { type: 'string', format: 'date' }
  return { type: 'array', items: { type: 'integer', minimum: 0 } }
}

const queryParameter = (parameter: QueryParameter): Schema => ({
  name: parameter.name,
  in: 'query',
  description: parameter.about,
  schema: querySchema(parameter),
  ...(parameter.kind === 'ids' && { style: 'form', explode: false }),
})

const parametersOf = (verb: Verb, { path, gives, query = [] }: Route): Schema[] => [
  ...pathParameters(path, gives),
  ...query.map(queryParameter),
  ...(isPost(verb) ? [ref('parameters', 'IdempotencyKey')] : []),
]

const bodyOf = (verb: Verb, { takes }: Route, { formats }: Facts): Schema =>
  takes
    ? {
        requestBody: {
          required: true,
          content: contentIn(formats, ref('schemas', verb === 'update' ? patchName(takes) : draftName(takes))),
        },
      }
    : {}

const success = (verb: Verb, { gives, counts }: Route, facts: Facts): Schema => ({
  description: verb === 'remove' ? 'It is deleted; the body is empty.' : 'It is done.',
  headers: {
    ...usualHeaders(facts),
    ...(isPost(verb) && { 'Idempotent-Replayed': ref('headers', 'Replayed') }),
    ...(verb === 'add' && { Location: ref('headers', 'Location') }),
    ...(counts && { 'X-Total-Count': ref('headers', 'TotalCount') }),
  },
  ...(gives && {
    content: contentIn(facts.formats, ref('schemas', verb === 'list' ? listName(gives) : shownName(gives))),
  }),
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

const aboutOf = ({ gives, scope }: Route): Schema => {
  const parts = [gives?.caution, scope && `Needs the scope \`${scope}\`.`].filter((part) => part !== undefined)
  return parts.length > 0 ? { description: parts.join('\n\n') } : {}
}

/** One operation as OpenAPI has it. */
export const operationOf = (route: Route, facts: Facts): Schema => {
  const verb = verbOf(route)
  return {
    tags: [controllerOf(route.path).name],
    operationId: idOf(verb, route.path),
    summary: summaryOf(verb, route.path),
    ...aboutOf(route),
    ...(route.scope && { security: [{ [facts.security.name]: [route.scope] }] }),
    parameters: parametersOf(verb, route),
    ...bodyOf(verb, route, facts),
    responses: {
      ...successesOf(verb, route, facts),
      ...refused(facts, ({ where }) => possible[where](verb, route)),
    },
  }
}
