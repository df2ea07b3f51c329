import { randomBytes } from 'node:crypto'
import { type Client, createClient } from '../../src/client/client.ts'
import { httpTransport, type Remote } from '../../src/client/http/http-transport.ts'
import type { Transport } from '../../src/client/transport.ts'
import { inProcessTransport } from '../../src/cli/embedded.ts'
import type { Account } from '../../src/domain/resources/account.ts'
import { key, type KeyDraft } from '../../src/domain/resources/key.ts'
import { completeRecord } from '../../src/domain/schema.ts'
import { SCOPES } from '../../src/domain/scopes.ts'
import { type Variant, VARIANTS } from '../../src/domain/variants.ts'
import { createClassicHandler } from '../../src/server/api/classic.ts'
import { createBothHandlers } from '../../src/server/api/variants.ts'
import { listen } from '../../src/server/http/listener.ts'
import { createV1Handler } from '../../src/server/api/v1.ts'
import type { Handler, TextResponse, WireBody } from '../../src/server/wire.ts'
import { accounts, ensureDefaultAccount } from '../../src/service/accounts/accounts.ts'
import { keyPrefix } from '../../src/service/accounts/keys.ts'
import { DEFAULT_ACCOUNT } from '../../src/service/context.ts'
import { hashSecret, makeSecret } from '../../src/service/accounts/secrets.ts'
import { takeIds } from '../../src/store/tables/table.ts'
import type { Db } from '../../src/store/db.ts'
import { keys } from '../../src/store/tables/keys.ts'
import { type Database, databases, pooledDatabase, sqliteDatabase } from './databases.ts'
import { NOW, testIo } from './io.ts'
import { IS_SOAK, some } from './soak/tests.ts'

/** A service with an account of its own, on a real database in a folder of its own. */
export type Service = {
  readonly db: Db
  readonly dataDir: string
  readonly login: string
  readonly token: string
  /** A key of the first user that may do everything. */
  readonly key: string
  /** Both variants of the interface as a function. */
  readonly handler: Handler
  /** Errors that were logged, not told. */
  readonly logged: unknown[]
} & AsyncDisposable

/** A key of the first user of an account, or of another one; also such as could not be made so, but came to be. */
export const makeKey = async (
  db: Db,
  account: Account,
  draft: Partial<KeyDraft> = {},
  now = Math.floor(NOW / 1000),
): Promise<string> => {
  const secret = makeSecret('key', randomBytes)
  const fields = { name: 'all', user_id: 1, scopes: SCOPES.join(','), ...draft }
  await db.ofAccount(account.id).write(async (tx) => {
    const id = await takeIds(tx, account.id, 'keys')
    const record = completeRecord(key, fields, { id, begins: keyPrefix(secret), created_at: now })
    await keys.insert(tx, account.id, record, { key_hash: hashSecret(secret) })
  })
  return secret
}

export const startService = async (now = NOW, makeDatabase = sqliteDatabase): Promise<Service> => {
  const database = await makeDatabase()
  const { dataDir } = database
  const db = await database.open()
  const seconds = Math.floor(now / 1000)
  const account = await ensureDefaultAccount(db, seconds)
  await accounts.setApiEnabled(db, DEFAULT_ACCOUNT, true)
  const { random } = testIo({ home: dataDir }).io
  const { login, token } = await accounts.createToken(db, DEFAULT_ACCOUNT, random)
  const logged: unknown[] = []
  let requests = 0
  const deps = {
    db,
    version: '0.0.0-test',
    now: () => seconds,
    requestId: () => `request-${(requests += 1)}`,
    onError: (error: unknown) => logged.push(error),
  }
  return {
    db,
    dataDir,
    login,
    token,
    key: await makeKey(db, account, {}, seconds),
    handler: createBothHandlers(createClassicHandler(deps), createV1Handler(deps)),
    logged,
    [Symbol.asyncDispose]: async () => {
      await db.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** A request as it is written by hand: its body as JSON, its credentials those of the service unless it says otherwise. */
export type Asked = {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The text of a body, whether it was written in one piece or in many. */
export const textOf = (body: WireBody): string => (typeof body === 'string' ? body : Buffer.concat(body).toString())

/** Asks a service without a socket. A text body is sent as it is. */
export const ask = async (
  { handler, login, token }: Service,
  { method = 'GET', path, body, headers }: Asked,
): Promise<TextResponse> => {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  const response = await handler({
    method,
    target: `/api${path}`,
    headers: {
      authorization: `Basic ${Buffer.from(`${login}:${token}`).toString('base64')}`,
      'content-type': 'application/json',
      ...headers,
    },
    address: '127.0.0.1',
    body: () => Promise.resolve(Buffer.from(text)),
  })
  return { ...response, body: textOf(response.body) }
}

/** The same of the newer variant, with the service's key unless it says otherwise. */
export const askV1 = async (
  { handler, key }: Service,
  { method = 'GET', path, body, headers }: Asked,
): Promise<TextResponse> => {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  const response = await handler({
    method,
    target: `/v1${path}`,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    address: '127.0.0.1',
    body: () => Promise.resolve(Buffer.from(text)),
  })
  return { ...response, body: textOf(response.body) }
}

/** The ways to a service: each gives a client of a fresh account. */
export type Way = {
  readonly client: Client
  readonly transport: Transport
  /** The same account for what the newer variant leaves to the application: in process, classic. */
  readonly application: Client
  /** The same account in the newer variant, in process. */
  readonly newer: Client
} & AsyncDisposable

const NOTHING = (): Promise<void> => Promise.resolve()

const inProcessTo = async (db: Db, variant: Variant): Promise<{ client: Client; transport: Transport }> => {
  const account = await ensureDefaultAccount(db, NOW / 1000)
  const transport = inProcessTransport(db, account, () => NOW, variant)
  return { client: createClient(transport, variant), transport }
}

/** The way to a service in the same process. The store is the service's own, which closes it. */
export const wayTo = async ({ db }: Service, variant: Variant = 'classic'): Promise<Way> => {
  const { client: application } = await inProcessTo(db, 'classic')
  const { client: newer } = await inProcessTo(db, 'v1')
  return { ...(await inProcessTo(db, variant)), application, newer, [Symbol.asyncDispose]: NOTHING }
}

type MakeDatabase = () => Promise<Database>

const inProcess = async (makeDatabase: MakeDatabase, variant: Variant): Promise<Way> => {
  const service = await startService(NOW, makeDatabase)
  return { ...(await wayTo(service, variant)), [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

/** Where a variant is served, and the credentials that it takes there. */
const remoteOf = (
  { login, token, key }: Service,
  url: string,
  variant: Variant,
): Pick<Remote, 'baseUrl' | 'login' | 'token'> =>
  variant === 'classic'
    ? { baseUrl: new URL(`${url}/api`), login, token }
    : { baseUrl: new URL(`${url}/v1`), token: key }

/** The way to a service over HTTP. The service itself is closed by who started it. */
export const servedTo = async (service: Service, variant: Variant): Promise<Way> => {
  const server = await listen(service.handler, '127.0.0.1', 0)
  const transport = httpTransport({ ...remoteOf(service, server.url, variant), timeoutMs: 10_000, now: () => NOW })
  return {
    ...(await wayTo(service)),
    client: createClient(transport, variant),
    transport,
    [Symbol.asyncDispose]: async () => {
      await transport.close()
      await server.close()
    },
  }
}

const overHttp = async (makeDatabase: MakeDatabase, variant: Variant): Promise<Way> => {
  const service = await startService(NOW, makeDatabase)
  const way = await servedTo(service, variant)
  return {
    ...way,
    [Symbol.asyncDispose]: async () => {
      await way[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

type NamedWay = readonly [name: string, open: () => Promise<Way>]

/** Every way in to a service on every database, by name. What holds through one must hold through all. */
export const waysIn = (variant: Variant): readonly NamedWay[] =>
  databases.flatMap(([database, make]) => [
    [`in process, on ${database}`, () => inProcess(make, variant)] as const,
    [`over HTTP, on ${database}`, () => overHttp(make, variant)] as const,
  ])

/** The suite draws one of these: each has both variants, transports and databases; one of them a pooler. */
const WAYS_OF_SUITE: readonly Readonly<Record<Variant, number>>[] = [
  { classic: 0, v1: 3 },
  { classic: 4, v1: 0 },
  { classic: 2, v1: 1 },
  { classic: 1, v1: 2 },
]
const [DRAWN] = some(1, WAYS_OF_SUITE)

/** The ways in of both variants. `npm run soak -- combinations` has all. */
export const everyWay: readonly NamedWay[] = VARIANTS.flatMap((variant) =>
  [...waysIn(variant), ['over HTTP, on PostgreSQL behind a pooler', () => overHttp(pooledDatabase, variant)] as const]
    .filter((_, way) => IS_SOAK || DRAWN?.[variant] === way)
    .map(([name, open]) => [`${variant}, ${name}`, open] as const),
)
