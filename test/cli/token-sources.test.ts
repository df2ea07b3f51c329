import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen, type Listener } from '../../src/server/http/listener.ts'
import { temporaryFolder, type Folder } from '../support/folder.ts'
import { type Ran, shellIn } from '../support/kpi.ts'
import { runKpi } from '../support/process.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let server: Listener
let home: Folder
beforeAll(async () => {
  service = await startService()
  server = await listen(service.handler, '127.0.0.1', 0)
  home = temporaryFolder()
  writeFileSync(home.in('good'), `${service.token}\n`, { mode: 0o600 })
  writeFileSync(home.in('shared'), service.token)
  chmodSync(home.in('shared'), 0o640)
  writeFileSync(home.in('empty'), '\n', { mode: 0o600 })
})
afterAll(async () => {
  await server.close()
  await service[Symbol.asyncDispose]()
  home[Symbol.dispose]()
})

const list = (env: Record<string, string>): Promise<Ran> => {
  const place = { KPI_BASE_URL: `${server.url}/api`, KPI_LOGIN: service.login, PATH: '/usr/bin:/bin' }
  return shellIn({ home: home.path, env: { ...place, ...env } })('users', 'list', '--columns', 'id')
}
const withCommand = async (command: string, env: Record<string, string> = {}): Promise<Ran> => {
  const shell = shellIn({ home: home.path, env: { PATH: '/usr/bin:/bin', KEPT: service.token, ...env } })
  const remote = ['--base-url', `${server.url}/api`, '--login', service.login]
  await shell('profiles', 'add', 'by-command', ...remote, '--token-command', command, '--no-check', '--yes')
  return shell('-p', 'by-command', 'users', 'list', '--columns', 'id')
}
const GOOD: Ran = { code: 0, stdout: 'id\n 1\n', stderr: '' }

test('the token comes from the environment, itself or as a file', async () => {
  expect(await list({ KPI_TOKEN: ` ${service.token}\n` })).toEqual(GOOD)
  expect(await list({ KPI_TOKEN_FILE: home.in('good') })).toEqual(GOOD)
  expect(await list({ KPI_TOKEN_FILE: 'good' })).toEqual(GOOD)
})

test('a token in the environment and a file of one are refused together, as nobody knows which is meant', async () => {
  const stderr = 'kpi users list: KPI_TOKEN and KPI_TOKEN_FILE each give the token; unset one\n'
  const both = { KPI_TOKEN: service.token, KPI_TOKEN_FILE: 'nope' }
  expect(await list(both)).toEqual({ code: 2, stdout: '', stderr })
  expect(await list({ ...both, KPI_TOKEN: '', KPI_TOKEN_FILE: 'good' })).toEqual(GOOD)
})

test('the token comes from a command, in the working directory and environment of the user', async () => {
  expect(await withCommand('cat good')).toEqual(GOOD)
  expect(await withCommand('echo "$KEPT"')).toEqual(GOOD)
})

test('the environment comes before the profile', async () => {
  expect(await withCommand('exit 1', { KPI_TOKEN: service.token })).toEqual(GOOD)
})

test('a secret in the environment goes to KPI_BASE_URL alone: a profile that is named brings its own', async () => {
  const elsewhere = { KPI_BASE_URL: 'https://other.example.com/api', KPI_LOGIN: 'eve', KPI_TOKEN: 'of-another' }
  expect(await withCommand('cat good', elsewhere)).toEqual(GOOD)
  expect(await withCommand('cat good', { ...elsewhere, KPI_TOKEN: '', KPI_TOKEN_FILE: 'empty' })).toEqual(GOOD)
  const shell = shellIn({ home: home.path, env: { PATH: '/usr/bin:/bin', ...elsewhere } })
  for (const line of [
    ['check', 'by-command'],
    ['show', 'by-command'],
    ['list', '--columns', 'token_from'],
  ]) {
    expect((await shell('profiles', ...line)).stdout).toContain('the command cat good')
  }
  const refused = await withCommand('echo kpi_token_wrong', elsewhere)
  const stderr =
    'kpi: the login name or the token is wrong; it comes from the command echo kpi_token_wrong; check that\n'
  expect(refused).toEqual({ code: 4, stdout: '', stderr })
})

test.each<[why: string, env: Record<string, string>, message: string]>([
  ['none', {}, 'there is no token: set KPI_TOKEN or KPI_TOKEN_FILE, or use a profile'],
  [
    'a wrong one',
    { KPI_TOKEN: 'kpi_token_wrong_secret' },
    'the login name or the token is wrong; check KPI_LOGIN and KPI_TOKEN',
  ],
  [
    'a wrong login name',
    { KPI_LOGIN: 'nobody@example.com', KPI_TOKEN_FILE: 'good' },
    'the login name or the token is wrong; check KPI_LOGIN and KPI_TOKEN_FILE',
  ],
  [
    'one in a file that is not there',
    { KPI_TOKEN_FILE: '/nope' },
    'KPI_TOKEN_FILE: cannot read the token file /nope: there is no such file',
  ],
  ['one in a folder', { KPI_TOKEN_FILE: '/' }, 'KPI_TOKEN_FILE: cannot read the token file /: it is a folder'],
])('%s is not authorised', async (_, env, message) => {
  const ran = await list(env)
  expect(ran).toEqual({ code: 4, stdout: '', stderr: `kpi: ${message}\n` })
})

test('a file that others can read is refused with the command that fixes it', async () => {
  const path = home.in('shared')
  const stderr = `kpi: KPI_TOKEN_FILE: ${path} can be read by others; fix it with: chmod 600 ${path}\n`
  expect(await list({ KPI_TOKEN_FILE: path })).toEqual({ code: 4, stdout: '', stderr })
})

test.each([
  ['exit 3', "the profile's token command failed (status 3)"],
  ['echo $KEPT; exit 1', "the profile's token command failed (status 1)"],
  ['echo first >&2; echo "no such vault " >&2; exit 4', "the profile's token command failed (status 4): no such vault"],
  ['printf %0300d 0 | tr 0 x- >&2; exit 1', `the profile's token command failed (status 1): ${'x'.repeat(199)}…`],
  ['echo $KEPT; echo "got $KEPT" >&2; exit 1', "the profile's token command failed (status 1): got …"],
  [
    'echo "token=abc for a1b2c3d4e5f6a7b8c9d0e1" >&2; exit 1',
    "the profile's token command failed (status 1): token=… for …",
  ],
  ['kill -9 $$', "the profile's token command failed (SIGKILL)"],
  [
    'yes CANARY',
    "the profile's token command printed more than 1 MiB, which no token has, and was cut off; it should print the token alone",
  ],
  ['true', 'the command true holds no token: it is empty'],
])(
  'a token command %j that gives none is not authorised, and what it printed is not shown',
  async (command, message) => {
    const ran = await withCommand(command)
    expect(ran).toEqual({ code: 4, stdout: '', stderr: `kpi: profile by-command: ${message}\n` })
    expect((await list({ KPI_TOKEN_FILE: 'empty' })).stderr).toContain(
      'the file empty (KPI_TOKEN_FILE) holds no token: it is empty',
    )
  },
)

test.each([
  ['https://ann:hunter2@acme.example.com/api', 'has credentials in it'],
  ['http://ann:hunter2@acme.example.com/api', 'has credentials in it'],
  ['http://acme.example.com/api', 'is not HTTPS; credentials are not sent over plain HTTP'],
  ['acme', 'is not a URL'],
])('KPI_BASE_URL %s is wrong usage', async (url, message) => {
  const ran = await list({ KPI_BASE_URL: url, KPI_TOKEN: service.token })
  expect(ran).toMatchObject({ code: 2, stdout: '' })
  expect(ran.stderr).toContain(message)
  expect(ran.stderr).not.toMatch(/hunter2|kpi_token/)
})

test('what systemd lays down for a service is taken, though its group may read it, and nothing else is', async () => {
  mkdirSync(home.in('handed'))
  const path = home.in('handed/token')
  writeFileSync(path, service.token)
  chmodSync(path, 0o440)
  const handed = { CREDENTIALS_DIRECTORY: home.in('handed') }
  expect(await list({ ...handed, KPI_TOKEN_FILE: path })).toEqual(GOOD)
  expect(await list({ KPI_TOKEN_FILE: path })).toMatchObject({ code: 4, stdout: '' })
  expect(await list({ ...handed, KPI_TOKEN_FILE: home.in('shared') })).toMatchObject({ code: 4, stdout: '' })
  chmodSync(path, 0o444)
  expect(await list({ ...handed, KPI_TOKEN_FILE: path })).toMatchObject({ code: 4, stdout: '' })
})

test('a profile follows a token file: it is read each time, checked each time, and copied nowhere', async () => {
  const shell = shellIn({ home: home.path })
  const path = home.in('rotating')
  const remote = ['--base-url', `${server.url}/api`, '--login', service.login]
  writeFileSync(path, 'kpi_token_first', { mode: 0o600 })
  expect(await shell('profiles', 'add', 'rotating', ...remote, '--token-file', 'rotating', '--no-check')).toMatchObject(
    { code: 0 },
  )
  expect((await shell('profiles', 'show', 'rotating')).stdout).toContain(`the file ${path} (read each time)`)
  const line = ['-p', 'rotating', 'users', 'list', '--columns', 'id']
  const told = `kpi: the login name or the token is wrong; it comes from the file ${path}; check that\n`
  expect(await shell(...line)).toEqual({ code: 4, stdout: '', stderr: told })
  writeFileSync(path, service.token)
  expect(await shell(...line)).toEqual(GOOD)
  expect(readFileSync(home.in('.config/kpi/config.json'), 'utf8')).not.toContain('kpi_token')
  expect(existsSync(home.in('.config/kpi/secrets/rotating'))).toBe(false)
  chmodSync(path, 0o644)
  const refused = `kpi: profile rotating: ${path} can be read by others; fix it with: chmod 600 ${path}\n`
  expect(await shell(...line)).toEqual({ code: 4, stdout: '', stderr: refused })
  rmSync(path)
  const gone = `kpi: profile rotating: cannot read the token file ${path}: there is no such file\n`
  expect(await shell(...line)).toEqual({ code: 4, stdout: '', stderr: gone })
})

test('what a token command says beside its secret stays out of the standard error of a program', async () => {
  writeFileSync(home.in('chatty'), `echo CHATTY >&2; echo ${service.token}`)
  const env = { XDG_CONFIG_HOME: home.in('own') }
  const remote = ['--base-url', `${server.url}/api`, '--login', service.login, '--no-check', '--yes']
  const command = ['--token-command', `sh ${home.in('chatty')}`]
  await runKpi(home, ['profiles', 'add', 'chatty', ...remote, ...command], env)
  const ran = await runKpi(home, ['-p', 'chatty', 'users', 'list', '--columns', 'id', '-o', 'json'], env)
  expect(ran).toMatchObject({ code: 0, stderr: '' })
})
