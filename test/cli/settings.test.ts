import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { UsageError } from '../../src/cli/exit.ts'
import { configFolder, dataFolder } from '../../src/cli/target/folders.ts'
import { findSetting } from '../../src/cli/target/find-setting.ts'
import { findPlace } from '../../src/cli/target/place.ts'
import { behaviorFlags, type GlobalFlags, placeFlags, SETTINGS } from '../../src/cli/target/settings.ts'
import { type Profile, writeProfiles } from '../../src/cli/target/profiles.ts'
import { temporaryFolder } from '../support/folder.ts'
import { shellIn } from '../support/kpi.ts'
import { testIo } from '../support/io.ts'

const TOKEN_OF = { profile: undefined, tokenCommand: undefined }
const PROD = {
  kind: 'classic',
  baseUrl: 'https://prod.example.com/api',
  login: 'ann',
  tokenCommand: 'pass kpi',
} as const
const PROFILES = new Map<string, Profile>([
  ['prod', PROD],
  ['test', { kind: 'embedded', dataDir: '/srv/test' }],
])
const AT_PROD = { ...PROD, profile: 'prod' }
const USUAL = (home: string): object => ({ kind: 'embedded', dataDir: join(home, '.local', 'share', 'kpi') })
const URL_SET = { KPI_BASE_URL: 'https://env.example.com/api', KPI_LOGIN: 'bob' }
const AT_URL = { kind: 'classic', baseUrl: URL_SET.KPI_BASE_URL, login: 'bob', ...TOKEN_OF }
const at = (dataDir: string): object => ({ kind: 'embedded', dataDir })

describe('where a command goes: flag, then environment, then configuration', () => {
  test.each<
    [
      name: string,
      current: string | undefined,
      env: Record<string, string>,
      flags: GlobalFlags,
      place: object | ((home: string) => object),
    ]
  >([
    ['nothing said', undefined, {}, {}, USUAL],
    ['the current profile', 'prod', {}, {}, AT_PROD],
    ['KPI_PROFILE before the current profile', 'prod', { KPI_PROFILE: 'test' }, {}, at('/srv/test')],
    ['--profile before KPI_PROFILE', undefined, { KPI_PROFILE: 'test' }, { profile: 'prod' }, AT_PROD],
    ['--profile before KPI_BASE_URL', undefined, URL_SET, { profile: 'test' }, at('/srv/test')],
    ['KPI_BASE_URL before the current profile', 'prod', URL_SET, {}, AT_URL],
    ['KPI_DATA_DIR', undefined, { KPI_DATA_DIR: '/env' }, {}, at('/env')],
    [
      'KPI_DATA_DIR beside a profile of it',
      undefined,
      { KPI_DATA_DIR: '/srv/test', KPI_PROFILE: 'test' },
      {},
      at('/srv/test'),
    ],
    [
      'KPI_DATA_DIR beside the current profile, which is of it',
      'test',
      { KPI_DATA_DIR: '/srv/test/' },
      {},
      at('/srv/test'),
    ],
    [
      '--data-dir before all that',
      'prod',
      { KPI_PROFILE: 'prod', KPI_DATA_DIR: '/env', ...URL_SET },
      { dataDir: '/flag' },
      at('/flag'),
    ],
    ['--data-dir from the working directory', undefined, {}, { dataDir: 'sub' }, (home) => at(join(home, 'sub'))],
    [
      'KPI_LOGIN before the login of the profile',
      undefined,
      { KPI_LOGIN: 'eve' },
      { profile: 'prod' },
      { ...AT_PROD, login: 'eve' },
    ],
    [
      'not KPI_LOGIN, which goes with KPI_BASE_URL, where --profile names another place',
      undefined,
      URL_SET,
      { profile: 'prod' },
      AT_PROD,
    ],
    [
      '--profile before KPI_PROFILE and KPI_BASE_URL',
      undefined,
      { KPI_PROFILE: 'test', ...URL_SET },
      { profile: 'prod' },
      AT_PROD,
    ],
    ['empty variables are not set', 'prod', { KPI_PROFILE: '', KPI_BASE_URL: '', KPI_DATA_DIR: '' }, {}, AT_PROD],
  ])('%s', async (_, current, env, flags, place) => {
    using folder = temporaryFolder()
    const { io } = testIo({ home: folder.path, env })
    await writeProfiles(io, { current, byName: PROFILES })
    expect(findPlace(io, flags)).toEqual(typeof place === 'function' ? place(folder.path) : place)
  })

  test.each<[current: string, env: Record<string, string>, flags: GlobalFlags, other: string, wayOut: string]>([
    ['prod', {}, {}, 'profile prod (kpi profiles use)', 'use no profile: kpi profiles use --none'],
    ['test', {}, {}, 'profile test (kpi profiles use)', 'use no profile: kpi profiles use --none'],
    ['prod', { KPI_PROFILE: 'test' }, {}, 'profile test (KPI_PROFILE)', 'unset KPI_PROFILE'],
    ['prod', { KPI_PROFILE: 'test' }, { profile: 'prod' }, 'profile prod (--profile)', 'leave out --profile'],
    ['prod', URL_SET, {}, 'KPI_BASE_URL', 'unset KPI_BASE_URL'],
  ])('KPI_DATA_DIR is refused beside another place: %s, %j, %j', async (current, env, flags, other, wayOut) => {
    using folder = temporaryFolder()
    const { io } = testIo({ home: folder.path, env: { ...env, KPI_DATA_DIR: '/my data' } })
    await writeProfiles(io, { current, byName: PROFILES })
    expect(() => findPlace(io, flags)).toThrow(
      new UsageError(
        `KPI_DATA_DIR names the embedded service in /my data, and ${other} another one; unset KPI_DATA_DIR, or ${wayOut}`,
      ),
    )
  })

  test.each<[env: Record<string, string>, flags: GlobalFlags, message: string]>([
    [{}, { profile: 'prd' }, 'there is no profile prd; add it with: kpi profiles add'],
    [{ KPI_PROFILE: 'nil' }, {}, 'there is no profile nil'],
    [
      { KPI_BASE_URL: 'https://x.example.com/api' },
      {},
      'KPI_BASE_URL is set, and KPI_LOGIN is not: set it to your login name, or, with a key, let KPI_BASE_URL end in /v1',
    ],
    [{ KPI_PROFILE: 'prod', ...URL_SET }, {}, 'KPI_PROFILE and KPI_BASE_URL each name a service; unset one'],
    [
      { KPI_BASE_URL: 'https://x.example.com/v1', KPI_TOKEN: 'a', KPI_TOKEN_FILE: 'b' },
      {},
      'KPI_TOKEN and KPI_TOKEN_FILE each give the token; unset one',
    ],
    [{}, { dataDir: '' }, '--data-dir is empty; name a folder'],
    [{}, { dataDir: 'a', profile: 'prod' }, '--profile and --data-dir each name a service; give only one of them'],
  ])('%j with %j is wrong usage', (env, flags, message) => {
    using folder = temporaryFolder()
    const { io } = testIo({ home: folder.path, env })
    expect(() => findPlace(io, flags)).toThrow(UsageError)
    expect(() => findPlace(io, flags)).toThrow(message)
  })
})

test.each<[name: string, env: Record<string, string>, code: number]>([
  ['KPI_LOGIN', { KPI_LOGIN: 'ann' }, 2],
  ['KPI_TOKEN_FILE', { KPI_TOKEN_FILE: '/t' }, 2],
  ['KPI_LOGIN', { KPI_LOGIN: 'ann', KPI_DATA_DIR: 'data' }, 0],
])('credentials that belong to no service are not taken for the embedded one: %s with %j', async (name, env, code) => {
  using folder = temporaryFolder()
  const kpi = shellIn({ home: folder.path, env })
  const { code: ended, stderr } = await kpi('users', 'list')
  const said = `kpi users list: ${name} is set, but nothing says for which service: set KPI_BASE_URL or KPI_PROFILE, too\n`
  expect([ended, stderr]).toEqual([code, code === 0 ? '' : said])
  expect((await kpi('service', 'accounts', 'list')).code).toBe(0)
})

test.each<[env: Record<string, string>, args: string[], code: number]>([
  [{}, [], 2],
  [{}, ['--data-dir', 'data'], 0],
  [{ KPI_DATA_DIR: 'data' }, [], 0],
])('a folder of profiles that is not there is not passed over: %j, %j', async (env, args, code) => {
  using folder = temporaryFolder()
  const kpi = shellIn({ home: folder.path, env: { KPI_CONFIG_DIR: '/nope', ...env } })
  const { code: ended, stderr } = await kpi('users', 'list', ...args)
  const said =
    'kpi users list: KPI_CONFIG_DIR names /nope, which is not there, so that no profile says which service: make it with kpi profiles add, unset KPI_CONFIG_DIR, or name a folder of data with KPI_DATA_DIR\n'
  expect([ended, stderr]).toEqual([code, code === 0 ? '' : said])
})

test('a profile takes a token or a file of one from the environment, and not both', async () => {
  using folder = temporaryFolder()
  const env = { KPI_TOKEN: 'a', KPI_TOKEN_FILE: 'b' }
  const { io } = testIo({ home: folder.path, env })
  await writeProfiles(io, { current: 'prod', byName: PROFILES })
  expect(() => findPlace(io, {})).toThrow('KPI_TOKEN and KPI_TOKEN_FILE each give the token; unset one')
  const beside = testIo({ home: folder.path, env: { ...env, ...URL_SET } })
  // Those of another service stay unused.
  expect(findPlace(beside.io, { profile: 'prod' })).toMatchObject({ profile: 'prod' })
})

test.each<[args: string[], env: Record<string, string>, code: number]>([
  [[], {}, 2],
  [[], { KPI_DATA_DIR: 'data' }, 0],
  [['--data-dir', 'data'], {}, 0],
])('a store in PostgreSQL is not taken for the embedded service: %j with %j', async (args, env, code) => {
  using folder = temporaryFolder()
  const { code: ended, stderr } = await shellIn({ home: folder.path, env: { KPI_STORE: 'postgres', ...env } })(
    'users',
    'list',
    ...args,
  )
  const said =
    'kpi users list: KPI_STORE is postgres, which only kpi serve and kpi service open: name an instance of kpi serve with --profile NAME, or use the embedded service with KPI_STORE=sqlite before the command\n'
  expect([ended, stderr]).toEqual([code, code === 0 ? '' : said])
})

test.each<[platform: string, env: Record<string, string>, data: string, config: string]>([
  ['linux', {}, '/home/ann/.local/share/kpi', '/home/ann/.config/kpi'],
  ['linux', { XDG_DATA_HOME: '/d', XDG_CONFIG_HOME: '/c' }, '/d/kpi', '/c/kpi'],
  ['linux', { KPI_DATA_DIR: '/data', KPI_CONFIG_DIR: '/config', XDG_DATA_HOME: '/d' }, '/data', '/config'],
  ['darwin', {}, '/home/ann/Library/Application Support/kpi/data', '/home/ann/Library/Application Support/kpi'],
  ['win32', { LOCALAPPDATA: '/local', APPDATA: '/roaming' }, '/local/kpi/data', '/roaming/kpi'],
  ['win32', {}, '/home/ann/AppData/Local/kpi/data', '/home/ann/AppData/Roaming/kpi'],
])('on %s with %j data and configuration are where the system keeps such', (platform, env, data, config) => {
  const io = { ...testIo({ home: '/home/ann', env }).io, platform }
  expect([dataFolder(io), configFolder(io)]).toEqual([data, config])
})

test.each<[terminal: boolean, env: Record<string, string>, flags: GlobalFlags, colour: boolean]>([
  [true, {}, {}, true],
  [false, {}, {}, false],
  [true, {}, { color: false }, false],
  [true, { NO_COLOR: '1' }, {}, false],
  [true, { NO_COLOR: '' }, {}, true],
  [true, { TERM: 'dumb' }, {}, false],
  [false, { FORCE_COLOR: '1' }, {}, true],
  [true, { FORCE_COLOR: '0' }, {}, false],
  [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, {}, false],
  [false, { FORCE_COLOR: '1' }, { color: false }, false],
])('colour: terminal %j, %j, %j', (terminal, env, flags, colour) => {
  const { io } = testIo({ home: '/', env, ...(terminal && { terminal: 80 }) })
  expect(findSetting(io, flags, SETTINGS.color).value).toBe(colour)
})

test.each([
  [undefined, 30_000],
  ['500ms', 500],
  ['30s', 30_000],
  ['2m', 120_000],
])('--timeout %s is %i milliseconds', (timeout, ms) => {
  const { io } = testIo({ home: '/' })
  expect(findSetting(io, timeout === undefined ? {} : { timeout }, SETTINGS.timeout).value).toBe(ms)
})

test.each(['', '0', '0s', '30', '-1s', '1h', '1.5s', 's', '9999999s'])('--timeout %j is wrong usage', (timeout) => {
  const { io } = testIo({ home: '/' })
  const told = `--timeout ${timeout === '' ? "''" : timeout} is not a time; write 30s, 2m or 500ms`
  expect(() => findSetting(io, { timeout }, SETTINGS.timeout)).toThrow(told)
})

test('flags can be given again as they were', () => {
  expect([...placeFlags({}), ...behaviorFlags({ input: true, color: true })]).toEqual([])
  expect(placeFlags({ profile: 'p', dataDir: 'd' })).toEqual(['--profile', 'p', '--data-dir', 'd'])
  expect(behaviorFlags({ output: 'csv', timeout: '1s', input: false, color: false, quiet: true })).toEqual([
    '--output',
    'csv',
    '--no-color',
    '--timeout',
    '1s',
    '--no-input',
    '--quiet',
  ])
})
