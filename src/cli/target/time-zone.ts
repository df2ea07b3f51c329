import { realpathSync } from 'node:fs'
import { type Day, dayOfCivil } from '../../domain/day.ts'
import { Fault } from '../../domain/errors.ts'
import { settingFault } from '../args/setting-fault.ts'
import type { Io } from '../io.ts'

/** Describes a time zone: its name, and the day and the time of day there at a moment, in milliseconds since 1970. */
export type TimeZone = {
  readonly name: string
  readonly dayAt: (nowMs: number) => Day
  readonly timeAt: (nowMs: number) => string
}

const SUCH_AS = 'write one such as Europe/Berlin or UTC'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const dayBy = (format: Intl.DateTimeFormat, nowMs: number): Day => {
  const parts = new Map(format.formatToParts(nowMs).map(({ type, value }) => [type, Number(value)]))
  return dayOfCivil(parts.get('year') ?? NaN, parts.get('month') ?? NaN, parts.get('day') ?? NaN)
}

/** Finds a time zone by its name, such as `Europe/Berlin`, `UTC` or `+05:30`. */
export const timeZoneNamed = (name: string): TimeZone | Fault => {
  try {
    const parts = { year: 'numeric', month: 'numeric', day: 'numeric' } as const
    const format = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', { ...parts, timeZone: name })
    return {
      name: format.resolvedOptions().timeZone,
      dayAt: (nowMs) => dayBy(format, nowMs),
      timeAt: (nowMs) =>
        new Intl.DateTimeFormat('en-u-nu-latn', { timeStyle: 'medium', hourCycle: 'h23', timeZone: name }).format(
          nowMs,
        ),
    }
  } catch {
    return Fault.is(`no time zone; ${SUCH_AS}`)
  }
}

/** Returns the time zone of the system, which need not have a name. */
const zoneOfSystem = ({ timeZone, offsetAt }: Io): TimeZone => ({
  // Only when used: finding the name loads the calendars of all languages, which takes some 30 ms.
  get name() {
    return timeZone()
  },
  dayAt: (nowMs) => Math.floor((nowMs + offsetAt(nowMs) * MINUTE_MS) / DAY_MS),
  timeAt: (nowMs) => new Date(nowMs + offsetAt(nowMs) * MINUTE_MS).toISOString().slice(11, 19),
})

/** Matches a POSIX rule without summer time, such as `MST7` or `<+0530>-5:30`: its hours count from there to UTC. */
const POSIX_OFFSET = /^(?:[A-Za-z]{3,}|<[\w+-]{3,}>)([+-]?)(\d{1,2})(?::([0-5]\d))?$/

/** Matches any other POSIX rule, such as `CET-1CEST`. */
const POSIX_RULE = /^(?:[A-Za-z]{3,}|<[\w+-]{3,}>)[+-]?\d/

/** Returns the name of the time zone that a file of the system's database holds. */
const zoneOfFile = (path: string): string => {
  try {
    const [, name = path] = /\/zoneinfo\/(?:posix\/|right\/)?(.+)$/.exec(realpathSync(path)) ?? []
    return name
  } catch {
    return path
  }
}

/** Finds the time zone that TZ means: by its name, its file, or how far it is from UTC. */
const zoneOfTz = (tz: string): TimeZone | Fault => {
  const text = tz.replace(/^:/, '')
  const zone = timeZoneNamed(text.startsWith('/') ? zoneOfFile(text) : text)
  if (!(zone instanceof Fault)) return zone
  const [, sign, hours, minutes = '00'] = POSIX_OFFSET.exec(text) ?? []
  if (hours !== undefined) {
    const distant = timeZoneNamed(`${sign === '-' ? '+' : '-'}${hours.padStart(2, '0')}:${minutes}`)
    if (!(distant instanceof Fault)) return distant
  }
  return POSIX_RULE.test(text) ? Fault.is(`a POSIX rule, which is not understood; ${SUCH_AS}`) : zone
}

/** Returns the time zone of TZ, or of the system, and what set it; refuses a TZ that is none. */
export const systemTimeZone = (io: Io): { readonly value: TimeZone; readonly from: string } => {
  const { TZ: tz } = io.env
  if (tz === undefined) return { value: zoneOfSystem(io), from: 'default' }
  // The system would take what it does not know for UTC, without a word; an empty TZ is UTC to it.
  const zone = zoneOfTz(tz === '' ? 'UTC' : tz)
  if (zone instanceof Fault) throw settingFault('TZ', tz, zone)
  return { value: zone, from: tz === '' ? 'default' : 'TZ' }
}
