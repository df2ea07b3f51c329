import type { Named } from '../../client/directory.ts'
import type { DatedChange } from '../../domain/targets/dated-targets.ts'
import type { AnyRecord, FieldValue } from '../../domain/schema.ts'
import type { Policy } from '../plan/match.ts'
import { type Account, accessTo } from '../records/access.ts'
import type { Desired } from '../records/desired.ts'
import { type KindName, kinds } from '../records/kind-fields.ts'
import { Snapshot } from '../records/snapshot.ts'

/** Names a kind of records that give users something else: an assignment a KPI. */
export type LinkKind = 'assignment' | 'user_group_item'

const LINKED = { assignment: 'kpi', user_group_item: 'group_item' } as const

/** Describes what a user should have, by ids; `place` tells it from others of its list. */
export const desiredLink = (
  kind: LinkKind,
  { user, id }: { readonly user: number; readonly id: number },
  place: number,
  values: Readonly<Record<string, FieldValue>> = {},
  datedTargets?: readonly DatedChange[],
): Desired => ({
  kind: kinds[kind],
  line: place,
  values,
  datedTargets,
  references: { user: `#${user}`, [LINKED[kind]]: `#${id}` },
})

/** Stands for what cannot be read: only the service can tell then whether a KPI has a target. */
const UNREAD: AnyRecord = { target_default: 0n }

const addKnown = (snapshot: Snapshot, kind: KindName, one: Named): void => {
  const { id, name, email, within } = one
  const own = email ?? (name === '' ? `#${id}` : name)
  const stored: AnyRecord = { ...UNREAD, ...one }
  const label = within === undefined ? own : `${within} / ${own}`
  snapshot.add({ kind: kinds[kind], stored, name: label, above: {}, desired: undefined, id })
}

/** Reads the assignments or links of users, one request a user, into a snapshot with those users and what they may be given. */
export const readLinks = async (
  account: Account,
  kind: LinkKind,
  users: readonly Named[],
  known: readonly Named[],
): Promise<Snapshot> => {
  const snapshot = new Snapshot()
  for (const one of users) addKnown(snapshot, 'user', one)
  for (const one of known) addKnown(snapshot, LINKED[kind], one)
  const held = await accessTo(account)[kind].list(users.map(({ id }) => id))
  // Read all of a user, as new ones get the places behind them.
  const ids = new Set(known.map(({ id }) => id))
  const others = new Set(held.map(({ id }) => Number(id)).filter((id) => !ids.has(id)))
  for (const id of others) addKnown(snapshot, LINKED[kind], { id, name: '' })
  snapshot.take(kind, held)
  return snapshot
}

/** Returns the policy of links, which have no names to doubt. */
export const linkPolicy = (policy: Pick<Policy, 'existing' | 'onlyExisting' | 'isOurs'>): Policy => ({
  ...policy,
  isMeant: () => true,
  takesName: () => '',
})
