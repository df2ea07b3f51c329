import { existsSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { accounts } from '../../src/service/accounts/accounts.ts'
import { authenticateKey } from '../../src/service/accounts/keys.ts'
import type { Db } from '../../src/store/db.ts'
import { nameUnfinished } from '../../src/store/maintenance/unfinished-copy.ts'
import { openStore, STORE_VERSION } from '../../src/store/schema/open-store.ts'
import { emptyPostgresDatabase } from '../support/databases.ts'
import { NOW } from '../support/io.ts'
import { errorOf, jsonOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, fillShop, SHOP, type User } from '../support/user.ts'

let user: User
beforeEach(async () => {
  user = await embeddedUser()
  await fillShop(user)
})
afterEach(async () => {
  await user[Symbol.asyncDispose]()
})

const service = (...args: string[]): Promise<Ran> => user.kpi('service', ...args)
const storePath = (): string => user.folder.in('.local/share/kpi/kpi.db')
const COUNTS = { accounts: 1, users: 4, kpis: 2, entries: 3 }

/** Runs SQL on the store that nothing holds up. */
const breakStore = (sql: string): void => {
  const database = new DatabaseSync(storePath(), { enableForeignKeyConstraints: false })
  database.exec(sql)
  database.close()
}

describe('status', () => {
  test('says where the store is, how large, what it holds, and that it is in use', async () => {
    await service('accounts', 'create', 'acme', '--login', 'boss@acme.example.com')
    await service('accounts', 'enable-api', 'acme')
    const status = jsonOf(await service('status', '-o', 'json')) as Record<string, unknown>
    expect(status).toEqual({
      store: 'sqlite',
      path: storePath(),
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
      store_version: STORE_VERSION,
      in_use: true,
      last_write_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/) as string,
      bytes: expect.any(Number) as number,
      free_bytes: expect.any(Number) as number,
      ...COUNTS,
      accounts: 2,
      accounts_with_api: 1,
      users: 5,
    })
    expect(status['bytes']).toBeGreaterThanOrEqual(statSync(storePath()).size)
  })

  test('says that nobody uses the store once all have closed it', async () => {
    await user.client.close()
    expect(jsonOf(await service('status', '-o', 'json'))).toMatchObject({ in_use: false, ...COUNTS })
  })

  test('counts no account whose plan has no API', async () => {
    await service('accounts', 'enable-api', 'default')
    await service('settings', 'set', '--plan', 'individual')
    expect(jsonOf(await service('status', '-o', 'json'))).toMatchObject({ accounts_with_api: 0 })
  })
})

describe('backup and restore', () => {
  test('bring back what was there', async () => {
    const file = user.folder.in('a.db')
    const made = jsonOf(await service('backup', 'a.db', '-o', 'json'))
    const record = { file, bytes: statSync(file).size, ...COUNTS }
    expect(made).toEqual(record)
    const before = await user.kpi('entries', 'list', '--from', '2026-11-01', '-o', 'csv')
    await user.client.kpis.remove(SHOP.revenue)
    await user.client.close()
    expect(jsonOf(await service('restore', 'a.db', '--force', '-o', 'json'))).toEqual(record)
    expect(await user.kpi('entries', 'list', '--from', '2026-11-01', '-o', 'csv')).toEqual(before)
    expect(readdirSync(user.folder.in('.local/share/kpi'))).toEqual(['kpi.db'])
  })

  test('move a store to another place, tokens and all', async () => {
    await service('token', 'create')
    await service('backup', 'a.db')
    expect((await service('restore', 'a.db', '--data-dir', 'there')).code).toBe(0)
    const revoked = await service('token', 'revoke', '--yes', '--data-dir', 'there')
    expect(revoked.stderr).toBe('the token of account default no longer works\n')
  })

  test('bring back keys that open as before, and one that was revoked meanwhile', async () => {
    const flags = ['--user', 'Ann Lee', '--scopes', 'kpis:read', '-o', 'json']
    const { key } = jsonOf(await service('keys', 'create', 'nightly', ...flags)) as { key: string }
    await service('backup', 'a.db')
    await service('keys', 'revoke', 'nightly', '--yes')
    await user.client.close()
    await service('restore', 'a.db', '--force')
    expect((await service('keys', 'list', '--columns', 'id,name,status', '-o', 'csv')).stdout).toBe(
      'id,name,status\n1,nightly,active\n',
    )
    const db = await openStore(storePath())
    expect(await authenticateKey(db, key, NOW / 1000)).toMatchObject({
      key: { name: 'nightly' },
      owner: { first_name: 'Ann' },
    })
    await db.close()
  })

  test('what is no backup is refused, and no data directory is made for it', async () => {
    writeFileSync(user.folder.in('notes.txt'), 'no backup')
    const ran = await service('restore', 'notes.txt', '--data-dir', 'there')
    expect(ran).toEqual({
      code: 1,
      stdout: '',
      stderr: `kpi: ${user.folder.in('notes.txt')} is not a backup of a kpi store; name a file that kpi service backup has written\n`,
    })
    expect(existsSync(user.folder.in('there'))).toBe(false)
  })

  test('a store that is too damaged to be written over is kept, and it is said where', async () => {
    await service('backup', 'a.db')
    await user.client.close()
    truncateSync(storePath(), 4096)
    const ran = await service('restore', 'a.db', '--force', '-o', 'json')
    expect(jsonOf(ran)).toMatchObject(COUNTS)
    const aside = user.folder.in('.local/share/kpi/damaged-20261121120000')
    expect(ran.stderr).toBe(`the damaged store that was there is kept in ${aside}\n`)
    expect(readdirSync(aside)).toEqual(['kpi.db'])
  })

  test('a backup to standard output is refused, and no file is named -', async () => {
    expect(await service('backup', '-')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'kpi service backup: a backup is written to a file, not to standard output; name one, such as kpi-backup.db, and pass that on (./- is a file named -)\n',
    })
    expect(existsSync(user.folder.in('-'))).toBe(false)
  })

  test('a backup that is stopped says so', async () => {
    const ran = await user.kpiIn({ signal: AbortSignal.abort() }, 'service', 'backup', 'a.db')
    expect(ran).toEqual({ code: 130, stdout: '', stderr: 'kpi: interrupted; no backup was written\n' })
    expect(existsSync(user.folder.in('a.db'))).toBe(false)
  })
})

describe('check', () => {
  test('says on standard error that nothing is wrong', async () => {
    const fine = 'nothing wrong: 1 account, 3 entries checked\n'
    expect(await service('check')).toEqual({ code: 0, stdout: '', stderr: fine })
    expect(await service('check', '-o', 'json')).toEqual({ code: 0, stdout: '[]\n', stderr: fine })
    expect(await service('check', '--quiet')).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('names what is wrong, and what to do about it', async () => {
    breakStore('update entries set actual = null where id = 2; update kpis set icon_id = 99 where id = 1')
    const ran = await service('check', '-o', 'json')
    expect(ran.code).toBe(1)
    expect(JSON.parse(ran.stdout)).toEqual([
      {
        table: 'kpis',
        account: 'default',
        id: '1',
        fault: 'has an icon that does not exist',
        remedy: 'give it another icon: kpi kpis update',
      },
      {
        table: 'entries',
        account: 'default',
        id: '2',
        fault: 'has neither actual, target nor notes',
        remedy: 'delete it, or restore a backup from before',
      },
    ])
    expect(errorOf(ran).message).toBe('2 faults: 1 account, 3 entries checked')
  })
})

describe('a data directory with a copy that is not finished', () => {
  const copy = { account: 'default', run: 'run1', source: 'postgres://localhost/kpi' }
  const back = (): string => user.folder.in('back')
  const accountsThere = async (work?: (db: Db) => Promise<unknown>): Promise<string[]> => {
    mkdirSync(back(), { recursive: true })
    const db = await openStore(join(back(), 'kpi.db'))
    await work?.(db)
    const all = await accounts.list(db)
    await db.close()
    return all.map(({ name }) => name)
  }
  beforeEach(async () => {
    await accountsThere(async (db) => {
      const { id } = await accounts.create(db, { name: 'default', login: 'ann@example.com' }, 0)
      await db.write((tx) => tx.run('update accounts set name = ? where id = ?', [nameUnfinished(copy), id]))
    })
  })

  test('gets no other account, and says how to continue or remove the copy', async () => {
    const listed = jsonOf(await service('accounts', 'list', '--data-dir', 'back', '-o', 'json'))
    expect(listed).toMatchObject([{ name: nameUnfinished(copy) }])
    const continuing = `kpi service copy --to sqlite --account default --data-dir ${back()}`
    const message = `the copy of account default from ${copy.source} to ${back()} is not finished; continue it: ${continuing}, or remove it: ${continuing} --discard`
    expect(await user.kpi('kpis', 'list', '--data-dir', 'back')).toEqual({
      code: 1,
      stdout: '',
      stderr: `kpi: ${message}\n`,
    })
    expect((await user.kpi('doctor', '--data-dir', 'back')).stdout).toContain('is not finished; continue it')
    for (const line of ['status', 'check', 'keys list', 'token create'])
      await service(...line.split(' '), '--data-dir', 'back')
    expect(await accountsThere()).toEqual([nameUnfinished(copy)])
    const removed = await user.kpi(...continuing.split(' ').slice(1), '--discard')
    expect(removed).toMatchObject({ code: 0, stderr: '1 unfinished copy removed: default\n' })
    expect(await accountsThere()).toEqual([])
  })

  test('keeps the name of its account', async () => {
    const made = await service('accounts', 'create', 'default', '--login', 'a@example.com', '--data-dir', 'back')
    expect(made).toMatchObject({ code: 1, stderr: expect.stringContaining('is not finished') as string })
  })

  test.each(['default', nameUnfinished(copy)])('lets nobody use %s', async (name) => {
    const refused = {
      code: 1,
      stderr: `kpi: the copy of account default from ${copy.source} is not finished; finish it with the kpi service copy that began it, or remove it with that and --discard\n`,
    }
    for (const line of [
      ['accounts', 'enable-api', name],
      ['accounts', 'show', name],
      ['settings', 'set', '--week-start', 'sunday', '--account', name],
      ['token', 'create', '--account', name],
      ['keys', 'list', '--account', name],
    ])
      expect(await service(...line, '--data-dir', 'back')).toMatchObject(refused)
  })
})

test.each(['status', 'check', 'backup a.db'])('%s makes no store where there is none', async (line) => {
  const ran = await service(...line.split(' '), '--data-dir', 'nowhere')
  const message = `kpi: there is no store in ${user.folder.in('nowhere')}; name its folder with --data-dir\n`
  expect(ran).toEqual({ code: 1, stdout: '', stderr: message })
  expect(existsSync(join(user.folder.path, 'nowhere'))).toBe(false)
})

test('a store in PostgreSQL has a status and is checked; its backup is the work of its own tools', async () => {
  await using database = await emptyPostgresDatabase()
  const onPostgres = (...line: string[]): Promise<Ran> =>
    user.kpiIn({ env: database.env }, 'service', ...line, ...database.flags)
  const made = await onPostgres('accounts', 'create', 'acme', '--login', 'boss@acme.example.com')
  expect(made.stderr).toMatch(/ enable-api acme --store postgres\n .* --account acme --store postgres\n$/)
  expect((await onPostgres('token', 'create')).stderr).toBe(
    'kpi: there is no account default; name one with --account; kpi service accounts list shows them\n',
  )
  expect(jsonOf(await onPostgres('status', '-o', 'json'))).toEqual({
    store: 'postgres',
    path: expect.stringMatching(/^[^@]+:\d+\/\w+$/) as string,
    version: expect.any(String) as string,
    store_version: STORE_VERSION,
    in_use: expect.any(Boolean) as boolean,
    last_write_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/) as string,
    bytes: expect.any(Number) as number,
    free_bytes: null,
    accounts: 1,
    accounts_with_api: 0,
    users: 1,
    kpis: 0,
    entries: 0,
  })
  expect(await onPostgres('check')).toMatchObject({ code: 0, stderr: 'nothing wrong: 1 account, 0 entries checked\n' })
  for (const [verb, tool] of [
    ['backup', 'pg_dump'],
    ['restore', 'pg_restore'],
  ] as const) {
    const message = `kpi: this is for a store in a file; for one in PostgreSQL use ${tool}\n`
    expect(await onPostgres(verb, 'a.db')).toEqual({ code: 7, stdout: '', stderr: message })
  }
})
