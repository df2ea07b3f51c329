import { beforeEach, describe, expect, test } from 'vitest'
import { assignFirst, KPI, otherAccount, post, put, read, tell, USER } from '../support/classic.ts'
import { type Service, startService } from '../support/service.ts'

const some = expect.stringMatching(/./) as string

/**
 * KPI 1 is assigned to user 2. Group 2, Region, has the items 3, North, which user 2 has, and 4, South; group 3, Team,
 * has none. KPI 2 is in category 2.
 */
const startWithGroups = async (): Promise<Service> => {
  const service = await startService()
  await assignFirst(service)
  for (const name of ['Region', 'Team']) await post(service, '/groups', { name })
  for (const name of ['North', 'South']) await post(service, '/groups/2/items', { name })
  await post(service, '/users/2/groupitems', { id: 3 })
  await post(service, '/kpicategories', { name: 'Web' })
  await post(service, '/kpicategories/2/kpis', { ...KPI, name: 'Visits' })
  return service
}

let service: Service
beforeEach(async () => {
  service = await startWithGroups()
  return () => service[Symbol.asyncDispose]()
})

/** Marks an item as archived, as only the newer variant can. */
const archive = (item: number): Promise<number> =>
  service.db.write((tx) => tx.run('update items set is_archived = 1 where id = ?', [item]))

const entry = { user_id: 2, kpi_id: 1, entry_date: '2026-03-01', actual: 1 }

describe('what is not there', () => {
  const missing: readonly (readonly [path: string, message: string])[] = [
    ['/groups/1', 'there is no group 1'],
    ['/groups/99', 'there is no group 99'],
    ['/groups/x', 'there is nothing at /groups/x'],
    ['/groups/2/items/1', 'there is no group item 1 in group 2'],
    ['/groups/2/items/99', 'there is no group item 99 in group 2'],
    ['/groups/3/items/3', 'there is no group item 3 in group 3'],
    ['/groups/1/items/2', 'there is no group 1'],
    ['/groups/99/items/3', 'there is no group 99'],
    ['/groups/x/items/3', 'there is nothing at /groups/x/items/3'],
    ['/kpicategories/2/kpis/1', 'there is no KPI 1 in category 2'],
    ['/kpicategories/1/kpis/2', 'there is no KPI 2 in category 1'],
    ['/kpicategories/99/kpis/1', 'there is no category 99'],
  ]

  test.each(missing)('at %s is 404, whatever is asked of it', async (path, message) => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { status, body } = await tell(service, { method, path, body: { name: 'x' } })
      expect([method, status, body]).toEqual([method, 404, { message }])
    }
  })

  test.each([
    ['/groups/1/items', 'there is no group 1'],
    ['/groups/99/items', 'there is no group 99'],
    ['/users/99/groupitems', 'there is no user 99'],
    ['/kpicategories/99/kpis', 'there is no category 99'],
  ])('above %s is 404, for listing and adding', async (path, message) => {
    expect(await tell(service, { path })).toMatchObject({ status: 404, body: { message } })
    expect(await post(service, path, { id: 3, name: 'x' })).toMatchObject({ status: 404, body: { message } })
  })

  test.each([
    ['/users/2/groupitems/4', 'there is no group item 4 of user 2'],
    ['/users/2/groupitems/2', 'there is no group item 2 of user 2'],
    ['/users/1/groupitems/3', 'there is no group item 3 of user 1'],
    ['/users/99/groupitems/3', 'there is no user 99'],
  ])('at %s is 404', async (path, message) => {
    for (const method of ['GET', 'DELETE']) {
      expect(await tell(service, { method, path })).toMatchObject({ status: 404, body: { message } })
    }
  })

  test('is what another account has', async () => {
    const other = await otherAccount(service, 'acme')
    expect(await read(other, '/groups')).toEqual([])
    for (const path of ['/groups/2', '/groups/2/items', '/groups/2/items/3', '/users/2/groupitems']) {
      expect(await tell(other, { path })).toMatchObject({ status: 404 })
    }
    expect(await post(other, '/users/1/groupitems', { id: 3 })).toMatchObject({ status: 400 })
  })
})

describe('a body', () => {
  const long = (length: number): string => 'ä'.repeat(length)

  test.each<[path: string, body: object, fields: readonly string[]]>([
    ['/groups', {}, ['name']],
    ['/groups', { name: ' ' }, ['name']],
    ['/groups', { name: null }, ['name']],
    ['/groups', { name: 5 }, ['name']],
    ['/groups', { name: long(51) }, ['name']],
    ['/groups', { name: 'a\u0007b' }, ['name']],
    ['/groups', { name: long(51), sort_order: 32768 }, ['name', 'sort_order']],
    ['/groups', { sort_order: 1.5 }, ['name', 'sort_order']],
    ['/groups/2/items', {}, ['name']],
    ['/groups/2/items', { name: long(101) }, ['name']],
    ['/groups/2/items', { name: '', sort_order: 'x' }, ['name', 'sort_order']],
    ['/groups/2/items', { name: 'x', sort_order: -32769 }, ['sort_order']],
    ['/users/2/groupitems', {}, ['id']],
    ['/users/2/groupitems', { id: null }, ['id']],
    ['/users/2/groupitems', { id: 'North' }, ['id']],
    ['/users/2/groupitems', { id: 1.5 }, ['id']],
    ['/users/2/groupitems', { id: 99 }, ['id']],
    [
      '/kpicategories/2/kpis',
      {},
      ['icon_id', 'unit_id', 'frequency_id', 'name', 'value_direction', 'sort_order', 'is_active'],
    ],
    ['/kpicategories/2/kpis', { ...KPI, name: long(101), unit_id: 99 }, ['name', 'unit_id']],
  ])('posted to %s as %j is 400 and names every faulty field', async (path, body, fields) => {
    const before = await read(service, path)
    const { status, body: told } = await post(service, path, body)
    expect([status, told]).toEqual([400, { message: some, errors: fields.map((field) => ({ field, message: some })) }])
    expect(await read(service, path)).toEqual(before)
  })

  test.each<[path: string, body: object, fields: readonly string[]]>([
    ['/groups/2', { name: null }, ['name']],
    ['/groups/2', { name: long(51), sort_order: '1e3' }, ['name', 'sort_order']],
    ['/groups/2/items/3', { name: '  ' }, ['name']],
    ['/groups/2/items/3', { name: long(101), sort_order: 99999 }, ['name', 'sort_order']],
    ['/kpicategories/2/kpis/2', { name: null, icon_id: 999 }, ['name', 'icon_id']],
  ])('put to %s as %j is 400 and changes nothing', async (path, body, fields) => {
    const before = await read(service, path)
    const { status, body: told } = await put(service, path, body)
    expect([status, told]).toEqual([400, { message: some, errors: fields.map((field) => ({ field, message: some })) }])
    expect(await read(service, path)).toEqual(before)
  })

  test.each([
    ['/groups', long(50)],
    ['/groups/2/items', long(100)],
    ['/groups/2/items', "'); drop table items; --"],
    ['/groups', '<Group>&amp;</Group> ../..'],
  ])('posted to %s keeps a name as it is', async (path, name) => {
    const made = await post(service, path, { name: ` ${name} ` })
    expect(made).toMatchObject({ status: 201, body: { name } })
    expect(await read(service, path)).toContainEqual(made.body)
  })
})

describe('sort_order', () => {
  test('is one after the last of its group when it is not given, and at most what 16 bits hold', async () => {
    const add = async (path: string, body: object): Promise<unknown> => (await post(service, path, body)).body
    expect(await read(service, '/groups/2/items')).toMatchObject([{ sort_order: 1 }, { sort_order: 2 }])
    expect(await add('/groups/3/items', { name: 'A' })).toMatchObject({ sort_order: 1 })
    expect(await add('/groups/3/items', { name: 'B', sort_order: 32767 })).toMatchObject({ sort_order: 32767 })
    expect(await add('/groups/3/items', { name: 'C', sort_order: null })).toMatchObject({ sort_order: 32767 })
    expect(await add('/groups/2/items', { name: 'East' })).toMatchObject({ sort_order: 3 })
    expect(await add('/groups', { name: 'First', sort_order: -1 })).toMatchObject({ sort_order: -1 })
    expect(await add('/groups', { name: 'Last' })).toMatchObject({ sort_order: 3 })
    const names = (await read(service, '/groups')) as { name: string }[]
    expect(names.map(({ name }) => name)).toEqual(['First', 'Region', 'Team', 'Last'])
  })
})

describe('groups', () => {
  test('are none in a new account: the people are no group', async () => {
    const other = await otherAccount(service, 'fresh')
    expect(await read(other, '/groups')).toEqual([])
    expect(await post(other, '/groups', { name: 'People' })).toMatchObject({
      status: 201,
      body: { id: 2, sort_order: 1 },
    })
  })

  test('that have items, archived ones too, are kept', async () => {
    await archive(3)
    await tell(service, { method: 'DELETE', path: '/groups/2/items/4' })
    expect(await tell(service, { method: 'DELETE', path: '/groups/2' })).toMatchObject({
      status: 409,
      body: { message: 'group 2 (Region) has group items and cannot be deleted; delete those first' },
    })
    expect(await tell(service, { method: 'DELETE', path: '/groups/2/items/3' })).toMatchObject({ status: 200 })
    expect(await tell(service, { method: 'DELETE', path: '/groups/2' })).toMatchObject({ status: 200 })
    expect(await read(service, '/groups')).toMatchObject([{ id: 3 }])
  })
})

describe('group items', () => {
  test('that entries carry are kept, also once no user has them', async () => {
    const { body } = await post(service, '/kpientries', entry)
    await tell(service, { method: 'DELETE', path: '/users/2/groupitems/3' })
    expect(await tell(service, { method: 'DELETE', path: '/groups/2/items/3' })).toMatchObject({
      status: 409,
      body: {
        message:
          'group item 3 (North) is carried by entries and cannot be deleted; archive it instead, in the newer interface (kpi breakdown-items update 3 --archived true)',
      },
    })
    await tell(service, { method: 'DELETE', path: `/kpientries/${(body as { id: number }).id}` })
    expect(await tell(service, { method: 'DELETE', path: '/groups/2/items/3' })).toMatchObject({ status: 200 })
  })

  test("that are deleted are nobody's any more, and their ids are not given again", async () => {
    await tell(service, { method: 'DELETE', path: '/groups/2/items/3' })
    expect(await read(service, '/users/2/groupitems')).toEqual([])
    await tell(service, { method: 'DELETE', path: '/groups/2/items/4' })
    expect(await post(service, '/groups/2/items', { name: 'New' })).toMatchObject({ body: { id: 5 } })
    expect(await post(service, '/users', { ...USER, email: 'bob@example.com' })).toMatchObject({ body: { id: 6 } })
  })

  test('that are archived are still listed', async () => {
    await archive(3)
    expect(await read(service, '/groups/2/items')).toMatchObject([{ id: 3 }, { id: 4 }])
  })
})

describe('the group items of a user', () => {
  const North = {
    id: 3,
    user_id: 2,
    group_id: 2,
    group_name: 'Region',
    name: 'North',
    created_at: '2026-11-21T12:00:00',
  }

  test('are shown with their groups, by id, and follow a rename', async () => {
    const made = await post(service, '/users/2/groupitems', { id: '4', user_id: 1, name: 'x' })
    const South = { ...North, id: 4, name: 'South' }
    expect(made).toMatchObject({ status: 201, headers: { location: '/api/users/2/groupitems/4' }, body: South })
    expect(await read(service, '/users/2/groupitems')).toEqual([North, South])
    expect(await read(service, '/users/2/groupitems/4')).toEqual(South)
    await put(service, '/groups/2', { name: 'Land' })
    await put(service, '/groups/2/items/3', { name: 'Nord' })
    expect(await read(service, '/users/2/groupitems/3')).toEqual({ ...North, group_name: 'Land', name: 'Nord' })
  })

  test('are never changed, only added and removed', async () => {
    expect(await put(service, '/users/2/groupitems/3', { id: 4 })).toMatchObject({
      status: 405,
      headers: { allow: 'GET, DELETE, HEAD, OPTIONS' },
    })
    expect(await tell(service, { method: 'DELETE', path: '/USERS/2/GroupItems/3' })).toMatchObject({
      status: 200,
      body: undefined,
    })
    expect(await read(service, '/users/2/groupitems')).toEqual([])
    expect(await read(service, '/groups/2/items')).toHaveLength(2)
  })

  test('are each held once', async () => {
    const { status, body } = await post(service, '/users/2/groupitems', { id: 3 })
    const message = 'user 2 has group item 3 (North) already'
    expect([status, body]).toEqual([409, { message: `id: ${message}`, errors: [{ field: 'id', message }] }])
  })

  test('are held once, also when two ask at once', async () => {
    const answers = await Promise.all([1, 2].map(() => post(service, '/users/2/groupitems', { id: 4 })))
    expect(answers.map(({ status }) => status).sort((left, right) => left - right)).toEqual([201, 409])
    expect(await read(service, '/users/2/groupitems')).toHaveLength(2)
  })

  test.each([
    ['a person, who is no group item', 1, 'there is no group item 1'],
    ['the user', 2, 'there is no group item 2'],
    ['what is not there', 99, 'there is no group item 99'],
    ['one that is archived', 4, 'group item 4 (South) is archived'],
  ])('cannot be %s', async (_, id, message) => {
    await archive(4)
    expect(await post(service, '/users/2/groupitems', { id })).toMatchObject({
      status: 400,
      body: { message: `id: ${message}`, errors: [{ field: 'id', message }] },
    })
  })

  test('stay when they are archived, and go with the user', async () => {
    await archive(3)
    expect(await read(service, '/users/2/groupitems')).toEqual([North])
    expect(await tell(service, { method: 'DELETE', path: '/users/2' })).toMatchObject({ status: 200 })
    expect(await tell(service, { path: '/users/2/groupitems' })).toMatchObject({ status: 404 })
    expect(await tell(service, { method: 'DELETE', path: '/groups/2/items/3' })).toMatchObject({ status: 200 })
  })
})

describe('the KPIs of a category', () => {
  test('are those in it, by sort_order then id', async () => {
    await post(service, '/kpicategories/2/kpis', { ...KPI, name: 'Before', sort_order: 0 })
    expect(await read(service, '/kpicategories/2/kpis')).toMatchObject([{ name: 'Before' }, { name: 'Visits' }])
    expect(await read(service, '/kpicategories/1/kpis')).toMatchObject([{ name: 'Sales' }])
  })

  test.each([1, 99, null, 'x', {}])('stay in it, whatever a body says of category_id, %j too', async (category_id) => {
    const made = await post(service, '/kpicategories/2/kpis', { ...KPI, category_id })
    expect(made).toMatchObject({ status: 201, body: { id: 3, category_id: 2 } })
    expect(made.headers).toMatchObject({ location: '/api/kpicategories/2/kpis/3' })
    expect(await put(service, '/kpicategories/2/kpis/3', { category_id, name: 'New' })).toMatchObject({
      status: 200,
      body: { category_id: 2, name: 'New' },
    })
    expect(await read(service, '/kpis/3')).toMatchObject({ category_id: 2, name: 'New' })
  })

  test('go with what they leave behind, as KPIs do', async () => {
    await post(service, '/kpientries', entry)
    expect(await tell(service, { method: 'DELETE', path: '/kpicategories/1/kpis/1' })).toMatchObject({ status: 200 })
    expect(await tell(service, { path: '/kpis/1' })).toMatchObject({ status: 404 })
    expect(await read(service, '/users/2/kpis')).toEqual([])
  })

  test('that are calculated are not changed here either', async () => {
    await service.db.write((tx) => tx.run('update kpis set is_calculated = 1 where id = 2'))
    for (const method of ['PUT', 'DELETE']) {
      const told = await tell(service, { method, path: '/kpicategories/2/kpis/2', body: { name: 'x' } })
      expect(told).toMatchObject({ status: 403 })
      expect(told.headers).not.toHaveProperty('retry-after')
    }
  })
})

describe('methods', () => {
  test.each([
    ['PUT', '/groups', 'GET, POST, HEAD, OPTIONS'],
    ['POST', '/groups/2', 'GET, PUT, DELETE, HEAD, OPTIONS'],
    ['DELETE', '/groups/2/items', 'GET, POST, HEAD, OPTIONS'],
    ['POST', '/groups/2/items/3', 'GET, PUT, DELETE, HEAD, OPTIONS'],
    ['PUT', '/users/2/groupitems', 'GET, POST, HEAD, OPTIONS'],
    ['PATCH', '/users/2/groupitems/3', 'GET, DELETE, HEAD, OPTIONS'],
    ['DELETE', '/kpicategories/2/kpis', 'GET, POST, HEAD, OPTIONS'],
    ['POST', '/kpicategories/2/kpis/2', 'GET, PUT, DELETE, HEAD, OPTIONS'],
  ])('%s of %s is 405 and says what there is', async (method, path, allow) => {
    expect(await tell(service, { method, path, body: {} })).toMatchObject({ status: 405, headers: { allow } })
    expect(await tell(service, { method: 'OPTIONS', path })).toMatchObject({ status: 204, headers: { allow } })
  })
})
