import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Client } from 'pg'

/*
 * A pooler in transaction mode before a PostgreSQL, as strict as PgBouncer is, and stricter where that finds more: it
 * refuses start-up parameters, gives each transaction the session that was used the longest ago, resets nothing, and its
 * sessions begin with settings that somebody else left behind.
 */

/** What a session begins with: whoever relies on settings of a session meets these. */
const LEFT_BEHIND: Readonly<Record<string, string>> = {
  search_path: 'nowhere',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  max_parallel_workers_per_gather: '2',
  cursor_tuple_fraction: '0.01',
  default_transaction_read_only: 'on',
}
/** Tables of a session that have the names of ours. */
const TEMPORARY = 'create temp table kpi_store (version text); create temp table accounts (name text)'

/** What PgBouncer takes at start-up: it keeps track of these for each client. */
const TRACKED = ['client_encoding', 'datestyle', 'timezone', 'standard_conforming_strings', 'application_name']

const SSL = 80_877_103
const GSS = 80_877_104
/** What a session says of itself that is in no transaction. */
const IDLE = 'I'.charCodeAt(0)

/** A message of the protocol: its type, and all of it. */
type Message = { readonly type: string; readonly bytes: Buffer }

/** Cuts a stream into messages. The first message of a client has no type. */
const createCutter = (hasTypes: boolean) => {
  let [rest, isTyped] = [Buffer.alloc(0), hasTypes]
  return {
    /** Makes the messages that follow have types. */
    expectTypes: () => {
      isTyped = true
    },
    next: (data?: Buffer): Message | undefined => {
      if (data) rest = Buffer.concat([rest, data])
      const head = isTyped ? 1 : 0
      if (rest.length < head + 4) return undefined
      const length = head + rest.readUInt32BE(head)
      if (rest.length < length) return undefined
      const bytes = rest.subarray(0, length)
      rest = rest.subarray(length)
      return { type: isTyped ? String.fromCharCode(bytes[0] ?? 0) : '', bytes }
    },
  }
}

const message = (type: string, ...parts: (string | Buffer)[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)))
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** The error that a pooler sends, which has one code for everything. */
const refusal = (words: string): Buffer => message('E', 'SFATAL\0', 'VFATAL\0', 'C08P01\0', `M${words}\0`, '\0')

/** A session of the database, and how to take it over from the driver that has connected it. */
type Session = { readonly client: Client; readonly socket: Socket }

const connectSession = async (url: string): Promise<Session> => {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  await client.query(TEMPORARY)
  for (const [name, value] of Object.entries(LEFT_BEHIND)) await client.query(`set ${name} = '${value}'`)
  const socket = client.connection.stream as Socket
  socket.removeAllListeners('data')
  return { client, socket }
}

/** Sessions of the database that clients share: the one that was given back first is taken next. */
const createSessions = (url: string, most: number) => {
  const idle: Session[] = []
  const waiting: ((session: Session) => void)[] = []
  const all = new Set<Session>()
  let opening = 0
  const open = async (): Promise<Session> => {
    opening += 1
    try {
      const session = await connectSession(url)
      all.add(session)
      session.socket.once('close', () => {
        all.delete(session)
        if (idle.includes(session)) idle.splice(idle.indexOf(session), 1)
      })
      return session
    } finally {
      opening -= 1
    }
  }
  return {
    take: async (): Promise<Session> => {
      // All are opened before one is used again.
      if (all.size + opening < most) return open()
      return idle.shift() ?? new Promise((resolve) => waiting.push(resolve))
    },
    giveBack: (session: Session): void => {
      const next = waiting.shift()
      if (next) next(session)
      else idle.push(session)
    },
    /** Ends the session of a client that went away in the middle of a transaction, which rolls that back. */
    end: (session: Session): void => {
      session.socket.destroy()
      all.delete(session)
      const take = waiting.shift()
      if (take) void open().then((opened) => take(opened))
    },
    close: async (): Promise<void> => {
      for (const { socket } of all) socket.destroy()
    },
  }
}

/** What a pooler has seen of its clients. */
export type Pooler = {
  /** The URL of the database behind the pooler. */
  readonly url: string
  /** How often a client has sent something while it waited for nothing, and how many statements. */
  readonly counts: () => { readonly roundTrips: number; readonly statements: number }
} & AsyncDisposable

export type PoolerOptions = {
  readonly sessions?: number
  /** Refuses every client with these words. */
  readonly refusing?: () => string | undefined
}

const parametersOf = (startup: Buffer): Map<string, string> => {
  const words = startup.toString('utf8', 8).split('\0')
  const pairs = Array.from({ length: Math.floor(words.length / 2) }, (_, at) => words.slice(2 * at, 2 * at + 2))
  return new Map(pairs.filter(([name]) => name).map(([name = '', value = '']) => [name, value]))
}

/** Starts a pooler in transaction mode before the database at a URL. */
export const startPooler = async (
  url: string,
  { sessions: most = 3, refusing }: PoolerOptions = {},
): Promise<Pooler> => {
  const target = new URL(url)
  const sessions = createSessions(url, most)
  const sockets = new Set<Socket>()
  let [roundTrips, statements] = [0, 0]

  /** Says why a client is refused, in the words of PgBouncer. */
  const faultOf = (parameters: ReadonlyMap<string, string>): string | undefined => {
    const unknown = [...parameters.keys()].find(
      (name) => !['user', 'database', ...TRACKED].includes(name.toLowerCase()),
    )
    if (unknown !== undefined) return `unsupported startup parameter: ${unknown}`
    const database = parameters.get('database') ?? ''
    return `/${database}` === target.pathname ? refusing?.() : `no such database: ${database}`
  }

  /** Serves the messages of a client that has logged in. */
  const serve = (near: Socket) => {
    const queue: Message[] = []
    // How many answers are owed, and whether a request is only sent in part.
    let [owed, isPartial] = [0, false]
    let link: { readonly session: Session; readonly cut: () => void } | undefined
    let isTaking = false
    const release = (session: Session): void => {
      link?.cut()
      link = undefined
      sessions.giveBack(session)
    }
    const connectTo = (session: Session): void => {
      const cutter = createCutter(true)
      const pass = (data: Buffer): void => {
        near.write(data)
        for (let one = cutter.next(data); one; one = cutter.next()) {
          if (one.type !== 'Z') continue
          owed -= 1
          if (one.bytes.at(5) === IDLE && owed === 0 && !isPartial) release(session)
        }
      }
      const end = (): void => void near.destroy()
      session.socket.on('data', pass).once('close', end)
      link = { session, cut: () => session.socket.off('data', pass).off('close', end) }
    }
    const flush = async (): Promise<void> => {
      if (isTaking) return
      if (!link) {
        isTaking = true
        const session = await sessions.take()
        isTaking = false
        if (near.destroyed) return sessions.giveBack(session)
        connectTo(session)
      }
      for (let one = queue.shift(); one; one = queue.shift()) link?.session.socket.write(one.bytes)
    }
    near.once('close', () => {
      if (!link) return
      link.cut()
      sessions.end(link.session)
      link = undefined
    })
    return (one: Message): void => {
      if (one.type === 'X') return void near.end()
      if (owed === 0 && !isPartial) roundTrips += 1
      if (one.type === 'Q' || one.type === 'P') statements += 1
      // A query, or a sync, is answered by a message that says that it is done.
      isPartial = one.type !== 'Q' && one.type !== 'S'
      if (!isPartial) owed += 1
      queue.push(one)
      flush().catch(() => near.end(refusal('server login has been failing, try again later (server_login_retry)')))
    }
  }

  const server = createServer({ noDelay: true }, (near) => {
    sockets.add(near.on('error', () => undefined))
    near.once('close', () => sockets.delete(near))
    const cutter = createCutter(false)
    const refuse = (words: string): void => void near.end(refusal(words))
    const start = (one: Message): void => {
      const code = one.bytes.readUInt32BE(4)
      if (code === SSL || code === GSS) return void near.write('N')
      const parameters = parametersOf(one.bytes)
      const fault = faultOf(parameters)
      if (fault !== undefined) return refuse(fault)
      cutter.expectTypes()
      near.write(message('R', number(3)))
      receive = logIn(parameters.get('user') ?? '')
    }
    const logIn =
      (user: string) =>
      ({ bytes }: Message): void => {
        const password = bytes.toString('utf8', 5, bytes.length - 1)
        if (user !== target.username || password !== target.password) return refuse('SASL authentication failed')
        const status = message('S', 'standard_conforming_strings\0on\0')
        near.write(
          Buffer.concat([
            message('R', number(0)),
            status,
            message('K', number(randomInt(2 ** 31)), number(0)),
            message('Z', 'I'),
          ]),
        )
        receive = serve(near)
      }
    let receive: (one: Message) => void = start
    near.on('data', (data: Buffer) => {
      for (let one = cutter.next(data); one; one = cutter.next()) receive(one)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = new URL(url)
  own.port = String((server.address() as AddressInfo).port)
  return {
    url: own.href,
    counts: () => ({ roundTrips, statements }),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await sessions.close()
      server.close()
      await once(server, 'close')
    },
  }
}
