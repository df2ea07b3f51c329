import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Client } from '../../../../client/client.ts'
import type { Waiting } from '../../../../client/transport.ts'
import type { ImportInput, VerificationOptions } from '../../../../loading/prepare/import-types.ts'
import type { Assignment } from '../../../../domain/resources/assignment.ts'
import { headerOf, type Table } from '../../../../tabular/source/table.ts'
import { optionsByFile } from '../../../../reading/columns/header.ts'
import type { ImportOptions } from '../../../../reading/options/options.ts'
import { isDevice } from '../../../../files/place.ts'
import { requirePlace } from '../../../../files/write-file.ts'
import { createRejectsFile, type RejectsFile } from '../../../../reading/rejects/rejects.ts'
import type { Restatements } from '../../../../reading/rows/restatements.ts'
import type { Cli } from '../../../cli.ts'
import { UsageError } from '../../../exit.ts'
import type { Io } from '../../../io.ts'
import { withClassic } from '../../../target/service-of.ts'
import { pipeSignal } from '../../../files/named-output.ts'
import { announcingClock } from '../../../output/wait-notices.ts'
import { findEarlierKpis } from './earlier-kpis.ts'
import { saveMapping } from './mapping.ts'
import type { ParsedOptions } from './parsed-options.ts'
import type { ProgressView } from './progress.ts'
import type { StopSignals } from './signals.ts'
import { type ImportSource, type OpenSource, openSources, rejectsOfStem } from './sources.ts'
import { parseVerification, readyReceipt } from './verified.ts'

/** Describes where a source lies, opened or not. */
type SourcePlace = Omit<ImportSource, 'open'>

/** Tells whether rejects would overwrite a file that is imported, whatever names the two are called by. */
const isSameFile = ({ cwd }: Io, rejects: string, { label, origin, stat }: SourcePlace): boolean => {
  const path = resolve(cwd, rejects)
  const [written, read] = [statSync(path, { throwIfNoEntry: false }), stat()]
  const isNamed = path === (origin ?? resolve(cwd, label))
  return isNamed || (written?.isFile() === true && written.ino === read?.ino && written.dev === read.dev)
}

const rejectsPathOf = (
  io: Io,
  sources: readonly SourcePlace[],
  source: SourcePlace,
  parsed: string | undefined,
): string => {
  if (parsed === '-') {
    throw new UsageError('--rejects - is no file, and standard output is for the summary; name a file')
  }
  const path = parsed ?? rejectsOfStem(source.stem)
  const read = sources.find((one) => isSameFile(io, path, one))
  if (read === source) throw new UsageError(`--rejects ${path} is the file that is imported; name another`)
  if (read !== undefined) {
    throw new UsageError(
      `${read.label} is where the rejects of ${source.label} go, so the two cannot be imported together; leave it out or rename it`,
    )
  }
  return path
}

/** Refuses two files that would overwrite each other's rejects. */
const requireDifferentPaths = ({ cwd }: Io, sources: readonly SourcePlace[], paths: readonly string[]): void => {
  const places = paths.map((path) => resolve(cwd, path))
  const again = places.findIndex((place, at) => places.indexOf(place) < at)
  if (again < 0) return
  const [first, second] = [sources[places.indexOf(places[again] ?? '')]?.label, sources[again]?.label]
  throw new UsageError(
    first === second
      ? `${first} is named twice; name it once`
      : `the rejects of ${first} and ${second} would both go to ${paths[again]}; import one file at a time`,
  )
}

/** Returns the rejects file of each file; refuses one that is itself imported, as its other rows would be lost. */
const findRejectsPaths = (io: Io, sources: readonly SourcePlace[], parsed: string | undefined): string[] => {
  const paths = sources.map((source) => rejectsPathOf(io, sources, source, parsed))
  requireDifferentPaths(io, sources, paths)
  return paths
}

/** Describes a file that is imported: opened, with a place for its rejects. */
export type Job = {
  /** Names the file as it was given, `-` for standard input. */
  readonly file: string
  /** Identifies it for a later run of the same command; undefined for a stream, which cannot be read again. */
  readonly origin: string | undefined
  /** Holds its path without the ending, and with its sheet where several are imported. */
  readonly stem: string
  readonly table: Table
  /** Holds what the flags say of this file. */
  readonly options: ImportOptions
  /** Marks the rows that later files of the run give again. */
  readonly restatements?: Restatements | undefined
  /** Names the rejects file for messages, relative to the working directory. */
  readonly rejectsPath: string
  /** Tells that the user named it. */
  readonly isRejectsNamed: boolean
  readonly verify: VerificationOptions | undefined
}

/** Describes where a source's rejects go, and what is verified of it. */
type JobPlace = Pick<Job, 'rejectsPath' | 'isRejectsNamed' | 'verify'>

/** Returns the places of what sources leave; refuses those that cannot be written. */
const placesOf = (
  cli: Cli,
  sources: readonly SourcePlace[],
  { rejects, verify, receipt }: ParsedOptions,
): readonly JobPlace[] => {
  const isRejectsNamed = rejects !== undefined
  return findRejectsPaths(cli.io, sources, rejects).map((rejectsPath, at) => {
    const source = sources[at]
    requirePlace(resolve(cli.io.cwd, rejectsPath), { isNamed: isRejectsNamed, flag: '--rejects FILE' })
    const verification = verify && source ? parseVerification(cli, source, rejectsPath, receipt) : undefined
    return { rejectsPath, isRejectsNamed, verify: verification }
  })
}

/** Returns what is imported, one for each table, with the flags of each. */
const jobsOf = async (cli: Cli, opened: readonly OpenSource[], parsed: ParsedOptions): Promise<Job[]> => {
  const { options, isDryRun, explain } = parsed
  const places = placesOf(cli, opened, parsed)
  const each =
    opened.length < 2
      ? [options]
      : optionsByFile(await Promise.all(opened.map(({ table }) => headerOf(table))), options)
  const jobs = opened.flatMap(({ label, origin, stem, table }, at): Job[] => {
    const place = places[at]
    return place ? [{ file: label, origin, stem, table, options: each[at] ?? options, ...place }] : []
  })
  if (isDryRun || explain) return jobs
  for (const { verify, table } of jobs) if (verify) await readyReceipt(cli, verify, table.name)
  return jobs
}

/** Opens all files and sheets before the first is imported, so that a wrong name is reported early. */
export const openJobs = async (
  cli: Cli,
  sources: readonly ImportSource[],
  parsed: ParsedOptions,
  { signal, withStopReason }: StopSignals,
): Promise<Job[]> => {
  // Refuse a wrong place before anything is read; sheets have others, which are known then.
  placesOf(cli, sources, parsed)
  let opened: readonly OpenSource[] = []
  try {
    opened = await openSources(cli, sources, parsed.reading, signal)
    return await jobsOf(cli, opened, parsed)
  } catch (error) {
    for (const { table } of opened) table.close()
    throw withStopReason(error)
  }
}

/** Creates the rejects file of a file. */
export const rejectsFileOf = (
  cli: Cli,
  { rejectsPath: name, isRejectsNamed: isNamed }: Job,
  onWarning: (warning: string) => void,
): RejectsFile => {
  const path = resolve(cli.io.cwd, name)
  if (!isNamed || !isDevice(path)) return createRejectsFile(path, name, onWarning)
  return createRejectsFile(path, name, onWarning, { isNamed, signal: pipeSignal(cli) })
}

/** Closes the files, and removes their temporary files. */
export const closeJobs = (jobs: readonly Job[]): void => {
  for (const { table, restatements } of jobs) {
    table.close()
    restatements?.close()
  }
}

/** Describes a run of the command: one or more files, one after another, through one client. */
export type CommandRun = {
  readonly cli: Cli
  readonly client: Client
  readonly parsed: ParsedOptions
  readonly stops: StopSignals
  readonly progress: ProgressView
  /** Holds the day that an earlier part of the run settled a word for; the files that follow get the same. */
  readonly settled: { date?: string }
  /** Remembers the assignments of users, which the files have in common. */
  readonly assignments: Map<number, readonly Assignment[]>
  /** Holds by their fingerprints the files that were read, of which several may be equal. */
  readonly equalFiles: Map<string, Table[]>
  /** Names the receipts that the command has written. */
  readonly receipts: string[]
  /** Removes the journals of finished imports, once no command can continue them any more. */
  readonly finished: (() => void)[]
}

/** Returns why the import is waiting when the service cannot be reached, or fails. */
const pauseOf =
  ({ io }: Cli, { waiting }: Client) =>
  (milliseconds: number): Waiting | undefined => {
    const waits = waiting()
    const isOutage = waits?.reason === 'unreachable' || waits?.reason === 'failing'
    return isOutage ? { reason: waits.reason, until: io.now() + milliseconds } : undefined
  }

/** Begins with a file; returns what importing it needs. */
export const beginRun = (run: CommandRun, { file, table, options, restatements }: Job): ImportInput => {
  const { cli, client, parsed, stops, progress, settled, assignments, equalFiles } = run
  progress.begin(parsed.isSeveral ? file : undefined)
  // Name the file in notes on a column, unless they do.
  const ofFile = (text: string): string =>
    parsed.isSeveral && !text.startsWith(table.name) ? `${table.name}: ${text}` : text
  return {
    client,
    table,
    options: { ...options, ...settled },
    restatements,
    equalFiles,
    clock: announcingClock(cli.io, pauseOf(cli, client), progress.waits),
    folder: cli.io.tempDir,
    signal: stops.signal(),
    rate: parsed.rate,
    assignments,
    groups: () => withClassic(cli, client, async (classic) => classic?.groups.list()),
    earlierKpis: () => findEarlierKpis(run, file),
    onProgress: (step) => {
      cli.io.limitMemory()
      progress.show(step)
    },
    onNote: (text) => progress.note(ofFile(text)),
    onWarning: (text) => progress.warn(ofFile(text)),
    onChecked: ({ plan, formats }) => saveMapping(cli, parsed, { plan, formats, reading: table.reading }),
  }
}
