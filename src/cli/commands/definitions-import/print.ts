import { cellText } from '../../../codec/cell-text.ts'
import { type AnyRecord, type FieldValue, resource, type Resource } from '../../../domain/schema.ts'
import type { CheckedDefinitions } from '../../../import/definitions/check.ts'
import type { DefinitionRole } from '../../../import/definitions/roles.ts'
import type { DefinitionSummary, PlannedDefinition } from '../../../import/definitions/import-definitions.ts'
import type { Printed } from '../../output/printed.ts'
import { pluralOf } from '../../output/short-answer.ts'
import type { CountWords } from '../../output/summary.ts'
import { countOf } from '../../output/text.ts'

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
export const dryRunSentence = (of: Resource, summary: DefinitionSummary): string => {
  const { created, updated, unchanged, skipped, rejected, rounded } = summary
  return (
    `dry run, nothing was sent: ${countOf(created, ...wordsOf(of))} to create, ${updated} to update, ${unchanged} unchanged, ` +
    (skipped > 0 ? `${skipped} to leave alone, ` : '') +
    `${countOf(rejected, 'row')} to reject` +
    (rounded > 0 ? `, ${countOf(rounded, 'number')} to round` : '')
  )
}

/** Returns a value as people read it: a name for an id, and no secret. */
const shownValue = (
  { role, field }: DefinitionRole,
  { lookups }: Pick<CheckedDefinitions, 'lookups'>,
  value: FieldValue | undefined,
): string => {
  if (value === undefined || value === null) return 'none'
  if (field.secret) return '(hidden)'
  return lookups.get(role)?.byId.get(Number(value))?.name ?? cellText(field, value)
}

const changesIn = (checked: CheckedDefinitions, key: string, planned: PlannedDefinition): string | null => {
  if (planned.action !== 'create' && planned.action !== 'update') return null
  const { values } = planned
  const held = planned.action === 'update' ? planned.held : undefined
  const parts = checked.roles.flatMap((one) => {
    const value = values[one.name]
    if (value === undefined || one.name === key) return []
    const before = held ? `${shownValue(one, checked, held[one.name])} → ` : ''
    return [`${one.role}: ${before}${shownValue(one, checked, value)}`]
  })
  return parts.join('; ')
}

/** Returns a row of a dry run as a record. */
export const dryRunRecord = (checked: CheckedDefinitions, key: string, planned: PlannedDefinition): AnyRecord => {
  if (planned.action === 'reject') return { ...planned, id: null, changes: null }
  return {
    line: planned.row.line,
    action: planned.action,
    id: 'held' in planned ? Number(planned.held['id']) : null,
    name: planned.row.key,
    changes: changesIn(checked, key, planned),
    reason: null,
  }
}
