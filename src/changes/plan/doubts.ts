import { looseName } from '../../domain/name-form.ts'
import { hasNames, keyOf } from '../../domain/kinds.ts'
import type { FieldValue } from '../../domain/schema.ts'
import { type Change, isAccountRecord, type Value } from '../records/change.ts'
import { desiredName } from '../records/desired.ts'
import { KIND_NAMES } from '../records/kind-fields.ts'
import { type AccountRecord, nounOf, type Snapshot } from '../records/snapshot.ts'
import { renameLine } from './match.ts'

const plain = (value: Value): FieldValue | undefined => (isAccountRecord(value) ? value.id : value)

/** Tells whether a new record has the fields of one that the input no longer has, but for its name. */
const hasFieldsOf = ({ record, fields }: Change, gone: AccountRecord): boolean => {
  const key = keyOf(record.kind.name)
  const others = fields.filter(({ config }) => config.name !== key)
  return others.every(({ config, after }) => plain(after) === (gone.stored?.[config.as] ?? null))
}

/**
 * Returns a hint for each new record beside one of its kind that the input no longer has, if only the name differs: it may
 * have been renamed in the input, and would lose what belongs to it.
 */
const renameHints = (changes: readonly Change[], gone: readonly AccountRecord[]): string[] => {
  const created = Map.groupBy(
    changes.filter(({ action, record }) => action === 'create' && hasNames(record.kind.name)),
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

/** Returns what an item names in another form than the account, whose name stays as it is. */
const otherwiseNamed = (snapshot: Snapshot): string[] =>
  KIND_NAMES.flatMap((one) => snapshot.ofKind(one)).flatMap(({ kind, stored, name, desired }) => {
    const given = desired && stored ? desiredName(desired) : name
    const what = kind.name === 'user' ? 'address' : 'name'
    return given === name ? [] : [`${kind.of.title} "${given}" is the stored "${name}", whose ${what} stays as it is`]
  })

/** Returns what may not be meant in the names of a plan: new ones that nearly are known ones, and records that may have been renamed. */
export const doubtsOf = (snapshot: Snapshot, changes: readonly Change[], gone: readonly AccountRecord[]): string[] => {
  const formOf = ({ kind, name, above }: AccountRecord): string =>
    `${kind.name} ${above['group']?.serial ?? ''} ${looseName(name)}`
  const known = new Map(
    KIND_NAMES.flatMap((one) => snapshot.ofKind(one))
      .filter(({ stored, name }) => stored !== undefined && name !== '')
      .map((record) => [formOf(record), record.name]),
  )
  const fresh = new Map<string, string>()
  const nearlyKnown = changes.flatMap(({ action, record }) => {
    if (action !== 'create' || record.name === '') return []
    const [key, title] = [formOf(record), record.kind.of.title]
    const near = known.get(key)
    const twin = fresh.get(key)
    fresh.set(key, record.name)
    if (near !== undefined)
      return [`${title} "${record.name}" is new, and differs from "${near}" only in case, blanks or dashes`]
    if (twin === undefined) return []
    return [`${title} "${record.name}" is new beside the new "${twin}", which is the same name in another spelling`]
  })
  return [...nearlyKnown, ...otherwiseNamed(snapshot), ...renameHints(changes, gone)]
}
