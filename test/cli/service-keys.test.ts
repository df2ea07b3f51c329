import { describe, expect, test } from 'vitest'
import { databases, sqliteDatabase } from '../support/databases.ts'
import { NOW } from '../support/io.ts'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { type Operator, openOperator } from '../support/operator.ts'
import { remoteUser } from '../support/user.ts'

const DAY_MS = 86_400_000
const EVE = ['--user', 'boss@acme.example.com']
const TO_IMPORT = [...EVE, '--scopes', 'entries:write']

type Made = { readonly id: number; readonly key: string }

const keysOf =
  ({ service }: Operator) =>
  (...args: string[]): Promise<Ran> =>
    service('keys', ...args)

/** Makes a key, and answers it with all that was printed. */
const make = async (operator: Operator, name: string, ...flags: string[]): Promise<Made & Ran> => {
  const ran = await keysOf(operator)('create', name, ...flags, '-o', 'json')
  return { ...ran, ...(jsonOf(ran) as Made) }
}

const COLUMNS = ['--columns', 'id,name,status,expires_at', '-o', 'csv']
const rowsOf = async (operator: Operator): Promise<string[]> => {
  const { stdout } = await keysOf(operator)('list', ...COLUMNS)
  return stdout.trim().split('\n').slice(1)
}

describe.each(databases)('kpi service keys on %s', (_name, database) => {
  test('create prints the key this once, and says what it may do', async () => {
    const operator = await openOperator(database)
    const made = await make(operator, 'nightly', ...TO_IMPORT, '--expires', '90d')
    expect(JSON.parse(made.stdout)).toEqual({ id: 1, key: expect.stringMatching(/^kpi_key_\w{33}_\w{6}$/) as string })
    expect(made.stderr).toBe(
      'key 1 (nightly) may do entries:write in the name of Eve Adams, until 2027-02-19T12:00:00 UTC; it is shown only once\n',
    )
    const listed = jsonOf(await keysOf(operator)('list', '-o', 'json'))
    expect(listed).toEqual([
      {
        id: 1,
        name: 'nightly',
        begins: made.key.slice(0, 16),
        user_id: 1,
        scopes: 'entries:write',
        expires_at: '2027-02-19T12:00:00',
        last_used_at: null,
        revoked_at: null,
        created_at: '2026-11-21T12:00:00',
        owner: 'Eve Adams',
        status: 'active',
      },
    ])
  })

  test('rotate makes a key in place of another one, which goes on for the overlap', async () => {
    const operator = await openOperator(database)
    const keys = keysOf(operator)
    await make(operator, 'nightly', ...TO_IMPORT, '--expires', '90d')
    operator.clock.now = NOW + 80 * DAY_MS
    const rotated = await keys('rotate', 'nightly', '-o', 'json')
    expect(jsonOf(rotated)).toEqual({ id: 2, key: expect.stringMatching(/^kpi_key_/) as string })
    expect(rotated.stderr).toBe(
      [
        'key 2 (nightly) may do entries:write in the name of Eve Adams, until 2027-05-10T12:00:00 UTC; it is shown only once\n',
        'key 1 (nightly), which it replaces, works until 2027-02-10T12:00:00 UTC\n',
      ].join(''),
    )
    expect(await rowsOf(operator)).toEqual([
      '1,nightly,replaced,2027-02-10T12:00:00',
      '2,nightly,active,2027-05-10T12:00:00',
    ])
    // The name stands for the last of them, as that is what is rotated next.
    operator.clock.now += DAY_MS / 2
    const again = await keys('rotate', 'nightly', '--overlap', '0', '--expires', 'never')
    expect(again.stderr).toMatch(/, without an end; .*\nkey 2 \(nightly\), which it replaces, no longer works\n$/)
    operator.clock.now += DAY_MS
    expect(await rowsOf(operator)).toEqual([
      '1,nightly,expired,2027-02-10T12:00:00',
      '2,nightly,expired,2027-02-10T00:00:00',
      '3,nightly,active,',
    ])
  })

  test('revoke ends a key, by name or id, and says where that was done before', async () => {
    const operator = await openOperator(database)
    const keys = keysOf(operator)
    await make(operator, 'nightly', ...TO_IMPORT)
    const revoked = 'key 1 (nightly) no longer works\n'
    expect(await keys('revoke', 'Nightly', '--yes')).toEqual({ code: 0, stdout: '', stderr: revoked })
    operator.clock.now += DAY_MS
    const before = 'key 1 (nightly) was revoked already, at 2026-11-21T12:00:00 UTC\n'
    for (const name of ['nightly', '1']) {
      expect(await keys('revoke', name, '--yes')).toEqual({ code: 0, stdout: '', stderr: before })
    }
    // A name stands for the key that goes on, and while a rotation overlaps there are two.
    await make(operator, 'nightly', ...TO_IMPORT)
    expect((await keys('revoke', 'nightly', '--yes')).stderr).toBe('key 2 (nightly) no longer works\n')
    await make(operator, 'nightly', ...TO_IMPORT)
    await keys('rotate', 'nightly')
    expect(await keys('revoke', 'nightly', '--yes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"nightly" is the name of more than one key: 3, 4; use the id') as string,
    })
  })

  test('list shows how keys stand, and narrows to those that end soon', async () => {
    const operator = await openOperator(database)
    const ends = ['--expires', '2026-12-31']
    await make(operator, 'dashboard', ...EVE, '--scopes', 'reports:read,kpis:read')
    await make(operator, 'nightly', ...TO_IMPORT, ...ends)
    operator.clock.now = Date.parse('2026-12-16T23:59:59Z')
    expect(await rowsOf(operator)).toEqual(['1,dashboard,active,', '2,nightly,active,2026-12-31T00:00:00'])
    operator.clock.now += 1000
    const soon = await keysOf(operator)('list', '--filter', 'status=expiring', '-o', 'csv', '--columns', 'name')
    expect(soon.stdout).toBe('name\nnightly\n')
    const table = await keysOf(operator)('list')
    expect(table.stdout).toBe(
      [
        'id  name       status    owner      scopes                  expires_at           last_used_at\n',
        ' 1  dashboard  active    Eve Adams  kpis:read,reports:read                                   \n',
        ' 2  nightly    expiring  Eve Adams  entries:write           2026-12-31T00:00:00              \n',
      ]
        .join('')
        .replaceAll(/ +\n/g, '\n'),
    )
  })
})

describe('a key is refused', () => {
  test('with all that is wrong with the line at once', async () => {
    const operator = await openOperator(sqliteDatabase)
    const flags = ['--user', 'Adam', '--scopes', 'kpis:red', '--expires', 'soon']
    expect(await keysOf(operator)('create', 'x'.repeat(51), ...flags)).toEqual({
      code: 2,
      stdout: '',
      stderr: `kpi service keys create: --user: there is no user "Adam"; did you mean "Eve Adams"?; the name has 51 characters, at most 50 are allowed; --scopes: there is no scope kpis:red; there are kpis:read, kpis:write, entries:read, entries:write, reports:read, users:read, breakdowns:read, breakdowns:write, or all alone; --expires soon is no time to come; write 90d, 12h, 2027-03-31 or never\n`,
    })
    expect(await keysOf(operator)('create', ' ')).toMatchObject({
      code: 2,
      stderr:
        'kpi service keys create: the name must not be empty; a key needs --user <id|name|email>, --scopes <list>; there are kpis:read, kpis:write, entries:read, entries:write, reports:read, users:read, breakdowns:read, breakdowns:write, or all alone\n',
    })
  })

  test('where its end has passed and its name is taken', async () => {
    const operator = await openOperator(sqliteDatabase)
    await make(operator, 'nightly', ...TO_IMPORT)
    expect(await keysOf(operator)('create', 'nightly', ...TO_IMPORT, '--expires', '2026-11-21')).toEqual({
      code: 1,
      stdout: '',
      stderr: [
        'kpi: 2 fields are not valid\n',
        '  expires_at: must lie in the future, and 2026-11-21T00:00:00 does not\n',
        '  name: nightly is the name of key 1 already; rotate or revoke that one, or choose another name\n',
      ].join(''),
    })
  })

  test.each([['2026-02-30'], ['-5d'], ['90'], ['1y'], ['2026-12-01T25:00:00']])('with --expires %s', async (end) => {
    const operator = await openOperator(sqliteDatabase)
    expect(await keysOf(operator)('create', 'nightly', ...TO_IMPORT, `--expires=${end}`)).toMatchObject({
      code: 2,
      stderr: `kpi service keys create: --expires ${end} is no time to come; write 90d, 12h, 2027-03-31 or never\n`,
    })
  })

  test.each([
    ['30m', '2026-11-21T12:30:00'],
    ['12h', '2026-11-22T00:00:00'],
    ['2026-12-01', '2026-12-01T00:00:00'],
    ['2026-12-01T08:00:00', '2026-12-01T08:00:00'],
    ['never', ''],
  ])('but not with --expires %s', async (end, shown) => {
    const operator = await openOperator(sqliteDatabase)
    await make(operator, 'nightly', ...TO_IMPORT, '--expires', end)
    expect(await rowsOf(operator)).toEqual([expect.stringMatching(`^1,nightly,\\w+,${shown}$`)])
  })

  test('to be rotated where nothing can be made of the line, or of the key', async () => {
    const operator = await openOperator(sqliteDatabase)
    const keys = keysOf(operator)
    await make(operator, 'nightly', ...TO_IMPORT)
    expect(await keys('rotate', 'nightly', '--overlap', '1 day', '--expires', 'soon')).toMatchObject({
      code: 2,
      stderr:
        'kpi service keys rotate: --overlap 1 day is no time; write 24h, 7d, 30m or 0; --expires soon is no time to come; write 90d, 12h, 2027-03-31 or never\n',
    })
    expect(await keys('rotate', 'weekly')).toMatchObject({
      code: 2,
      stderr: 'kpi service keys rotate: there is no key "weekly"\n',
    })
    expect(await keys('revoke', '7', '--yes')).toMatchObject({ code: 1, stderr: 'kpi: there is no key 7\n' })
    await keys('revoke', 'nightly', '--yes')
    expect(await keys('rotate', 'nightly')).toMatchObject({
      code: 1,
      stderr: 'kpi: key 1 (nightly) cannot be rotated: it was revoked; make a new one with kpi service keys create\n',
    })
  })

  test('through a profile of a remote service', async () => {
    await using user = await remoteUser()
    const ran = await user.kpi('service', 'keys', 'list')
    expect(ran).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('directly on the data of the bundled service') as string,
    })
  })
})
