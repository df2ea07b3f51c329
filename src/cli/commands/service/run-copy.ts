import { existsSync } from 'node:fs'
import { KpiError } from '../../../domain/errors.ts'
import { postgresDialect, sqliteDialect } from '../../../store/dialect.ts'
import { SourceChanged } from '../../../store/maintenance/copy-account.ts'
import {
  addUp,
  copyAccounts,
  type CopyPlan,
  type CopyTotals,
  discardUnfinished,
  planCopy,
} from '../../../store/maintenance/copy-store.ts'
import {
  digestAccount,
  type NamedStore,
  type TableDigest,
  wholeTables,
} from '../../../store/maintenance/table-digest.ts'
import { hasPostgresStore, nameOf, openPostgres } from '../../../store/postgres/open-postgres.ts'
import { postgresDb } from '../../../store/postgres/postgres-db.ts'
import { openStore } from '../../../store/schema/open-store.ts'
import { sqliteDb } from '../../../store/sqlite/sqlite-db.ts'
import { namesIn } from '../../args/names.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, IncompleteRun, UsageError } from '../../exit.ts'
import { countOf } from '../../output/text.ts'
import { embeddedPlace, existingFile, type Stopping, untilStopped } from '../../target/bundled-store.ts'
import { makeFolder, storePath } from '../../target/folders.ts'
import { findPostgresUrl } from '../../target/postgres-url.ts'
import { createProgress, type ProgressView } from '../entries/import/progress.ts'
import { copyRecord } from './copy.ts'

/** Sets how many rows are written in a transaction: many, as each waits for the disk, and other writers wait for it. */
const ROWS_PER_BLOCK = 10_000

type Kind = 'postgres' | 'sqlite'

type Flags = {
  readonly to: Kind
  readonly account?: readonly string[]
  readonly dryRun?: true
  readonly discard?: true
}

/** Describes a run, and what stops it. */
type Run = Stopping & { readonly cli: Cli }

/** Says how a store is opened that is not there: refused, created, or left alone. */
type IfMissing = 'refuse' | 'create' | 'leave'

const openSqlite = async ({ cli }: Run, ifMissing: IfMissing): Promise<NamedStore> => {
  const dataDir = embeddedPlace(cli)
  const path = ifMissing === 'refuse' ? existingFile(dataDir) : storePath(dataDir)
  const named = { dialect: sqliteDialect, name: path }
  if (ifMissing === 'leave' && !existsSync(path)) return { ...named, db: sqliteDb(path), isMissing: true }
  if (ifMissing === 'create') makeFolder(dataDir, 'data directory')
  return { ...named, db: await openStore(path) }
}

const openInPostgres = async ({ cli, late }: Run, ifMissing: IfMissing): Promise<NamedStore> => {
  const place = { url: findPostgresUrl(cli.io), signal: late }
  const named = { dialect: postgresDialect, name: `postgres://${nameOf(place.url)}` }
  if (ifMissing === 'create' || (await hasPostgresStore(place))) return { ...named, db: await openPostgres(place) }
  if (ifMissing === 'leave') return { ...named, db: postgresDb(place, nameOf(place.url)), isMissing: true }
  throw new KpiError('unusable', `there is no store in ${named.name}; name its database with KPI_POSTGRES_URL`)
}

const OPEN = { postgres: openInPostgres, sqlite: openSqlite }

/** Runs `work` on a store, and closes it. */
const withNamedStore = async <T>(
  run: Run,
  kind: Kind,
  ifMissing: IfMissing,
  work: (store: NamedStore) => Promise<T>,
): Promise<T> => {
  const store = await OPEN[kind](run, ifMissing)
  try {
    return await work(store)
  } finally {
    await store.db.close()
  }
}

/** Counts the rows that are copied and compared, and shows them; throws once the run has to stop. */
const createCounter = ({ show }: ProgressView, signal: AbortSignal) => {
  const done = { copied: 0, compared: 0 }
  let rows = 0
  return {
    /** Expects so many rows, from the beginning. */
    expect: (count: number): void => {
      rows = count
      done.copied = done.compared = 0
    },
    onRows: (doing: keyof typeof done, count: number): void => {
      signal.throwIfAborted()
      done[doing] += count
      // Both the copy and, once more, the source are read to compare them.
      if (count > 0)
        show(
          doing === 'copied'
            ? { phase: 'copy', done: done.copied, total: rows }
            : { phase: 'compare', done: done.compared, total: rows * 2 },
        )
    },
  }
}

const AGAIN = 'run the same command to continue'

/** Returns how a run ends that has left an unfinished copy. */
const incomplete = (error: unknown, hasBegun: boolean): unknown => {
  if (error instanceof SourceChanged) {
    const advice = 'stop what writes there, such as kpi serve, and run the same command again'
    return new IncompleteRun(EXIT.workLeft, 'changed', [`${error.message}; its copy is not in use yet: ${advice}`])
  }
  if (!hasBegun || !(error instanceof KpiError) || error.code !== 'unavailable') return error
  return new IncompleteRun(EXIT.workLeft, error.code, [error.message, `the copy is not finished; ${AGAIN}`])
}

/** Copies the accounts of a plan. */
const copyPlanned = async (
  cli: Cli,
  run: Omit<Parameters<typeof copyAccounts>[0], 'onRows'>,
  signal: AbortSignal,
  names: readonly string[] | undefined,
): Promise<CopyTotals> => {
  const view = await createProgress(cli, { usage: () => undefined, waiting: () => undefined, requests: () => 0 })
  const { expect, onRows } = createCounter(view, signal)
  const counted = { ...run, onRows }
  let plan: CopyPlan | undefined
  try {
    plan = await planCopy(counted, names)
    expect(plan.rows)
    const digests = await copyAccounts(counted, plan, {
      begins: (account) => view.begin(account),
      beginsAnew: async (account) => {
        expect(plan?.rows ?? 0)
        await cli.log.warn(`account ${account} has changed since its copy was begun; it is copied anew`)
      },
      isThere: (account) => cli.note(`account ${account} is in ${run.target.name} already, and is the same`),
    })
    return addUp(digests)
  } catch (error) {
    throw incomplete(error, plan !== undefined && !signal.aborted)
  } finally {
    view.stop()
  }
}

/** Counts what would be copied. */
const rehearse = async (
  run: Parameters<typeof copyAccounts>[0],
  names: readonly string[] | undefined,
): Promise<CopyTotals> => {
  const { accounts } = await planCopy(run, names)
  const digests: (readonly TableDigest[])[] = []
  for (const { id } of accounts)
    digests.push(await digestAccount(run.source, run.tables, id, () => run.onRows('compared', 0)))
  return addUp(digests)
}

/** Holds what a line asks for, and a word that names its run. */
type Asked = Pick<Flags, 'to' | 'dryRun'> & { readonly id: string; readonly names: readonly string[] | undefined }

const copyBetween = (own: Run, { to, dryRun, id, names }: Asked): Promise<void> =>
  withNamedStore(own, to === 'postgres' ? 'sqlite' : 'postgres', 'refuse', (source) =>
    withNamedStore(own, to, dryRun ? 'leave' : 'create', async (target) => {
      const [{ cli, signal }, tables] = [own, await wholeTables()]
      const run = { source, target, tables, id, sourceName: source.name, rowsPerBlock: ROWS_PER_BLOCK }
      const totals = await (dryRun
        ? rehearse({ ...run, onRows: () => signal.throwIfAborted() }, names)
        : copyPlanned(cli, run, signal, names))
      await cli.printOne(copyRecord, { from: source.name, to: target.name, ...totals })
      if (dryRun) await cli.note('nothing was copied: --dry-run')
      else if (totals.accounts > 0)
        await cli.note(`both stores hold the same now: let nobody write to ${source.name} any more`)
    }),
  )

const discard = (own: Run, { to, id, names }: Asked): Promise<void> =>
  withNamedStore(own, to, 'leave', async (target) => {
    const run = { target, tables: await wholeTables(), id, rowsPerBlock: ROWS_PER_BLOCK }
    const removed = await discardUnfinished({ ...run, onRows: () => own.signal.throwIfAborted() }, names)
    const which = removed.length === 0 ? '' : `: ${removed.join(', ')}`
    await own.cli.note(`${countOf(removed.length, 'unfinished copy', 'unfinished copies')} removed${which}`)
  })

/** Copies whole accounts from one store to the other, or removes unfinished copies. */
export const runCopy = async (cli: Cli, flags: Flags): Promise<void> => {
  if (cli.flags.store !== undefined)
    throw new UsageError(
      'a copy leads from one store to the other; --to names the one that it leads to, so leave --store out',
    )
  if (flags.discard && flags.dryRun) throw new UsageError('--discard and --dry-run do not go together')
  const names = flags.account && namesIn('--account', ...flags.account)
  const id = Buffer.from(cli.io.random(6)).toString('hex')
  const run = flags.discard ? discard : copyBetween
  await untilStopped(
    cli,
    `stopped; ${AGAIN}`,
    (stopping) => run({ cli, ...stopping }, { ...flags, id, names }),
    cli.io.interruption(),
  )
}
