import { writeFileSync, readFileSync } from 'node:fs'
import { type Client, createClient } from '../../src/client/client.ts'
import { entryPages } from '../../src/client/operations/entry-pages.ts'
import { inProcessTransport } from '../../src/cli/embedded.ts'
import { formatDay } from '../../src/domain/day.ts'
import { formatDecimal } from '../../src/domain/decimal.ts'
import { SCOPES } from '../../src/domain/scopes.ts'
import type { Variant } from '../../src/domain/variants.ts'
import { listen } from '../../src/server/http/listener.ts'
import type { Handler } from '../../src/server/wire.ts'
import { ensureDefaultAccount } from '../../src/service/accounts/accounts.ts'
import { sqliteDatabase } from './databases.ts'
import { type Folder, temporaryFolder } from './folder.ts'
import { fillAccount } from './import.ts'
import { NOW } from './io.ts'
import { type Shell, shellIn } from './kpi.ts'
import { makeKey, type Service, startService } from './service.ts'

/** The breakdown items that imports are tested with, beside those of the people: West is archived. */
export type Items = { readonly north: number; readonly south: number; readonly west: number }

/** An account as imports of the newer variant are tested with it: what `fillAccount` makes, and three regions. */
export const fillNewer = async (application: Client, newer: Client): Promise<Items> => {
  await fillAccount(application)
  const { id } = await application.groups.add({ name: 'Regions' })
  const add = async (name: string): Promise<number> => (await application.groupItems(id).add({ name })).id
  const items = { north: await add('North'), south: await add('South'), west: await add('West') }
  await newer.breakdownItems.update(items.west, { is_archived: true })
  return items
}

/** A server that speaks both variants, on an account that is filled, and somebody with files at each of its doors. */
export type Doors = {
  readonly service: Service
  readonly items: Items
  readonly url: string
  readonly folder: Folder
  /** In process, with every right. */
  readonly application: Client
  readonly newer: Client
  readonly classic: Shell
  /** With a key of some scopes; of all, where none are given. */
  readonly keyed: (...scopes: string[]) => Promise<Shell>
  /** With a profile of a variant, and every right. */
  readonly profiled: (variant: Variant) => Promise<Shell>
  readonly write: (name: string, text: string) => void
  readonly read: (name: string) => string
  /** All entries: user or item, KPI, day, actual, target, notes. */
  readonly held: () => Promise<string[]>
} & AsyncDisposable

const clientOf = async ({ db }: Service, variant: Variant): Promise<Client> =>
  createClient(
    inProcessTransport(db, await ensureDefaultAccount(db, NOW / 1000), () => NOW, variant),
    variant,
  )

/** Keeps a profile in a home, and answers a shell that uses it. */
const profileIn = async (
  { path: home }: Folder,
  { login, token, key }: Service,
  url: string,
  variant: Variant,
): Promise<Shell> => {
  const [flags, secret] =
    variant === 'classic' ? [['--base-url', `${url}/api`, '--login', login], token] : [['--base-url', `${url}/v1`], key]
  const added = await shellIn({ home, stdin: secret })('profiles', 'add', variant, ...flags, '--token-stdin')
  if (added.code !== 0) throw new Error(added.stderr)
  return (...args) => shellIn({ home })('--profile', variant, ...args)
}

const ALL_DAYS = { from: -25_567, to: 84_000 }

const heldBy = async (newer: Client): Promise<string[]> => {
  const held: string[] = []
  for await (const page of entryPages(newer, ALL_DAYS)) {
    for (const { user_id, source_id, kpi_id, entry_date, actual, target, notes } of page) {
      const [one, other] = [actual, target].map((value) => (value === null ? '-' : formatDecimal(value)))
      const owner = user_id === null ? `item ${source_id}` : `user ${user_id}`
      held.push([owner, kpi_id, formatDay(entry_date), one, other, notes ?? '-'].join(' '))
    }
  }
  return held.toSorted()
}

export const openDoors = async (
  makeDatabase = sqliteDatabase,
  wrap: (handler: Handler) => Handler = (handler) => handler,
): Promise<Doors> => {
  const folder = temporaryFolder()
  const service = await startService(NOW, makeDatabase)
  const server = await listen(wrap(service.handler), '127.0.0.1', 0)
  const [application, newer] = [await clientOf(service, 'classic'), await clientOf(service, 'v1')]
  const account = await ensureDefaultAccount(service.db, NOW / 1000)
  const { login, token } = service
  return {
    service,
    items: await fillNewer(application, newer),
    url: server.url,
    folder,
    application,
    newer,
    classic: shellIn({
      home: folder.path,
      env: { KPI_BASE_URL: `${server.url}/api`, KPI_LOGIN: login, KPI_TOKEN: token },
    }),
    keyed: async (...scopes) => {
      const key = await makeKey(service.db, account, { scopes: (scopes.length > 0 ? scopes : SCOPES).join(',') })
      return shellIn({ home: folder.path, env: { KPI_BASE_URL: `${server.url}/v1`, KPI_TOKEN: key } })
    },
    profiled: (variant) => profileIn(folder, service, server.url, variant),
    write: (name, text) => writeFileSync(folder.in(name), text),
    read: (name) => readFileSync(folder.in(name), 'utf8'),
    held: () => heldBy(newer),
    [Symbol.asyncDispose]: async () => {
      await server.close()
      await service[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}
