import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseDay } from '../../src/domain/day.ts'
import { neverPause } from '../../src/domain/pause.ts'
import type { UndoneBatch } from '../../src/domain/resources/entry-run.ts'
import { accounts } from '../../src/service/accounts/accounts.ts'
import { deleteEntries } from '../../src/service/entries/change-by-run.ts'
import type { Db } from '../../src/store/db.ts'
import { databases } from '../support/databases.ts'
import { kpiNamed } from '../support/import.ts'
import { NOW } from '../support/io.ts'
import { type Service, startService, waysIn, type Way, wayTo } from '../support/service.ts'
import { fillShop, SHOP } from '../support/user.ts'

const day = (date: string): number => parseDay(date) ?? 0
const EVERY = { date_from: day('2026-01-01') }
const RANGE = { from: day('2026-03-01'), to: day('2026-12-31') }

describe.each(waysIn('classic'))('%s, many entries at once', (_, open) => {
  let way: Way
  let north: number
  beforeEach(async () => {
    way = await open()
    const { client } = way
    await fillShop(way)
    for (const user of [SHOP.bob, SHOP.bobby]) await client.assignments(user).add({ id: SHOP.visits, sort_order: 1 })
    const group = await client.groups.add({ name: 'Regions' })
    north = (await client.groupItems(group.id).add({ name: 'North' })).id
    const south = await client.groupItems(group.id).add({ name: 'South' })
    await client.userGroupItems(SHOP.bob).add({ id: south.id })
    await client.entries.addMany([
      { user_id: SHOP.ann, kpi_id: SHOP.revenue, entry_date: day('2026-03-02'), actual: 5_5000n, notes: 'rainy' },
      { user_id: SHOP.ann, kpi_id: SHOP.visits, entry_date: day('2026-03-02'), actual: 7_0000n },
      { user_id: SHOP.bob, kpi_id: SHOP.visits, entry_date: day('2026-03-02'), actual: 8_0000n },
      { user_id: SHOP.bob, kpi_id: SHOP.visits, entry_date: day('2026-03-03'), notes: 'closed' },
    ])
  })
  afterEach(() => way[Symbol.asyncDispose]())

  const held = () => way.client.entries.list(RANGE)
  const undo = async (run: string): Promise<Partial<UndoneBatch>> => {
    const { restored, unchanged, left, reasons } = await way.client.entries.undoRun(run, { isDry: false })
    return { restored, unchanged, left, reasons }
  }
  /** Returns the sum of what entries carry of a group item. */
  const ofItem = async (item: number): Promise<number> =>
    (await way.client.report({ ...RANGE, groupItemIds: [item] })).rows.length

  test('are counted and summed by KPI', async () => {
    const { entries } = way.client
    expect(await entries.sums(RANGE)).toEqual([
      { kpi_id: SHOP.revenue, entries: 1 + 3, actual: 186_2500n },
      { kpi_id: SHOP.visits, entries: 3, actual: 15_0000n },
    ])
    expect(await entries.sums({ ...RANGE, userIds: [SHOP.bob], kpiIds: [SHOP.visits] })).toEqual([
      { kpi_id: SHOP.visits, entries: 2, actual: 8_0000n },
    ])
    // The id of a group item is no user.
    expect(await entries.sums({ ...RANGE, userIds: [north] })).toEqual([])
  })

  test('are deleted in one request where they are as many as were counted, and are put back as they were', async () => {
    const { entries } = way.client
    const before = await held()
    const which = { ...RANGE, kpiIds: [SHOP.visits] }
    await expect(entries.removeMany('a', which, 2)).rejects.toThrow('there are 3 such entries now, and not 2')
    expect(await held()).toEqual(before)
    expect(await entries.removeMany('a', which, 3)).toEqual({ run: 'a', entries: 3, left: 0 })
    // Sent again, as its answer was lost: it says what it did.
    expect(await entries.removeMany('a', which, 3)).toEqual({ run: 'a', entries: 3, left: 0 })
    expect(await held()).toEqual(before.filter(({ kpi_id }) => kpi_id !== SHOP.visits))
    expect(await undo('a')).toEqual({ restored: 3, unchanged: 0, left: 0, reasons: null })
    const times = (one: object) => ({ ...one, updated_at: 0 })
    expect((await held()).map(times)).toEqual(before.map(times))
    expect(await undo('a')).toEqual({ restored: 0, unchanged: 0, left: 0, reasons: null })
  })

  test('keep the group items that they carried, whoever has these now', async () => {
    const { client } = way
    const [south] = await client.userGroupItems(SHOP.bob).list()
    expect(await ofItem(south?.id ?? 0)).toBe(2)
    await client.entries.removeMany('a', { ...RANGE, userIds: [SHOP.bob] }, 2)
    expect(await ofItem(south?.id ?? 0)).toBe(0)
    await client.userGroupItems(SHOP.bob).remove(south?.id ?? 0)
    await undo('a')
    expect(await ofItem(south?.id ?? 0)).toBe(2)
  })

  test('are deleted by their ids, of which those that are gone are refused', async () => {
    const { entries } = way.client
    const ids = (await held()).map(({ id }) => id)
    await expect(entries.removeMany('a', { ids: [...ids, 999] }, ids.length + 1)).rejects.toThrow('count them again')
    expect(await entries.removeMany('a', { ids }, ids.length)).toMatchObject({ entries: ids.length, left: 0 })
    expect(await held()).toEqual([])
  })

  test('are left alone by an undo where something else is there now, or what they need is gone', async () => {
    const { entries, kpis } = way.client
    const spare = await kpis.add(kpiNamed('Spare'))
    await way.client.assignments(SHOP.ann).add({ id: spare.id, sort_order: 3 })
    await entries.add({ user_id: SHOP.ann, kpi_id: spare.id, entry_date: RANGE.from, actual: 1n })
    const which = { ...RANGE, userIds: [SHOP.ann] }
    const count = (await held()).filter(({ user_id }) => user_id === SHOP.ann).length
    await entries.removeMany('a', which, count)
    const again = { user_id: SHOP.ann, entry_date: day('2026-03-02') }
    await entries.add({ ...again, kpi_id: SHOP.revenue, actual: 1_0000n })
    await entries.add({ ...again, kpi_id: SHOP.visits, actual: 7_0000n })
    await kpis.remove(spare.id)
    expect(await undo('a')).toEqual({
      restored: 3,
      unchanged: 1,
      left: 2,
      reasons: '1 was stored again since; 1 cannot be stored again, as its KPI was deleted',
    })
  })

  test('an import whose entries were deleted and put back is taken back as before', async () => {
    const { entries } = way.client
    const draft = { user_id: SHOP.ann, kpi_id: SHOP.visits, entry_date: day('2026-03-05'), actual: 1_0000n }
    await entries.putMany([draft], undefined, 'import')
    const which = { from: draft.entry_date, to: draft.entry_date, userIds: [SHOP.ann], kpiIds: [SHOP.visits] }
    await entries.removeMany('a', which, 1)
    await undo('a')
    expect(await entries.undoRun('import', { isDry: false })).toMatchObject({ removed: 1, left: 0 })
  })

  test('get a group item from a day on, which an undo takes off those alone that got it so', async () => {
    const { client } = way
    const [south] = await client.userGroupItems(SHOP.bob).list()
    const order = { group_item_id: north, user_ids: `${SHOP.ann},${SHOP.bob}`, date_from: day('2026-03-03') }
    const dry = await client.entries.carry('a', { ...order, dry_run: true })
    expect(dry).toEqual({
      run: 'a',
      entries: 0,
      left: 4,
      user_ids: order.user_ids,
      first_day: order.date_from,
      other_item_ids: String(south?.id),
    })
    expect(await ofItem(north)).toBe(0)
    await client.userGroupItems(SHOP.ann).add({ id: north })
    const own = { user_id: SHOP.ann, kpi_id: SHOP.visits, entry_date: day('2026-03-04'), actual: 1n }
    await client.entries.add(own)
    expect(await ofItem(north)).toBe(1)
    const [before, stored] = [await ofItem(north), await held()]
    expect(await client.entries.carry('a', { ...order, dry_run: false })).toMatchObject({ entries: 4, left: 0 })
    expect(await client.entries.carry('a', { ...order, dry_run: false })).toMatchObject({ entries: 4, left: 0 })
    expect(await ofItem(north)).toBe(5)
    expect(await held()).toEqual(stored)
    // An entry that is stored anew carries it because its user has it.
    const anew = stored.find(({ kpi_id, entry_date }) => kpi_id === SHOP.revenue && entry_date > order.date_from)
    if (!anew) throw new Error('there is one')
    await client.entries.remove(anew.id)
    await client.entries.add({ user_id: SHOP.ann, kpi_id: SHOP.revenue, entry_date: anew.entry_date, actual: 1n })
    expect(await undo('a')).toEqual({ restored: 3, unchanged: 1, left: 0, reasons: null })
    expect(await ofItem(north)).toBe(before + 1)
    // Bob's entries carry the group item that they had.
    expect(await ofItem(south?.id ?? 0)).toBe(2)
  })

  test('lose a group item from a day on, which an undo puts onto those alone that lost it so', async () => {
    const { client } = way
    const [south] = await client.userGroupItems(SHOP.bob).list()
    const order = { group_item_id: south?.id ?? 0, user_ids: `${SHOP.ann},${SHOP.bob}`, take_off: true }
    const later = { ...order, date_from: day('2026-03-03') }
    const stored = await held()
    const dry = await client.entries.carry('a', { ...later, dry_run: true })
    const bob = String(SHOP.bob)
    const found = { user_ids: bob, first_day: later.date_from, other_item_ids: null }
    expect(dry).toEqual({ run: 'a', entries: 0, left: 1, ...found })
    expect(await ofItem(order.group_item_id)).toBe(2)
    for (const _ of [1, 2])
      expect(await client.entries.carry('a', { ...later, dry_run: false })).toMatchObject({ entries: 1, left: 0 })
    expect(await ofItem(order.group_item_id)).toBe(1)
    expect(await held()).toEqual(stored)
    // What an entry carries besides stays, and one that never carried it does not get it.
    await client.entries.carry('b', { ...order, group_item_id: north, take_off: false, ...EVERY, dry_run: false })
    const all = await client.entries.carry('c', { ...order, ...EVERY, dry_run: false })
    expect(all).toMatchObject({ entries: 1, first_day: day('2026-03-02'), other_item_ids: String(north) })
    const withNorth = await ofItem(north)
    expect(await ofItem(order.group_item_id)).toBe(0)
    expect(await undo('c')).toEqual({ restored: 1, unchanged: 0, left: 0, reasons: null })
    expect(await undo('a')).toEqual({ restored: 1, unchanged: 0, left: 0, reasons: null })
    expect(await undo('a')).toEqual({ restored: 0, unchanged: 0, left: 0, reasons: null })
    expect([await ofItem(order.group_item_id), await ofItem(north)]).toEqual([2, withNorth])
  })

  test('do not get a group item back that was deleted since', async () => {
    const { client } = way
    const [south] = await client.userGroupItems(SHOP.bob).list()
    const [id, group_id] = [south?.id ?? 0, south?.group_id ?? 0]
    const order = { group_item_id: id, take_off: true, ...EVERY, dry_run: false }
    expect(await client.entries.carry('a', order)).toMatchObject({ entries: 2, left: 0 })
    await client.userGroupItems(SHOP.bob).remove(id)
    await client.groupItems(group_id).remove(id)
    const reasons = '2 cannot get the group item again, as that was deleted'
    expect(await undo('a')).toEqual({ restored: 0, unchanged: 0, left: 2, reasons })
    const anew = await client.groupItems(group_id).add({ name: 'South' })
    const again = { kpis: new Map(), items: new Map([[id, anew.id]]) }
    expect(await client.entries.undoRun('a', { isDry: false, again })).toMatchObject({ restored: 2, left: 0 })
    expect(await ofItem(anew.id)).toBe(2)
  })

  test('are counted that lack a group item, of all who have it', async () => {
    const { client } = way
    const order = { group_item_id: north, date_from: RANGE.from, date_to: day('2026-03-02'), dry_run: true }
    expect(await client.entries.carry('a', order)).toMatchObject({ left: 0, user_ids: null })
    await client.userGroupItems(SHOP.ann).add({ id: north })
    expect(await client.entries.carry('a', order)).toMatchObject({ left: 2, user_ids: String(SHOP.ann) })
    await expect(client.entries.carry('a', { ...order, group_item_id: 999 })).rejects.toThrow('group_item_id')
  })
})

test('many are deleted in several transactions, and put back a batch at a time', async () => {
  const [[, open] = []] = waysIn('classic')
  await using way = await (open ?? raise)()
  await fillShop(way)
  const { entries } = way.client
  const days = Array.from({ length: 3100 }, (_, at) => at)
  for (const kpi_id of [SHOP.revenue, SHOP.visits])
    await entries.addMany(days.map((entry_date) => ({ user_id: SHOP.ann, kpi_id, entry_date, actual: 1n })))
  const which = { from: 0, to: 3099 }
  const before = await entries.sums(which)
  expect(await entries.removeMany('a', which, 6200)).toMatchObject({ entries: 6200, left: 0 })
  expect(await entries.sums(which)).toEqual([])
  const last = await entries.undoRun('a', { isDry: false })
  expect(last).toMatchObject({ restored: 1200, left: 0, batches: 1 })
  // What the run has deleted is what is still to be taken back of it.
  expect(await entries.removeMany('a', which, 6200)).toMatchObject({ entries: 6200, left: 0 })
  for (let batches = 1, at: number | undefined; batches > 0;) {
    const one = await entries.undoRun('a', { isDry: false, before: at })
    ;({ batches, revision: at } = one)
  }
  expect(await entries.sums(which)).toEqual(before)
})

describe.each(databases)('on %s, a deletion that is asked for again while the first try goes on', (_, make) => {
  const days = { from: 100, to: 109 }
  const asked = { run: 'a', selection: { kpis: undefined, days }, ids: undefined, count: 10 }

  /** Opens an account of ten entries, and a way for another try of the same run to delete one. */
  const open = async (service: Service) => {
    const [account] = await accounts.list(service.db)
    if (!account) throw new Error('there is no account')
    const way = await wayTo(service)
    await fillShop(way)
    const all = Array.from({ length: 10 }, (_, at) => ({ kpi_id: SHOP.revenue, entry_date: 100 + at, actual: 1n }))
    await way.client.entries.addMany(all.map((one) => ({ ...one, user_id: SHOP.ann })))
    const list = await way.client.entries.list(days)
    const ctx = { db: service.db.ofAccount(account.id), account, now: NOW / 1000 }
    let done = 0
    const another = async (): Promise<void> => {
      const one = list[done]
      if (!one) return
      done += 1
      const which = { run: 'a', selection: undefined, ids: new Set([one.id]), count: done }
      await deleteEntries(ctx, which, neverPause)
    }
    return { ctx, another }
  }

  test('says how far that is, and does not wait for it without an end', async () => {
    await using service = await startService(NOW, make)
    const { ctx, another } = await open(service)
    const readLong: Db['readLong'] = async (work) => {
      await another()
      return ctx.db.readLong(work)
    }
    const amid = { ...ctx, db: { ...ctx.db, readLong } }
    expect(await deleteEntries(amid, asked, neverPause)).toEqual({ run: 'a', entries: 3, left: 7 })
    expect(await deleteEntries(ctx, asked, neverPause)).toEqual({ run: 'a', entries: 10, left: 0 })
  })

  test('counts what that has deleted meanwhile', async () => {
    await using service = await startService(NOW, make)
    const { ctx, another } = await open(service)
    const write: Db['write'] = async (work) => {
      await another()
      return ctx.db.write(work)
    }
    const amid = { ...ctx, db: { ...ctx.db, write } }
    expect(await deleteEntries(amid, asked, neverPause)).toEqual({ run: 'a', entries: 10, left: 0 })
  })
})

const raise = (): never => {
  throw new Error('there is a way in')
}
