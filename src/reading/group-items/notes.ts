import type { Planned } from '../../changes/plan/plan.ts'
import type { KindName } from '../../changes/records/kind-fields.ts'
import { type AccountRecord, labelOf, type Snapshot } from '../../changes/records/snapshot.ts'
import { countedText, listFirst } from '../../domain/count-text.ts'
import { listFlag } from '../options/flag-text.ts'

/** Bounds the names that a note lists. */
const SHOWN = 5

const createdOf = (planned: readonly Planned[], kind: string): Planned[] =>
  planned.filter(({ action, desired }) => action === 'create' && desired.kind.name === kind)

/** Returns the items of the same group that a person has, beside one that is given now. */
const heldBeside = (
  { record }: Planned,
  held: ReadonlyMap<AccountRecord | undefined, AccountRecord[]>,
): AccountRecord[] => {
  const { user, group_item: item } = record?.above ?? {}
  return (held.get(user) ?? []).flatMap(({ above }) => {
    const other = above['group_item']
    return other && other !== item && other.above['group'] === item?.above['group'] ? [other] : []
  })
}

/** Says what a plan creates of kinds that rows name; of a unit also how it shows values. */
export const notesOnMade = (planned: readonly Planned[], kinds: readonly KindName[]): string[] => {
  const made = kinds.flatMap((kind) => createdOf(planned, kind))
  const names = listFirst(made, SHOWN, ({ record, desired: { kind, values } }) => {
    const { display_format: format } = values
    return `${kind.of.title} ${record ? labelOf(record) : ''}${typeof format === 'string' ? ` (${format})` : ''}`
  })
  return made.length === 0 ? [] : [`new with --create-missing: ${names}`]
}

/** Says which groups and items a plan creates for people, and whose earlier items of a group stay beside new ones. */
export const notesOnItems = (planned: readonly Planned[], snapshot: Snapshot): string[] => {
  const links = createdOf(planned, 'user_group_item')
  const held = Map.groupBy(
    snapshot.ofKind('user_group_item').filter(({ stored }) => stored),
    ({ above }) => above['user'],
  )
  const beside = links.flatMap((one) => heldBeside(one, held).map((other) => ({ one, other })))
  const [first] = beside
  const notes = notesOnMade(planned, ['group', 'group_item'])
  const user = first?.one.record?.above['user']
  if (!first || !user) return notes
  const remove = `kpi assign group-items remove ${listFlag('--group-items', [`#${first.other.id}`])} ${listFlag('--users', [user.name])}`
  const more = beside.length === 1 ? '' : `, and so it is for ${countedText(beside.length - 1, 'more item')}`
  return [
    ...notes,
    `${user.name} keeps ${labelOf(first.other)} beside ${labelOf(first.one.record?.above['group_item'] ?? first.other)}${more}: an import takes nothing away; ${remove} does`,
  ]
}
