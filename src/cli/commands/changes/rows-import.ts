import type { Plan, Planned } from '../../../changes/plan/plan.ts'
import type { Policy } from '../../../changes/plan/policy.ts'
import type { Account } from '../../../changes/records/access.ts'
import type { Desired } from '../../../changes/records/desired.ts'
import type { Snapshot } from '../../../changes/records/snapshot.ts'
import type { Needs } from '../../../client/capabilities.ts'
import type { Client } from '../../../client/client.ts'
import type { AnyRecord, NamedField, Resource } from '../../../domain/schema.ts'
import type { Table } from '../../../import/parse/table.ts'
import type { CountedReasons } from '../../../import/rejects/reason-counts.ts'
import type { Rejects } from '../../../import/rejects/rejects.ts'
import type { Cli } from '../../cli.ts'
import type { CountWords } from '../../output/summary.ts'
import type { Job } from '../entries/import/jobs.ts'
import type { ParsedOptions } from '../entries/import/parsed-options.ts'
import type { ProgressView } from '../entries/import/progress.ts'
import type { StopSignals } from '../entries/import/signals.ts'
import type { TargetFlags } from '../targets/keep-history.ts'
import type { TargetHistory } from '../targets/target-history.ts'
import type { RowCounts } from './send-rows.ts'

/** Holds rows as records, and the fields that are shown of them. */
type ShownRows = { readonly shown: readonly NamedField[]; readonly records: readonly AnyRecord[] }

/** Holds what reading the rows of a file needs. */
export type ReadingRows = {
  readonly account: Account
  readonly table: Table
  readonly rejects: Rejects
  readonly signal: AbortSignal
  /** Lets signals and timers run between parts of the file. */
  readonly onProgress: () => Promise<void>
  readonly onNote: (text: string) => void
  readonly onWarning: (text: string) => void
}

/** Describes rows that are planned together, and reads the account for them when their turn comes. */
export type RowsPart = { readonly desired: readonly Desired[]; readonly look: () => Promise<Snapshot> }

/** Describes a file that has been read and checked by itself: what its rows say, and the account as it was read. */
export type ReadRows = {
  readonly desired: readonly Desired[]
  /** Returns the line of an item by its place, where these differ. */
  readonly lineOf?: (place: number) => number
  /** Splits rows into parts, each of which is planned and sent before the next; all are planned first by default. */
  readonly partsOf?: (desired: readonly Desired[]) => Iterable<RowsPart>
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
  readonly summary: Pick<Resource, 'shown'>
  readonly countsOf: (counts: RowCounts) => AnyRecord
  readonly words: CountWords
  readonly dryRunRow: Pick<Resource, 'shown'>
  readonly recordOf: (read: R, row: JudgedRow) => AnyRecord
  /** Adds the names that people see to the rows of a dry run. */
  readonly withNames?: (client: Client, rows: readonly AnyRecord[]) => Promise<ShownRows>
  /** Says in a line what the file would do. */
  readonly sentence: (counts: RowCounts, more: { readonly rejected: number; readonly rounded: number }) => string
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
  readonly words: readonly [one: string, many: string]
  readonly parsed: ParsedOptions
  readonly flags: TargetFlags
  /** Holds what the user said that gives the file its meaning. */
  readonly options: object
  /** Tells whether corrected rejects need the same flags, for another reason than those of an import of entries. */
  readonly hasOwnFlags: boolean
  /** Runs work with all ways to the account that the command needs. */
  readonly withAccount: <T>(client: Client, work: (account: Account) => Promise<T>) => Promise<T>
  readonly read: (reading: ReadingRows) => Promise<R>
  /** Says what people are to know of a plan; of one that is continued, they know what is about its new records. */
  readonly tellPlan: (reading: ReadingRows, read: R, plan: Plan, isContinued: boolean) => Promise<void>
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
