import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createClient } from '../../src/client/client.ts'
import { inProcessTransport } from '../../src/cli/embedded.ts'
import { formatDay } from '../../src/domain/day.ts'
import { accounts, ensureDefaultAccount } from '../../src/service/accounts/accounts.ts'
import type { Db } from '../../src/store/db.ts'
import { expect, test } from 'vitest'
import { type Database, pooledDatabase, postgresDatabase, sqliteDatabase } from '../support/databases.ts'
import { temporaryFolder } from '../support/folder.ts'
import { kpiNamed, userNamed } from '../support/import.ts'
import { NOW } from '../support/io.ts'
import { createLedger, daysFromOne, type Loaded, runClient } from '../support/load.ts'
import { runKpi, type Running, startKpi } from '../support/process.ts'
import { some } from '../support/soak/tests.ts'

/** So low that the clients of one account reach it also on a slow machine, and those of many accounts do not. */
const LIMIT = 75
const SPREAD = 12
const CLIENTS = 8
const CLIENTS_OF_ONE = 3
const ROWS_A_FILE = 500

/** The account of the command line's own imports, which need no credentials: user 2 reports KPI 1 there. */
const prepareAccount = async (db: Db, name: string, urls: () => readonly string[]): Promise<Loaded> => {
  const account = await accounts.create(db, { name, login: `admin@${name}`, plan: 'team' }, 0)
  await accounts.setApiEnabled(db, name, true)
  const { login, token } = await accounts.createToken(db, name, randomBytes)
  const client = createClient(inProcessTransport(db, account, () => NOW))
  const { id: kpiId } = await client.kpis.add(kpiNamed('Sales'))
  const { id: userId } = await client.users.add(userNamed('Ann'))
  await client.assignments(userId).add({ id: kpiId, sort_order: 1 })
  const authorization = `Basic ${Buffer.from(`${login}:${token}`).toString('base64')}`
  return { target: { urls, authorization, userId, kpiId }, ledger: createLedger(), days: daysFromOne() }
}

/** Instances of `kpi serve` on one store, of which some may be killed. */
const createInstances = (database: Database, home: ReturnType<typeof temporaryFolder>) => {
  const running = new Map<Running, string>()
  return {
    urls: (): string[] => [...running.values()],
    start: async (): Promise<Running> => {
      const args = ['serve', '--port', '0', '--rate-limit', String(LIMIT), ...database.flags]
      const instance = startKpi(home, args, { ...database.env })
      const [, url = ''] = await instance.says(/(http:\S+)\n/)
      running.set(instance, url)
      return instance
    },
    kill: async (instance: Running): Promise<void> => {
      running.delete(instance)
      instance.child.kill('SIGKILL')
      await instance.ended
    },
  }
}

/** Accounts by their names: one that more clients write to than its limit allows, and those that share the others. */
const prepareAccounts = async (db: Db, urls: () => readonly string[]): Promise<ReadonlyMap<string, Loaded>> => {
  const all = new Map<string, Loaded>()
  for (const name of ['hot', ...Array.from({ length: SPREAD }, (_, at) => `spread-${at}`)]) {
    all.set(name, await prepareAccount(db, name, urls))
  }
  return all
}

/** Lets all clients write until it is over. */
const startClients = (all: ReadonlyMap<string, Loaded>, isOver: () => boolean): Promise<void>[] => {
  const [hot, ...spread] = [...all.values()]
  if (!hot) throw new Error('no account')
  return Array.from({ length: CLIENTS }, (_, at) => runClient(at < CLIENTS_OF_ONE ? [hot] : spread, isOver))
}

/** Waits until the clients have done what a condition says, however long that takes on this machine. */
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Lets the clients write until half of the hot account's limit is used, then takes an instance away, until all is used. */
const writeAround = async (all: ReadonlyMap<string, Loaded>, takeAway: () => Promise<unknown>): Promise<void> => {
  const hot = all.get('hot')?.ledger
  await until(() => (hot?.accepted ?? 0) > LIMIT / 2)
  await takeAway()
  await until(() => (hot?.limited ?? 0) >= CLIENTS_OF_ONE)
}

/** Every entry of an account: its day and its value in whole units; fails where a day or an id is there twice. */
const entriesOf = async (db: Db, name: string): Promise<Map<number, number>> => {
  const sql = `select e.id, e.entry_date, e.actual from entries e join accounts a on a.id = e.account_id where a.name = ?`
  const rows = await db.read((tx) => tx.all(sql, [name]))
  expect(new Set(rows.map((row) => row['entry_date'])).size).toBe(rows.length)
  expect(new Set(rows.map((row) => row['id'])).size).toBe(rows.length)
  return new Map(rows.map((row) => [Number(row['entry_date']), Number(row['actual']) / 10_000]))
}

/** Holds what is stored against what the clients know: nothing lost, nothing twice, the limit kept. */
const expectTrue = async (db: Db, name: string, { ledger }: Loaded): Promise<void> => {
  const entries = await entriesOf(db, name)
  const added = entries.get(0) ?? 0
  entries.delete(0)
  expect(ledger.wrong).toEqual([])
  for (const day of ledger.stored.keys()) expect([name, day, entries.get(day)]).toEqual([name, day, day])
  const unexpected = [...entries.keys()].filter((day) => !ledger.stored.has(day) && !ledger.unknown.has(day))
  expect(unexpected).toEqual([])
  expect(added).toBeGreaterThanOrEqual(ledger.added.least)
  expect(added).toBeLessThanOrEqual(ledger.added.most)
  // All of it happened within a minute.
  expect(ledger.accepted).toBeLessThanOrEqual(LIMIT)
}

const SHARED = [
  ['one PostgreSQL', postgresDatabase],
  ['one PostgreSQL behind a pooler', pooledDatabase],
] as const

test.each(some(1, SHARED))(
  'two instances on %s, one of them killed: no write is lost or done twice, and both keep one limit',
  { timeout: 120_000 },
  async (_, make) => {
    await using database = await make()
    using home = temporaryFolder()
    const db = await database.open()
    const instances = createInstances(database, home)
    const accountsByName = await prepareAccounts(db, instances.urls)
    const [first] = await Promise.all([instances.start(), instances.start()])
    let isOver = false
    const clients = startClients(accountsByName, () => isOver)
    await writeAround(accountsByName, () => instances.kill(first))
    isOver = true
    await Promise.all(clients)
    for (const [name, one] of accountsByName) await expectTrue(db, name, one)
    expect(accountsByName.get('hot')?.ledger.limited).toBeGreaterThan(0)
    await db.close()
  },
)

/** A file of entries of user 2 and KPI 1, of days that no client writes, for the command line. */
const writeFile = (path: string, firstDay: number): number[] => {
  const days = Array.from({ length: ROWS_A_FILE }, (_, at) => firstDay + at)
  const rows = days.map((day) => `2,1,${formatDay(day)},${-day}`)
  writeFileSync(path, ['user,kpi,date,actual', ...rows, ''].join('\n'))
  return days
}

test(
  'a server and two imports on one SQLite file, the server killed: no write is lost or done twice, and the limit holds',
  { timeout: 120_000 },
  async () => {
    await using database = await sqliteDatabase()
    using home = temporaryFolder()
    const db = await database.open()
    await ensureDefaultAccount(db, 0)
    const instances = createInstances(database, home)
    const accountsByName = await prepareAccounts(db, instances.urls)
    const own = createClient(inProcessTransport(db, await ensureDefaultAccount(db, 0), () => NOW))
    await own.kpis.add(kpiNamed('Sales'))
    await own.users.add(userNamed('Ann'))
    await own.assignments(2).add({ id: 1, sort_order: 1 })
    const server = await instances.start()
    let isOver = false
    const clients = startClients(accountsByName, () => isOver)
    const imported: number[] = []
    const importAgainAndAgain = async (importer: number): Promise<void> => {
      for (let round = 0; !isOver; round += 1) {
        const path = home.in(`${importer}-${round}.csv`)
        const days = writeFile(path, 1 + (importer + round * 2) * ROWS_A_FILE)
        const { code, stderr } = await runKpi(home, ['entries', 'import', path, ...database.flags])
        expect([code, code === 0 ? '' : stderr]).toEqual([0, ''])
        imported.push(...days)
      }
    }
    const imports = [importAgainAndAgain(0), importAgainAndAgain(1)]
    await writeAround(accountsByName, async () => {
      await instances.kill(server)
      await instances.start()
    })
    isOver = true
    await Promise.all([...clients, ...imports])
    for (const [name, one] of accountsByName) await expectTrue(db, name, one)
    const inDefault = await entriesOf(db, 'default')
    expect([...inDefault.keys()].sort((left, right) => left - right)).toEqual(
      imported.sort((left, right) => left - right),
    )
    expect([...inDefault].filter(([day, value]) => value !== -day)).toEqual([])
    expect(await db.read((tx) => tx.all('pragma integrity_check'))).toEqual([{ integrity_check: 'ok' }])
    expect(await db.read((tx) => tx.all('pragma foreign_key_check'))).toEqual([])
    await db.close()
  },
)
