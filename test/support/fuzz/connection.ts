import { connect, type Socket } from 'node:net'

/** An answer as it came over the wire. */
export type RawAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** So long an answer is waited for, in milliseconds: far longer than any takes on a machine that is busy. */
const PATIENCE_MS = 20_000

/** So long one is waited for where the service may be waiting for more of the request. */
const QUIET_MS = 300

type Read = { readonly answer: RawAnswer; readonly rest: Buffer }

const headersOf = (lines: readonly string[]): Record<string, string> => {
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    if (colon < 1) throw new Error(`this is no header of an answer: ${JSON.stringify(line)}`)
    const name = line.slice(0, colon).toLowerCase()
    if (name in headers) throw new Error(`the answer has the header ${name} twice`)
    headers[name] = line.slice(colon + 1).trim()
  }
  return headers
}

/** Reads an answer from the beginning of what came; undefined where that is not yet all of it. */
const readAnswer = (bytes: Buffer, method: string): Read | undefined => {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const [, digits] = /^HTTP\/1\.1 (\d{3}) \S/.exec(first) ?? []
  if (digits === undefined) throw new Error(`this is no answer: ${JSON.stringify(first)}`)
  const status = Number(digits)
  const rest = bytes.subarray(end + 4)
  if (status === 100) return readAnswer(rest, method)
  const headers = headersOf(lines)
  if (status === 204) return { answer: { status, headers, body: '' }, rest }
  const length = Number(headers['content-length'] ?? NaN)
  if (!Number.isInteger(length)) throw new Error(`the answer ${status} has no Content-Length`)
  if (method === 'HEAD') return { answer: { status, headers, body: '' }, rest }
  if (rest.length < length) return undefined
  const body = new TextDecoder('utf-8', { fatal: true }).decode(rest.subarray(0, length))
  return { answer: { status, headers, body }, rest: rest.subarray(length) }
}

const portOf = (url: string): number => Number(new URL(url).port)

/** Collects what comes on a socket until `isDone` says so, or nothing comes any more. */
const collect = (socket: Socket, isDone: (bytes: Buffer) => boolean): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0)
    const patience = setTimeout(() => finish(new Error(`no answer within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS)
    const finish = (error?: Error): void => {
      clearTimeout(patience)
      for (const [name, listener] of listeners) socket.off(name, listener)
      if (error) reject(error)
      else resolve(bytes)
    }
    const onData = (chunk: Buffer): void => {
      bytes = bytes.length > 0 ? Buffer.concat([bytes, chunk]) : chunk
      try {
        if (isDone(bytes)) finish()
      } catch (error) {
        finish(error instanceof Error ? error : new Error(String(error)))
      }
    }
    const onEnd = (): void => finish()
    const listeners = [
      ['data', onData],
      ['end', onEnd],
      ['close', onEnd],
    ] as const
    for (const [name, listener] of listeners) socket.on(name, listener)
  })

const dial = (url: string): Socket => {
  const socket = connect({ port: portOf(url), host: '127.0.0.1', noDelay: true })
  // Whoever reads is told by the end.
  socket.on('error', () => undefined)
  return socket
}

/** A way to send bytes to a server, over one connection for as long as that stays open. */
export type Wire = {
  /** Sends one request, and answers its answer. */
  readonly ask: (bytes: Buffer, method: string) => Promise<RawAnswer>
  /** Sends bytes on a connection of their own, ends it after a first answer or when none comes, and answers all that came. */
  readonly pour: (bytes: Buffer, method: string) => Promise<readonly RawAnswer[]>
  readonly close: () => void
}

export const openWire = (url: string): Wire => {
  let kept: Socket | undefined
  const take = (): Socket => {
    if (!kept || kept.destroyed || !kept.writable || kept.readableEnded) kept = dial(url)
    return kept
  }
  return {
    ask: async (bytes, method) => {
      const socket = take()
      socket.write(bytes)
      let read: Read | undefined
      try {
        read = readAnswer(await collect(socket, (all) => readAnswer(all, method) !== undefined), method)
      } finally {
        // What comes late must not be taken for the answer to what is asked next.
        if (!read) socket.destroy()
      }
      if (!read) throw new Error('the connection ended before an answer')
      if (read.answer.headers['connection'] === 'close' || read.rest.length > 0) {
        kept = undefined
        socket.destroy()
      }
      return read.answer
    },
    pour: async (bytes, method) => {
      const socket = dial(url)
      socket.write(bytes)
      const patience = setTimeout(() => socket.end(), QUIET_MS)
      let rest = await collect(socket, (all) => {
        if (readAnswer(all, method)) socket.end()
        return false
      })
      clearTimeout(patience)
      socket.destroy()
      const answers: RawAnswer[] = []
      // What cannot be read has no method: the refusal of it has a body, also where HEAD was meant.
      while (rest.length > 0 && (method !== 'HEAD' || answers.length === 0)) {
        const read = readAnswer(rest, method)
        if (!read) throw new Error(`an answer was cut: ${JSON.stringify(rest.toString('latin1').slice(0, 200))}`)
        answers.push(read.answer)
        rest = read.rest
      }
      return answers
    },
    close: () => kept?.destroy(),
  }
}
