import { KpiError } from '../../domain/errors.ts'
import type { Account } from '../../domain/resources/account.ts'
import { accounts } from '../tables/accounts.ts'
import { copyAccount, type CopyRun, removeUnfinished, reserveAccount, type TargetRun } from './copy-account.ts'
import { differingTables, digestAccount, type NamedStore, type TableDigest } from './table-digest.ts'
import { readUnfinished, type UnfinishedCopy } from './unfinished-copy.ts'

type Named = Pick<Account, 'id' | 'name'>

/** Describes an account to copy, with its digests if an earlier run has finished its copy. */
type PlannedAccount = Named & { readonly copied?: readonly TableDigest[] }

/** Describes what a run will copy: the accounts, and how many rows they have in all tables. */
export type CopyPlan = { readonly accounts: readonly PlannedAccount[]; readonly rows: number }

const listAccounts = async ({ db, isMissing }: NamedStore): Promise<readonly Account[]> =>
  isMissing ? [] : db.read((tx) => accounts.list(tx))

/** Returns the accounts of a store with these names, or all of them; unfinished copies are none. */
const chooseAccounts = async (store: NamedStore, names: readonly string[] | undefined): Promise<readonly Named[]> => {
  const all = (await listAccounts(store)).filter(({ name }) => readUnfinished(name) === undefined)
  const missing = names?.find((name) => !all.some((one) => one.name === name))
  if (missing === undefined) return names ? all.filter(({ name }) => names.includes(name)) : all
  throw new KpiError(
    'not_found',
    `there is no account ${missing} in ${store.name}; kpi service accounts list shows them`,
  )
}

/** Describes an account of the target, whose copy may be unfinished. */
type Existing = Named & { readonly unfinished: UnfinishedCopy | undefined }

const nameOf = ({ name, unfinished }: Existing): string => unfinished?.account ?? name

/** Returns the plan for an account, or why it cannot be copied. */
const planAccount = async (
  run: CopyRun,
  account: Named,
  there: readonly Existing[],
): Promise<PlannedAccount | string> => {
  const { source, target } = run
  const other = there.find((one) => nameOf(one) === account.name && one.id !== account.id)
  if (other) return `there is an account ${account.name} already, with the id ${other.id} instead of ${account.id}`
  const same = there.find(({ id }) => id === account.id)
  if (!same) return account
  if (nameOf(same) !== account.name)
    return `the id ${account.id} of account ${account.name} belongs to account ${nameOf(same)} there, and ids stay the same`
  if (same.unfinished?.source === source.name) return account
  if (same.unfinished)
    return `there is an unfinished copy of account ${account.name} from ${same.unfinished.source}; finish that, or remove it with --discard`
  const onRows = (): void => run.onRows('compared', 0)
  const [ours, theirs] = [
    await digestAccount(source, run.tables, account.id, onRows),
    await digestAccount(target, run.tables, account.id, onRows),
  ]
  const tables = differingTables(ours, theirs)
  if (tables.length === 0) return { ...account, copied: ours }
  return `there is an account ${account.name} already, and it differs (${tables.join(', ')})`
}

const countRows = ({ source, tables }: CopyRun, { id }: Named): Promise<number> =>
  source.db.readLong(async (tx) => {
    let count = 0
    for (const { name, owner } of tables.slice(1)) {
      const [row] = await tx.all(`select count(*) as total from ${name} where ${owner} = ?`, [id])
      count += Number(row?.['total'])
    }
    return count
  })

/**
 * Finds the accounts to copy, by their names or all. Refuses all of them if any is in the target already and is neither
 * the same nor an unfinished copy from this source: nothing has been written then.
 */
export const planCopy = async (run: CopyRun, names: readonly string[] | undefined): Promise<CopyPlan> => {
  const chosen = await chooseAccounts(run.source, names)
  const there = (await listAccounts(run.target)).map(({ id, name }) => ({ id, name, unfinished: readUnfinished(name) }))
  const [planned, refused]: [PlannedAccount[], string[]] = [[], []]
  let rows = 0
  for (const { id, name } of chosen) {
    const one = await planAccount(run, { id, name }, there)
    if (typeof one === 'string') refused.push(one)
    else planned.push(one)
    if (typeof one !== 'string' && !one.copied) rows += await countRows(run, one)
  }
  if (refused.length === 0) return { accounts: planned, rows }
  throw new KpiError(
    'conflict',
    `${run.target.name} is not empty: ${refused.join('; ')}; nothing was copied, choose an empty store or other accounts`,
  )
}

/** Holds what the accounts of a copy come to, table by table. */
export type CopyTotals = Readonly<Record<'accounts' | 'users' | 'kpis' | 'keys' | 'entries' | 'rows', number>> &
  Readonly<Record<'actual' | 'target', bigint>>

/** Adds up the digests of accounts. */
export const addUp = (all: readonly (readonly TableDigest[])[]): CopyTotals => {
  const digests = all.flat()
  const count = (name?: string): number =>
    digests.filter(({ table }) => name === undefined || table === name).reduce((sum, { rows }) => sum + rows, 0)
  const sum = (column: string): bigint =>
    digests.filter(({ table }) => table === 'entries').reduce((total, { sums }) => total + (sums[column] ?? 0n), 0n)
  return {
    accounts: count('accounts'),
    users: count('users'),
    kpis: count('kpis'),
    keys: count('keys'),
    entries: count('entries'),
    rows: count(),
    actual: sum('actual'),
    target: sum('target'),
  }
}

/** Describes what a run tells, besides its rows. */
type CopyEvents = {
  readonly begins: (account: string) => void
  /** Called if an unfinished copy is begun anew, because the source has changed. */
  readonly beginsAnew: (account: string) => Promise<void>
  readonly isThere: (account: string) => Promise<void>
}

/** Copies the accounts of a plan one after the other; returns the digests of each. */
export const copyAccounts = async (
  run: CopyRun,
  plan: CopyPlan,
  events: CopyEvents,
): Promise<readonly (readonly TableDigest[])[]> => {
  const all: (readonly TableDigest[])[] = []
  for (const account of plan.accounts) if (!account.copied) await reserveAccount(run, account)
  for (const account of plan.accounts) {
    if (account.copied) {
      await events.isThere(account.name)
      all.push(account.copied)
    } else {
      events.begins(account.name)
      all.push(await copyAccount(run, account, () => events.beginsAnew(account.name)))
    }
  }
  return all
}

/** Removes the unfinished copies of accounts with these names, or all of them; returns the names. */
export const discardUnfinished = async (
  run: Omit<TargetRun, 'sourceName'>,
  names: readonly string[] | undefined,
): Promise<string[]> => {
  const removed: string[] = []
  for (const { id, name } of await listAccounts(run.target)) {
    const unfinished = readUnfinished(name)
    if (unfinished === undefined || names?.includes(unfinished.account) === false) continue
    await removeUnfinished({ ...run, sourceName: unfinished.source }, { id, name: unfinished.account })
    removed.push(unfinished.account)
  }
  return removed
}
