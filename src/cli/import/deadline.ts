import { UsageError } from '../exit.ts'

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
