import { realpathSync } from 'node:fs'
import { type Day, dayOfCivil } from '../../domain/day.ts'
import { Fault } from '../../domain/errors.ts'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'
import { profileSettings } from './profile-choice.ts'
import { projectOf } from './project.ts'
import type { GlobalFlags } from './settings.ts'

/** Describes a time zone: its name, and the day and the time of day there at a moment, in milliseconds since 1970. */
type TimeZone = {
  readonly name: string
  readonly dayAt: (nowMs: number) => Day
  readonly timeAt: (nowMs: number) => string
}

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
    return new Fault(`"${name}" is no time zone; write one such as Europe/Berlin or UTC`)
  }
}

/** Returns the time zone of the system, which need not have a name. */
const systemZone = ({ timeZone, offsetAt }: Io): TimeZone => ({
  // Only when used: finding the name loads the calendars of all languages, which takes some 30 ms.
  get name() {
    return timeZone()
  },
  dayAt: (nowMs) => Math.floor((nowMs + offsetAt(nowMs) * MINUTE_MS) / DAY_MS),
  timeAt: (nowMs) => new Date(nowMs + offsetAt(nowMs) * MINUTE_MS).toISOString().slice(11, 19),
})

const requireTimeZone = (source: string, name: string): TimeZone => {
  const zone = timeZoneNamed(name)
  if (zone instanceof Fault) throw new UsageError(`${source} ${zone.message}`)
  return zone
}

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
const zoneOfTz = (tz: string): TimeZone => {
  const text = tz.replace(/^:/, '')
  const zone = timeZoneNamed(text.startsWith('/') ? zoneOfFile(text) : text)
  if (!(zone instanceof Fault)) return zone
  const [, sign, hours, minutes = '00'] = POSIX_OFFSET.exec(text) ?? []
  const offset = hours === undefined ? undefined : `${sign === '-' ? '+' : '-'}${hours.padStart(2, '0')}:${minutes}`
  const distant = offset === undefined ? zone : timeZoneNamed(offset)
  if (!(distant instanceof Fault)) return distant
  const is = POSIX_RULE.test(text) ? 'is a POSIX rule, which is not understood' : 'is no time zone'
  throw new UsageError(`TZ "${tz}" ${is}; write one such as Europe/Berlin or UTC`)
}

/** Returns the time zone that `--time-zone`, the project file or the profile names; refuses one that is none. */
export const namedTimeZone = (io: Io, flags: GlobalFlags): TimeZone | undefined => {
  if (flags.timeZone !== undefined) return requireTimeZone('--time-zone', flags.timeZone)
  const { time_zone: ofProject } = projectOf(io)
  if (ofProject !== undefined) return requireTimeZone(`${io.project?.path}:`, ofProject)
  const { timeZone } = profileSettings(io, flags)
  return timeZone === undefined ? undefined : requireTimeZone("the profile's time zone", timeZone)
}

/** Finds the user's time zone: from `--time-zone`, the project file, the profile, TZ, or the system. */
export const findTimeZone = (io: Io, flags: GlobalFlags): TimeZone => {
  const named = namedTimeZone(io, flags)
  if (named) return named
  const { TZ: tz } = io.env
  // The system would take what it does not know for UTC, without a word; an empty TZ is UTC to it.
  return tz === undefined ? systemZone(io) : zoneOfTz(tz === '' ? 'UTC' : tz)
}
