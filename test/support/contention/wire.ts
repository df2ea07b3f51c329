import { connect } from 'node:net'

/** A request as it goes over the wire: its head, and what follows it. */
export type Wire = {
  readonly head: string
  readonly body?: Buffer
  /** Whether nothing of the answer is read: the connection is dropped after a while. */
  readonly isUnread?: boolean
}

type Asked = {
  readonly method?: string
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string
}

/** Writes a request that ends its connection. */
export const wire = ({ method = 'GET', target, headers = {}, body }: Asked): Wire => {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const length = bytes ? { 'Content-Length': String(bytes.length) } : {}
  const all = { Host: 'localhost', Connection: 'close', ...headers, ...length }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  const head = [`${method} ${target} HTTP/1.1`, ...lines, '', ''].join('\r\n')
  return bytes ? { head, body: bytes } : { head }
}

/** So long an answer that is not read waits to be. */
const UNREAD_MS = 2000
/** What stands for the status of an answer that nobody read. */
const UNREAD = 499

/** Sends a request over a connection of its own; resolves with the status, once all of the answer has come, or 0 where none did. */
export const send = (port: number, { head, body, isUnread = false }: Wire): Promise<number> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let status = isUnread ? UNREAD : 0
    socket.on('error', () => undefined)
    if (isUnread) setTimeout(() => socket.destroy(), UNREAD_MS)
    else {
      socket.once('data', (chunk: Buffer) => (status = Number(chunk.toString('latin1', 9, 12))))
      socket.on('data', () => undefined)
    }
    socket.on('close', () => resolve(status))
    socket.write(head, 'latin1')
    if (body) socket.write(body)
  })
