import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readProject } from '../../src/cli/target/read-project.ts'
import { listen, type Listener } from '../../src/server/http/listener.ts'
import { ROOT } from '../support/documents.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { testIo } from '../support/io.ts'
import { jsonOf, type Ran, shellIn } from '../support/kpi.ts'
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
beforeEach(async () => {
  home = temporaryFolder()
  mkdirSync(home.in('work/deep'), { recursive: true })
  const remote = ['--base-url', `${server.url}/api`, '--login', service.login]
  await shellIn({ home: home.path, stdin: service.token })('profiles', 'add', 'acme', ...remote, '--token-stdin')
})
afterEach(() => {
  home[Symbol.dispose]()
})

const say = (text: string, folder = 'work'): void => writeFileSync(home.in(`${folder}/kpi.yaml`), text)
const kpiIn = (folder: string, env: Record<string, string>, ...args: string[]): Promise<Ran> =>
  shellIn({ home: home.path, cwd: home.in(folder), env })(...args)
const kpi = (...args: string[]): Promise<Ran> => kpiIn('work/deep', {}, ...args)
const USERS = ['users', 'list', '--columns', 'id']
const ONE_USER = { code: 0, stderr: '' }

describe('the project file', () => {
  test('is found above the working directory, and names the profile, the format and the rest', async () => {
    say('profile: acme\noutput: json\ntime_zone: Europe/Berlin\nfiscal_year_start: 04\nweek_start: sunday\n')
    const ran = await kpi(...USERS)
    expect(ran).toMatchObject(ONE_USER)
    expect(jsonOf(ran)).toEqual([{ id: 1 }])
    expect(jsonOf(await kpi('profiles', 'check'))).toMatchObject({ profile: 'acme', place: `${server.url}/api` })
  })

  test('that is nearest counts, and one outside of the home folder does not', async () => {
    say('output: csv\n', '.')
    say('output: json\n', 'work')
    expect(jsonOf(await kpi('profiles', 'list'))).toMatchObject([{ name: 'acme' }])
    const inner = shellIn({ home: home.in('work/deep'), cwd: home.in('work/deep') })
    expect((await inner('profiles', 'list')).stdout).toMatch(/^name +kind +place/)
  })

  test.each<[what: string, env: Record<string, string>, flags: string[], begins: RegExp]>([
    ['a flag', { KPI_OUTPUT: 'json' }, ['-o', 'csv'], /^id\n1\n$/],
    ['the environment', { KPI_OUTPUT: 'csv' }, [], /^id\n1\n$/],
    ['nothing stronger', {}, [], /^- id: 1\n$/],
  ])('gives way to %s', async (_, env, flags, begins) => {
    say('profile: acme\noutput: yaml\n')
    await kpi('profiles', 'update', 'acme', '--output', 'ndjson')
    expect((await kpiIn('work', env, ...USERS, ...flags)).stdout).toMatch(begins)
  })

  test('comes before the profile, which comes before a table', async () => {
    await kpi('profiles', 'update', 'acme', '--output', 'ndjson')
    expect((await kpi('-p', 'acme', ...USERS)).stdout).toBe('{"id":1}\n')
    expect((await kpi(...USERS)).stdout).toMatch(/^id\n/)
  })

  test('makes errors JSON where it makes the output so', async () => {
    say('output: json\n')
    expect(JSON.parse((await kpi('kpis', 'get', '999')).stderr)).toMatchObject({ error: { exit_code: 1 } })
  })

  test('is not a configuration that has its name', async () => {
    say('categories:\n  - { name: Sales }\n')
    expect(await kpiIn('work', {}, 'plan', 'kpi.yaml', '--exit-code')).toMatchObject({ code: 9 })
  })
})

describe('a project file that may be somebody else’s', () => {
  const TOLD = 'secrets, logins and commands belong in a profile'
  test.each([
    ['token: abcdef', TOLD],
    ['token_command: touch ran', TOLD],
    ['token_file: /etc/shadow', TOLD],
    ['KPI_TOKEN: abcdef', TOLD],
    ['password: hunter2hunter2', TOLD],
    ['https_proxy: http://evil.example.com', TOLD],
    ['profil: acme', 'did you mean profile?'],
    ['output: csv\ncolour: red', 'there are profile, base_url, time_zone, output'],
    ['output: xml', 'output xml is no output format'],
    ['time_zone: Berlin', 'no time zone'],
    ['fiscal_year_start: 13', 'is no month'],
    ['week_start: friday', 'there are monday, sunday'],
    ['base_url: http://acme.example.com/api', 'is not HTTPS'],
    ['base_url: https://ann:hunter2hunter2@acme.example.com/api', 'has credentials in it'],
    ['profile: [acme]', 'profile has no value'],
    ['profile: acme\nprofile: other', 'line 2, column 1: profile stands here a second time'],
    ['profile: !!js/function x', 'line 1, column 10: a text that begins with ! needs quotes'],
  ])('is refused where it says %s', async (text, told) => {
    say(`${text}\n`)
    const { code, stdout, stderr } = await kpi(...USERS)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(told)
    expect(stderr).not.toMatch(/hunter2|abcdef/)
  })

  test('tells all faults at once', async () => {
    say('profil: acme\nweek_start: friday\n')
    expect((await kpi(...USERS)).stderr).toMatch(
      /did you mean profile\?; week_start friday .* there are monday, sunday/,
    )
  })

  test('sends no secret to a service that no profile is for', async () => {
    say('base_url: https://evil.example.com/api\n')
    await kpi('profiles', 'use', 'acme')
    for (const env of [{}, { KPI_LOGIN: service.login, KPI_TOKEN: service.token }]) {
      const ran = await kpiIn('work', env, ...USERS)
      expect(ran).toMatchObject({ code: 2, stdout: '' })
      expect(ran.stderr).toContain('no profile is for it; add one with: kpi profiles add NAME --base-url https://evil')
    }
  })

  test('sends no secret of the environment to the service that it names', async () => {
    for (const text of ['profile: acme\n', `base_url: ${server.url}/api\n`]) {
      say(text)
      const env = { KPI_LOGIN: service.login, KPI_TOKEN: 'kpi_token_of_another' }
      const ran = await kpiIn('work', env, ...USERS)
      expect(ran).toMatchObject({ code: 2, stdout: '' })
      expect(ran.stderr).toContain('KPI_LOGIN is set, but')
    }
  })

  test('uses the profile for its URL, and refuses a profile for another', async () => {
    say(`base_url: ${server.url}/api/\n`)
    expect(await kpi(...USERS)).toMatchObject(ONE_USER)
    say(`base_url: ${server.url.replace('127.0.0.1', '127.0.0.2')}/api\n`)
    expect((await kpi(...USERS)).stderr).toContain('no profile is for it')
    say('base_url: https://other.example.com/api\nprofile: acme\n')
    expect((await kpi(...USERS)).stderr).toContain('and profile acme, which is for another')
  })

  test('is not passed over where KPI_DATA_DIR names the embedded service', async () => {
    say('profile: acme\n')
    const ran = await kpiIn('work/deep', { KPI_DATA_DIR: 'data' }, ...USERS)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain('kpi.yaml) another one; unset KPI_DATA_DIR, or add --data-dir data')
    expect(await kpiIn('work/deep', {}, ...USERS, '--data-dir', 'data')).toMatchObject(ONE_USER)
  })
})

describe('the schema of the project file', () => {
  const text = readFileSync(join(ROOT, 'docs/settings-schema.json'), 'utf8')
  const validate = new Ajv2020({ allowUnionTypes: true }).compile(JSON.parse(text) as object)

  test.each<[text: string, isRight: boolean]>([
    ['profile: acme\noutput: json\ntime_zone: Europe/Berlin\nfiscal_year_start: 04\nweek_start: sunday', true],
    ['base_url: https://acme.example.com/api', true],
    ['fiscal_year_start: "04"', true],
    ['fiscal_year_start: 12', true],
    ['profile: 7', true],
    ['fiscal_year_start: 13', false],
    ['output: xml', false],
    ['week_start: friday', false],
    ['base_url: ftp://acme.example.com/api', false],
    ['profile: ""', false],
    ['profile: [acme]', false],
    ['output:', false],
    ['token: abcdef', false],
    ['profil: acme', false],
  ])('says what kpi says of %j', (text, isRight) => {
    say(`${text}\n`)
    expect(validate(parse(text))).toBe(isRight)
    const { io } = testIo({ home: home.path, cwd: home.in('work') })
    expect(readProject(io)?.faults.length === 0).toBe(isRight)
  })
})

describe('a project file of many names or faults', () => {
  test('is no file of settings after a hundred other names', async () => {
    say(`${Array.from({ length: 200_000 }, (_, at) => `a${at}:\n`).join('')}output: json\n`)
    expect((await kpi('kpis', 'list')).stdout).not.toMatch(/^\[/)
  })

  test('is told of each fault once', async () => {
    say(`profile: x\n${'['.repeat(2000)}`)
    const { stderr } = await kpi('profiles', 'check')
    expect(stderr.match(/line \d+/g)).toHaveLength(1)
  })
})
