import { once } from 'node:events'
import { createReadStream, fstatSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import type { Client } from '../../../../client/client.ts'
import type { Waiting } from '../../../../client/transport.ts'
import type { ImportInput } from '../../../../import/import-types.ts'
import { fileError, fileSource, isDevice, type RereadableFile } from '../../../../import/parse/files.ts'
import { openTable, type Table } from '../../../../import/parse/table.ts'
import { spoolSource } from '../../../../import/spool.ts'
import type { VerificationOptions } from '../../../../import/verify/verified.ts'
import type { Cli } from '../../../cli.ts'
import { UsageError } from '../../../exit.ts'
import type { Io } from '../../../io.ts'
import { announcingClock } from '../../../output/wait-notices.ts'
import { saveMapping } from './mapping.ts'
import type { ParsedOptions } from './parsed-options.ts'
import type { ProgressView } from './progress.ts'
import type { StopSignals } from './signals.ts'
import { parseVerification } from './verified.ts'

/** Returns `data.rejects.csv` for `data.csv` or `data.csv.gz`, beside it; in the working directory for a stream. */
const usualPath = ({ cwd }: Io, file: string): string => {
  if (file === '-' || isDevice(resolve(cwd, file))) return 'stdin.rejects.csv'
  const plain = file.replace(/\.gz$/i, '')
  return join(dirname(plain), `${basename(plain, extname(plain))}.rejects.csv`)
}

/** Returns the file behind a stream, where the system tells. */
const statOfStream = (stream: Readable): Stats | undefined =>
  'fd' in stream && typeof stream.fd === 'number' ? fstatSync(stream.fd) : undefined

/** Tells whether rejects would overwrite a file that is imported, whatever names the two are called by. */
const isSameFile = ({ cwd, stdin }: Io, rejects: string, file: string): boolean => {
  const [one, other] = [resolve(cwd, rejects), resolve(cwd, file)]
  const written = statSync(one, { throwIfNoEntry: false })
  const read = file === '-' ? statOfStream(stdin) : statSync(other, { throwIfNoEntry: false })
  return one === other || (written?.isFile() === true && written.ino === read?.ino && written.dev === read.dev)
}

const rejectsPathOf = (io: Io, files: readonly string[], file: string, parsed: string | undefined): string => {
  const path = parsed ?? usualPath(io, file)
  const read = files.find((one) => isSameFile(io, path, one))
  if (read === file) throw new UsageError(`--rejects ${path} is the file that is imported; name another`)
  if (read !== undefined) {
    throw new UsageError(
      `${read} is where the rejects of ${file} go, so the two cannot be imported together; leave it out or rename it`,
    )
  }
  return path
}

/** Refuses two files that would overwrite each other's rejects. */
const requireDifferentPaths = ({ cwd }: Io, files: readonly string[], paths: readonly string[]): void => {
  const places = paths.map((path) => resolve(cwd, path))
  const again = places.findIndex((place, at) => places.indexOf(place) < at)
  if (again < 0) return
  const [first, second] = [files[places.indexOf(places[again] ?? '')], files[again]]
  throw new UsageError(
    first === second
      ? `${first} is named twice; name it once`
      : `the rejects of ${first} and ${second} would both go to ${paths[again]}; import one file at a time`,
  )
}

/** Returns the rejects file of each file; refuses one that is itself imported, as its other rows would be lost. */
const findRejectsPaths = (io: Io, files: readonly string[], parsed: string | undefined): string[] => {
  const paths = files.map((file) => rejectsPathOf(io, files, file, parsed))
  requireDifferentPaths(io, files, paths)
  return paths
}

/**
 * Opens a pipe, waiting until somebody writes to it. Only the end of the process ends that wait, so signals are caught
 * afterwards.
 */
const openPipe = async (path: string, name: string): Promise<Readable> => {
  const stream = createReadStream(path)
  await once(stream, 'open').catch((error: unknown) => {
    throw fileError(error, 'read', name)
  })
  return stream
}

/** Opens what an argument names: a file, a pipe, or `-` for standard input. */
const openSource = async ({ io, note }: Cli, file: string, signal: () => AbortSignal): Promise<RereadableFile> => {
  const path = resolve(io.cwd, file)
  if (file !== '-' && !isDevice(path)) return fileSource(path, file)
  if (file === '-' && io.stdinIsTerminal) await note('reading rows from the terminal; end them with Ctrl-D')
  if (file === '-') return spoolSource(io.stdin, io.tempDir, 'standard input', signal())
  return spoolSource(await openPipe(path, file), io.tempDir, file, signal())
}

/** Describes a file that is imported: opened, with a place for its rejects. */
export type Job = {
  /** Names the file as it was given, `-` for standard input. */
  readonly file: string
  readonly table: Table
  /** Names the rejects file for messages, relative to the working directory. */
  readonly rejectsPath: string
  readonly verify: VerificationOptions | undefined
}

/** Opens all files before the first is imported, so that a wrong name is reported early. */
export const openJobs = async (
  cli: Cli,
  files: readonly string[],
  { rejects, reading, verify, receipt }: ParsedOptions,
  { signal, withStopReason }: StopSignals,
): Promise<Job[]> => {
  const paths = findRejectsPaths(cli.io, files, rejects)
  const verifying = files.map((file, at) =>
    verify ? parseVerification(cli, file, paths[at] ?? '', receipt) : undefined,
  )
  const jobs: Job[] = []
  try {
    for (const [at, file] of files.entries()) {
      const table = await openTable(await openSource(cli, file, signal), reading)
      jobs.push({ file, table, rejectsPath: paths[at] ?? '', verify: verifying[at] })
    }
    return jobs
  } catch (error) {
    closeJobs(jobs)
    throw withStopReason(error)
  }
}

/** Closes the files, and removes their temporary files. */
export const closeJobs = (jobs: readonly Job[]): void => {
  for (const { table } of jobs) table.close()
}

/** Describes a run of the command: one or more files, one after another, through one client. */
export type CommandRun = {
  readonly cli: Cli
  readonly client: Client
  readonly parsed: ParsedOptions
  readonly stops: StopSignals
  readonly progress: ProgressView
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
export const beginRun = ({ cli, client, parsed, stops, progress }: CommandRun, { file, table }: Job): ImportInput => {
  progress.begin(parsed.isSeveral ? file : undefined)
  // Name the file in notes on a column, unless they do.
  const ofFile = (text: string): string =>
    parsed.isSeveral && !text.startsWith(table.name) ? `${table.name}: ${text}` : text
  return {
    client,
    table,
    options: parsed.options,
    clock: announcingClock(cli.io, pauseOf(cli, client), progress.waits),
    folder: cli.io.tempDir,
    signal: stops.signal(),
    onProgress: (step) => {
      cli.io.limitMemory()
      progress.show(step)
    },
    onNote: (text) => progress.note(ofFile(text)),
    onWarning: (text) => progress.warn(ofFile(text)),
    onChecked: ({ plan, formats }) => saveMapping(cli, parsed, { plan, formats, reading: table.reading }),
  }
}
