import { randomBytes } from 'node:crypto'
import { inProcessTransport } from '../../../src/cli/embedded.ts'
import { type Client, createClient } from '../../../src/client/client.ts'
import type { Account } from '../../../src/domain/resources/account.ts'
import { SCOPES } from '../../../src/domain/scopes.ts'
import { accounts } from '../../../src/service/accounts/accounts.ts'
import { keepBatch } from '../../../src/service/entries/keep-batch.ts'
import { calculated } from '../../../src/service/definitions/calculated-kpis.ts'
import { keys } from '../../../src/service/accounts/keys.ts'
import { takeIds } from '../../../src/store/tables/table.ts'
import type { Db } from '../../../src/store/db.ts'
import type { StoredEntry } from '../../../src/store/tables/entries.ts'
import { addCrowd } from './crowd.ts'
import { insertEntries } from '../store.ts'

/** How much an account holds: the more, the longer a request can take that is not bounded. */
export type Size = {
  readonly entries: number
  readonly users: number
  readonly groupItems: number
  /** The people, and the KPIs, of an account that has little else. */
  readonly crowd: number
}

/** What an account's client sends to be let in. */
export type Caller = { readonly basic: string; readonly bearer: string }

/**
 * Accounts of one service: two whose clients send what they can to keep the service busy, one with many entries and one
 * with many people and KPIs, and one that must not notice.
 */
export type Contenders = {
  readonly hostile: Caller
  readonly crowded: Caller
  readonly bystander: Caller
  readonly size: Size
}

/** The KPIs of the hostile account: with many entries, with long notes, and with formulas whose fractions grow. */
export const [DAILY, YEARLY, DOOMED, RECIPROCAL, POWER] = [1, 2, 3, 4, 5]
/** The user who carries all group items; the first is the administrator. */
export const CARRIER = 2

/** The first day that has entries. */
export const FIRST_DAY = 10_957
const DAYS_A_USER = 10_000
const BLOCK = 5000
const NOTED_USERS = 60
const NOTED_DAYS = 100

const openAccount = async (db: Db, name: string): Promise<{ account: Account; client: Client; caller: Caller }> => {
  await accounts.create(db, { name, login: `admin@${name}.example.com`, plan: 'team' }, 0)
  const account = await accounts.setApiEnabled(db, name, true)
  const { login, token } = await accounts.createToken(db, name, randomBytes)
  const draft = { name: 'all', user_id: 1, scopes: SCOPES.join(',') }
  const { secret } = await keys.create({ db: db.ofAccount(account.id), account, now: 0 }, draft, randomBytes)
  const basic = `Basic ${Buffer.from(`${login}:${token}`).toString('base64')}`
  return {
    account,
    client: createClient(inProcessTransport(db, account, () => 0)),
    caller: { basic, bearer: `Bearer ${secret}` },
  }
}

const kpiNamed = (name: string, frequency_id: 'D' | 'Y') =>
  ({
    name,
    frequency_id,
    category_id: 1,
    icon_id: 1,
    unit_id: 1,
    value_direction: 'U',
    aggregate_function: 'SUM',
    sort_order: 1,
    is_active: true,
  }) as const

const addUsers = async (client: Client, count: number): Promise<void> => {
  for (let at = 2; at < count + 2; at += 1) {
    const email = `user${at}@example.com`
    await client.users.add({ first_name: 'User', last_name: String(at), email, user_type: 'User', user_status_id: 'A' })
  }
}

/** Gives one user as many group items as are taken. */
const linkGroupItems = async (client: Client, count: number): Promise<void> => {
  const { id: group } = await client.groups.add({ name: 'Regions', sort_order: 1 })
  for (let at = 1; at <= count; at += 1) {
    const { id } = await client.groupItems(group).add({ name: `Region ${at}`, sort_order: 1 })
    await client
      .userGroupItems(CARRIER)
      .add({ id })
      .catch(() => undefined)
  }
}

function* entriesOf(size: Size): Generator<Omit<StoredEntry, 'id'>> {
  const common = { target: null, notes: null, item_set: null, revision: 0, created_at: 0, updated_at: 0 }
  for (const kpi_id of [DAILY, DOOMED]) {
    for (let at = 0; at < size.entries / 2; at += 1) {
      const [user, day] = [Math.floor(at / DAYS_A_USER) % size.users, at % DAYS_A_USER]
      yield { ...common, item_id: user + 2, kpi_id, entry_date: FIRST_DAY + day, actual: BigInt(at * 10_007 + 1) }
    }
  }
  for (let at = 0; at < NOTED_USERS * NOTED_DAYS; at += 1) {
    const [user, day] = [Math.floor(at / NOTED_DAYS), at % NOTED_DAYS]
    const notes = String.fromCodePoint(0x4e00 + day).repeat(500)
    yield {
      ...common,
      item_id: user + 2,
      kpi_id: YEARLY,
      entry_date: FIRST_DAY + day,
      actual: BigInt(at * 7 + 3),
      notes,
    }
  }
}

const fill = async (db: Db, account: number, size: Size): Promise<void> => {
  let block: Omit<StoredEntry, 'id'>[] = []
  const flush = (): Promise<void> =>
    db.write(async (tx) => {
      const first = await takeIds(tx, account, 'entries', block.length)
      await insertEntries(
        tx,
        account,
        block.map((row, at) => ({ ...row, id: first + at })),
      )
      const run = { account: { id: account }, now: 0, run: 'filled', credentials: undefined }
      await keepBatch(tx, run, { firstId: first, created: block.length, changed: [] })
      block = []
    })
  for (const row of entriesOf(size)) if (block.push(row) === BLOCK) await flush()
  if (block.length > 0) await flush()
}

/** Makes the accounts in a store that is empty. */
export const makeContenders = async (db: Db, size: Size): Promise<Contenders> => {
  const [hostile, bystander] = [await openAccount(db, 'hostile'), await openAccount(db, 'bystander')]
  await bystander.client.kpis.add(kpiNamed('Sales', 'D'))
  const { client, account } = hostile
  for (const name of ['Sales', 'Yearly', 'Doomed']) await client.kpis.add(kpiNamed(name, name === 'Yearly' ? 'Y' : 'D'))
  const context = { db: db.ofAccount(account.id), account, now: 0 }
  const computed = { ...kpiNamed('Reciprocal', 'Y'), over: 'results', target_from: 'default' } as const
  await calculated.add(context, { ...computed, formula: `1 / [${YEARLY}]` })
  const power = Array.from({ length: 8 }, () => `[${RECIPROCAL}]`).join(' * ')
  await calculated.add(context, { ...computed, name: 'Power', formula: power })
  await addUsers(client, size.users)
  for (const kpi of [DAILY, YEARLY]) await client.assignments(CARRIER).add({ id: kpi, sort_order: 1 })
  await linkGroupItems(client, size.groupItems)
  await fill(db.ofAccount(account.id), account.id, size)
  const crowded = await openAccount(db, 'crowded')
  const { id: kpi } = await crowded.client.kpis.add(kpiNamed('Sales', 'D'))
  await addCrowd(db.ofAccount(crowded.account.id), crowded.account.id, crowded.client, kpi, size.crowd)
  return { hostile: hostile.caller, crowded: crowded.caller, bystander: bystander.caller, size }
}
