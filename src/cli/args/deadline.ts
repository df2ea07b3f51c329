import { addAbortSignal } from 'node:stream'
import type { AbortSignals } from '../../client/http/http-transport.ts'
import { Aborted } from '../../client/transport.ts'
import { fileError } from '../../files/file-error.ts'
import { Fault, KpiError } from '../../domain/errors.ts'
import { isDevice } from '../../files/place.ts'
import { MOST_NAMED_BYTES, readRegularFile, readSpecial, readStream } from '../../files/read-file.ts'
import { EXIT, IncompleteRun } from '../exit.ts'
import type { Io } from '../io.ts'
import { settingFault } from './setting-fault.ts'

/** Describes when a run ends, done or not. */
export type Deadline = {
  /** Holds milliseconds since 1970. */
  readonly at: number
  /** Holds the deadline as people say it. */
  readonly spelling: string
}

/** Holds the default deadline: long enough for any night, so that no run goes on for ever. */
export const USUAL_DEADLINE = '24h'
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 }
/** Sets the longest time that a timer can wait. */
const LONGEST_MS = 24 * 24 * 3_600_000

/** Returns the next moment at which local clocks show a time. */
const nextAt = (hours: number, minutes: number, now: number): number => {
  const date = new Date(now)
  date.setHours(hours, minutes, 0, 0)
  if (date.getTime() <= now) date.setDate(date.getDate() + 1)
  return date.getTime()
}

const momentOf = (given: string, now: number): number | undefined => {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(given) ?? []
  if (hours !== undefined) return nextAt(Number(hours), Number(minutes), now)
  const [, count, unit = ''] = /^(\d{1,7})([smh])$/.exec(given) ?? []
  const length = Number(count) * (UNITS[unit] ?? NaN)
  return length > 0 && length <= LONGEST_MS ? now + length : undefined
}

/** Parses a deadline: `06:30` is the next time that local clocks show that, `30m` and `2h` count from now. */
export const parseDeadline = (text: string, now: number): Deadline | Fault => {
  const spelling = text.trim()
  const at = momentOf(spelling, now)
  return at === undefined
    ? Fault.is('neither a time of day nor a time from now; write 06:30, 30m or 2h')
    : { at, spelling }
}

/** Returns the deadline of a command line; refuses what is none. */
export const readDeadline = (given: string | undefined, now: number): Deadline => {
  const deadline = parseDeadline(given ?? USUAL_DEADLINE, now)
  if (deadline instanceof Fault) throw settingFault('--deadline', given, deadline)
  return deadline
}

/** Returns the deadline of a command line, which counts from its start. */
export const findDeadline = (io: Io, given: string | undefined): Deadline =>
  readDeadline(given, io.startedAt ?? io.now())

/** Sets how long a run without a deadline of its own waits for a service that is down. */
export const LONGEST_OUTAGE_MS = 900_000

/** Returns until when a run that nobody watches waits for a service that is down since a moment. */
export const outageEnd = (io: Io, given: string | undefined, since: number): number => {
  const { at } = findDeadline(io, given)
  const longest = io.longestOutageMs ?? (given === undefined ? LONGEST_OUTAGE_MS : Infinity)
  return Math.min(at, since + longest)
}

/** Returns a signal that is aborted at a moment; at once where that has passed. */
export const alarmAt = (io: Io, at: number): AbortSignal => io.alarm(Math.max(0, at - io.now()))

/** Sets how long a run waits for answers to what it has sent: after its deadline, and after it was asked to stop. */
export const GRACE_MS = 700
export const STOPPED_GRACE_MS = 1500

/** Returns a signal that is aborted some time after another one. */
export const afterwards = (io: Io, signal: AbortSignal, milliseconds: number): AbortSignal => {
  const controller = new AbortController()
  const wait = (): void => {
    io.alarm(milliseconds).addEventListener('abort', () => controller.abort(), { once: true })
  }
  if (signal.aborted) wait()
  else signal.addEventListener('abort', wait, { once: true })
  return controller.signal
}

/** Reports that work ended because the deadline has passed. */
export class DeadlinePassed extends Aborted {
  constructor({ spelling }: Pick<Deadline, 'spelling'>, message: string) {
    super(`the deadline (${spelling}) has passed; ${message}`)
  }
}

/** Returns the error of work that a deadline ended: it says so. */
const afterDeadline = (error: unknown, spelling: string): unknown => {
  if (error instanceof DeadlinePassed) return error
  if (error instanceof IncompleteRun && error.exit === EXIT.workLeft)
    return new IncompleteRun(error.exit, error.code, [`the deadline (${spelling}) has passed`, ...error.lines])
  const isCut = error instanceof Aborted || (error instanceof KpiError && error.mayBeDone)
  return isCut ? new DeadlinePassed({ spelling }, error.message) : error
}

/** Returns the error of a request that was not waited for any longer, as somebody asked to stop. */
const afterInterruption = (error: unknown): unknown =>
  error instanceof KpiError && error.mayBeDone ? new Aborted(`interrupted; ${error.message}`) : error

/**
 * Does work until the deadline of a command line, or until it is asked to stop. After the deadline requests that only read
 * are cancelled at once, others a while later; the error is then an `Aborted` that names the deadline.
 */
export const untilDeadline = async <T>(
  io: Io,
  given: string | undefined,
  work: (stopping: AbortSignals) => Promise<T>,
  interruption: AbortSignal = io.watchedInterruption(),
): Promise<T> => {
  const { at, spelling } = findDeadline(io, given)
  const [alarm, late] = [alarmAt(io, at), alarmAt(io, at + GRACE_MS)]
  const signal = AbortSignal.any([alarm, interruption])
  try {
    return await work({ signal, late: AbortSignal.any([late, afterwards(io, interruption, STOPPED_GRACE_MS)]) })
  } catch (error) {
    if (alarm.aborted) throw afterDeadline(error, spelling)
    throw interruption.aborted ? afterInterruption(error) : error
  }
}

/** Reads a text, until it ends or the deadline has passed; `name` is for people. */
const readText = (
  io: Io,
  deadline: string | undefined,
  name: string,
  read: (signal: AbortSignal) => Promise<Buffer>,
): Promise<string> =>
  untilDeadline(io, deadline, async ({ signal }) => {
    try {
      return (await read(signal)).toString()
    } catch (error) {
      if (signal.aborted) throw new Aborted(`${name} had not ended; nothing was sent`)
      throw fileError(error, 'read', name)
    }
  })

/** Reads standard input as text, until it ends or the deadline has passed. */
export const readStdin = (io: Io, deadline: string | undefined): Promise<string> =>
  readText(io, deadline, 'standard input', (signal) => readStream(addAbortSignal(signal, io.stdin)))

/** Reads a file that the user named as text; a pipe until it ends or the deadline has passed. */
export const readNamedText = async (
  io: Io,
  deadline: string | undefined,
  path: string,
  name: string,
): Promise<string> => {
  if (isDevice(path)) return readText(io, deadline, name, (signal) => readSpecial(path, signal))
  try {
    return readRegularFile(path, { most: MOST_NAMED_BYTES }).toString()
  } catch (error) {
    throw fileError(error, 'read', name)
  }
}
