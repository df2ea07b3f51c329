import { createReadStream, existsSync, fstatSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import type { Client } from '../../client/client.ts'
import type { KpiError } from '../../domain/errors.ts'
import type { AnyRecord } from '../../domain/schema.ts'
import { fileSource, isDevice, type Source, spoolSource } from '../../load/files.ts'
import { type Ending, importFile } from '../../load/load.ts'
import { type Import, withPrepared } from '../../load/prepare.ts'
import { type Rehearsed, rehearse } from '../../load/rehearse.ts'
import type { Summary } from '../../load/summary.ts'
import { openTable } from '../../load/table.ts'
import type { Cli } from '../cli.ts'
import { countOf } from '../count-of.ts'
import { todayAt } from '../day-words.ts'
import { EXIT, exitCodes, Unfinished, UsageError } from '../exit.ts'
import type { FlagValues } from '../flags.ts'
import { warnOfEnd } from '../key-end.ts'
import { printRecords } from '../output/print.ts'
import { importOptions } from './options.ts'
import { needsOfFile, needsOfFlags } from './needs.ts'
import { importSummary, newerRehearsalRow, rehearsalRecord, rehearsalRow } from './output.ts'
import { createProgress, type ProgressView } from './progress.ts'

/** `data.rejects.csv` for `data.csv`, beside it; in the working directory for what is no file. */
const rejectsPathOf = ({ io }: Cli, file: string): string =>
  file === '-' || isDevice(resolve(io.cwd, file))
    ? 'stdin.rejects.csv'
    : join(dirname(file), `${basename(file, extname(file))}.rejects.csv`)

/** What a stream reads from, where that is known. */
const statOfStream = (stream: Readable): Stats | undefined =>
  'fd' in stream && typeof stream.fd === 'number' ? fstatSync(stream.fd) : undefined

/** Whether rejects would go into the file that is read, by whatever names the two are called. */
const isSameFile = ({ io }: Cli, rejects: string, file: string): boolean => {
  const [one, other] = [resolve(io.cwd, rejects), resolve(io.cwd, file)]
  const written = statSync(one, { throwIfNoEntry: false })
  const read = file === '-' ? statOfStream(io.stdin) : statSync(other, { throwIfNoEntry: false })
  return one === other || (written?.isFile() === true && written.ino === read?.ino && written.dev === read.dev)
}

/** Where the rejects go; never to the file itself, whose other rows would be lost. */
const findRejectsPath = (cli: Cli, file: string, asked: unknown): string => {
  const path = typeof asked === 'string' ? asked : rejectsPathOf(cli, file)
  if (isSameFile(cli, path, file)) {
    throw new UsageError(`--rejects ${path} is the file that is imported; name another`)
  }
  return path
}

const openSource = async ({ io, note }: Cli, file: string): Promise<Source> => {
  const path = resolve(io.cwd, file)
  if (file !== '-' && !isDevice(path)) return fileSource(path, file)
  if (file === '-' && io.stdinIsTerminal) await note('reading rows from the terminal; end them with Ctrl-D')
  const spool = join(io.tempDir, `kpi-stdin-${Buffer.from(io.random(6)).toString('hex')}`)
  // Opening a pipe that nobody writes to cannot be stopped but by ending the process, so that no signal is caught there.
  return file === '-'
    ? spoolSource(io.stdin, spool, 'standard input', io.interruption())
    : spoolSource(createReadStream(path), spool, file)
}

async function* asRecords(chunks: AsyncIterable<readonly Rehearsed[]>): AsyncGenerator<readonly AnyRecord[]> {
  for await (const rows of chunks) yield rows.map(rehearsalRecord)
}

const summaryRecord = (cli: Cli, client: Client, startedAt: number, summary: Summary, left: number): AnyRecord => ({
  ...summary,
  unchecked: summary.unchecked === '' ? null : summary.unchecked,
  left,
  requests: client.requests(),
  refused: client.traffic().refused,
  waited: BigInt(Math.round(client.traffic().waitedMs / 100)) * 1000n,
  seconds: BigInt(Math.round((cli.io.now() - startedAt) / 100)) * 1000n,
})

/** What a dry run came to; `unread` is what could not be read, so that it cannot be told what would become of entries. */
const shortSummary = (summary: Summary, unread: string): string => {
  const { created, updated, unchanged, unknown, rejected, rounded, empty, assigned, unchecked } = summary
  return (
    `dry run, nothing was sent: ${created} to create, ${updated} to update, ${unchanged} unchanged, ` +
    (unknown > 0 ? `${unknown} to send as ${unread} cannot be read, ` : '') +
    `${countOf(rejected, 'row')} to reject` +
    (rounded > 0 ? `, ${countOf(rounded, 'value')} to round` : '') +
    (empty > 0 ? `, ${empty} empty` : '') +
    (assigned > 0 ? `, ${countOf(assigned, 'assignment')} to create` : '') +
    (unchecked === '' ? '' : `; not checked: ${unchecked}`)
  )
}

const rejectedSummary = (rejected: number, path: string): string =>
  `${countOf(rejected, 'row was', 'rows were')} rejected; ${rejected === 1 ? 'it is' : 'they are'} in ${path} with the reasons`

const dryRun = (cli: Cli, work: Import, progress: ProgressView): Promise<number> =>
  withPrepared(work, async (prepared) => {
    progress.stop()
    const row = work.client.variant === 'classic' ? rehearsalRow : newerRehearsalRow
    const rows = asRecords(rehearse(prepared))
    await printRecords(cli.io, cli.printing(), row.shown, rows)
    const unread = prepared.reference.unchecked.has('entries') ? 'what is there' : 'the KPIs, which may have targets,'
    await cli.note(shortSummary(prepared.summary, unread))
    return prepared.summary.rejected > 0 ? EXIT.partial : EXIT.done
  })

/** What ends a run that is not a matter of time: the same command goes on once that is mended. */
const isRefusal = (failure: KpiError | undefined): failure is KpiError =>
  failure !== undefined && exitCodes[failure.code] !== EXIT.unreachable

/** Ends a run: with nothing left to say, or with what was rejected and what is left to do. */
const conclude = async (cli: Cli, { summary, left, failure }: Ending, rejectsPath: string): Promise<void> => {
  const { rejected } = summary
  if (rejected === 0 && existsSync(resolve(cli.io.cwd, rejectsPath))) {
    await cli.note(`nothing was rejected; ${rejectsPath} is that of an earlier run`)
  }
  const said = [
    ...(rejected > 0 ? [rejectedSummary(rejected, rejectsPath)] : []),
    ...(failure ? [failure.message] : []),
    ...(left > 0 ? [`stopped with ${countOf(left, 'entry', 'entries')} left; run the same command to continue`] : []),
  ]
  if (isRefusal(failure)) throw new Unfinished(exitCodes[failure.code], failure.code, said)
  if (left > 0) throw new Unfinished(EXIT.workLeft, 'work_left', said)
  if (rejected > 0) throw new Unfinished(EXIT.partial, 'rejected', said)
}

/** A run under way. */
type Run = { readonly progress: ProgressView; readonly startedAt: number }

/** Loads the file, then says what became of it. */
const load = async (cli: Cli, work: Import, rejectsPath: string, run: Run): Promise<void> => {
  const { progress, startedAt } = run
  const ending = await importFile({
    ...work,
    rejectsPath: resolve(cli.io.cwd, rejectsPath),
    journal: undefined,
    verify: undefined,
  })
  progress.stop()
  await cli.printOne(importSummary, summaryRecord(cli, work.client, startedAt, ending.summary, ending.left))
  return conclude(cli, ending, rejectsPath)
}

/** `kpi entries import`: reads, checks and sends a file, or only says what that would do. */
export const runImport = async (cli: Cli, file: string, flags: FlagValues): Promise<number | void> => {
  const options = importOptions(flags, todayAt(cli.io.now()))
  const rejectsPath = findRejectsPath(cli, file, flags['rejects'])
  cli.printing()
  cli.mustHave(needsOfFlags(options))
  const table = await openTable(await openSource(cli, file))
  const progress = await createProgress(cli)
  const run: Run = { progress, startedAt: cli.io.now() }
  const withClient = async (client: Client): Promise<number | void> => {
    const work: Import = {
      client,
      table,
      options,
      clock: cli.io,
      folder: cli.io.tempDir,
      signal: cli.io.interruption(),
      onProgress: (step) => {
        cli.io.limitMemory()
        progress.show(step)
      },
      onNote: (text) => void cli.note(text),
    }
    try {
      return await (flags['dryRun'] === true ? dryRun(cli, work, progress) : load(cli, work, rejectsPath, run))
    } finally {
      progress.stop()
      await warnOfEnd(cli.io, client.keySaid())
    }
  }
  try {
    return await cli.withClient(await needsOfFile(table, options), withClient)
  } finally {
    progress.stop()
    table.close()
  }
}
