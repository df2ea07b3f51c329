import type { Client } from '../../client/client.ts'
import { looseName } from '../../client/directory.ts'
import { readIfAllowed } from '../../client/operations/read-if-allowed.ts'
import { listFirst, MOST_LISTED } from '../../domain/count-text.ts'
import { KpiError } from '../../domain/errors.ts'
import { KINDS, type ListedCreated, shownKind } from '../../domain/kinds.ts'
import { type Clients, GONE, isChanged, judgeCreatedRecords, type Kept, listCreated, ORDER } from './judge-created.ts'
import { takeBack } from './remove-created.ts'
import type { CreatedRecord, RunCreations } from '../records/created-record.ts'

/** Says why neither of two is removed. */
export const NOT_CERTAIN = 'may be of the other machine: it is not known which of them this one made'

/** Describes what the service has, by its id and the text by which it is known. */
type Listed = { readonly id: number; readonly key: string }

/** Describes something that a run made although another machine had just made one of the same name. */
export type Double = { readonly thing: CreatedRecord; readonly older: number }

/** Returns the ways to a service that a client has, beside one of its classic interface where that is given. */
export const clientsOf = (client: Client, classic?: Client): Clients => ({
  client,
  classic: client.variant === 'classic' ? client : classic,
})

/** Returns the error of doubles that stay, with the way out. */
export const doublesStay = (
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
export const removeDoubles = async (
  clients: Clients,
  doubles: readonly Double[],
  signal: AbortSignal,
): Promise<void> => {
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

/** Returns the oldest of each key. */
const oldestByKey = (listed: readonly Listed[]): Map<string, number> => {
  const oldest = new Map<string, number>()
  for (const { id, key } of listed) oldest.set(key, Math.min(id, oldest.get(key) ?? id))
  return oldest
}

/** Returns those of some things beside which the service has something older under the same key. */
const doublesOf = (things: readonly CreatedRecord[], listed: readonly Listed[]): Double[] => {
  const oldest = oldestByKey(listed)
  const keys = new Map(listed.map(({ id, key }) => [id, key]))
  return things.flatMap((thing) => {
    const older = oldest.get(keys.get(thing.id) ?? '') ?? thing.id
    return older < thing.id ? [{ thing, older }] : []
  })
}

/** Returns what a list holds, by its ids and keys: a name or e-mail address, within its group. */
const listedIn = (list: readonly Kept[]): Listed[] =>
  list.map(({ id, name, parent }) => ({ id, key: `${parent}/${looseName(name)}` }))

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
  const doubles = doublesOf(things, listedIn(list ?? [])).filter(({ older }) => !known.has(older) && !own.has(older))
  if (doubles.length > 0) await removeDoubles(clients, doubles, signal)
  return doubles
}

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
  const doubles: Double[] = []
  for (const kind of ORDER) {
    const [own, open] = [things.filter((one) => one.kind === kind), unsure.filter((one) => one.kind === kind)]
    if (own.length + open.length === 0) continue
    const list = (await listCreated(clients, kind)) ?? []
    if (!isOfAccount()) return
    const listed = listedIn(list)
    // Leave out older records that were changed since: they may have been renamed.
    const changed = new Set(list.filter(isChanged).map(({ id }) => id))
    doubles.push(...doublesOf(own, listed).filter(({ older }) => !changed.has(older)))
    const ids = new Set(own.map(({ id }) => id))
    for (const { key: name } of open) {
      const same = list
        .filter((one) => looseName(one.name) === looseName(name))
        .toSorted((one, other) => one.id - other.id)
      const [first, second] = same
      if (first && second && !same.some(({ id }) => ids.has(id)))
        onUnsure(
          doublesStay(clients.client, [{ thing: { kind, id: second.id, name }, older: first.id }], NOT_CERTAIN).message,
        )
    }
  }
  if (doubles.length > 0) await removeDoubles(clients, doubles, signal)
}
