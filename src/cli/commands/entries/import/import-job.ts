import { hash } from 'node:crypto'
import { join, resolve } from 'node:path'
import type { Client } from '../../../../client/client.ts'
import type { AnyRecord } from '../../../../domain/schema.ts'
import {
  type ColumnFormats,
  formatFlags,
  nonDefaultFlags,
  reusableFlags,
} from '../../../../reading/detect/column-formats.ts'
import { type Ending, importFile } from '../../../../loading/import-file.ts'
import type { Summary } from '../../../../reading/entries/summary.ts'
import type { JournalPlace, UndoneImport } from '../../../../runs/entries/journal.ts'
import type { ParsedFormat } from '../../../../tabular/source/table.ts'
import type { Cli } from '../../../cli.ts'
import type { Io } from '../../../io.ts'
import { shellWord } from '../../../output/text.ts'
import { listUndoReceipts } from '../../../../runs/entries/receipt.ts'
import { receiptsFolder, stateFolder } from '../../../target/folders.ts'
import { serviceOf, undoLine } from '../../../target/service-of.ts'
import { beginRun, type CommandRun, type Job, rejectsFileOf } from './jobs.ts'
import { createMissing } from './missing.ts'
import type { ParsedOptions } from './parsed-options.ts'
import { createRunReceipt } from './run-receipt.ts'
import { ASSIGNING_ADVICE, concludeFile, linesOfReasons, mayCreateAssignments, type RunResult } from './result.ts'

/** Returns the flags that use a mapping that has just been saved; rejects are UTF-8, whatever the file was. */
const mappingFlags = (name: string, { encoding }: ParsedFormat, parsed: ParsedOptions): string[] => [
  `--mapping ${name}`,
  ...(encoding === 'utf-8' || parsed.reading.encoding !== undefined ? [] : ['--encoding utf-8']),
]

/**
 * Returns the flags that an import of corrected rejects needs besides those given: the whole file showed formats that a
 * few of its rows may not show.
 */
const formNeeds = (formats: ColumnFormats, reading: ParsedFormat, parsed: ParsedOptions): readonly string[] => {
  const { decimal, dateFormat } = nonDefaultFlags(formatFlags(formats))
  const { options, saveMapping } = parsed
  const needed = [
    ...(decimal === undefined || options.decimal !== undefined ? [] : ['decimal' as const]),
    ...(dateFormat === undefined || options.dateFormat !== undefined ? [] : ['dateFormat' as const]),
  ]
  if (needed.length === 0) return []
  const saved = saveMapping === undefined ? {} : reusableFlags(formats)
  const flagsByName = { decimal: `--decimal ${decimal}`, dateFormat: `--date-format ${shellWord(dateFormat ?? '')}` }
  return [
    ...(saveMapping === undefined ? [] : mappingFlags(saveMapping, reading, parsed)),
    ...needed.filter((one) => saved[one] === undefined).map((one) => flagsByName[one]),
  ]
}

/** Returns milliseconds as seconds, rounded to a tenth. */
const seconds = (milliseconds: number): bigint => BigInt(Math.round(milliseconds / 100)) * 1000n

/** Measures one import from now on, by the clock and the client, which may have been used before. */
export const startMeter = ({ uptime }: Io, client: Client): (() => AnyRecord) => {
  const [startedAt, requests, traffic] = [uptime(), client.requests(), client.traffic()]
  return () => ({
    requests: client.requests() - requests,
    refused: client.traffic().refused - traffic.refused,
    waited: seconds(client.traffic().waitedMs - traffic.waitedMs),
    seconds: seconds(uptime() - startedAt),
  })
}

/** Describes how the import of a file ended, and what is needed to import its corrected rejects, or to take it back. */
type JobEnding = Ending & {
  readonly needed: readonly string[]
  readonly advice: readonly string[]
  readonly receipt: string | null
}

/** Returns the summary of an import, or of its dry run, as a record. */
export const summaryRecord = (
  { summary, left, receipt }: Pick<JobEnding, 'summary' | 'left' | 'receipt'>,
  measured: AnyRecord,
): AnyRecord => ({
  ...summary,
  unchecked: summary.unchecked === '' ? null : summary.unchecked,
  left,
  ...measured,
  receipt,
})

/** Returns the place of the journal of an import. */
const journalPlace = (
  cli: Cli,
  client: Client,
  { file, origin }: Pick<Job, 'file' | 'origin'>,
  parsed: string | undefined,
): JournalPlace | undefined => {
  if (origin === undefined && parsed === undefined) return undefined
  const folder = parsed !== undefined ? resolve(cli.io.cwd, parsed) : join(stateFolder(cli.io), 'journals')
  const path = origin ?? file
  const service = serviceOf(cli)
  const undone = (): UndoneImport[] =>
    listUndoReceipts(receiptsFolder(cli.io)).receipts.flatMap((one) => {
      const { head, takenBack, begun, open, name, runId, journal, addedFrom } = one
      if (head.service !== service || (takenBack ?? begun ?? open) === undefined) return []
      // An undo notes that nothing of the entries is left, also where it is not all taken back.
      const isLeft = takenBack === undefined && open !== 0
      return {
        runId,
        journal,
        addedFrom,
        account: head.account,
        file: head.file,
        beganAt: Date.parse(head.at),
        isLeft,
        isOpen: isLeft && begun !== undefined,
        command: undoLine(cli.flags, 'entries undo', name),
      }
    })
  return { folder, service, account: client.identifyAccount, caller: client.caller, path, undone }
}

const SERVICE_LETTERS = 16

/** Returns the file that keeps what was learned about a third-party service with these credentials. */
const learnedPath = (cli: Cli, client: Client): string => {
  const name = hash('sha256', JSON.stringify([serviceOf(cli), client.caller]), 'hex').slice(0, SERVICE_LETTERS)
  return join(stateFolder(cli.io), 'services', `${name}.json`)
}

/** Matches the reason for a new entry of a locked user, which others may follow. */
const LOCKED = /user (\d+) \((.*?)\) is locked(?:;|$)(?!.*, and other values are stored: )/

/** Says how to import new entries of a locked user, where people can be changed here; empty if there are none. */
const adviceOnLocked = ({ variant }: Pick<Client, 'variant'>, reasons: Ending['reasons']): string[] => {
  const found = reasons?.shown.map(({ reason }) => LOCKED.exec(reason)).find((one) => one !== null)
  const [, id, name] = found ?? []
  if (variant !== 'classic' || id === undefined) return []
  return [
    `a locked user takes no new entries: kpi users update ${id} --user-status active unlocks ${name}, and --user-status locked locks the user again afterwards`,
  ]
}

const runJob = async (run: CommandRun, job: Job): Promise<JobEnding> => {
  const { cli, client, parsed, progress, finished } = run
  const { date, dateWord } = parsed.options
  const receipt = createRunReceipt(run, job)
  try {
    const work = beginRun(run, job)
    let needed: readonly string[] = []
    const ending = await importFile({
      ...work,
      onChecked: (checked) => {
        work.onChecked?.(checked)
        needed = formNeeds(checked.formats, job.table.reading, parsed)
      },
      createMissing: (plan) => createMissing(run, plan, { file: job.file, log: receipt.created }),
      created: receipt.created,
      changes: receipt.changes,
      onJournal: receipt.journal,
      onSettledDay: (day) => (run.settled.date = day),
      rejectsFile: rejectsFileOf(cli, job, work.onWarning),
      journal: journalPlace(cli, client, job, parsed.journal),
      learnedPath: learnedPath(cli, client),
      // Until all files are imported and reported, the same command comes to this one again.
      onFinished: (forget) => finished.push(forget),
      random: cli.io.random,
      verify: job.verify,
    })
    if (dateWord !== undefined) needed = [...needed, `--date ${run.settled.date ?? date}`]
    const told = { ...ending, receipt: receipt.name() }
    const advice = adviceOnLocked(client, ending.reasons)
    if (!ending.needsAssignments || !mayCreateAssignments(client, parsed)) return { ...told, needed, advice }
    return { ...told, needed: [...needed, '--create-assignments'], advice: [ASSIGNING_ADVICE, ...advice] }
  } finally {
    progress.stop()
    receipt.close()
  }
}

const hasSent = ({ created, updated, sent, assigned }: Summary): boolean => created + updated + sent + assigned > 0

/** Imports a file; returns its summary. */
export const importJob = async (run: CommandRun, job: Job, ends: RunResult): Promise<AnyRecord> => {
  const measure = startMeter(run.cli.io, run.client)
  const ending = await runJob(run, job)
  const isBegun = hasSent(ending.summary)
  if (ending.reasons) for (const line of linesOfReasons(run, job, ending.reasons)) await run.cli.note(line)
  ends.add(await concludeFile(run, job, { ...ending, hasSent: isBegun }), isBegun)
  return summaryRecord(ending, measure())
}
