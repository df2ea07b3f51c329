import { type Command, Option } from 'commander'
import type { Db } from '../store/db.ts'
import type { OpenLimits } from '../store/limits-open.ts'
import type { Cli } from './cli.ts'
import { UsageError } from './exit.ts'
import { findPlace } from './settings.ts'

const STORES = ['sqlite', 'postgres']

/** Adds the flag that says in which database the bundled service keeps its data. */
export const addStoreFlag = (command: Command): Command =>
  command.addOption(
    new Option('--store <kind>', 'sqlite in the data directory, or postgres at KPI_POSTGRES_URL').choices(STORES),
  )

/** The data directory of the bundled service. A remote service has its own operator. */
export const embeddedPlace = (cli: Cli): string => {
  const place = findPlace(cli.io, cli.flags)
  if (place.kind === 'embedded') return place.dataDir
  throw new UsageError(
    `this is done on the bundled service's own data; name its folder with --data-dir, or a profile of it`,
  )
}

/** Where the bundled service keeps its data: in the file of a data directory, or in PostgreSQL. */
export type BundledPlace = { readonly kind: 'sqlite'; readonly dataDir: string } | { readonly kind: 'postgres' }

/** Settles where the bundled service keeps its data. */
export const bundledPlace = (cli: Cli): BundledPlace => {
  const store = cli.flags.store ?? (cli.io.env['KPI_STORE'] || 'sqlite')
  if (!STORES.includes(store)) throw new UsageError(`KPI_STORE is ${store}, it must be one of ${STORES.join(', ')}`)
  if (store === 'sqlite') return { kind: 'sqlite', dataDir: embeddedPlace(cli) }
  if (cli.flags.dataDir === undefined && cli.flags.profile === undefined) return { kind: 'postgres' }
  throw new UsageError('--store postgres is one place, and --data-dir or --profile another; give one of them')
}

/** Opens the store of the bundled service, to be closed by the caller. */
export const openBundled = async (cli: Cli): Promise<Db> => {
  const place = bundledPlace(cli)
  if (place.kind === 'sqlite') {
    const { openEmbedded } = await import('./embedded.ts')
    return (await openEmbedded(place.dataDir, cli.io.now)).db
  }
  const [{ findPostgresUrl }, { openPostgres }] = await Promise.all([
    import('./postgres-url.ts'),
    import('../store/open-postgres.ts'),
  ])
  return openPostgres({ url: findPostgresUrl(cli.io) })
}

/** Opens the place where the limits of the bundled service are counted, to be closed before its store. */
export const openBundledLimits = async (cli: Cli, db: Db): Promise<OpenLimits> => {
  const { limitsBeside, limitsWithin } = await import('../store/limits-open.ts')
  const place = bundledPlace(cli)
  if (place.kind === 'postgres') return limitsWithin(db)
  const { limitsPath } = await import('./embedded.ts')
  return limitsBeside(limitsPath(place.dataDir), cli.io.now)
}

/** Runs `work` on the store of the bundled service itself. */
export const withStore = async <T>(cli: Cli, work: (db: Db) => Promise<T>): Promise<T> => {
  const db = await openBundled(cli)
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}
