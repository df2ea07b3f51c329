import { createHash } from 'node:crypto'
import type { Client } from '../../client/client.ts'
import { pauseEvery } from '../../client/next-turn.ts'
import type { Day } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import { beginFile, type Begun, holdsTexts, isSamePlan, settlePlan } from './begin-file.ts'
import type { Contents } from '../columns/contents.ts'
import { areRefuted, createColumnFormats, detectFormats, settleFormats } from '../detect/column-formats.ts'
import type { ColumnFormats } from '../detect/survey.ts'
import type { Sorter } from '../../blocks/sorter.ts'
import { emptySummary, type Summary } from './summary.ts'
import { hasTooManyBad, rejectedEntries, requireFewBad } from './max-errors.ts'
import type { ImportOptions } from '../options/options.ts'
import type { SourcesOfUsers } from '../../domain/entry-key.ts'
import { type LeftOutRows, type Table, textOfRows } from '../../tabular/source/table.ts'
import { createSuspectCollector, findPatterns, requireNoTotals, type SuspectRows } from '../heading/suspect-rows.ts'
import { requireSettledPercentages, saysFraction, type SmallValues } from '../directory/percentages.ts'
import { requireWriteAccess } from '../directory/permissions.ts'
import type { ReferenceLists } from '../directory/missing.ts'
import type { Reference } from '../directory/reference.ts'
import type { Rejects } from '../rejects/rejects.ts'
import { requireAll, requireSettled } from './require-settled.ts'
import { createRowSink, type SeenRows } from './row-sink.ts'
import { createRowReader } from '../rows/row-reader.ts'

/** Sets after how many rows, if all are bad, the columns count as misunderstood. */
const TRIAL_ROWS = 20

/** Sets how many rows are read in one turn, between which signals and timers run: a row may be much work. */
const ROWS_PER_TURN = 800

/** Describes what is known of a file once all of it has been read and checked. */
export type CheckedFile = Begun & {
  readonly sourcesOfUsers: SourcesOfUsers
  readonly formats: ColumnFormats
  /** Identifies the rows, however the file is written: the SHA-256 of all cells and their lines. */
  readonly fingerprint: string
  /** Counts the entries that can be imported unchanged. */
  readonly good: number
  /** Counts by KPI the targets that are not stored, because the KPI keeps none. */
  readonly lostTargets: ReadonlyMap<number, number>
  readonly vanished: SeenRows['vanished']
  readonly distant: SeenRows['distant']
  /** Holds rows that look like totals or footers. */
  readonly suspects: readonly SuspectRows[]
  /** Describes rows that were left out although they look like data; undefined if no flag leaves rows out. */
  readonly leftOut: LeftOutRows | undefined
  /** Holds the KPIs with small values only, and of fractions those with larger ones. */
  readonly small: SmallValues
  /** Tells whether some entries belong to KPIs with periods longer than a day, which may hold several entries. */
  readonly hasPeriods: boolean
}

/** Holds where checking puts what it finds. */
type CheckResults = {
  readonly sorter: Sorter
  readonly rejects: Rejects
  readonly summary: Summary
  /** Holds the last day whose entries are not warned of: a year after today. */
  readonly yearAhead: Day
  readonly signal: AbortSignal
  /** Reports progress between parts of the file; may throw to stop. */
  readonly onProgress: () => void
  /** Receives how many users' assignments have been fetched; may throw to stop. */
  readonly onFetched?: (users: number) => void
  readonly lists?: ReferenceLists
}

/** Counts the rows read, and those with a cell that is not in its column's format. */
type Trial = { readonly read: number; readonly misread: number }

/** Tells whether none of the first rows can be read, and the user does not allow all rows to be bad. */
const isMisunderstood = ({ read, misread }: Trial, { maxErrors }: Pick<ImportOptions, 'maxErrors'>): boolean =>
  read === TRIAL_ROWS && misread === TRIAL_ROWS && !(maxErrors && 'percent' in maxErrors && maxErrors.percent === 100)

/** Refuses a file if none of its first rows can be read, unless the user allows all rows to be bad. */
export const rejectMisunderstoodColumns = (
  trial: Trial,
  options: Pick<ImportOptions, 'maxErrors'>,
  reasons: readonly string[],
): void => {
  if (!isMisunderstood(trial, options)) return
  throw new KpiError(
    'malformed',
    `the first ${TRIAL_ROWS} rows are all bad, so the columns were probably misread; nothing was sent. The last of them: ${reasons.join('; ')}`,
  )
}

/** Thrown if a cell contradicts the assumed formats, so that all cells must be surveyed before any is read. */
class Refuted extends Error {}

/** Thrown if columns hold something else than the first rows show, so that all rows must say what the columns mean. */
class Contradicted extends Error {}

type ReadRows = Pick<
  CheckedFile,
  | 'sourcesOfUsers'
  | 'good'
  | 'lostTargets'
  | 'vanished'
  | 'distant'
  | 'suspects'
  | 'leftOut'
  | 'small'
  | 'hasPeriods'
  | 'fingerprint'
>

/** Watches what all rows show of the columns that the first rows have explained. */
type ContentsWatch = ReturnType<Contents['ofAllRows']> | undefined

/** Reads all rows in the given formats. */
const readRowsOf = async (
  table: Table,
  begun: Begun,
  formats: ColumnFormats,
  options: ImportOptions,
  results: CheckResults,
  watch: ContentsWatch,
): Promise<ReadRows> => {
  const { plan, reference, variant } = begun
  const { summary, rejects, signal, onProgress, onFetched } = results
  const bad = rejectedEntries({ rejects, options, signal, variant, reference })
  const requireReadable = (rejectedBefore: number): void => {
    if (rejects.size() === rejectedBefore) return
    if (watch !== undefined && holdsTexts(begun, watch)) throw new Contradicted()
    // A cell that contradicts the assumed formats cannot be judged in them.
    if (areRefuted(formats)) throw new Refuted()
  }
  const sink = createRowSink(results, reference, reference.fractions(formats.givesPercent))
  const reader = createRowReader(plan, options, reference, sink, formats)
  const fingerprint = createHash('sha256')
  const collector = createSuspectCollector(plan.header.length)
  const survey = (): Promise<ColumnFormats> => detectFormats(table, plan, options, reference, onProgress)
  const pause = pauseEvery(ROWS_PER_TURN, signal)
  let isBegun = false
  for await (const chunk of table.rows()) {
    if (chunk.length === 0) {
      onProgress()
      continue
    }
    fingerprint.update(textOfRows(chunk))
    const rows = isBegun ? chunk : chunk.slice(1)
    isBegun = true
    await reference.fetchAssignments(await reader.usersOf(rows, pause), onFetched)
    for (const row of rows) {
      const turn = pause()
      if (turn) await turn
      summary.read += 1
      const [rejected, reasons] = [summary.rejected, rejects.size()]
      watch?.note(row)
      reader.read(row)
      requireReadable(reasons)
      collector.note(row, summary.rejected > rejected)
      const trial = { read: summary.read, misread: sink.misread }
      // What all cells leave in doubt says more than the first rows do.
      if (isMisunderstood(trial, options)) await requireSettled(table, await survey())
      rejectMisunderstoodColumns(trial, options, sink.reasons)
      if (hasTooManyBad(summary, bad)) await requireFewBad(summary, bad)
    }
    onProgress()
  }
  if (watch && !isSamePlan(begun, watch)) throw new Contradicted()
  const reasons = rejects.size()
  reader.finish()
  requireReadable(reasons)
  await requireFewBad(summary, bad, true)
  const leftOut = table.leftOut?.()
  const suspects = await findPatterns(table, collector.found())
  const { good, lostTargets, vanished, distant, hasPeriods: isInPeriods } = sink
  return {
    sourcesOfUsers: reader.sourcesOfUsers,
    good,
    lostTargets,
    vanished,
    distant,
    suspects,
    leftOut,
    small: sink.small,
    hasPeriods: isInPeriods,
    fingerprint: fingerprint.digest('hex'),
  }
}

/** Forgets what has been read, because the rows are read again. */
const forgetRows = ({ sorter, rejects, summary }: CheckResults, { created }: Reference): void => {
  for (const part of [sorter, rejects, created]) part?.clear()
  Object.assign(summary, emptySummary())
}

/** Tells whether the units that cells give must be known before numbers are read, of which some are fractions then. */
const needsUnits = ({ plan: { units = [], unitRow } }: Begun, options: ImportOptions): boolean =>
  saysFraction(options) && (units.length > 0 || unitRow !== undefined)

/**
 * Reads all rows as if numbers and dates were in the plain format. If a cell is not, all cells are surveyed first, and
 * the rows are read again in the formats found.
 */
const readInForms = async (
  table: Table,
  begun: Begun,
  options: ImportOptions,
  results: CheckResults,
  isWatched: boolean,
): Promise<CheckedFile> => {
  const watch = (): ContentsWatch =>
    isWatched && begun.contents.asked().length > 0 ? begun.contents.ofAllRows() : undefined
  const survey = async (): Promise<ColumnFormats> => {
    const seen = await detectFormats(table, begun.plan, options, begun.reference, results.onProgress)
    await requireSettled(table, seen)
    return settleFormats(seen, begun.plan, options, begun.reference)
  }
  let formats = needsUnits(begun, options) ? await survey() : createColumnFormats(begun.plan, options, begun.reference)
  const read = (): Promise<ReadRows> => readRowsOf(table, begun, formats, options, results, watch())
  const anew = async (error: unknown): Promise<ReadRows> => {
    if (!(error instanceof Refuted)) throw error
    forgetRows(results, begun.reference)
    formats = await survey()
    return read()
  }
  return { ...begun, ...(await read().catch(anew)), formats }
}

/**
 * Reads all rows as the first rows show what the columns mean. If others contradict that, all rows are asked first, so
 * that a long file is read as a short one is.
 */
const readAsPlanned = async (
  table: Table,
  begun: Begun,
  options: ImportOptions,
  results: CheckResults,
): Promise<CheckedFile> => {
  const readSettled = async (): Promise<CheckedFile> =>
    readInForms(table, await settlePlan(table, begun, results.onProgress), options, results, false)
  if (needsUnits(begun, options)) return readSettled()
  try {
    return await readInForms(table, begun, options, results, true)
  } catch (error) {
    if (!(error instanceof Contradicted)) throw error
    forgetRows(results, begun.reference)
    return readSettled()
  }
}

/**
 * Reads and checks a whole file, before anything is sent: rows with a key go to the sorter, bad rows to the rejects.
 */
export const checkFile = async (
  table: Table,
  client: Client,
  options: ImportOptions,
  results: CheckResults,
): Promise<CheckedFile> => {
  await requireWriteAccess(client)
  const begun = await beginFile(table, client, options, results.lists, results.onProgress)
  const checked = await readAsPlanned(table, begun, options, results)
  const { small, reference, formats, suspects } = checked
  const { hasPercentSign: hasSign, givesPercent } = formats
  const known = { client, kpis: reference.kpis.byId, unitOfNew: options.create?.unit, hasSign, givesPercent }
  await requireAll([
    () => requireSettled(table, formats),
    () => requireNoTotals(suspects, options.ignoreRows),
    () => requireSettledPercentages(known, small, options.percent),
  ])
  return checked
}
