import { health } from '../../domain/resources/health.ts'
import type { Resource } from '../../domain/schema.ts'
import type { Route } from '../call.ts'
import { controllerOf, controllers } from './controllers.ts'
import type { Schema } from './field-schemas.ts'
import { describedPath, operationOf } from './operations.ts'
import { headers, inBothFormats, openHeaders, refusalName, refusals } from './responses.ts'
import { errorSchemas, ref, schemasOf, shownName } from './schemas.ts'

const ABOUT = `Keeps KPIs, who reports which of them, and their values, and reports those by period.

Content-Type chooses the format of a body and of its answer, JSON or XML; without it Accept does. In XML elements
have the names of the JSON fields, null is \`i:nil="true"\`, and a decimal has four places. Read-only and unknown fields
of a body are ignored, and so are unknown query parameters; paths and names of parameters match without regard to case.
HEAD answers as GET without a body, OPTIONS with the methods of a path.`

const IDEMPOTENCY_KEY: Schema = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Any text of your own. The same request with the same key is done once; later ones get the first answer.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

/** What anybody may ask for, without credentials. */
const openOperation = (path: string, content: Schema): Schema => ({
  tags: [controllerOf(path).name],
  operationId: `get${controllerOf(path).one}`,
  summary: `${controllerOf(path).name}, for anybody who asks`,
  security: [],
  responses: {
    200: { description: 'It is there.', headers: openHeaders, content },
    ...Object.fromEntries([400, 408, 414, 431, 503].map((status) => [status, ref('responses', refusalName(status))])),
  },
})

const openPaths: Schema = {
  '/health': { get: openOperation('/health', inBothFormats(ref('schemas', shownName(health)))) },
  '/openapi.json': { get: openOperation('/openapi.json', { 'application/json': { schema: { type: 'object' } } }) },
}

const pathsOf = (routes: readonly Route[]): Schema => {
  const paths: Record<string, Schema> = {}
  for (const route of routes) {
    const path = describedPath(route.path)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) }
  }
  return paths
}

const tagsOf = (paths: Schema): Schema[] => {
  const used = new Set(Object.keys(paths).map(controllerOf))
  return controllers.filter((one) => used.has(one)).map(({ name }) => ({ name }))
}

const isReferred = (name: string, text: string): boolean => text.includes(`"#/components/schemas/${name}"`)

/** The schemas that the paths refer to, and those that these refer to. */
const schemasFor = (resources: Iterable<Resource>, paths: Schema): Schema => {
  const all = [...[...resources].map(schemasOf), errorSchemas].flatMap((schemas) => Object.entries(schemas))
  const text = JSON.stringify([paths, refusals, all])
  return Object.fromEntries(all.filter(([name]) => isReferred(name, text)))
}

const resourcesOf = (routes: readonly Route[]): Set<Resource> =>
  new Set(routes.flatMap(({ takes, gives }) => [takes, gives]).filter((of) => of !== undefined))

/** The description of the classic interface in OpenAPI 3.1, made from its routes and the field table. */
export const describeInterface = (routes: readonly Route[], version: string): Schema => {
  const paths = { ...pathsOf(routes), ...openPaths }
  return {
    openapi: '3.1.0',
    info: {
      title: 'KPI service, classic interface',
      version,
      description: ABOUT,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // Beside the description itself, whatever address and path lead to it.
    servers: [{ url: '../api' }],
    security: [{ basic: [] }],
    tags: tagsOf(paths),
    paths,
    components: {
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic', description: 'Login name of a user and token of the account' },
      },
      schemas: schemasFor([...resourcesOf(routes), health], paths),
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY },
      headers,
      responses: Object.fromEntries(
        Object.entries(refusals).map(([status, response]) => [refusalName(Number(status)), response]),
      ),
    },
  }
}
