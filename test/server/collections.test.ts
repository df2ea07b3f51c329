import { describe, expect, test } from 'vitest'
import { assignFirst, KPI, otherAccount, post, put, read, tell, USER } from '../support/classic.ts'
import { type Service, startService } from '../support/service.ts'

const UNIT = { name: 'Pieces', entry_format: '#', display_format: '# pcs', is_percentage: false }
const STAMP = '2026-11-21T12:00:00'
const LONG_AGO = '2020-01-01T00:00:00'

/** Lets everything seem to have been made long ago, so that a change shows in `updated_at`. */
const age = (service: Service): Promise<void> =>
  service.db.write(async (tx) => {
    for (const table of ['kpis', 'users', 'categories', 'units', 'assignments', 'entries', 'breakdowns', 'items']) {
      await tx.run(`update ${table} set updated_at = 1577836800`)
    }
  })

/** A service with KPI 1 that is assigned to user 2, and the empty group 2. */
const start = async (): Promise<Service> => {
  const service = await startService()
  await assignFirst(service)
  await post(service, '/groups', { name: 'Region' })
  return service
}

/** Every resource that can be made: where, from what, and what is then shown of it. */
const RESOURCES: readonly (readonly [path: string, id: number, body: object, shown: object])[] = [
  [
    '/kpis',
    2,
    { ...KPI, target_default: 1.5 },
    {
      ...KPI,
      category_id: 1,
      description: null,
      target_default: 1.5,
      aggregate_function: 'SUM',
      is_calculated: false,
    },
  ],
  [
    '/users',
    3,
    { ...USER, email: 'bob@example.com', password: 'secret' },
    {
      ...USER,
      email: 'bob@example.com',
      last_name: null,
      password: null,
      can_manage_users: false,
      can_admin_settings: false,
      last_login_at: null,
      last_password_changed_at: null,
    },
  ],
  ['/kpicategories', 2, { name: 'Finance' }, { name: 'Finance', sort_order: 2 }],
  ['/kpiunits', 5, UNIT, UNIT],
  [
    '/kpicategories/1/kpis',
    2,
    { ...KPI, category_id: 99 },
    {
      ...KPI,
      category_id: 1,
      description: null,
      target_default: null,
      aggregate_function: 'SUM',
      is_calculated: false,
    },
  ],
  ['/groups', 3, { name: 'Team' }, { name: 'Team', sort_order: 2 }],
  ['/groups/2/items', 3, { name: 'North', group_id: 99 }, { group_id: 2, name: 'North', sort_order: 1 }],
  ['/users/1/kpis', 1, { id: 1, sort_order: 3 }, { user_id: 1, user_target: null, sort_order: 3 }],
]

describe.each(RESOURCES)('%s', (path, id, body, shown) => {
  const one = `${path}/${id}`
  const whole = { id, ...shown, created_at: STAMP, updated_at: STAMP }

  test('makes, shows, lists and deletes', async () => {
    await using service = await start()
    const made = await post(service, path, body)
    expect(made).toMatchObject({ status: 201, headers: { location: `/api${one}` }, body: whole })
    expect(Object.keys(made.body as object).sort()).toEqual(Object.keys(whole).sort())
    expect(await read(service, one)).toEqual(whole)
    expect(await read(service, path)).toContainEqual(whole)
    const removed = await tell(service, { method: 'DELETE', path: one })
    expect([removed.status, removed.body]).toEqual([200, undefined])
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect(await tell(service, { method, path: one, body: {} })).toMatchObject({ status: 404 })
    }
    expect(await read(service, path)).not.toContainEqual(whole)
  })

  test('takes back what it has shown, and nothing changes', async () => {
    await using service = await start()
    await post(service, path, body)
    await age(service)
    const before = await read(service, one)
    expect(before).toEqual({ ...whole, updated_at: LONG_AGO })
    expect(await put(service, one, before)).toMatchObject({ status: 200, body: before })
    expect(await put(service, one, {})).toMatchObject({ status: 200, body: before })
    expect(await put(service, one, '{"unknown":1,"__proto__":{"name":"x"}}')).toMatchObject({
      status: 200,
      body: before,
    })
    expect(await read(service, one)).toEqual(before)
  })

  test('keeps what a change does not name, and what is read only', async () => {
    await using service = await start()
    await post(service, path, body)
    await age(service)
    const field = 'sort_order' in shown ? { sort_order: 77 } : path === '/users' ? { last_name: 'B' } : { name: 'New' }
    const sent = {
      ...field,
      id: 99,
      user_id: 98,
      group_id: 97,
      is_calculated: true,
      created_at: LONG_AGO,
      updated_at: LONG_AGO,
    }
    const after = { ...whole, ...field }
    expect(await put(service, one, sent)).toMatchObject({ status: 200, body: after })
    expect(await read(service, one)).toEqual(after)
  })

  test.each([
    ['a list', [body]],
    ['a text', '"x"'],
    ['a number', '12345678901234567890'],
    ['null', 'null'],
  ])('refuses %s as a body', async (_, wrong) => {
    await using service = await start()
    await post(service, path, body)
    expect(await post(service, path, wrong)).toMatchObject({
      status: 400,
      body: { message: 'the body must be one JSON object' },
    })
    expect(await put(service, one, wrong)).toMatchObject({ status: 400 })
  })

  test('is another one in another account', async () => {
    await using service = await start()
    await post(service, path, body)
    const other = await otherAccount(service, 'acme')
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect(await tell(other, { method, path: one, body: {} })).toMatchObject({ status: 404 })
    }
    expect(await read(service, one)).toEqual(whole)
  })
})

describe('what is in the way', () => {
  const entry = { user_id: 2, kpi_id: 1, entry_date: '2026-01-01', actual: 1 }

  const some = expect.stringMatching(/./) as string

  test.each<[what: string, method: string, path: string, body: object, told: object]>([
    ['a category that a KPI uses', 'DELETE', '/kpicategories/1', {}, { message: some }],
    ['a unit that a KPI uses', 'DELETE', '/kpiunits/1', {}, { message: some }],
    ['a user who has entries', 'DELETE', '/users/2', {}, { message: some }],
    [
      'an e-mail address that is taken',
      'POST',
      '/users',
      { ...USER, email: 'ANN@example.com' },
      { message: some, errors: [{ field: 'email', message: some }] },
    ],
    [
      'the e-mail address of somebody else',
      'PUT',
      '/users/1',
      { email: 'Ann@Example.com' },
      { message: some, errors: [{ field: 'email', message: some }] },
    ],
    [
      'a KPI that is assigned already',
      'POST',
      '/users/2/kpis',
      { id: 1, sort_order: 1 },
      { message: some, errors: [{ field: 'id', message: some }] },
    ],
  ])('of %s is 409', async (_, method, path, body, told) => {
    await using service = await startService()
    await assignFirst(service)
    await post(service, '/kpientries', entry)
    const { status, body: answered } = await tell(service, { method, path, body })
    expect([status, answered]).toEqual([409, told])
    expect(await read(service, '/users')).toHaveLength(2)
  })

  test.each([
    ['lock each other', 'PUT', { user_status_id: 'L' }],
    ['delete each other', 'DELETE', {}],
  ])('keeps the last active user when two %s at once', async (_, method, body) => {
    await using service = await startService()
    await post(service, '/users', USER)
    const answers = await Promise.all([1, 2].map((id) => tell(service, { method, path: `/users/${id}`, body })))
    expect(answers.map(({ status }) => status).sort((left, right) => left - right)).toEqual([200, 409])
  })
})

describe('the target of a user', () => {
  test('is hidden while the KPI has none, and outlives a change that sends back what was shown', async () => {
    await using service = await startService()
    await assignFirst(service, { target_default: 10 })
    await put(service, '/users/2/kpis/1', { user_target: 20 })
    await put(service, '/kpis/1', { target_default: null })
    await age(service)
    const shown = await read(service, '/users/2/kpis/1')
    expect(shown).toMatchObject({ user_target: null, updated_at: LONG_AGO })
    expect(await put(service, '/users/2/kpis/1', shown)).toMatchObject({ status: 200, body: shown })
    await put(service, '/kpis/1', { target_default: 10 })
    expect(await read(service, '/users/2/kpis')).toMatchObject([{ user_target: 20 }])
  })

  test('is refused where the KPI has none, beside all other faults', async () => {
    await using service = await startService()
    await post(service, '/kpis', KPI)
    expect(await post(service, '/users/1/kpis', { id: 1, user_target: 5 })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'sort_order' }, { field: 'user_target' }] },
    })
  })
})
