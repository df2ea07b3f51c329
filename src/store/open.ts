import { closeSync, openSync } from 'node:fs'
import { KpiError } from '../domain/errors.ts'
import type { Db, Reader } from './db.ts'
import { sqliteDb } from './sqlite.ts'

/** The version of the store that this program reads and writes; `migrations.ts` brings older ones there. */
export const STORE_VERSION = 1

const versionOf = async (tx: Reader): Promise<number> => {
  const [row] = await tx.all('pragma user_version')
  return Number(row?.['user_version'])
}

const migrate = async (db: Db): Promise<void> => {
  const { migrations } = await import('./migrations.ts')
  await db.write(async (tx) => {
    for (let version = await versionOf(tx); version < STORE_VERSION; version += 1) {
      for (const statement of migrations[version] ?? []) await tx.run(statement)
      await tx.run(`pragma user_version = ${version + 1}`)
    }
  })
}

/** Makes the file, readable by its owner only, before SQLite writes to it. */
const prepareFile = (path: string): void => {
  try {
    closeSync(openSync(path, 'a', 0o600))
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new KpiError('unusable', `${path} cannot be written (${reason}); check its folder`, { cause: error })
  }
}

/** Opens the SQLite store at a path in a folder that is there: made, and brought to this program's version. */
export const openStore = async (path: string): Promise<Db> => {
  prepareFile(path)
  const db = sqliteDb(path)
  try {
    const version = await db.read(versionOf)
    if (version > STORE_VERSION) {
      throw new KpiError('unusable', `${path} was written by a newer kpi; update this one`)
    }
    if (version < STORE_VERSION) await migrate(db)
    return db
  } catch (error) {
    await db.close()
    throw error
  }
}
