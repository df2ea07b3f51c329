import { type Client, createClient } from '../../src/client/client.ts'
import { httpTransport } from '../../src/client/http.ts'
import type { Transport } from '../../src/client/transport.ts'
import { inProcessTransport } from '../../src/cli/embedded.ts'
import { createApp } from '../../src/server/app.ts'
import { classicFace } from '../../src/server/classic.ts'
import { listen } from '../../src/server/listen.ts'
import type { Face, WireResponse } from '../../src/server/wire.ts'
import { accounts, ensureDefaultAccount } from '../../src/service/accounts.ts'
import { DEFAULT_ACCOUNT } from '../../src/service/names.ts'
import type { Db } from '../../src/store/db.ts'
import { type Database, databases, sqliteDatabase } from './databases.ts'
import { NOW, testIo } from './io.ts'

/** A service with an account of its own, on a real database in a folder of its own. */
export type Service = {
  readonly db: Db
  readonly dataDir: string
  readonly login: string
  readonly token: string
  /** The classic interface as a function. */
  readonly face: Face
  /** Errors that were logged, not told. */
  readonly logged: unknown[]
} & AsyncDisposable

export const startService = async (now = NOW, makeDatabase = sqliteDatabase): Promise<Service> => {
  const database = await makeDatabase()
  const { dataDir } = database
  const db = await database.open()
  const seconds = Math.floor(now / 1000)
  await ensureDefaultAccount(db, seconds)
  await accounts.setApiEnabled(db, DEFAULT_ACCOUNT, true)
  const { random } = testIo({ home: dataDir }).io
  const { login, token } = await accounts.createToken(db, DEFAULT_ACCOUNT, random)
  const logged: unknown[] = []
  let requests = 0
  const face = classicFace({
    app: createApp(db),
    db,
    version: '0.0.0-test',
    now: () => seconds,
    requestId: () => `request-${(requests += 1)}`,
    onError: (error) => logged.push(error),
  })
  return {
    db,
    dataDir,
    login,
    token,
    face,
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

/** Asks a service without a socket. A text body is sent as it is. */
export const ask = (
  { face, login, token }: Service,
  { method = 'GET', path, body, headers }: Asked,
): Promise<WireResponse> => {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  return face({
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
}

/** The ways to a service: each gives a client of a fresh account. */
export type Way = { readonly client: Client; readonly transport: Transport } & AsyncDisposable

/** The way to a service in the same process. */
export const wayTo = async ({ db }: Service): Promise<Way> => {
  const account = await ensureDefaultAccount(db, NOW / 1000)
  const transport = inProcessTransport(db, account, () => NOW)
  // The store is the service's own, which closes it.
  return { client: createClient(transport), transport, [Symbol.asyncDispose]: () => Promise.resolve() }
}

type MakeDatabase = () => Promise<Database>

const inProcess = async (makeDatabase: MakeDatabase): Promise<Way> => {
  const service = await startService(NOW, makeDatabase)
  return { ...(await wayTo(service)), [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

const overHttp = async (makeDatabase: MakeDatabase): Promise<Way> => {
  const service = await startService(NOW, makeDatabase)
  const server = await listen(service.face, '127.0.0.1', 0)
  const { login, token } = service
  const baseUrl = new URL(`${server.url}/api`)
  const transport = httpTransport({ baseUrl, login, token, timeoutMs: 10_000, now: () => NOW })
  return {
    client: createClient(transport),
    transport,
    [Symbol.asyncDispose]: async () => {
      await transport.close()
      await server.close()
      await service[Symbol.asyncDispose]()
    },
  }
}

/** Every way in to a service on every database, by name. What holds through one must hold through all. */
export const ways: readonly (readonly [name: string, open: () => Promise<Way>])[] = databases.flatMap(
  ([database, make]) => [
    [`in process, on ${database}`, () => inProcess(make)] as const,
    [`over HTTP, on ${database}`, () => overHttp(make)] as const,
  ],
)
