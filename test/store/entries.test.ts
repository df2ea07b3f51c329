import { describe, expect, test } from 'vitest'
import { entries, type StoredEntry } from '../../src/store/tables/entries.ts'
import { entryQueries } from '../../src/store/tables/entry-queries.ts'
import { kpis } from '../../src/store/tables/kpis.ts'
import { entryRow, kpiRecord, openTestStore, type TestStore, insertEntries } from '../support/store.ts'

/** A store with two KPIs, of which the first has a target. */
const openWithKpis = async (): Promise<TestStore> => {
  const store = await openTestStore()
  await store.db.write(async (tx) => {
    await kpis.insert(tx, store.account, kpiRecord({ target_default: 1n }))
    await kpis.insert(tx, store.account, kpiRecord({ id: 2, name: 'Cost' }))
  })
  return store
}

const rowsOf = (count: number, kpi_id = 1): StoredEntry[] =>
  Array.from({ length: count }, (_, at) =>
    entryRow({ id: kpi_id * 10_000 + at, kpi_id, entry_date: at, actual: BigInt(at), notes: `n${at}` }),
  )

const ALL = { from: -100_000, to: 100_000 }

describe('entries', () => {
  // So many fill statements whole, or leave a rest.
  test.each([0, 1, 49, 50, 51, 100, 101, 5000])('%i at once are kept as they are', async (count) => {
    await using store = await openWithKpis()
    const { db, account } = store
    const rows = rowsOf(count)
    await db.write((tx) => insertEntries(tx, account, rows))
    expect(await db.read((tx) => entries.within(tx, account, [{ item: 1, kpi: 1, ...ALL }]))).toEqual(rows)
  })

  test('of a range are those of both its days and all between', async () => {
    await using store = await openWithKpis()
    const { db, account } = store
    const days = [-25_567, -1, 0, 1, 84_005]
    const rows = days.map((entry_date, at) => entryRow({ id: at + 1, entry_date }))
    await db.write((tx) => insertEntries(tx, account, rows))
    const range = await db.read((tx) => entries.within(tx, account, [{ item: 1, kpi: 1, from: -1, to: 1 }]))
    expect(range.map(({ entry_date }) => entry_date)).toEqual([-1, 0, 1])
  })

  test('keep their ids when they move, and a place is free when one has left it', async () => {
    await using store = await openWithKpis()
    const { db, account } = store
    await db.write(async (tx) => {
      await insertEntries(tx, account, [entryRow()])
      await entries.move(tx, account, entryRow({ kpi_id: 2, entry_date: 9, actual: 7n, updated_at: 5 }))
      await insertEntries(tx, account, [entryRow({ id: 2 })])
    })
    const moved = entryRow({ kpi_id: 2, entry_date: 9, actual: 7n, updated_at: 5 })
    expect(await db.read((tx) => entries.find(tx, account, 1))).toEqual(moved)
    expect(await db.write((tx) => entries.remove(tx, account, 1))).toBe(true)
    expect(await db.write((tx) => entries.remove(tx, account, 1))).toBe(false)
    expect(await db.read((tx) => entries.within(tx, account, [{ item: 1, kpi: 1, ...ALL }]))).toEqual([
      entryRow({ id: 2 }),
    ])
  })

  test('go with their KPI, and those of others stay', async () => {
    await using store = await openWithKpis()
    const { db, account } = store
    await db.write((tx) => insertEntries(tx, account, [...rowsOf(3), ...rowsOf(2, 2)]))
    expect(await db.write((tx) => kpis.remove(tx, account, 1))).toBe(true)
    const left = await db.read((tx) => tx.all('select kpi_id from entries'))
    expect(left).toEqual([{ kpi_id: 2n }, { kpi_id: 2n }])
  })

  test('are told by item, KPI and day, those that were asked for', async () => {
    await using store = await openWithKpis()
    const { db, account } = store
    await db.write((tx) => insertEntries(tx, account, [...rowsOf(3), ...rowsOf(3, 2)]))
    const visited: string[] = []
    const of = { items: [9, 1], kpis: [2, 1, 7], days: { from: 1, to: 2 } }
    await db.read((tx) =>
      entryQueries.eachOf(tx, account, of, ({ itemId, kpiId, day, actual, target, notes }) => {
        visited.push([itemId, kpiId, day, actual, target, notes].join(' '))
      }),
    )
    expect(visited).toEqual(['1 1 1 1  n1', '1 1 2 2  n2', '1 2 1 1  n1', '1 2 2 2  n2'])
  })
})
