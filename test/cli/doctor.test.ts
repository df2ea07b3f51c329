import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listen, type Listener } from '../../src/server/http/listener.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { type Ran, shellIn } from '../support/kpi.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let server: Listener
beforeAll(async () => {
  service = await startService()
  server = await listen(service.handler, '127.0.0.1', 0)
})
afterAll(async () => {
  await server.close()
  await service[Symbol.asyncDispose]()
})
let home: Folder
beforeEach(() => {
  home = temporaryFolder()
})
afterEach(() => {
  home[Symbol.dispose]()
})

type Row = {
  readonly value: string | null
  readonly from: string | null
  readonly state: string
  readonly advice: string | null
}

const doctorIn = async (
  env: Record<string, string>,
  ...flags: string[]
): Promise<Ran & { row: (name: string) => Row | undefined }> => {
  const ran = await shellIn({ home: home.path, env, now: Date.now() })('doctor', '-o', 'json', ...flags)
  const rows = JSON.parse(ran.stdout) as (Row & { name: string })[]
  return { ...ran, row: (name) => rows.find((one) => one.name === name) }
}
const remote = (): Record<string, string> => ({
  KPI_BASE_URL: `${server.url}/api`,
  KPI_LOGIN: service.login,
  KPI_TOKEN: service.token,
})

describe('doctor', () => {
  test('says what is set, with no service of one’s own, and makes nothing', async () => {
    const { code, row } = await doctorIn({})
    expect(code).toBe(0)
    expect(row('service')).toMatchObject({ value: `embedded, in ${home.in('.local/share/kpi')}`, from: 'default' })
    expect(row('store')?.value).toMatch(/^not made yet/)
    expect(row('output')).toMatchObject({ value: 'json', from: '--output' })
    await shellIn({ home: home.path })('kpis', 'list')
    expect((await doctorIn({})).row('store')?.value).toMatch(/^opened in \d+ ms$/)
  })

  test('says of a remote service whether it answers and takes the credentials, and never shows the secret', async () => {
    const ran = await doctorIn({ ...remote(), HTTPS_PROXY: 'http://ann:pr0xy-secret@proxy.example.com:3128' })
    expect(ran).toMatchObject({ code: 0, stderr: 'nothing is wrong\n' })
    expect(ran.row('service')).toMatchObject({ value: `${server.url}/api`, from: 'KPI_BASE_URL' })
    expect(ran.row('token')).toMatchObject({ value: 'set', from: 'the environment (KPI_TOKEN)' })
    expect(ran.row('reachable')?.value).toMatch(/^in \d+ ms$/)
    expect(ran.row('credentials')).toMatchObject({ value: 'accepted', state: 'ok' })
    expect(ran.row('service version')?.value).toMatch(/^kpi\//)
    expect(ran.row('proxy')).toMatchObject({ value: 'not used: the service is on this machine', from: null })
    expect(ran.stdout + ran.stderr).not.toMatch(/pr0xy-secret/)
    expect(ran.stdout + ran.stderr).not.toContain(service.token)
  })

  test.each<[what: string, env: () => Record<string, string>, code: number, row: string, told: string]>([
    ['a wrong token', () => ({ ...remote(), KPI_TOKEN: 'kpi_token_wrong' }), 4, 'credentials', 'is wrong'],
    ['no token', () => ({ ...remote(), KPI_TOKEN: '' }), 4, 'token', 'there is no token'],
    [
      'no service there',
      () => ({ ...remote(), KPI_BASE_URL: 'http://127.0.0.1:1/api' }),
      5,
      'reachable',
      '127.0.0.1:1',
    ],
    ['two services', () => ({ ...remote(), KPI_PROFILE: 'x' }), 2, 'profile', 'each name a service'],
    ['a profile that is not there', () => ({ KPI_PROFILE: 'nil' }), 2, 'service', 'there is no profile nil'],
    [
      'a secret in the URL',
      () => ({ ...remote(), KPI_BASE_URL: 'https://a:hunter2@x.example/api' }),
      2,
      'service',
      'has credentials in it',
    ],
    [
      'a proxy that is none',
      () => ({ HTTPS_PROXY: 'socks5://a:hunter2@x' }),
      2,
      'network',
      'not the URL of an HTTP proxy',
    ],
  ])('ends with the exit code of %s', async (_, env, code, row, told) => {
    const ran = await doctorIn(env())
    expect(ran.code).toBe(code)
    expect(ran.row(row)).toMatchObject({ state: 'fault', advice: expect.stringContaining(told) as unknown })
    expect(ran.stderr).toContain(told)
    expect(ran.stdout + ran.stderr).not.toContain('hunter2')
  })

  test('names the proxy that the service is reached through, and otherwise says why there is none', async () => {
    const HTTPS_PROXY = 'http://ann:pr0xy-secret@127.0.0.1:1'
    const far = { ...remote(), KPI_BASE_URL: 'https://kpi.example.test/api', HTTPS_PROXY }
    expect((await doctorIn(far)).row('proxy')).toMatchObject({ value: '127.0.0.1:1', from: 'HTTPS_PROXY' })
    const past = await doctorIn({ ...far, NO_PROXY: 'example.org, .example.test' })
    expect(past.row('proxy')).toMatchObject({ value: 'not used: NO_PROXY names the service', from: null })
    const embedded = await doctorIn({ HTTPS_PROXY })
    expect(embedded.row('proxy')).toMatchObject({ value: 'not used: the service is embedded', from: null })
    const traced = await shellIn({ home: home.path, env: { HTTPS_PROXY } })('kpis', 'list', '--debug')
    expect(traced.stderr).not.toContain('proxy')
  })

  test('tells each fault once', async () => {
    const ran = await doctorIn({ ...remote(), KPI_PROFILE: 'x' })
    const said = 'KPI_PROFILE and KPI_BASE_URL each name a service; unset one'
    expect(ran.stderr.split(said)).toHaveLength(2)
    expect(ran.stdout.split(said)).toHaveLength(2)
  })

  test('tells a fault in the project file, and still looks at the rest', async () => {
    writeFileSync(home.in('kpi.yaml'), 'profil: acme\n')
    const ran = await doctorIn({})
    expect(ran.code).toBe(2)
    expect(ran.row('project file')).toMatchObject({
      state: 'fault',
      advice: expect.stringContaining('did you mean profile?') as unknown,
    })
    expect(ran.row('configuration')?.value).toContain('not made yet')
    expect(ran.stderr).toContain('"1 fault found;')
  })

  test('tells of a configuration that cannot be read', async () => {
    const folder = home.in('own')
    const shell = shellIn({ home: home.path, env: { KPI_CONFIG_DIR: folder } })
    await shell('profiles', 'add', 'x', '--data-dir', 'x')
    writeFileSync(home.in('own/config.json'), '{')
    const ran = await doctorIn({ KPI_CONFIG_DIR: folder })
    expect(ran.row('profile')).toMatchObject({
      state: 'fault',
      advice: expect.stringContaining('is not a configuration') as unknown,
    })
  })

  test('warns of a folder of secrets that others can look into, which is no fault', async () => {
    const shell = shellIn({ home: home.path, stdin: 'secret-token' })
    await shell(
      'profiles',
      'add',
      'acme',
      '--base-url',
      `${server.url}/api`,
      '--login',
      'ann',
      '--token-stdin',
      '--no-check',
    )
    chmodSync(home.in('.config/kpi/secrets'), 0o755)
    const ran = await doctorIn({})
    expect(ran.code).toBe(0)
    expect(ran.row('secrets')).toMatchObject({
      state: 'warning',
      advice: expect.stringContaining('chmod 700') as unknown,
    })
  })

  test('tells once, as a fault, of a data directory that every command would fail at', async () => {
    writeFileSync(home.in('taken'), '')
    const ran = await doctorIn({}, '--data-dir', 'taken')
    const advice = `${home.in('taken')} is a file, not a folder; move it away, or name another folder with --data-dir`
    expect(ran.code).toBe(1)
    expect(ran.row('data')).toMatchObject({ state: 'fault', from: '--data-dir', advice })
    expect(ran.stdout.split(advice)).toHaveLength(2)
    expect((await doctorIn({}, '--data-dir', 'taken/below')).row('data')).toMatchObject({ state: 'fault', advice })
  })

  test('says of each folder which variable names it, and warns where nothing can be put into it', async () => {
    writeFileSync(home.in('taken'), '')
    const ran = await doctorIn({ XDG_STATE_HOME: home.in('taken'), XDG_CACHE_HOME: home.in('taken') })
    expect(ran.code).toBe(0)
    expect(ran.row('configuration')).toMatchObject({ from: 'default', state: 'ok' })
    expect(ran.row('state')).toMatchObject({
      from: 'XDG_STATE_HOME',
      state: 'warning',
      advice: `${home.in('taken')} is a file, not a folder; move it away, or name another folder with XDG_STATE_HOME`,
    })
    expect(ran.row('cache')).toMatchObject({ from: 'XDG_CACHE_HOME', state: 'warning' })
    expect(ran.stderr).toBe('no fault, and 2 warnings: state, cache; the column advice says what to do\n')
  })

  test('looks at the data directory of the profile in use', async () => {
    await shellIn({ home: home.path })('profiles', 'add', 'plant', '--data-dir', 'plant')
    const ran = await doctorIn({}, '--profile', 'plant')
    expect(ran.row('data')).toMatchObject({ from: 'profile plant', state: 'ok' })
    expect(ran.row('data')?.value).toContain(home.in('plant'))
  })

  test('gives the command that makes a folder writable to those who may not write to it, as root may', async () => {
    mkdirSync(home.in('kept'), { mode: 0o500 })
    const ran = await doctorIn({}, '--data-dir', 'kept')
    const isRoot = process.getuid?.() === 0
    const told = `you cannot write to it; fix it with: chmod u+rwx ${home.in('kept')}, or name another folder with --data-dir`
    expect([ran.code, ran.row('data')?.advice]).toEqual(isRoot ? [0, null] : [1, told])
  })

  test.each([
    ['--timeout', '5', 'timeout', '--timeout 5 is not a time'],
    ['--deadline', 'soon', 'deadline', '--deadline soon is neither'],
  ])('tells that %s %s is wrong, and shows the output all the same', async (flag, value, row, told) => {
    const ran = await doctorIn({}, flag, value)
    expect(ran.code).toBe(2)
    expect(ran.row(row)).toMatchObject({ state: 'fault', advice: expect.stringContaining(told) as unknown })
    expect(ran.row('output')).toMatchObject({ value: 'json', from: '--output' })
    expect(ran.stderr).toContain('1 fault found')
  })

  test('says whether there is colour, and in which store kpi serve keeps data, and what set that', async () => {
    const ran = await doctorIn({ NO_COLOR: '1', KPI_STORE: 'postgres' })
    expect(ran.row('colour')).toMatchObject({ value: 'no', from: 'NO_COLOR' })
    expect((await doctorIn({ FORCE_COLOR: '1' })).row('colour')).toMatchObject({ value: 'yes', from: 'FORCE_COLOR' })
    expect((await doctorIn({ TERM: 'dumb' }, '--no-color')).row('colour')).toMatchObject({ from: '--no-color' })
    expect(ran.row('store of kpi serve')).toMatchObject({ value: 'postgres', from: 'KPI_STORE' })
    const wrong = await doctorIn({ KPI_STORE: 'oracle' })
    expect(wrong.code).toBe(2)
    expect(wrong.row('store of kpi serve')).toMatchObject({ state: 'fault' })
  })

  test('tells of a folder of profiles that is a file in words', async () => {
    writeFileSync(home.in('taken'), '')
    const ran = await doctorIn({ KPI_CONFIG_DIR: home.in('taken') })
    expect(ran.code).toBe(1)
    const told = `(part of its path is a file); mend that, or name another folder with KPI_CONFIG_DIR`
    expect(ran.row('profile')).toMatchObject({ advice: expect.stringContaining(told) as unknown })
  })

  test('says of a key that ends soon when, and how to renew it', async () => {
    const soon = createServer((_, response) => {
      const key = {
        'x-key-id': '7',
        'x-key-name': 'night',
        'x-key-expires': new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 19),
      }
      response.writeHead(200, { 'content-type': 'application/json', ...key }).end('{"data":[]}')
    }).listen(0, '127.0.0.1')
    await once(soon, 'listening')
    const address = soon.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`
    const ran = await doctorIn({ KPI_BASE_URL: url, KPI_TOKEN: 'kpi_key_x' })
    soon.close()
    expect(ran.row('key ends')).toMatchObject({
      state: 'warning',
      advice: expect.stringMatching(
        /^key 7 \(night\) expires on .*, in \d days; .*: kpi service keys rotate 7$/,
      ) as unknown,
    })
  })

  test('warns of clocks that differ', async () => {
    const late = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', date: 'Fri, 20 Nov 2026 12:00:00 GMT' }).end('[]')
    }).listen(0, '127.0.0.1')
    await once(late, 'listening')
    const address = late.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/api`
    const env = { KPI_BASE_URL: url, KPI_LOGIN: 'ann', KPI_TOKEN: 'secret-token' }
    const ran = await shellIn({ home: home.path, env })('doctor', '-o', 'csv')
    late.close()
    await once(late, 'close')
    expect(ran.stdout).toMatch(/^clock difference,86400s,,warning,this machine's clock is ahead of the service's/m)
    expect(ran.code).toBe(0)
  })
})

test.each([
  ['KPI_PROFIL', 'KPI_PROFILE'],
  ['KPI_TOKN', 'KPI_TOKEN'],
  ['KPI_DATADIR', 'KPI_DATA_DIR'],
])('warns of %s, which nothing reads', async (name, meant) => {
  using home = temporaryFolder()
  const { code, stdout } = await shellIn({
    home: home.path,
    env: { [name]: 'hunter2', KPI_MY_HOOK: 'https://x.example' },
  })('doctor', '-o', 'csv')
  expect([code, stdout]).toEqual([0, expect.stringContaining(`warning,nothing reads ${name}; did you mean ${meant}?`)])
  expect(stdout).not.toMatch(/hunter2|KPI_MY_HOOK/)
})
