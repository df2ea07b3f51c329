import { filledColumns } from '../../src/store/db.ts'
import { join } from 'node:path'
import { postgresDialect } from '../../src/store/dialect.ts'
import { removeUnfinished } from '../../src/store/maintenance/copy-account.ts'
import { wholeTables } from '../../src/store/maintenance/table-digest.ts'
import type { EntryDraft } from '../../src/domain/resources/entry.ts'
import { keepBatch } from '../../src/service/entries/keep-batch.ts'
import { accounts } from '../../src/service/accounts/accounts.ts'
import { authenticateKey, noteKeyUse } from '../../src/service/accounts/keys.ts'
import { createLoginThrottle } from '../../src/service/limits/login-throttle.ts'
import { createRateLimit } from '../../src/service/limits/rate-limit.ts'
import { refusedLogins, requestLog } from '../../src/store/rate-limits/limits.ts'
import { entryQueries } from '../../src/store/tables/entry-queries.ts'
import { idempotentRequests } from '../../src/store/tables/idempotency.ts'
import { itemSets } from '../../src/store/tables/item-sets.ts'
import { runs } from '../../src/store/tables/runs.ts'
import { limitsWithin } from '../../src/store/rate-limits/open-limits.ts'
import type { EntryQuery } from '../../src/client/operations/queries.ts'
import { kpiDraft } from './client-questions.ts'
import { KPI, tell } from './classic.ts'
import type { Database } from './databases.ts'
import { kpiNamed, userNamed } from './import.ts'
import { NOW } from './io.ts'
import { shellIn } from './kpi.ts'
import { of } from './limits.ts'
import { type Service, startService, type Way, wayTo } from './service.ts'
import { entryRow } from './store.ts'

const DAY = 20_000
const RANGE = { from: DAY, to: DAY + 40 }

/** Reads, changes and deletes the definitions of an account; returns a group and an item of it, which stay. */
const useDefinitions = async ({ client, newer }: Way): Promise<{ readonly group: number; readonly item: number }> => {
  for (const place of [client.categories, client.groups]) {
    const { id } = await place.add({ name: 'Spare' })
    await place.get(id)
    await place.update(id, { name: 'Rest' })
    await place.remove(id)
    await place.list()
  }
  const unit = await client.units.add({ name: 'Spare', entry_format: '#', display_format: '#', is_percentage: false })
  await client.units.remove(unit.id)
  await client.categoryKpis(1).list()
  const { id: own } = await client.categoryKpis(1).add(kpiDraft({ name: 'Spare' }))
  await client.categoryKpis(1).get(own)
  await client.categoryKpis(1).remove(own)
  const { id: group } = await client.groups.add({ name: 'Region' })
  const spare = await client.groupItems(group).add({ name: 'Spare' })
  await client.groupItems(group).update(spare.id, { name: 'Rest' })
  await client.groupItems(group).get(spare.id)
  await client.groupItems(group).remove(spare.id)
  const { id: item } = await client.groupItems(group).add({ name: 'North' })
  await newer.breakdownItems.list({ breakdownId: group, archived: false })
  await client.groups.remove(group).catch(() => undefined)
  await client.categories.remove(1).catch(() => undefined)
  return { group, item }
}

/** Reads the entries by every combination of filters. */
const listEntries = async ({ client, newer }: Way): Promise<void> => {
  const filters: EntryQuery[] = [{ ...RANGE }]
  for (const one of [{ userId: 1 }, { kpiId: 1 }, { rows: 1, page: 2 }] satisfies Partial<EntryQuery>[]) {
    filters.push(...filters.map((filter) => ({ ...filter, ...one })))
  }
  for (const filter of filters) await client.entries.list(filter)
  for (const filter of filters) await newer.entries.list({ ...filter, sourceId: 1 })
}

/** Has runs write entries, and takes them back. */
const useRuns = async ({ client }: Way, drafts: readonly EntryDraft[], item: number): Promise<void> => {
  const put = (run: string, actual: bigint): Promise<unknown> =>
    client.entries.putMany(
      drafts.map((one) => ({ ...one, actual })),
      undefined,
      run,
    )
  await put('a', 2n)
  await put('b', 3n)
  for (let time = 0; time < 2; time += 1) await put('b', 4n)
  await client.entries.ofRun('a')
  for (const isDry of [true, false])
    for (const run of ['a', 'b']) await client.entries.undoRun(run, { before: undefined, isDry })
  const later = drafts.map((one) => ({ ...one, entry_date: one.entry_date + 100 }))
  await client.entries.putMany(later, undefined, 'c')
  await client.entries.undoRun('c', { before: undefined, isDry: false })
  const { id: kpi_id } = await client.kpis.add(kpiNamed('Gone'))
  const owner = drafts[0]?.user_id ?? 0
  await client.assignments(owner).add({ id: kpi_id, sort_order: 1 })
  await client.entries.putMany([{ user_id: owner, kpi_id, entry_date: 1, actual: 1n }], undefined, 'd')
  await client.kpis.remove(kpi_id)
  const days = drafts.map(({ entry_date }) => entry_date)
  const which = { from: Math.min(...days), to: Math.max(...days), userIds: [owner] }
  const count = (await client.entries.sums(which)).reduce((sum, { entries }) => sum + entries, 0)
  const order = { group_item_id: item, user_ids: String(owner), date_from: which.from, dry_run: false }
  await client.entries.carry('e', order)
  await client.entries.carry('h', { ...order, take_off: true })
  await client.entries.undoRun('h', { before: undefined, isDry: false })
  await client.entries.removeMany('f', which, count)
  await client.entries.carry('g', { ...order, user_ids: null })
  for (const run of ['f', 'e']) await client.entries.undoRun(run, { before: undefined, isDry: false })
}

/** Adds, changes, moves, reads and deletes entries. */
const useEntries = async (
  way: Way,
  { group, item }: { readonly group: number; readonly item: number },
): Promise<void> => {
  const { client } = way
  const user = await client.users.add(userNamed('Ann'))
  await client.users.update(user.id, { last_name: 'Lee' })
  for (const kpi of [1, 2]) {
    await client.assignments(user.id).add({ id: kpi, sort_order: kpi })
    await client.assignments(1).add({ id: kpi, sort_order: kpi })
  }
  await client.userGroupItems(user.id).add({ id: item })
  await client.userGroupItems(user.id).list()
  await client.userGroupItems(user.id).get(item)
  const entry = await client.entries.add({ user_id: user.id, kpi_id: 1, entry_date: DAY, actual: 1n })
  await client.entries.get(entry.id)
  await client.entries.update(entry.id, { entry_date: DAY + 1 })
  await client.entries.update(entry.id, { actual: 2n })
  const drafts = Array.from({ length: 30 }, (_, at) => ({
    user_id: user.id,
    kpi_id: 1,
    entry_date: DAY + at,
    actual: 1n,
  }))
  await client.entries.addMany(drafts)
  await listEntries(way)
  await useRuns(way, drafts, item)
  for (const items of [{}, { groupItemIds: [item] }, { userIds: [1, user.id] }]) {
    await client.report({ ...RANGE, ...items })
    await way.newer.report({ ...RANGE, ...items })
  }
  await client.userGroupItems(user.id).remove(item)
  await client
    .groupItems(group)
    .remove(item)
    .catch(() => undefined)
  await client.users.remove(user.id).catch(() => undefined)
  await client.entries.remove(entry.id)
}

/** Counts requests and wrong logins, and sends requests with a key. */
const useLimits = async (service: Service): Promise<void> => {
  const clock = { now: NOW }
  const store = { db: service.db.selfLocking ?? service.db, now: () => Promise.resolve(clock.now) }
  const [rate, throttle] = [createRateLimit(store, 2), createLoginThrottle(store, 1)]
  for (let time = 0; time < 6; time += 1) {
    for (let request = 0; request < 3; request += 1) await rate(of(1))
    for (const pair of ['a', 'b']) await throttle.noteWrong({ pair, network: '127.0.0.1' }).catch(() => undefined)
    clock.now += 45_000
  }
  for (let time = 0; time < 11; time += 1) {
    await throttle.noteWrong({ pair: 'a', network: '127.0.0.1' }).catch(() => undefined)
  }
  await throttle.requireUnthrottled({ pair: 'a', network: '127.0.0.1' }).catch(() => undefined)
  await service.db.read((tx) => limitsWithin(service.db).now(tx))
  const body = { name: 'Once' }
  for (const key of ['a', 'a', 'b']) {
    const repeated = { method: 'POST', path: '/kpicategories', body, headers: { 'idempotency-key': key } }
    await tell(service, repeated)
  }
}

/** Runs the statements for which a service needs more rows, or a mishap. */
const useRareStatements = async ({ db }: Service, item: number): Promise<void> => {
  const [account, days, none] = [1, RANGE, (): void => undefined]
  const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1)
  await db.read(async (tx) => {
    await requestLog.find(tx, of(account), 1)
    await refusedLogins.head(tx)
    await runs.keyOf(tx, { account, run: 'a' })
    await entryQueries.eachOf(tx, account, { items: upTo(400), kpis: upTo(300), days }, none)
    await entryQueries.eachOfGroups(tx, account, { groups: [item], kpis: [1, 2], days }, none)
    await entryQueries.eachOfMembers(tx, account, { groups: [item], kpis: [1, 2], days }, none)
  })
  await db.write(async (tx) => {
    await requestLog.forget(tx, of(account), 0, 1)
    const keep = (run: string, now: number, most?: number): Promise<number> => {
      const before = entryRow({ actual: 1n })
      const changed = [{ ...before, actual: 2n, before }]
      return keepBatch(tx, { account: { id: account }, now, run }, { firstId: 0, created: 0, changed }, most)
    }
    await keep('old', 0)
    await keep('d', NOW / 1000, 1)
    for (const run of ['e', 'f', 'g']) await keep(run, NOW / 1000)
    for (let time = 0; time < 4; time += 1) await keep('h', NOW / 500)
    await idempotentRequests.release(tx, { account, path: '/kpis', key: 'none' }, 'nobody')
    const row = { pair: 'text', times: 'text', last_at: 'integer' } as const
    const columns = Object.entries(row).map(([name, type]) => ({ name, type }))
    await tx.insertMany('refused_logins', 1, filledColumns(columns, [['c', '1', 1]]))
    await tx.run('delete from entries where account_id = ?', [account])
    await itemSets.removeWith(tx, account, item)
  })
}

/** Does what the operator does. */
const useOperator = async ({ db, key, dataDir }: Service, { env, flags }: Database): Promise<void> => {
  await accounts.createToken(db, 'default', () => new Uint8Array(32))
  const { account, key: used } = await authenticateKey(db, key, NOW / 1000)
  await noteKeyUse(db, account.id, used, NOW / 1000)
  const kpi = shellIn({ home: dataDir, env, now: NOW })
  const lines = [
    'accounts create other --login boss@other.example.com',
    'accounts list',
    'accounts enable-api other',
    'settings set --week-start sunday',
    'settings show',
    'token create --yes',
    'token revoke --yes',
    'keys create nightly --user admin@localhost --scopes entries:write',
    'keys list',
    'keys revoke nightly --yes',
    'breakdowns create Products',
    'breakdowns list',
    'calculated add --name Ratio --frequency D --formula [1]/[2]',
    'calculated list',
    'calculated update Ratio --formula [1]+[2]',
    'calculated remove Ratio --yes',
    'status',
    'check',
  ]
  for (const line of lines) {
    const { code, stderr } = await kpi('service', ...line.split(' '), ...flags)
    if (code !== 0) throw new Error(`kpi service ${line}: ${stderr}`)
  }
}

/** Copies an account to the store and back, and removes it. */
const useCopies = async ({ db, dataDir }: Service, { env }: Database): Promise<void> => {
  const kpi = shellIn({ home: dataDir, env, now: NOW })
  const there = ['--data-dir', join(dataDir, 'there')]
  for (const name of ['two', 'three']) {
    await kpi('service', 'accounts', 'create', name, '--login', `boss@${name}.example.com`, ...there)
  }
  for (const line of [
    ['--to', 'postgres', '--account', 'three', ...there],
    ['--to', 'sqlite', '--account', 'three', '--data-dir', join(dataDir, 'back')],
  ]) {
    const { code, stderr } = await kpi('service', 'copy', ...line)
    if (code !== 0) throw new Error(`kpi service copy ${line.join(' ')}: ${stderr}`)
  }
  const { id } = await accounts.get(db, 'three')
  const target = { db, dialect: postgresDialect, name: 'the store' }
  const run = {
    target,
    sourceName: 'a file',
    tables: await wholeTables(),
    rowsPerBlock: 100,
    id: 'a',
    onRows: () => undefined,
  }
  await removeUnfinished(run, { id, name: 'three' })
}

/** Uses everything that reads or writes a store, on one in a database, so that each of its statements is sent. */
export const useEverything = async (database: Database): Promise<void> => {
  await using service = await startService(NOW, () =>
    Promise.resolve({ ...database, [Symbol.asyncDispose]: () => Promise.resolve() }),
  )
  await using way = await wayTo(service)
  for (const name of ['Revenue', 'Visits']) await way.client.kpis.add(kpiDraft({ name }))
  const kept = await useDefinitions(way)
  await useEntries(way, kept)
  await tell(service, { method: 'POST', path: '/kpis', body: { ...KPI, category_id: undefined } })
  await useLimits(service)
  await useOperator(service, database)
  await useCopies(service, database)
  await way.client.kpis.remove(2)
  await useRareStatements(service, kept.item)
}
