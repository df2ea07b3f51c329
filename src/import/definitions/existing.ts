import { createSuggest, looseName } from '../../client/directory.ts'
import { listFirst, MOST_LISTED } from '../../domain/count-text.ts'
import { Fault } from '../../domain/errors.ts'
import type { AnyRecord } from '../../domain/schema.ts'
import type { DefinitionKind } from './kinds.ts'
import { type DefinitionRow, identityOf } from './rows.ts'

/** Finds what the service has of the definitions in a file. */
export type ExistingDefinitions = {
  /** Finds the record that a row means; a fault if it may be several, undefined if there is none. */
  readonly find: (row: Pick<DefinitionRow, 'parent' | 'key'>) => AnyRecord | Fault | undefined
  /** Returns the ids of all records that a row may mean, the oldest first. */
  readonly alike: (row: Pick<DefinitionRow, 'parent' | 'key'>) => readonly number[]
  /** Returns the known name, in the same place, that a row of a new one most likely means, if there is one. */
  readonly near: (row: Pick<DefinitionRow, 'parent' | 'key'>) => string | undefined
  /** Returns the largest `sort_order`; 0 if there is none. */
  readonly lastPlace: () => number
  /** Lists the names, or e-mail addresses, by which the records are known. */
  readonly keys: () => readonly string[]
}

/** Creates the index of the records of a kind. */
export const indexDefinitions = (
  { of, key, within }: DefinitionKind,
  records: readonly AnyRecord[],
): ExistingDefinitions => {
  const keyIn = (record: AnyRecord): string => String(record[key] ?? '')
  const parentOf = (record: AnyRecord): number => Number(record[within ?? ''] ?? 0)
  const known = Map.groupBy(records, (record) => identityOf(parentOf(record), keyIn(record)))
  const byParent = Map.groupBy(records, parentOf)
  const suggest = createSuggest()
  return {
    find: ({ parent, key: wanted }) => {
      const alike = known.get(identityOf(parent, wanted)) ?? []
      const exact = alike.filter((record) => keyIn(record) === wanted)
      const [first, ...others] = exact.length > 0 ? exact : alike
      if (others.length === 0) return first
      const ids = listFirst(exact.length > 0 ? exact : alike, MOST_LISTED, ({ id }) => String(id))
      return new Fault(`"${looseName(wanted)}" is the ${key} of more than one ${of.title}: ${ids}`)
    },
    alike: ({ parent, key: wanted }) =>
      (known.get(identityOf(parent, wanted)) ?? []).map(({ id }) => Number(id)).toSorted((one, other) => one - other),
    near: ({ parent, key: wanted }) => suggest(wanted, () => (byParent.get(parent) ?? []).map(keyIn)),
    lastPlace: () => records.reduce((last, { sort_order }) => Math.max(last, Number(sort_order ?? 0)), 0),
    keys: () => records.map(keyIn),
  }
}
