import { looseName } from '../../domain/name-form.ts'
import type { Client } from '../../client/client.ts'
import { readIfAllowed } from '../../client/operations/read-if-allowed.ts'
import { listFirst, MOST_LISTED } from '../../domain/count-text.ts'
import { KpiError } from '../../domain/errors.ts'
import { createdKind, KINDS, type ListedCreated, shownKind, type CreatedRecord } from '../../domain/kinds.ts'
import type { NotedChange, RunRecord } from '../../runs/run-record.ts'
import type { Account } from '../records/access.ts'
import { type Desired, desiredName } from '../records/desired.ts'
import { type Kind, kindNamed, nameIn } from '../records/kind-fields.ts'
import type { AccountRecord, Snapshot } from '../records/snapshot.ts'
import {
  type Clients,
  GONE,
  isChanged,
  judgeCreatedRecords,
  type Kept,
  listCreated,
  ORDER,
  type RunCreations,
  takeBack,
} from './remove-created.ts'

/** Says why neither of two is removed. */
const NOT_CERTAIN = 'may be of the other machine: it is not known which of them this one made'

/** Ends the sentence about a double that stays because another machine made it. */
const OF_ANOTHER = 'is of the other machine, which may be about to remove it'

/** Describes something that a run made although another machine had just made one of the same name. */
type Double = { readonly thing: CreatedRecord; readonly older: number }

/** Returns the ways to a service that a client has, beside one of its classic interface where that is given. */
export const clientsOf = (client: Client, classic?: Client): Clients => ({
  client,
  classic: client.variant === 'classic' ? client : classic,
})

/** Returns the error of doubles that stay, with the way out. */
const doublesStay = (
  client: Pick<Client, 'variant'>,
  [first, ...others]: readonly [Double, ...Double[]],
  why: string,
  cause?: KpiError,
): KpiError => {
  const { thing, older } = first
  const kind = thing.kind === 'assignment' ? thing.kind : shownKind(thing.kind, client.variant)
  const { title, plural } = KINDS[kind].of
  const { id, name } = thing
  const more = listFirst(others, MOST_LISTED, (one) => `"${one.thing.name}" (${one.older} and ${one.thing.id})`)
  const also = others.length > 0 ? `; the same holds for ${more}` : ''
  return new KpiError(
    cause?.code ?? 'conflict',
    `two machines created the ${title} "${name}" at the same moment: there are ${older} and ${id}, and ${id} stays, as it ${why}; remove the one without entries (kpi ${plural.replaceAll('_', '-')} delete ${id}), then run the same command again${also}`,
    { cause },
  )
}

const labelOf = ({ kind, id }: CreatedRecord): string => `${kind} ${id}`

/**
 * Removes what a run made twice beside what another machine made first. Throws if one stays: it was changed or used since,
 * or may not be removed.
 */
const removeDoubles = async (clients: Clients, doubles: readonly Double[], signal: AbortSignal): Promise<void> => {
  const open = new Map(doubles.map((one) => [labelOf(one.thing), one]))
  const judged = { things: doubles.map(({ thing }) => thing), unsure: [], served: undefined, withEntries: false }
  let [why, cause]: [string | undefined, KpiError | undefined] = [undefined, undefined]
  try {
    const outcomes = await judgeCreatedRecords(clients, { ...judged, removedOf: () => 0 })
    for await (const { thing, left } of takeBack(clients, outcomes, {
      withEntries: false,
      signal,
      onEntry: () => undefined,
    })) {
      if (left === undefined || left === GONE) open.delete(labelOf(thing))
      else why ??= left
    }
  } catch (error) {
    if (!(error instanceof KpiError)) throw error
    ;[why, cause] = [why ?? `could not be removed: ${error.message}`, error]
  }
  const [first, ...others] = open.values()
  if (first) throw doublesStay(clients.client, [first, ...others], why ?? 'could not be removed', cause)
}

/** Creates a function that returns what has the name of something in the same parent, by its id; the oldest first. */
const alikeIn = (list: readonly Kept[]): ((id: number) => readonly Kept[]) => {
  const formOf = ({ name, parent }: Kept): string => `${parent}/${looseName(name)}`
  const held = new Map(list.map((one) => [one.id, one]))
  const ofForm = Map.groupBy(
    list.toSorted((one, other) => one.id - other.id),
    formOf,
  )
  return (id) => {
    const own = held.get(id)
    return (own && ofForm.get(formOf(own))) ?? []
  }
}

/**
 * Looks again after creating things of a kind: what another machine made of the same name since `known` was read stays, and
 * what was made beside it is removed. Returns what was removed; throws if it cannot be.
 */
export const removeNewDoubles = async (
  clients: Clients,
  kind: ListedCreated,
  things: readonly CreatedRecord[],
  known: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<readonly Double[]> => {
  const list = things.length === 0 ? undefined : await readIfAllowed(clients.client, listCreated(clients, kind))
  // Keep what the run made itself, even if the names differ only in a dash.
  const own = new Set(things.map(({ id }) => id))
  const alikeTo = alikeIn(list ?? [])
  const doubles = things.flatMap((thing): Double[] => {
    const older = alikeTo(thing.id)[0]?.id ?? thing.id
    return older < thing.id && !known.has(older) && !own.has(older) ? [{ thing, older }] : []
  })
  if (doubles.length > 0) await removeDoubles(clients, doubles, signal)
  return doubles
}

/**
 * Describes what a run made, or may have made, that ended before it could look for doubles: its id if that is known, and
 * what has its name now, the oldest first.
 */
type Left = Omit<CreatedRecord, 'id'> & {
  readonly id: number | undefined
  readonly alike: readonly Pick<Kept, 'id' | 'created_at' | 'updated_at'>[]
}

/** Returns what stands beside something older; `onUnsure` receives why neither of two is removed where it is not known whose they are. */
const besideOlder = (
  client: Client,
  left: readonly Left[],
  onUnsure: (why: string) => void,
): (Double & { readonly isThere: boolean })[] =>
  left.flatMap(({ id, alike, ...thing }) => {
    const [older, younger] = alike
    if (older && id !== undefined && older.id < id) {
      // It may have been renamed.
      if (isChanged(older)) return []
      return [{ thing: { ...thing, id }, older: older.id, isThere: alike.some((one) => one.id === id) }]
    }
    const why = id === older?.id ? OF_ANOTHER : NOT_CERTAIN
    if (older && younger)
      onUnsure(doublesStay(client, [{ thing: { ...thing, id: younger.id }, older: older.id }], why).message)
    return []
  })

/** Describes what runs made, or may have made, that ended before they could look for doubles. */
type Unsettled = Pick<RunCreations, 'things' | 'unsure'> & {
  /** Tells whether it was made in the account that the service has answered for. */
  readonly isOfAccount: () => boolean
  readonly signal: AbortSignal
}

/**
 * Removes the doubles that runs left that ended before they could look for them. `onUnsure` receives what stays, as it is
 * not known which of two a run made.
 */
export const removeLeftDoubles = async (
  clients: Clients,
  { things, unsure, isOfAccount, signal }: Unsettled,
  onUnsure: (why: string) => void,
): Promise<void> => {
  const left: Left[] = []
  for (const kind of ORDER) {
    const [own, open] = [things.filter((one) => one.kind === kind), unsure.filter((one) => one.kind === kind)]
    if (own.length + open.length === 0) continue
    const list = (await listCreated(clients, kind)) ?? []
    if (!isOfAccount()) return
    const alikeTo = alikeIn(list)
    left.push(...own.map((one) => ({ ...one, alike: alikeTo(one.id) })).filter(({ id, alike }) => alike[0]?.id !== id))
    const ids = new Set(own.map(({ id }) => id))
    for (const { key: name } of open) {
      const same = list.filter((one) => looseName(one.name) === looseName(name))
      const alike = same.toSorted((one, other) => one.id - other.id)
      if (!alike.some(({ id }) => ids.has(id))) left.push({ kind, id: undefined, name, alike })
    }
  }
  const doubles = besideOlder(clients.client, left, onUnsure)
  if (doubles.length > 0) await removeDoubles(clients, doubles, signal)
}

/** Holds what looking for doubles of earlier parts of a run needs. */
type Looking = {
  readonly account: Account
  readonly run: Pick<RunRecord, 'changes' | 'disown'>
  readonly desired: readonly Desired[]
  readonly signal: AbortSignal
  readonly onWarning: (text: string) => void
}

/** Finds the records that share the name of one that an earlier part of the run created, unless another item is about them. */
const createAlike = (snapshot: Snapshot, desired: readonly Desired[], all: readonly NotedChange[]) => {
  const named = Map.groupBy(desired, (one) => `${one.kind.name} ${desiredName(one)}`)
  const own = new Map(all.map(({ kind, recordId, place }) => [`${kind} ${recordId}`, place]))
  return (kind: Kind, change: NotedChange): AccountRecord[] => {
    const above = snapshot.aboveOf(kind, change.parents)
    const isOther = ({ name, id }: AccountRecord): boolean =>
      (own.get(`${kind.name} ${id}`) ?? change.place) !== change.place ||
      (named.get(`${kind.name} ${name}`) ?? []).some(({ line }) => line !== change.place)
    return (above ? snapshot.alike(kind, above, nameIn(kind, change.after ?? {})) : [])
      .filter((one) => one.stored && !isOther(one))
      .toSorted((one, other) => (one.id ?? 0) - (other.id ?? 0))
  }
}

/**
 * Removes doubles that an earlier part of the run created beside another machine, and could not remove as it was cut off;
 * warns of those of which it is not known who made them. Returns true if the account must be read again.
 */
export const settleLeftDoubles = async (
  { account, run, desired, signal, onWarning }: Looking,
  snapshot: Snapshot,
): Promise<boolean> => {
  const all = run.changes().filter(({ action, outcome }) => action === 'create' && (outcome ?? 'done') === 'done')
  const alikeTo = createAlike(snapshot, desired, all)
  const left = all.flatMap((change): Left[] => {
    const kind = kindNamed(change.kind)
    const created = kind && createdKind(kind.of)
    if (!created) return []
    const alike = alikeTo(kind, change).map(({ id = 0, stored }) => ({
      id,
      created_at: Number(stored?.['created_at'] ?? 0),
      updated_at: Number(stored?.['updated_at'] ?? 0),
    }))
    return [{ kind: created, id: change.recordId, name: nameIn(kind, change.after ?? {}), alike }]
  })
  const others = besideOlder(account.client, left, onWarning)
  const doubles = others.filter(({ isThere }) => isThere)
  if (doubles.length > 0) await removeDoubles(clientsOf(account.client, account.classic), doubles, signal)
  const isOther = (kind: string, recordId: number): boolean =>
    others.some(({ thing }) => thing.id === recordId && thing.kind === createdKind({ name: kind }))
  for (const { kind, recordId = 0 } of all) if (isOther(kind, recordId)) run.disown(kind, recordId)
  return others.length > 0
}
