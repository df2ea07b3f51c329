import { hasAnyTarget } from '../../domain/targets/dated-targets.ts'
import type { Day } from '../../domain/day.ts'
import type { BlockRow } from '../../blocks/block.ts'
import type { Sorter } from '../../blocks/sorter.ts'
import { emptySummary, type Summary } from './summary.ts'
import { hasPeriods } from '../directory/kpi-periods.ts'
import { createSmallValues, type SmallValues } from '../directory/percentages.ts'
import type { Reference } from '../directory/reference.ts'
import type { Rejects } from '../rejects/rejects.ts'
import { givesTarget, isBad, lineOf } from '../../blocks/packed-row.ts'
import type { Restatements } from '../rows/restatements.ts'
import { createRowReader, type RowSink } from '../rows/row-reader.ts'
import { createHash } from 'node:crypto'
import type { Client } from '../../client/client.ts'
import { pauseEvery } from '../../client/next-turn.ts'
import { KpiError } from '../../domain/errors.ts'
import { beginFile, type Begun, holdsTexts } from './begin-file.ts'
import { decide, type Decision, faultOfAll, faultOfHeader, isSamePlan, requireAll } from './decide.ts'
import { type Profile, profileFile } from './profile.ts'
import {
  areRefuted,
  type ColumnFormats,
  createColumnFormats,
  formatDoubts,
  requireNoDoubts,
} from '../detect/column-formats.ts'
import { hasTooManyBad, rejectedEntries, requireFewBad } from '../rejects/max-errors.ts'
import type { ImportOptions } from '../options/options.ts'
import type { SourcesOfUsers } from '../../domain/entry-key.ts'
import { type LeftOutRows, type Table, textOfRows } from '../../tabular/source/table.ts'
import { createSuspectCollector, findPatterns, requireNoTotals, type SuspectRows } from '../heading/left-out-rows.ts'
import { looseName } from '../../domain/name-form.ts'
import { measuredHeading } from '../formats/number-words.ts'
import { requireWriteAccess } from '../directory/lookup.ts'
import type { ReferenceLists } from '../directory/missing.ts'

/** Counts entries that are dated so far ahead that the year may be a slip, and says where the first is. */
type DistantEntries = { readonly count: number; readonly line: number; readonly day: Day }

/** Holds where rows go, and the last day whose entries are not counted as distant. */
type Places = {
  readonly sorter: Pick<Sorter, 'add' | 'clear'>
  readonly rejects: Rejects
  readonly summary: Summary
  readonly yearAhead: Day
  readonly restatements?: Restatements | undefined
}

const withOneMore = ({ count, line, day }: DistantEntries, row: BlockRow): DistantEntries =>
  count === 0 ? { count: 1, line: lineOf(row.line), day: row.day } : { count: count + 1, line, day }

/** Sorts the rows of a file, keeps rejects and counts, and holds what the rows have shown. */
class SeenRows implements RowSink {
  /** Holds the reasons for which the last row was rejected. */
  reasons: string[] = []
  /** Counts rows with a cell that is not in its column's format. */
  misread = 0
  /** Counts the entries that can be imported unchanged. */
  good = 0
  /** Counts by KPI the targets that are not stored, because the KPI keeps none. */
  readonly lostTargets = new Map<number, number>()
  /** Counts values that were rounded to 0, and holds the line of the first. */
  vanished = { count: 0, line: 0 }
  /** Counts entries dated more than a year after today, and holds the line and the day of the first. */
  distant: DistantEntries = { count: 0, line: 0, day: 0 }
  /** Tells whether some entries belong to KPIs with periods longer than a day, which may hold several entries. */
  hasPeriods = false
  /** Holds the KPIs with small values only, and of fractions those with larger ones. */
  readonly small: SmallValues
  readonly #places: Places
  readonly #reference: Reference
  readonly #sentOf: ((row: BlockRow) => BlockRow | undefined) | undefined
  #lastLine = 0
  #lastMisread = 0
  #lastKpi = 0

  /** `isFraction` tells whether numbers of a KPI are fractions. */
  constructor(places: Places, reference: Reference, isFraction: (kpi: number) => boolean) {
    this.#places = places
    this.#reference = reference
    this.#sentOf = places.restatements?.begin()
    this.small = createSmallValues(isFraction)
  }

  entry(given: BlockRow): void {
    const { kpis, created } = this.#reference
    const { sorter, yearAhead, summary } = this.#places
    const row = this.#sentOf ? this.#sentOf(given) : given
    if (!row) {
      // It still shows how the numbers of the file are meant.
      this.small.note(given)
      summary.restated += 1
      return
    }
    if (!isBad(row)) {
      this.good += 1
      this.small.note(row)
      created?.use(row)
      if (row.day > yearAhead) this.distant = withOneMore(this.distant, row)
    }
    if (row.kpi !== this.#lastKpi) this.hasPeriods ||= hasPeriods(kpis.byId.get(row.kpi))
    this.#lastKpi = row.kpi
    const kpi = givesTarget(row) ? kpis.byId.get(row.kpi) : undefined
    if (kpi && !hasAnyTarget(kpi)) this.lostTargets.set(row.kpi, (this.lostTargets.get(row.kpi) ?? 0) + 1)
    sorter.add(row)
  }

  reject(place: number, reasons: readonly string[], isMisread: boolean): void {
    const { summary, rejects } = this.#places
    const line = lineOf(place)
    if (line !== this.#lastLine) {
      summary.rejected += 1
      this.reasons = []
    }
    this.#lastLine = line
    if (isMisread && line !== this.#lastMisread) {
      this.misread += 1
      this.#lastMisread = line
    }
    for (const reason of reasons) {
      this.reasons.push(reason)
      rejects.add(place, reason)
    }
  }

  rounded(value: bigint, line: number): void {
    this.#places.summary.rounded += 1
    if (value === 0n) this.vanished = { count: this.vanished.count + 1, line: this.vanished.line || line }
  }

  empty(): void {
    this.#places.summary.empty += 1
  }
}

/** Sets after how many rows, if all are bad, the columns count as misunderstood. */
const TRIAL_ROWS = 20

/** Sets how many rows are read in one turn, between which signals and timers run: a row may be much work. */
const ROWS_PER_TURN = 800

/** Holds what of the rows of a file is needed once all have been read. */
type ShownByRows = Pick<Readonly<SeenRows>, 'good' | 'lostTargets' | 'vanished' | 'distant' | 'hasPeriods' | 'small'>

/** Describes what is known of a file once all of it has been read and checked. */
export type CheckedFile = Begun &
  ShownByRows & {
    readonly sourcesOfUsers: SourcesOfUsers
    readonly formats: ColumnFormats
    /** Identifies the rows, however the file is written: the SHA-256 of all cells and their lines. */
    readonly fingerprint: string
    /** Holds rows that look like totals or footers. */
    readonly suspects: readonly SuspectRows[]
    /** Describes rows that were left out although they look like data; undefined if no flag leaves rows out. */
    readonly leftOut: LeftOutRows | undefined
  }

/** Holds where checking puts what it finds. */
type CheckResults = {
  readonly sorter: Pick<Sorter, 'add' | 'clear'>
  readonly rejects: Rejects
  readonly summary: Summary
  /** Holds the last day whose entries are not warned of: a year after today. */
  readonly yearAhead: Day
  /** Marks the rows that later files of the run give again. */
  readonly restatements?: Restatements | undefined
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

/** Holds what reading all rows has shown. */
type ReadRows = Omit<CheckedFile, keyof Begun | 'formats'>

/**
 * Says how rows are read: `decided` by the profile of the file, `assumed` as the first rows show and numbers and dates are plain,
 * or `likely`, to see what else must be asked of a file that is in doubt.
 */
type Basis = 'decided' | 'assumed' | 'likely'
type Reading = { readonly begun: Begun; readonly formats: ColumnFormats; readonly basis: Basis }

/**
 * Reads all rows; returns undefined as soon as one contradicts what is only assumed of them, so that the whole file must say
 * how it is read.
 */
const readRows = async (
  table: Table,
  { begun, formats, basis }: Reading,
  options: ImportOptions,
  results: CheckResults,
): Promise<ReadRows | undefined> => {
  const { plan, reference, variant } = begun
  const { summary, rejects, signal, onProgress, onFetched } = results
  const isAssumed = basis === 'assumed'
  const bad = rejectedEntries({ rejects, options, signal, variant, reference })
  const watch = isAssumed && begun.contents.asked().length > 0 ? begun.contents.ofAllRows() : undefined
  // A cell that contradicts the assumed formats cannot be judged in them.
  const isContradicted = (rejectedBefore: number): boolean =>
    isAssumed &&
    rejects.size() > rejectedBefore &&
    ((watch !== undefined && holdsTexts(begun, watch)) || areRefuted(formats))
  const sink = new SeenRows(results, reference, reference.fractions(formats.givesPercent))
  const reader = createRowReader(plan, options, reference, sink, formats)
  const fingerprint = createHash('sha256')
  if (results.restatements) fingerprint.update(results.restatements.digest())
  const collector = createSuspectCollector(plan.header.length)
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
    // Many users take many requests, whose answers say nothing of what is asked.
    if (basis !== 'likely') await reference.fetchAssignments(await reader.usersOf(rows, pause), onFetched)
    for (const row of rows) {
      const turn = pause()
      if (turn) await turn
      summary.read += 1
      const [rejected, reasons] = [summary.rejected, rejects.size()]
      watch?.note(row)
      reader.read(row)
      if (isContradicted(reasons)) return undefined
      collector.note(row, summary.rejected > rejected)
      const trial = { read: summary.read, misread: sink.misread }
      // End here, as what all cells leave in doubt explains more than the first rows do.
      if (isAssumed && isMisunderstood(trial, options)) return undefined
      rejectMisunderstoodColumns(trial, options, sink.reasons)
      if (hasTooManyBad(summary, bad)) await requireFewBad(summary, bad)
    }
    onProgress()
  }
  if (watch && !isSamePlan(begun, watch)) return undefined
  const reasons = rejects.size()
  reader.finish()
  if (isContradicted(reasons)) return undefined
  await requireFewBad(summary, bad, true)
  const leftOut = table.leftOut?.()
  const suspects = await findPatterns(table, collector.found())
  const { good, lostTargets, vanished, distant, hasPeriods, small } = sink
  const seen = { good, lostTargets, vanished, distant, hasPeriods, small }
  return { ...seen, sourcesOfUsers: reader.sourcesOfUsers, suspects, leftOut, fingerprint: fingerprint.digest('hex') }
}

/** Forgets what has been read, because the rows are read again. */
const forgetRows = ({ sorter, rejects, summary }: CheckResults, { created }: Reference): void => {
  for (const part of [sorter, rejects, created]) part?.clear()
  Object.assign(summary, emptySummary())
}

/** Tells whether cells give units, which must be known before numbers are read: of some these are scales, or fractions. */
const hasUnits = ({ plan: { units = [], unitRow, tableUnit } }: Begun): boolean =>
  units.length > 0 || unitRow !== undefined || tableUnit !== undefined

/** Tells whether the heading of a column of numbers gives them a unit, which may not be that of their KPIs. */
const hasMeasuredHeading = ({ plan: { header, roles, wide }, reference: { kpis } }: Begun): boolean => {
  const isOwnName = (kpi: number | undefined, heading: string): boolean =>
    kpi !== undefined && looseName(kpis.byId.get(kpi)?.name ?? '') === looseName(heading)
  const columns = wide?.columns ?? [roles.get('actual'), roles.get('target')].map((at) => ({ at, kpi: undefined }))
  return columns.some(({ at, kpi }) => {
    const heading = header[at ?? -1] ?? ''
    return measuredHeading(heading) !== undefined && !isOwnName(kpi, heading)
  })
}

/** Asks for the units of KPIs, if numbers have words beside them, or headings give them a scale. */
const learnWords = async ({ reference }: Begun, { formats }: Profile): Promise<void> => {
  if (reference.words.isFound()) await reference.learnMeasures(formats.unitsOf)
}

/** Holds a decision, and the profile that it is made by. */
type ProfiledDecision = Decision & { readonly profile: Profile }

/** Profiles a file, and decides by that how it is read: twice, if its columns mean something else by all rows. */
export const decideByAll = async (
  table: Table,
  begun: Begun,
  options: ImportOptions,
  onProgress: () => void,
): Promise<ProfiledDecision> => {
  const profile = await profileFile(table, begun, options, onProgress)
  await learnWords(begun, profile)
  const decision = decide(begun, profile, options)
  if (!decision.isOther) return { ...decision, profile }
  const again = await profileFile(table, decision.begun, options, onProgress)
  await learnWords(decision.begun, again)
  return { ...decide(decision.begun, again, options), profile: again }
}

/**
 * Throws what is in doubt about how cells are read, and about the rows as they are read in the likeliest way: which are totals
 * and, where the sign of no number is in doubt, what percentages are. Words for no value are taken as such.
 */
const askAll = async (
  table: Table,
  { begun, formats, questions, profile }: ProfiledDecision,
  options: ImportOptions,
  results: CheckResults,
): Promise<void> => {
  const asEmpty = options.missing === undefined && profile.words.isFound() ? { missing: profile.words.all() } : {}
  const likely = { ...options, ...asEmpty }
  const read = await readRows(table, { begun, formats, basis: 'likely' }, likely, results).catch((error: unknown) => {
    // Too many bad rows follow from what is in doubt.
    if (error instanceof KpiError && error.code === 'malformed') return undefined
    throw error
  })
  const areNumbersClear = profile.formats.numberFormats.every((column) =>
    column.doubts().every((doubt) => doubt === column.wordDoubt()),
  )
  await requireAll([
    () => requireNoDoubts(questions),
    () => requireNoTotals(read?.suspects ?? [], options.ignoreRows),
    () => read && areNumbersClear && begun.reference.percentages.requireSettled(read.small, formats),
  ])
}

/**
 * Reads all rows, at once where the first rows say what the columns mean and all numbers and dates are plain; else the whole
 * file is profiled first, all that is in doubt is asked, and it is read as that decides.
 */
const readDecided = async (
  table: Table,
  begun: Begun,
  options: ImportOptions,
  results: CheckResults,
): Promise<CheckedFile> => {
  if (!begun.unclear && !hasUnits(begun) && !hasMeasuredHeading(begun)) {
    const formats = createColumnFormats(begun.plan, options, begun.reference)
    const plain = await readRows(table, { begun, formats, basis: 'assumed' }, options, results)
    if (plain) return { ...begun, ...plain, formats }
    forgetRows(results, begun.reference)
  }
  const decision = await decideByAll(table, begun, options, results.onProgress)
  const { begun: known, formats } = decision
  const unclear = await faultOfHeader(decision)
  if (unclear) throw unclear
  if (decision.questions.length > 0) await askAll(table, decision, options, results)
  const read = await readRows(table, { begun: known, formats, basis: 'decided' }, options, results)
  if (!read) throw new Error('rows that are read as decided contradict nothing')
  return { ...known, ...read, formats }
}

/** Throws what the rows show to be in doubt, though the header and the formats seemed clear. */
const requireClearRows = (
  { suspects, small }: Pick<ReadRows, 'suspects' | 'small'>,
  { formats, begun: { reference } }: Pick<Reading, 'formats' | 'begun'>,
  { ignoreRows }: ImportOptions,
): Promise<void> =>
  requireAll([
    () => requireNoDoubts(formatDoubts(formats)),
    () => requireNoTotals(suspects, ignoreRows),
    () => reference.percentages.requireSettled(small, formats),
  ])

/**
 * Reads a whole file beside others, before any of them is imported. Returns what is in doubt and has to be settled by flags; throws
 * if the file cannot be read to its end, or is refused for its rows. The service is not asked about users.
 */
export const rehearseFile = async (
  table: Table,
  begun: Begun,
  options: ImportOptions,
  results: CheckResults,
): Promise<KpiError | undefined> => {
  const decision = await decideByAll(table, begun, options, results.onProgress)
  const ask = async (): Promise<void> => {
    const unclear = await faultOfHeader(decision)
    if (unclear) throw unclear
    if (decision.questions.length > 0) await askAll(table, decision, options, results)
  }
  const inDoubt = await faultOfAll([ask])
  if (inDoubt) return inDoubt
  const read = await readRows(table, { ...decision, basis: 'likely' }, options, results)
  return read && faultOfAll([() => requireClearRows(read, decision, options)])
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
  const checked = await readDecided(table, begun, options, results)
  await requireClearRows(checked, { begun: checked, formats: checked.formats }, options)
  return checked
}
