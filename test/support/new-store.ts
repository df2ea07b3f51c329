import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Db } from '../../src/store/db.ts'
import { openStore } from '../../src/store/schema/open-store.ts'
import { ensureDefaultAccount } from '../../src/service/accounts/accounts.ts'
import { temporaryFolder } from './folder.ts'
import { NOW } from './io.ts'

/** Makes a store in a folder of its own, and returns its file. */
const make = async (fill: (db: Db) => Promise<unknown>): Promise<Buffer> => {
  using folder = temporaryFolder()
  const path = folder.in('kpi.db')
  const db = await openStore(path)
  await fill(db)
  await db.close()
  return readFileSync(path)
}

/**
 * Returns what puts a store at a path, unless there is one: it is made once, as SQLite takes five times as long to make
 * one as to open a copy.
 */
export const putting = (fill: (db: Db) => Promise<unknown>): ((path: string) => Promise<void>) => {
  let made: Promise<Buffer> | undefined
  return async (path) => {
    if (existsSync(path)) return
    made ??= make(fill)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, await made, { mode: 0o600 })
  }
}

/** Puts a store at a path, as it is when it was opened first. */
export const putNewStore = putting(() => Promise.resolve())

/** The same, with the account of the embedded service, which was made now. */
export const putEmbeddedStore = putting((db) => ensureDefaultAccount(db, Math.floor(NOW / 1000)))
