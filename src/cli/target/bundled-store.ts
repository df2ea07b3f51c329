import { existsSync } from 'node:fs'
import { type Command, Option } from '@commander-js/extra-typings'
import { Aborted } from '../../client/transport.ts'
import { KpiError } from '../../domain/errors.ts'
import type { Db } from '../../store/db.ts'
import type { OpenLimits } from '../../store/rate-limits/open-limits.ts'
import { afterwards, GRACE_MS, untilDeadline } from '../args/deadline.ts'
import type { Cli } from '../cli.ts'
import { EXIT, IncompleteRun, UsageError } from '../exit.ts'
import { shellWord } from '../output/text.ts'
import { dataFolder, limitsPath, storePath } from './folders.ts'
import { findSetting } from './find-setting.ts'
import { findPlace, namedPlace, takingBack } from './place.ts'
import { optionOf, SETTINGS } from './settings.ts'

/** Adds the flag that says in which database the bundled service keeps its data. */
export const addStoreFlag = (command: Command): Command =>
  command.addOption(new Option(...optionOf(SETTINGS.store)).choices(SETTINGS.store.choices ?? []))

/** Returns the data directory of the bundled service; refuses a remote one, which has its own operator. */
export const embeddedPlace = (cli: Cli): string => {
  const { io, flags } = cli
  const place = findPlace(io, flags)
  if (place.kind === 'embedded') return place.dataDir
  const other = takingBack(namedPlace(io, flags))
  throw new UsageError(
    `this command works directly on the data of the bundled service; name its folder with --data-dir (usually ${shellWord(dataFolder(io))}), or a profile of it${other === undefined ? '' : `, or ${other}`}`,
  )
}

/** Describes where the bundled service keeps its data: in the file of a data directory, or in PostgreSQL. */
type BundledPlace = { readonly kind: 'sqlite'; readonly dataDir: string } | { readonly kind: 'postgres' }

/** Finds where the bundled service keeps its data. */
export const bundledPlace = (cli: Cli): BundledPlace => {
  const { value: store } = findSetting(cli.io, cli.flags, SETTINGS.store)
  if (store === 'sqlite') return { kind: 'sqlite', dataDir: embeddedPlace(cli) }
  if (cli.flags.dataDir === undefined && cli.flags.profile === undefined) return { kind: 'postgres' }
  throw new UsageError('--store postgres names one store, and --data-dir or --profile another; give only one of them')
}

/** Describes how PostgreSQL is used: how long it may take for a statement, and what ends its connections. */
type PostgresUse = { readonly patienceMs?: number; readonly signal?: AbortSignal }

/** Opens the store in PostgreSQL, to be closed by the caller. */
const openInPostgres = async (cli: Cli, use: PostgresUse): Promise<{ db: Db; where: string }> => {
  const [{ findPostgresUrl }, { nameOf, openPostgres }] = await Promise.all([
    import('./postgres-url.ts'),
    import('../../store/postgres/open-postgres.ts'),
  ])
  const url = findPostgresUrl(cli.io)
  return { db: await openPostgres({ url, ...use }), where: nameOf(url) }
}

/**
 * Opens the store of the bundled service, to be closed by the caller, for a process that also answers requests: long reads
 * run in threads. `signal` ends the connections to PostgreSQL.
 */
export const openBundled = async (cli: Cli, signal: AbortSignal): Promise<Db> => {
  const place = bundledPlace(cli)
  if (place.kind === 'postgres') return (await openInPostgres(cli, { signal })).db
  const { openEmbedded } = await import('../embedded.ts')
  return (await openEmbedded(place.dataDir, cli.io.now, { apart: true })).db
}

/** Opens the place where the limits of the bundled service are counted, to be closed before its store. */
export const openBundledLimits = async (cli: Cli, db: Db): Promise<OpenLimits> => {
  const { limitsBeside, limitsWithin } = await import('../../store/rate-limits/open-limits.ts')
  const place = bundledPlace(cli)
  if (place.kind === 'postgres') return limitsWithin(db)
  return limitsBeside(limitsPath(place.dataDir), cli.io.now)
}

/** Holds the signals that stop work on a store: `signal` asks it to end, and `late` ends its connections. */
export type Stopping = { readonly signal: AbortSignal; readonly late: AbortSignal }

/**
 * Runs `work` until the deadline, or until somebody asks to stop; its connections to PostgreSQL are to end with `late`. The
 * error then has a message of its own.
 */
export const untilStopped = <T>(
  { io, flags }: Cli,
  message: string,
  work: (stopping: Stopping) => Promise<T>,
  interruption?: AbortSignal,
): Promise<T> =>
  untilDeadline(
    io,
    flags.deadline,
    async ({ signal }) => {
      try {
        return await work({ signal, late: afterwards(io, signal, GRACE_MS) })
      } catch (error) {
        const isCut = error === signal.reason || (error instanceof KpiError && error.code === 'unavailable')
        throw signal.aborted && isCut ? new Aborted(message) : error
      }
    },
    interruption,
  )

/** Runs `work`; reports that nothing was done if Ctrl-C stops it. */
export const stoppable = async <T>(cli: Cli, what: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const signal = cli.io.interruption()
  try {
    return await work(signal)
  } catch (error) {
    throw signal.aborted && !(error instanceof KpiError)
      ? new IncompleteRun(EXIT.interrupted, 'interrupted', [`interrupted; ${what}`])
      : error
  }
}

const withDb = async <T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> => {
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/** Runs `work` on the store in PostgreSQL until the deadline, which ends its connections; `where` names the database. */
export const withPostgres = <T>(
  cli: Cli,
  work: (db: Db, where: string) => Promise<T>,
  use: PostgresUse = {},
): Promise<T> =>
  untilStopped(cli, 'stopped before PostgreSQL had answered; run the same command again', async ({ late }) => {
    const { db, where } = await openInPostgres(cli, { ...use, signal: late })
    return withDb(db, () => work(db, where))
  })

/** Runs `work` on the store of the bundled service itself, which is made where there is none yet. */
export const withStore = async <T>(cli: Cli, work: (db: Db) => Promise<T>): Promise<T> => {
  const place = bundledPlace(cli)
  if (place.kind === 'postgres') return withPostgres(cli, work)
  const { openEmbedded } = await import('../embedded.ts')
  return withDb((await openEmbedded(place.dataDir, cli.io.now)).db, work)
}

/** Returns the data directory of a SQLite store; refuses PostgreSQL, where the command cannot work. */
export const filePlace = (cli: Cli, instead: string): string => {
  const place = bundledPlace(cli)
  if (place.kind === 'sqlite') return place.dataDir
  throw new KpiError('unsupported', `this is for a store in a file; for one in PostgreSQL use ${instead}`)
}

/** Returns the file of an existing store: where one is inspected or copied, creating it would only hide a mistake. */
export const existingFile = (dataDir: string): string => {
  const path = storePath(dataDir)
  if (existsSync(path)) return path
  throw new KpiError('unusable', `there is no store in ${dataDir}; name its folder with --data-dir`)
}

/** Runs `work` on a store that is there already; `path` is its file, where it is one. */
export const withExistingStore = async <T>(
  cli: Cli,
  work: (db: Db, path: string | undefined) => Promise<T>,
): Promise<T> => {
  const place = bundledPlace(cli)
  if (place.kind === 'postgres') return withStore(cli, (db) => work(db, undefined))
  const path = existingFile(place.dataDir)
  const { openStore } = await import('../../store/schema/open-store.ts')
  return withDb(await openStore(path), (db) => work(db, path))
}
