import type { Client } from '../client/client.ts'
import type { Clock } from '../client/transport.ts'
import type { Checked } from './check.ts'
import type { JournalPlace } from './journal/journal.ts'
import type { ImportOptions } from './options.ts'
import type { Table } from './parse/table.ts'
import type { RejectsFile } from './rejects/rejects-file.ts'
import type { Verifying } from './verify/verified.ts'

/** What became of an import. Rows are those of the file; entries are what they hold, one or many a row. */
export type Summary = {
  read: number
  created: number
  updated: number
  unchanged: number
  /** Entries that were sent where the service does not tell whether they were made or changed. */
  sent: number
  /** Entries that were there already, and were to be left alone. */
  skipped: number
  /** Entries of which a dry run cannot tell what would become, as the key may not read what would tell. */
  unknown: number
  /** Rows that were not loaded, or not wholly. */
  rejected: number
  /** Values that had more than four decimals. */
  rounded: number
  /** Rows, or in a wide file cells, that hold no value. */
  empty: number
  /** Assignments that were created. */
  assigned: number
  /** What could not be checked before it was sent, in a few words; empty where all could. */
  unchecked: string
}

/** A summary of nothing yet. */
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

/** What an import does: it reads and checks rows, reads what is there where that matters, sends entries. */
export type Phase = 'read' | 'stored' | 'send'

/** How far that is; where nothing can be counted nothing is done yet. */
export type Progress = { readonly phase: Phase; readonly done: number; readonly total?: number }

/** An import: what to load, from where to where. */
export type Import = {
  readonly client: Client
  readonly table: Table
  readonly options: ImportOptions
  readonly clock: Clock
  /** A folder for what does not fit in memory. */
  readonly folder: string
  /** Asks to stop: at once while the file is read, after the batch at hand while it is sent. */
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
  readonly onNote: (note: string) => void
  /** Told what has to be known, also where nobody wants to hear notes. */
  readonly onWarning: (warning: string) => void
  /** Told once the whole file has been read and checked. */
  readonly onChecked?: (checked: Checked) => void
  /** Whether everything is read back in the end, and what of that is written where. */
  readonly verify?: Verifying | undefined
}

/** An import that is meant: with a place for what is rejected. */
export type Load = Import & {
  readonly rejectsFile: RejectsFile
  /** Where it is kept how far a run is; nowhere where there is no continuing. */
  readonly journal: JournalPlace | undefined
  /** Where it is kept what was found out about the service; nowhere where that is found out each time. */
  readonly learnedPath?: string | undefined
  /** Takes what forgets the run once that is asked for, where the run is to be known until then; else that is at its end. */
  readonly onFinished?: ((forget: () => void) => void) | undefined
  /** Names for what is sent, so that our own service does nothing twice. */
  readonly random: (bytes: number) => Uint8Array
}
