import { once } from 'node:events'
import { connect } from 'node:net'
import { isMainThread, workerData } from 'node:worker_threads'

/*
 * A thread that asks a server for the same thing every 5 ms over one connection, and notes the longest that it waited for
 * an answer. It has an event loop of its own, so that what the sender of hostile requests does is not measured.
 */

/** Where the longest wait (in microseconds), the answers other than 200, and all answers are counted. */
export const [LONGEST, WRONG, ANSWERS] = [0, 1, 2]

/** Where to ask, what is sent, and where it is counted. */
export type Probing = { readonly port: number; readonly request: string; readonly counts: Int32Array }

const EVERY_MS = 5
const HEAD_END = '\r\n\r\n'

/** Returns the status of an answer once all of it is there. */
const statusIn = (text: string): string | undefined => {
  const end = text.indexOf(HEAD_END)
  if (end < 0) return undefined
  const length = Number(/content-length: (\d+)/i.exec(text.slice(0, end))?.[1] ?? NaN)
  return text.length >= end + HEAD_END.length + length ? text.slice(9, 12) : undefined
}

const probe = async ({ port, request, counts }: Probing): Promise<void> => {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  await once(socket, 'connect')
  let askedAt: number | undefined
  let text = ''
  const ask = (): void => {
    text = ''
    askedAt = performance.now()
    socket.write(request)
  }
  const note = (): void => {
    if (askedAt === undefined) return
    counts[LONGEST] = Math.max(counts[LONGEST] ?? 0, Math.round((performance.now() - askedAt) * 1000))
  }
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    const status = statusIn(text)
    if (status === undefined) return
    note()
    askedAt = undefined
    if (status !== '200') Atomics.add(counts, WRONG, 1)
    Atomics.add(counts, ANSWERS, 1)
    Atomics.notify(counts, ANSWERS)
    setTimeout(ask, EVERY_MS)
  })
  socket.on('error', () => undefined)
  socket.on('close', () => Atomics.add(counts, WRONG, 1))
  // An answer that has not come yet counts, too.
  setInterval(note, EVERY_MS)
  ask()
}

if (!isMainThread) await probe(workerData as Probing)
