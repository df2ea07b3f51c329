import { stat } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { Db, Reader } from '../../src/store/db.ts'
import { kpis } from '../../src/store/tables/kpis.ts'
import { entries } from '../../src/store/tables/entries.ts'
import { sqliteDb } from '../../src/store/sqlite/sqlite-db.ts'
import { entryRow, kpiRecord, openTestStore, insertEntries } from '../support/store.ts'

const namesIn = async (tx: Reader): Promise<unknown[]> =>
  (await tx.all('select name from kpis order by id')).map(({ name }) => name)
const names = (db: Db): Promise<unknown[]> => db.read(namesIn)

describe('a write', () => {
  test('that fails at any point is undone as a whole, and the next one goes on', async () => {
    await using store = await openTestStore()
    const { db, account } = store
    const failed = db.write(async (tx) => {
      await kpis.insert(tx, account, kpiRecord())
      throw new Error('too late')
    })
    const next = db.write((tx) => kpis.insert(tx, account, kpiRecord({ id: 2, name: 'Cost' })))
    await expect(failed).rejects.toThrow('too late')
    await next
    expect(await names(db)).toEqual(['Cost'])
  })

  test('that the tables refuse leaves nothing behind', async () => {
    await using store = await openTestStore()
    const { db, account } = store
    await db.write((tx) => kpis.insert(tx, account, kpiRecord()))
    const rows = [entryRow(), entryRow({ id: 2, entry_date: 1 }), entryRow({ id: 3, entry_date: 2, kpi_id: 9 })]
    await expect(db.write((tx) => insertEntries(tx, account, rows))).rejects.toMatchObject({
      code: 'internal',
      cause: { message: 'FOREIGN KEY constraint failed' },
    })
    expect(await db.read((tx) => entries.find(tx, account, 1))).toBeUndefined()
  })

  test('for which the disk has no room leaves nothing behind, and later ones find it', async () => {
    await using store = await openTestStore()
    const { db, path, account } = store
    const notes = 'x'.repeat(500)
    const rows = Array.from({ length: 5000 }, (_, at) => entryRow({ id: at + 1, entry_date: at, notes }))
    await db.write((tx) => kpis.insert(tx, account, kpiRecord()))
    await db.write((tx) => tx.all('pragma max_page_count = 100'))
    await expect(db.write((tx) => insertEntries(tx, account, rows))).rejects.toMatchObject({
      code: 'unavailable',
      message: `the disk of ${path} is full; nothing of this request was stored`,
    })
    await db.write((tx) => tx.all('pragma max_page_count = 100000'))
    await db.write((tx) => insertEntries(tx, account, rows.slice(0, 1)))
    expect(await db.read((tx) => tx.all('select count(*) as count from entries'))).toEqual([{ count: 1n }])
  })

  test('waits for one of another process, and holds up no reader', async () => {
    await using store = await openTestStore()
    const { db, path, account } = store
    const other = sqliteDb(path)
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const first = other.write(async (tx) => {
      await kpis.insert(tx, account, kpiRecord())
      begun.resolve()
      await released.promise
    })
    await begun.promise
    const second = db.write((tx) => kpis.insert(tx, account, kpiRecord({ id: 2, name: 'Cost' })))
    expect(await names(db)).toEqual([])
    released.resolve()
    await Promise.all([first, second])
    expect(await names(db)).toEqual(['Sales', 'Cost'])
    await other.close()
  })

  test('in passing is done at once or not at all, and others wait as before', async () => {
    await using store = await openTestStore()
    const { db, path, account } = store
    const other = sqliteDb(path)
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const first = other.write(async () => {
      begun.resolve()
      await released.promise
    })
    await begun.promise
    const addInPassing = (): Promise<void> | undefined =>
      db.inPassing?.write((tx) => kpis.insert(tx, account, kpiRecord()))
    await expect(addInPassing()).rejects.toMatchObject({ code: 'unavailable' })
    const second = db.write((tx) => kpis.insert(tx, account, kpiRecord({ id: 2, name: 'Cost' })))
    released.resolve()
    await Promise.all([first, second])
    expect(await names(db)).toEqual(['Cost'])
    await addInPassing()
    expect(await names(db)).toHaveLength(2)
    await other.close()
  })
})

test('a read sees one state, whatever is written meanwhile', async () => {
  await using store = await openTestStore()
  const { db, account } = store
  await db.read(async (tx) => {
    expect(await namesIn(tx)).toEqual([])
    await db.write((writer) => kpis.insert(writer, account, kpiRecord()))
    expect(await namesIn(tx)).toEqual([])
  })
  expect(await names(db)).toEqual(['Sales'])
})

/** Runs callbacks in a phase of the event loop. */
const PHASES = {
  'a timer': (run: () => void) => void setTimeout(run, 0),
  'an immediate': (run: () => void) => void setImmediate(run),
  'input or output': (run: () => void) => stat('.', run),
}
type Phase = keyof typeof PHASES
const phases = Object.keys(PHASES) as Phase[]

describe.each(phases)('after a read in a callback of %s', (first) => {
  test.each(phases)('one in a callback of %s sees what another process wrote in between', async (second) => {
    await using store = await openTestStore()
    const { db, path, account } = store
    const other = new DatabaseSync(path)
    await db.write((tx) => kpis.insert(tx, account, kpiRecord()))
    const seen: unknown[] = []
    const stamps: unknown[] = []
    const { promise, resolve } = Promise.withResolvers<unknown>()
    const readLater = (): void => {
      if (stamps.length === 0) return PHASES[second](readLater)
      other.exec("update kpis set name = 'After'")
      stamps.push(db.stamp())
      resolve(names(db).then((found) => seen.push(found)))
    }
    PHASES[first](() => {
      stamps.push(db.stamp())
      void names(db).then((found) => seen.push(found))
    })
    PHASES[second](readLater)
    await promise
    other.close()
    expect(seen).toEqual([[kpiRecord().name], ['After']])
    expect(stamps[1]).not.toBe(stamps[0])
  })
})

test.each([0n, -1n, 2n ** 63n - 1n, -(2n ** 63n)])(
  'the whole number %s comes back to the last digit',
  async (value) => {
    await using store = await openTestStore()
    const { db, account } = store
    await db.write(async (tx) => {
      await kpis.insert(tx, account, kpiRecord())
      await insertEntries(tx, account, [entryRow({ actual: value })])
    })
    expect(await db.read((tx) => entries.find(tx, account, 1))).toMatchObject({ actual: value })
  },
)

test.each(['', 'Zo\u00eb \u{1f600}', "'; drop table kpis; --", 'a\u0000b', '\u202e', 'x'.repeat(100_000)])(
  'the text %j comes back as it was',
  async (name) => {
    await using store = await openTestStore()
    const { db, account } = store
    await db.write((tx) => kpis.insert(tx, account, kpiRecord({ name })))
    expect(await names(db)).toEqual([name])
  },
)

test('closing twice is closing once', async () => {
  await using store = await openTestStore()
  await store.db.close()
  await expect(store.db.close()).resolves.toBeUndefined()
})
