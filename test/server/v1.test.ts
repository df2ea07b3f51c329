import { describe, expect, test } from 'vitest'
import { calculatedKpi } from '../../src/domain/resources/calculated-kpi.ts'
import { asDraft } from '../../src/domain/schema.ts'
import { calculated } from '../../src/service/definitions/calculated-kpis.ts'
import { accounts } from '../../src/store/tables/accounts.ts'
import { assignFirst, KPI, post } from '../support/classic.ts'
import { bearer, tellV1, withKey } from '../support/newer.ts'
import { type Asked, askV1, type Service, startService } from '../support/service.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH']

/** The answer to a whole target, with the service's key. */
const tellTarget = async ({ handler, key }: Service, target: string, method = 'GET', headers: object = {}) => {
  const told = await handler({
    method,
    target,
    headers: { authorization: bearer(key), ...headers },
    address: '127.0.0.1',
    body: () => Promise.resolve(Buffer.from('{}')),
  })
  return { ...told, type: told.headers['content-type'] }
}

describe('what the newer variant does not have', () => {
  test.each([
    '/groups',
    '/groups/1',
    '/groups/1/items',
    '/groups/1/items/1',
    '/users/1/kpis',
    '/users/1/kpis/1',
    '/users/1/groupitems',
    '/users/1/groupitems/1',
    '/breakdowns',
    '/keys',
    '/accounts',
    '/reports',
    '/kpis/x',
    '/kpis/1/2',
    '/kpientries/1/2',
    '',
    '/',
  ])('%j is 404 with any method', async (path) => {
    await using service = await startService()
    for (const method of METHODS) {
      const told = await tellV1(service, { method, path, ...(method === 'POST' && { body: {} }) })
      expect(told).toMatchObject({ status: 404, headers: { 'content-type': 'application/problem+json' } })
      expect(told.headers['allow']).toBeUndefined()
    }
  })

  test.each([
    ['/users', ['POST', 'PUT', 'DELETE', 'PATCH'], 'GET, HEAD, OPTIONS'],
    ['/users/1', ['POST', 'PUT', 'DELETE', 'PATCH'], 'GET, HEAD, OPTIONS'],
    ['/reports/AllDataEntries', ['POST', 'PUT', 'DELETE'], 'GET, HEAD, OPTIONS'],
    ['/kpifrequencies', ['POST', 'PUT', 'DELETE'], 'GET, HEAD, OPTIONS'],
    ['/kpifrequencies/D', ['POST', 'PUT', 'DELETE'], 'GET, HEAD, OPTIONS'],
    ['/kpiicons', ['POST', 'PUT', 'DELETE'], 'GET, HEAD, OPTIONS'],
    ['/kpiicons/1', ['POST', 'PUT', 'DELETE'], 'GET, HEAD, OPTIONS'],
    ['/kpientries/list', ['GET', 'HEAD', 'PUT', 'DELETE'], 'POST, OPTIONS'],
    ['/kpis', ['PUT', 'DELETE', 'PATCH'], 'GET, POST, HEAD, OPTIONS'],
    ['/kpis/1', ['POST', 'PATCH'], 'GET, PUT, DELETE, HEAD, OPTIONS'],
  ])('at %s is 405, with what there is', async (path, methods, allow) => {
    await using service = await startService()
    for (const method of methods) {
      const body = { type: 'urn:problem-type:kpi:method_not_allowed', status: 405, instance: `/v1${path}` }
      expect(await tellV1(service, { method, path, body: {} })).toMatchObject({ status: 405, headers: { allow }, body })
    }
  })
})

describe('a path', () => {
  test.each(['/V1/KPIS', '/v1/kpis/', '/v1/Kpis?x=1', '/V1/kpis/?'])('%s is that of KPIs', async (target) => {
    await using service = await startService()
    expect(await tellTarget(service, target)).toMatchObject({ status: 200, body: '[]' })
  })

  test.each([
    ['/v1', 'application/problem+json'],
    ['/v1?x', 'application/problem+json'],
    ['/V1/', 'application/problem+json'],
    ['/v1//kpis', 'application/problem+json'],
    ['/v1x/kpis', 'application/json; charset=utf-8'],
    ['/v10', 'application/json; charset=utf-8'],
    ['/v2/kpis', 'application/json; charset=utf-8'],
    ['/api/v1/kpis', 'application/json; charset=utf-8'],
    ['/', 'application/json; charset=utf-8'],
  ])('%s is nowhere, which is told as whoever has it tells it', async (target, type) => {
    await using service = await startService()
    const told = await tellTarget(service, target)
    expect([404, 401]).toContain(told.status)
    expect(told.type).toBe(type)
  })

  test('answers HEAD as GET, and OPTIONS with what there is to anybody', async () => {
    await using service = await startService()
    expect(await askV1(service, { method: 'HEAD', path: '/kpis' })).toMatchObject({ status: 200 })
    for (const [path, allow] of [
      ['/kpis', 'GET, POST, HEAD, OPTIONS'],
      ['/users', 'GET, HEAD, OPTIONS'],
      ['/health', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const told = await askV1(service, { method: 'OPTIONS', path, headers: { authorization: '' } })
      expect(told).toMatchObject({ status: 204, headers: { allow }, body: '' })
    }
    const absent = { method: 'OPTIONS', path: '/groups', headers: { authorization: '' } }
    expect(await tellV1(service, absent)).toMatchObject({ status: 404 })
  })

  test('of the state of the service is open to anybody, below either prefix', async () => {
    await using service = await startService()
    const told = await tellV1(service, { path: '/health', headers: { authorization: '' } })
    expect(told).toMatchObject({ status: 200, body: { status: 'ok', version: '0.0.0-test' } })
    expect(await tellV1(service, { method: 'POST', path: '/health', body: {} })).toMatchObject({ status: 405 })
  })

  test('stands in Location below the prefix', async () => {
    await using service = await startService()
    const body = { ...KPI, category_id: 1, aggregate_function: 'SUM' }
    const told = await tellV1(service, { method: 'POST', path: '/KPIs/', body })
    expect(told).toMatchObject({ status: 201, headers: { location: '/v1/kpis/1' } })
  })
})

const MAKE: Asked = { method: 'POST', path: '/kpicategories', body: { name: 'Costs' } }
const READ: Asked = { path: '/kpicategories' }
const XML_TYPES = [
  'application/xml',
  'text/xml',
  'Application/XML; charset=utf-8',
  'application/atom+xml',
  'text/xml;charset=x',
]

describe('a Content-Type', () => {
  test.each(XML_TYPES)('%s is 415 on every request', async (type) => {
    await using service = await startService()
    const headers = { 'content-type': type }
    const DELETE = { method: 'DELETE', path: '/kpicategories/1' }
    for (const one of [MAKE, READ, DELETE, { path: '/health' }, { path: '/openapi.json' }]) {
      expect(await tellV1(service, { ...one, headers })).toMatchObject({
        status: 415,
        headers: { 'content-type': 'application/problem+json' },
        body: {
          type: 'urn:problem-type:kpi:media_type',
          detail: expect.stringContaining('application/json') as string,
        },
      })
    }
    expect((await tellV1(service, READ)).body).toHaveLength(1)
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'json', 'x/y'])(
    '%s is 415 where there is a body to read',
    async (type) => {
      await using service = await startService()
      expect(await tellV1(service, { ...MAKE, headers: { 'content-type': type } })).toMatchObject({ status: 415 })
      expect(await tellV1(service, { ...READ, headers: { 'content-type': type } })).toMatchObject({ status: 200 })
    },
  )

  test.each(['application/json', 'application/json; charset=UTF-8', 'text/json', 'application/merge-patch+json', ''])(
    '%j is that of a body',
    async (type) => {
      await using service = await startService()
      expect(await tellV1(service, { ...MAKE, headers: { 'content-type': type } })).toMatchObject({ status: 201 })
    },
  )

  test('of another charset is 415, and so is a body that is packed', async () => {
    await using service = await startService()
    for (const headers of [{ 'content-type': 'application/json; charset=latin1' }, { 'content-encoding': 'gzip' }]) {
      expect(await tellV1(service, { ...MAKE, headers })).toMatchObject({ status: 415 })
    }
  })
})

describe('an Accept', () => {
  test.each([
    'application/json',
    'application/problem+json',
    'application/*',
    '*/*',
    '',
    'text/html, */*;q=0.1',
    'application/xml, application/json;q=0.5',
    'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8',
  ])('%j takes JSON', async (accept) => {
    await using service = await startService()
    for (const one of [MAKE, READ, { path: '/health' }]) {
      const { status, headers } = await tellV1(service, { ...one, headers: { accept } })
      expect([Math.floor(status / 100), headers['content-type']]).toEqual([2, 'application/json; charset=utf-8'])
    }
  })

  test.each([
    'application/xml',
    'text/xml',
    'text/html',
    'image/*',
    'application/json;q=0',
    '*/*;q=0',
    '*/*, application/json;q=0',
    'application/json;q=0, application/xml',
    'xml',
  ])('%s does not, whatever the Content-Type is: 406', async (accept) => {
    await using service = await startService()
    for (const type of ['application/json', 'application/xml', '']) {
      for (const one of [MAKE, READ, { path: '/health' }, { path: '/openapi.json' }]) {
        expect(await tellV1(service, { ...one, headers: { accept, 'content-type': type } })).toMatchObject({
          status: 406,
          headers: { 'content-type': 'application/problem+json' },
          body: { type: 'urn:problem-type:kpi:not_acceptable', status: 406 },
        })
      }
    }
  })
})

describe('what is wrong first is told', () => {
  const accept = { accept: 'text/html' }
  const body = '{'
  test.each<[what: string, asked: Asked, status: number]>([
    ['credentials', { path: '/nowhere', method: 'PATCH', headers: { ...accept, authorization: '' } }, 401],
    ['the path', { path: '/nowhere', method: 'PATCH', headers: accept }, 404],
    ['the method', { path: '/users', method: 'POST', headers: accept, body }, 405],
    ['the scope', { path: '/kpis', method: 'POST', headers: accept, body }, 403],
    [
      'what is accepted',
      { path: '/kpientries', method: 'POST', headers: { ...accept, 'content-type': 'a/b' }, body },
      406,
    ],
    ['what is sent', { path: '/kpientries', method: 'POST', headers: { 'content-type': 'a/b' }, body }, 415],
    ['the body', { path: '/kpientries?rows=x', method: 'POST', body }, 400],
  ])('%s, before all that follows', async (_, asked, status) => {
    await using service = await withKey(await startService(), { name: 'few', scopes: 'entries:write' })
    expect(await tellV1(service, asked)).toMatchObject({ status })
  })
})

const SECRET = 'kpi_key_3sNeP0NOYryteeHumr4QwsFCXflmU1c9f_2vVro6'

describe('a problem', () => {
  test('says of what kind it is, and where', async () => {
    await using service = await startService()
    const { headers, body } = await tellV1(service, { path: '/KPIs/7/?x=1' })
    expect(headers['content-type']).toBe('application/problem+json')
    expect(body).toEqual({
      type: 'urn:problem-type:kpi:not_found',
      title: 'Nothing is there',
      status: 404,
      detail: expect.any(String) as string,
      instance: '/v1/KPIs/7/',
    })
  })

  test.each([
    [`/kpis/${SECRET}`, '/v1/kpis/%E2%80%A6'],
    [`/${SECRET}/1`, '/v1/%E2%80%A6/1'],
    [`/kpis?key=${SECRET}`, '/v1/kpis'],
    ['/"<script>', '/v1/%E2%80%A6'],
    ['/%ff', '/v1/%E2%80%A6'],
    ['/\u{1f4c8}', '/v1/%E2%80%A6'],
  ])('gives no secret back that stands in the path: %s', async (path, instance) => {
    await using service = await startService()
    for (const asked of [{ path }, { path, method: 'PATCH' }, { path, headers: { authorization: '' } }]) {
      const { status, body } = await tellV1(service, asked)
      if (status < 400) continue
      expect(body).toMatchObject({ instance, status })
      expect(JSON.stringify(body)).not.toContain('3sNeP0')
    }
  })

  test('of fields names all of them, where they are and what is wrong', async () => {
    await using service = await startService()
    const body = { ...KPI, name: '', frequency_id: 'X', sort_order: '1', is_active: 'true', target_default: '5' }
    expect(await tellV1(service, { method: 'POST', path: '/kpis', body })).toMatchObject({
      status: 422,
      body: {
        type: 'urn:problem-type:kpi:invalid',
        title: 'Fields are not valid',
        status: 422,
        detail: '7 fields are not valid',
        instance: '/v1/kpis',
      },
    })
    const { errors } = (await tellV1(service, { method: 'POST', path: '/kpis', body })).body as {
      readonly errors: readonly { readonly pointer: string; readonly field: string; readonly detail: string }[]
    }
    expect(errors.map(({ pointer }) => pointer).sort()).toEqual([
      '/aggregate_function',
      '/category_id',
      '/frequency_id',
      '/is_active',
      '/name',
      '/sort_order',
      '/target_default',
    ])
    for (const one of errors) {
      expect(one).toEqual({ pointer: `/${one.field}`, field: one.field, detail: expect.any(String) as string })
    }
  })

  test('of a batch points into it: at a field, at an entry that is none, at a flag, at the list', async () => {
    await using service = await startService()
    await assignFirst(service)
    const good = { user_id: 2, kpi_id: 1, entry_date: '2026-11-20', actual: 1 }
    const pointers = async (body: unknown): Promise<unknown[]> => {
      const told = await tellV1(service, { method: 'POST', path: '/kpientries/list', body })
      expect(told.status).toBe(422)
      const { errors } = told.body as { readonly errors: readonly { pointer: string; field: string }[] }
      return errors.map(({ pointer, field }) => `${pointer} ${field}`)
    }
    const entries = [{ ...good, kpi_id: 99 }, good, { ...good, actual: 'x', entry_date: '2026-02-30' }, 7]
    expect(await pointers({ entries, hasActuals: 'yes' })).toEqual([
      '/hasActuals hasActuals',
      '/entries/0/kpi_id kpi_id',
      '/entries/2/entry_date entry_date',
      '/entries/2/actual actual',
      '/entries/3 entries',
    ])
    expect(await pointers({ entries: [] })).toEqual(['/entries entries'])
    expect(await pointers({})).toEqual(['/entries entries'])
    expect((await tellV1(service, { path: '/kpientries?dateFrom=2026-01-01' })).body).toEqual([])
  })

  test.each<[what: string, asked: Asked]>([
    ['a query value', { path: '/kpientries?rows=x' }],
    ['a date of the query', { path: '/reports/AllDataEntries?dateFrom=2026-02-30' }],
    ['a list for a body', { method: 'POST', path: '/kpis', body: [] }],
    ['a text for a body', { method: 'POST', path: '/kpis', body: '"x"' }],
    ['null', { method: 'PUT', path: '/kpicategories/1', body: 'null' }],
    ['half a body', { method: 'POST', path: '/kpis', body: '{"name":' }],
    ['no body', { method: 'POST', path: '/kpis' }],
    ['a list for a batch', { method: 'POST', path: '/kpientries/list', body: [{}] }],
    ['a key of an Idempotency-Key that is too long', { ...MAKE, headers: { 'idempotency-key': 'x'.repeat(256) } }],
  ])('of %s that cannot be read is 400, and names no fields', async (_, asked) => {
    await using service = await startService()
    const { status, body } = await tellV1(service, asked)
    expect([status, body as object]).toEqual([
      400,
      {
        type: 'urn:problem-type:kpi:malformed',
        title: 'The request cannot be read',
        status: 400,
        detail: expect.any(String) as string,
        instance: `/v1${asked.path.split('?')[0]}`,
      },
    ])
  })

  test('of what is in use or taken is 409, and names the field where there is one', async () => {
    await using service = await startService()
    await assignFirst(service)
    const good = { user_id: 2, kpi_id: 1, entry_date: '2026-11-20', actual: 1 }
    await post(service, '/kpientries', good)
    await post(service, '/kpientries', { ...good, entry_date: '2026-11-19' })
    const taken = await tellV1(service, { method: 'PUT', path: '/kpientries/2', body: { entry_date: '2026-11-20' } })
    expect(taken).toMatchObject({ status: 409, body: { type: 'urn:problem-type:kpi:conflict', status: 409 } })
    const used = await tellV1(service, { method: 'DELETE', path: '/kpicategories/1' })
    expect(used).toMatchObject({ status: 409, body: { status: 409, instance: '/v1/kpicategories/1' } })
  })

  test('of a KPI that a formula uses is 409, and names what cannot be changed', async () => {
    await using service = await startService()
    await assignFirst(service)
    const account = await service.db.read((tx) => accounts.findByName(tx, 'default'))
    if (!account) throw new Error('there is one')
    const made = {
      ...KPI,
      category_id: 1,
      aggregate_function: 'SUM',
      name: 'Half',
      formula: '[1] / 2',
      over: 'results',
    }
    const draft = asDraft(calculatedKpi, { ...made, target_from: 'default' })
    await calculated.add({ db: service.db, account, now: 0 }, draft)
    const idle = await tellV1(service, { method: 'PUT', path: '/kpis/1', body: { is_active: false } })
    expect(idle).toMatchObject({ status: 409, body: { errors: [{ pointer: '/is_active', field: 'is_active' }] } })
    const change = await tellV1(service, { method: 'PUT', path: '/kpis/2', body: { name: 'Third' } })
    expect([change.status, change.headers['retry-after']]).toEqual([403, undefined])
    expect(change.body).toMatchObject({ type: 'urn:problem-type:kpi:forbidden', status: 403 })
  })

  test('of an address that is too long is 414', async () => {
    await using service = await startService()
    const told = await tellV1(service, { path: `/kpis?x=${'x'.repeat(9000)}` })
    expect(told).toMatchObject({ status: 414, body: { status: 414, instance: '/v1/kpis' } })
    const path = await tellV1(service, { path: `/kpis/${'x'.repeat(9000)}` })
    expect(path).toMatchObject({ status: 414, body: { instance: '/v1/kpis/%E2%80%A6' } })
  })

  test('that is unforeseen tells no more than a number to ask for', async () => {
    await using service = await startService()
    await service.db.write((tx) => tx.run('drop table entries'))
    const { status, headers, body } = await tellV1(service, { path: '/kpientries' })
    const id = headers['x-request-id'] ?? ''
    expect([status, headers['retry-after']]).toEqual([500, undefined])
    expect(body).toEqual({
      type: 'urn:problem-type:kpi:internal',
      title: 'Something unforeseen happened',
      status: 500,
      detail: `something unforeseen happened; it was logged as request ${id}`,
      instance: '/v1/kpientries',
    })
    expect(service.logged).toMatchObject([{ cause: { message: 'no such table: entries' } }])
  })
})

test('a key in the wrong place is not told again', async () => {
  await using service = await startService()
  const { status, body } = await askV1(service, { path: `/kpientries?userid=${service.key}` })
  expect(status).toBe(400)
  expect(body).toContain('kpi_…')
  expect(body).not.toContain(service.key)
})
