import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listen, type Listener } from '../../src/server/http/listener.ts'
import { answeringIn, CTRL_C, pasted, type Questions } from '../support/answering.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { foreignService } from '../support/foreign.ts'
import { type Ran, shellIn } from '../support/kpi.ts'
import { type Service, startService } from '../support/service.ts'

const WRONG = 'kpi_token_hunter2'
const DOWN = '\u001b[B'

let [service, server]: [Service | undefined, Listener | undefined] = [undefined, undefined]
let place: { readonly url: string; readonly login: string; readonly token: string }
beforeAll(async () => {
  service = await startService()
  server = await listen(service.handler, '127.0.0.1', 0)
  place = { url: server.url, login: service.login, token: service.token }
})
afterAll(async () => {
  await server?.close()
  await service?.[Symbol.asyncDispose]()
})

let home: Folder
beforeEach(() => {
  home = temporaryFolder()
})
afterEach(() => {
  home[Symbol.dispose]()
})

const answering = (questions: Questions, ...args: string[]): Promise<Ran> =>
  answeringIn({ home: home.path }, questions, 'profiles', 'add', ...args)
const kpi = (stdin: string, ...args: string[]): Promise<Ran> => shellIn({ home: home.path, stdin })('profiles', ...args)
const secrets = (): string[] => {
  const folder = home.in('.config/kpi/secrets')
  return existsSync(folder) ? readdirSync(folder).map((name) => readFileSync(`${folder}/${name}`, 'utf8').trim()) : []
}
const remote = (path = '/api'): string[] => ['--base-url', place.url + path, '--login', place.login]

describe('at a terminal', () => {
  test('asks for what is missing, checks it, does not show the token, and says the line that does the same', async () => {
    const ran = await answering(
      [
        ['Base URL', 'http://acme.example.com\r'],
        ['is not HTTPS', `${'\u007f'.repeat(40)}${place.url}/api\r`],
        ['Login name', `${place.login}\r`],
        ['Account token', `${place.token}\r`],
      ],
      'acme',
    )
    expect(ran).toMatchObject({ code: 0, stdout: '' })
    expect(ran.stderr).toContain('added profile acme')
    expect(ran.stderr).not.toContain(place.token)
    expect(secrets()).toEqual([place.token])
    const same = /with the secret in FILE: (.*) < FILE\n/.exec(ran.stderr)?.[1] ?? ''
    expect(same).toBe(`kpi profiles add acme --base-url ${place.url}/api --login ${place.login} --token-stdin`)
    await kpi('', 'remove', 'acme', '--yes')
    expect(await shellIn({ home: home.path, stdin: place.token })(...pasted(same))).toMatchObject({ code: 0 })
  })

  test('offers the URL that answers where /api is missing', async () => {
    const ran = await answering(
      [
        ['Account token', `${place.token}\r`],
        [`use ${place.url}/api, where a service answers`, '\r'],
      ],
      'acme',
      ...remote(''),
    )
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining(`add acme --base-url ${place.url}/api --login`)])
    expect((await kpi('', 'check', 'acme')).code).toBe(0)
  })

  test('says that the token is wrong, and asks for the credentials again', async () => {
    const ran = await answering(
      [
        ['Account token', `${WRONG}\r`],
        ['What now', '\r'],
        ['Login name', '\r'],
        ['Account token', `${place.token}\r`],
      ],
      'acme',
      ...remote(),
    )
    expect([ran.code, ran.stderr]).toEqual([
      0,
      expect.stringContaining('warning: the login name or the token is wrong'),
    ])
    expect(secrets()).toEqual([place.token])
  })

  test('takes another URL, nothing, or an unchecked profile where nothing listens', async () => {
    const line = ['acme', '--base-url', 'http://127.0.0.1:1/api', '--login', place.login]
    const token = ['Account token', `${place.token}\r`] as const
    const other = await answering([token, ['What now', `${DOWN}\r`], ['Base URL', `${place.url}/api\r`]], ...line)
    expect(other.code).toBe(0)
    await kpi('', 'remove', 'acme', '--yes')
    const left = await answering([token, ['What now', `${DOWN.repeat(4)}\r`]], ...line)
    expect([left.code, secrets()]).toEqual([5, []])
    const kept = await answering([token, ['What now', `${DOWN.repeat(3)}\r`]], ...line)
    expect([kept.code, kept.stderr]).toEqual([0, expect.stringContaining('--token-stdin --no-check < FILE\n')])
  })

  test('is replaced only after a yes, or with --yes', async () => {
    const line = ['mine', '--data-dir']
    expect((await answering([], ...line, 'one')).stderr).toContain('added profile mine')
    expect(await answering([['replace profile mine?', 'n\r']], ...line, 'two')).toMatchObject({ code: 1 })
    expect((await kpi('', 'show', 'mine')).stdout).toContain('/one')
    expect((await answering([], ...line, 'two', '--yes')).stderr).toContain('replaced profile mine')
    expect((await kpi('', 'show', 'mine')).stdout).toContain('/two')
  })

  test('that is interrupted is not kept', async () => {
    const ran = await answering([['Base URL', CTRL_C]], 'acme')
    expect(ran.code).toBe(130)
    expect((await kpi('', 'show', 'acme')).code).toBe(2)
  })
})

describe('in a script', () => {
  const add = (token: string, ...line: string[]): Promise<Ran> => kpi(token, 'add', 'acme', ...line, '--token-stdin')

  test('fails with the code of what is wrong, and keeps nothing', async () => {
    const page = await foreignService((response) => response.end('<html>'))
    const at = (url: string): string[] => ['--base-url', url, '--login', 'ann']
    const wrong = await add(WRONG, ...remote())
    const nobody = await add(WRONG, ...at('http://127.0.0.1:1/api'))
    const web = await add(WRONG, ...at(page.url))
    const short = await add(place.token, ...remote(''))
    expect([wrong.code, nobody.code, web.code, short.code]).toEqual([4, 5, 5, 1])
    expect(wrong.stderr).toBe(
      'kpi: profile acme was not added: the login name or the token is wrong; --no-check adds it unchecked\n',
    )
    expect(nobody.stderr).toContain('nothing listens there')
    expect(short.stderr).toContain(`a service answers at ${place.url}/api: give that as --base-url`)
    expect(page.reached.map(({ target }) => target)).toEqual(['/kpifrequencies', '/api/kpifrequencies'])
    expect([secrets(), (await kpi('', 'list', '-o', 'csv')).stdout.trim().split('\n').length]).toEqual([[], 1])
  })

  test('adds unchecked with --no-check, and warns of a URL that ends in neither', async () => {
    const ran = await add(WRONG, '--base-url', 'https://acme.example.com', '--login', 'a', '--no-check')
    expect([ran.code, ran.stderr]).toEqual([
      0,
      expect.stringContaining(
        'warning: https://acme.example.com does not end in /api, as the address of a service mostly does; kpi profiles check acme tells whether it answers',
      ),
    ])
  })

  test('checks what a file or a command gives, too', async () => {
    writeFileSync(home.in('token'), WRONG, { mode: 0o600 })
    expect((await kpi('', 'add', 'acme', ...remote(), '--token-file', 'token')).code).toBe(4)
    writeFileSync(home.in('token'), place.token, { mode: 0o600 })
    expect((await kpi('', 'add', 'acme', ...remote(), '--token-file', 'token')).code).toBe(0)
    const env = { PATH: '/usr/bin:/bin' }
    const line = ['profiles', 'add', 'by', ...remote(), '--token-command']
    expect((await shellIn({ home: home.path, env })(...line, 'exit 3')).code).toBe(4)
    expect((await shellIn({ home: home.path, env })(...line, 'cat token')).code).toBe(0)
  })

  test('replaces a profile with --yes only', async () => {
    await add(place.token, ...remote())
    const ran = await add(WRONG, ...remote(), '--no-check')
    expect(ran).toMatchObject({
      code: 2,
      stderr: 'kpi profiles add: replace profile acme needs --yes where nobody can be asked\n',
    })
    expect(secrets()).toEqual([place.token])
    for (const token of [WRONG, place.token, WRONG]) {
      expect((await add(token, ...remote(), '--no-check', '--yes')).code).toBe(0)
      expect(secrets()).toEqual([token])
      expect((await kpi('', 'check', 'acme')).code).toBe(token === WRONG ? 4 : 0)
    }
    await kpi('', 'remove', 'acme', '--yes')
    expect(secrets()).toEqual([])
  })

  test('writes a new secret beside the old one, which an end in between leaves in use', async () => {
    await add(place.token, ...remote())
    const folder = home.in('.config/kpi')
    const before = readFileSync(`${folder}/config.json`)
    await add(WRONG, ...remote(), '--no-check', '--yes')
    expect(readdirSync(`${folder}/secrets`)).toEqual(['acme~'])
    // What is there once the new secret is written, and the profile is not.
    writeFileSync(`${folder}/secrets/acme`, place.token, { mode: 0o600 })
    writeFileSync(`${folder}/config.json`, before)
    expect((await kpi('', 'check', 'acme')).code).toBe(0)
    expect((await add(WRONG, ...remote(), '--no-check', '--yes')).code).toBe(0)
    expect(secrets()).toEqual([WRONG])
  })
})

describe('a profile that is there', () => {
  test('takes its token from a command or a file from now on, and keeps none', async () => {
    await kpi(place.token, 'add', 'acme', ...remote(), '--token-stdin')
    writeFileSync(home.in('token'), place.token, { mode: 0o600 })
    const changed = await kpi('', 'update', 'acme', '--token-command', `cat ${home.in('token')}`, '--output', 'json')
    expect(changed).toMatchObject({ code: 0, stderr: 'updated profile acme\n' })
    expect(secrets()).toEqual([])
    expect((await kpi('', 'check', 'acme')).code).toBe(0)
    expect((await kpi('', 'update', 'acme', '--token-file', home.in('token'))).code).toBe(0)
    const stored = readFileSync(home.in('.config/kpi/config.json'), 'utf8')
    expect(stored).toContain('"tokenFile"')
    expect(stored).not.toContain('"tokenCommand"')
  })

  test('keeps its token where the new source has none that the service takes', async () => {
    await kpi(place.token, 'add', 'acme', ...remote(), '--token-stdin')
    const line = ['update', 'acme', '--token-command', `echo ${WRONG}`]
    const refused = await kpi('', ...line)
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('profile acme was not changed: ')])
    expect(refused.stderr).toContain('--no-check changes it unchecked')
    expect(secrets()).toEqual([place.token])
    expect((await kpi('', ...line, '--no-check')).code).toBe(0)
    await kpi('', 'add', 'here', '--data-dir', home.in('data'))
    const embedded = await kpi('', 'update', 'here', '--token-file', 'token')
    expect([embedded.code, embedded.stderr]).toEqual([2, expect.stringContaining('which has no token')])
  })
})
