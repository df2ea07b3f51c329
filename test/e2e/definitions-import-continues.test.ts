import { writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { embeddedTransport } from '../../src/cli/embedded.ts'
import { listen, type Listener } from '../../src/server/http/listener.ts'
import { faultyProxy, lose, refuse } from '../support/faulty-proxy.ts'
import { type Folder, temporaryFolder } from '../support/folder.ts'
import { NOW } from '../support/io.ts'
import { runKpi, startKpi } from '../support/process.ts'
import { type Service, startService } from '../support/service.ts'

const USERS = 60

let home: Folder
let service: Service
let server: Listener
beforeEach(async () => {
  home = temporaryFolder()
  service = await startService()
  server = await listen(service.handler, '127.0.0.1', 0)
  const rows = Array.from({ length: USERS }, (_, at) => `U${at},u${at}@example.com`)
  writeFileSync(home.in('users.csv'), `first_name,email\n${rows.join('\n')}\n`)
})
afterEach(async () => {
  await server.close()
  await service[Symbol.asyncDispose]()
  home[Symbol.dispose]()
})

const env = (url: string): Record<string, string> => ({
  KPI_BASE_URL: `${url}/api`,
  KPI_LOGIN: service.login,
  KPI_TOKEN: service.token,
})

const isUsers = (target: string): boolean => target.includes('/users')

const IMPORT = ['users', 'import', 'users.csv', '-o', 'json']

/** The addresses of all users but the first, sorted. */
const addresses = async (): Promise<string[]> => {
  const client = createClient(await embeddedTransport(service.dataDir, () => NOW))
  const list = await client.users.list()
  await client.close()
  return list
    .map(({ email }) => email)
    .filter((email) => email.startsWith('u'))
    .sort()
}

const EACH_ONCE = Array.from({ length: USERS }, (_, at) => `u${at}@example.com`).sort()

test('an import of users that was killed is continued by the same command, each exactly once', async () => {
  const proxy = await faultyProxy(server.url, () => undefined, isUsers)
  const first = startKpi(home, IMPORT, env(proxy.url))
  await proxy.came(20)
  first.child.kill('SIGKILL')
  await first.ended
  const before = (await addresses()).length
  expect(before).toBeGreaterThan(5)
  expect(before).toBeLessThan(USERS)
  const second = await runKpi(home, IMPORT, env(server.url))
  expect(second.code).toBe(0)
  expect(JSON.parse(second.stdout)).toMatchObject({ read: USERS, created: USERS - before, unchanged: before })
  expect(await addresses()).toEqual(EACH_ONCE)
})

test('a user whose answer was lost is looked for, and not created twice', async () => {
  const proxy = await faultyProxy(server.url, (number) => (number % 7 === 0 ? lose : undefined), isUsers)
  const ran = await runKpi(home, IMPORT, env(proxy.url))
  expect(ran.code).toBe(0)
  expect(await addresses()).toEqual(EACH_ONCE)
})

test('a service that fails in the middle leaves work, with exit code 6, and the deadline ends the waiting', async () => {
  const proxy = await faultyProxy(server.url, (number) => (number > 20 ? refuse(503) : undefined), isUsers)
  const ran = await runKpi(home, [...IMPORT, '--deadline', '2s'], env(proxy.url))
  expect(ran.code).toBe(6)
  expect(JSON.parse(ran.stdout)).toMatchObject({ rejected: 0, left: expect.any(Number) as unknown })
  expect(ran.stderr).toContain('run the same command to continue')
  expect((await runKpi(home, IMPORT, env(server.url))).code).toBe(0)
  expect(await addresses()).toEqual(EACH_ONCE)
})
