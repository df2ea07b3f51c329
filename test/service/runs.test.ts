import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseDay } from '../../src/domain/day.ts'
import type { Entry, EntryDraft } from '../../src/domain/resources/entry.ts'
import type { CreatedAgain, UndoneBatch } from '../../src/domain/resources/entry-run.ts'
import { ensureDefaultAccount } from '../../src/service/accounts/accounts.ts'
import { keepBatch } from '../../src/service/entries/keep-batch.ts'
import type { Db } from '../../src/store/db.ts'
import { runs } from '../../src/store/tables/runs.ts'
import { type Database, databases } from '../support/databases.ts'
import { kpiNamed } from '../support/import.ts'
import { NOW } from '../support/io.ts'
import { waysIn, type Way } from '../support/service.ts'
import { entryRow } from '../support/store.ts'
import { fillShop, SHOP } from '../support/user.ts'

const day = (date: string): number => parseDay(date) ?? 0
const draft = (date: string, values: Partial<EntryDraft>): EntryDraft => ({
  user_id: SHOP.ann,
  kpi_id: SHOP.revenue,
  entry_date: day(date),
  ...values,
})
const [FIRST, SECOND, THIRD] = ['2026-03-01', '2026-03-02', '2026-03-03'] as const

describe.each(waysIn('classic'))('%s, a run', (_, open) => {
  let way: Way
  beforeEach(async () => {
    way = await open()
    await fillShop(way)
  })
  afterEach(() => way[Symbol.asyncDispose]())

  const put = (run: string | undefined, ...drafts: EntryDraft[]) => way.client.entries.putMany(drafts, undefined, run)

  const held = async (): Promise<Record<string, string>> => {
    const list = await way.client.entries.list({ from: day(FIRST), to: day('2026-03-31') })
    return Object.fromEntries(
      list.map(({ entry_date, actual, target, notes }) => [
        new Date(entry_date * 86_400_000).toISOString().slice(0, 10),
        [actual, target, notes].map((one) => one ?? '-').join(' '),
      ]),
    )
  }

  /** Takes back all of a run; returns the sums of what became of entries. */
  const undo = async (run: string, isDry = false, again?: CreatedAgain): Promise<Partial<UndoneBatch>> => {
    const sum = { restored: 0, removed: 0, unchanged: 0, left: 0 }
    let before: number | undefined
    const reasons: string[] = []
    const heldBy: string[] = []
    for (;;) {
      const one = await way.client.entries.undoRun(run, { before, again, isDry })
      for (const name of ['restored', 'removed', 'unchanged', 'left'] as const) sum[name] += one[name]
      if (one.reasons !== null) reasons.push(one.reasons)
      if (one.held_by !== null) heldBy.push(one.held_by)
      if (one.batches === 0) return { ...sum, reasons: reasons.join() || null, held_by: heldBy.join() || null }
      before = one.revision
    }
  }
  const counts = (some: Partial<UndoneBatch>): object => ({
    restored: 0,
    removed: 0,
    unchanged: 0,
    left: 0,
    reasons: null,
    held_by: null,
    ...some,
  })

  /** Deletes the KPI, and creates it again with some entries, as an undo of the delete does. */
  const createAgain = async (list: readonly Entry[]): Promise<CreatedAgain> => {
    const { kpis, assignments, entries } = way.client
    await kpis.remove(SHOP.revenue)
    const { id: kpi_id } = await kpis.add(kpiNamed('Revenue', { target_default: 100_0000n }))
    await assignments(SHOP.ann).add({ id: kpi_id, sort_order: 1 })
    await entries.addMany(
      list.map(({ entry_date, actual, target, notes }) => ({
        user_id: SHOP.ann,
        kpi_id,
        entry_date,
        target,
        notes,
        actual,
      })),
    )
    return { kpis: new Map([[SHOP.revenue, kpi_id]]), items: new Map() }
  }

  test('is taken back batch by batch: changed entries hold what they held, new ones are gone', async () => {
    await put(undefined, draft(FIRST, { actual: 1n, target: 5n, notes: 'one' }), draft(SECOND, { actual: 2n }))
    const before = await held()
    await put('a', draft(FIRST, { actual: 10n, notes: null }), draft(THIRD, { actual: 30n }))
    await put('a', draft(SECOND, { actual: 20n }), draft('2026-03-04', { actual: 40n }))
    const dry = await undo('a', true)
    expect(await undo('a')).toEqual(counts({ restored: 2, removed: 2 }))
    expect(dry).toEqual(counts({ restored: 2, removed: 2 }))
    expect(await held()).toEqual(before)
    expect(await undo('a')).toEqual(counts({}))
    expect(await way.client.entries.undoRun('a', { before: undefined, isDry: false })).toMatchObject({ is_kept: true })
  })

  test('counts what an earlier batch of it made as made, where that is sent again', async () => {
    await put(undefined, draft(FIRST, { actual: 1n }), draft('2026-03-05', { actual: 5n }))
    const drafts = [
      draft(FIRST, { actual: 2n }),
      draft(SECOND, { actual: 2n }),
      draft(THIRD, { actual: 2n, notes: 'new' }),
      draft('2026-03-05', { actual: 5n }),
    ]
    const done = { rows_added: 3, rows_created: 2, rows_updated: 1, rows_unchanged: 1 }
    expect((await put('a', ...drafts)).counts).toMatchObject(done)
    expect((await put('a', ...drafts)).counts).toMatchObject(done)
    expect((await put('b', ...drafts)).counts).toMatchObject({ rows_added: 0, rows_unchanged: 4 })
    await put(undefined, draft(SECOND, { actual: 3n }))
    await put(undefined, draft(SECOND, { actual: 2n }))
    expect((await put('a', ...drafts)).counts).toMatchObject({ rows_created: 1, rows_updated: 1, rows_unchanged: 2 })
    expect(await undo('b', true)).toMatchObject({ restored: 0, removed: 0 })
    expect(await undo('a')).toMatchObject({ restored: 1, removed: 1, left: 1 })
  })

  test('gives an entry that came twice in a batch what it held before the batch', async () => {
    await put(undefined, draft(FIRST, { actual: 1n }))
    await put(
      'a',
      draft(FIRST, { actual: 2n }),
      draft(FIRST, { actual: 3n }),
      draft(SECOND, { actual: 4n }),
      draft(SECOND, { actual: 5n }),
    )
    expect(await undo('a')).toEqual(counts({ restored: 1, removed: 1 }))
    expect(await held()).toEqual({ [FIRST]: '1 - -' })
  })

  test('is taken back after a later run of the same entries is, and names that run until then', async () => {
    await put('a', draft(FIRST, { actual: 1n }), draft(SECOND, { actual: 2n }))
    await put('b', draft(FIRST, { actual: 10n }), draft(THIRD, { actual: 3n }))
    expect(await undo('a')).toEqual(counts({ removed: 1, left: 1, reasons: '1 was changed since', held_by: 'b' }))
    expect(await undo('a')).toEqual(counts({ left: 1, reasons: '1 was changed since', held_by: 'b' }))
    expect(await undo('b')).toEqual(counts({ restored: 1, removed: 1 }))
    expect(await undo('a')).toEqual(counts({ removed: 1 }))
    expect(await held()).toEqual({})
  })

  test('names all later runs of an entry, the last first, whichever batches they wrote it with', async () => {
    await put(undefined, draft(FIRST, { actual: 1n }))
    await put('a', draft(FIRST, { actual: 2n }), draft(SECOND, { actual: 2n }))
    await put('b', draft(FIRST, { actual: 3n }))
    await put('c', draft(SECOND, { actual: 4n }), draft(THIRD, { actual: 4n }))
    await put('d', draft(FIRST, { actual: 5n }))
    await put('b', draft(FIRST, { actual: 6n }))
    await put('e', draft(THIRD, { actual: 7n }))
    expect((await undo('a'))['held_by']).toBe('b,d,c')
    for (const run of ['e', 'd', 'c', 'b', 'd', 'b']) await undo(run)
    expect(await undo('a')).toEqual(counts({ restored: 1, removed: 1 }))
    expect(await held()).toEqual({ [FIRST]: '1 - -' })
  })

  test('leaves alone what a later run wrote over something else, though it is the same value', async () => {
    await put(undefined, draft(FIRST, { actual: 1n }))
    await put('a', draft(FIRST, { actual: 5n }))
    await put(undefined, draft(FIRST, { actual: 9n }))
    await put('b', draft(FIRST, { actual: 5n }))
    expect(await undo('a')).toEqual(counts({ left: 1, reasons: '1 was changed since', held_by: 'b' }))
    expect(await undo('b')).toEqual(counts({ restored: 1 }))
    expect(await held()).toEqual({ [FIRST]: '9 - -' })
  })

  test('leaves alone an entry that was deleted and entered anew, though it is the same value', async () => {
    await put(undefined, draft(FIRST, { actual: 1n }))
    await put('a', draft(FIRST, { actual: 5n }))
    const [entry] = await way.client.entries.list({ from: day(FIRST), to: day(FIRST) })
    await way.client.entries.remove(entry?.id ?? 0)
    await way.client.entries.add(draft(FIRST, { actual: 5n, notes: 'mine' }))
    expect(await undo('a')).toEqual(counts({ left: 1, reasons: '1 was changed since' }))
    expect(await held()).toEqual({ [FIRST]: '5 - mine' })
  })

  test('is taken back in the end in whatever order runs of one entry are', async () => {
    await put('a', draft(FIRST, { actual: 1n }))
    await put('b', draft(FIRST, { actual: 2n }))
    await put('c', draft(FIRST, { target: 7n }))
    const orders = ['b', 'c', 'a', 'b', 'a']
    for (const run of orders) await undo(run)
    expect(await held()).toEqual({})
  })

  test('is kept where a later run stored again what was there before', async () => {
    await put(undefined, draft(FIRST, { actual: 1n }))
    await put('a', draft(FIRST, { actual: 2n }))
    await put('b', draft(FIRST, { actual: 1n }))
    expect(await undo('a')).toEqual(counts({ unchanged: 1, held_by: 'b' }))
    expect(await undo('b')).toEqual(counts({ restored: 1 }))
    expect(await undo('a')).toEqual(counts({ restored: 1 }))
    expect(await held()).toEqual({ [FIRST]: '1 - -' })
  })

  test('leaves alone what somebody has changed since, and what is gone', async () => {
    await put(undefined, draft(FIRST, { actual: 1n }), draft(SECOND, { actual: 2n }))
    await put('a', ...[FIRST, SECOND, THIRD, '2026-03-04'].map((date) => draft(date, { actual: 9n })))
    const list = await way.client.entries.list({ from: day(FIRST), to: day('2026-03-31') })
    const idOf = (date: string): number => list.find(({ entry_date }) => entry_date === day(date))?.id ?? 0
    await way.client.entries.update(idOf(FIRST), { actual: 7n })
    await way.client.entries.remove(idOf(SECOND))
    await way.client.entries.update(idOf(THIRD), { notes: 'mine' })
    await way.client.entries.remove(idOf('2026-03-04'))
    const left = counts({ unchanged: 1, left: 3, reasons: '2 was changed since; 1 was deleted since' })
    expect(await undo('a', true)).toEqual(left)
    expect(await undo('a')).toEqual(left)
    expect(await held()).toEqual({ [FIRST]: '7 - -', [THIRD]: '9 - mine' })
    // What was gone is settled, and the rest stays kept.
    expect(await undo('a')).toEqual(counts({ left: 3, reasons: '2 was changed since; 1 was deleted since' }))
    expect(await way.client.entries.ofRun('a')).toMatchObject([
      {
        action: 'leave',
        entry_date: day(FIRST),
        reason: 'was changed since: actual is 0.0007, not 0.0009',
        actual: 7n,
      },
      { action: 'leave', entry_date: day(SECOND), reason: 'was deleted since', entry_id: null },
      { action: 'leave', entry_date: day(THIRD), reason: 'was changed since: actual is 0.0009, notes is "mine"' },
    ])
  })

  test('is taken back in its own values: what somebody else changed beside them stays', async () => {
    await put(undefined, draft(FIRST, { actual: 1n }))
    await put('a', draft(FIRST, { actual: 2n }))
    await way.client.entries.add(draft(FIRST, { notes: 'mine' }))
    expect(await undo('a')).toEqual(counts({ restored: 1 }))
    expect(await held()).toEqual({ [FIRST]: '1 - mine' })
  })

  test('is taken back where a batch of it was sent again over what somebody had changed', async () => {
    await put(undefined, draft(FIRST, { actual: 1n }))
    const batch = [draft(FIRST, { actual: 2n }), draft(SECOND, { actual: 3n })]
    await put('a', ...batch)
    await put('a', ...batch)
    await way.client.entries.add(draft(SECOND, { actual: 8n }))
    await put('a', ...batch)
    const expected = counts({ restored: 2, left: 1, reasons: '1 was changed since' })
    expect(await undo('a', true)).toEqual(expected)
    expect(await undo('a')).toEqual(expected)
    expect(await held()).toEqual({ [FIRST]: '1 - -', [SECOND]: '8 - -' })
  })

  test('of which two batches wrote one entry is counted alike by a dry run and by the undo', async () => {
    await put('a', draft(FIRST, { actual: 2n }))
    await put('a', draft(FIRST, { actual: 3n }))
    await put('a', draft(FIRST, { notes: 'x' }))
    expect(await undo('a', true)).toEqual(counts({ restored: 2, removed: 1 }))
    expect(await undo('a')).toEqual(counts({ restored: 2, removed: 1 }))
    expect(await held()).toEqual({})
  })

  test('does not put back what the rules do not allow any more', async () => {
    await put(undefined, draft(FIRST, { target: 5n }))
    await put('a', draft(FIRST, { actual: 2n, target: null }))
    await way.client.kpis.update(SHOP.revenue, { target_default: null })
    expect(await undo('a')).toEqual(
      counts({ left: 1, reasons: '1 actual: is required where the entry has neither target nor notes' }),
    )
    await way.client.kpis.update(SHOP.revenue, { target_default: 1n })
    expect(await undo('a')).toEqual(counts({ restored: 1 }))
    expect(await held()).toEqual({ [FIRST]: '- 5 -' })
  })

  test('says of entries of a KPI that is gone that they went with it', async () => {
    await put(undefined, draft(FIRST, { actual: 1n }))
    await put('a', draft(FIRST, { actual: 2n }), draft(SECOND, { actual: 2n }))
    await way.client.kpis.remove(SHOP.revenue)
    expect(await undo('a')).toEqual(counts({ unchanged: 1, left: 1, reasons: '1 was deleted since, with its KPI' }))
  })

  test('is taken back where its KPI was created again with its entries, as far as these are as it left them', async () => {
    const { entries } = way.client
    const days = [FIRST, SECOND, THIRD, '2026-03-04', '2026-03-05', '2026-03-06'] as const
    const [first, second, , fourth, fifth, sixth] = days
    await put(undefined, draft(first, { actual: 1n }), draft(second, { actual: 1n }))
    await put('a', ...days.map((date) => draft(date, { actual: 2n, notes: 'a' })))
    await put(undefined, draft(second, { actual: 7n }), draft(fifth, { actual: 7n }))
    await put('b', draft(sixth, { actual: 8n }))
    const list = await entries.list({ from: day(first), to: day('2026-03-31') })
    const again = await createAgain(list.map((one) => (one.entry_date === day(fourth) ? { ...one, actual: 9n } : one)))
    const kpi_id = again.kpis.get(SHOP.revenue)
    const listed = await entries.ofRun('a', { again })
    expect(listed.map(({ action, kpi_id: kpi }) => [action, kpi])).toEqual(
      ['restore', 'leave', 'remove', 'leave', 'leave', 'leave'].map((action) => [action, kpi_id]),
    )
    expect(await undo('a', false, again)).toEqual(
      counts({ restored: 1, removed: 1, left: 4, reasons: '4 was changed since', held_by: 'b' }),
    )
    expect(await held()).toEqual({
      [first]: '1 - -',
      [second]: '7 - a',
      [fourth]: '9 - a',
      [fifth]: '7 - a',
      [sixth]: '8 - a',
    })
    expect(await undo('a', true, again)).toEqual(counts({ left: 4, reasons: '4 was changed since', held_by: 'b' }))
  })

  test('is taken back after a later one of the same entries, also where their KPI was created again meanwhile', async () => {
    const { entries } = way.client
    // Days far from each other are kept in several steps.
    const days = ['2001-05-01', '2009-03-01', FIRST, SECOND] as const
    await put(undefined, draft(SECOND, { actual: 1n }))
    await put('a', ...days.map((date) => draft(date, { actual: 2n })))
    await put('b', ...days.slice(1).map((date) => draft(date, { actual: 3n })))
    const list = await entries.list({ from: day(days[0]), to: day('2026-03-31') })
    const again = await createAgain(list)
    expect(await undo('a', true, again)).toMatchObject({ removed: 1, left: 3, held_by: 'b' })
    expect(await undo('b', false, again)).toEqual(counts({ restored: 3 }))
    expect(await undo('a', false, again)).toEqual(counts({ restored: 1, removed: 3 }))
    expect(await entries.list({ from: day(days[0]), to: day('2026-03-31') })).toMatchObject([{ actual: 1n }])
  })

  test('that is not known, or that changed nothing, is not kept', async () => {
    await put(undefined, draft(FIRST, { actual: 1n }))
    await put('a', draft(FIRST, { actual: 1n }))
    const { ofRun, undoRun } = way.client.entries
    const nothing = { is_kept: false, revision: 0, restored: 0, removed: 0, unchanged: 0, left: 0, batches: 0 }
    for (const run of ['a', 'b'])
      expect([await ofRun(run), await undoRun(run, { before: undefined, isDry: false })]).toMatchObject([[], nothing])
  })

  test('leaves entries that are written without a run to nobody', async () => {
    await put('a', draft(FIRST, { actual: 1n }))
    await put(undefined, draft(FIRST, { actual: 2n }))
    await put(undefined, draft(FIRST, { actual: 1n }))
    expect(await undo('a')).toEqual(counts({ left: 1, reasons: '1 was changed since' }))
    expect(await held()).toEqual({ [FIRST]: '1 - -' })
  })
})

const OF_RUNS = 'select run_id, bytes from runs order by run_id'

describe.each(databases)('what is kept of runs in %s', (_, make) => {
  let database: Database
  let db: Db
  let account: number
  beforeEach(async () => {
    database = await make()
    db = await database.open()
    account = (await ensureDefaultAccount(db, NOW / 1000)).id
  })
  afterEach(async () => {
    await db.close()
    await database[Symbol.asyncDispose]()
  })

  /** Keeps a batch that changes so many entries, so many days from now. */
  const keep = (run: string, days = 0, count = 1, most?: number): Promise<number> =>
    db.ofAccount(account).write((tx) => {
      const changed = Array.from({ length: count }, (_, at) => {
        const before = entryRow({ entry_date: at, actual: 1n })
        return { ...before, actual: 2n, before }
      })
      const ctx = { account: { id: account }, now: NOW / 1000 + days * 86_400, run }
      return keepBatch(tx, ctx, { firstId: 0, created: 0, changed }, most)
    })
  const kept = (run: string): Promise<boolean> => db.read((tx) => runs.isKept(tx, { account, run }))
  const rows = async (table: string): Promise<number> =>
    Number((await db.read((tx) => tx.all(`select count(*) as total from ${table}`)))[0]?.['total'])

  test('is forgotten after 30 days without a batch, a few batches at a time', async () => {
    for (let batch = 0; batch < 15; batch += 1) await keep('old')
    await keep('other', 20)
    await keep('new', 29)
    expect(await kept('old')).toBe(true)
    await keep('new', 31)
    expect(await kept('old')).toBe(false)
    expect(await rows('run_batches')).toBe(18)
    await keep('new', 31)
    expect(await rows('run_batches')).toBe(9)
    await keep('new', 31)
    expect(await rows('run_batches')).toBe(5)
    expect([await rows('runs'), await kept('other'), await kept('new')]).toEqual([2, true, true])
  })

  test('is bounded: the run that wrote longest ago goes as a whole, and a run that is too much alone', async () => {
    await keep('a')
    const one = Number((await db.read((tx) => tx.all(OF_RUNS)))[0]?.['bytes'])
    const most = one * 3
    await keep('b', 1, 1, most)
    await keep('a', 2, 1, most)
    await keep('c', 3, 1, most)
    expect([await kept('a'), await kept('b'), await kept('c')]).toEqual([true, false, true])
    // Alone it is too much: nothing is kept of it, nor of what follows of it.
    await keep('d', 4, 2, most)
    expect([await kept('a'), await kept('c'), await kept('d')]).toEqual([false, true, true])
    expect(await keep('d', 5, 200, most)).toBe(0)
    expect([await kept('c'), await kept('d')]).toEqual([false, false])
    expect(await keep('d', 6, 1, most)).toBe(0)
    expect(await kept('d')).toBe(false)
    for (let batch = 0; batch < 6; batch += 1) await keep('e', 7, 1, most)
    expect(await kept('d')).toBe(false)
    const total = `select last from counters where name = 'run_bytes'`
    const [[counted], all] = await db.read(async (tx) => [await tx.all(total), await tx.all(OF_RUNS)])
    expect(counted?.['last']).toBe(all.reduce((sum, { bytes }) => sum + BigInt(bytes ?? 0), 0n))
  })

  test('takes no room for new entries, and no statement more than these', async () => {
    const statements: string[] = []
    await db.ofAccount(account).write((tx) => {
      const watched = {
        ...tx,
        all: (...given: Parameters<typeof tx.all>) => (statements.push(given[0]), tx.all(...given)),
        run: (...given: Parameters<typeof tx.run>) => (statements.push(given[0]), tx.run(...given)),
      }
      const ctx = { account: { id: account }, now: NOW / 1000, run: 'a' }
      return keepBatch(watched, ctx, { firstId: 7, created: 2, changed: [] })
    })
    expect(statements).toHaveLength(4)
    expect((await db.read((tx) => tx.all(OF_RUNS)))[0]?.['bytes']).toBe(0n)
  })
})
