import type { Client } from '../client/client.ts'
import type { Clock } from '../client/transport.ts'
import type { CheckedFile } from './check.ts'
import type { JournalPlace } from './journal/journal.ts'
import type { ImportOptions } from './options.ts'
import type { Table } from './parse/table.ts'
import type { RejectsFile } from './rejects/rejects-file.ts'
import type { VerificationOptions } from './verify/verified.ts'

/** Counts what became of an import. Rows are those of the file; entries are what they hold, one or many a row. */
export type Summary = {
  read: number
  created: number
  updated: number
  unchanged: number
  /** Counts entries that were sent where the service does not tell whether they were created or updated. */
  sent: number
  /** Counts entries that existed already, and were left alone as asked. */
  skipped: number
  /** Counts entries of which a dry run cannot tell what would become, as the key may not read that. */
  unknown: number
  /** Counts rows that were not imported, or not wholly. */
  rejected: number
  /** Counts values that had more than four decimals. */
  rounded: number
  /** Counts rows, or in a wide file cells, without a value. */
  empty: number
  /** Counts assignments that were created. */
  assigned: number
  /** Names what could not be checked before it was sent; empty where all could. */
  unchecked: string
}

/** Returns a summary of nothing yet. */
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
 * Names what an import is doing: reading and checking rows, reading existing entries where that matters, sending
 * entries.
 */
export type Phase = 'read' | 'stored' | 'send'

/** Describes the progress; where nothing can be counted, `done` is 0. */
export type Progress = { readonly phase: Phase; readonly done: number; readonly total?: number }

/** Describes an import or dry run: what to read, and where it goes. */
export type ImportInput = {
  readonly client: Client
  readonly table: Table
  readonly options: ImportOptions
  readonly clock: Clock
  /** Names a folder for what does not fit in memory. */
  readonly folder: string
  /** Asks to stop: at once while the file is read, after the batch at hand while it is sent. */
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
  readonly onNote: (note: string) => void
  /** Takes warnings, even under `--quiet`. */
  readonly onWarning: (warning: string) => void
  /** Takes the checked file, once all of it has been read. */
  readonly onChecked?: (checked: CheckedFile) => void
  /** Asks for everything to be read back in the end, and says where the receipt goes. */
  readonly verify?: VerificationOptions | undefined
}

/** Describes an import that sends, with a place for its rejects. */
export type ImportRun = ImportInput & {
  readonly rejectsFile: RejectsFile
  /** Names the place of the journal; undefined where the run cannot be continued. */
  readonly journal: JournalPlace | undefined
  /** Names the file for what is learned about the service; undefined where that is learned each time. */
  readonly learnedPath?: string | undefined
  /** Takes what forgets the run once that is asked for, where the run is to be known until then; else that is at its end. */
  readonly onFinished?: ((forget: () => void) => void) | undefined
  /** Names for what is sent, so that our own service does nothing twice. */
  readonly random: (bytes: number) => Uint8Array
}
