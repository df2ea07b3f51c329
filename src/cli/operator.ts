import type { Db } from '../store/db.ts'
import type { Cli } from './cli.ts'
import { UsageError } from './exit.ts'
import { findPlace } from './settings.ts'

/** The data directory of the bundled service. A remote service has its own operator. */
export const embeddedPlace = (cli: Cli): string => {
  const place = findPlace(cli.io, cli.flags)
  if (place.kind === 'embedded') return place.dataDir
  throw new UsageError(
    `this is done on the bundled service's own data; name its folder with --data-dir, or a profile of it`,
  )
}

/** Runs `work` on the store of the bundled service itself. */
export const withStore = async <T>(cli: Cli, work: (db: Db) => Promise<T>): Promise<T> => {
  const { openEmbedded } = await import('./embedded.ts')
  const { db } = await openEmbedded(embeddedPlace(cli), cli.io.now)
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}
