import { pauseEvery } from '../../../client/next-turn.ts'
import { isListedKind } from '../../../client/operations/kind-operations.ts'
import type { Client } from '../../../client/client.ts'
import { valueWord } from '../../../codec/cell-text.ts'
import {
  type AnyRecord,
  fieldsOnRequest,
  type FieldValue,
  type NamedField,
  printable,
  type Resource,
} from '../../../domain/schema.ts'
import type { Cli } from '../../cli.ts'
import type { Printed } from '../../output/printed.ts'
import { nameIn, pluralOf } from '../../output/short-answer.ts'
import { CHANGED_FIELD, fieldRows, PLANNED, printDryRun } from '../../output/plan.ts'
import { dryRunCounts, toDoText } from '../../output/summary.ts'
import { createNames, type Names } from './reference-names.ts'

/** Describes a record of a dry run: as it is, nothing if it is new, and the values that it gets. */
export type PlannedRecord = {
  readonly held: AnyRecord
  readonly values: Readonly<Record<string, FieldValue | undefined>>
  /** Says what a record without a name is. */
  readonly words?: string
}

/** Holds what a dry run is of, and how it is printed. */
type Printing = {
  readonly cli: Cli
  readonly client: Client
  readonly of: Resource
  readonly verb: 'create' | 'update' | 'delete'
  readonly signal: AbortSignal
}

/** Defines a row of a dry run of changes: a field with its old and new value. */
export const changeRow = printable('change_row', 'row of a dry run of changes', {
  action: { kind: 'text', about: 'create, update or unchanged' },
  id: { kind: 'integer', about: 'Record; null for a new one', nullable: true },
  name: PLANNED.name,
  ...CHANGED_FIELD,
})

const COUNTS = {
  create: dryRunCounts('create', 'Records', ['created']),
  update: dryRunCounts('update', 'Records', ['updated', 'unchanged']),
}

/** Lists what a verb prints of a resource, and of its dry run. */
export const printsOf = (of: Resource, verb: 'create' | 'update'): Printed[] => [
  { of, isList: false },
  { of, isList: true },
  { of: changeRow, isList: true },
  { of: COUNTS[verb], isList: false },
]

/** Returns a value as people read it: a name for an id, a word for a letter. */
const shownValue = async (names: Names, { field }: NamedField, value: FieldValue): Promise<string | null> => {
  if (value === null && !field.secret) return null
  if (field.refers !== undefined && isListedKind(field.refers)) return names.nameOf(field.refers, value)
  return valueWord(field, value)
}

/** Returns the fields that a record gets other values of. */
const differingIn = (of: Resource, { held, values }: PlannedRecord): readonly NamedField[] =>
  [...of.writable, ...fieldsOnRequest(of)].filter(
    ({ name }) => name in values && (values[name] ?? null) !== (held[name] ?? null),
  )

/** Sets how many records are shown in one turn. */
const RECORDS_PER_TURN = 200

/** Says what creating or changing records would do: how many they are, then a row for each field. */
export const printPlanned = async (
  { cli, client, of, verb, signal }: Printing,
  planned: readonly PlannedRecord[],
  summaryOnly = false,
): Promise<void> => {
  const differing = planned.map((one) => differingIn(of, one))
  const isNew = verb === 'create'
  const updated = differing.filter((fields) => fields.length > 0).length
  const counts = isNew ? { created: planned.length } : { updated, unchanged: planned.length - updated }
  const what = toDoText(counts, [of.title, pluralOf(of)])
  await printDryRun(cli, { what, of: COUNTS[isNew ? 'create' : 'update'], counts, summaryOnly }, async () => {
    const names = createNames(client)
    const pause = pauseEvery(RECORDS_PER_TURN, signal)
    const rows: AnyRecord[] = []
    for (const [at, { held, values, words }] of planned.entries()) {
      const fields = await Promise.all(
        (differing[at] ?? []).map(async (one) => ({
          field: one.name,
          old: isNew ? null : await shownValue(names, one, held[one.name] ?? null),
          new: await shownValue(names, one, values[one.name] ?? null),
        })),
      )
      const done = isNew || fields.length > 0 ? verb : 'unchanged'
      const name = words ?? nameIn(isNew ? values : held)
      rows.push(...fieldRows({ action: done, id: held['id'] ?? null, name }, fields))
      await pause()
    }
    await cli.printMany(changeRow.shown, rows, signal)
  })
}
