import type { AnyRecord } from '../../domain/schema.ts'
import { createdKind } from '../../domain/kinds.ts'
import type { NotedChange, RunRecord } from '../../runs/run-record.ts'
import type { Plan, Planned } from '../plan/plan.ts'
import { type Desired, desiredName } from '../records/desired.ts'
import type { Account } from '../records/access.ts'
import { type Kind, KIND_NAMES, kinds } from '../records/kind-fields.ts'
import { type AccountRecord, nounOf, type Snapshot } from '../records/snapshot.ts'
import { clientsOf, type Double, doublesStay, NOT_CERTAIN, removeDoubles } from './doubles.ts'
import { isChanged } from './judge-created.ts'

/** Holds what earlier parts of a run did, which was cut off and goes on. */
export type EarlierChanges = {
  /** Tells whether there are any: the run is continued. */
  readonly isContinued: boolean
  /** Counts the changes of earlier parts that have an outcome. */
  readonly doneBefore: number
  /** Returns the changes for the item at a place that have an outcome: nothing is sent for it any more. */
  readonly settledAt: (place: number) => readonly NotedChange[]
  /** Returns the changes for the item at a place that are done, or whose outcome is not known. */
  readonly begunAt: (place: number) => readonly NotedChange[]
  /** Tells whether a change for an item was sent, and may have been done. */
  readonly isOurs: (desired: Desired) => boolean
  /** Tells whether a plan creates what an earlier part may have created: a list may show that late. */
  readonly hasUnseen: (plan: Pick<Plan, 'planned'>) => boolean
  /** Notes that a change whose outcome was not known is done, as its record is as the item says; tells whether it was one. */
  readonly settle: (planned: Planned) => NotedChange | undefined
}

/** Reads what earlier parts of a run did. */
export const readEarlier = (run: Pick<RunRecord, 'changes' | 'settle'>): EarlierChanges => {
  const all = run.changes()
  const settled = Map.groupBy(
    // Do again what an undo took back.
    all.filter(({ outcome }) => outcome !== undefined && outcome !== 'taken_back'),
    ({ place }) => place,
  )
  const keyOf = (kind: string, place: number): string => `${kind} ${place}`
  const unknown = new Map(
    all.filter(({ outcome }) => outcome === undefined).map((one) => [keyOf(one.kind, one.place), one]),
  )
  const begun = Map.groupBy(
    all.filter(({ outcome }) => outcome === undefined || outcome === 'done'),
    ({ place }) => place,
  )
  const find = ({ kind, line }: Desired): NotedChange | undefined => unknown.get(keyOf(kind.name, line))
  return {
    isContinued: all.length > 0,
    doneBefore: [...settled.values()].flat().length,
    begunAt: (place) => begun.get(place) ?? [],
    settledAt: (place) => settled.get(place) ?? [],
    isOurs: (desired) => find(desired) !== undefined,
    hasUnseen: ({ planned }) =>
      planned.some(({ action, desired }) => action === 'create' && find(desired) !== undefined),
    settle: ({ action, desired, record }) => {
      const found = action === 'unchanged' ? find(desired) : undefined
      // In a file that has changed since, another item may stand at the place.
      if (
        !found ||
        !record ||
        ![record.name, desiredName(desired)].some((name) => found.name === nounOf({ ...record, name }))
      )
        return undefined
      run.settle(found.id, 'done', { recordId: record.id })
      return found
    },
  }
}

/** Ends the sentence about a double that stays because another machine made it. */
const OF_ANOTHER = 'is of the other machine, which may be about to remove it'

/** Holds what looking for doubles of earlier parts of a run needs. */
type Looking = {
  readonly account: Account
  readonly run: Pick<RunRecord, 'changes' | 'disown'>
  readonly desired: readonly Desired[]
  readonly signal: AbortSignal
  readonly onWarning: (text: string) => void
}

/** Returns what a new record of a kind belongs to, by its noted change; undefined if some of it is gone. */
const aboveOf = (snapshot: Snapshot, kind: Kind, { parents }: NotedChange): AccountRecord['above'] | undefined => {
  const above: Record<string, AccountRecord> = {}
  for (const { name, as, refers } of kind.fields) {
    if (!refers || !kind.identity.includes(name)) continue
    const record = snapshot.byId(refers, parents[as] ?? 0)
    if (!record) return undefined
    above[name] = record
  }
  return above
}

const nameIn = ({ identity }: Kind, after: AnyRecord | undefined): string =>
  String(after?.[identity.at(-1) ?? ''] ?? '')

/** Finds the records that share the name of one that an earlier part of the run created, unless another item is about them. */
const createAlike = (snapshot: Snapshot, desired: readonly Desired[], all: readonly NotedChange[]) => {
  const named = Map.groupBy(desired, (one) => `${one.kind.name} ${desiredName(one)}`)
  const own = new Map(all.map(({ kind, recordId, place }) => [`${kind} ${recordId}`, place]))
  return (kind: Kind, change: NotedChange): AccountRecord[] => {
    const above = aboveOf(snapshot, kind, change)
    const isOther = ({ name, id }: AccountRecord): boolean =>
      (own.get(`${kind.name} ${id}`) ?? change.place) !== change.place ||
      (named.get(`${kind.name} ${name}`) ?? []).some(({ line }) => line !== change.place)
    return (above ? snapshot.alike(kind, above, nameIn(kind, change.after)) : [])
      .filter((one) => one.stored && !isOther(one))
      .toSorted((one, other) => (one.id ?? 0) - (other.id ?? 0))
  }
}

const hasChanged = ({ stored }: AccountRecord): boolean =>
  isChanged({ created_at: Number(stored?.['created_at'] ?? 0), updated_at: Number(stored?.['updated_at'] ?? 0) })

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
  const [doubles, others]: [Double[], NotedChange[]] = [[], []]
  for (const change of all) {
    const name = KIND_NAMES.find((one) => one === change.kind)
    const created = name && createdKind(kinds[name].of)
    if (!name || !created) continue
    const own = change.recordId
    const alike = alikeTo(kinds[name], change)
    const [older, younger] = alike
    const double = (id: number): Double => ({
      thing: { kind: created, id, name: nameIn(kinds[name], change.after) },
      older: older?.id ?? id,
    })
    if (own !== undefined && older?.id !== undefined && older.id < own) {
      // It may have been renamed.
      if (hasChanged(older)) continue
      if (alike.some(({ id }) => id === own)) doubles.push(double(own))
      others.push(change)
    } else if (younger?.id !== undefined) {
      onWarning(doublesStay(account.client, [double(younger.id)], own === older?.id ? OF_ANOTHER : NOT_CERTAIN).message)
    }
  }
  if (doubles.length > 0) await removeDoubles(clientsOf(account.client, account.classic), doubles, signal)
  for (const { kind, recordId = 0 } of others) run.disown(kind, recordId)
  return others.length > 0
}
