import type { Command, CommandUnknownOpts, OptionValues } from '@commander-js/extra-typings'
import type { Capability, Needs } from '../client/capabilities.ts'
import type { Client } from '../client/client.ts'
import type { AbortSignals } from '../client/http/http-transport.ts'
import type { Transport } from '../client/transport.ts'
import type { Day } from '../domain/day.ts'
import { type NumberSigns, PLAIN_SIGNS } from '../domain/number-pattern.ts'
import type { AnyRecord, NamedField, Printable } from '../domain/schema.ts'
import type { Variant } from '../domain/variants.ts'
import { findDeadline, outageEnd, untilDeadline } from './args/deadline.ts'
import { sheetForm } from './files/sheet-locale.ts'
import type { ExitCode } from './exit.ts'
import type { Io } from './io.ts'
import { createLog, type Log, type Note } from './output/log.ts'
import { numberSigns } from './output/number-signs.ts'
import { inTurns, isForPeople, type Printing, printRecord, printRecords } from './output/print.ts'
import { canAsk, findLogFormat, findSetting } from './target/find-setting.ts'
import { findReach, requireSettings } from './target/network.ts'
import { findFormat } from './target/output-format.ts'
import { findPlace, rejectStraySettings, rejectStrayStore } from './target/place.ts'
import type { BulkRun } from './target/rate-limiter.ts'
import { type Reach, requirePlace, withClientAt, withTransportAt } from './target/session.ts'
import { type GlobalFlags, SETTINGS } from './target/settings.ts'
import { findTrace } from './target/tracing.ts'

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

/**
 * Describes how a command sends many requests: `signal` stops it, beside the deadline. One that gives `late`, too, minds
 * the deadline itself.
 */
type Pacing = Partial<BulkRun> & { readonly late?: AbortSignal }

/** Marks a command of many requests, which keep to the rate limit. */
export const PACED: Pacing = {}

/** Describes what every command works with: the environment, the given flags, a client, and ways to report. */
export type Cli = {
  readonly io: Io
  readonly flags: GlobalFlags
  /** Runs work with a client; first refuses what `needs` names and the service's variant lacks. */
  readonly withClient: <T>(
    needs: Needs,
    work: (client: Client, signal: AbortSignal) => Promise<T>,
    /** Tells that the command makes many requests, which then keep to the rate limit. */
    bulk?: Pacing,
  ) => Promise<T>
  /** Runs work with the transport, for requests that no operation stands for. `variant` is for the embedded service. */
  readonly withTransport: <T>(variant: Variant, work: (transport: Transport) => Promise<T>, bulk?: Pacing) => Promise<T>
  /** Refuses what the service's variant lacks, for commands that ask or read something before they have a client. */
  readonly requireCapabilities: (needs: Needs) => void
  /** Returns the time of day in the user's time zone: `17:25:03`. */
  readonly timeOfDay: () => string
  /** Returns the current day in the user's time zone, and that zone. */
  readonly today: () => { readonly day: Day; readonly zone: string }
  readonly printing: () => Printing
  readonly printOne: (of: Pick<Printable, 'shown'>, record: AnyRecord) => Promise<void>
  readonly printMany: (
    columns: readonly NamedField[],
    records: readonly AnyRecord[],
    signal?: AbortSignal,
  ) => Promise<void>
  /** Writes notes and warnings, on standard error. */
  readonly log: Log
  /** Writes a note for people, unless `--quiet` is given. */
  readonly note: (text: Note) => Promise<void>
  /** Tells whether a person can be asked. */
  readonly canAsk: boolean
  /** Runs another command line in the same world, or in another; returns its exit code. */
  readonly run: (args: readonly string[], io?: Io) => Promise<ExitCode>
  /** Reads another command line in another world, as it would be run; undefined if it asks for help alone. */
  readonly read: (args: readonly string[], io: Io) => Promise<ReadLine | undefined>
}

/** Describes a command line that was read, and not run. */
export type ReadLine = {
  readonly command: CommandUnknownOpts
  /** Holds the flags of the line, those of every command included. */
  readonly flags: OptionValues & GlobalFlags
  /** Returns what the command would work with. */
  readonly cli: () => Cli
  /**
   * Refuses the line as the command would before it asks a service; `changed` are flags that it has otherwise. Returns what
   * it needs of the service; undefined where that is not known before it runs.
   */
  readonly check: (changed?: OptionValues) => Promise<readonly Capability[] | undefined>
}

/** Describes what is known of a command beside its action. */
type Ahead<Arguments, Flags> = {
  /** Lists the formats of files that -o may name beside those that are printed. */
  readonly fileFormats?: readonly string[]
  /** Reads the arguments and flags as the action does before it asks a service, and returns what it needs of that. */
  readonly checks?: (cli: Cli, args: Arguments, flags: Flags) => Promise<readonly Capability[]>
}

/**
 * Adds an action to a command. It runs with the arguments and flags that the command declares, typed as declared, and
 * resolves to the exit code, or to nothing when all went well.
 */
export type Act = <Arguments extends unknown[], Flags extends OptionValues>(
  command: Command<Arguments, Flags>,
  action: (cli: Cli, args: Arguments, flags: Flags) => Promise<ExitCode | void>,
  ahead?: Ahead<Arguments, Flags>,
) => void

/** Adds what a command, or a group of commands, can do. */
export type Register = (group: Command, act: Act) => void

/** Creates what a command works with from the flags of its line. */
export const createCli = (
  io: Io,
  flags: GlobalFlags,
  { run, read }: Pick<Cli, 'run' | 'read'>,
  fileFormats: readonly string[] = [],
): Cli => {
  // Check the formats before anything is done, so that a wrong one does not show up afterwards.
  const format = findFormat(io, flags, fileFormats)
  const sheet = flags.excel === undefined ? undefined : sheetForm(flags.excel)
  const log = createLog(io, findLogFormat(io, flags), flags.quiet === true)
  let signs: NumberSigns | undefined
  const printing = (): Printing => ({
    format,
    color: findSetting(io, flags, SETTINGS.color).value,
    sheet,
    // Only when used, as looking for the signs of a language takes a while.
    get signs() {
      return isForPeople(format) ? (signs ??= numberSigns(io)) : undefined
    },
    get readingSigns() {
      return isForPeople(format) ? (this.signs ?? PLAIN_SIGNS) : undefined
    },
  })
  const trace = findTrace(io, flags)
  let isTold = false
  const tellSettings = async (): Promise<void> => {
    if (!trace || isTold) return
    isTold = true
    const { tellSettings: tell } = await import('./commands/doctor/tell-settings.ts')
    await tell(cli, trace)
  }
  /** Refuses settings that a command on data cannot have. */
  const requireUse = (): void => {
    rejectStraySettings(io, flags)
    rejectStrayStore(io, flags)
    requireSettings(io, flags)
  }
  const giveUpAt = (since: number): number | undefined =>
    canAsk(io, flags) ? undefined : outageEnd(io, flags.deadline, since)
  const untilStopped = async <T>(
    bulk: Pacing | undefined,
    work: (reach: Reach & { readonly stopping: AbortSignals }, paced?: BulkRun) => Promise<T>,
  ): Promise<T> => {
    requireUse()
    await tellSettings()
    const begin = (stopping: AbortSignals): Promise<T> => {
      const tellWait = trace && ((text: string) => void trace.tell('wait', text))
      const note = (text: string): void => void log.note(text)
      const paced = bulk && { note, tellWait, giveUpAt, ...bulk, signal: stopping.signal }
      return work({ ...findReach(io, flags), deadline: findDeadline(io, flags.deadline), stopping }, paced)
    }
    const { signal, late } = bulk ?? {}
    return signal && late ? begin({ signal, late }) : untilDeadline(io, flags.deadline, begin, signal)
  }
  /** Does work; a step of a job then warns of a key that expires soon, whatever its command is: nobody watches. */
  const warningOfKey = async <T>(client: Client, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } finally {
      const key = io.isStep ? client.keyInfo() : undefined
      if (key) await (await import('./target/api-key.ts')).warnOfExpiry({ io, log }, key)
    }
  }
  const cli: Cli = {
    io,
    flags,
    withClient: (needs, work, bulk) =>
      untilStopped(bulk, (reach, paced) => {
        const { signal } = reach.stopping
        const counted = tellRounded(log, (client) => warningOfKey(client, () => work(client, signal)))
        return withClientAt(io, findPlace(io, flags), reach, needs, counted, paced)
      }),
    withTransport: (variant, work, bulk) =>
      untilStopped(bulk, (reach, paced) => withTransportAt(io, findPlace(io, flags), reach, variant, work, paced)),
    requireCapabilities: (needs) => {
      requireUse()
      requirePlace(io, findPlace(io, flags), needs)
    },
    timeOfDay: () => findSetting(io, flags, SETTINGS.timeZone).value.timeAt(io.now()),
    today: () => {
      const { value: zone } = findSetting(io, flags, SETTINGS.timeZone)
      return {
        day: zone.dayAt(io.begun ?? io.now()),
        get zone() {
          return zone.name
        },
      }
    },
    printing,
    printOne: (of, record) => printRecord(io, printing(), of, record),
    printMany: (columns, records, signal) =>
      printRecords(io, printing(), columns, signal ? inTurns(records, signal) : [records]),
    log,
    note: (text) => log.note(text),
    // Only when used: looking at standard input opens it, which takes some 5 ms.
    get canAsk() {
      return canAsk(io, flags)
    },
    run,
    read,
  }
  return cli
}
