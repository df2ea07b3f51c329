import { beforeEach, describe, expect, test } from 'vitest'
import { post, put, read, tell } from '../support/classic.ts'
import { databases } from '../support/databases.ts'
import type { Service } from '../support/service.ts'
import { ANN, BOB, LOU, NORTH, otherAccountV1, pointersOf, SOUTH, startRegions, v1 } from '../support/v1.ts'

const STAMP = '2026-11-21T12:00:00'
const ITEMS = '/breakdownitems'

const idsOf = (body: unknown): number[] => (body as { id: number }[]).map(({ id }) => id)

describe.each(databases)('breakdown items, on %s', (_, makeDatabase) => {
  let service: Service
  beforeEach(async () => {
    service = await startRegions(makeDatabase)
    return () => service[Symbol.asyncDispose]()
  })

  const entry = { user_id: ANN, kpi_id: 1, entry_date: '2026-03-01', actual: 1 }

  test('made in the newer variant are group items in the classic one', async () => {
    const made = await v1.post(service, ITEMS, { breakdown_id: 2, name: ' West ', id: 99, user_id: ANN })
    const whole = { id: 7, breakdown_id: 2, name: 'West', user_id: null, is_archived: false, sort_order: 3 }
    expect(made).toMatchObject({ status: 201, headers: { location: '/v1/breakdownitems/7' } })
    expect(made.body).toEqual({ ...whole, created_at: STAMP, updated_at: STAMP })
    expect(await v1.read(service, `${ITEMS}/7`)).toEqual(made.body)
    const item = { id: 7, group_id: 2, name: 'West', sort_order: 3, created_at: STAMP, updated_at: STAMP }
    expect(await read(service, '/groups/2/items/7')).toEqual(item)
    await v1.put(service, `${ITEMS}/7`, { name: 'Far West', sort_order: 9 })
    expect(await read(service, '/groups/2/items/7')).toEqual({
      ...item,
      name: 'Far West',
      sort_order: 9,
      updated_at: expect.not.stringContaining(STAMP) as string,
    })
    expect(await post(service, `/users/${BOB}/groupitems`, { id: 7 })).toMatchObject({ status: 201 })
    expect(await tell(service, { method: 'DELETE', path: '/groups/2/items/7' })).toMatchObject({ status: 200 })
    expect(await v1.tell(service, { path: `${ITEMS}/7` })).toMatchObject({ status: 404 })
  })

  test('made in the classic one are breakdown items in the newer', async () => {
    await post(service, '/groups/2/items', { name: 'East', sort_order: 4 })
    expect(await v1.read(service, `${ITEMS}/7`)).toMatchObject({ breakdown_id: 2, name: 'East', is_archived: false })
    await v1.put(service, `${ITEMS}/7`, { is_archived: true })
    await put(service, '/groups/2/items/7', { name: 'Far East' })
    expect(await v1.read(service, `${ITEMS}/7`)).toMatchObject({ name: 'Far East', is_archived: true, sort_order: 4 })
    expect(await v1.remove(service, `${ITEMS}/7`)).toMatchObject({ status: 200, body: undefined })
    expect(await tell(service, { path: '/groups/2/items/7' })).toMatchObject({ status: 404 })
  })

  test.each([
    ['', [1, ANN, BOB, LOU, NORTH, SOUTH]],
    ['?breakdown_id=2', [NORTH, SOUTH]],
    ['?breakdown_id=1', [1, ANN, BOB, LOU]],
    ['?breakdown_id=1&archived=true', [LOU]],
    ['?Breakdown_Id=2&ARCHIVED=False', [NORTH, SOUTH]],
    ['?breakdown_id=2&archived=true', []],
    ['?archived=true', [LOU]],
    ['?breakdown_id=99', []],
    ['?breakdown_id=&archived=&unknown=x', [1, ANN, BOB, LOU, NORTH, SOUTH]],
  ])('are listed by sort_order and id, for "%s" these', async (query, ids) => {
    expect(idsOf(await v1.read(service, `${ITEMS}${query}`))).toEqual(ids)
    await v1.put(service, `${ITEMS}/${NORTH}`, { sort_order: 3 })
    const [last, before] = ids.toReversed()
    const moved = last === SOUTH && before === NORTH ? [...ids.slice(0, -2), SOUTH, NORTH] : ids
    expect(idsOf(await v1.read(service, `${ITEMS}${query}`))).toEqual(moved)
  })

  test.each(['?breakdown_id=x', '?breakdown_id=1.5', '?archived=maybe', '?archived=1'])(
    'are not listed for "%s", which is 400',
    async (query) => {
      expect(await v1.tell(service, { path: `${ITEMS}${query}` })).toMatchObject({ status: 400 })
    },
  )

  test('that are archived are listed by the classic interface, not linkable, and not copied onto new entries', async () => {
    const rows = (): Promise<unknown> =>
      read(service, `/reports/AllDataEntries?dateFrom=2026-03-01&dateTo=2026-03-31&groupItemIds=${NORTH}`)
    expect(await v1.put(service, `${ITEMS}/${NORTH}`, { is_archived: true })).toMatchObject({
      status: 200,
      body: { id: NORTH, is_archived: true },
    })
    expect(idsOf(await read(service, '/groups/2/items'))).toEqual([NORTH, SOUTH])
    const link = await post(service, `/users/${BOB}/groupitems`, { id: NORTH })
    expect(link).toMatchObject({ status: 400, body: { errors: [{ field: 'id' }] } })
    await v1.post(service, '/kpientries', entry)
    expect(await rows()).toEqual([])
    await v1.put(service, `${ITEMS}/${NORTH}`, { is_archived: false })
    await v1.post(service, '/kpientries', { ...entry, entry_date: '2026-03-02' })
    expect(await rows()).toMatchObject([{ entryDate: '2026-03-02', itemId: NORTH }])
  })

  test('move to another breakdown that there is, with all that carries them', async () => {
    await post(service, '/groups', { name: 'Team' })
    await v1.post(service, '/kpientries', entry)
    expect(await v1.put(service, `${ITEMS}/${NORTH}`, { breakdown_id: 3 })).toMatchObject({
      status: 200,
      body: { breakdown_id: 3 },
    })
    expect(idsOf(await read(service, '/groups/3/items'))).toEqual([NORTH])
    expect(idsOf(await read(service, '/groups/2/items'))).toEqual([SOUTH])
    expect(await read(service, `/users/${ANN}/groupitems/${NORTH}`)).toMatchObject({ group_id: 3, group_name: 'Team' })
  })

  test('that are sent back as they were shown stay as they are', async () => {
    const before = await v1.read(service, `${ITEMS}/${NORTH}`)
    expect(await v1.put(service, `${ITEMS}/${NORTH}`, before)).toMatchObject({ status: 200, body: before })
  })

  test.each([
    ['POST', '', {}, ['/breakdown_id', '/name']],
    ['POST', '', { breakdown_id: null, name: '' }, ['/breakdown_id', '/name']],
    ['POST', '', { breakdown_id: '2', name: 'x' }, ['/breakdown_id']],
    [
      'POST',
      '',
      { breakdown_id: 99, name: 'x'.repeat(101), is_archived: 'true', sort_order: 40_000 },
      ['/name', '/is_archived', '/sort_order', '/breakdown_id'],
    ],
    ['PUT', `/${NORTH}`, { breakdown_id: 99, name: ' ', is_archived: 1 }, ['/name', '/is_archived', '/breakdown_id']],
    ['PUT', `/${NORTH}`, { breakdown_id: null }, ['/breakdown_id']],
  ])('are refused by %s%s of %j, all faults at once', async (method, path, body, pointers) => {
    const before = await v1.read(service, ITEMS)
    const refused = await v1.tell(service, { method, path: `${ITEMS}${path}`, body })
    expect([refused.status, pointersOf(refused)]).toEqual([422, pointers])
    expect(await v1.read(service, ITEMS)).toEqual(before)
  })

  test.each([
    ['POST', '', { breakdown_id: 1, name: 'Eve' }],
    ['POST', '', { breakdown_id: 1, sort_order: 'x' }],
    ['PUT', `/${ANN}`, {}],
    ['PUT', `/${ANN}`, { name: 'Eve' }],
    ['PUT', `/${ANN}`, { is_archived: true }],
    ['PUT', `/${ANN}`, { breakdown_id: 2 }],
    ['PUT', `/${ANN}`, { name: '', sort_order: 'x' }],
    ['PUT', `/${NORTH}`, { breakdown_id: 1 }],
    ['DELETE', `/${ANN}`, undefined],
    ['DELETE', `/${LOU}`, undefined],
  ])('of people refuse %s%s of %j, and say where people are changed', async (method, path, body) => {
    const before = await v1.read(service, ITEMS)
    const refused = await v1.tell(service, { method, path: `${ITEMS}${path}`, body })
    expect(refused).toMatchObject({
      status: 403,
      body: { status: 403, detail: expect.stringContaining('people are changed in the application') as string },
    })
    expect(refused.headers).not.toHaveProperty('retry-after')
    expect(await v1.read(service, ITEMS)).toEqual(before)
  })

  test('of people follow their users: name, lock and end', async () => {
    const person = { id: BOB, breakdown_id: 1, name: 'Bob Lee', user_id: BOB, is_archived: false }
    expect(await v1.read(service, `${ITEMS}/${BOB}`)).toMatchObject(person)
    await put(service, `/users/${BOB}`, { last_name: null, user_status_id: 'L' })
    expect(await v1.read(service, `${ITEMS}/${BOB}`)).toMatchObject({ ...person, name: 'Bob', is_archived: true })
    await tell(service, { method: 'DELETE', path: `/users/${BOB}` })
    expect(await v1.tell(service, { path: `${ITEMS}/${BOB}` })).toMatchObject({ status: 404 })
  })

  test.each([
    ['has entries of its own', { source_id: SOUTH, kpi_id: 1, entry_date: '2026-03-01', actual: 1 }, SOUTH],
    ['is carried by entries', entry, NORTH],
  ])('that %s is archived, not deleted', async (_why, sent, id) => {
    await v1.post(service, '/kpientries', sent)
    const refused = await v1.remove(service, `${ITEMS}/${id}`)
    expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining('archive it') as string } })
    expect(await tell(service, { method: 'DELETE', path: `/groups/2/items/${id}` })).toMatchObject({ status: 409 })
    expect(await v1.put(service, `${ITEMS}/${id}`, { is_archived: true })).toMatchObject({ status: 200 })
    await v1.remove(service, '/kpientries/1')
    expect(await v1.remove(service, `${ITEMS}/${id}`)).toMatchObject({ status: 200 })
  })

  test('that no entry knows are deleted with their links to users', async () => {
    expect(await v1.remove(service, `${ITEMS}/${NORTH}`)).toMatchObject({ status: 200, body: undefined })
    expect(await read(service, `/users/${ANN}/groupitems`)).toEqual([])
    expect(idsOf(await read(service, '/groups/2/items'))).toEqual([SOUTH])
  })

  test('of another account are not there', async () => {
    const other = await otherAccountV1(service, 'acme')
    expect(idsOf(await v1.read(other, ITEMS))).toEqual([1])
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect(await v1.tell(other, { method, path: `${ITEMS}/${NORTH}`, body: {} })).toMatchObject({ status: 404 })
    }
    const refused = await v1.post(other, ITEMS, { breakdown_id: 2, name: 'West' })
    expect([refused.status, pointersOf(refused)]).toEqual([422, ['/breakdown_id']])
  })
})
