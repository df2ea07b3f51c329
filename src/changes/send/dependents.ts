import { entryPages } from '../../client/operations/entry-pages.ts'
import { isForbidden, readIfAllowed } from '../../client/operations/read-if-allowed.ts'
import { FIRST_ENTRY_DAY, LAST_ENTRY_DAY } from '../../domain/day.ts'
import type { AnyRecord } from '../../domain/schema.ts'
import type { NotedEntry } from '../../runs/run-record.ts'
import { type Account, accessTo } from '../records/access.ts'
import { type KindName, kinds } from '../records/kind-fields.ts'
import type { AccountRecord, Snapshot } from '../records/snapshot.ts'

/** Describes what goes with a record when it is deleted. */
export type Dependents = {
  /** Lists the assignments and the links to group items. */
  readonly records: readonly AccountRecord[]
  /** Yields the entries, some at a time. */
  readonly entries: AsyncIterable<readonly NotedEntry[]>
  /** Says, once the entries are read, why some of them are not known; undefined where all are. */
  readonly leftOut: () => string | undefined
}

/** Bounds the users whose assignments or links are read over the network, a request each. */
const MOST_USERS = 500

/** Lists the kinds of records that are deleted with others, and the field that refers to those. */
const DEPENDENTS: Readonly<Partial<Record<KindName, readonly { readonly kind: KindName; readonly by: string }[]>>> = {
  kpi: [{ kind: 'assignment', by: 'kpi' }],
  calculated_kpi: [{ kind: 'assignment', by: 'kpi' }],
  user: [
    { kind: 'assignment', by: 'user' },
    { kind: 'user_group_item', by: 'user' },
  ],
  group_item: [{ kind: 'user_group_item', by: 'group_item' }],
}

async function* noEntries(): AsyncGenerator<readonly NotedEntry[]> {}

/** Yields the entries whose owners are shown; reports those that are left out, or that the key may not read them. */
async function* entriesKnown(
  entries: AsyncIterable<readonly NotedEntry[]>,
  onLeftOut: (why: string) => void,
): AsyncGenerator<readonly NotedEntry[]> {
  try {
    for await (const page of entries) {
      const known = page.filter(({ user_id, source_id }) => (user_id ?? source_id ?? null) !== null)
      if (known.length < page.length)
        onLeftOut('its entries of group items are not noted: the classic interface does not show whose they are')
      yield known
    }
  } catch (error) {
    if (!isForbidden(error)) throw error
    onLeftOut('its entries are not noted: these credentials may not read them')
  }
}

/** Finds what goes with records that are deleted; the list of all users is read once. */
export const createDependents = (
  account: Account,
  snapshot: Snapshot,
): ((record: AccountRecord) => Promise<Dependents>) => {
  const { client } = account
  const reader = account.newer ?? account.operator?.newer ?? client
  const access = accessTo(account)
  const read = new Set<KindName>()
  /** Adds to the snapshot the records that others refer to; where the key may not read them, their ids. */
  const takeReferred = async (kind: KindName, held: readonly AnyRecord[]): Promise<void> => {
    for (const { name, as, refers, isHint } of kinds[kind].fields) {
      if (!refers || isHint || !kinds[kind].identity.includes(name)) continue
      const isLacking = (one: AnyRecord): boolean => !snapshot.byId(refers, Number(one[as]))
      if (!held.some(isLacking)) continue
      for (const other of refers) {
        const all = (await readIfAllowed(client, access[other].list([]))) ?? []
        await takeReferred(other, all)
        snapshot.take(other, all)
      }
      const unread = held.filter(isLacking).map((one) => ({ id: one[as] ?? null }))
      snapshot.takeUnread(refers[0] ?? kind, unread)
    }
  }
  /** Reads the assignments or links that may belong to a record: of that user, or of all; returns why they cannot be read. */
  const readOf = async (kind: KindName, { kind: above, id }: AccountRecord): Promise<string | undefined> => {
    if (read.has(kind)) return undefined
    if (client.variant === 'v1' && !account.classic) return 'the newer interface does not show them'
    const isOfOne = above.name === 'user'
    const users: readonly AnyRecord[] | undefined = isOfOne
      ? [{ id: id ?? null }]
      : await readIfAllowed(client, access.user.list([]))
    if (!users) return 'these credentials may not read users'
    if (!client.isInProcess && users.length > MOST_USERS) return `there are more than ${MOST_USERS} users to ask`
    if (!isOfOne) snapshot.take('user', users)
    const held = await readIfAllowed(client, access[kind].list(users.map((one) => Number(one['id']))))
    if (!held) return 'these credentials may not read them'
    await takeReferred(kind, held)
    snapshot.take(kind, held)
    if (!isOfOne) read.add(kind)
    return undefined
  }
  return async (record) => {
    const { kind, id } = record
    const records: AccountRecord[] = []
    let leftOut: string | undefined
    for (const { kind: of, by } of DEPENDENTS[kind.name] ?? []) {
      const why = await readOf(of, record)
      if (why !== undefined) leftOut = `its ${of === 'assignment' ? 'assignments' : 'links'} are not noted: ${why}`
      records.push(...snapshot.ofKind(of).filter((one) => one.stored && one.above[by] === record))
    }
    const range = { from: FIRST_ENTRY_DAY, to: LAST_ENTRY_DAY }
    const entries = kind.name === 'kpi' && id !== undefined ? entryPages(reader, { ...range, kpiId: id }) : noEntries()
    const onLeftOut = (why: string): void => void (leftOut = why)
    return { records, entries: entriesKnown(entries, onLeftOut), leftOut: () => leftOut }
  }
}
