import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import createClient from 'openapi-fetch'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listen } from '../../src/server/http/listener.ts'
import { basic, post, USER } from '../support/classic.ts'
import { type Service, startService } from '../support/service.ts'
import type { paths as ClassicPaths } from './classic-api.ts'
import { documents, headLine } from './documents.ts'
import type { paths as V1Paths } from './v1-api.ts'

test.each(Object.entries(documents))('the client %s is of the document as it is now', (name, document) => {
  const [line] = readFileSync(join(import.meta.dirname, `${name}.ts`), 'utf8').split('\n')
  expect(line, 'run npm run clients, and mend what no longer compiles').toBe(headLine(document))
})

type Outcome<T> = { readonly data?: T; readonly error?: unknown; readonly response: Response }

/** The body of an answer that was good. */
const bodyOf = async <T>(asked: Promise<Outcome<T>>): Promise<NonNullable<T>> => {
  const { data, error, response } = await asked
  if (data === undefined || data === null) throw new Error(`${response.status}: ${JSON.stringify(error)}`)
  return data
}

const statusOf = async (asked: Promise<Outcome<unknown>>): Promise<number> => (await asked).response.status

/** Serves a service for the time of a test. */
const startServer = async (): Promise<{ readonly service: Service; readonly url: string }> => {
  const service = await startService()
  const server = await listen(service.handler, '127.0.0.1', 0)
  onTestFinished(async () => {
    await server.close()
    await service[Symbol.asyncDispose]()
  })
  return { service, url: server.url }
}

const KPI = {
  category_id: 1,
  icon_id: 1,
  unit_id: 1,
  frequency_id: 'D',
  name: 'Visits',
  value_direction: 'U',
  aggregate_function: 'SUM',
  target_default: 100,
  sort_order: 1,
  is_active: true,
} as const
const UNIT = { name: 'Metre', entry_format: '#.0', display_format: '#.0 m', is_percentage: false }
const DAY = '2026-03-02'
const MARCH = { dateFrom: '2026-03-01', dateTo: '2026-03-31' }

describe('a client of the classic interface, generated from its document, creates, reads, updates and deletes', () => {
  const startClient = async () => {
    const { service, url } = await startServer()
    const headers = { authorization: basic(service.login, service.token) }
    return createClient<ClassicPaths>({ baseUrl: `${url}/api`, headers })
  }
  type ClassicClient = Awaited<ReturnType<typeof startClient>>

  const createUser = (client: ClassicClient) =>
    bodyOf(
      client.POST('/users', {
        body: { user_type: 'User', user_status_id: 'A', first_name: 'Ann', email: 'ann@example.com' },
      }),
    )

  test('users', async () => {
    const client = await startClient()
    const { id } = await createUser(client)
    const params = { path: { id } }
    const rights = await bodyOf(client.PUT('/users/{id}', { params, body: { can_manage_users: true } }))
    const renamed = await bodyOf(client.PUT('/users/{id}', { params, body: { last_name: 'Lee' } }))
    expect([rights.can_manage_users, renamed.can_manage_users, renamed.last_name]).toEqual([true, true, 'Lee'])
    expect(await bodyOf(client.GET('/users/{id}', { params }))).toEqual(renamed)
    expect(await bodyOf(client.GET('/users'))).toContainEqual(renamed)
    expect(await statusOf(client.DELETE('/users/{id}', { params }))).toBe(200)
    expect(await statusOf(client.GET('/users/{id}', { params }))).toBe(404)
  })

  test('categories, and their KPIs', async () => {
    const client = await startClient()
    const { id: category_id } = await bodyOf(client.POST('/kpicategories', { body: { name: 'Shops' } }))
    const above = { params: { path: { category_id } } }
    const { category_id: _ignored, ...body } = KPI
    const { id } = await bodyOf(client.POST('/kpicategories/{category_id}/kpis', { ...above, body }))
    const params = { path: { category_id, id } }
    const one = await bodyOf(
      client.PUT('/kpicategories/{category_id}/kpis/{id}', { params, body: { is_active: false } }),
    )
    expect(one).toMatchObject({ id, category_id, is_active: false, name: 'Visits' })
    expect(await bodyOf(client.GET('/kpicategories/{category_id}/kpis/{id}', { params }))).toEqual(one)
    expect(await bodyOf(client.GET('/kpicategories/{category_id}/kpis', above))).toEqual([one])
    expect(await statusOf(client.DELETE('/kpicategories/{category_id}/kpis/{id}', { params }))).toBe(200)
    const own = { params: { path: { id: category_id } } }
    await bodyOf(client.PUT('/kpicategories/{id}', { ...own, body: { name: 'Stores' } }))
    expect(await bodyOf(client.GET('/kpicategories/{id}', own))).toMatchObject({ name: 'Stores' })
    expect(await bodyOf(client.GET('/kpicategories'))).toHaveLength(2)
    expect(await statusOf(client.DELETE('/kpicategories/{id}', own))).toBe(200)
  })

  test('units, and reads icons and frequencies', async () => {
    const client = await startClient()
    const { id } = await bodyOf(client.POST('/kpiunits', { body: UNIT }))
    const params = { path: { id } }
    const one = await bodyOf(client.PUT('/kpiunits/{id}', { params, body: { name: 'Yard' } }))
    expect(one).toMatchObject({ ...UNIT, name: 'Yard' })
    expect(await bodyOf(client.GET('/kpiunits/{id}', { params }))).toEqual(one)
    expect(await bodyOf(client.GET('/kpiunits'))).toContainEqual(one)
    expect(await statusOf(client.DELETE('/kpiunits/{id}', { params }))).toBe(200)
    const [icon] = await bodyOf(client.GET('/kpiicons'))
    expect(await bodyOf(client.GET('/kpiicons/{id}', { params: { path: { id: icon?.id ?? 0 } } }))).toEqual(icon)
    expect(await bodyOf(client.GET('/kpifrequencies'))).toHaveLength(5)
    const daily = await bodyOf(client.GET('/kpifrequencies/{id}', { params: { path: { id: 'D' } } }))
    expect(daily.name).toBe('Daily')
  })

  test('groups, their items, and the items of a user', async () => {
    const client = await startClient()
    const { id: user_id } = await createUser(client)
    const { id: group_id } = await bodyOf(client.POST('/groups', { body: { name: 'Region' } }))
    const group = { params: { path: { id: group_id } } }
    await bodyOf(client.PUT('/groups/{id}', { ...group, body: { sort_order: 7 } }))
    expect(await bodyOf(client.GET('/groups/{id}', group))).toMatchObject({ name: 'Region', sort_order: 7 })
    const items = { params: { path: { group_id } } }
    const { id } = await bodyOf(client.POST('/groups/{group_id}/items', { ...items, body: { name: 'North' } }))
    const item = { params: { path: { group_id, id } } }
    const south = await bodyOf(client.PUT('/groups/{group_id}/items/{id}', { ...item, body: { name: 'South' } }))
    expect(await bodyOf(client.GET('/groups/{group_id}/items/{id}', item))).toEqual(south)
    expect(await bodyOf(client.GET('/groups/{group_id}/items', items))).toEqual([south])
    const links = { params: { path: { user_id } } }
    const link = await bodyOf(client.POST('/users/{user_id}/groupitems', { ...links, body: { id } }))
    expect(await bodyOf(client.GET('/users/{user_id}/groupitems', links))).toEqual([link])
    const params = { path: { user_id, id } }
    expect(await bodyOf(client.GET('/users/{user_id}/groupitems/{id}', { params }))).toEqual(link)
    expect(await statusOf(client.DELETE('/users/{user_id}/groupitems/{id}', { params }))).toBe(200)
    expect(await statusOf(client.DELETE('/groups/{group_id}/items/{id}', item))).toBe(200)
    expect(await statusOf(client.DELETE('/groups/{id}', group))).toBe(200)
    expect(await bodyOf(client.GET('/groups'))).toEqual([])
  })

  test('KPIs, assignments and entries, and reads the report', async () => {
    const client = await startClient()
    const { id: user_id } = await createUser(client)
    const { id } = await bodyOf(client.POST('/kpis', { body: KPI }))
    const kpi = { params: { path: { id } } }
    const named = await bodyOf(client.PUT('/kpis/{id}', { ...kpi, body: { name: 'Guests', target_default: null } }))
    expect(named).toMatchObject({ ...KPI, name: 'Guests', target_default: null })
    const one = await bodyOf(client.PUT('/kpis/{id}', { ...kpi, body: { target_default: 10.5 } }))
    expect(await bodyOf(client.GET('/kpis/{id}', kpi))).toEqual(one)
    expect(await bodyOf(client.GET('/kpis'))).toEqual([one])
    const assigned = { params: { path: { user_id } } }
    await bodyOf(client.POST('/users/{user_id}/kpis', { ...assigned, body: { id, sort_order: 1 } }))
    const link = { params: { path: { user_id, id } } }
    const target = await bodyOf(client.PUT('/users/{user_id}/kpis/{id}', { ...link, body: { user_target: 9 } }))
    expect(await bodyOf(client.GET('/users/{user_id}/kpis/{id}', link))).toEqual(target)
    expect(await bodyOf(client.GET('/users/{user_id}/kpis', assigned))).toEqual([target])
    const body = { user_id, kpi_id: id, entry_date: DAY, actual: 5 }
    const header = { 'Idempotency-Key': 'one' }
    const made = await bodyOf(client.POST('/kpientries', { params: { header }, body }))
    const entry = { params: { path: { id: made.id } } }
    const noted = await bodyOf(client.PUT('/kpientries/{id}', { ...entry, body: { notes: 'n' } }))
    expect(noted).toMatchObject({ ...body, notes: 'n' })
    const counts = await bodyOf(client.POST('/kpientries/list', { body: { entries: [{ ...body, actual: 6 }] } }))
    expect(counts).toMatchObject({ rows_added: 1, rows_updated: 1 })
    expect(await bodyOf(client.GET('/kpientries/{id}', entry))).toMatchObject({ actual: 6, notes: 'n' })
    expect(await bodyOf(client.GET('/kpientries', { params: { query: { ...MARCH, userid: user_id } } }))).toHaveLength(
      1,
    )
    const rows = await bodyOf(client.GET('/reports/AllDataEntries', { params: { query: { ...MARCH, kpiIds: [id] } } }))
    expect(rows).toMatchObject([{ kpiId: id, itemId: user_id, actual: 6, target: 9 }])
    expect(await statusOf(client.DELETE('/kpientries/{id}', entry))).toBe(200)
    expect(await statusOf(client.DELETE('/users/{user_id}/kpis/{id}', link))).toBe(200)
    expect(await statusOf(client.DELETE('/kpis/{id}', kpi))).toBe(200)
  })
})

describe('a client of the newer variant, generated from its document, creates, reads, updates and deletes', () => {
  /** A client, and the ids of a user and a breakdown, which the application makes. */
  const startClient = async () => {
    const { service, url } = await startServer()
    await post(service, '/users', USER)
    await post(service, '/groups', { name: 'Channel' })
    const headers = { authorization: `Bearer ${service.key}` }
    const client = createClient<V1Paths>({ baseUrl: `${url}/v1`, headers })
    const assign = (id: number) => post(service, '/users/2/kpis', { id, sort_order: 1 })
    return { client, assign, user_id: 2, breakdown_id: 2 }
  }

  test('categories and their KPIs, units, and reads users, icons and frequencies', async () => {
    const { client, user_id } = await startClient()
    const { id: category_id } = await bodyOf(client.POST('/kpicategories', { body: { name: 'Shops' } }))
    const above = { params: { path: { category_id } } }
    const { category_id: _ignored, ...body } = KPI
    const { id } = await bodyOf(client.POST('/kpicategories/{category_id}/kpis', { ...above, body }))
    const kpi = { params: { path: { category_id, id } } }
    await bodyOf(client.PUT('/kpicategories/{category_id}/kpis/{id}', { ...kpi, body: { name: 'Guests' } }))
    const shown = await bodyOf(client.GET('/kpicategories/{category_id}/kpis/{id}', kpi))
    expect(await bodyOf(client.GET('/kpicategories/{category_id}/kpis', above))).toEqual([shown])
    expect(await statusOf(client.DELETE('/kpicategories/{category_id}/kpis/{id}', kpi))).toBe(200)
    const own = { params: { path: { id: category_id } } }
    await bodyOf(client.PUT('/kpicategories/{id}', { ...own, body: { name: 'Stores' } }))
    expect(await bodyOf(client.GET('/kpicategories/{id}', own))).toMatchObject({ name: 'Stores' })
    expect(await statusOf(client.DELETE('/kpicategories/{id}', own))).toBe(200)
    const unit = { params: { path: { id: (await bodyOf(client.POST('/kpiunits', { body: UNIT }))).id } } }
    await bodyOf(client.PUT('/kpiunits/{id}', { ...unit, body: { name: 'Yard' } }))
    expect(await bodyOf(client.GET('/kpiunits/{id}', unit))).toMatchObject({ ...UNIT, name: 'Yard' })
    expect(await statusOf(client.DELETE('/kpiunits/{id}', unit))).toBe(200)
    const user = await bodyOf(client.GET('/users/{id}', { params: { path: { id: user_id } } }))
    expect(await bodyOf(client.GET('/users'))).toContainEqual(user)
    const icon = await bodyOf(client.GET('/kpiicons/{id}', { params: { path: { id: 1 } } }))
    expect(await bodyOf(client.GET('/kpiicons'))).toContainEqual(icon)
    const daily = await bodyOf(client.GET('/kpifrequencies/{id}', { params: { path: { id: 'D' } } }))
    expect(await bodyOf(client.GET('/kpifrequencies'))).toContainEqual(daily)
    const lists = [await bodyOf(client.GET('/kpicategories')), await bodyOf(client.GET('/kpiunits'))]
    expect(lists.map(({ length }) => length)).toEqual([1, 4])
  })

  test('breakdown items, which stay archived when something else of them is changed', async () => {
    const { client, breakdown_id } = await startClient()
    const { id } = await bodyOf(client.POST('/breakdownitems', { body: { breakdown_id, name: 'Web' } }))
    const params = { path: { id } }
    await bodyOf(client.PUT('/breakdownitems/{id}', { params, body: { is_archived: true } }))
    await bodyOf(client.PUT('/breakdownitems/{id}', { params, body: { name: 'Online' } }))
    const one = await bodyOf(client.GET('/breakdownitems/{id}', { params }))
    expect(one).toMatchObject({ name: 'Online', is_archived: true })
    const query = { breakdown_id, archived: true }
    expect(await bodyOf(client.GET('/breakdownitems', { params: { query } }))).toEqual([one])
    expect(await statusOf(client.DELETE('/breakdownitems/{id}', { params }))).toBe(200)
  })

  test('KPIs and entries, and reads the report and why it was refused', async () => {
    const { client, assign, user_id, breakdown_id } = await startClient()
    const { id } = await bodyOf(client.POST('/kpis', { body: KPI }))
    const kpi = { params: { path: { id } } }
    await assign(id)
    const one = await bodyOf(client.PUT('/kpis/{id}', { ...kpi, body: { description: 'd' } }))
    expect(await bodyOf(client.GET('/kpis/{id}', kpi))).toEqual(one)
    expect(await bodyOf(client.GET('/kpis'))).toEqual([one])
    const item = await bodyOf(client.POST('/breakdownitems', { body: { breakdown_id, name: 'Web' } }))
    const body = { source_id: item.id, kpi_id: id, entry_date: DAY, actual: 5 }
    const { id: entryId } = await bodyOf(client.POST('/kpientries', { body }))
    const entry = { params: { path: { id: entryId } } }
    await bodyOf(client.PUT('/kpientries/{id}', { ...entry, body: { actual: 1, addToActual: true } }))
    expect(await bodyOf(client.GET('/kpientries/{id}', entry))).toMatchObject({ ...body, actual: 6 })
    const entries = [{ user_id, kpi_id: id, entry_date: DAY, actual: 7 }]
    expect(await bodyOf(client.POST('/kpientries/list', { body: { entries } }))).toMatchObject({ rows_created: 1 })
    expect(await bodyOf(client.GET('/kpientries', { params: { query: MARCH } }))).toHaveLength(2)
    const rows = await bodyOf(client.GET('/reports/AllDataEntries', { params: { query: MARCH } }))
    expect(rows.map(({ itemId, actual }) => [itemId, actual])).toEqual([
      [user_id, 7],
      [item.id, 6],
    ])
    const { error } = await client.POST('/kpientries', { body: { ...body, kpi_id: 99 } })
    expect(error && 'errors' in error && error.errors).toMatchObject([{ pointer: '/kpi_id' }])
    expect(await statusOf(client.DELETE('/kpientries/{id}', entry))).toBe(200)
    expect(await statusOf(client.DELETE('/kpis/{id}', kpi))).toBe(200)
  })
})
