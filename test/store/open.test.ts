import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { openEmbedded } from '../../src/cli/embedded.ts'
import { KpiError } from '../../src/domain/errors.ts'
import { users } from '../../src/store/tables/users.ts'
import { sqliteDialect } from '../../src/store/dialect.ts'
import { migrations } from '../../src/store/schema/migrations.ts'
import { openStore, STORE_VERSION } from '../../src/store/schema/open-store.ts'
import { sqliteDb } from '../../src/store/sqlite/sqlite-db.ts'
import { temporaryFolder } from '../support/folder.ts'
import { openTestStore, userRecord } from '../support/store.ts'

/** Runs SQL on a database file without the store. */
const runSql = (path: string, sql: string): void => {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

/** What opening a path is refused with; fails where it is not. */
const refusal = async (path: string): Promise<KpiError> => {
  try {
    await (await openStore(path)).close()
  } catch (error) {
    if (error instanceof KpiError) return error
    throw error
  }
  throw new Error('the store was opened')
}

describe('opening a store', () => {
  test('makes a file that only its owner may read, as are those that SQLite keeps beside it', async () => {
    await using store = await openTestStore()
    const folder = dirname(store.path)
    const modes = readdirSync(folder).map((name) => [name, statSync(`${folder}/${name}`).mode & 0o777])
    expect(Object.fromEntries(modes)).toEqual({ 'kpi.db': 0o600, 'kpi.db-wal': 0o600, 'kpi.db-shm': 0o600 })
  })

  test('of the embedded service makes its folder too, for its owner only', async () => {
    using folder = temporaryFolder()
    const { db } = await openEmbedded(folder.in('new/data'), () => 0)
    await db.close()
    const modes = ['new', 'new/data', 'new/data/kpi.db'].map((name) => statSync(folder.in(name)).mode & 0o777)
    expect(modes).toEqual([0o700, 0o700, 0o600])
  })

  test('takes an empty file for a new store', async () => {
    using folder = temporaryFolder()
    writeFileSync(folder.in('kpi.db'), '')
    const db = await openStore(folder.in('kpi.db'))
    expect(await db.read((tx) => tx.all('select id from accounts'))).toEqual([])
    await db.close()
  })

  test('again changes nothing', async () => {
    await using store = await openTestStore()
    const { db, path, account } = store
    await db.write((tx) => users.insert(tx, account, userRecord({ first_name: 'Zo\u00eb \u{1f600}' })))
    await db.close()
    const before = readFileSync(path)
    const again = await openStore(path)
    expect(await again.read((tx) => users.find(tx, account, 2))).toEqual(
      userRecord({ first_name: 'Zo\u00eb \u{1f600}' }),
    )
    await again.close()
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  test('at the same time from many sides makes it once', async () => {
    using folder = temporaryFolder()
    const stores = await Promise.all(Array.from({ length: 5 }, () => openStore(folder.in('kpi.db'))))
    await Promise.all(
      stores.map((db, name) =>
        db.write((tx) =>
          tx.run(
            `insert into accounts values
      (null, ?, 'team', 1, 'monday', 1, null, 0)`,
            [`a${name}`],
          ),
        ),
      ),
    )
    const rows = await stores[0]?.read((tx) => tx.all('select name from accounts order by name'))
    expect(rows?.map((row) => row['name'])).toEqual(['a0', 'a1', 'a2', 'a3', 'a4'])
    await Promise.all(stores.map((db) => db.close()))
  })

  test('finds what a copy of the file holds', async () => {
    await using store = await openTestStore()
    await store.db.close()
    copyFileSync(store.path, `${store.path}.copy`)
    const copy = await openStore(`${store.path}.copy`)
    expect(await copy.read((tx) => users.list(tx, store.account))).toMatchObject([{ email: 'admin@acme' }])
    await copy.close()
  })
})

describe('opening what cannot be used', () => {
  const size = 20_000

  test.each<[string, (path: string) => void, RegExp]>([
    ['a text', (path) => writeFileSync(path, 'not a database'), /is not a kpi database; move it away/],
    ['a long text', (path) => writeFileSync(path, 'x'.repeat(size)), /is not a kpi database; move it away/],
    ['zeros', (path) => writeFileSync(path, Buffer.alloc(size)), /is not a kpi database; move it away/],
    ['a store cut within its first bytes', (path) => truncateSync(path, 10), /is not a kpi database; move it away/],
    ['a store cut within its first page', (path) => truncateSync(path, 500), /is damaged; restore it from a backup/],
    ['a store cut after its first page', (path) => truncateSync(path, 4096), /is damaged; restore it from a backup/],
    ['a store cut within', (path) => truncateSync(path, size), /is damaged; restore it from a backup/],
    [
      'a newer store',
      (path) => runSql(path, `pragma user_version = ${STORE_VERSION + 1}`),
      /was written by a newer kpi; update this one/,
    ],
  ])('%s is refused in one sentence that names it, and left as it is', async (_, spoil, says) => {
    await using store = await openTestStore()
    await store.db.close()
    spoil(store.path)
    const before = readFileSync(store.path)
    const { code, message } = await refusal(store.path)
    expect(code).toBe('unusable')
    expect(message).toMatch(says)
    expect(message).toContain(store.path)
    expect(message).not.toContain('\n')
    expect(readFileSync(store.path).equals(before)).toBe(true)
  })

  test.each([0, 1])("another program's database of version %i is refused, and left as it is", async (version) => {
    using folder = temporaryFolder()
    const path = folder.in('kpi.db')
    runSql(path, `create table songs (title text); pragma user_version = ${version}`)
    const before = readFileSync(path)
    const { code, message } = await refusal(path)
    expect([code, message]).toEqual(['unusable', expect.stringContaining('is not a kpi database') as string])
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  test('a directory in its place is refused in one sentence that names it', async () => {
    using folder = temporaryFolder()
    mkdirSync(folder.in('kpi.db'))
    const { code, message } = await refusal(folder.in('kpi.db'))
    expect(code).toBe('unusable')
    expect(message).toContain(folder.in('kpi.db'))
  })

  test.each([
    ['is not there', () => undefined],
    ['is a file', (path: string) => writeFileSync(path, '')],
  ])('a place whose folder %s is refused in one sentence that names it', async (_, place) => {
    using folder = temporaryFolder()
    place(folder.in('data'))
    const { code, message } = await refusal(folder.in('data/kpi.db'))
    expect(code).toBe('unusable')
    expect(message).toContain(folder.in('data/kpi.db'))
  })

  const ENDLESS = 'with recursive n (i) as (select 1 union all select i + 1 from n) select i from n'
  const OTHER_FORM = 'in another form than kpi creates it; restore a backup with kpi service restore'
  const renewed = (table: string, columns: string): string => `drop table ${table}; create table ${table} (${columns})`

  test.each([
    [
      'a view',
      `drop table formulas; create view formulas as ${ENDLESS}`,
      'holds the view formulas, which is no part of a kpi store; drop it and try again',
    ],
    [
      'a trigger',
      `create trigger spy after insert on kpis begin select count(*) from (${ENDLESS}); end`,
      'holds the trigger spy, which is no part of a kpi store; drop it and try again',
    ],
    [
      'a generated column',
      renewed('formulas', `kpi_id integer, formula as (printf('%.*c', 1e9, 'x'))`),
      `holds the table formulas ${OTHER_FORM}`,
    ],
    [
      'a check',
      renewed('keys', `name text, check (printf('%.*c', 1e9, 'x') <> name)`),
      `holds the table keys ${OTHER_FORM}`,
    ],
    [
      'another index under its name',
      'drop index kpis_by_unit; create index kpis_by_unit on kpis (name)',
      `holds the index kpis_by_unit ${OTHER_FORM}`,
    ],
    [
      'an index less',
      'drop index kpis_by_unit',
      'lacks the index kpis_by_unit, which every kpi store has; restore a backup with kpi service restore',
    ],
  ])('a store with %s is refused before anything is read from it', async (_, sql, says) => {
    await using store = await openTestStore()
    await store.db.close()
    runSql(store.path, sql)
    expect((await refusal(store.path)).message).toBe(`${store.path} ${says}`)
  })

  test('a store of an earlier version with a trigger is refused, and not migrated', async () => {
    using folder = temporaryFolder()
    const path = folder.in('kpi.db')
    const statements = migrations(sqliteDialect).slice(0, 4).flat()
    for (const step of statements) if (typeof step === 'string') runSql(path, step)
    runSql(
      path,
      `create trigger spy after insert on kpis begin select 1; end;
      pragma application_id = 0x6b7069; pragma user_version = 4`,
    )
    const before = readFileSync(path)
    expect((await refusal(path)).message).toContain('holds the trigger spy')
    expect(readFileSync(path).equals(before)).toBe(true)
  })

  test('statistics that analyze has made are no part of that', async () => {
    await using store = await openTestStore()
    await store.db.close()
    runSql(store.path, 'analyze')
    const db = await openStore(store.path)
    expect(await db.read((tx) => users.list(tx, store.account))).toHaveLength(1)
    await db.close()
  })

  describe.each(['-journal', '-wal', '-shm'])('a store beside which, as kpi.db%s, there is', (ending) => {
    test.each<[string, RegExp, (path: string, foreign: string) => void]>([
      ['a pipe', /it is a pipe, and has to be a file; remove it/, (path) => void execFileSync('mkfifo', [path])],
      ['a link', /it is a link to \S+foreign, and .* remove the link/, (path, foreign) => symlinkSync(foreign, path)],
      ['a second name', /it has a second name \(a hard link\)/, (path, foreign) => linkSync(foreign, path)],
      ['a folder', /it is a directory/, (path) => mkdirSync(path)],
    ])('%s, is refused and names it', async (_, says, make) => {
      await using store = await openTestStore()
      await store.db.close()
      const foreign = `${dirname(store.path)}/foreign`
      writeFileSync(foreign, 'precious')
      make(store.path + ending, foreign)
      for (const opened of [openStore(store.path), sqliteDb(store.path).read(() => Promise.resolve())]) {
        const error = await opened.then(
          () => undefined,
          (reason: unknown) => reason,
        )
        expect(error).toMatchObject({ code: 'unusable', message: expect.stringMatching(says) as string })
        const begins = `${store.path} cannot be used: ${store.path}${ending} is in its way: `
        expect(error).toMatchObject({ message: expect.stringContaining(begins) as string })
      }
      expect(readFileSync(foreign, 'utf8')).toBe('precious')
    })
  })

  const ROOT_PAGE = "select rootpage as at, page_size as size from sqlite_schema, pragma_page_size where name = 'users'"

  test('damage that shows later is told as what it is', async () => {
    await using store = await openTestStore()
    await store.db.close()
    const file = new DatabaseSync(store.path)
    const { at = 0, size = 0 } = file.prepare(ROOT_PAGE).get() as Record<string, number>
    file.close()
    const bytes = readFileSync(store.path)
    writeFileSync(store.path, bytes.fill(0xff, (at - 1) * size, at * size))
    const db = await openStore(store.path)
    const damaged = { code: 'unusable', message: `${store.path} is damaged; restore it from a backup` }
    await expect(db.read((tx) => users.list(tx, store.account))).rejects.toMatchObject(damaged)
    await db.close()
  })
})
