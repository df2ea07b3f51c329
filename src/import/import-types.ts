import type { Client } from '../client/client.ts'
import type { Clock } from '../client/transport.ts'
import type { CheckedFile } from './check.ts'
import type { JournalPlace } from './journal/journal.ts'
import type { CreationLog } from './undo/note-created.ts'
import type { RealIds, ReferenceLists } from './missing/missing.ts'
import type { EarlierKpis } from './missing/renamed-kpis.ts'
import type { MissingPlan } from './missing/plan.ts'
import type { ImportOptions } from './options.ts'
import type { Table } from './parse/table.ts'
import type { RejectsFile } from './rejects/rejects-file.ts'
import type { ChangeLog } from './undo/note-changes.ts'
import type { VerificationOptions } from './verify/verified.ts'

/** Counts the results of an import. Rows are those of the file; a row holds one entry, or in a wide file many. */
export type Summary = {
  read: number
  created: number
  updated: number
  unchanged: number
  /** Counts entries that were sent if the service does not tell whether they were created or updated. */
  sent: number
  /** Counts existing entries that were left alone, as the user asked. */
  skipped: number
  /** Counts entries whose outcome a dry run cannot tell, because the key may not read what it depends on. */
  unknown: number
  /** Counts rows that were not imported, or only in part. */
  rejected: number
  /** Counts values that had more than four decimals. */
  rounded: number
  /** Counts rows, or in a wide file cells, without a value. */
  empty: number
  /** Counts assignments that were created. */
  assigned: number
  /** Lists what could not be checked before entries were sent; empty if everything could. */
  unchecked: string
}

/** Returns an empty summary. */
export const emptySummary = (): Summary => ({
  read: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  sent: 0,
  skipped: 0,
  unknown: 0,
  rejected: 0,
  rounded: 0,
  empty: 0,
  assigned: 0,
  unchecked: '',
})

/**
 * Names what an import is doing: reading and checking rows, fetching the assignments of their users, reading existing
 * entries if they matter, creating assignments, sending entries, sending rows of something else; or what a copy of a store is doing.
 */
export type Phase = 'read' | 'assigned' | 'stored' | 'assign' | 'send' | 'rows' | 'copy' | 'compare'

/** Describes the progress; `done` is 0 if nothing can be counted. */
export type Progress = { readonly phase: Phase; readonly done: number; readonly total?: number }

/** Describes an import or dry run: what to read, and where it goes. */
export type ImportInput = ReferenceLists & {
  readonly client: Client
  readonly table: Table
  readonly options: ImportOptions
  readonly clock: Clock
  /** Names the folder for temporary files. */
  readonly folder: string
  /** Asks to stop: at once while the file is read, after the current batch while entries are sent. */
  readonly signal: AbortSignal
  /** Holds the most requests in a minute, if the user has set it. */
  readonly rate?: number | undefined
  readonly onProgress: (progress: Progress) => void
  readonly onNote: (note: string) => void
  /** Receives warnings, which are shown even with `--quiet`. */
  readonly onWarning: (warning: string) => void
  /** Receives the checked file, once all of it has been read. */
  readonly onChecked?: (checked: CheckedFile) => void
  /** Finds the KPIs of which earlier files of the same kind had entries. */
  readonly earlierKpis?: () => Promise<EarlierKpis | undefined>
  /** Receives what the file names and the service does not have, before any of it is created. */
  readonly onMissing?: (plan: MissingPlan) => void
  /** Asks for everything to be read back at the end, and says where the receipt goes. */
  readonly verify?: VerificationOptions | undefined
}

/** Describes an import that sends, with a place for its rejects. */
export type ImportRun = ImportInput & {
  readonly rejectsFile: RejectsFile
  /** Receives the assignments that are created. */
  readonly created: CreationLog
  /** Receives what becomes of entries, before they are sent; undefined if that is not wanted. */
  readonly changes?: ChangeLog | undefined
  /** Creates what is missing, and returns the ids by the provisional ones; throws if that is not wanted after all. */
  readonly createMissing: (plan: MissingPlan) => Promise<RealIds>
  /** Names the place of the journal; undefined where the run cannot be continued. */
  readonly journal: JournalPlace | undefined
  /** Names the file for what is learned about the service; undefined if it is not kept. */
  readonly learnedPath?: string | undefined
  /** Receives the path of the journal before anything is created, and once it is open the id of the run, which one that continues has, too. */
  readonly onJournal?: ((path: string, runId?: string) => void) | undefined
  /**
   * Receives a function that removes the run's journal, if the caller wants to keep it for now; without it the run
   * removes the journal at its end.
   */
  readonly onFinished?: ((forget: () => void) => void) | undefined
  /** Receives the day of an earlier part of the run, which a word for the date of all rows stands for in this one, too. */
  readonly onSettledDay?: ((day: string) => void) | undefined
  /** Returns random bytes for the id of the run, with which Idempotency-Keys begin. */
  readonly random: (bytes: number) => Uint8Array
}
