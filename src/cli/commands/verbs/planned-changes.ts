import type { Client } from '../../../client/client.ts'
import { cellText } from '../../../codec/cell-text.ts'
import { type AnyRecord, type FieldValue, type NamedField, resource, type Resource } from '../../../domain/schema.ts'
import { pauseEvery } from '../../../client/next-turn.ts'
import { isListedKind } from '../../../client/operations/kind-operations.ts'
import type { Cli } from '../../cli.ts'
import { createCounts, printDryRun, updateCounts } from '../../output/dry-run-counts.ts'
import { nameIn, pluralOf } from '../../output/short-answer.ts'
import { countOf } from '../../output/text.ts'
import type { Change } from './read-changes.ts'
import { createNames, type Names } from './reference-names.ts'

/** Describes a change beside the record as it is. */
export type PlannedChange<R> = {
  readonly change: Pick<Change<R>, 'patch'>
  readonly held: AnyRecord
  /** Says what a record without a name is. */
  readonly words?: string
}

/** Defines a row of a dry run of changes: a field with its old and new value. */
export const changeRow = resource({
  name: 'change_row',
  plural: 'change_rows',
  title: 'row of a dry run of changes',
  path: '',
  verbs: [],
  fields: {
    action: { kind: 'text', about: 'create, update or unchanged' },
    id: { kind: 'integer', about: 'Record; null for a new one', nullable: true },
    name: { kind: 'text', about: 'What it is called' },
    field: { kind: 'text', about: 'Field that would change', nullable: true },
    old: { kind: 'text', about: 'Its value now', nullable: true },
    new: { kind: 'text', about: 'Its value afterwards', nullable: true },
  },
})

/** Returns a value as people read it: a name for an id, a word for a letter. */
const shownValue = async (names: Names, { field }: NamedField, value: FieldValue): Promise<string | null> => {
  if (value === null || field.secret) return field.secret ? '(hidden)' : null
  if (field.refers !== undefined && isListedKind(field.refers)) return names.nameOf(field.refers, value)
  return field.words?.[field.oneOf?.indexOf(String(value)) ?? -1] ?? cellText(field, value)
}

const rowsOf = async (
  of: Resource,
  names: Names,
  { change, held, words }: PlannedChange<Resource>,
): Promise<AnyRecord[]> => {
  const patch: Readonly<Record<string, FieldValue | undefined>> = change.patch
  const row = { id: held['id'] ?? null, name: words ?? nameIn(held) }
  const differing = of.writable.filter(
    (one) => one.name in patch && (patch[one.name] ?? null) !== (held[one.name] ?? null),
  )
  if (differing.length === 0) return [{ ...row, action: 'unchanged', field: null, old: null, new: null }]
  return Promise.all(
    differing.map(async (one) => ({
      ...row,
      action: 'update',
      field: one.name,
      old: await shownValue(names, one, held[one.name] ?? null),
      new: await shownValue(names, one, patch[one.name] ?? null),
    })),
  )
}

/** Says what changes would do: how many records they concern, then a row for each field. */
export const printPlanned = async (
  cli: Cli,
  client: Client,
  of: Resource,
  planned: readonly PlannedChange<Resource>[],
  summaryOnly = false,
): Promise<void> => {
  const names = createNames(client)
  const rows = await Promise.all(planned.map((one) => rowsOf(of, names, one)))
  const unchanged = rows.filter(([first]) => first?.['action'] === 'unchanged').length
  const updated = planned.length - unchanged
  const what = `${countOf(updated, of.title, pluralOf(of))} to update, ${unchanged} unchanged`
  await printDryRun(cli, { what, of: updateCounts, counts: { updated, unchanged }, summaryOnly }, () =>
    cli.printMany(changeRow.shown, rows.flat()),
  )
}

/** Describes the fields of a new record. */
type NewFields = Readonly<Record<string, FieldValue | undefined>>

/** Describes how new records are shown. */
type NewOptions = {
  readonly summaryOnly?: boolean
  /** Says what a record without a name is. */
  readonly wordsFor?: ((record: AnyRecord) => Promise<string>) | undefined
  readonly signal: AbortSignal
}

const rowsOfNew = async (
  of: Resource,
  names: Names,
  draft: NewFields,
  wordsFor: NewOptions['wordsFor'],
): Promise<AnyRecord[]> => {
  const given = of.writable.filter((one) => (draft[one.name] ?? null) !== null)
  const record: AnyRecord = Object.fromEntries(given.map((one) => [one.name, draft[one.name] ?? null]))
  const row = { action: 'create', id: null, name: (await wordsFor?.(record)) ?? nameIn(record) }
  return Promise.all(
    given.map(async (one) => ({
      ...row,
      field: one.name,
      old: null,
      new: await shownValue(names, one, record[one.name] ?? null),
    })),
  )
}

/** Sets how many records are shown in one turn. */
const RECORDS_PER_TURN = 200

/** Says which records would be created: how many, then a row for each field. */
export const printPlannedNew = async (
  cli: Cli,
  client: Client,
  of: Resource,
  drafts: readonly NewFields[],
  { summaryOnly, wordsFor, signal }: NewOptions,
): Promise<void> => {
  const what = `${countOf(drafts.length, of.title, pluralOf(of))} to create`
  await printDryRun(cli, { what, of: createCounts, counts: { created: drafts.length }, summaryOnly }, async () => {
    const names = createNames(client)
    const pause = pauseEvery(RECORDS_PER_TURN, signal)
    const rows: AnyRecord[] = []
    for (const draft of drafts) {
      rows.push(...(await rowsOfNew(of, names, draft, wordsFor)))
      await pause()
    }
    await cli.printMany(changeRow.shown, rows, signal)
  })
}
