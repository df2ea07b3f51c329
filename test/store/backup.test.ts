import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { backUpStore } from '../../src/store/maintenance/backup.ts'
import { categories } from '../../src/store/tables/catalog.ts'
import { takeIds } from '../../src/store/tables/table.ts'
import type { Db } from '../../src/store/db.ts'
import { openStore, STORE_VERSION } from '../../src/store/schema/open-store.ts'
import { restoreStore } from '../../src/store/maintenance/restore.ts'
import { ROOT } from '../support/documents.ts'
import { openTestStore, type TestStore } from '../support/store.ts'

const never = new AbortController().signal

let store: TestStore
beforeEach(async () => {
  store = await openTestStore()
})
afterEach(async () => {
  await store[Symbol.asyncDispose]()
})

const beside = (name: string): string => join(dirname(store.path), name)
const backUp = (file: string, force = false, path = store.path): Promise<unknown> =>
  backUpStore(path, file, force, never)
const restore = (file: string, { path = store.path, force = false } = {}): Promise<string | undefined> =>
  restoreStore(file, path, { force, asideName: 'damaged', signal: never, makeFolder: () => undefined })

/** Adds a category, by which a state of the store is told from another. */
const mark = (db: Db, name: string): Promise<void> =>
  db.write(async (tx) => {
    const id = await takeIds(tx, store.account, 'categories')
    await categories.insert(tx, store.account, { id, name, sort_order: id, created_at: 0, updated_at: 0 })
  })

/** The states that a store has gone through. */
const marksIn = async (path: string): Promise<string[]> => {
  const db = await openStore(path)
  const all = await db.read((tx) => categories.list(tx, store.account))
  await db.close()
  return all.map(({ name }) => name).filter((name) => name !== 'General')
}

const runSql = (path: string, sql: string): void => {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

/** Everything that lies in the folder of the store, but the store. */
const others = (): string[] => readdirSync(dirname(store.path)).filter((name) => !name.startsWith('kpi.db'))

describe('a backup', () => {
  test('is one file of the whole store, for its owner only, made while the store is open', async () => {
    await mark(store.db, 'before')
    expect(await backUp(beside('a.backup'))).toEqual({
      accounts: 1,
      accounts_with_api: 0,
      users: 1,
      kpis: 0,
      entries: 0,
    })
    await mark(store.db, 'after')
    expect(others()).toEqual(['a.backup'])
    expect(statSync(beside('a.backup')).mode & 0o777).toBe(0o600)
    expect(await marksIn(beside('a.backup'))).toEqual(['before'])
  })

  test('holds what stands in the log of the store only', async () => {
    await mark(store.db, 'in the log')
    expect(statSync(`${store.path}-wal`).size).toBeGreaterThan(0)
    const withoutLog = beside('without.db')
    copyFileSync(store.path, withoutLog)
    await backUp(beside('a.backup'))
    expect(await marksIn(beside('a.backup'))).toEqual(['in the log'])
  })

  test('overwrites a file only when it is told to', async () => {
    writeFileSync(beside('a.backup'), 'precious')
    await expect(backUp(beside('a.backup'))).rejects.toMatchObject({
      code: 'conflict',
      message: `${beside('a.backup')} is there already; choose another name, or overwrite it with --force`,
    })
    expect(readFileSync(beside('a.backup'), 'utf8')).toBe('precious')
    await backUp(beside('a.backup'), true)
    expect(await marksIn(beside('a.backup'))).toEqual([])
  })

  test('does not go to where a link leads', async () => {
    mkdirSync(beside('far'))
    writeFileSync(beside('far/a.backup'), 'of somebody else')
    symlinkSync(beside('far/a.backup'), beside('link'))
    await expect(backUp(beside('link'), true)).rejects.toMatchObject({
      message: `cannot write ${beside('link')}: it is a link to ${beside('far/a.backup')}, and nothing is written through a link; remove the link, or name the file itself`,
    })
    expect(readFileSync(beside('far/a.backup'), 'utf8')).toBe('of somebody else')
    expect(readdirSync(beside('far'))).toEqual(['a.backup'])
  })

  test.each(['kpi.db', 'kpi.db-wal', 'kpi.db-shm'])('never overwrites %s, the store itself', async (name) => {
    await mark(store.db, 'kept')
    symlinkSync(beside(name), beside('link'))
    for (const file of [beside(name), beside('link')]) {
      await expect(backUp(file, true)).rejects.toMatchObject({
        message: `${file} is the store itself; choose another name`,
      })
    }
    await store.db.close()
    expect(await marksIn(store.path)).toEqual(['kept'])
  })

  test('never overwrites what is not a file', async () => {
    mkdirSync(beside('folder'))
    const message = `${beside('folder')} is not a file; choose another name`
    await expect(backUp(beside('folder'), true)).rejects.toMatchObject({ message })
  })

  test('into a folder that is not there is refused in one sentence', async () => {
    await expect(backUp(beside('nope/a.backup'))).rejects.toMatchObject({
      code: 'unusable',
      message: `${beside('nope/a.backup')} cannot be written (no file can be made there); check its folder`,
    })
  })

  test('that is stopped leaves nothing behind, and what was there as it was', async () => {
    writeFileSync(beside('a.backup'), 'precious')
    await expect(backUpStore(store.path, beside('a.backup'), true, AbortSignal.abort())).rejects.toThrow('aborted')
    expect(others()).toEqual(['a.backup'])
    expect(readFileSync(beside('a.backup'), 'utf8')).toBe('precious')
  })

  test('of a damaged store is refused, and leaves nothing behind', async () => {
    await store.db.close()
    writeFileSync(store.path, readFileSync(store.path).fill(0xff, 8192, 12_288))
    await expect(backUp(beside('a.backup'))).rejects.toMatchObject({
      code: 'unusable',
      message: expect.stringContaining(`${store.path} is damaged`) as string,
    })
    expect(others()).toEqual([])
  })

  test.each([
    ['a text', (path: string) => writeFileSync(path, 'x'.repeat(9000))],
    ["another program's database", (path: string) => runSql(path, 'create table songs (title text)')],
  ])('of %s is refused', async (_, make) => {
    make(beside('other.db'))
    const message = expect.stringContaining('is not a kpi database') as string
    await expect(backUp(beside('a.backup'), false, beside('other.db'))).rejects.toMatchObject({ message })
    expect(others()).toEqual(['other.db'])
  })

  test('that finds no room says so in one line, and leaves no half file', () => {
    // The system lets this process write only so much into a file, as a full disk would.
    const kpi = [process.execPath, join(ROOT, 'bin', 'kpi.js')].join(' ')
    const script = `ulimit -f 20; ${kpi} service backup a.backup --data-dir .`
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { cwd: dirname(store.path), encoding: 'utf8' })
    expect({ status, stdout }).toEqual({ status: 5, stdout: '' })
    expect(stderr).toBe(`kpi: the disk of ${beside('a.backup')} cannot be read or written\n`)
    expect(others()).toEqual([])
  })
})

describe('a restore', () => {
  beforeEach(async () => {
    await mark(store.db, 'then')
    await backUp(beside('a.backup'))
    await mark(store.db, 'now')
  })

  test('puts the backup in place of a store that holds no more than a new one', async () => {
    await store.db.close()
    await expect(restore(beside('a.backup'))).resolves.toBeUndefined()
    expect(await marksIn(store.path)).toEqual(['then'])
  })

  test('makes a store where there is none, for its owner only', async () => {
    await restore(beside('a.backup'), { path: beside('new.db') })
    expect(await marksIn(beside('new.db'))).toEqual(['then'])
    expect(statSync(beside('new.db')).mode & 0o777).toBe(0o600)
  })

  test('overwrites a store that holds data only when it is told to', async () => {
    await store.addAccount('other')
    await store.db.close()
    await expect(restore(beside('a.backup'))).rejects.toMatchObject({
      code: 'conflict',
      message: `${store.path} holds data; keep it with kpi service backup, then overwrite it with --force`,
    })
    expect(await marksIn(store.path)).toEqual(['then', 'now'])
    await restore(beside('a.backup'), { force: true })
    expect(await marksIn(store.path)).toEqual(['then'])
    expect(others()).toEqual(['a.backup'])
  })

  test('is refused while anybody has the store open, and done when they have closed it', async () => {
    const message = `${store.path} is in use by another process, such as kpi serve; stop it, and restore then`
    await expect(restore(beside('a.backup'), { force: true })).rejects.toMatchObject({ code: 'conflict', message })
    expect((await store.db.read((tx) => categories.list(tx, store.account))).map(({ name }) => name)).toContain('now')
    await store.db.close()
    await restore(beside('a.backup'), { force: true })
    expect(await marksIn(store.path)).toEqual(['then'])
  })

  test('is refused while anybody has opened a store that was restored, and only read it', async () => {
    await restore(beside('a.backup'), { path: beside('new.db') })
    const reader = await openStore(beside('new.db'))
    await expect(restore(beside('a.backup'), { path: beside('new.db'), force: true })).rejects.toMatchObject({
      code: 'conflict',
    })
    await reader.close()
    await restore(beside('a.backup'), { path: beside('new.db'), force: true })
    expect(await marksIn(beside('new.db'))).toEqual(['then'])
  })

  test('is refused while anybody has opened a backup that was copied into place, and only read it', async () => {
    copyFileSync(beside('a.backup'), beside('copied.db'))
    const reader = await openStore(beside('copied.db'))
    await expect(restore(beside('a.backup'), { path: beside('copied.db'), force: true })).rejects.toMatchObject({
      code: 'conflict',
    })
    await reader.close()
    await restore(beside('a.backup'), { path: beside('copied.db'), force: true })
    expect(await marksIn(beside('copied.db'))).toEqual(['then'])
  })

  test.each([
    ['trigger spy', 'create trigger spy after insert on kpis begin delete from kpis; end'],
    ['view everything', 'create view everything as select * from users'],
    ['table notes', 'create table notes (text)'],
    ['table words', 'create virtual table words using fts5(text)'],
    ['index by_name', 'create index by_name on kpis (name)'],
  ])('of a backup that holds the %s is refused, and no such backup is made', async (name, sql) => {
    runSql(beside('a.backup'), sql)
    const fault = {
      code: 'unusable',
      message: expect.stringContaining(`holds the ${name}, which is no part of a kpi store`),
    }
    await expect(restore(beside('a.backup'), { path: beside('new.db') })).rejects.toMatchObject(fault)
    expect(existsSync(beside('new.db'))).toBe(false)
    runSql(store.path, sql)
    await expect(backUp(beside('b.backup'))).rejects.toMatchObject(fault)
    expect(existsSync(beside('b.backup'))).toBe(false)
  })

  test('of a backup with a check of its own is refused before that is run', async () => {
    runSql(
      beside('a.backup'),
      `drop table formulas; create table formulas (kpi_id integer, check (kpi_id > 1)) strict;
      pragma ignore_check_constraints = on; insert into formulas values (1)`,
    )
    await expect(restore(beside('a.backup'), { path: beside('new.db') })).rejects.toMatchObject({
      message: `${beside('a.backup')} holds the table formulas in another form than kpi creates it; restore a backup with kpi service restore`,
    })
  })

  test('takes the place of a store with something foreign in it, but only when it is told to', async () => {
    await store.db.close()
    runSql(store.path, 'drop index kpis_by_unit; create view everything as select * from users')
    await expect(restore(beside('a.backup'))).rejects.toMatchObject({ code: 'conflict' })
    await restore(beside('a.backup'), { force: true })
    expect(await marksIn(store.path)).toEqual(['then'])
  })

  test.each(['kpi.db', 'gone'])('pays no heed to a log that was left behind: of %s', async (name) => {
    // Copies of a store that was killed: its last changes stand in the log alone.
    copyFileSync(store.path, beside('killed.db'))
    copyFileSync(`${store.path}-wal`, beside('killed.db-wal'))
    if (name === 'gone') rmSync(beside('killed.db'))
    await restore(beside('a.backup'), { path: beside('killed.db'), force: true })
    expect(await marksIn(beside('killed.db'))).toEqual(['then'])
  })

  test.each<[string, (path: string) => void, kept: string[]]>([
    ['cut after its first page', (path) => truncateSync(path, 4096), ['damaged/kpi.db']],
    ['cut within', (path) => truncateSync(path, 20_000), ['damaged/kpi.db']],
    ['overwritten within', (path) => writeFileSync(path, readFileSync(path).fill(0xff, 8192)), []],
  ])('replaces a store that is damaged, and keeps one that it could not write over: %s', async (_, spoil, kept) => {
    await store.db.close()
    spoil(store.path)
    const spoilt = readFileSync(store.path)
    await expect(restore(beside('a.backup'))).rejects.toMatchObject({ code: 'conflict' })
    expect(readFileSync(store.path).equals(spoilt)).toBe(true)
    const aside = await restore(beside('a.backup'), { force: true })
    expect(aside).toBe(kept.length > 0 ? beside('damaged') : undefined)
    expect(others()).toEqual(['a.backup', ...kept.map(dirname)])
    expect(kept.filter((name) => !readFileSync(beside(name)).equals(spoilt))).toEqual([])
    expect(await marksIn(store.path)).toEqual(['then'])
  })

  test.each<[string, (path: string) => void, RegExp]>([
    ['is not there', (path) => rmSync(path), /^there is no file .*a\.backup$/],
    ['is a folder', (path) => (rmSync(path), mkdirSync(path)), /a\.backup is not a file$/],
    [
      'is empty',
      (path) => truncateSync(path),
      /a\.backup is not a backup of a kpi store; name a file that kpi service backup has written$/,
    ],
    [
      'is a text',
      (path) => writeFileSync(path, 'x'.repeat(9000)),
      /a\.backup is not a backup of a kpi store; name a file that kpi service backup has written$/,
    ],
    [
      "is another program's",
      (path) => (rmSync(path), runSql(path, 'create table t (a); pragma user_version = 1')),
      /a\.backup is not a backup of a kpi store; name a file that kpi service backup has written$/,
    ],
    ['was cut', (path) => truncateSync(path, 20_000), /a\.backup is damaged/],
    [
      'is damaged within',
      (path) => writeFileSync(path, readFileSync(path).fill(0xff, 8192, 12_288)),
      /a\.backup is damaged: .*; nothing was restored, take another backup$/,
    ],
    [
      'names rows that are not there',
      (path) => runSql(path, 'pragma foreign_keys = off; update items set breakdown_id = 9'),
      /a\.backup is damaged: a row of items names one of breakdowns that is not there; nothing/,
    ],
    [
      'is of a newer program',
      (path) => runSql(path, `pragma user_version = ${STORE_VERSION + 1}`),
      /a\.backup was written by a newer kpi; update this one$/,
    ],
  ])('of a file that %s is refused before anything is touched', async (_, spoil, says) => {
    await store.db.close()
    spoil(beside('a.backup'))
    const before = readFileSync(store.path)
    await expect(restore(beside('a.backup'), { force: true })).rejects.toThrow(says)
    expect(readFileSync(store.path).equals(before)).toBe(true)
    expect(others().filter((name) => name !== 'a.backup')).toEqual([])
  })

  test('of a store that is in use is refused: part of it lies beside', async () => {
    await expect(restore(store.path, { path: beside('new.db') })).rejects.toThrow(
      `${store.path} is a store in use, with changes in ${store.path}-wal; make a backup of it`,
    )
    expect(existsSync(beside('new.db'))).toBe(false)
  })

  test('of the store itself is refused', async () => {
    await store.db.close()
    await expect(restore(store.path, { force: true })).rejects.toThrow('is the store itself; name a backup of it')
  })

  test('never overwrites what is no store of ours', async () => {
    runSql(beside('songs.db'), 'create table songs (title text)')
    for (const force of [true, false]) {
      await expect(restore(beside('a.backup'), { path: beside('songs.db'), force })).rejects.toThrow(
        'is not a kpi database',
      )
    }
  })

  test('takes a backup that nobody may write, and lays nothing beside it', async () => {
    mkdirSync(beside('safe'))
    copyFileSync(beside('a.backup'), beside('safe/a.backup'))
    chmodSync(beside('safe/a.backup'), 0o400)
    await restore(beside('safe/a.backup'), { path: beside('new.db') })
    expect(readdirSync(beside('safe'))).toEqual(['a.backup'])
    expect(await marksIn(beside('new.db'))).toEqual(['then'])
  })

  test('that is stopped leaves the store as it was', async () => {
    await store.db.close()
    const stopped = { force: true, asideName: 'damaged', signal: AbortSignal.abort(), makeFolder: () => undefined }
    await expect(restoreStore(beside('a.backup'), store.path, stopped)).rejects.toThrow('aborted')
    expect(await marksIn(store.path)).toEqual(['then', 'now'])
  })
})
