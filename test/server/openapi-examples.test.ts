import { describe, expect, test } from 'vitest'
import { listen } from '../../src/server/http/listener.ts'
import { post } from '../support/classic.ts'
import {
  type Answered,
  type Content,
  type Description,
  judgeAnswersOf,
  judgeOf,
  type Parameter,
} from '../support/description.ts'
import { operationsOf, type Placed } from '../support/described.ts'
import { ask, askV1, startService, type Service } from '../support/service.ts'
import { writeXml } from '../support/suite/xml.ts'
import { startWorld } from '../support/v1-world.ts'

type Variant = 'api' | 'v1'

const readDescription = async (variant: Variant): Promise<Description> => {
  await using service = await startService()
  const asked = { path: '/openapi.json', headers: { authorization: '' } }
  const { body } = await (variant === 'api' ? ask(service, asked) : askV1(service, asked))
  return JSON.parse(body) as Description
}

const descriptions = { api: await readDescription('api'), v1: await readDescription('v1') }

type Media = Content[string]

const parametersOf = ({ components }: Description, { operation }: Placed): Parameter[] =>
  (operation.parameters ?? []).map((one) =>
    one.$ref === undefined ? one : (components['parameters']?.[one.$ref.split('/').at(-1) ?? ''] as Parameter),
  )

/** All that a document says requests and answers hold, each with where it says so. */
const mediaOf = (description: Description): { readonly is: string; readonly media: Media }[] => {
  const contents = operationsOf(description).flatMap(({ is, operation }) => [
    { is: `${is}, request`, content: operation.requestBody?.content ?? {} },
    ...Object.entries(operation.responses).map(([status, { content = {} }]) => ({ is: `${is}, ${status}`, content })),
  ])
  const shared = Object.entries(description.components['responses'] ?? {}).map(([is, response]) => ({
    is,
    content: (response as { content?: Content }).content ?? {},
  }))
  return [...contents, ...shared].flatMap(({ is, content }) =>
    Object.entries(content).map(([type, media]) => ({ is: `${is}, ${type}`, media })),
  )
}

describe.each(['api', 'v1'] as const)('the examples of the document below /%s', (variant) => {
  const description = descriptions[variant]
  const judge = judgeOf(description, true)

  test('are there for whatever is sent and answered, and valid by its schema', () => {
    const faults = mediaOf(description).flatMap(({ is, media: { schema, example } }) => {
      if (example === undefined) return [`${is} has no example`]
      return schema.$ref === undefined ? [] : judge(schema, example).map((fault) => `${is}: ${fault}`)
    })
    expect(faults).toEqual([])
  })

  test('are there for every parameter', () => {
    const without = operationsOf(description).flatMap((one) =>
      parametersOf(description, one).flatMap(({ name, example }) =>
        example === undefined ? [`${one.is} ${name}`] : [],
      ),
    )
    expect(without).toEqual([])
  })
})

/** The lists that examples add to, each after those that it refers to. Deleted is in the opposite order. */
const ORDER = [
  '/kpicategories',
  '/kpiunits',
  '/kpis',
  '/kpicategories/{category_id}/kpis',
  '/users',
  '/groups',
  '/groups/{group_id}/items',
  '/breakdownitems',
  '/users/{user_id}/kpis',
  '/users/{user_id}/groupitems',
  '/kpientries',
  '/kpientries/list',
  '/kpientries/runs/{run}/groupitem',
]

const METHODS = ['POST', 'GET', 'PUT', 'DELETE']

/** The operations of a document in an order in which all can be done, one after another. */
const inOrder = (description: Description): Placed[] => {
  const rank = ({ method, path }: Placed): number => {
    const place = ORDER.indexOf(path.replace(/\/\{id\}$/, ''))
    return METHODS.indexOf(method) * 100 + (method === 'DELETE' ? -place : place)
  }
  return operationsOf(description).sort((left, right) => rank(left) - rank(right))
}

const listOf = (path: string): string => path.replace(/\/\{id\}$/, '')

/** The address of an operation with its examples, and the ids of what was made. */
const addressOf = (base: string, one: Placed, parameters: readonly Parameter[], made: ReadonlyMap<string, string>) => {
  const url = new URL(
    base +
      one.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
        const example = String(parameters.find((parameter) => parameter.name === name)?.example)
        return name === 'id' ? (made.get(listOf(one.path)) ?? example) : example
      }),
  )
  for (const { name, in: place, example } of parameters)
    if (place === 'query') url.searchParams.set(name, String(example))
  return url
}

type Format = 'application/json' | 'application/xml'

const written = (
  { operation: { requestBody } }: Placed,
  description: Description,
  format: Format,
): string | undefined => {
  const media = requestBody?.content[format]
  if (!media) return undefined
  if (format === 'application/json') return JSON.stringify(media.example)
  const schema = description.components['schemas']?.[media.schema.$ref?.split('/').at(-1) ?? ''] as {
    xml: { name: string }
  }
  return writeXml(schema.xml.name, media.example as object)
}

/** Sends what a document says of an operation, as a client made from it does. */
const send = async (
  description: Description,
  one: Placed,
  base: string,
  { format, authorization, made }: { format: Format; authorization: string; made: Map<string, string> },
): Promise<Answered> => {
  const parameters = parametersOf(description, one)
  const body = written(one, description, format)
  const headers = {
    authorization,
    accept: format,
    ...Object.fromEntries(
      parameters.filter(({ in: place }) => place === 'header').map(({ name, example }) => [name, String(example)]),
    ),
    ...(body !== undefined && { 'content-type': format }),
  }
  const response = await fetch(addressOf(base, one, parameters, made), {
    method: one.method,
    headers,
    ...(body !== undefined && { body }),
  })
  const location = response.headers.get('location')
  if (location !== null) made.set(one.path, location.split('/').at(-1) ?? '')
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
}

const startPrepared: Record<Variant, () => Promise<Service>> = {
  api: startService,
  // Users, breakdowns and assignments are made by the application there.
  v1: async () => {
    const service = await startWorld()
    await post(service, '/users', { user_type: 'User', user_status_id: 'A', first_name: 'Bo', email: 'bo@example.com' })
    return service
  },
}

describe.each([
  ['api', 'application/json'],
  ['api', 'application/xml'],
  ['v1', 'application/json'],
] as const)('a collection of requests made from the document below /%s, in %s', (variant, format) => {
  test('is answered as documented, request by request, by a server at the address that it names', async () => {
    await using service = await startPrepared[variant]()
    await using stack = new AsyncDisposableStack()
    const server = await listen(service.handler, '127.0.0.1', 0)
    stack.defer(server.close)
    const description = (await (await fetch(`${server.url}/${variant}/openapi.json`)).json()) as Description
    const { login, token, key } = service
    const basic = `Basic ${Buffer.from(`${login}:${token}`).toString('base64')}`
    const judge = judgeAnswersOf(description)
    const made = new Map<string, string>()
    const using = { format, authorization: variant === 'api' ? basic : `Bearer ${key}`, made }
    for (const one of inOrder(description)) {
      const answer = await send(description, one, description.servers[0]?.url ?? '', using)
      const faults = answer.status < 300 ? [] : [`${answer.status} ${answer.body}`]
      const unlike = format === 'application/json' ? judge(one.operation, answer) : []
      expect([one.is, ...faults, ...unlike]).toEqual([one.is])
    }
  })
})
