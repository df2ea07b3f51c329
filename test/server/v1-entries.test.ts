import { beforeEach, describe, expect, test } from 'vitest'
import { checkStore } from '../../src/service/check-store.ts'
import { KPI, post, put, read } from '../support/classic.ts'
import { databases } from '../support/databases.ts'
import type { Service } from '../support/service.ts'
import { ANN, BOB, LOU, NORTH, otherAccountV1, pointersOf, SOUTH, startRegions, v1 } from '../support/v1.ts'

const STAMP = '2026-11-21T12:00:00'
const ENTRIES = '/kpientries'
const DAYS = 'dateFrom=2026-03-01&dateTo=2026-03-31'
const KEY = { kpi_id: 1, entry_date: '2026-03-01' }

/** The key of each entry, as `user source day`. */
const keysOf = (body: unknown): string[] =>
  (body as { user_id: number | null; source_id?: number; entry_date: string }[]).map(
    ({ user_id, source_id, entry_date }) => `${user_id} ${source_id} ${Number(entry_date.slice(-2))}`,
  )

describe.each(databases)('an entry in the newer variant, on %s', (_, makeDatabase) => {
  let service: Service
  beforeEach(async () => {
    service = await startRegions(makeDatabase)
    return () => service[Symbol.asyncDispose]()
  })

  const archive = (id: number) => v1.put(service, `/breakdownitems/${id}`, { is_archived: true })
  const list = async (query = ''): Promise<string[]> => keysOf(await v1.read(service, `${ENTRIES}?${DAYS}${query}`))
  const ofGroup = (id: number): Promise<unknown> => read(service, `/reports/AllDataEntries?${DAYS}&groupItemIds=${id}`)

  test('of a breakdown item is made with 201 and Location, and updated with 200, also where nothing changes', async () => {
    const sent = { source_id: NORTH, ...KEY, actual: 5, target: 7 }
    const whole = { id: 1, user_id: null, source_id: NORTH, ...KEY, actual: 5, target: 7, notes: null }
    const made = await v1.post(service, ENTRIES, sent)
    expect(made).toMatchObject({ status: 201, headers: { location: '/v1/kpientries/1' } })
    expect(made.body).toEqual({ ...whole, created_at: STAMP, updated_at: STAMP })
    expect(await v1.read(service, `${ENTRIES}/1`)).toEqual(made.body)
    for (const actual of [6, 6]) {
      const updated = await v1.post(service, ENTRIES, { ...sent, actual })
      expect(updated).toMatchObject({ status: 200, body: { ...whole, actual } })
      expect(updated.headers).not.toHaveProperty('location')
    }
    expect(await v1.remove(service, `${ENTRIES}/1`)).toMatchObject({ status: 200, body: undefined })
    expect(await v1.tell(service, { path: `${ENTRIES}/1` })).toMatchObject({ status: 404 })
  })

  test.each([
    { user_id: ANN },
    { email: 'ANN@example.com' },
    { source_id: ANN },
    { user_id: ANN, email: 'ann@example.com', source_id: ANN },
    { user_id: null, email: '', source_id: ANN },
  ])('is the same one of a person who is named by %j, in both variants', async (names) => {
    expect(await v1.post(service, ENTRIES, { ...names, ...KEY, actual: 1 })).toMatchObject({
      status: 201,
      body: { id: 1, user_id: ANN, source_id: ANN },
    })
    const again = await post(service, ENTRIES, { user_id: ANN, ...KEY, actual: 2 })
    expect(again).toMatchObject({ status: 201, headers: { location: '/api/kpientries/1' }, body: { actual: 2 } })
    expect(await v1.post(service, ENTRIES, { ...names, ...KEY, actual: 2 })).toMatchObject({ status: 200 })
    expect(await ofGroup(NORTH)).toMatchObject([{ itemId: NORTH, actual: 2 }])
  })

  test.each<readonly [change: object, pointers: readonly string[]]>([
    [{ source_id: 99 }, ['/source_id']],
    [{ source_id: 99, user_id: 98, email: 'no@example.com' }, ['/user_id', '/email', '/source_id']],
    [{ source_id: NORTH, user_id: ANN }, ['/source_id']],
    [{ source_id: ANN, user_id: BOB, email: 'ann@example.com' }, ['/email', '/source_id']],
    [{ source_id: BOB }, ['/kpi_id']],
    [{ source_id: LOU }, ['/source_id', '/kpi_id']],
    [{ source_id: null, email: 'lou@example.com' }, ['/email', '/kpi_id']],
    [{ source_id: null, user_id: LOU }, ['/user_id', '/kpi_id']],
    [{ source_id: SOUTH }, ['/source_id']],
    [
      { source_id: SOUTH, kpi_id: 99, entry_date: '2026-02-30', actual: 'x' },
      ['/entry_date', '/actual', '/source_id', '/kpi_id'],
    ],
    [{ source_id: '5' }, ['/source_id']],
    [{ source_id: 5.5 }, ['/source_id']],
    [{ kpi_id: '1' }, ['/kpi_id']],
    [{ actual: '5' }, ['/actual']],
    [{ addToActual: 'true' }, ['/addToActual']],
    [{ actual: null }, ['/actual']],
    [{ kpi_id: 2 }, ['/kpi_id']],
  ])('is refused with %j by POST, PUT and batch alike, and nothing changes', async (change, pointers) => {
    await post(service, '/kpis', { ...KPI, name: 'Old', is_active: false })
    await v1.post(service, ENTRIES, { source_id: NORTH, ...KEY, entry_date: '2026-03-09', notes: 'n' })
    await v1.put(service, `${ENTRIES}/1`, { actual: 3, notes: null })
    await archive(SOUTH)
    const before = await list()
    const body = { source_id: NORTH, ...KEY, actual: 1, ...change }
    const good = { source_id: NORTH, ...KEY, actual: 1 }
    const posted = await v1.post(service, ENTRIES, body)
    expect([posted.status, pointersOf(posted)]).toEqual([422, pointers])
    const changed = await v1.put(service, `${ENTRIES}/1`, body)
    expect([changed.status, pointersOf(changed)]).toEqual([422, pointers])
    const batched = await v1.post(service, `${ENTRIES}/list`, { entries: [good, body] })
    expect([batched.status, pointersOf(batched)]).toEqual([422, pointers.map((one) => `/entries/1${one}`)])
    expect(await list()).toEqual(before)
  })

  test.each([
    [v1.post, 422, 'source_id'],
    [post, 400, 'email'],
  ] as const)('that names nobody is told how to name somebody', async (send, status, name) => {
    const nobody = { ...KEY, user_id: null, actual: 1 }
    const message = expect.stringMatching(new RegExp(`is required, or .*${name} instead$`)) as string
    const fault = status === 422 ? { pointer: '/user_id', detail: message } : { field: 'user_id', message }
    expect(await send(service, ENTRIES, nobody)).toMatchObject({ status, body: { errors: [fault] } })
  })

  test('of an archived item can be corrected where it is, and removed; new ones are refused', async () => {
    for (const entry_date of ['2026-03-01', '2026-03-02']) {
      await v1.post(service, ENTRIES, { source_id: SOUTH, ...KEY, entry_date, actual: 1 })
    }
    await archive(SOUTH)
    const shown = (await v1.read(service, `${ENTRIES}/1`)) as object
    for (const body of [{ actual: 2 }, { ...shown, actual: 3 }, { source_id: SOUTH, notes: 'late' }]) {
      expect(await v1.put(service, `${ENTRIES}/1`, body)).toMatchObject({ status: 200, body })
    }
    for (const body of [{ entry_date: '2026-03-05' }, { kpi_id: 1, entry_date: '2026-03-02' }]) {
      const refused = await v1.put(service, `${ENTRIES}/1`, body)
      expect([refused.status, pointersOf(refused)]).toEqual([422, ['/source_id']])
    }
    const refused = await v1.post(service, ENTRIES, { source_id: SOUTH, ...KEY, actual: 4 })
    expect([refused.status, pointersOf(refused)]).toEqual([422, ['/source_id']])
    expect(refused.body).toMatchObject({ errors: [{ detail: expect.stringContaining('is archived') as string }] })
    expect(await put(service, `${ENTRIES}/1`, { entry_date: '2026-03-05' })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'user_id' }] },
    })
    expect(await v1.remove(service, `${ENTRIES}/1`)).toMatchObject({ status: 200 })
    expect(await list()).toEqual([`null ${SOUTH} 2`])
  })

  test('moves between items and people, with the group items of whom it belongs to', async () => {
    await v1.post(service, ENTRIES, { user_id: ANN, ...KEY, actual: 1 })
    expect(await ofGroup(NORTH)).toHaveLength(1)
    expect(await v1.put(service, `${ENTRIES}/1`, { source_id: SOUTH })).toMatchObject({
      status: 200,
      body: { id: 1, user_id: null, source_id: SOUTH },
    })
    expect(await ofGroup(NORTH)).toEqual([])
    expect(await ofGroup(SOUTH)).toHaveLength(1)
    expect(await v1.put(service, `${ENTRIES}/1`, { email: 'ann@example.com' })).toMatchObject({
      status: 200,
      body: { id: 1, user_id: ANN, source_id: ANN },
    })
    expect(await ofGroup(NORTH)).toHaveLength(1)
    expect(await ofGroup(SOUTH)).toEqual([])
    await v1.post(service, ENTRIES, { source_id: NORTH, ...KEY, actual: 2 })
    expect(await v1.put(service, `${ENTRIES}/1`, { source_id: NORTH })).toMatchObject({ status: 409 })
  })

  test('of an item that is no person has no user in the classic interface, and keeps its item there', async () => {
    await v1.post(service, ENTRIES, { source_id: NORTH, ...KEY, actual: 1 })
    const shown = (await read(service, `${ENTRIES}/1`)) as object
    expect(shown).toEqual({
      id: 1,
      user_id: null,
      ...KEY,
      actual: 1,
      target: null,
      notes: null,
      created_at: STAMP,
      updated_at: STAMP,
    })
    expect(await put(service, `${ENTRIES}/1`, { ...shown, actual: 2, source_id: SOUTH })).toMatchObject({
      status: 200,
      body: { user_id: null, actual: 2 },
    })
    expect(await put(service, `${ENTRIES}/1`, { user_id: null, entry_date: '2026-03-02' })).toMatchObject({
      status: 200,
    })
    expect(await list()).toEqual([`null ${NORTH} 2`])
    expect(await put(service, `${ENTRIES}/1`, { user_id: ANN })).toMatchObject({ status: 200, body: { user_id: ANN } })
  })

  test('is made in the classic interface by users alone: it does not know source_id', async () => {
    const sent = { source_id: NORTH, ...KEY, actual: 1 }
    expect(await post(service, ENTRIES, sent)).toMatchObject({ status: 400, body: { errors: [{ field: 'user_id' }] } })
    expect(await post(service, ENTRIES, { ...sent, user_id: ANN })).toMatchObject({ status: 201 })
    const batch = { entries: [{ ...sent, user_id: ANN, source_id: 'x', entry_date: '2026-03-02' }] }
    expect(await post(service, `${ENTRIES}/list`, batch)).toMatchObject({ status: 200 })
    expect(await list()).toEqual([`${ANN} ${ANN} 1`, `${ANN} ${ANN} 2`])
  })

  test('comes in batches, of people and other items, all or nothing', async () => {
    const [ann, north] = [
      { user_id: ANN, ...KEY, actual: 1 },
      { source_id: NORTH, ...KEY, actual: 1 },
    ]
    const batch = { entries: [ann, north, { ...north, actual: 2 }, { ...ann, user_id: null, source_id: ANN }] }
    expect(await v1.post(service, `${ENTRIES}/list`, batch)).toMatchObject({
      status: 200,
      body: { rows_added: 3, rows_created: 2, rows_updated: 1, rows_unchanged: 1 },
    })
    expect(await list()).toEqual([`${ANN} ${ANN} 1`, `null ${NORTH} 1`])
    expect(await checkStore(service.db, undefined)).toMatchObject({ faults: [], more: 0 })
  })

  test.each([
    ['', [`${ANN} ${ANN} 1`, `null ${NORTH} 1`, `null ${SOUTH} 2`]],
    [`&sourceid=${NORTH}`, [`null ${NORTH} 1`]],
    [`&SourceId=${ANN}`, [`${ANN} ${ANN} 1`]],
    [`&userid=${ANN}`, [`${ANN} ${ANN} 1`]],
    [`&userid=${ANN}&sourceid=${ANN}&kpiid=1`, [`${ANN} ${ANN} 1`]],
    [`&userid=${NORTH}`, []],
    [`&userid=${ANN}&sourceid=${NORTH}`, []],
    ['&sourceid=99', []],
  ])('is found by its item: with "%s" these are listed', async (query, keys) => {
    await v1.post(service, ENTRIES, { user_id: ANN, ...KEY, actual: 1 })
    await v1.post(service, ENTRIES, { source_id: NORTH, ...KEY, actual: 1 })
    await v1.post(service, ENTRIES, { source_id: SOUTH, ...KEY, entry_date: '2026-03-02', actual: 1 })
    expect(await list(query)).toEqual(keys)
  })

  test('is found in the classic interface by its user alone', async () => {
    await v1.post(service, ENTRIES, { user_id: ANN, ...KEY, actual: 1 })
    await v1.post(service, ENTRIES, { source_id: NORTH, ...KEY, actual: 1 })
    const usersOf = async (query: string): Promise<unknown[]> =>
      ((await read(service, `${ENTRIES}?${DAYS}${query}`)) as { user_id: unknown }[]).map(({ user_id }) => user_id)
    expect(await usersOf('')).toEqual([ANN, null])
    expect(await usersOf(`&userid=${ANN}`)).toEqual([ANN])
    expect(await usersOf(`&userid=${NORTH}`)).toEqual([])
    expect(await usersOf('&sourceid=x')).toEqual([ANN, null])
    expect(await v1.tell(service, { path: `${ENTRIES}?sourceid=x` })).toMatchObject({ status: 400 })
  })

  test('of an item of another account is refused', async () => {
    const other = await otherAccountV1(service, 'acme')
    await v1.post(other, '/kpis', { ...KPI, category_id: 1, aggregate_function: 'SUM' })
    const refused = await v1.post(other, ENTRIES, { source_id: NORTH, ...KEY, actual: 1 })
    expect([refused.status, pointersOf(refused)]).toEqual([422, ['/source_id']])
  })

  test('needs a KPI that was made with all that is mandatory', async () => {
    const refused = await v1.post(service, '/kpis', KPI)
    expect([refused.status, pointersOf(refused)]).toEqual([422, ['/category_id', '/aggregate_function']])
    const strings = await v1.post(service, '/kpis', {
      ...KPI,
      category_id: '1',
      aggregate_function: 'SUM',
      is_active: 'true',
    })
    expect([strings.status, pointersOf(strings)]).toEqual([422, ['/category_id', '/is_active']])
    expect(await post(service, '/kpis', { ...KPI, sort_order: '1' })).toMatchObject({ status: 201 })
  })
})
