import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { postgresDatabase } from '../databases.ts'
import type { Folder } from '../folder.ts'

/** How the program is started, and what it is given. */
export type Held = {
  /** A command line that is run first. */
  readonly before?: readonly string[]
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** What is written to its standard input, which stays open. */
  readonly stdin?: string
}

/** Has a function called once the command has ended. */
export type OnEnd = (end: () => unknown) => void

/** Something that holds a command for ever, or for longer than anybody waits. */
export type Holder = {
  readonly name: string
  /** Whether a program of the user's that it runs may outlive it, as it ignores signals. */
  readonly leavesProcesses?: true
  /** Makes what holds it in a folder; servers are closed by `onEnd`. */
  readonly prepare: (home: Folder, onEnd: OnEnd) => Held | Promise<Held>
}

const ENDLESS = 'with recursive r(n) as (select 1 union all select n + 1 from r)'

const VIEWS = `
  create view counted as ${ENDLESS} select count(*) as actual, '2026-03-01' as date from r;
  create view streamed as ${ENDLESS} select n as actual, '2026-03-01' as date from r;
  create view sorted as ${ENDLESS} select n as actual, '2026-03-01' as date from r order by n desc;
  create view joined as with d(i) as (values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)), e as (select a.i from d a, d b, d c, d f)
    select max(a.i + b.i * c.i) as actual, '2026-03-01' as date from e a, e b, e c;
  create view silent as ${ENDLESS} select n as actual, '2026-03-01' as date from r where n < 0;`

const query = (sql: string): Holder => ({
  name: `a query: ${sql}`,
  prepare: (home) => {
    using database = new DatabaseSync(home.in('endless.db'))
    database.exec(VIEWS)
    return { args: ['entries', 'import', '--from-db', 'endless.db', '--sql', sql, '--user', '1'] }
  },
})

const filter = (jq: string): Holder => ({
  name: `--jq ${jq}`,
  prepare: () => ({ args: ['kpis', 'list', '--jq', jq] }),
})

const waiting = (name: string, args: readonly string[], stdin?: string): Holder => ({
  name: `standard input of ${name}`,
  prepare: () => ({ args, ...(stdin !== undefined && { stdin }) }),
})

const pipe = (...args: readonly string[]): Holder => ({
  name: `a pipe that nobody writes to: ${args.join(' ')}`,
  prepare: (home) => {
    spawnSync('mkfifo', [home.in('pipe')])
    return { args }
  },
})

const tokenCommand = (name: string, command: string): Holder => ({
  name: `a token command that ${name}`,
  leavesProcesses: true,
  prepare: () => ({
    before: [
      'profiles',
      'add',
      'held',
      '--base-url',
      'http://127.0.0.1:9/v1',
      '--no-check',
      '--token-command',
      command,
    ],
    args: ['--profile', 'held', 'kpis', 'list'],
  }),
})

type Answer = (socket: Socket) => void

const listen = async (server: Server, onEnd: OnEnd): Promise<number> => {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    socket.on('error', () => undefined)
    sockets.add(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

/** Answers with a head, then a part of it ten times a second, for ever. */
const dribble =
  (head: string, part: string): Answer =>
  (socket) => {
    socket.write(head)
    const timer = setInterval(() => socket.write(part), 100)
    socket.once('close', () => clearInterval(timer))
  }

/** Answers each request, over any number of connections. */
const always =
  (head: string, body = '{}'): Answer =>
  (socket) => {
    socket.on('data', () => {
      socket.write(
        `HTTP/1.1 ${head}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      )
    })
  }

/** Answers what reads with an empty list, and what writes never. */
const neverWrites: Answer = (socket) => {
  socket.on('data', (bytes: Buffer) => {
    if (!bytes.toString('latin1').startsWith('GET ')) return
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n[]')
  })
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
const CREDENTIALS = { KPI_LOGIN: 'ann', KPI_TOKEN: 'kpi_token_0123456789' }

const service = (
  name: string,
  answer: Answer,
  args: readonly string[] = ['kpis', 'list'],
  scheme = 'http',
): Holder => ({
  name: `a service that ${name}: ${args.join(' ')}`,
  prepare: async (home, onEnd) => {
    writeFileSync(home.in('data.csv'), 'user,kpi,date,actual\n1,1,2026-03-01,1\n')
    const port = await listen(createServer(answer), onEnd)
    return { args, env: { ...CREDENTIALS, KPI_BASE_URL: `${scheme}://localhost:${port}/api` } }
  },
})

const download = (name: string, answer: Answer): Holder => ({
  name: `an address that ${name}`,
  prepare: async (_, onEnd) => {
    const port = await listen(createServer(answer), onEnd)
    return { args: ['entries', 'import', `http://127.0.0.1:${port}/data.csv`] }
  },
})

const proxy: Holder = {
  name: 'a proxy that says nothing',
  prepare: async (_, onEnd) => {
    const port = await listen(createServer(), onEnd)
    return {
      args: ['kpis', 'list'],
      env: { ...CREDENTIALS, KPI_BASE_URL: 'https://kpi.example/api', HTTPS_PROXY: `http://127.0.0.1:${port}` },
    }
  },
}

const IMPORT = ['entries', 'import', 'data.csv']
const silent: Answer = () => undefined

/** A way to a PostgreSQL that lets nothing through any more once a statement has a text. */
const hangingAt = (text: string, { port, hostname }: URL): Server => {
  let hangs = false
  return createServer((near) => {
    const far = connect(Number(port), hostname)
    far.on('error', () => undefined).pipe(near)
    near.once('close', () => far.destroy())
    near.on('data', (bytes: Buffer) => {
      hangs ||= bytes.includes(text)
      if (!hangs) far.write(bytes)
    })
  })
}

/** How PostgreSQL holds a command that works on it: from the start, at a statement with a text, or by a lock. */
const POSTGRES: readonly (readonly [
  name: string,
  hold: (url: URL, text: string, onEnd: OnEnd) => Promise<{ readonly port?: number }>,
])[] = [
  ['that says nothing', async (_, __, onEnd) => ({ port: await listen(createServer(), onEnd) })],
  ['that hangs in the middle', async (url, text, onEnd) => ({ port: await listen(hangingAt(text, url), onEnd) })],
  [
    'whose store somebody has locked',
    async ({ href }, _, onEnd) => {
      const client = new Client(href)
      await client.connect()
      onEnd(() => client.end())
      await client.query('begin; select version from kpi_store for update')
      return {}
    },
  ],
]

/** Commands that work on PostgreSQL, each with a part of a statement in its middle. */
const ON_POSTGRES: readonly (readonly [line: string, text: string])[] = [
  ['service copy --to postgres --data-dir data', 'insert into accounts'],
  ['service copy --to sqlite --data-dir back', 'from accounts'],
  ['service copy --to postgres --data-dir data --discard', 'from accounts'],
  ['service check --store postgres', 'from accounts'],
  ['service status --store postgres', 'pg_stat_activity'],
  ['service distribute --citus --store postgres', 'pg_dist_partition'],
  ['service accounts create acme --login ann@example.com --store postgres', 'insert into accounts'],
  ['serve --port 0 --store postgres', 'from accounts'],
]

const onPostgres = ON_POSTGRES.flatMap(([line, text]) =>
  POSTGRES.map(([name, hold]): Holder => ({
    name: `a PostgreSQL ${name}: ${line}`,
    prepare: async (_, onEnd) => {
      const database = await postgresDatabase()
      onEnd(() => database[Symbol.asyncDispose]())
      const url = new URL(database.env['KPI_POSTGRES_URL'] ?? '')
      const { port } = await hold(url, text, onEnd)
      if (port !== undefined) url.port = String(port)
      return {
        ...(line.includes('--data-dir data') && { before: ['service', 'accounts', 'list', '--data-dir', 'data'] }),
        args: line.split(' '),
        env: { KPI_POSTGRES_URL: url.href },
      }
    },
  })),
)

/** What may hold a command. */
export const HOLDERS: readonly Holder[] = [
  ...[
    'select * from counted',
    'select * from streamed',
    'select * from sorted',
    'select * from joined',
    'select * from silent',
  ].map(query),
  ...['last(repeat(1))', '[range(infinite)]', 'def f: f; f', 'until(false; .)'].map(filter),
  waiting('an import', ['entries', 'import', '-'], 'user,kpi,date,actual\n'),
  waiting('an import that gets nothing', ['entries', 'import', '-']),
  waiting('apply', ['apply', '-']),
  waiting('a record', ['kpis', 'create', '--from-json', '-']),
  waiting('a request', ['api', 'POST', '/kpis', '--input', '-']),
  waiting('a token', ['profiles', 'add', 'other', '--base-url', 'http://127.0.0.1:9/v1', '--token-stdin']),
  pipe('entries', 'import', 'pipe'),
  pipe('apply', 'pipe'),
  pipe('run', 'pipe'),
  pipe('kpis', 'create', '--from-json', 'pipe'),
  pipe('entries', 'import', '--from-db', 'pipe', '--sql', 'select 1 as a'),
  pipe('service', 'restore', 'pipe'),
  tokenCommand('sleeps', 'sleep 600'),
  tokenCommand('ignores signals', "trap '' INT TERM HUP; while :; do sleep 1; done"),
  tokenCommand('leaves a process behind', 'sleep 600 & wait'),
  service('says nothing', silent),
  service('says nothing', silent, IMPORT),
  service('says nothing', silent, ['report', '--from', '2026-03-01', '--to', '2026-03-31']),
  service('never answers what is sent', neverWrites, ['categories', 'create', '--name', 'Sales']),
  service('stalls the handshake', silent, ['kpis', 'list'], 'https'),
  service('dribbles a header', dribble('HTTP/1.1 200 OK\r\n', 'x: y\r\n')),
  service('dribbles a body', dribble(`${OK}transfer-encoding: chunked\r\n\r\n`, '1\r\n[\r\n')),
  service(
    'sends an endless body',
    dribble(`${OK}transfer-encoding: chunked\r\n\r\n`, `${(1 << 18).toString(16)}\r\n${' '.repeat(1 << 18)}\r\n`),
  ),
  service('redirects for ever', always('302 Found\r\nlocation: /api/again')),
  service('asks to wait for days', always('429 Too Many Requests\r\nretry-after: 999999')),
  service('asks to wait for days', always('429 Too Many Requests\r\nretry-after: 999999'), IMPORT),
  service('is out of order', always('503 Service Unavailable\r\nretry-after: 999999'), IMPORT),
  download('says nothing', silent),
  download(
    'sends an endless file',
    dribble('HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\n\r\n', 'a,b\n'.repeat(10_000)),
  ),
  download('redirects for ever', always('302 Found\r\nlocation: /data.csv')),
  proxy,
  ...onPostgres,
]
