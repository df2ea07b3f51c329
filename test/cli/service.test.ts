import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openStore } from '../../src/store/schema/open-store.ts'
import { users } from '../../src/store/tables/users.ts'
import { temporaryFolder } from '../support/folder.ts'
import { errorOf, jsonOf, type Ran, shellIn, withoutCommand } from '../support/kpi.ts'
import { embeddedUser, remoteUser, type User } from '../support/user.ts'

let user: User
beforeEach(async () => {
  user = await embeddedUser()
})
afterEach(async () => {
  await user[Symbol.asyncDispose]()
})

const service = (...args: string[]): Promise<Ran> => user.kpi('service', ...args)
const createAcme = (...more: string[]): Promise<Ran> =>
  service('accounts', 'create', 'acme', '--login', 'boss@acme.example.com', '-o', 'json', ...more)
const account = async (): Promise<unknown> => (jsonOf(await service('accounts', 'list', '-o', 'json')) as unknown[])[0]

test('the one account is there on first use, its API not enabled', async () => {
  expect(await account()).toMatchObject({
    id: 1,
    name: 'default',
    plan: 'team',
    api_enabled: false,
    week_start: 'monday',
  })
})

test('the API is enabled and disabled, and that is all that changes', async () => {
  const before = await account()
  for (const [verb, api_enabled] of [
    ['enable', true],
    ['enable', true],
    ['disable', false],
  ] as const) {
    const ran = await service('accounts', `${verb}-api`, 'default')
    expect(ran).toEqual({ code: 0, stdout: '', stderr: `the API of account default is ${verb}d\n` })
    expect(await account()).toEqual({ ...(before as object), api_enabled })
  }
})

test('a token is printed once, as data: the login and the token', async () => {
  const made = jsonOf(await service('token', 'create', '-o', 'json')) as Record<string, string>
  expect(Object.keys(made)).toEqual(['login', 'token'])
  expect(made['login']).toBe('admin@localhost')
  expect(made['token']).toMatch(/^kpi_token_[A-Za-z0-9]{22,}_[A-Za-z0-9]+$/)
  expect(await service('token', 'create', '--yes', '-o', 'csv')).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^login,token\nadmin@localhost,kpi_token_\w+\n$/) as string,
    stderr: 'the previous token no longer works\n',
  })
  expect(JSON.stringify([await account(), await service('accounts', 'list')])).not.toContain('kpi_token')
})

test('a token is of the account that is named', async () => {
  await createAcme()
  const made = jsonOf(await service('token', 'create', '--account', 'acme', '-o', 'json'))
  expect(made).toMatchObject({ login: 'boss@acme.example.com' })
})

test('a token is told with the login that is wanted, of an active user', async () => {
  await user.kpi('users', 'create', '--first-name', 'Ann', '--email', 'ann@example.com')
  const made = await service('token', 'create', '--login', 'ANN@example.com', '-o', 'json')
  expect(jsonOf(made)).toMatchObject({ login: 'ann@example.com' })
  await user.kpi('users', 'update', 'ann@example.com', '--user-status', 'L')
  expect(await service('token', 'create', '--login', 'ann@example.com')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'kpi: account default has no active user ann@example.com\n',
  })
})

test('a token is revoked, and no other account with it', async () => {
  await createAcme()
  await service('token', 'create', '--account', 'acme')
  expect(await service('token', 'revoke', '--yes')).toMatchObject({ code: 0, stderr: 'account default has no token\n' })
  const revoke = (): Promise<Ran> => service('token', 'revoke', '--account', 'acme', '--yes')
  expect(await revoke()).toEqual({ code: 0, stdout: '', stderr: 'the token of account acme no longer works\n' })
  expect(await revoke()).toMatchObject({ code: 0, stderr: 'account acme has no token\n' })
})

describe('an account', () => {
  test('is made with its first user, what is usual, and its API off', async () => {
    const made = await createAcme()
    expect(jsonOf(made)).toEqual({
      id: 2,
      name: 'acme',
      plan: 'team',
      api_enabled: false,
      week_start: 'monday',
      fiscal_year_start: 1,
      created_at: '2026-11-21T12:00:00',
    })
    expect(made.stderr).toBe(
      'To let clients in:\n  kpi service accounts enable-api acme\n  kpi service token create --account acme\n',
    )
    expect(jsonOf(await service('accounts', 'show', 'acme', '-o', 'json'))).toEqual(jsonOf(made))
    expect(jsonOf(await service('accounts', 'list', '-o', 'json'))).toHaveLength(2)
  })

  test('is made in another place, which the commands that are still to be given name, too', async () => {
    const { stderr } = await createAcme('--data-dir', 'my data')
    const place = "--data-dir 'my data'"
    expect(stderr).toBe(
      `To let clients in:\n  kpi service accounts enable-api acme ${place}\n  kpi service token create --account acme ${place}\n`,
    )
  })

  test('is made with settings and a name of its first user', async () => {
    const made = await createAcme(
      '--plan',
      'individual',
      '--week-start',
      'sunday',
      '--fiscal-year-start',
      '4',
      '--first-name',
      ' Eve ',
      '--last-name',
      'Ray',
    )
    expect(jsonOf(made)).toMatchObject({ plan: 'individual', week_start: 'sunday', fiscal_year_start: 4 })
    const db = await openStore(user.folder.in('.local/share/kpi/kpi.db'))
    expect(await db.read((tx) => users.list(tx, 2))).toMatchObject([
      {
        first_name: 'Eve',
        last_name: 'Ray',
        email: 'boss@acme.example.com',
        user_type: 'Admin',
        can_manage_users: true,
      },
    ])
    await db.close()
  })

  test.each(['api', 'www', 'localhost', 'kpi', '123', 'Acme', 'a_b', 'a.b', 'ä', 'x'.repeat(64), '', ' '])(
    'is not called %j',
    async (name) => {
      const ran = await service('accounts', 'create', name, '--login', 'boss@acme.example.com')
      expect(ran).toMatchObject({ code: 2, stdout: '' })
      expect(ran.stderr).toMatch(
        /^kpi service accounts create: the name .*must|^kpi service accounts create: the name .* has 64 characters, at most 63 are allowed/,
      )
      expect(jsonOf(await service('accounts', 'list', '-o', 'json'))).toHaveLength(1)
    },
  )

  test('is refused with all that is wrong with it', async () => {
    const ran = await service(
      'accounts',
      'create',
      'www',
      '--login',
      'nobody',
      '--plan',
      'gold',
      '--fiscal-year-start',
      '13',
      '--first-name',
      'x'.repeat(51),
    )
    expect(ran).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'kpi service accounts create: the name www must be lower-case letters, digits and hyphens, not digits alone, and none of api, www, ' +
        'localhost, kpi; --login must be an e-mail address; --first-name: has 51 characters, at most 50 are allowed; ' +
        '--plan must be one of individual, team; --fiscal-year-start must be a whole number from 1 to 12\n',
    })
  })

  test('is refused where there is one of its name', async () => {
    await createAcme()
    const again = await createAcme()
    expect(again).toMatchObject({ code: 1, stdout: '' })
    expect(errorOf(again).message).toBe('there is an account acme already')
  })
})

describe('settings', () => {
  test('are shown of the account that is named', async () => {
    await createAcme('--week-start', 'sunday')
    expect(jsonOf(await service('settings', '-o', 'json'))).toMatchObject({ name: 'default', week_start: 'monday' })
    const shown = await service('settings', 'show', '--account', 'acme', '-o', 'json')
    expect(jsonOf(shown)).toMatchObject({ name: 'acme', week_start: 'sunday' })
  })

  test('are changed, each of its own, and the change is told', async () => {
    const before = await account()
    const ran = await service('settings', 'set', '--fiscal-year-start', '7', '--week-start', 'Sunday', '-o', 'json')
    expect(jsonOf(ran)).toEqual({ ...(before as object), week_start: 'sunday', fiscal_year_start: 7 })
    expect(ran.stderr).toBe('week_start: monday is now sunday\nfiscal_year_start: 1 is now 7\n')
    expect(await account()).toEqual(jsonOf(ran))
    const again = await service('settings', 'set', '--week-start', 'sunday')
    expect(again).toMatchObject({ code: 0, stderr: 'nothing has changed\n' })
  })

  test('of another account stay as they are', async () => {
    await createAcme()
    const before = await account()
    await service('settings', 'set', '--account', 'acme', '--plan', 'individual')
    expect(await account()).toEqual(before)
  })
})

test.each([
  [['accounts', 'enable-api', 'nil'], 1, 'there is no account nil'],
  [['token', 'create', '--account', 'nil'], 1, 'there is no account nil; kpi service accounts list shows them'],
  [['accounts', 'enable-api'], 2, "missing required argument 'name'"],
  [['token', 'create', 'extra'], 2, 'extra is too much'],
  [['token', 'revoke', '--account', 'nil', '--yes'], 1, 'there is no account nil'],
  [['accounts', 'show', 'nil'], 1, 'there is no account nil'],
  [['accounts', 'create', 'acme'], 2, "required option '--login <email>' not specified"],
  [['settings', '--account', 'nil'], 1, 'there is no account nil'],
  [['settings', 'set', '--account', 'nil', '--plan', 'team'], 1, 'there is no account nil'],
  [['settings', 'set'], 2, 'nothing to change was given; --help shows the flags'],
  [['settings', 'set', '--fiscal-year-start', '0'], 2, '--fiscal-year-start must be a whole number from 1 to 12'],
  [['settings', 'set', '--week-start', ''], 2, '--week-start must not be empty'],
  [['settings', 'set', '--name', 'other'], 2, "unknown option '--name'"],
])('%j is refused', async (line, code, message) => {
  const ran = await service(...line)
  expect(ran).toMatchObject({ code, stdout: '' })
  expect(withoutCommand(ran.stderr)).toContain(`kpi: ${message}`)
})

test.each([
  ['service', 'accounts', 'list'],
  ['service', 'token', 'create'],
  ['service', 'settings'],
  ['service', 'status'],
  ['service', 'backup', 'kpi.db'],
  ['service', 'restore', 'kpi.db'],
  ['service', 'check'],
  ['serve', '--port', '0'],
])('%s is not done through a profile of a remote service', async (...line) => {
  await using other = await remoteUser()
  expect(await other.kpi(...line)).toEqual({
    code: 2,
    stdout: '',
    stderr: `kpi ${line.filter((word) => /^[a-z]+$/.test(word)).join(' ')}: this command works directly on the data of the bundled service; name its folder with --data-dir (usually ${other.world.home}/.local/share/kpi), or a profile of it, or use no profile: kpi profiles use --none\n`,
  })
})

test.each([
  [{ KPI_BASE_URL: 'https://kpi.example.com/v1' }, [], 'or unset KPI_BASE_URL'],
  [{ KPI_PROFILE: 'acme' }, [], 'or unset KPI_PROFILE'],
  [{}, ['--profile', 'acme'], 'or leave out --profile'],
])('with %j and %j the way back to the bundled service is said', async (env, flags, words) => {
  using folder = temporaryFolder()
  const kpi = shellIn({ home: folder.path, env, stdin: 'secret' })
  const place = ['--base-url', 'https://kpi.example.com/v1', '--token-stdin', '--no-check']
  await kpi('profiles', 'add', 'acme', ...place)
  const ran = await kpi('service', 'status', ...flags)
  expect(ran).toMatchObject({ code: 2, stdout: '' })
  expect(ran.stderr).toContain(words)
})
