import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { ensureDefaultAccount } from '../../src/service/accounts/accounts.ts'
import { checkStore } from '../../src/service/check-store.ts'
import { takeIds } from '../../src/store/tables/table.ts'
import { entries } from '../../src/store/tables/entries.ts'
import * as integrity from '../../src/store/maintenance/check.ts'
import { kpis } from '../../src/store/tables/kpis.ts'
import { openStore } from '../../src/store/schema/open-store.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { type Running, runKpi, startKpi, startProgram } from '../support/process.ts'
import { entryRow, kpiRecord, insertEntries } from '../support/store.ts'
import { BATCH } from '../support/store-writer.ts'
import { some } from '../support/soak/tests.ts'

const WRITER = join(import.meta.dirname, '../support/store-writer.ts')

/** Makes a store whose one KPI has a name, and so many entries. */
const makeStore = async (path: string, name: string, count: number): Promise<void> => {
  const db = await openStore(path)
  const { id: account } = await ensureDefaultAccount(db, 0)
  await db.write(async (tx) => {
    await kpis.insert(tx, account, kpiRecord({ id: await takeIds(tx, account, 'kpis'), name }))
    const first = await takeIds(tx, account, 'entries', count)
    const rows = Array.from({ length: count }, (_, at) => entryRow({ id: first + at, entry_date: at, notes: name }))
    await insertEntries(tx, account, rows)
  })
  await db.close()
}

/** The KPI and the number of entries of a store, and how much is wrong with it. */
const contentOf = async (path: string): Promise<{ names: string[]; entries: number; faults: number }> => {
  const db = await openStore(path)
  try {
    const { counts, faults } = await checkStore(db, integrity)
    const rows = await db.read((tx) => tx.all('select name from kpis'))
    return { names: rows.map((row) => String(row['name'])), entries: counts.entries, faults: faults.length }
  } finally {
    await db.close()
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Kills a process as soon as it has got so far, or when it has ended by itself. */
const killWhen = async ({ child, ended }: Running, isSoFar: () => boolean): Promise<void> => {
  let isOver = false
  void ended.then(() => (isOver = true))
  while (!isOver && !isSoFar()) await setTimeout(1)
  child.kill('SIGKILL')
  await ended
}

const startWriter = (home: Folder, path: string): Running =>
  startProgram(home, [process.execPath, WRITER, path, '100000'])

test(
  'backups that are made while two processes write are each whole, and of one moment',
  { timeout: 60_000 },
  async () => {
    using home = temporaryFolder()
    mkdirSync(home.in('data'))
    const path = home.in('data/kpi.db')
    const writers = [startWriter(home, path), startWriter(home, path)]
    await Promise.all(writers.map(({ says }) => says(/^1$/m)))
    let before = 0
    for (const name of ['1', '2']) {
      const made = await runKpi(home, ['service', 'backup', `${name}.db`, '--data-dir', 'data', '-o', 'json'])
      expect({ code: made.code, stderr: made.stderr }).toEqual({ code: 0, stderr: '' })
      const content = await contentOf(home.in(`${name}.db`))
      const db = await openStore(home.in(`${name}.db`))
      const [tally] = await db.read((tx) => entries.within(tx, 1, [{ item: 1, kpi: 1, from: 0, to: 0 }]))
      await db.close()
      // Each transaction counts one up in that entry, and adds a batch.
      const done = Number(tally?.actual)
      expect(content).toMatchObject({ entries: done * BATCH + 1, faults: 0 })
      expect(done).toBeGreaterThan(before)
      before = done
    }
    for (const { child } of writers) child.kill('SIGKILL')
    expect((await Promise.all(writers.map(({ ended }) => ended))).map(({ stderr }) => stderr)).toEqual(['', ''])
    expect(readdirSync(home.path).filter((name) => name.startsWith('.kpi'))).toEqual([])
  },
)

test('a backup that is killed leaves the file that was there, or is done', { timeout: 60_000 }, async () => {
  using home = temporaryFolder()
  mkdirSync(home.in('data'))
  await makeStore(home.in('data/kpi.db'), 'New', 40_000)
  await makeStore(home.in('nightly.db'), 'Old', 10)
  const backup = ['service', 'backup', 'nightly.db', '--force', '--data-dir', 'data']
  const NEW = { names: ['New'], entries: 40_000, faults: 0 }
  for (const size of some(2, [0, 1, 1_500_000])) {
    const isSoFar = (): boolean =>
      readdirSync(home.path).some(
        (name) => name.startsWith('.kpi-backup-') && sizeOf(home.in(join(name, 'kpi.db'))) >= size,
      )
    await killWhen(startKpi(home, backup), isSoFar)
    expect([{ names: ['Old'], entries: 10, faults: 0 }, NEW]).toContainEqual(await contentOf(home.in('nightly.db')))
    for (const name of readdirSync(home.path))
      if (name.startsWith('.kpi-backup-')) rmSync(home.in(name), { recursive: true })
  }
  expect(await runKpi(home, backup)).toMatchObject({ code: 0, stderr: '' })
  expect(await contentOf(home.in('nightly.db'))).toEqual(NEW)
})

describe('a restore that is killed', () => {
  const OLD = { names: ['Old'], entries: 20_000, faults: 0 }
  const NEW = { names: ['New'], entries: 40_000, faults: 0 }
  const NONE = { names: [], entries: 0, faults: 0 }

  /** Lays down a store; answers which file of it grows first when it is written over, and how large that is before. */
  type Prepare = (home: Folder, path: string) => Promise<readonly [suffix: string, size: number]>

  const closed: Prepare = async (home, path) => {
    await runKpi(home, ['kpis', 'list', '--data-dir', 'data'])
    copyFileSync(home.in('old.db'), path)
    return ['-wal', 0]
  }
  const killed: Prepare = async (home, path) => {
    await closed(home, path)
    const writer = startProgram(home, [process.execPath, WRITER, path, '1', 'held'])
    await writer.says(/held/)
    writer.child.kill('SIGKILL')
    await writer.ended
    return ['-wal', sizeOf(`${path}-wal`)]
  }
  const absent: Prepare = (home) => {
    rmSync(home.in('data'), { recursive: true, force: true })
    return Promise.resolve(['', 0])
  }

  const CASES = [
    ['a store that was closed', OLD, closed],
    ['a store whose writer was killed', OLD, killed],
    ['nothing', NONE, absent],
  ] as const
  test.each(some(2, CASES))(
    'over %s leaves what was there or what was to be, and can be done again',
    { timeout: 120_000 },
    async (_, was, prepare) => {
      using home = temporaryFolder()
      const path = home.in('data/kpi.db')
      await makeStore(home.in('old.db'), 'Old', OLD.entries)
      await makeStore(home.in('backup.db'), 'New', NEW.entries)
      const restore = ['service', 'restore', 'backup.db', '--force', '--data-dir', 'data']
      for (const size of some(2, [1, 500_000, 1_250_000, 1_750_000, Infinity])) {
        const [suffix, before] = await prepare(home, path)
        await killWhen(startKpi(home, restore), () => sizeOf(path + suffix) >= before + size)
        expect([was, NEW]).toContainEqual(await contentOf(path))
      }
      expect(await runKpi(home, restore)).toMatchObject({ code: 0, stderr: '' })
      expect(await contentOf(path)).toEqual(NEW)
      expect(readdirSync(home.in('data'))).toEqual(['kpi.db'])
    },
  )
})

test(
  'a store is not restored while a server has it open, and is when that has stopped',
  { timeout: 60_000 },
  async () => {
    using home = temporaryFolder()
    await makeStore(home.in('backup.db'), 'New', 10)
    const server = startKpi(home, ['serve', '--port', '0', '--data-dir', 'data'])
    await server.says(/^http/m)
    const restore = (): ReturnType<typeof runKpi> =>
      runKpi(home, ['service', 'restore', 'backup.db', '--force', '--data-dir', 'data'])
    const refused = await restore()
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toBe(
      `kpi: ${home.in('data/kpi.db')} is in use by another process, such as kpi serve; stop it, and restore then\n`,
    )
    server.child.kill('SIGTERM')
    await server.ended
    expect(await restore()).toMatchObject({ code: 0, stderr: '' })
    expect(await contentOf(home.in('data/kpi.db'))).toEqual({ names: ['New'], entries: 10, faults: 0 })
  },
)
