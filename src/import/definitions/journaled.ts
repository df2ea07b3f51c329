import { intervalsOf } from '../delivery/write-ahead.ts'
import type { EntryKey } from '../entry-key.ts'
import type { Intent, Journal } from '../journal/journal.ts'
import { emptyTally, type Tally } from '../journal/tally.ts'
import type { ExistingDefinitions } from './existing.ts'
import type { DefinitionAction, SentDefinition } from './plan.ts'
import type { DefinitionRow } from './rows.ts'

/** Describes what the journal says of a row: what was about to be sent, and what became of it, if that is known. */
export type JournaledRow = {
  readonly id: number
  readonly action: SentDefinition['action']
  readonly outcome: Tally | undefined
  /** Holds the id of the record that was created, if its answer came. */
  readonly created: number | undefined
}

/** A row has its line as its key, which no other row of the file has. */
const keyOfLine = (line: number): EntryKey => [line, 0, 0]

/** Returns what earlier parts of a run journaled, by the lines of the rows. */
export const journaledRows = (journal: Journal): Map<number, JournaledRow> =>
  new Map(
    [...intervalsOf(journal)].map(({ id, first: [line], digest, outcome, created }) => [
      line,
      { id, action: digest === 'update' ? 'update' : 'create', outcome, created },
    ]),
  )

/** Returns what tells whether an earlier part of the run may have created a row's record, which the service does not list. */
export const isUnseen =
  (existing: ExistingDefinitions, earlier: ReadonlyMap<number, JournaledRow>) =>
  ({ row }: DefinitionAction): boolean => {
    const known = earlier.get(row.line)
    return known?.outcome === undefined && known?.action === 'create' && existing.find(row) === undefined
  }

const intentOf = ({ action, row: { line } }: SentDefinition, now: number): Intent => ({
  first: keyOfLine(line),
  last: keyOfLine(line),
  count: 1,
  digest: action,
  way: 'one',
  places: undefined,
  stage: emptyTally(),
  sentAt: now,
})

/** Journals rows that are about to be sent, and returns their ids once that is on the disk. */
export const journalRows = (journal: Journal, rows: readonly SentDefinition[], now: number): number[] =>
  rows.length === 0 ? [] : journal.intend(rows.map((one) => intentOf(one, now)))

/** Returns the tally of a row that has one outcome. */
export const tallyOf = (outcome: 'created' | 'updated' | 'unchanged' | 'skipped'): Tally => ({
  ...emptyTally(),
  [outcome]: 1,
})

/** Returns the tally of a row that was refused. */
export const refusedTally = ({ line }: DefinitionRow, reasons: readonly string[]): Tally => ({
  ...emptyTally(),
  refused: reasons.map((reason) => [line, reason]),
})
