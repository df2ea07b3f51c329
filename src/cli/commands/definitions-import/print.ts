import { valueText } from '../../../changes/print/plan-rows.ts'
import { desiredName } from '../../../changes/records/desired.ts'
import type { Planned } from '../../../changes/plan/plan.ts'
import { type AnyRecord, resource, type Resource } from '../../../domain/schema.ts'
import type { CheckedDefinitions } from '../../../import/definitions/check.ts'
import { type DefinitionKind, fieldOf } from '../../../import/definitions/columns.ts'
import type { Printed } from '../../output/printed.ts'
import { pluralOf } from '../../output/short-answer.ts'
import type { CountWords } from '../../output/summary.ts'
import { countOf } from '../../output/text.ts'
import type { JudgedRow } from '../changes/rows-import.ts'
import type { RowCounts } from '../changes/send-rows.ts'

/** Defines the summary of an import of definitions, as it is printed. */
export const definitionSummary = resource({
  name: 'definition_summary',
  plural: 'definition_summaries',
  title: 'summary of an import of definitions',
  path: '',
  verbs: [],
  fields: {
    read: { kind: 'integer', about: 'Rows of the file' },
    created: { kind: 'integer', about: 'Records that were created' },
    updated: { kind: 'integer', about: 'Records that were changed' },
    unchanged: { kind: 'integer', about: 'Records that were as the file says already' },
    skipped: { kind: 'integer', about: 'Records that existed already and were left alone' },
    rejected: { kind: 'integer', about: 'Rows that were not imported' },
    rounded: { kind: 'integer', about: 'Numbers that had more than four decimals' },
    empty: { kind: 'integer', about: 'Rows without any cell' },
    left: {
      kind: 'integer',
      about: 'Rows that were not sent, or whose records may be there twice, because the run was stopped',
    },
    requests: { kind: 'integer', about: 'Requests that were answered' },
    refused: { kind: 'integer', about: 'Requests that were refused because of the rate limit, and sent again' },
    waited: { kind: 'decimal', about: 'Seconds that requests waited for the rate limit' },
    seconds: { kind: 'decimal', about: 'How long it took' },
    receipt: { kind: 'text', about: 'Receipt with which kpi undo takes it back', nullable: true },
  },
})

/** Defines a row of a dry run of definitions. */
export const definitionDryRunRow = resource({
  name: 'definition_dry_run_row',
  plural: 'definition_dry_run_rows',
  title: 'row of a dry run of definitions',
  path: '',
  verbs: [],
  fields: {
    line: { kind: 'integer', about: 'Line of the file' },
    action: { kind: 'text', about: 'create, update, unchanged, skip or reject' },
    id: { kind: 'integer', about: 'Record that exists already', nullable: true },
    name: { kind: 'text', about: 'Name of the record, or e-mail address of a person', nullable: true },
    changes: { kind: 'text', about: 'Fields with old and new values', nullable: true, isSentence: true },
    reason: { kind: 'text', about: 'Why it would be rejected', nullable: true, isSentence: true },
  },
})

/** Lists what an import of definitions may print. */
export const definitionPrints: readonly Printed[] = [
  { of: definitionSummary, isList: false },
  { of: definitionDryRunRow, isList: true },
]

/** Returns the words for one and for several of a resource, as in `3 breakdown items`. */
export const wordsOf = (of: Resource): readonly [one: string, many: string] => [of.title, pluralOf(of)]

/** Returns the words for what an import of a resource did. */
export const countWords = (of: Resource): CountWords => {
  const [one, many] = wordsOf(of)
  const done = (word: string): readonly [string, string] => [`${one} ${word}`, `${many} ${word}`]
  return {
    read: ['row read', 'rows read'],
    created: done('created'),
    updated: done('updated'),
    unchanged: done('unchanged'),
    skipped: done('left alone'),
    rejected: ['row rejected', 'rows rejected'],
    left: ['row left', 'rows left'],
  }
}

/** Says in a line what a file would do. */
export const dryRunSentence = (
  of: Resource,
  { created, updated, unchanged, skipped }: RowCounts,
  { rejected, rounded }: { readonly rejected: number; readonly rounded: number },
): string =>
  `${countOf(created, ...wordsOf(of))} to create, ${updated} to update, ${unchanged} unchanged, ` +
  (skipped > 0 ? `${skipped} to leave alone, ` : '') +
  `${countOf(rejected, 'row')} to reject` +
  (rounded > 0 ? `, ${countOf(rounded, 'number')} to round` : '')

/** Returns the fields that a row sets, with old and new values, in the order and the words of the columns. */
const changesIn = (kind: DefinitionKind, { roles }: CheckedDefinitions, { changes }: Planned): string | null => {
  const [change] = changes
  if (!change) return null
  const parts = roles.flatMap(({ role, name }) => {
    const config = fieldOf(kind, name)
    if (!config || name === kind.key) return []
    const given = change.fields.find((one) => one.config.name === config.name)
    const value = given ? given.after : change.defaults?.[config.as]
    if (value === undefined) return []
    const before = change.action === 'update' && given ? `${valueText(config, given.before) ?? 'none'} → ` : ''
    return [`${role}: ${before}${valueText(config, value) ?? 'none'}`]
  })
  return parts.join('; ')
}

/** Returns a row of a dry run as a record. */
export const dryRunRecord = (kind: DefinitionKind, checked: CheckedDefinitions, row: JudgedRow): AnyRecord => {
  if (row.action === 'reject') return { ...row, id: null, name: checked.names.get(row.line) ?? null, changes: null }
  const { action, desired, record } = row
  return {
    line: desired.line,
    action,
    id: record?.stored ? Number(record.stored['id']) : null,
    name: desiredName(desired),
    changes: changesIn(kind, checked, row),
    reason: null,
  }
}
