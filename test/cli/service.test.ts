import { afterEach, beforeEach, expect, test } from 'vitest'
import { accounts } from '../../src/service/accounts.ts'
import { openStore } from '../../src/store/open.ts'
import { jsonOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, remoteUser, type User } from '../support/user.ts'

let user: User
beforeEach(async () => {
  user = await embeddedUser()
})
afterEach(async () => {
  await user[Symbol.asyncDispose]()
})

const service = (...args: string[]): Promise<Ran> => user.kpi('service', ...args)
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
  expect(await service('token', 'create', '-o', 'csv')).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^login,token\nadmin@localhost,kpi_token_\w+\n$/) as string,
    stderr: 'the token before it works no longer\n',
  })
  expect(JSON.stringify([await account(), await service('accounts', 'list')])).not.toContain('kpi_token')
})

test('a token is of the account that is named', async () => {
  const db = await openStore(user.folder.in('.local/share/kpi/kpi.db'))
  await accounts.create(db, { name: 'acme', login: 'boss@acme.example.com', plan: 'team' }, 0)
  await db.close()
  const made = jsonOf(await service('token', 'create', '--account', 'acme', '-o', 'json'))
  expect(made).toMatchObject({ login: 'boss@acme.example.com' })
})

test.each([
  [['accounts', 'enable-api', 'nil'], 1, 'there is no account nil'],
  [['token', 'create', '--account', 'nil'], 1, 'there is no account nil'],
  [['accounts', 'enable-api'], 2, "missing required argument 'name'"],
  [['token', 'create', 'extra'], 2, "too many arguments for 'create'"],
])('%j is refused', async (line, code, message) => {
  const ran = await service(...line)
  expect(ran).toMatchObject({ code, stdout: '' })
  expect(ran.stderr).toContain(`kpi: ${message}`)
})

test.each([
  ['service', 'accounts', 'list'],
  ['service', 'token', 'create'],
  ['serve', '--port', '0'],
])('%s is not done through a profile of a remote service', async (...line) => {
  await using other = await remoteUser()
  expect(await other.kpi(...line)).toEqual({
    code: 2,
    stdout: '',
    stderr:
      "kpi: this is done on the bundled service's own data; name its folder with --data-dir, or a profile of it\n",
  })
})
