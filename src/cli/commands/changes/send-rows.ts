import type { Plan, Planned } from '../../../changes/plan/plan.ts'
import type { Policy } from '../../../changes/plan/match.ts'
import type { RowParts } from '../../../changes/plan/whole-rows.ts'
import type { Account } from '../../../changes/records/access.ts'
import type { Change } from '../../../changes/records/change.ts'
import type { Desired } from '../../../changes/records/desired.ts'
import type { Snapshot } from '../../../changes/records/snapshot.ts'
import type { EarlierChanges } from '../../../changes/send/continue-run.ts'
import { type BeforeChange, type Outcome, reasonsOfChange, sendChanges } from '../../../changes/send/send.ts'
import type { Needs } from '../../../client/capabilities.ts'
import type { Client } from '../../../client/client.ts'
import { Aborted, type Clock } from '../../../client/transport.ts'
import { KpiError } from '../../../domain/errors.ts'
import type { AnyRecord, NamedField, Printable } from '../../../domain/schema.ts'
import { endIfAllRefused } from '../../../loading/delivery/refusal.ts'
import type { ReadingFile } from '../../../reading/entries/desired-rows.ts'
import { tooManyRejected } from '../../../reading/rejects/max-errors.ts'
import type { ImportOptions } from '../../../reading/options/options.ts'
import type { CountedReasons } from '../../../reading/rejects/reason-counts.ts'
import type { Rejects } from '../../../reading/rejects/rejects.ts'
import type { RunRecord } from '../../../runs/run-record.ts'
import type { Cli } from '../../cli.ts'
import type { Counts, Noun } from '../../output/summary.ts'
import type { Job } from '../entries/import/jobs.ts'
import type { ParsedOptions } from '../entries/import/parsed-options.ts'
import type { ProgressView } from '../entries/import/progress.ts'
import type { StopSignals } from '../entries/import/signals.ts'
import type { TargetFlags } from '../targets/target-flags.ts'
import type { TargetHistory } from '../targets/target-history.ts'

/** Counts what became of the rows of a file. */
type RowCounts = Record<'created' | 'updated' | 'unchanged' | 'skipped', number>

/** Holds rows as records, and the fields that are shown of them. */
type ShownRows = { readonly shown: readonly NamedField[]; readonly records: readonly AnyRecord[] }

/** Describes rows that are planned together, and reads the account for them when their turn comes. */
export type RowsPart = { readonly desired: readonly Desired[]; readonly look: () => Promise<Snapshot> }

/** Describes a file that has been read and checked by itself: what its rows say, and the account as it was read. */
export type ReadRows = {
  readonly desired: readonly Desired[]
  /** Returns the line of an item by its place, where these differ. */
  readonly lineOf?: (place: number) => number
  /** Splits rows into parts, each of which is planned and sent before the next; all are planned first by default. */
  readonly partsOf?: (desired: readonly Desired[]) => Iterable<RowsPart>
  /** Says how items are counted where rows ask for several kinds of them; each item counts by default. */
  readonly parts?: RowParts
  readonly snapshot: Snapshot
  /** Reads the account again. */
  readonly look: () => Promise<Snapshot>
  readonly policy: Policy
  /** Identifies the rows, however the file is written. */
  readonly fingerprint: string
  readonly read: number
  readonly empty: number
  /** Counts numbers that had more than four decimals. */
  readonly rounded: number
}

/** Describes a row of a dry run: what is planned for it, or why it would be rejected. */
export type JudgedRow = Planned | { readonly action: 'reject'; readonly line: number; readonly reason: string }

/** Describes what a command prints of an import, and of its dry run. */
type PrintedRows<R extends ReadRows> = {
  readonly summary: Pick<Printable, 'shown'>
  readonly countsOf: (counts: RowCounts) => Counts
  readonly dryRunRow: Pick<Printable, 'shown'>
  /** Returns a row of a dry run; `beside` holds what else the row asks for. */
  readonly recordOf: (read: R, row: JudgedRow, beside?: readonly Planned[]) => AnyRecord
  /** Adds the names that people see to the rows of a dry run. */
  readonly withNames?: (client: Client, rows: readonly AnyRecord[]) => Promise<ShownRows>
  /** Says what to do about rejected rows, a line each. */
  readonly adviceOn: (reasons: CountedReasons) => readonly string[]
  /** Says what else rejected rows need, a line each. */
  readonly adviceOnRejects?: (read: R) => readonly string[]
}

/** Describes a command that imports the rows of a file as changes. */
export type RowsImport<R extends ReadRows> = {
  /** Names it: `kpis import`. */
  readonly command: string
  readonly needs: Needs
  /** Holds the words for one and for several of what rows are about. */
  readonly words: Noun
  readonly parsed: ParsedOptions
  readonly flags: TargetFlags
  /** Holds what the user said that gives the file its meaning. */
  readonly options: object
  /** Tells whether corrected rejects need the same flags, for another reason than those of an import of entries. */
  readonly hasOwnFlags: boolean
  /** Runs work with all ways to the account that the command needs. */
  readonly withAccount: <T>(client: Client, work: (account: Account) => Promise<T>) => Promise<T>
  readonly read: (reading: ReadingFile) => Promise<R>
  /** Says what people are to know of a plan; of one that is continued, they know what is about its new records. */
  readonly tellPlan: (reading: ReadingFile, read: R, plan: Plan, isContinued: boolean) => Promise<void>
  readonly printed: PrintedRows<R>
}

/** Describes an import under way. */
export type OpenImport<R extends ReadRows> = RowsImport<R> & {
  readonly cli: Cli
  readonly client: Client
  readonly account: Account
  readonly stops: StopSignals
  readonly progress: ProgressView
  readonly job: Job
  readonly history: TargetHistory
  /** Measures the requests and the time from the first one on. */
  readonly measure: () => AnyRecord
}

/** Names what becomes of a row that is not rejected. */
type RowAction = 'create' | 'update' | 'unchanged' | 'skip'

/** Describes what became of a row: of which change, and why it was refused. */
type RowOutcome = {
  readonly result: string | undefined
  readonly action: Change['action']
  readonly reasons: readonly string[]
}

const COUNTED = { create: 'created', update: 'updated', unchanged: 'unchanged', skip: 'skipped' } as const

/** Ranks what becomes of the items of a row: the row counts as the last of these. */
const RANKS: Readonly<Record<RowAction, number>> = { skip: 0, unchanged: 1, update: 2, create: 3 }

/** Counts the rows of a file, and takes the reasons of those that are rejected. */
export class RowTally {
  readonly counts: RowCounts = { created: 0, updated: 0, unchanged: 0, skipped: 0 }
  readonly #rejects: Pick<Rejects, 'add'>
  readonly #lineOf: (place: number) => number
  readonly #parts: RowParts | undefined
  /** Holds what became of rows so far that have several items. */
  readonly #rows = new Map<number, RowAction | 'reject'>()

  /** Creates the tally of a file, whose items have lines of their own, or are told by their places. */
  constructor(rejects: Pick<Rejects, 'add'>, { lineOf, parts }: Pick<ReadRows, 'lineOf' | 'parts'>) {
    this.#rejects = rejects
    this.#lineOf = lineOf ?? ((place) => place)
    this.#parts = parts
  }

  #add(action: RowAction, by: number): void {
    this.counts[COUNTED[action]] += by
  }

  /** Notes what became of a row, in place of what it was before. */
  #setRow(line: number, action: RowAction | 'reject' | undefined): void {
    const before = this.#rows.get(line)
    if (before !== undefined && before !== 'reject') this.#add(before, -1)
    if (action === undefined) this.#rows.delete(line)
    else this.#rows.set(line, action)
    if (action !== undefined && action !== 'reject') this.#add(action, 1)
  }

  /** Counts an item, or what its row is with it; what is made for several rows does not count. */
  count(action: RowAction, { kind: { name }, line: place }: Pick<Desired, 'kind' | 'line'>): void {
    const { main, beside } = this.#parts ?? { main: name }
    if (beside === undefined) return name === main ? this.#add(action, 1) : undefined
    if (name !== main && name !== beside) return
    const line = this.#lineOf(place)
    const [before, own] = [this.#rows.get(line), name !== main && action === 'create' ? 'update' : action]
    if (before !== 'reject' && (before === undefined || RANKS[own] > RANKS[before])) this.#setRow(line, own)
  }

  /** Takes back that items were created of which some may be doubles; `desired` is one of them, where it is known. */
  uncount(count: number, desired?: Pick<Desired, 'kind' | 'line'>): void {
    if (this.#parts?.beside === undefined) this.#add('create', -count)
    else if (desired?.kind.name === this.#parts.main) this.#setRow(this.#lineOf(desired.line), undefined)
  }

  reject(place: number, reasons: readonly string[]): void {
    const line = this.#lineOf(place)
    for (const reason of reasons) this.#rejects.add(line, reason)
    if (this.#parts?.beside !== undefined) this.#setRow(line, 'reject')
  }

  /** Counts a row of which nothing is sent, as what it was before if that is known; returns whether that is so. */
  settle({ action, desired, reasons }: Planned, before?: Change['action']): boolean {
    if (action === 'refuse')
      this.reject(desired.line, reasons.map(({ message }) => message)) // prettier-ignore
    else if (action === 'unchanged' || action === 'skip')
      this.count(before === undefined || before === 'delete' ? action : before, desired)
    return action === 'refuse' || action === 'unchanged' || action === 'skip'
  }

  /** Counts a row whose outcome is known. */
  take(desired: Pick<Desired, 'kind' | 'line'>, { result, action, reasons }: RowOutcome): void {
    if (result === 'refused') this.reject(desired.line, reasons)
    else if (result === 'unchanged' || result === 'skip') this.count(result, desired)
    else if (action !== 'delete') this.count(action, desired)
  }

  /** Counts the rows that earlier parts of a run finished, as they were. */
  takeEarlier(all: readonly Desired[], { settledAt }: EarlierChanges): void {
    for (const desired of all) {
      const last = settledAt(desired.line).at(-1)
      if (last) this.take(desired, { result: last.outcome, action: last.action, reasons: [last.reason ?? ''] })
    }
  }
}

/** Describes rows that are planned, beside the account that they are planned on. */
export type PlannedRows<R extends ReadRows = ReadRows> = { readonly read: R; readonly plan: Plan }

/** Holds what sending the planned rows of a file needs. */
type SendingRows = {
  readonly account: Account
  /** Yields the plans, one after another; the rows of which nothing is sent are counted. */
  readonly plans: AsyncIterable<PlannedRows> | Iterable<PlannedRows>
  /** Counts the rows that are planned. */
  readonly open: number
  readonly run: RunRecord
  readonly clock: Pick<Clock, 'now'>
  readonly signal: AbortSignal
  readonly tally: RowTally
  readonly rejects: Rejects
  readonly options: Pick<ImportOptions, 'maxErrors'>
  /** Counts the rows of the file. */
  readonly read: number
  readonly before: BeforeChange
  /** Reports how many of the rows to send have an outcome. */
  readonly onSent: (done: number, total: number) => void
  readonly onWarning: (text: string) => void
}

/** Describes how sending ended: rows are left if it was stopped, or the service failed. */
type SentRows = {
  readonly left: number
  readonly failure: KpiError | undefined
  /** Says what was tried in vain until it was stopped. */
  readonly tried?: string | undefined
}

/** Ends a run whose service refuses one row after another. */
const watchRefusals = (): ((outcome: Outcome) => void) => {
  let accepted = 0
  const refused: [line: number, reason: string][] = []
  return ({ change, refusal }) => {
    if (!refusal) accepted += 1
    if (!refusal || accepted > 0) return
    const reasons = reasonsOfChange(refusal)
    refused.push(...reasons.map((one): [number, string] => [change.record.desired?.line ?? 0, one]))
    endIfAllRefused({ refused }, new KpiError('invalid', refused[0]?.[1] ?? ''), 'row')
  }
}

/** Sends the planned rows of a file, and counts what becomes of them. */
export const sendRows = async (work: SendingRows): Promise<SentRows> => {
  const { plans, open, tally, rejects, options, read, onSent, ...sending } = work
  const watch = watchRefusals()
  // Count what is sent, beside all that has an outcome.
  let [sent, done, unsettled] = [0, 0, 0]
  const onOutcome = (outcome: Outcome): void => {
    const { change, result, refusal } = outcome
    const reasons = refusal ? reasonsOfChange(refusal) : []
    const { desired } = change.record
    if (desired) tally.take(desired, { result, action: change.action, reasons })
    done += 1
    sent += 1
    onSent(done, open)
    watch(outcome)
    const tooMany = tooManyRejected(rejects, { read }, options.maxErrors)
    if (tooMany) throw tooMany
  }
  const sendPlan = ({ plan: { planned, changes, again }, read: { snapshot } }: PlannedRows): Promise<void> => {
    const onRemoved = ({ record }: Change): void => {
      tally.uncount(1, record.desired)
      const next = again(record)
      if (!next || !tally.settle(next)) done -= 1
    }
    done += planned.filter((one) => one.changes.length === 0).length
    const onUnsettled = (count: number): void => void (unsettled = count)
    return sendChanges({ ...sending, snapshot, again, onOutcome, onRemoved, onUnsettled }, changes)
  }
  const left = (): number => open - done + unsettled
  try {
    for await (const one of plans) await sendPlan(one)
    return { left: left(), failure: undefined }
  } catch (error) {
    // Do not count records as created before a second look shows that they are not doubles.
    tally.uncount(unsettled)
    if (error instanceof Aborted) return { left: left(), failure: undefined, tried: error.tried }
    if (!(error instanceof KpiError) || (sent === 0 && !error.mayBeDone)) throw error
    return { left: left(), failure: error }
  }
}
