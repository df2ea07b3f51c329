import { health } from '../../../domain/resources/service-status.ts'
import type { Resource } from '../../../domain/schema.ts'
import type { Route } from '../call.ts'
import type { ServiceLocation } from '../protocol.ts'
import { controllerOf, controllers } from './controllers.ts'
import { shownExample } from './examples.ts'
import type { Facts } from './facts.ts'
import type { Schema } from './field-schemas.ts'
import { describedPath, IDEMPOTENCY_KEY, operationOf, PREFER, RUN } from './operations.ts'
import { contentIn, headersOf, openHeaders, refusalsOf, refused } from './responses.ts'
import { ref, schemasOf, shownName } from './schemas.ts'

const OPENAPI = '3.1.0'
const CONTACT: Schema = { name: 'The operator of this service' }

/** Returns an operation without credentials. */
const openOperation = (path: string, content: Schema, facts: Facts): Schema => ({
  tags: [controllerOf(path).name],
  operationId: `get${controllerOf(path).one}`,
  summary: `${controllerOf(path).name}, for anybody who asks`,
  description: `Returns this without credentials: ${controllerOf(path).about}`,
  security: [],
  responses: {
    200: { description: 'It is there.', headers: openHeaders, content },
    ...refused(facts, ({ where }) => where === 'anywhere'),
  },
})

const openPaths = (facts: Facts): Schema => {
  const shown = contentIn(facts.formats, ref('schemas', shownName(health)), shownExample(health))
  const description = contentIn(['application/json'], { type: 'object' }, { openapi: OPENAPI })
  return {
    '/health': { get: openOperation('/health', shown, facts) },
    '/openapi.json': { get: openOperation('/openapi.json', description, facts) },
  }
}

const pathsOf = (routes: readonly Route[], facts: Facts): Schema => {
  const paths: Record<string, Schema> = {}
  for (const route of routes) {
    const path = describedPath(route.path)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, facts) }
  }
  return { ...paths, ...openPaths(facts) }
}

const tagsOf = (paths: Schema): Schema[] => {
  const used = new Set(Object.keys(paths).map(controllerOf))
  return controllers.filter((one) => used.has(one)).map(({ name, about }) => ({ name, description: about }))
}

const isReferred = (name: string, text: string): boolean => text.includes(`"#/components/schemas/${name}"`)

const resourcesOf = (routes: readonly Route[]): Set<Resource> =>
  new Set(routes.flatMap(({ takes, gives }) => [takes, gives]).filter((of) => of !== undefined))

/** Returns the schemas to which a part of the document refers. */
const schemasFor = (routes: readonly Route[], paths: Schema, facts: Facts): Schema => {
  const ofResources = [...resourcesOf(routes), health].map((of) => schemasOf(of, facts))
  const all = [...ofResources, facts.errorSchemas].flatMap((schemas) => Object.entries(schemas))
  const text = JSON.stringify([paths, refusalsOf(facts), all])
  return Object.fromEntries(all.filter(([name]) => isReferred(name, text)))
}

/** Returns the OpenAPI 3.1 document of a variant, made from its routes, the field table, and its own facts. */
export const describeVariant = (
  facts: Facts,
  routes: readonly Route[],
  { version, origin }: ServiceLocation,
): Schema => {
  const paths = pathsOf(routes, facts)
  const { title, about, prefix, security } = facts
  return {
    openapi: OPENAPI,
    info: { title, version, description: about, contact: CONTACT, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: origin + prefix }],
    security: [{ [security.name]: [] }],
    tags: tagsOf(paths),
    paths,
    components: {
      securitySchemes: { [security.name]: security.scheme },
      schemas: schemasFor(routes, paths, facts),
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY, Prefer: PREFER, Run: RUN },
      headers: headersOf(facts),
      responses: refusalsOf(facts),
    },
  }
}
