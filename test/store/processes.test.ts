import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import type { Db } from '../../src/store/db.ts'
import type { StoredEntry } from '../../src/store/tables/entries.ts'
import { kpis } from '../../src/store/tables/kpis.ts'
import { openStore } from '../../src/store/schema/open-store.ts'
import { sqliteDb } from '../../src/store/sqlite/sqlite-db.ts'
import { temporaryFolder } from '../support/folder.ts'
import { entryRow, kpiRecord, openTestStore, insertEntries } from '../support/store.ts'
import { BATCH } from '../support/store-writer.ts'

const REMOVER = join(import.meta.dirname, '../support/kpi-remover.ts')
const WRITER = join(import.meta.dirname, '../support/store-writer.ts')

/** Starts a process that writes to the store at a path; gone with the test. */
const startWriter = (path: string, times: number, ...more: 'held'[]): ChildProcess => {
  const child = spawn(process.execPath, [WRITER, path, String(times), ...more])
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return child
}

type Ended = {
  readonly code: number | null
  readonly signal: string | null
  readonly out: string
  readonly err: string
}

const ended = async (child: ChildProcess): Promise<Ended> => {
  const { stdout, stderr } = child
  if (!stdout || !stderr) throw new Error('a process without pipes')
  const [[code, signal], out, err] = await Promise.all([once(child, 'close'), text(stdout), text(stderr)])
  return { code: code as number | null, signal: signal as string | null, out, err }
}

/** Waits for a line that a process prints. */
const said = async (child: ChildProcess, line: string): Promise<void> => {
  if (!child.stdout) throw new Error('a process without pipes')
  for await (const one of createInterface({ input: child.stdout })) if (one === line) return
  throw new Error(`the process has ended without saying "${line}"`)
}

const valuesOf = async (db: Db, sql: string): Promise<unknown[]> =>
  (await db.read((tx) => tx.all(sql))).flatMap((row) => Object.values(row))

/** How many transactions came through, by the entry that each of them counts up. */
const doneIn = async (db: Db): Promise<number> =>
  Number((await valuesOf(db, 'select actual from entries where entry_date = 0'))[0] ?? 0)

/** Fails where the store is damaged, or holds more or less than so many whole transactions. */
const expectWhole = async (db: Db, done: number): Promise<void> => {
  expect(await doneIn(db)).toBe(done)
  const entries = BigInt(done * BATCH + 1)
  const sql = 'select count(*), count(distinct id), max(id) from entries'
  expect(await valuesOf(db, sql)).toEqual([entries, entries, entries])
  expect(await valuesOf(db, "select last from counters where name = 'entries'")).toEqual([entries])
  expect(await valuesOf(db, 'pragma integrity_check')).toEqual(['ok'])
  expect(await valuesOf(db, 'pragma foreign_key_check')).toEqual([])
}

test('processes that make and fill one file at once lose nothing, and none is told that it is locked', async () => {
  using folder = temporaryFolder()
  const path = folder.in('kpi.db')
  const writers = Array.from({ length: 4 }, () => ended(startWriter(path, 25)))
  const out = Array.from({ length: 25 }, (_, done) => `${done + 1}\n`).join('')
  expect(await Promise.all(writers)).toEqual(writers.map(() => ({ code: 0, signal: null, out, err: '' })))
  const db = await openStore(path)
  await expectWhole(db, 100)
  await db.close()
})

test('a process reads and writes while others write, and sees whole transactions only', async () => {
  using folder = temporaryFolder()
  const path = folder.in('kpi.db')
  const db = await openStore(path)
  const writers = Array.from({ length: 2 }, () => ended(startWriter(path, 25)))
  const all = Promise.all(writers)
  let writing = true
  void all.finally(() => {
    writing = false
  })
  const seen: bigint[] = []
  for (let notes = 0; writing; notes += 1) {
    const [row] = await db.read((tx) => tx.all('select count(*) as entries from entries'))
    seen.push(BigInt(row?.['entries'] ?? 0n))
    await db.write((tx) => tx.run('update entries set notes = ? where entry_date = 0', [String(notes)]))
    // All of that happened at once: now the processes that end are heard.
    await setImmediate()
  }
  expect((await all).map(({ code, err }) => [code, err])).toEqual([
    [0, ''],
    [0, ''],
  ])
  expect(seen.filter((entries) => entries > 0n && (entries - 1n) % BigInt(BATCH) !== 0n)).toEqual([])
  await expectWhole(db, 50)
  await db.close()
})

test('a process killed within a transaction leaves nothing of it, and holds up nobody', async () => {
  using folder = temporaryFolder()
  const path = folder.in('kpi.db')
  expect(await ended(startWriter(path, 3))).toMatchObject({ code: 0, err: '' })
  // So many rows do not fit in SQLite's memory: some of them are in the file already.
  const killed = startWriter(path, 1000, 'held')
  await said(killed, 'held')
  const db = await openStore(path)
  await expectWhole(db, 3)
  const impatient = sqliteDb(path, { patienceMs: 0 })
  await expect(impatient.write(() => Promise.resolve())).rejects.toMatchObject({ code: 'unavailable', retryAfter: 1 })
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  await impatient.write(() => Promise.resolve())
  await impatient.close()
  await expectWhole(db, 3)
  await db.close()
  expect(await ended(startWriter(path, 2))).toMatchObject({ code: 0, err: '' })
  const again = await openStore(path)
  await expectWhole(again, 5)
  await again.close()
})

test('a process killed at any time keeps what it has acknowledged, and nothing by half', async () => {
  using folder = temporaryFolder()
  const path = folder.in('kpi.db')
  let least = 0
  for (const lines of [1, 2, 5, 9]) {
    const writer = startWriter(path, 1000)
    const end = ended(writer)
    let heard = ''
    writer.stdout?.on('data', (chunk: Buffer) => {
      heard += chunk.toString()
      if (heard.split('\n').length > lines) writer.kill('SIGKILL')
    })
    const { signal, out } = await end
    expect(signal).toBe('SIGKILL')
    const db = await openStore(path)
    const done = await doneIn(db)
    const acknowledged = least + out.split('\n').length - 1
    expect([acknowledged, acknowledged + 1]).toContain(done)
    await expectWhole(db, done)
    await db.close()
    least = done
  }
})

test.each([0, 100_000, 400_000])(
  'a process killed while it removes a KPI, with %i bytes of that written, leaves all of it or nothing',
  async (bytes) => {
    await using store = await openTestStore()
    const { db, path, account } = store
    const rows = (kpi_id: number, days: number): StoredEntry[] =>
      Array.from({ length: days }, (_, day) => entryRow({ id: kpi_id * 100_000 + day, kpi_id, entry_date: day }))
    await db.write(async (tx) => {
      for (const id of [1, 2]) await kpis.insert(tx, account, kpiRecord({ id }))
      await insertEntries(tx, account, [...rows(1, 40_000), ...rows(2, 10)])
    })
    await db.write((tx) => tx.all('pragma wal_checkpoint(truncate)')).catch(() => undefined)
    const log = `${path}-wal`
    const before = statSync(log).size
    const child = spawn(process.execPath, [REMOVER, path, '1'])
    const end = ended(child)
    await said(child, 'removing')
    while (child.exitCode === null && statSync(log).size < before + bytes) await setImmediate()
    child.kill('SIGKILL')
    await end
    const left = await valuesOf(db, 'select count(*) from entries where kpi_id = 1')
    const isThere = (await valuesOf(db, 'select id from kpis where id = 1')).length === 1
    expect(left).toEqual([isThere ? 40_000n : 0n])
    expect(await valuesOf(db, 'select count(*) from entries where kpi_id = 2')).toEqual([10n])
    expect(await valuesOf(db, 'pragma integrity_check')).toEqual(['ok'])
    await db.write((tx) => kpis.remove(tx, account, 1))
    expect(await valuesOf(db, 'select count(*) from entries')).toEqual([10n])
  },
)
