import type { NotedChange, RunRecord } from '../../runs/run-record.ts'
import type { Planned } from '../plan/plan.ts'
import type { Desired } from '../records/desired.ts'
import { nounOf } from '../records/snapshot.ts'

/** Holds what earlier parts of a run did, which was cut off and goes on. */
type EarlierChanges = {
  /** Counts the changes of earlier parts that have an outcome. */
  readonly doneBefore: number
  /** Returns the changes for the item at a place that have an outcome: nothing is sent for it any more. */
  readonly settledAt: (place: number) => readonly NotedChange[]
  /** Tells whether a change for an item was sent, and may have been done. */
  readonly isOurs: (desired: Desired) => boolean
  /** Notes that a change whose outcome was not known is done, as its record is as the item says; tells whether it was one. */
  readonly settle: (planned: Planned) => NotedChange | undefined
}

/** Reads what earlier parts of a run did. */
export const readEarlier = (run: Pick<RunRecord, 'changes' | 'settle'>): EarlierChanges => {
  const all = run.changes()
  const settled = Map.groupBy(
    all.filter(({ outcome }) => outcome !== undefined),
    ({ place }) => place,
  )
  const keyOf = (kind: string, place: number): string => `${kind} ${place}`
  const unknown = new Map(
    all.filter(({ outcome }) => outcome === undefined).map((one) => [keyOf(one.kind, one.place), one]),
  )
  const find = ({ kind, line }: Desired): NotedChange | undefined => unknown.get(keyOf(kind.name, line))
  return {
    doneBefore: [...settled.values()].flat().length,
    settledAt: (place) => settled.get(place) ?? [],
    isOurs: (desired) => find(desired) !== undefined,
    settle: ({ action, desired, record }) => {
      const found = action === 'unchanged' ? find(desired) : undefined
      // In a file that has changed since, another item may stand at the place.
      if (!found || !record || found.name !== nounOf(record)) return undefined
      run.settle(found.id, 'done', { recordId: record.id })
      return found
    },
  }
}
