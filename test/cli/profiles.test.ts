import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder, type Folder } from '../support/folder.ts'
import { jsonOf, type Ran, shellIn } from '../support/kpi.ts'

const REMOTE = ['--base-url', 'https://acme.example.com/api/', '--login', 'ann@example.com', '--no-check']
const SECRET = 'kpi_token_hunter2'

let home: Folder
beforeEach(() => {
  home = temporaryFolder()
})
afterEach(() => {
  home[Symbol.dispose]()
})

const profiles = (...args: string[]): Promise<Ran> =>
  shellIn({ home: home.path, stdin: `${SECRET}\n` })('profiles', ...args)
const config = (...parts: string[]): string => join(home.path, '.config', 'kpi', ...parts)
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)
const names = async (): Promise<unknown[]> =>
  (jsonOf(await profiles('list', '-o', 'json')) as { name: string }[]).map(({ name }) => name)

describe('a profile', () => {
  test('of a remote service is added, listed, shown, used and removed', async () => {
    expect(await profiles('add', 'acme', ...REMOTE, '--token-stdin')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'added profile acme; use it with --profile acme, or always with: kpi profiles use acme\n',
    })
    const shown = {
      name: 'acme',
      current: false,
      kind: 'classic',
      place: 'https://acme.example.com/api',
      login: 'ann@example.com',
      token_from: `the file ${config('secrets', 'acme')}`,
      time_zone: null,
      output: null,
      fiscal_year_start: null,
      week_start: null,
      ca_file: null,
    }
    expect(jsonOf(await profiles('list', '-o', 'json'))).toEqual([shown])
    expect(jsonOf(await profiles('show', 'acme', '-o', 'json'))).toEqual(shown)
    expect((await profiles('use', 'acme')).stderr).toBe('profile acme is used from now on\n')
    expect(jsonOf(await profiles('show', 'acme', '-o', 'json'))).toEqual({ ...shown, current: true })
    expect((await profiles('use', '--none')).stderr).toBe('no profile is used from now on\n')
    expect(jsonOf(await profiles('show', 'acme', '-o', 'json'))).toEqual(shown)
    await profiles('use', 'acme')
    expect((await profiles('remove', 'acme', '--yes')).stderr).toBe(
      'removed profile acme; it was the one in use: commands go to the embedded service now\n',
    )
    expect(await names()).toEqual([])
    expect(readdirSync(config('secrets'))).toEqual([])
  })

  test('of an embedded service names its folder from the root', async () => {
    await shellIn({ home: home.path, cwd: join(home.path, 'work') })('profiles', 'add', 'test', '--data-dir', '../data')
    const shown = { kind: 'embedded', place: home.in('data'), login: null, token_from: null }
    expect(jsonOf(await profiles('show', 'test', '-o', 'json'))).toMatchObject(shown)
    expect(await shellIn({ home: home.path })('-p', 'test', 'kpis', 'list')).toMatchObject({ code: 0 })
    expect(existsSync(home.in('data/kpi.db'))).toBe(true)
  })

  test('that is added again replaces the one before it, and its secret', async () => {
    await profiles('add', 'acme', ...REMOTE, '--token-stdin')
    const again = await profiles('add', 'acme', ...REMOTE, '--token-command', 'pass show kpi', '--yes')
    expect(again.stderr).toMatch(/^replaced profile acme;/)
    expect((await profiles('show', 'acme')).stdout).toMatch(/^token_from +the command pass show kpi$/m)
    expect(readdirSync(config('secrets'))).toEqual([])
  })

  test('keeps its secret in a file and folders that nobody else can read, and out of everything else', async () => {
    writeFileSync(home.in('token'), SECRET, { mode: 0o600 })
    mkdirSync(config('secrets'), { recursive: true, mode: 0o755 })
    await profiles('add', 'one', ...REMOTE, '--token-stdin')
    await profiles('add', 'two', ...REMOTE, '--token-file', 'token')
    expect(readFileSync(config('secrets', 'one'), 'utf8')).toBe(`${SECRET}\n`)
    expect(readdirSync(config('secrets'))).toEqual(['one'])
    const modes = ['secrets', 'secrets/one', 'config.json'].map((name) => modeOf(config(name)))
    expect(modes).toEqual(['700', '600', '600'])
    expect(readFileSync(config('config.json'), 'utf8')).not.toContain(SECRET)
    for (const format of ['table', 'csv', 'json']) {
      const ran = [await profiles('list', '-o', format), await profiles('show', 'one', '-o', format)]
      expect(JSON.stringify(ran)).not.toContain(SECRET)
    }
  })

  test('is kept in new folders of mode 700; the mode of a folder that was there is its owner’s choice', async () => {
    await profiles('add', 'one', ...REMOTE, '--token-stdin')
    expect(['.config', '.config/kpi', '.config/kpi/secrets'].map((name) => modeOf(home.in(name)))).toEqual([
      '700',
      '700',
      '700',
    ])
    mkdirSync(home.in('own'))
    chmodSync(home.in('own'), 0o755)
    const env = { KPI_CONFIG_DIR: home.in('own') }
    await shellIn({ home: home.path, env, stdin: SECRET })('profiles', 'add', 'two', ...REMOTE, '--token-stdin')
    expect(['own', 'own/secrets'].map((name) => modeOf(home.in(name)))).toEqual(['755', '700'])
  })
})

describe('wrong usage', () => {
  test.each<[args: string[], message: string]>([
    [['add', 'x', '--login', 'a'], 'a base URL is needed: --base-url'],
    [['add', 'x', '--base-url', 'https://a.example.com/api'], 'a login name is needed: --login'],
    [['add', 'x', ...REMOTE], 'a token is needed: --token-stdin, --token-file or --token-command'],
    [['add', 'x', '--base-url', 'acme', '--login', 'a'], 'the base URL acme is not a URL; it looks like https://'],
    [
      ['add', 'x', '--base-url', 'http://acme.example.com/api'],
      'is not HTTPS; credentials are not sent over plain HTTP',
    ],
    [['add', 'x', '--base-url', 'ftp://localhost/api'], 'is not HTTPS; credentials are not sent'],
    [
      ['add', 'x', '--base-url', `https://ann:${SECRET}@acme.example.com/api`],
      'the base URL https://acme.example.com/api has credentials in it',
    ],
    [['add', 'x', '--base-url', `https://a b:${SECRET}@x/api`], 'the base URL https://x/api has credentials in it'],
    [['add', 'x', '--base-url', 'https://acme.example.com/api?v=1'], 'has more than a path'],
    [['add', '../x', ...REMOTE, '--token-stdin'], '"../x" cannot be a profile\'s name'],
    [['add', '', ...REMOTE, '--token-stdin'], '"" cannot be a profile\'s name'],
    [['add', 'x'.repeat(41), ...REMOTE, '--token-stdin'], "cannot be a profile's name"],
    [
      ['add', 'x', ...REMOTE, '--token-stdin', '--token-file', 'f'],
      "'--token-file <file>' cannot be used with option '--token-stdin'",
    ],
    [
      ['add', 'x', ...REMOTE, '--data-dir', 'd'],
      '--data-dir makes a profile of an embedded service, which has no base URL',
    ],
    [['add', 'x', ...REMOTE, '--token', SECRET], "unknown option '--token'"],
    [['use', 'nil'], 'there is no profile nil; there are: acme, beta'],
    [['show', 'nil'], 'there is no profile nil; there are: acme, beta'],
    [['remove', 'nil'], 'there is no profile nil; there are: acme, beta'],
  ])('%j changes nothing and shows no secret', async (args, message) => {
    await profiles('add', 'acme', ...REMOTE, '--token-stdin')
    await profiles('add', 'beta', '--data-dir', 'data')
    const ran = await profiles(...args)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(message)
    expect(ran.stderr).not.toContain(SECRET)
    expect(await names()).toEqual(['acme', 'beta'])
  })

  test('an empty token is none', async () => {
    const ran = await shellIn({ home: home.path, stdin: ' \n' })('profiles', 'add', 'x', ...REMOTE, '--token-stdin')
    expect(ran).toEqual({
      code: 2,
      stdout: '',
      stderr: 'kpi profiles add: standard input holds no token: it is empty\n',
    })
  })
})

test('a profile that is not there is told with the one that is, and none by its flag', async () => {
  await profiles('add', 'acme', ...REMOTE, '--token-stdin')
  expect((await profiles('use', 'nil')).stderr).toBe('kpi profiles use: there is no profile nil; there is one: acme\n')
  expect(await profiles('use', 'none')).toMatchObject({
    code: 2,
    stderr: 'kpi profiles use: there is no profile none; to use no profile: kpi profiles use --none\n',
  })
})

test('a list shows what tells profiles apart, leaves out empty columns, and has the others for --columns', async () => {
  await profiles('add', 'acme', ...REMOTE, '--token-stdin')
  const at = async (...flags: string[]) =>
    (await shellIn({ home: home.path, terminal: 80 })('profiles', 'list', '--no-color', ...flags)).stdout
  expect(await at()).toBe(
    [
      'name  kind     place                         login            current',
      'acme  classic  https://acme.example.com/api  ann@example.com  false',
      '',
    ].join('\n'),
  )
  await profiles('add', 'here', '--data-dir', home.in('data'))
  expect(await at('--filter', 'name=here', '--columns', 'name,login')).toBe('name  login\nhere\n')
  expect(await at('--filter', 'name=here')).toMatch(/^name +kind +place +current\n/)
  expect(await at('--sort', '-name', '--limit', '1', '--columns', 'name')).toBe('name\nhere\n')
})

test.each([
  ['{', 'is not a configuration; fix it or remove it'],
  ['[]', 'is not a configuration; fix it or remove it'],
  ['{"profiles":{"a":{"kind":"classic"}}}', 'is not complete; add it again'],
])('a configuration that holds %j is refused by its name', async (text, message) => {
  mkdirSync(config(), { recursive: true })
  writeFileSync(config('config.json'), text)
  const ran = await profiles('list')
  expect(ran).toMatchObject({ code: 1, stdout: '' })
  expect(ran.stderr).toContain(config('config.json'))
  expect(ran.stderr).toContain(message)
})

test('a file where the configuration folder should be is named', async () => {
  writeFileSync(home.in('file'), '')
  const shell = shellIn({ home: home.path, env: { KPI_CONFIG_DIR: home.in('file') }, stdin: SECRET })
  expect(await shell('kpis', 'list')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(home.in('file')) as unknown,
  })
  expect((await shell('profiles', 'add', 'x', ...REMOTE, '--token-stdin')).stderr).toMatch(
    /^kpi: cannot [^\n]*file[^\n]*\n$/,
  )
})
