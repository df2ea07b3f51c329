import { embeddedTransport } from '../../src/cli/embedded.ts'
import { type Client, createClient } from '../../src/client/client.ts'
import { SCOPES } from '../../src/domain/scopes.ts'
import { listen } from '../../src/server/http/listener.ts'
import { ensureDefaultAccount } from '../../src/service/accounts/accounts.ts'
import { type Folder, temporaryFolder } from './folder.ts'
import { kpiNamed, userNamed } from './import.ts'
import { NOW, type World } from './io.ts'
import { type Ran, type Shell, shellIn } from './kpi.ts'
import { putEmbeddedStore } from './new-store.ts'
import { makeKey, type Service, startService } from './service.ts'

/** Somebody with a home of their own, at the command line of a fresh account. */
export type User = {
  readonly kpi: Shell
  /** Runs a command line in a world that is a little different. */
  readonly kpiIn: (world: Partial<World>, ...args: string[]) => Promise<Ran>
  /** A second way to the same account. */
  readonly client: Client
  /** Opens a way to it through the newer interface. */
  readonly newer: () => Promise<Client & AsyncDisposable>
  readonly world: World
  readonly folder: Folder
} & AsyncDisposable

const userOf = async (dataDir: string, folder: Folder, close: () => Promise<void>): Promise<User> => {
  const client = createClient(await embeddedTransport(dataDir, () => NOW))
  const world: World = { home: folder.path }
  return {
    kpi: shellIn(world),
    kpiIn: (other, ...args) => shellIn({ ...world, ...other })(...args),
    client,
    newer: async () => {
      const newer = createClient(await embeddedTransport(dataDir, () => NOW, 'v1'), 'v1')
      return { ...newer, [Symbol.asyncDispose]: () => newer.close() }
    },
    world,
    folder,
    [Symbol.asyncDispose]: async () => {
      await client.close()
      await close()
      folder[Symbol.dispose]()
    },
  }
}

/** Of the embedded service, in the usual place of a home. */
export const embeddedUser = async (folder = temporaryFolder()): Promise<User> => {
  const dataDir = folder.in('.local/share/kpi')
  await putEmbeddedStore(`${dataDir}/kpi.db`)
  return userOf(dataDir, folder, () => Promise.resolve())
}

/** The base URL of a service that is served, the flags that go with it, and the secret. */
type Door = (service: Service) => Promise<readonly [path: string, flags: readonly string[], secret: string]>

/** What stands before a server, by the address that it gives in place of the server's. */
type Front = (url: string) => Promise<string>

/** Of a server, through a profile that is always used. */
const userThrough = async (authenticate: Door, front: Front = (url) => Promise.resolve(url)): Promise<User> => {
  const folder = temporaryFolder()
  const service = await startService()
  const server = await listen(service.handler, '127.0.0.1', 0)
  const user = await userOf(service.dataDir, folder, async () => {
    await server.close()
    await service[Symbol.asyncDispose]()
  })
  const [path, flags, secret] = await authenticate(service)
  const place = ['--base-url', (await front(server.url)) + path, ...flags]
  await user.kpiIn({ stdin: secret }, 'profiles', 'add', 'there', ...place, '--token-stdin')
  await user.kpi('profiles', 'use', 'there')
  return user
}

/** Of a server that is spoken to in the classic interface, behind what stands before it. */
export const remoteUserBehind = (front?: Front): Promise<User> =>
  userThrough(({ login, token }) => Promise.resolve(['/api', ['--login', login], token]), front)

/** Of a server that is spoken to in the classic interface. */
export const remoteUser = (): Promise<User> => remoteUserBehind()

/** Of a server that is spoken to in the newer interface, with a key of some scopes or all. */
export const newerUser = (scopes: readonly string[] = SCOPES, front?: Front): Promise<User> =>
  userThrough(async ({ db }) => {
    const account = await ensureDefaultAccount(db, NOW / 1000)
    return ['/v1', [], await makeKey(db, account, { scopes: scopes.join(',') })]
  }, front)

/** Every way to use the command line, by name. What holds for one must hold for all. */
export const users: readonly (readonly [name: string, open: () => Promise<User>])[] = [
  ['on the embedded service', embeddedUser],
  ['through a profile to a server', remoteUser],
]

/** Every way to use what only the newer interface has. */
export const newerUsers: readonly (readonly [name: string, open: () => Promise<User>])[] = [
  ['on the embedded service', embeddedUser],
  ['through a profile of the newer interface', newerUser],
]

/** What is in the account after `fillShop`: ids by name. */
export const SHOP = { ann: 2, bob: 3, bobby: 4, revenue: 1, visits: 2 } as const

/**
 * Fills an account: Ann Lee reports Revenue (target 100) and Visits, two users are both called Bob Ray, and Ann has an
 * entry of Revenue for each of the last three days.
 */
export const fillShop = async ({ client }: Pick<User, 'client'>): Promise<void> => {
  await client.kpis.add(kpiNamed('Revenue', { target_default: 100_0000n }))
  await client.kpis.add(kpiNamed('Visits', { sort_order: 2 }))
  await client.users.add(userNamed('Ann', { last_name: 'Lee' }))
  await client.users.add(userNamed('Bob', { last_name: 'Ray' }))
  await client.users.add(userNamed('Bob', { last_name: 'Ray', email: 'bobby@example.com' }))
  for (const id of [SHOP.revenue, SHOP.visits]) await client.assignments(SHOP.ann).add({ id, sort_order: id })
  const today = Math.floor(NOW / 86_400_000)
  for (const [before, actual] of [
    [2, 40_0000n],
    [1, 80_5000n],
    [0, 60_2500n],
  ] as const) {
    await client.entries.add({ user_id: SHOP.ann, kpi_id: SHOP.revenue, entry_date: today - before, actual })
  }
}
