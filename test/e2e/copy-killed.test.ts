import { mkdirSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ensureDefaultAccount } from '../../src/service/accounts/accounts.ts'
import type { Db } from '../../src/store/db.ts'
import { takeIds } from '../../src/store/tables/table.ts'
import { kpis } from '../../src/store/tables/kpis.ts'
import { openStore } from '../../src/store/schema/open-store.ts'
import { rowsOf } from '../support/copy.ts'
import { type Database, postgresDatabase } from '../support/databases.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { type Ended, runKpi, startKpi } from '../support/process.ts'
import { some } from '../support/soak/tests.ts'
import { entryRow, kpiRecord, insertEntries } from '../support/store.ts'

const COUNT = 45_000
const ENTRIES = 'select count(*) as n from entries'

const fill = async (db: Db, count = COUNT): Promise<void> => {
  const { id } = await ensureDefaultAccount(db, 0)
  await db.write(async (tx) => {
    await kpis.insert(tx, id, kpiRecord({ id: await takeIds(tx, id, 'kpis') }))
    const first = await takeIds(tx, id, 'entries', count)
    const rows = Array.from({ length: count }, (_, at) =>
      entryRow({ id: first + at, entry_date: at, actual: BigInt(at) }),
    )
    await insertEntries(tx, id, rows)
  })
}

let home: Folder
let postgres: Database
beforeEach(async () => {
  home = temporaryFolder()
  mkdirSync(home.in('data'))
  postgres = await postgresDatabase()
})
afterEach(async () => {
  home[Symbol.dispose]()
  await postgres[Symbol.asyncDispose]()
})

const copyTo = (to: string, ...more: string[]): string[] => [
  'service',
  'copy',
  '--to',
  to,
  '--data-dir',
  'data',
  ...more,
]
const run = (...args: string[]): Promise<Ended> => runKpi(home, args, postgres.env)

/** Each store, and how to copy to it from the other one. */
const SIDES = [
  ['postgres', () => openStore(home.in('data/kpi.db')), () => postgres.open()],
  ['sqlite', () => postgres.open(), () => openStore(home.in('data/kpi.db'))],
] as const

describe.each(some(1, SIDES))('a copy to %s', (to, openSource, openTarget) => {
  test('that is killed or interrupted after any block is hidden, and continues', { timeout: 240_000 }, async () => {
    const [source, target] = [await openSource(), await openTarget()]
    await fill(source)
    const expected = await rowsOf(source)
    const names = async (): Promise<string[]> =>
      (await target.read((tx) => tx.all('select name from accounts'))).map(({ name }) => String(name))
    const count = async (): Promise<number> => Number((await target.read((tx) => tx.all(ENTRIES)))[0]?.['n'])
    for (const [least, signal] of some(1, [
      [0, 'SIGKILL'],
      [1, 'SIGKILL'],
      [10_001, 'SIGINT'],
      [20_001, 'SIGKILL'],
      [40_001, 'SIGTERM'],
    ] as const)) {
      const { child, ended } = startKpi(home, copyTo(to), postgres.env)
      let isOver = false
      void ended.then(() => (isOver = true))
      while (!isOver && ((await names()).length === 0 || (await count()) < least)) await setTimeout(2)
      child.kill(signal)
      const { code, stderr } = await ended
      // It may have been faster than its end.
      if (code === 0) break
      const said = stderr.includes('kpi: stopped; run the same command to continue\n')
      expect([code, said]).toEqual(signal === 'SIGKILL' ? [null, false] : [6, true])
      expect(await names()).toEqual([expect.stringMatching(/^default \(copy [0-9a-f]{12} of .+\)$/)])
      expect(await count()).toBeGreaterThanOrEqual(least)
    }
    const done = await run(...copyTo(to, '-o', 'json'))
    expect(done).toMatchObject({ code: 0 })
    const sum = (COUNT * (COUNT - 1)) / 2 / 10_000
    expect(JSON.parse(done.stdout)).toMatchObject({ accounts: 1, entries: COUNT, actual: sum, target: 0 })
    expect(await rowsOf(target)).toEqual(expected)
    await Promise.all([source.close(), target.close()])
  })

  test('whose database drops its connections, or whose time is over, continues', { timeout: 120_000 }, async () => {
    const [source, target] = [await openSource(), await openTarget()]
    await fill(source)
    // The connections of the command have a name of their own, by which they are ended once it has copied something.
    const url = new URL(postgres.env['KPI_POSTGRES_URL'] ?? '')
    url.searchParams.set('application_name', 'copy that is cut off')
    const { ended } = startKpi(home, copyTo(to), { KPI_POSTGRES_URL: url.href })
    let isOver = false
    void ended.then(() => (isOver = true))
    const there = await openTarget()
    const dropped = await postgres.open()
    while (!isOver && Number((await there.read((tx) => tx.all(ENTRIES)))[0]?.['n']) < 10_001) await setTimeout(2)
    const sql = `select pg_terminate_backend(pid) as ended from pg_stat_activity where application_name = 'copy that is cut off'`
    while (!isOver) await dropped.write((tx) => tx.all(sql))
    const { code, stderr } = await ended
    expect({ code, stderr }).toEqual({
      code: 6,
      stderr: expect.stringContaining('the copy is not finished; run the same command to continue') as string,
    })
    const late = await run(...copyTo(to, '--deadline', '1s'))
    const saysSo = late.stderr.includes('the deadline (1s) has passed; stopped; run the same command to continue')
    // It may be done in time.
    expect([late.code, saysSo]).toEqual(late.code === 0 ? [0, false] : [6, true])
    expect(await run(...copyTo(to))).toMatchObject({ code: 0 })
    expect(await rowsOf(target)).toEqual(await rowsOf(source))
    await Promise.all([source, target, there, dropped].map((db) => db.close()))
  })

  test('shows what it would copy, and changes nothing', { timeout: 60_000 }, async () => {
    const [source, target] = [await openSource(), await openTarget()]
    await fill(source, 100)
    const shown = await run(...copyTo(to, '--dry-run', '-o', 'json'))
    expect(shown).toMatchObject({ code: 0, stderr: 'nothing was copied: --dry-run\n' })
    expect(JSON.parse(shown.stdout)).toMatchObject({ accounts: 1, users: 1, kpis: 1, entries: 100 })
    expect((await rowsOf(target))['accounts']).toEqual([])
    await Promise.all([source.close(), target.close()])
  })
})

test('wrong lines and missing stores are refused with what to do', { timeout: 60_000 }, async () => {
  expect(await run(...copyTo('postgres'))).toMatchObject({
    code: 1,
    stderr: `kpi: there is no store in ${home.in('data')}; name its folder with --data-dir\n`,
  })
  expect(await runKpi(home, copyTo('postgres', '--store', 'sqlite'))).toMatchObject({ code: 2 })
  expect(await runKpi(home, ['service', 'copy'])).toMatchObject({ code: 2 })
  expect(await runKpi(home, copyTo('sqlite'))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('nothing says where PostgreSQL is: set KPI_POSTGRES_URL') as string,
  })
})
