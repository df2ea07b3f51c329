import type { AnyRecord, Fields, Printable } from '../../domain/schema.ts'
import type { Cli } from '../cli.ts'
import { type Chunks, firstOf, isForPeople, printRecords } from './print.ts'
import { isPrintedAsData } from './short-answer.ts'
import { type Counts, dryRunCounts, printCounts } from './summary.ts'

/** Holds the fields that several kinds of rows of plans have. */
export const PLANNED = {
  line: { kind: 'integer', about: 'Line of the file' },
  name: { kind: 'text', about: 'What it is called' },
  reason: { kind: 'text', about: 'Why it would be rejected', nullable: true, isSentence: true },
  changes: { kind: 'text', about: 'Stored values that would change, old and new', nullable: true, isSentence: true },
} as const satisfies Fields

/** Holds the fields of a row for one field of a record. */
export const CHANGED_FIELD = {
  field: { kind: 'text', about: 'Field that would be set; null if there is none', nullable: true },
  old: { kind: 'text', about: 'Its value now', nullable: true },
  new: { kind: 'text', about: 'Its value afterwards', nullable: true },
} as const satisfies Fields

/** Describes a field of a record, with its values now and afterwards as people read them. */
export type ChangedField = { readonly field: string; readonly old: string | null; readonly new: string | null }

/** Returns a row for each field of a record that would be set, or one alone where there is none. */
export const fieldRows = (head: AnyRecord, fields: readonly ChangedField[]): AnyRecord[] =>
  (fields.length === 0 ? [{ field: null, old: null, new: null }] : fields).map((one) => ({ ...head, ...one }))

/** Says which values would change: `actual: 80.5 → 90; target: none → 5`; of a new record only what it gets. */
export const changesText = (fields: readonly ChangedField[], isNew = false): string =>
  fields
    .map(({ field, old, new: next }) => `${field}: ${isNew ? '' : `${old ?? 'none'} → `}${next ?? 'none'}`)
    .join('; ')

/** Defines the counts of the dry run of a delete. */
export const deleteCounts = dryRunCounts('delete', 'Records', ['deleted'])

/** Returns the line that says what a dry run found. */
export const dryRunText = (what: string): string => `dry run, nothing was sent: ${what}`

/** Prints the counts of a dry run as data; people read them in a note. */
export const printDryRunCounts = async (cli: Cli, of: Pick<Printable, 'shown'>, counts: AnyRecord): Promise<void> => {
  if (isPrintedAsData(cli)) await printCounts(cli, of, counts)
}

/** Describes what a dry run found: a sentence, and its counts. */
type DryRun = {
  readonly what: string
  readonly of: Pick<Printable, 'shown'>
  readonly counts: Counts
  /** Tells whether the counts alone are printed. */
  readonly summaryOnly?: boolean | undefined
}

/** Says what a command would do, then prints its rows, or the counts alone. */
export const printDryRun = async (
  cli: Cli,
  { what, of, counts, summaryOnly }: DryRun,
  printRows: () => Promise<void>,
): Promise<void> => {
  await cli.note(dryRunText(what))
  await (summaryOnly ? printDryRunCounts(cli, of, counts) : printRows())
}

async function* inOrder(chunks: Chunks): AsyncGenerator<readonly AnyRecord[]> {
  yield* chunks
}

/** Prints rows of a plan as they come; for people nothing is printed where there are none. */
export const printPlan = async (cli: Cli, { shown }: Pick<Printable, 'shown'>, chunks: Chunks): Promise<void> => {
  const rows = inOrder(chunks)
  const first = await firstOf(rows)
  if (first.length === 0 && isForPeople(cli.printing().format)) return
  async function* all(): AsyncGenerator<readonly AnyRecord[]> {
    yield first
    yield* rows
  }
  await printRecords(cli.io, cli.printing(), shown, all())
}
