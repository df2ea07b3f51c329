import { setImmediate as nextTurn } from 'node:timers/promises'
import { eachFault, storeTables } from '../../../src/store/maintenance/check.ts'
import type { Reader, SqlRow, Writer } from '../../../src/store/db.ts'
import type { Handler } from '../../../src/server/wire.ts'
import { listen } from '../../../src/server/http/listener.ts'
import type { Database } from '../databases.ts'
import { NOW } from '../io.ts'
import { type Service, startService } from '../service.ts'
import { neighbour, type World, worldOf } from '../suite/world.ts'
import { openWire, type Wire } from './connection.ts'

/** A service on one database, which holds what every account of the suite holds, and can be put back to that. */
export type FuzzWorld = {
  readonly service: Service
  readonly wire: Wire
  /** Where it listens, as it says where a request does not name it. */
  readonly url: string
  /** What the store holds of the account, as text: the same on every database. */
  readonly contents: () => Promise<readonly string[]>
  /** What in the store breaks a rule. */
  readonly storeFaults: () => Promise<readonly string[]>
  /** Resolves when nothing is being done any more, whether or not anybody waits for the answer. */
  readonly settled: () => Promise<void>
  /** Puts all of the account back as it was. */
  readonly restore: () => Promise<void>
} & AsyncDisposable

/** The rows of an account in a table, and the columns that name one of them. */
type TableRows = { readonly table: string; readonly key: readonly string[]; readonly rows: readonly SqlRow[] }

const readAll = async (tx: Reader, { account }: World): Promise<readonly TableRows[]> => {
  const tables = (await storeTables()).filter(({ name }) => name !== 'accounts')
  const all: TableRows[] = []
  for (const { name: table, key } of tables) {
    all.push({ table, key, rows: await tx.all(`select * from ${table} where account_id = ?`, [account.id]) })
  }
  return all
}

const written = (_name: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

/** Columns that hold what is random, or when something was used. */
const RANDOM: ReadonlySet<string> = new Set([
  'password_hash',
  'key_hash',
  'begins',
  'owner',
  'fingerprint',
  'last_used_at',
])

/** The rows as text that is the same on every database. */
const textsOf = ({ table, rows }: TableRows): string[] =>
  rows.map((row) => {
    const names = Object.keys(row).filter((name) => !RANDOM.has(name) && name !== 'account_id')
    const pairs = names.sort().map((name) => [name, row[name]])
    return `${table} ${JSON.stringify(pairs, written)}`
  })

const textOf = (row: SqlRow): string => JSON.stringify(row, written)
const textsIn = (table: TableRows | undefined): Set<string> => new Set(table?.rows.map(textOf))

const insert = async (tx: Writer, table: string, row: SqlRow): Promise<void> => {
  const marks = Object.keys(row)
    .map(() => '?')
    .join(', ')
  await tx.run(`insert into ${table} (${Object.keys(row).join(', ')}) values (${marks})`, Object.values(row))
}

const remove = async (tx: Writer, { table, key }: TableRows, row: SqlRow): Promise<void> => {
  const names = ['account_id', ...key]
  const where = names.map((name) => `${name} = ?`).join(' and ')
  await tx.run(
    `delete from ${table} where ${where}`,
    names.map((name) => row[name] ?? null),
  )
}

/**
 * Makes of what is in some tables what was there: what names others goes first, and comes last. A row that has changed goes
 * and comes again, as what is unique in it may be in another row now.
 */
const putBack = async (tx: Writer, was: readonly TableRows[], is: readonly TableRows[]): Promise<void> => {
  for (const [at, table] of [...is.entries()].toReversed()) {
    const before = textsIn(was[at])
    for (const row of table.rows) if (!before.has(textOf(row))) await remove(tx, table, row)
  }
  for (const [at, table] of was.entries()) {
    const now = textsIn(is[at])
    for (const row of table.rows) if (!now.has(textOf(row))) await insert(tx, table.table, row)
  }
}

const faultsIn = async ({ db }: World): Promise<string[]> => {
  const faults: string[] = []
  await db.read((tx) => eachFault(tx, (fault) => faults.push(JSON.stringify(fault))))
  return faults
}

/** Changes what a service answers, so that tests can see what is found of it. */
export type Wrap = (handler: Handler) => Handler

/** Keeps what a face is at, so that a test can wait until all of it is over. */
const watched = (handler: Handler): { readonly handler: Handler; readonly running: () => Promise<unknown> } => {
  const running = new Set<Promise<unknown>>()
  return {
    handler: (request) => {
      const answering = handler(request).finally(() => running.delete(answering))
      running.add(answering)
      return answering
    },
    running: () => Promise.allSettled(running),
  }
}

/** Opens a service on a database of a kind. */
export const openFuzzWorld = async (make: () => Promise<Database>, wrap: Wrap): Promise<FuzzWorld> => {
  const database = await make()
  const { settingReferencesAside } = database
  const service = await startService(NOW, async () => database)
  await neighbour(service)
  const world = await worldOf(service, 'fuzz')
  const { handler, running } = watched(wrap(service.handler))
  const server = await listen(handler, '127.0.0.1', 0, { clock: () => performance.now() })
  const wire = openWire(server.url)
  const read = (): Promise<readonly TableRows[]> => world.db.read((tx) => readAll(tx, world))
  const was = await read()
  /** Waits also for requests that were read and not yet handed to the face: only the kept connection stays. */
  const settled = async (): Promise<void> => {
    const { connections } = server
    while (connections.running() > 0 || connections.open() > 1) await nextTurn()
    await running()
  }
  return {
    service: world,
    wire,
    url: server.url,
    settled,
    contents: async () => (await read()).flatMap(textsOf),
    storeFaults: () => faultsIn(world),
    restore: () =>
      world.db.write(async (tx) => {
        // What was there before may be named by nothing that is there now, and the other way round.
        await tx.run(settingReferencesAside)
        await putBack(tx, was, await readAll(tx, world))
      }),
    [Symbol.asyncDispose]: async () => {
      wire.close()
      await server.close()
      await service[Symbol.asyncDispose]()
    },
  }
}
