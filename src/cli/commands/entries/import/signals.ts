import { Stopped } from '../../../../client/transport.ts'
import { KpiError } from '../../../../domain/errors.ts'
import { UsageError } from '../../../exit.ts'
import type { Io } from '../../../io.ts'

/** When a run ends, done or not. */
export type Deadline = {
  /** Milliseconds since 1970. */
  readonly at: number
  /** As people say it. */
  readonly said: string
}

/** Long enough for any night, and no run goes on for ever. */
const USUAL = '24h'
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 }
/** What a timer can wait. */
const LONGEST_MS = 24 * 24 * 3_600_000

/** The next moment at which clocks here show a time. */
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

/** A deadline as it is given: `06:30`, the next time that clocks here show that, or `30m`, `2h` from now. */
export const readDeadline = (given: string | undefined, now: number): Deadline => {
  const said = (given ?? USUAL).trim()
  const at = momentOf(said, now)
  if (at !== undefined) return { at, said }
  throw new UsageError(`--deadline ${said} is neither a time of day nor a time from now; write 06:30, 30m or 2h`)
}

/** What asks a run to stop: somebody, or its deadline. */
export type Stops = {
  /** Is aborted then; from the first call on Ctrl-C asks to stop, instead of ending the process. */
  readonly signal: () => AbortSignal
  /** Is aborted a while after the deadline, when no answer is waited for any longer. */
  readonly late: AbortSignal
  /** Says of a stop what those cannot know who did not ask for it. */
  readonly explain: (text: string) => string
  /** An error with that, where it tells of a stop, or of what nobody waited for any longer. */
  readonly told: (error: unknown) => unknown
}

/** So long after its deadline a run waits for the answers to what it has sent. */
const GRACE_MS = 5000

const when = (signal: AbortSignal, act: () => void): void => {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act, { once: true })
}

/** Watches for whatever asks a run to stop. */
export const watchStops = (io: Io, { at, said }: Deadline): Stops => {
  const [controller, late] = [new AbortController(), new AbortController()]
  let isLate = false
  when(io.alarm(at - io.now()), () => {
    isLate = !controller.signal.aborted
    controller.abort()
    when(io.alarm(GRACE_MS), () => late.abort())
  })
  let isWatching = false
  const explain = (text: string): string => (isLate ? `the deadline, ${said}, has come; ${text}` : text)
  return {
    signal: () => {
      if (!isWatching) when(io.interruption(), () => controller.abort())
      isWatching = true
      return controller.signal
    },
    late: late.signal,
    explain,
    told: (error) => {
      if (error instanceof Stopped) return new Stopped(explain(error.message))
      const isCut = controller.signal.aborted && error instanceof KpiError && error.mayBeDone
      return isCut ? new Stopped(explain(`${error.message}; run the same command to continue`)) : error
    },
  }
}
