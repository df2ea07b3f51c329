import { rmSync } from 'node:fs'
import type { Db, Reader } from './db.ts'
import { sqliteDialect } from './dialect.ts'
import { callerTables, limitTables } from './limit-tables.ts'
import type { LimitStore, Millis } from './limits.ts'
import { type FileKind, openFile } from './open.ts'
import { openInMemory, withSpare } from './limits-spare.ts'
import { isDamaged, isOutOfSpace } from './sqlite-errors.ts'
import { sqliteDb } from './sqlite.ts'

const LIMITS: FileKind = {
  // "kpl"
  applicationId: 0x6b706c,
  version: 2,
  steps: () => Promise.resolve([limitTables(sqliteDialect), callerTables(sqliteDialect)]),
}

/** A request waits this long for other processes that count. */
const PATIENCE_MS = 5000

const isWhole = (db: Db): Promise<boolean> =>
  db.read(async (tx) => {
    const [row] = await tx.all('pragma quick_check(1)')
    return row?.['quick_check'] === 'ok'
  })

/** Opens the file; undefined where a loss of power has damaged it. */
const openWhole = async (path: string): Promise<Db | undefined> => {
  let db: Db | undefined
  try {
    db = await openFile(path, LIMITS, (at) => sqliteDb(at, { patienceMs: PATIENCE_MS, durability: 'off' }))
    if (await isWhole(db)) return db
  } catch (error) {
    if (!isDamaged(error)) throw error
  }
  await db?.close()
  return undefined
}

/** Opens the file; one that is damaged is made anew, as only the last minute is in it. */
const openOwnFile = async (path: string): Promise<Db> => {
  const whole = await openWhole(path)
  if (whole) return whole
  for (const name of [path, `${path}-wal`, `${path}-shm`]) rmSync(name, { force: true })
  return openFile(path, LIMITS, (at) => sqliteDb(at, { patienceMs: PATIENCE_MS, durability: 'off' }))
}

/** Opens the file, or, where a full disk has no room to make it, counts in memory for as long as the process runs. */
const openFileOrMemory = async (path: string, nowMs: () => Millis): Promise<Db> => {
  try {
    return withSpare(await openOwnFile(path), nowMs)
  } catch (error) {
    if (!isOutOfSpace(error)) throw error
    return openInMemory()
  }
}

/** Where limits are counted, to be closed before the store is. */
export type OpenLimits = LimitStore & { readonly close: () => Promise<void> }

/**
 * Opens the file in which the limits of a SQLite store are counted. It is one of its own, so that counting waits for no
 * import and for no disk. It may be deleted whenever nothing serves.
 */
export const limitsBeside = async (path: string, nowMs: () => Millis): Promise<OpenLimits> => {
  const db = await openFileOrMemory(path, nowMs)
  return { db, now: () => Promise.resolve(nowMs()), close: db.close }
}

/** The database's own clock: the instances' may differ. */
const databaseNow = async (tx: Reader): Promise<Millis> => {
  const [row] = await tx.all('select (extract(epoch from clock_timestamp()) * 1000)::bigint as now')
  return Number(row?.['now'])
}

/** The limits of a store that several instances share are counted in it. */
export const limitsWithin = (store: Db): OpenLimits => ({
  db: store.selfLocking ?? store,
  now: databaseNow,
  close: () => Promise.resolve(),
})
