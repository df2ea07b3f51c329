import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { createClassicHandler } from '../../src/server/api/classic.ts'
import { createV1Handler } from '../../src/server/api/v1.ts'
import { createBothHandlers } from '../../src/server/api/variants.ts'
import { accounts } from '../../src/service/accounts/accounts.ts'
import type { Db } from '../../src/store/db.ts'
import { postgresDialect, sqliteDialect } from '../../src/store/dialect.ts'
import { storeTables } from '../../src/store/maintenance/check.ts'
import type { CopyRun } from '../../src/store/maintenance/copy-account.ts'
import { copyAccounts, planCopy } from '../../src/store/maintenance/copy-store.ts'
import { type NamedStore, wholeTables } from '../../src/store/maintenance/table-digest.ts'
import { type Database, postgresDatabase, sqliteDatabase } from './databases.ts'
import { NOW } from './io.ts'
import { ask, askV1, makeKey, type Service } from './service.ts'

/** A store of a test's own that is copied from or to, gone with the test. */
export type CopySide = NamedStore & { readonly kind: Kind; readonly database: Database } & AsyncDisposable

export type Kind = 'sqlite' | 'postgres'

/** Opens an empty store without any account. */
export const openSide = async (kind: Kind, name: string = kind): Promise<CopySide> => {
  const database = await (kind === 'sqlite' ? sqliteDatabase : postgresDatabase)()
  const db = await database.open()
  return {
    kind,
    name,
    database,
    db,
    dialect: kind === 'sqlite' ? sqliteDialect : postgresDialect,
    [Symbol.asyncDispose]: async () => {
      await db.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** Both directions. */
export const DIRECTIONS: readonly (readonly [from: Kind, to: Kind])[] = [
  ['sqlite', 'postgres'],
  ['postgres', 'sqlite'],
]

/** Describes a run of a test: how many rows it writes at a time, and what happens at each step. */
type Course = Partial<Pick<CopyRun, 'onRows' | 'rowsPerBlock'>> & {
  readonly names?: readonly string[]
  readonly warned?: string[]
}

let runs = 0

/** Describes a run that copies from one store to another. */
export const runBetween = async (source: NamedStore, target: NamedStore, course: Course = {}): Promise<CopyRun> => ({
  source,
  target,
  tables: await wholeTables(),
  sourceName: source.name,
  id: `run${(runs += 1)}`,
  rowsPerBlock: course.rowsPerBlock ?? 1000,
  onRows: course.onRows ?? ((): void => undefined),
})

/** Copies accounts, or all of them. */
export const copy = async (source: NamedStore, target: NamedStore, course: Course = {}): Promise<void> => {
  const run = await runBetween(source, target, course)
  await copyAccounts(run, await planCopy(run, course.names), {
    begins: () => undefined,
    beginsAnew: async (account) => void course.warned?.push(account),
    isThere: () => Promise.resolve(),
  })
}

/** All rows of a store, table by table, as texts in an order of their own. */
export const rowsOf = async (db: Db): Promise<Readonly<Record<string, readonly string[]>>> => {
  const tables = await storeTables()
  return db.read(async (tx) => {
    const all: Record<string, readonly string[]> = {}
    for (const { name } of tables) {
      const rows = await tx.all(`select * from ${name}`)
      const told = rows.map((row) =>
        JSON.stringify(
          Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)),
          (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value),
        ),
      )
      all[name] = told.sort()
    }
    return all
  })
}

/** An account of a store as clients reach it. */
export type Reached = Pick<Service, 'login' | 'token' | 'key'>

/** A service on a store, and an account of it; its clock stands still, and its requests are numbered from 1. */
export const serviceOn = (db: Db, reached: Reached, seconds = Math.floor(NOW / 1000)): Service => {
  let requests = 0
  const deps = {
    db,
    version: '0.0.0-test',
    now: () => seconds,
    requestId: () => `request-${(requests += 1)}`,
    onError: (error: unknown) => {
      throw error
    },
  }
  return {
    ...reached,
    db,
    dataDir: '',
    handler: createBothHandlers(createClassicHandler(deps), createV1Handler(deps)),
    logged: [],
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

/** Creates an account that clients can use, with a token and a key. */
export const openAccount = async (db: Db, name: string): Promise<Reached> => {
  const seconds = Math.floor(NOW / 1000)
  const account = await accounts.create(db, { name, login: `eve@${name}.example.com` }, seconds)
  await accounts.setApiEnabled(db, name, true)
  const { login, token } = await accounts.createToken(db, name, (bytes) => randomBytes(bytes))
  return { login, token, key: await makeKey(db, account, {}, seconds) }
}

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 })
const decimal = fc.integer({ min: -(10 ** 9), max: 10 ** 9 }).map((value) => value / 10_000)
const day = fc.integer({ min: 1, max: 28 }).map((value) => `2026-02-${String(value).padStart(2, '0')}`)
const orNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value)
const some = <T>(value: fc.Arbitrary<T>, maxLength = 4): fc.Arbitrary<T[]> => fc.array(value, { maxLength })
const small = fc.integer({ min: 1, max: 8 })
const sortOrder = fc.integer({ min: -32_768, max: 32_767 })
const key = fc.option(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 }).map((word) => word.trim()))

const targets = orNull(
  fc.uniqueArray(fc.record({ from: day, target: decimal }), { maxLength: 3, selector: ({ from }) => from }),
)

const kpi = fc.record({
  name: text,
  description: orNull(text),
  icon_id: fc.constant(1),
  unit_id: fc.integer({ min: 1, max: 4 }),
  category_id: fc.constant(1),
  frequency_id: fc.constantFrom('D', 'W', 'M', 'Q', 'Y'),
  value_direction: fc.constantFrom('U', 'D', 'N'),
  aggregate_function: fc.constantFrom('SUM', 'AVG'),
  target_default: orNull(decimal),
  targets,
  sort_order: sortOrder,
  is_active: fc.constant(true),
})
const user = fc.record({
  user_type: fc.constantFrom('User', 'Admin'),
  user_status_id: fc.constantFrom('A', 'A', 'L'),
  first_name: text,
  last_name: orNull(text),
  email: text.map((word) => `${word.replaceAll(/[\s@]/g, 'x')}@Example.com`),
  password: orNull(fc.constant('a long password 123')),
})
const entry = fc.record({
  user_id: small,
  kpi_id: small,
  entry_date: day,
  actual: orNull(decimal),
  target: orNull(decimal),
  notes: orNull(text),
})
const post = <T>(path: string, body: fc.Arbitrary<T>) =>
  fc.record({ method: fc.constant('POST'), path: fc.constant(path), body: body, key })

/** Draws what clients of an account ask, by which it gets some of everything; part of it is refused. */
export const drawnRequests = fc
  .record({
    kpis: some(post('/kpis', kpi)),
    users: some(post('/users', user)),
    catalog: some(
      fc.oneof(post('/kpicategories', fc.record({ name: text })), post('/groups', fc.record({ name: text }))),
    ),
    items: some(post('/groups/2/items', fc.record({ name: text, sort_order: sortOrder }))),
    links: some(
      fc.tuple(small, small).chain(([person, id]) => post(`/users/${person}/groupitems`, fc.constant({ id }))),
    ),
    assigned: some(
      fc
        .tuple(small, small, orNull(decimal), targets)
        .chain(([person, id, user_target, dated]) =>
          post(`/users/${person}/kpis`, fc.constant({ id, user_target, targets: dated, sort_order: id })),
        ),
      8,
    ),
    entries: some(post('/kpientries', entry), 12),
    removed: some(fc.constantFrom('/kpis/1', '/users/2', '/kpientries/1').map((path) => ({ method: 'DELETE', path }))),
  })
  .map(({ kpis, users, catalog, items, links, assigned, entries, removed }) => [
    ...[kpis, users, catalog, items, links, assigned, entries].flat(),
    ...removed,
  ])

/** One request of a client, with an Idempotency-Key or without. */
export type DrawnRequest = {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly key?: string | null
}

/** Sends a request; returns the whole answer. */
export const send = (service: Service, { method, path, body, key: once }: DrawnRequest) =>
  ask(service, { method, path, body, ...(once ? { headers: { 'idempotency-key': once } } : {}) })

const LISTS = ['/kpis', '/users', '/kpicategories', '/groups', '/groups/2/items', '/users/1/kpis', '/users/2/kpis']
const DAYS = 'dateFrom=2026-01-01&dateTo=2026-12-31'

/** Returns all that an account answers to questions in both variants. */
export const answersOf = async (service: Service): Promise<unknown[]> => {
  const answers: unknown[] = []
  for (const path of [...LISTS, `/kpientries?${DAYS}`, `/reports/AllDataEntries?${DAYS}`]) {
    answers.push(
      await ask(service, { path }),
      await ask(service, { path, headers: { 'content-type': 'application/xml' } }),
      await ask(service, { path, headers: { prefer: 'dated-targets' } }),
    )
  }
  for (const path of ['/kpis', '/users', '/breakdownitems', `/kpientries?${DAYS}`, `/reports/AllDataEntries?${DAYS}`])
    answers.push(await askV1(service, { path }))
  return answers
}
