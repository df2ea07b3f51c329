import { readFileSync, writeFileSync } from 'node:fs'
import { embeddedTransport, inProcessTransport } from '../../src/cli/embedded.ts'
import { type Client, createClient } from '../../src/client/client.ts'
import type { KpiDraft } from '../../src/domain/resources/kpi.ts'
import type { UserDraft } from '../../src/domain/resources/user.ts'
import type { ImportInput } from '../../src/loading/prepare/import-types.ts'
import type { ImportOptions } from '../../src/reading/options/options.ts'
import { listen } from '../../src/server/http/listener.ts'
import type { Handler } from '../../src/server/wire.ts'
import { ensureDefaultAccount } from '../../src/service/accounts/accounts.ts'
import { type Folder, temporaryFolder } from './folder.ts'
import { NOW, type World } from './io.ts'
import { jsonOf, type Shell, shellIn } from './kpi.ts'
import { putEmbeddedStore, putting } from './new-store.ts'
import { startService } from './service.ts'

/** What the user said of a file; nothing, unless a test says otherwise. */
export const optionsOf = (given: Partial<ImportOptions> = {}): ImportOptions => ({
  map: new Map(),
  ignore: [],
  clearEmpty: false,
  strict: false,
  onDuplicate: 'error',
  createAssignments: false,
  onConflict: 'update',
  onlyChanges: false,
  addAgain: false,
  ...given,
})

/** An import that nothing stops, and whose notes nobody reads; time stands still in it. */
export const inputOf = (of: Pick<ImportInput, 'client' | 'table' | 'options' | 'folder'>): ImportInput => ({
  clock: { now: () => 0, uptime: () => 0, sleep: () => Promise.resolve() },
  signal: new AbortController().signal,
  onProgress: () => undefined,
  onNote: () => undefined,
  onWarning: () => undefined,
  ...of,
})

export const kpiNamed = (name: string, fields: Partial<KpiDraft> = {}): KpiDraft => ({
  category_id: 1,
  icon_id: 1,
  unit_id: 1,
  frequency_id: 'D',
  name,
  value_direction: 'U',
  aggregate_function: 'SUM',
  sort_order: 1,
  is_active: true,
  ...fields,
})

export const userNamed = (first_name: string, fields: Partial<UserDraft> = {}): UserDraft => ({
  user_type: 'User',
  user_status_id: 'A',
  first_name,
  email: `${first_name.toLowerCase()}@example.com`,
  ...fields,
})

/** The ids in the account that imports are tested with. */
export const ID = { ann: 2, bob: 3, lou: 4, sales: 1, visits: 2, closed: 3, spare: 4 } as const

/**
 * Fills a fresh account: Ann Lee reports Sales, Visits (which has a target) and Closed (which is inactive), Bob reports
 * Sales, Lou is locked, and Spare is assigned to nobody.
 */
export const fillAccount = async (client: Client): Promise<void> => {
  for (const [name, fields] of [
    ['Sales', {}],
    ['Visits', { target_default: 10_0000n }],
    ['Closed', { is_active: false }],
    ['Spare', {}],
  ] as const) {
    await client.kpis.add(kpiNamed(name, fields))
  }
  for (const draft of [userNamed('Ann', { last_name: 'Lee' }), userNamed('Bob'), userNamed('Lou')]) {
    await client.users.add(draft)
  }
  for (const [user, kpi] of [
    [ID.ann, ID.sales],
    [ID.ann, ID.visits],
    [ID.ann, ID.closed],
    [ID.bob, ID.sales],
    [ID.lou, ID.sales],
  ] as const) {
    await client.assignments(user).add({ id: kpi, sort_order: kpi })
  }
  await client.users.update(ID.lou, { user_status_id: 'L' })
}

/** Somebody with files to import, and a second way to the same account to look at it, or to change it meanwhile. */
export type Importer = {
  readonly kpi: Shell
  /** A shell whose standard input holds a text. */
  readonly kpiWith: (stdin: string | Uint8Array) => Shell
  readonly client: Client
  readonly world: World
  readonly folder: Folder
  readonly write: (name: string, text: string | Uint8Array) => void
  readonly read: (name: string) => string
} & AsyncDisposable

const importerOf = (client: Client, world: World, folder: Folder, close: () => Promise<void>): Importer => ({
  kpi: shellIn(world),
  kpiWith: (stdin) => shellIn({ ...world, stdin }),
  client,
  world,
  folder,
  write: (name, text) => {
    writeFileSync(folder.in(name), text)
  },
  read: (name) => readFileSync(folder.in(name), 'utf8'),
  [Symbol.asyncDispose]: async () => {
    await client.close()
    await close()
    folder[Symbol.dispose]()
  },
})

/** How an importer begins: with what in the account, and what between client and server, where there is one. */
export type Beginning = {
  readonly fill?: (client: Client) => Promise<void>
  readonly wrap?: (handler: Handler) => Handler
}

/** Puts a store at a path whose account is filled already. */
const putFilledStore = putting(async (db) => {
  const account = await ensureDefaultAccount(db, NOW / 1000)
  await fillAccount(createClient(inProcessTransport(db, account, () => NOW)))
})

/** With the embedded service. */
export const embeddedImporter = async ({ fill }: Beginning = {}): Promise<Importer> => {
  const folder = temporaryFolder()
  const dataDir = folder.in('data')
  await (fill ? putEmbeddedStore : putFilledStore)(`${dataDir}/kpi.db`)
  const client = createClient(await embeddedTransport(dataDir, () => NOW))
  await fill?.(client)
  return importerOf(client, { home: folder.path, env: { KPI_DATA_DIR: dataDir } }, folder, () => Promise.resolve())
}

/** The bundled service as one that does not say whose it is. */
export const asThirdParty =
  (handler: Handler): Handler =>
  async (request) => {
    const { headers, ...rest } = await handler(request)
    const { server: _, ...others } = headers
    return { ...rest, headers: others }
  }

/** With a server. */
export const remoteImporter = async ({
  fill = fillAccount,
  wrap = (handler) => handler,
}: Beginning = {}): Promise<Importer> => {
  const folder = temporaryFolder()
  const service = await startService()
  const server = await listen(wrap(service.handler), '127.0.0.1', 0)
  const { login, token } = service
  const client = createClient(await embeddedTransport(service.dataDir, () => NOW))
  await fill(client)
  const env = { KPI_BASE_URL: `${server.url}/api`, KPI_LOGIN: login, KPI_TOKEN: token }
  return importerOf(client, { home: folder.path, env }, folder, async () => {
    await server.close()
    await service[Symbol.asyncDispose]()
  })
}

/** Every way to import, by name. */
export const importers: readonly (readonly [name: string, open: (beginning?: Beginning) => Promise<Importer>])[] = [
  ['embedded', embeddedImporter],
  ['over HTTP', remoteImporter],
]

const SHOWN = ['user_id', 'kpi_id', 'entry_date', 'actual', 'target', 'notes']

/** All that an account holds, a text an entry: user, KPI, date, actual, target and notes, a dash for what is not there. */
export const heldIn = async ({ kpi }: Importer): Promise<string[]> => {
  const listed = await kpi('entries', 'list', '--from', '1900-01-01', '--to', '2199-12-31', '-o', 'json')
  const entries = jsonOf(listed) as Readonly<Record<string, string | number | null>>[]
  return entries.map((entry) => SHOWN.map((name) => entry[name] ?? '-').join(' '))
}

/** An importer whose account is changed once an import has checked all rows, just before it sends the first of them. */
export const changedMeanwhile = async (change: (importer: Importer) => Promise<unknown>): Promise<Importer> => {
  let pending: (() => Promise<unknown>) | undefined
  const importer = await remoteImporter({
    wrap: (handler) => async (request) => {
      if (request.target.endsWith('/kpientries/list')) {
        const now = pending
        pending = undefined
        await now?.()
      }
      return handler(request)
    },
  })
  pending = () => change(importer)
  return importer
}

/** One in which Ann is locked then, so that her entries are refused. */
export const lockedMeanwhile = (): Promise<Importer> =>
  changedMeanwhile(({ client }) => client.users.update(ID.ann, { user_status_id: 'L' }))
