import { once } from 'node:events'
import { connect } from 'node:net'

const HEAD_END = '\r\n\r\n'

/** The length of the answer that a buffer begins with, and its status; undefined while its head is not whole. */
const answerIn = (buffer: Buffer): { length: number; status: string } | undefined => {
  const end = buffer.indexOf(HEAD_END)
  if (end < 0) return undefined
  const head = buffer.toString('latin1', 0, end)
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? NaN)
  return { length: end + HEAD_END.length + length, status: head.slice(9, 12) }
}

/** A request as it goes over the wire. */
export const wireRequest = (method: string, path: string, headers: Record<string, string>, body = ''): Buffer => {
  const all = { host: 'localhost', ...headers, 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}${HEAD_END}${body}`)
}

/** Sends requests over one connection, each when the one before it is answered, until there is none left. */
const runConnection = async (port: number, next: () => Buffer | undefined, statuses: Set<string>): Promise<void> => {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  await once(socket, 'connect')
  let got: Buffer = Buffer.alloc(0)
  const send = (): void => {
    const request = next()
    if (request) socket.write(request)
    else socket.end()
  }
  socket.on('data', (chunk: Buffer) => {
    got = got.length === 0 ? chunk : Buffer.concat([got, chunk])
    const answer = answerIn(got)
    if (!answer || got.length < answer.length) return
    statuses.add(answer.status)
    got = Buffer.alloc(0)
    send()
  })
  send()
  await once(socket, 'close')
}

/**
 * Requests a second that a server on this machine answers over so many connections at once. A plain socket and no more,
 * so that the measuring takes as little of the machine as it can. Any answer but 2xx ends the measuring.
 */
export const requestsPerSecond = async (
  port: number,
  connections: number,
  requests: Iterator<Buffer>,
): Promise<number> => {
  const statuses = new Set<string>()
  let sent = 0
  const next = (): Buffer | undefined => {
    const { value, done } = requests.next()
    if (done) return undefined
    sent += 1
    return value
  }
  // This process stays awake: waking it with each answer would cost a fast server more than a slow one's answer does.
  let isOver = false
  const stayAwake = (): void => {
    if (!isOver) setImmediate(stayAwake)
  }
  stayAwake()
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: connections }, () => runConnection(port, next, statuses)))
  const seconds = (performance.now() - startedAt) / 1000
  isOver = true
  const wrong = [...statuses].filter((status) => !status.startsWith('2'))
  if (wrong.length > 0) throw new Error(`the server answered ${wrong.join(', ')}`)
  return sent / seconds
}
