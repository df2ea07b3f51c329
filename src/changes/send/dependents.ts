import { entryPages } from '../../client/operations/entry-pages.ts'
import { isForbidden, readIfAllowed } from '../../client/operations/read-if-allowed.ts'
import { FIRST_ENTRY_DAY, LAST_ENTRY_DAY } from '../../domain/day.ts'
import { Fault } from '../../domain/errors.ts'
import type { AnyRecord } from '../../domain/schema.ts'
import type { NotedEntry } from '../../runs/run-record.ts'
import { type Access, type Account, accessTo } from '../records/access.ts'
import { type KindName, kinds } from '../records/kind-fields.ts'
import type { AccountRecord, Snapshot } from '../records/snapshot.ts'

/** Describes what goes with a record when it is deleted. */
export type Dependents = {
  /** Lists the assignments and the links to group items. */
  readonly records: readonly AccountRecord[]
  /** Says why some of them are not known; undefined where all are. */
  readonly unread: string | undefined
  /** Yields the entries, some at a time. */
  readonly entries: AsyncIterable<readonly NotedEntry[]>
  /** Says, once the entries are read, why some of them are not known; undefined where all are. */
  readonly leftOut: () => string | undefined
}

/** Bounds the users whose assignments or links are read over the network, a request each. */
const MOST_USERS = 500

/** Names what belongs to users, and is read of each of them. */
type HeldKind = 'assignment' | 'user_group_item'

/** Holds assignments or links, and the users that were asked for them where these are all. */
type Held = { readonly users: readonly AnyRecord[]; readonly records: readonly AnyRecord[] }

/** Reads what users hold; what was read once is not asked for again. */
export class HeldByUsers {
  readonly client: Account['client']
  readonly #isShown: boolean
  readonly #access: Readonly<Record<KindName, Access>>
  readonly #read = new Map<string, Held>()

  constructor(account: Account) {
    this.client = account.client
    this.#isShown = account.client.variant === 'classic' || account.classic !== undefined
    this.#access = accessTo(account)
  }

  /** Forgets what was read, as it may have changed since. */
  forget(): void {
    this.#read.clear()
  }

  /** Returns what a user holds, or what all users do if these are not more than `most`; else why it is not read. */
  async of(kind: HeldKind, user: number | undefined, most: number): Promise<Held | Fault> {
    if (!this.#isShown) return new Fault('the newer interface does not show them')
    const known = this.#read.get(`${kind} ${user}`)
    if (known) return known
    const list = (name: KindName, ids: readonly number[]): Promise<readonly AnyRecord[] | undefined> =>
      readIfAllowed(this.client, this.#access[name].list(ids))
    const users = user === undefined ? await list('user', []) : []
    if (!users) return new Fault('these credentials may not read users')
    if (users.length > most) return new Fault(`there are more than ${most} users to ask`)
    const records = await list(kind, user === undefined ? users.map(({ id }) => Number(id)) : [user])
    if (!records) return new Fault('these credentials may not read them')
    const held = { users, records }
    this.#read.set(`${kind} ${user}`, held)
    return held
  }
}

/** Lists the kinds of records that are deleted with others, and the field that refers to those. */
const DEPENDENTS: Readonly<Partial<Record<KindName, readonly { readonly kind: HeldKind; readonly by: string }[]>>> = {
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

/** Finds what goes with records that are deleted; over the network, no more users than `most` are asked. */
export const createDependents = (
  account: Account,
  snapshot: Snapshot,
  held = new HeldByUsers(account),
  most = MOST_USERS,
): ((record: AccountRecord) => Promise<Dependents>) => {
  const { client } = account
  const reader = account.newer ?? account.operator?.newer ?? client
  const access = accessTo(account)
  const read = new Set<KindName>()
  /** Adds to the snapshot the records that others refer to; where the key may not read them, their ids. */
  const takeReferred = async (kind: KindName, records: readonly AnyRecord[]): Promise<void> => {
    for (const { name, as, refers, isHint } of kinds[kind].fields) {
      if (!refers || isHint || !kinds[kind].identity.includes(name)) continue
      const isLacking = (one: AnyRecord): boolean => !snapshot.byId(refers, Number(one[as]))
      if (!records.some(isLacking)) continue
      for (const other of refers) {
        const all = (await readIfAllowed(client, access[other].list([]))) ?? []
        await takeReferred(other, all)
        snapshot.take(other, all)
      }
      const unread = records.filter(isLacking).map((one) => ({ id: one[as] ?? null }))
      snapshot.takeUnread(refers[0] ?? kind, unread)
    }
  }
  /** Reads the assignments or links that may belong to a record: of that user, or of all; returns why they cannot be read. */
  const readOf = async (kind: HeldKind, { kind: above, id }: AccountRecord): Promise<string | undefined> => {
    if (read.has(kind)) return undefined
    const user = above.name === 'user' ? id : undefined
    const found = await held.of(kind, user, client.isInProcess ? Infinity : most)
    if (found instanceof Fault) return found.message
    snapshot.take('user', found.users)
    await takeReferred(kind, found.records)
    snapshot.take(kind, found.records)
    if (user === undefined) read.add(kind)
    return undefined
  }
  return async (record) => {
    const { kind, id } = record
    const records: AccountRecord[] = []
    let [leftOut, unread]: (string | undefined)[] = []
    for (const { kind: of, by } of DEPENDENTS[kind.name] ?? []) {
      const why = await readOf(of, record)
      unread ??= why
      if (why !== undefined) leftOut = `its ${of === 'assignment' ? 'assignments' : 'links'} are not noted: ${why}`
      records.push(...snapshot.ofKind(of).filter((one) => one.stored && one.above[by] === record))
    }
    const range = { from: FIRST_ENTRY_DAY, to: LAST_ENTRY_DAY }
    const entries = kind.name === 'kpi' && id !== undefined ? entryPages(reader, { ...range, kpiId: id }) : noEntries()
    const onLeftOut = (why: string): void => void (leftOut = why)
    return { records, entries: entriesKnown(entries, onLeftOut), leftOut: () => leftOut, unread }
  }
}
