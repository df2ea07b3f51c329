import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { classicRoutes, v1Routes } from '../../src/server/api/routes/index.ts'
import { sqliteDatabase } from '../support/databases.ts'
import { type Description, judgeAnswersOf, judgeOf, operationFor } from '../support/description.ts'
import { operationsOf, plain, unsaid } from '../support/described.ts'
import { ask, askV1, startService } from '../support/service.ts'
import { rows } from '../support/suite/rows.ts'
import { startSuite, type Suite } from '../support/suite/suite.ts'

const readDescription = async (askOf: typeof ask): Promise<Description> => {
  await using service = await startService()
  const { body } = await askOf(service, { path: '/openapi.json', headers: { authorization: '' } })
  return JSON.parse(body) as Description
}

const description = await readDescription(ask)

const variants = [
  { variant: 'classic', scheme: 'basic', routes: classicRoutes, ask, description },
  {
    variant: 'v1',
    scheme: 'key',
    routes: v1Routes,
    ask: askV1,
    description: await readDescription(askV1),
  },
]

describe.each(variants)('the description of $variant', ({ scheme, routes, ask: askOf, description: all }) => {
  const operations = operationsOf(all).map(({ is, operation }) => ({ is, ...operation }))

  test('is OpenAPI 3.1, as its schema has it', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(all))
    expect([valid, errors]).toEqual([true, undefined])
    expect(all).toMatchObject({ openapi: '3.1.0', info: { version: '0.0.0-test' } })
  })

  test('has every route, and nothing else', () => {
    const served = routes.map(({ method, path }) => `${method} ${path.replace('{key}', '{id}')}`)
    expect(operations.map(({ is }) => is).sort()).toEqual([...served, 'GET /health', 'GET /openapi.json'].sort())
  })

  test('names every operation once, and sorts it under a tag that it has', () => {
    const names = operations.map(({ operationId }) => operationId)
    expect(new Set(names).size).toBe(names.length)
    const tags = new Set(operations.flatMap((operation) => operation.tags))
    expect([...tags].sort()).toEqual(all.tags.map(({ name }) => name).sort())
  })

  // What the recommended rules of linters (Redocly, Spectral) ask for beyond the schema of OpenAPI.
  test('explains itself, every operation, tag and parameter', () => {
    expect(all.info).toMatchObject({ contact: { name: expect.any(String) }, license: { name: 'MIT' } })
    const described = [
      ...operations.map(({ is, description: text, summary }) => [is, text, summary]),
      ...all.tags.map(({ name, description: text }) => [name, text, text]),
      ...operations.flatMap(({ is, parameters = [] }) =>
        parameters
          .filter(({ $ref }) => $ref === undefined)
          .map(({ name, description: text }) => [`${is} ${name}`, text, text]),
      ),
    ]
    expect(described.filter(([, text, summary]) => !/\S/.test(text ?? '') || !/\S/.test(summary ?? ''))).toEqual([])
  })

  test.each(operations)(
    'describes the parameters that the path of $is has, and no other',
    ({ is, parameters = [] }) => {
      const inPath = [...is.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(parameters.filter((one) => one.in === 'path').map(({ name }) => name)).toEqual(inPath)
    },
  )

  test('refers to nothing that is not there, and has nothing that nobody refers to', () => {
    const text = JSON.stringify(all)
    const referred = new Set([...text.matchAll(/"#\/components\/(\w+\/\w+)"/g)].map(([, name]) => name))
    const { securitySchemes, ...rest } = all.components
    const there = Object.entries(rest).flatMap(([kind, named]) => Object.keys(named).map((name) => `${kind}/${name}`))
    expect(Object.keys(securitySchemes ?? {})).toEqual([scheme])
    expect(referred).toEqual(new Set(there))
  })

  test.each(operations)('has what $is may be refused with before it is looked at', ({ security, responses }) => {
    const always = ['400', '408', '414', '415', '431', '503']
    const behindTheDoor = ['401', '403', '500']
    const isOpen = security?.length === 0
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(isOpen ? always : [...always, ...behindTheDoor]))
  })

  test('is the same for whoever asks', async () => {
    await using service = await startService()
    const [first, second] = [
      await askOf(service, { path: '/openapi.json' }),
      await askOf(service, { path: '/OPENAPI.json/', headers: { authorization: '', 'content-type': '' } }),
    ]
    expect(first.body).toBe(second.body)
    expect(second.headers['content-type']).toBe('application/json; charset=utf-8')
  })
})

describe('what only one variant describes', () => {
  test('is the same in the classic interface whatever the format', async () => {
    await using service = await startService()
    const headers = { 'content-type': 'application/xml' }
    const { status, body } = await ask(service, { path: '/openapi.json', headers })
    expect([status, JSON.parse(body)]).toEqual([200, description])
  })

  test.each(
    v1Routes.map(({ method, path, scope }) => [`${method} ${path}`, method.toLowerCase(), path, scope] as const),
  )('is the scope that %s needs in the newer variant', (_is, method, path, scope) => {
    const operation = variants[1]?.description.paths[path.replace('{key}', '{id}')]?.[method]
    expect(operation?.security).toEqual([{ key: [scope] }])
    expect(operation?.description).toContain(`\`${scope}\``)
  })

  test('is XML in the classic interface, and nowhere in the newer variant', () => {
    const [classicText, v1Text] = variants.map((one) => JSON.stringify(one.description))
    expect(classicText).toMatch(/"xml":.*"application\/xml"/)
    expect(v1Text).not.toMatch(/"xml":|"application\/xml"/)
  })
})

/** What the suite asks in JSON of the operations that there are. */
const described = rows
  .filter(({ only = 'json' }) => only === 'json')
  .flatMap((row) => {
    const [method = '', path = ''] = row.ask.split(' ')
    const operation = operationFor(description, method, path)
    return operation ? [{ name: `${row.ask.slice(0, 80)} ${row.what}`, row, operation }] : []
  })

describe('what the service answers and takes is as described', () => {
  let suite: Suite
  beforeAll(async () => {
    suite = await startSuite(sqliteDatabase)
  })
  afterAll(async () => {
    await suite[Symbol.asyncDispose]()
  })
  const faultsOfAnswer = judgeAnswersOf(description)
  const faultsOfBody = judgeOf(description, false)

  test.each(described)('$name', async ({ row, operation }) => {
    const { status, headers, text } = await suite.run(row, 'json')
    expect(faultsOfAnswer(operation, { status, headers, body: text })).toEqual([])
    const taken = operation.requestBody?.content['application/json']?.schema
    const faults = taken && row.body ? unsaid(faultsOfBody(taken, plain(row.body)), { status, body: text }) : []
    expect(faults).toEqual([])
  })
})
