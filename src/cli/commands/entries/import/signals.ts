import { Aborted } from '../../../../client/transport.ts'
import { KpiError } from '../../../../domain/errors.ts'
import { UsageError } from '../../../exit.ts'
import type { Io } from '../../../io.ts'

/** Describes when a run ends, done or not. */
export type Deadline = {
  /** Holds milliseconds since 1970. */
  readonly at: number
  /** Holds the deadline as people say it. */
  readonly spelling: string
}

/** Holds the default deadline: long enough for any night, so that no run goes on for ever. */
const USUAL = '24h'
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

const momentOf = (text: string, now: number): number | undefined => {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  if (hours !== undefined) return nextAt(Number(hours), Number(minutes), now)
  const [, count, unit = ''] = /^(\d{1,7})([smh])$/.exec(text) ?? []
  const length = Number(count) * (UNITS[unit] ?? NaN)
  return length > 0 && length <= LONGEST_MS ? now + length : undefined
}

/** Returns a deadline: `06:30` is the next time that local clocks show that, `30m` and `2h` count from now. */
export const readDeadline = (given: string | undefined, now: number): Deadline => {
  const spelling = (given ?? USUAL).trim()
  const at = momentOf(spelling, now)
  if (at !== undefined) return { at, spelling }
  throw new UsageError(`--deadline ${spelling} is neither a time of day nor a time from now; write 06:30, 30m or 2h`)
}

/** Describes what stops a run: the user, or its deadline. */
export type StopSignals = {
  /** Is aborted then. Once it is read, Ctrl-C asks to stop instead of ending the process. */
  readonly signal: () => AbortSignal
  /** Is aborted a while after the deadline, when no answer is waited for any longer. */
  readonly late: AbortSignal
  /** Says of a stop what those cannot know who did not ask for it. */
  readonly explain: (text: string) => string
  /** Returns an error with the reason for the stop, where it comes from one. */
  readonly withStopReason: (error: unknown) => unknown
}

/** Sets how long a run waits after its deadline for answers to what it has sent. */
const GRACE_MS = 5000

const when = (signal: AbortSignal, act: () => void): void => {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act, { once: true })
}

/** Watches for whatever asks a run to stop. */
export const watchStopSignals = (io: Io, { at, spelling }: Deadline): StopSignals => {
  const [controller, late] = [new AbortController(), new AbortController()]
  let isLate = false
  when(io.alarm(at - io.now()), () => {
    isLate = !controller.signal.aborted
    controller.abort()
    when(io.alarm(GRACE_MS), () => late.abort())
  })
  let isWatching = false
  const explain = (text: string): string => (isLate ? `the deadline (${spelling}) has passed; ${text}` : text)
  return {
    signal: () => {
      if (!isWatching) when(io.interruption(), () => controller.abort())
      isWatching = true
      return controller.signal
    },
    late: late.signal,
    explain,
    withStopReason: (error) => {
      if (error instanceof Aborted) return new Aborted(explain(error.message))
      const isCut = controller.signal.aborted && error instanceof KpiError && error.mayBeDone
      return isCut ? new Aborted(explain(`${error.message}; run the same command to continue`)) : error
    },
  }
}
