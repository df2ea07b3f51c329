import type { ChangeLog, CreationLog } from '../../runs/entries/receipt-writer.ts'
import type { MissingPlan, PlanningMissing } from '../../reading/missing/plan-missing.ts'
import type { Client } from '../../client/client.ts'
import type { Clock } from '../../client/transport.ts'
import type { CheckedFile } from '../../reading/entries/check.ts'
import type { JournalPlace } from '../../runs/entries/journal.ts'
import type { RealIds, ReferenceLists } from '../../reading/directory/missing.ts'
import type { ImportOptions } from '../../reading/options/options.ts'
import type { Table } from '../../tabular/source/table.ts'
import type { Restatements } from '../../reading/rows/restatements.ts'
import type { RejectsFile } from '../../reading/rejects/rejects.ts'

/**
 * Names what an import is doing: reading and checking rows, fetching the assignments of their users, reading existing
 * entries if they matter, creating assignments, sending entries, sending rows of something else; or what a copy of a store is doing.
 */
export type Phase = 'read' | 'assigned' | 'stored' | 'assign' | 'send' | 'rows' | 'copy' | 'compare'

/** Describes the progress; `done` is 0 if nothing can be counted. */
export type Progress = { readonly phase: Phase; readonly done: number; readonly total?: number }

/** Describes where entries were imported to, without any secret. */
type VerifiedPlace = {
  /** Holds the base URL, or the data directory of the embedded service. */
  readonly service: string
  readonly profile: string | null
  /** Holds the login name, where there is one. */
  readonly login: string | null
}

/** Says where the receipt of a verification goes; a verification reads everything back at the end of the run. */
export type VerificationOptions = {
  /** Names the receipt by its absolute path. */
  readonly receiptPath: string
  /** Tells that the user named it, so that it may be a pipe or a device. */
  readonly isNamed?: boolean
  readonly place: VerifiedPlace
  /** Names the receipt and the rejects file for messages. */
  readonly receiptFile: string
  readonly rejectsFile: string
}

/** Describes an import or dry run: what to read, and where it goes. */
export type ImportInput = ReferenceLists &
  PlanningMissing & {
    readonly client: Client
    readonly table: Table
    readonly options: ImportOptions
    /** Marks the rows that later files of the run give again. */
    readonly restatements?: Restatements | undefined
    /** Holds by their fingerprints the files of the run that were read, as equal files are imported each by itself. */
    readonly equalFiles?: Map<string, Table[]>
    readonly clock: Clock
    /** Names the folder for temporary files. */
    readonly folder: string
    /** Asks to stop: at once while the file is read, after the current batch while entries are sent. */
    readonly signal: AbortSignal
    /** Holds the most requests in a minute, if the user has set it. */
    readonly rate?: number | undefined
    readonly onProgress: (progress: Progress) => void
    readonly onNote: (note: string) => void
    /** Receives the checked file, once all of it has been read. */
    readonly onChecked?: (checked: CheckedFile) => void
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
  /**
   * Receives the path of the journal before anything is created, if there is one, and before anything is sent the id of the run,
   * which one that continues has, too.
   */
  readonly onJournal?: ((path: string | undefined, runId?: string) => void) | undefined
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
