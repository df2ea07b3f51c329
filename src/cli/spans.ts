import { type Instant, parseDay, parseInstant } from '../domain/day.ts'
import { Fault } from '../domain/errors.ts'

const SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400 }

/** A span of time in seconds: `90d`, `12h`, `30m`, or `0`; undefined for any other text. */
export const secondsOf = (text: string): number | undefined => {
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text.trim()) ?? []
  if (count === undefined) return text.trim() === '0' ? 0 : undefined
  return Number(count) * (SECONDS[unit] ?? NaN)
}

/** When something ends: after a span, at the start of a date or at a time, in UTC; `never` is null. */
export const endOf = (text: string, now: Instant): Instant | null | Fault => {
  const word = text.trim()
  if (word === 'never') return null
  const seconds = secondsOf(word)
  if (seconds !== undefined) return now + seconds
  const day = parseDay(word)
  const end = day === undefined ? parseInstant(word) : day * 86_400
  return end ?? new Fault('is no time to come; write 90d, 12h, 2027-03-31 or never')
}
