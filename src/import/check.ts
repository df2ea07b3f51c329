import { createHash } from 'node:crypto'
import type { Client } from '../client/client.ts'
import { KpiError } from '../domain/errors.ts'
import { beginFile, type Begun } from './begin-file.ts'
import {
  areRefuted,
  createColumnFormats,
  requireSettledFormats,
  detectFormats,
  settleFormats,
} from './detect/column-formats.ts'
import type { ColumnFormats } from './detect/survey.ts'
import type { BlockRow } from './external-sort/block.ts'
import type { Sorter } from './external-sort/sorter.ts'
import { emptySummary, type Summary } from './import-types.ts'
import { requireFewBadRows } from './max-errors.ts'
import type { ImportOptions } from './options.ts'
import type { SourcesOfUsers } from './entry-key.ts'
import type { Row } from './parse/rows.ts'
import { createSuspectCollector, requireNoTotals, type SuspectRows } from './parse/suspect-rows.ts'
import type { Table } from './parse/table.ts'
import { hasPeriods } from './periods/kpi-periods.ts'
import { createSmallValues, requireSettledPercentages, type SmallValues } from './percentages.ts'
import { requireWriteAccess } from './permissions.ts'
import type { ListGroups, Reference } from './reference.ts'
import type { Rejects } from './rejects/rejects.ts'
import { givesTarget, isBad, lineOf } from './rows/packed-row.ts'
import { createRowReader, type RowSink } from './rows/row-reader.ts'

/** Sets after how many rows, if all are bad, the columns count as misunderstood. */
const TRIAL_ROWS = 20

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
  /** Holds rows that look like totals or footers. */
  readonly suspects: readonly SuspectRows[]
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
  /** Reports progress between parts of the file; may throw to stop. */
  readonly onProgress: () => void
  /** Receives how many users' assignments have been fetched; may throw to stop. */
  readonly onFetched?: (users: number) => void
  /** Lists the groups that breakdown items are in, if they can be listed. */
  readonly groups?: ListGroups | undefined
}

/** Counts the rows read, and those with a cell that is not in its column's format. */
type Trial = { readonly read: number; readonly misread: number }

/** Refuses a file if none of its first rows can be read, unless the user allows all rows to be bad. */
export const rejectMisunderstoodColumns = (
  { read, misread }: Trial,
  { maxErrors }: ImportOptions,
  reasons: readonly string[],
): void => {
  if (read !== TRIAL_ROWS || misread !== TRIAL_ROWS) return
  if (maxErrors && 'percent' in maxErrors && maxErrors.percent === 100) return
  throw new KpiError(
    'malformed',
    `the first ${TRIAL_ROWS} rows are all bad, so the columns were probably misread; nothing was sent. The last of them: ${reasons.join('; ')}`,
  )
}

/** Thrown if a cell contradicts the assumed formats, so that all cells must be surveyed before any is read. */
class Refuted extends Error {}

type Sink = RowSink & {
  reasons: readonly string[]
  /** Counts rows with a cell that is not in its column's format. */
  misread: number
  good: number
  readonly lostTargets: Map<number, number>
  hasPeriods: boolean
  /** Watches values of percentages. */
  readonly small: SmallValues
}

const sinkFor = (
  { sorter, rejects, summary }: CheckResults,
  { kpis, created, isFraction }: Reference,
  formats: ColumnFormats,
): Sink => {
  let [lastLine, lastMisread, lastKpi] = [0, 0, 0]
  const sink: Sink = {
    reasons: [],
    misread: 0,
    good: 0,
    lostTargets: new Map(),
    hasPeriods: false,
    small: createSmallValues(isFraction),
    entry: (row: BlockRow) => {
      if (!isBad(row)) {
        sink.good += 1
        sink.small.note(row)
        created?.use(row)
      }
      if (row.second !== lastKpi) sink.hasPeriods ||= hasPeriods(kpis.byId.get(row.second))
      lastKpi = row.second
      if (givesTarget(row) && kpis.byId.get(row.second)?.target_default === null) {
        sink.lostTargets.set(row.second, (sink.lostTargets.get(row.second) ?? 0) + 1)
      }
      sorter.add(row)
    },
    reject: (place: number, reasons: readonly string[], isMisread: boolean) => {
      // A cell that contradicts the assumed formats cannot be judged in them.
      if (areRefuted(formats)) throw new Refuted()
      const line = lineOf(place)
      const isSameRow = line === lastLine
      if (!isSameRow) summary.rejected += 1
      lastLine = line
      if (isMisread && line !== lastMisread) {
        sink.misread += 1
        lastMisread = line
      }
      sink.reasons = isSameRow ? [...sink.reasons, ...reasons] : [...reasons]
      for (const reason of reasons) rejects.add(place, reason)
    },
    rounded: () => {
      summary.rounded += 1
    },
    empty: () => {
      summary.empty += 1
    },
  }
  return sink
}

type ReadRows = Pick<
  CheckedFile,
  'sourcesOfUsers' | 'good' | 'lostTargets' | 'suspects' | 'small' | 'hasPeriods' | 'fingerprint'
>

/** Returns rows as a text that differs if any cell or line does. */
const textOf = (rows: readonly Row[]): string =>
  rows.map(({ line, cells }) => `${line}\u001f${cells.join('\u001f')}\u001e`).join('')

/** Reads all rows in the given formats. */
const readRowsOf = async (
  table: Table,
  { plan, reference, variant }: Begun,
  formats: ColumnFormats,
  options: ImportOptions,
  results: CheckResults,
): Promise<ReadRows> => {
  const { summary, rejects, onProgress, onFetched } = results
  const bad = { rejects, options, variant, reference }
  const sink = sinkFor(results, reference, formats)
  const reader = createRowReader(plan, options, reference, sink, formats)
  const fingerprint = createHash('sha256')
  const collector = createSuspectCollector(plan.header.length)
  let isBegun = false
  for await (const chunk of table.rows()) {
    if (chunk.length === 0) continue
    fingerprint.update(textOf(chunk))
    const rows = isBegun ? chunk : chunk.slice(1)
    isBegun = true
    await reference.fetchAssignments(reader.usersOf(rows), onFetched)
    for (const row of rows) {
      summary.read += 1
      const rejected = summary.rejected
      reader.read(row)
      collector.note(row, summary.rejected > rejected)
      rejectMisunderstoodColumns({ read: summary.read, misread: sink.misread }, options, sink.reasons)
      requireFewBadRows(summary, bad)
    }
    onProgress()
  }
  reader.finish()
  requireFewBadRows(summary, bad, true)
  const suspects = collector.found()
  requireNoTotals(suspects, options.ignoreRows)
  const { good, lostTargets, hasPeriods: isInPeriods } = sink
  return {
    sourcesOfUsers: reader.sourcesOfUsers,
    good,
    lostTargets,
    suspects,
    small: sink.small,
    hasPeriods: isInPeriods,
    fingerprint: fingerprint.digest('hex'),
  }
}

/**
 * Reads all rows as if numbers and dates were in the plain format. If a cell is not, all cells are surveyed first, and
 * the rows are read again in the formats found.
 */
const readInForms = async (
  table: Table,
  begun: Begun,
  options: ImportOptions,
  results: CheckResults,
): Promise<CheckedFile> => {
  let formats = createColumnFormats(begun.plan, options, begun.reference)
  const read = (): Promise<ReadRows> => readRowsOf(table, begun, formats, options, results)
  const anew = async (error: unknown): Promise<ReadRows> => {
    if (!(error instanceof Refuted)) throw error
    for (const part of [results.sorter, results.rejects, begun.reference.created]) part?.clear()
    Object.assign(results.summary, emptySummary())
    const seen = await detectFormats(table, begun.plan, options, begun.reference, results.onProgress)
    requireSettledFormats(seen)
    formats = settleFormats(seen, begun.plan, options, begun.reference)
    return read()
  }
  const rows = await read().catch(anew)
  requireSettledFormats(formats)
  return { ...begun, ...rows, formats }
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
  const checked = await readInForms(table, await beginFile(table, client, options, results.groups), options, results)
  const { small, reference, formats } = checked
  const hasSign = (kpi: number): boolean => formats.signsOf(kpi).has('%')
  await requireSettledPercentages(
    { client, kpis: reference.kpis.byId, unitOfNew: options.create?.unit, hasSign },
    small,
    options.percent,
  )
  return checked
}
