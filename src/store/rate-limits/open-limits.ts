import { rmSync } from 'node:fs'
import { type Column, type Db, filledColumns, type Reader, type SqlOutput, type Writer } from '../db.ts'
import { sqliteDialect } from '../dialect.ts'
import { createQueue } from '../queue.ts'
import { callerTables, limitTables } from '../schema/limit-tables.ts'
import { type FileKind, openFile } from '../schema/open-store.ts'
import { connect } from '../sqlite/sqlite-connection.ts'
import { sqliteDb } from '../sqlite/sqlite-db.ts'
import { isDamaged, isOutOfSpace } from '../sqlite/sqlite-errors.ts'
import type { LimitStore, Millis } from './limits.ts'

const MINUTE_MS = 60_000
/** Sets how long after a full-disk error the file is tried again. */
const RETRY_PAUSE_MS = 1000

/** Lists the tables in which limits are counted, with their columns. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  request_windows: ['account_id', 'key_id', 'accepted', 'last_at', 'shift'],
  accepted_requests: ['account_id', 'key_id', 'number', 'at'],
  login_brakes: ['pairs', 'last_at', 'shift'],
  refused_logins: ['pair', 'times', 'last_at'],
}
const TEXTS = new Set(['pair', 'times'])
const columnsOf = (table: string): Column[] =>
  (TABLES[table] ?? []).map((name) => ({ name, type: TEXTS.has(name) ? 'text' : 'integer' }))

type OutputRows = readonly (readonly SqlOutput[])[]

const rowsOf = async (tx: Reader, table: string, where = ''): Promise<OutputRows> => {
  const rows: (readonly SqlOutput[])[] = []
  const names = columnsOf(table).map(({ name }) => name)
  await tx.each(`select ${names.join(', ')} from ${table} ${where}`, [], (row) => {
    rows.push([...row])
  })
  return rows
}

/** Opens a store of limits in memory, for this process alone. */
const openInMemory = async (): Promise<Db> => {
  const connection = connect(':memory:', '')
  const queue = createQueue()
  const db: Db = {
    read: (work) => queue(() => work(connection)),
    readLong: (work) => db.read(work),
    write: (work) =>
      queue(async () => {
        connection.beginWriting()
        try {
          const result = await work(connection)
          connection.commit()
          return result
        } catch (error) {
          connection.end()
          throw error
        }
      }),
    ofAccount: () => db,
    stamp: () => undefined,
    close: async () => connection.close(),
  }
  await db.write(async (tx) => {
    for (const sql of [...limitTables(sqliteDialect), ...callerTables(sqliteDialect)]) await tx.run(sql)
  })
  return db
}

const copyTable = async (from: Reader, to: Writer, table: string, where?: string): Promise<void> => {
  await to.run(`delete from ${table}`)
  const rows = await rowsOf(from, table, where)
  await to.insertMany(table, rows.length, filledColumns(columnsOf(table), rows))
}

/** Copies the counters, and the requests of the last minute. */
const copyAll = (from: Db, to: Db, now: number): Promise<void> =>
  from.read((reader) =>
    to.write(async (writer) => {
      for (const table of Object.keys(TABLES)) {
        const where = table === 'accepted_requests' ? `where at > ${now - MINUTE_MS}` : ''
        await copyTable(reader, writer, table, where)
      }
    }),
  )

/** Holds how many requests of each key or token were accepted, by `account/key`. */
type Accepted = ReadonlyMap<string, SqlOutput>

const acceptedIn = async (tx: Reader): Promise<Accepted> =>
  new Map((await rowsOf(tx, 'request_windows')).map(([account, key, accepted = 0n]) => [`${account}/${key}`, accepted]))

/** Adds requests that were counted in memory to those of a file; continues its numbers in the order of time. */
const addRequests = async (from: Reader, to: Writer, before: Accepted): Promise<void> => {
  const requests = await rowsOf(from, 'accepted_requests', 'order by account_id, key_id, number')
  for (const [account, key, number, at] of requests) {
    if (Number(number) <= Number(before.get(`${account}/${key}`) ?? 0)) continue
    const [row] = await to.all(
      `insert into request_windows (account_id, key_id, accepted, last_at, shift) values (?, ?, 1, ?, 0)
       on conflict (account_id, key_id) do update
         set accepted = request_windows.accepted + 1, last_at = max(request_windows.last_at, excluded.last_at)
       returning accepted, last_at`,
      [account ?? 0, key ?? 0, at ?? 0],
    )
    const values = [account ?? 0, key ?? 0, row?.['accepted'] ?? 0, row?.['last_at'] ?? 0]
    await to.insertMany('accepted_requests', 1, filledColumns(columnsOf('accepted_requests'), [values]))
  }
}

/** Replaces the refused logins of a file by those that were refused in memory since an instant. */
const replaceLogins = async (from: Reader, to: Writer, since: number): Promise<void> => {
  for (const login of await rowsOf(from, 'refused_logins', `where last_at > ${since}`)) {
    const known = await to.run('delete from refused_logins where pair = ?', [login[0] ?? null])
    await to.insertMany('refused_logins', 1, filledColumns(columnsOf('refused_logins'), [login]))
    const sql = 'update login_brakes set pairs = pairs + ?, last_at = max(last_at, ?)'
    await to.run(sql, [known > 0 ? 0 : 1, login[2] ?? 0])
  }
}

/** Describes the fallback in memory: when it began, the counts then, and the last try to return to the file. */
type MemoryFallback = { readonly db: Db; readonly since: number; readonly before: Accepted; triedAt: number }

/**
 * Counts limits in a file, or in memory while the disk is full, so that requests still get answers. Counts are copied
 * both ways, so that no limit is reset.
 */
const withMemoryFallback = (file: Db, nowMs: () => number): Db => {
  let fallback: MemoryFallback | undefined
  const turns = createQueue()
  const switchToMemory = (): Promise<Db> =>
    turns(async () => {
      if (fallback) return fallback.db
      const [db, now] = [await openInMemory(), nowMs()]
      await copyAll(file, db, now)
      fallback = { db, since: now - 1, before: await db.read(acceptedIn), triedAt: now }
      return db
    })
  const returnToFile = ({ db, since, before }: MemoryFallback): Promise<void> =>
    db.read((from) =>
      file.write(async (to) => {
        await addRequests(from, to, before)
        await replaceLogins(from, to, since)
      }),
    )
  /** Returns the store in memory; undefined once its counts are back in the file. */
  const current = (): Promise<Db | undefined> =>
    turns(async () => {
      if (!fallback || Math.abs(nowMs() - fallback.triedAt) < RETRY_PAUSE_MS) return fallback?.db
      fallback.triedAt = nowMs()
      try {
        await returnToFile(fallback)
      } catch (error) {
        if (isOutOfSpace(error)) return fallback.db
        throw error
      }
      await fallback.db.close()
      fallback = undefined
      return undefined
    })
  const db: Db = {
    ...file,
    read: (work) => (fallback?.db ?? file).read(work),
    write: async (work) => {
      const memory = fallback && (await current())
      if (memory) return memory.write(work)
      try {
        return await file.write(work)
      } catch (error) {
        if (!isOutOfSpace(error)) throw error
        return (await switchToMemory()).write(work)
      }
    },
    ofAccount: () => db,
    stamp: () => (fallback ? undefined : file.stamp()),
    close: async () => {
      await fallback?.db.close()
      await file.close()
    },
  }
  return db
}

const LIMITS: FileKind = {
  // "kpl"
  applicationId: 0x6b706c,
  version: 2,
  steps: () => Promise.resolve([limitTables(sqliteDialect), callerTables(sqliteDialect)]),
}

/** Sets how long a request waits for other processes that count. */
const PATIENCE_MS = 5000

const isUndamaged = (db: Db): Promise<boolean> =>
  db.read(async (tx) => {
    const [row] = await tx.all('pragma quick_check(1)')
    return row?.['quick_check'] === 'ok'
  })

/** Opens the file; undefined if a power failure has damaged it. */
const openUndamaged = async (path: string): Promise<Db | undefined> => {
  let db: Db | undefined
  try {
    db = await openFile(path, LIMITS, (at) => sqliteDb(at, { patienceMs: PATIENCE_MS, durability: 'off' }))
    if (await isUndamaged(db)) return db
  } catch (error) {
    if (!isDamaged(error)) throw error
  }
  await db?.close()
  return undefined
}

/** Opens the file. A damaged one is created anew, as it holds only the last minute. */
const openOrRecreate = async (path: string): Promise<Db> => {
  const whole = await openUndamaged(path)
  if (whole) return whole
  for (const name of [path, `${path}-wal`, `${path}-shm`]) rmSync(name, { force: true })
  return openFile(path, LIMITS, (at) => sqliteDb(at, { patienceMs: PATIENCE_MS, durability: 'off' }))
}

/** Opens the file. If the disk is too full to create it, counts in memory as long as the process runs. */
const openFileOrMemory = async (path: string, nowMs: () => Millis): Promise<Db> => {
  try {
    return withMemoryFallback(await openOrRecreate(path), nowMs)
  } catch (error) {
    if (!isOutOfSpace(error)) throw error
    return openInMemory()
  }
}

/** Describes the open limits; to be closed before the store. */
export type OpenLimits = LimitStore & { readonly close: () => Promise<void> }

/**
 * Opens the file in which the limits of a SQLite store are counted. It is separate from the store, so that counting
 * waits neither for an import nor for the disk. It may be deleted while no service runs.
 */
export const limitsBeside = async (path: string, nowMs: () => Millis): Promise<OpenLimits> => {
  const db = await openFileOrMemory(path, nowMs)
  return { db, now: () => Promise.resolve(nowMs()), close: db.close }
}

/** Returns the time of the database, as the clocks of instances may differ. */
const databaseNow = async (tx: Reader): Promise<Millis> => {
  const [row] = await tx.all('select (extract(epoch from clock_timestamp()) * 1000)::bigint as now')
  return Number(row?.['now'])
}

/** Returns the limits of a store that several instances share; they are counted in the store itself. */
export const limitsWithin = (store: Db): OpenLimits => ({
  db: store.selfLocking ?? store,
  now: databaseNow,
  close: () => Promise.resolve(),
})
