import { cellText } from '../../../../codec/cell-text.ts'
import { newerEntry } from '../../../../domain/resources/entry.ts'
import { type AnyRecord, type Printable, printable } from '../../../../domain/schema.ts'
import type { DryRunOutcome } from '../../../../loading/dry-run.ts'
import { isProvisional } from '../../../../reading/directory/lookup.ts'
import { type ChangedField, changesText, PLANNED } from '../../../output/plan.ts'
import { type Noun, summary } from '../../../output/summary.ts'

/** Defines the summary of an import, as it is printed. */
export const importSummary = summary(
  'import_summary',
  'summary of an import, or of its dry run',
  'Entries',
  [
    'read',
    'created',
    'updated',
    'unchanged',
    'sent',
    'skipped',
    'rejected',
    'rounded',
    'empty',
    'assigned',
    'left',
    'restated',
  ],
  { unchecked: { kind: 'text', about: 'What could not be checked before it was sent', nullable: true } },
)

/** Holds the words for one entry and for several. */
export const ENTRIES: Noun = ['entry', 'entries']

/** Defines a row of a dry run where entries may belong to any breakdown item. */
export const newerDryRunRow = printable('dry_run_row', 'row of a dry run', {
  line: PLANNED.line,
  action: {
    kind: 'text',
    about:
      'create, update, add, unchanged, skip, send (if the key may not read enough to tell), restated (by a later file) or reject',
  },
  user_id: { kind: 'integer', about: 'User; blank if new', nullable: true, refers: 'user' },
  source_id: {
    kind: 'integer',
    about: 'Breakdown item, if it is not a person',
    nullable: true,
    refers: 'breakdown_item',
  },
  kpi_id: { kind: 'integer', about: 'KPI; blank if new', nullable: true, refers: 'kpi' },
  entry_date: { kind: 'date', about: 'Day', nullable: true },
  actual: { kind: 'decimal', about: 'Actual to be sent', nullable: true },
  target: { kind: 'decimal', about: 'Target to be sent', nullable: true },
  notes: { kind: 'text', about: 'Notes to be sent', nullable: true },
  reason: { ...PLANNED.reason, about: 'Why it would be rejected, or what of it would be created' },
  changes: PLANNED.changes,
})

/** Defines a row of a dry run where all entries belong to people. */
export const dryRunRow: Printable = {
  ...newerDryRunRow,
  shown: newerDryRunRow.shown.filter(({ name }) => name !== 'source_id'),
}

/** Returns the id of something; null for what would be created first. */
const existingId = (id: number | null | undefined): number | null =>
  id === null || id === undefined || isProvisional(id) ? null : id

const VALUES = ['actual', 'target', 'notes'] as const

/** Returns what of an entry would change, with its values as people read them. */
const changedFields = ({ before, after }: NonNullable<DryRunOutcome['change']>): ChangedField[] =>
  VALUES.filter((name) => before[name] !== after[name]).map((name) => {
    const textOf = ({ [name]: value }: typeof after): string | null =>
      value === null ? null : cellText(newerEntry.fields[name], value)
    return { field: name, old: textOf(before), new: textOf(after) }
  })

/** Returns a row of a dry run as a record. */
export const dryRunRecord = ({ line, action, draft, reason, change }: DryRunOutcome): AnyRecord => ({
  line,
  action,
  user_id: existingId(draft?.user_id),
  // A person's item says no more than the user.
  source_id: typeof draft?.user_id === 'number' ? null : existingId(draft?.source_id),
  kpi_id: existingId(draft?.kpi_id),
  entry_date: draft?.entry_date ?? null,
  actual: draft?.actual ?? null,
  target: draft?.target ?? null,
  notes: draft?.notes ?? null,
  reason: reason === '' ? null : reason,
  changes: change ? changesText(changedFields(change)) : null,
})
