import type { Attack } from './requests.ts'
import type { Wire } from './wire.ts'
import type { Contenders } from './world.ts'

const HOST = 'Host: localhost\r\n'
const LAST = 'Connection: close\r\n'

/** Sends a request again and again without waiting for its answers, over some connections. */
const pipelined = (name: string, lines: (world: Contenders) => string, times: number, connections: number): Attack => ({
  name: `${name} ${times} times over ${connections} connections`,
  wires: (world) => {
    const request = lines(world)
    const head = `${request}\r\n`.repeat(times - 1) + `${request}${LAST}\r\n`
    return Array.from({ length: connections }, () => ({ head }))
  },
})

const get = (path: string): string => `GET ${path} HTTP/1.1\r\n${HOST}`

/** Sends a body in chunks of a byte. */
const crumbs = (name: string, authorization: (world: Contenders) => string, bytes: number): Attack => ({
  name,
  wires: (world) => {
    const lines = `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n${authorization(world)}${LAST}`
    const head = `POST /api/kpis HTTP/1.1\r\n${HOST}${lines}\r\n${'1\r\n1\r\n'.repeat(bytes)}0\r\n\r\n`
    return Array.from({ length: 3 }, () => ({ head }))
  },
})

const heads = (name: string, headers: string, connections: number): Attack => ({
  name: `${name} over ${connections} connections`,
  wires: () => Array.from({ length: connections }, (): Wire => ({ head: `${get('/api/kpis')}${LAST}${headers}\r\n` })),
})

/** Opens connections all at once, each with one small request. */
const crowd = (name: string, lines: (world: Contenders) => string, connections: number): Attack => ({
  name: `${name} over ${connections} connections at once`,
  wires: (world) => {
    const head = `${lines(world)}${LAST}\r\n`
    return Array.from({ length: connections }, () => ({ head }))
  },
})

const login = ({ hostile }: Contenders): string => `Authorization: ${hostile.basic}\r\n`

/** Sends the same, and takes none of the answers. */
const untaken = (attack: Attack): Attack => ({
  name: `${attack.name}, none taken`,
  wires: (world) => attack.wires(world).map((one) => ({ ...one, isUnread: true })),
})

/** Much at once that is next to nothing by itself. */
export const FLOODS: readonly Attack[] = [
  pipelined('flood: no Host', () => 'GET / HTTP/1.1\r\n', 3600, 10),
  pipelined('flood: no credentials', () => get('/api/kpis'), 700, 10),
  pipelined('flood: health', () => get('/api/health'), 700, 10),
  pipelined('flood: the description', () => get('/api/openapi.json'), 400, 5),
  untaken(pipelined('flood: the description', () => get('/api/openapi.json'), 40, 1200)),
  untaken(pipelined('flood: a list', (world) => get('/api/users') + login(world), 40, 600)),
  pipelined('flood: a list', (world) => get('/api/kpicategories') + login(world), 100, 20),
  crowd('flood: no credentials', () => get('/api/kpis'), 3000),
  crowd('flood: a list', (world) => get('/api/kpicategories') + login(world), 3000),
  crumbs('flood: chunks of a byte, without credentials', () => '', 200_000),
  crumbs('flood: chunks of a byte', login, 500_000),
  heads('flood: heads with a long header', `X: ${'y'.repeat(15_000)}\r\n`, 300),
  heads('flood: heads with many headers', Array.from({ length: 900 }, (_, at) => `X${at}: 1\r\n`).join(''), 300),
]
