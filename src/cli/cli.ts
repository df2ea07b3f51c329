import type { Command, OptionValues } from '@commander-js/extra-typings'
import type { Needs } from '../client/capabilities.ts'
import type { Client } from '../client/client.ts'
import type { Day } from '../domain/day.ts'
import type { AnyRecord, NamedField, Resource } from '../domain/schema.ts'
import type { Io } from './io.ts'
import { createLog, type Log } from './output/log.ts'
import { type Printing, printRecord, printRecords } from './output/print.ts'
import type { BulkRun } from './target/rate-limiter.ts'
import { requireCapabilities, withClientAt } from './target/session.ts'
import {
  canAsk,
  findFormat,
  findLogFormat,
  findPlace,
  findTimeout,
  type GlobalFlags,
  rejectStrayCredentials,
  wantsColor,
} from './target/settings.ts'
import { findTimeZone } from './target/time-zone.ts'

/** Runs the work, then notes how many values were rounded as they were read. */
const tellRounded =
  <T>(log: Log, work: (client: Client) => Promise<T>) =>
  async (client: Client): Promise<T> => {
    const done = await work(client)
    const count = client.rounded()
    const were = count === 1 ? 'value of the service had' : 'values of the service had'
    if (count > 0) await log.note(`${count} ${were} more than four decimals; read as rounded to four`)
    return done
  }

/** Describes what every command works with: the environment, the given flags, a client, and ways to report. */
export type Cli = {
  readonly io: Io
  readonly flags: GlobalFlags
  /** Runs work with a client; first refuses what `needs` names and the service's variant lacks. */
  readonly withClient: <T>(
    needs: Needs,
    work: (client: Client) => Promise<T>,
    /** Tells that the command makes many requests, which then keep to the rate limit. */
    bulk?: Partial<BulkRun>,
  ) => Promise<T>
  /** Refuses what the service's variant lacks, for commands that ask or read something before they have a client. */
  readonly requireCapabilities: (needs: Needs) => void
  /** Returns the time of day in the user's time zone: `17:25:03`. */
  readonly timeOfDay: () => string
  /** Returns the current day in the user's time zone, and that zone. */
  readonly today: () => { readonly day: Day; readonly zone: string }
  readonly printing: () => Printing
  readonly printOne: (of: Pick<Resource, 'shown'>, record: AnyRecord) => Promise<void>
  readonly printMany: (columns: readonly NamedField[], records: readonly AnyRecord[]) => Promise<void>
  /** Writes notes and warnings, on standard error. */
  readonly log: Log
  /** Writes a note for people, unless `--quiet` is given. */
  readonly note: (text: string) => Promise<void>
  /** Tells whether a person can be asked. */
  readonly canAsk: boolean
  /** Runs another command line with the same streams and environment; returns its exit code. */
  readonly run: (args: readonly string[]) => Promise<number>
}

/**
 * Adds an action to a command. It runs with the arguments and flags that the command declares, typed as declared, and
 * resolves to the exit code, or to nothing when all went well.
 */
export type Act = <Arguments extends unknown[], Flags extends OptionValues>(
  command: Command<Arguments, Flags>,
  action: (cli: Cli, args: Arguments, flags: Flags) => Promise<number | void>,
  /** Lists the formats of files that -o may name beside those that are printed. */
  fileFormats?: readonly string[],
) => void

/** Adds what a command, or a group of commands, can do. */
export type Register = (group: Command, act: Act) => void

/** Creates what a command works with from the flags of its line. */
export const createCli = (io: Io, flags: GlobalFlags, run: Cli['run'], fileFormats: readonly string[] = []): Cli => {
  // Check the formats before anything is done, so that a wrong one does not show up afterwards.
  const format = findFormat(io, flags, fileFormats)
  const log = createLog(io, findLogFormat(flags), flags.quiet === true)
  const printing = (): Printing => ({ format, color: wantsColor(io, flags) })
  return {
    io,
    flags,
    withClient: async (needs, work, bulk) => {
      rejectStrayCredentials(io, flags)
      const signal = bulk?.signal ?? new AbortController().signal
      const noted = bulk && { note: (text: string) => void log.note(text), ...bulk, signal }
      return withClientAt(io, findPlace(io, flags), findTimeout(flags), needs, tellRounded(log, work), noted)
    },
    requireCapabilities: (needs) => {
      rejectStrayCredentials(io, flags)
      requireCapabilities(findPlace(io, flags), needs)
    },
    timeOfDay: () => findTimeZone(io, flags).timeAt(io.now()),
    today: () => {
      const zone = findTimeZone(io, flags)
      return {
        day: zone.dayAt(io.now()),
        get zone() {
          return zone.name
        },
      }
    },
    printing,
    printOne: (of, record) => printRecord(io, printing(), of, record),
    printMany: (columns, records) => printRecords(io, printing(), columns, [records]),
    log,
    note: (text) => log.note(text),
    // Only when used: looking at standard input opens it, which takes some 5 ms.
    get canAsk() {
      return canAsk(io, flags)
    },
    run,
  }
}
