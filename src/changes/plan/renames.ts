import type { FieldValue } from '../../domain/schema.ts'
import { type Change, isAccountRecord, type Value } from '../records/change.ts'
import { type AccountRecord, nounOf } from '../records/snapshot.ts'

const plain = (value: Value): FieldValue | undefined => (isAccountRecord(value) ? value.id : value)

/** Returns the field that holds the name by which a record is told from others; undefined if it has none. */
const keyOf = ({ kind }: AccountRecord): string | undefined =>
  kind.identity.find((name) => name === 'name' || name === 'email')

/** Tells whether a new record has the fields of one that the input no longer has, but for its name. */
const hasFieldsOf = ({ record, fields }: Change, gone: AccountRecord): boolean => {
  const key = keyOf(record)
  const others = fields.filter(({ config }) => config.name !== key)
  return others.every(({ config, after }) => plain(after) === (gone.stored?.[config.as] ?? null))
}

/** Returns what renames a record, as a line to paste. */
export const renameLine = ({ kind, id }: AccountRecord, name: string): string => {
  const flag = kind.identity.includes('email') ? '--email' : '--name'
  return `kpi ${kind.of.plural.replaceAll('_', '-')} update ${id} ${flag} '${name.replaceAll("'", String.raw`'\''`)}'`
}

/**
 * Returns a hint for each new record beside one of its kind that the input no longer has, if only the name differs: it may
 * have been renamed in the input, and would lose what belongs to it.
 */
export const renameHints = (changes: readonly Change[], gone: readonly AccountRecord[]): string[] => {
  const created = Map.groupBy(
    changes.filter(({ action, record }) => action === 'create' && keyOf(record) !== undefined),
    ({ record }) => record.kind.name,
  )
  return [...created].flatMap(([kind, news]) => {
    const left = gone.filter((one) => one.kind.name === kind)
    const pairs = news.flatMap((change) => {
      const alike = left.filter((one) => hasFieldsOf(change, one))
      const [only, ...others] = alike
      return only && others.length === 0 ? [{ record: change.record, gone: only }] : []
    })
    const isOne = (one: AccountRecord): boolean => pairs.filter((pair) => pair.gone === one).length === 1
    return pairs
      .filter((pair) => isOne(pair.gone))
      .map(
        ({ record, gone: old }) =>
          `${nounOf(record)} is new, and has the fields of ${nounOf(old)}, which the file no longer has: if it is that one under another name, rename it first: ${renameLine(old, record.name)}`,
      )
  })
}
