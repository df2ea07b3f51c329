import { join } from 'node:path'
import { countedAs, type Credentials } from '../../client/http/credentials.ts'
import type { Stopping } from '../../client/http/http-transport.ts'
import { createGate, loneShare, type Share } from '../../client/rate-limit/limiter.ts'
import { fileShare } from '../../client/rate-limit/shared-state.ts'
import { createRetry, type Retry } from '../../client/retry.ts'
import type { Gate, Waiting } from '../../client/transport.ts'
import type { Io } from '../io.ts'
import { waitingText } from '../output/progress-text.ts'
import { type OnWait, tellingClock, tellLongWaits } from '../output/wait-notices.ts'
import { makeFolder, stateFolder } from './folders.ts'

/** How much work is done: for many requests, that wait for their turn and are tried again. */
export type Bulk = {
  /** Asks to give up waiting, but for the answers to what may have changed something. */
  readonly signal: AbortSignal
  /** Asks not to wait for those any longer, either. */
  readonly late?: AbortSignal | undefined
  /** The most requests in a minute, where that is to be less than the service allows. */
  readonly rate?: number | undefined
  /** Takes what there is to say of it. */
  readonly note: (text: string) => void
  /** Takes what requests wait for; without it, a note is made of what takes long. */
  readonly onWait?: OnWait | undefined
}

/** The file in which it is kept how much of a limit is used, for all of a user's processes. */
const openShare = (io: Io, name: string, { note, rate }: Bulk): Share => {
  const alone = (reason: string): void =>
    note(`how much of the limit is used is not shared with other processes: ${reason}`)
  try {
    const folder = join(stateFolder(io), 'pace')
    makeFolder(folder, 'state folder')
    return fileShare(join(folder, `${name}.db`), alone, rate !== undefined)
  } catch (error) {
    alone(error instanceof Error ? error.message : String(error))
    return loneShare()
  }
}

/** What sending much to a service goes through: its gate, what tries again, and what ends it. */
type PacedSending = { readonly gate: Gate; readonly retry: Retry; readonly stopping: Stopping }

/** A note of each wait that is long. */
const notesOf = ({ now }: Io, note: Bulk['note']): OnWait =>
  tellLongWaits(now, (waiting) => note(waitingText(waiting, now()) ?? ''))

/** What tries again tells of the first of its waits by itself. */
const openRetry = (
  io: Io,
  { signal, note, onWait }: Pick<Bulk, 'signal' | 'note'> & { onWait: OnWait },
  random: () => number,
): Retry => {
  let isTold = false
  const waiting = (): Waiting | undefined => {
    const waits = isTold ? undefined : retry.waiting()
    isTold = false
    return waits
  }
  const tell = (text: string): void => {
    isTold = true
    note(text)
  }
  const retry: Retry = createRetry({ clock: tellingClock(io, waiting, onWait), signal, random, note: tell })
  return retry
}

/** Opens the way for whoever sends much to a service. */
export const openPacing = (io: Io, baseUrl: URL, credentials: Credentials, bulk: Bulk): PacedSending => {
  const { signal, late, rate, note, onWait = notesOf(io, note) } = bulk
  const random = (): number => Buffer.from(io.random(4)).readUInt32BE() / 2 ** 32
  const share = openShare(io, countedAs(baseUrl, credentials), bulk)
  const name = `${Buffer.from(io.random(6)).toString('hex')}-`
  const gateClock = tellingClock(io, () => gate.waiting(), onWait)
  const gate: Gate = createGate({ clock: gateClock, signal, rate, note, share, name, random })
  return { gate, retry: openRetry(io, { signal, note, onWait }, random), stopping: { signal, late } }
}
