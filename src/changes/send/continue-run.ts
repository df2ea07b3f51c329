import type { Client } from '../../client/client.ts'
import { KpiError } from '../../domain/errors.ts'
import { isOfEntries, placesOf, serviceRunOf, settleKept } from '../../runs/entries-change.ts'
import type { NotedChange, RunRecord } from '../../runs/run-record.ts'
import type { Plan, Planned } from '../plan/plan.ts'
import { type Desired, desiredName } from '../records/desired.ts'
import { nounOf } from '../records/snapshot.ts'

/** Reads what earlier parts of a run did. */
export const readEarlier = (run: Pick<RunRecord, 'changes' | 'settle'>) => {
  const all = run.changes().filter((one) => !isOfEntries(one))
  const settled = Map.groupBy(
    all.filter(({ outcome }) => outcome !== undefined),
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
    /** Tells whether there are any: the run is continued. */
    isContinued: all.length > 0,
    /** Counts the changes of earlier parts that have an outcome. */
    doneBefore: [...settled.values()].flat().length,
    /** Returns the changes for the item at a place that are done, or whose outcome is not known. */
    begunAt: (place: number): readonly NotedChange[] => begun.get(place) ?? [],
    /** Returns the changes for the item at a place that have an outcome: nothing is sent for it any more. */
    settledAt: (place: number): readonly NotedChange[] => settled.get(place) ?? [],
    /** Tells whether a change for an item was sent, and may have been done. */
    isOurs: (desired: Desired): boolean => find(desired) !== undefined,
    /** Tells whether a plan creates what an earlier part may have created: a list may show that late. */
    hasUnseen: ({ planned }: Pick<Plan, 'planned'>): boolean =>
      planned.some(({ action, desired }) => action === 'create' && find(desired) !== undefined),
    /** Notes that a change whose outcome was not known is done, as its record is as the item says; returns it if it was one. */
    settle: ({ action, desired, record }: Planned): NotedChange | undefined => {
      const found = action === 'unchanged' ? find(desired) : undefined
      // In a file that has changed since, another item may stand at the place.
      const names = record && [record.name, desiredName(desired)].map((name) => nounOf({ ...record, name }))
      if (!found || !names?.includes(found.name)) return undefined
      run.settle(found.id, 'done', { recordId: record?.id })
      return found
    },
  }
}

/** Returns how many entries the service has changed under a run of its own. */
export const countServiceRun = async ({ entries }: Pick<Client, 'entries'>, serviceRun: string): Promise<number> => {
  let count = 0
  for (let before: number | undefined; ;) {
    const batch = await entries.undoRun(serviceRun, { before, isDry: true })
    count += batch.restored + batch.removed + batch.unchanged + batch.left
    if (batch.batches === 0) return count
    before = batch.revision
  }
}

/**
 * Asks the service what became of changes of entries whose answers an earlier part of the run did not get, and notes it. A change of
 * which nothing is done yet stays unknown: the service may still be at it.
 */
export const settleEntries = async (
  client: Pick<Client, 'entries'>,
  run: Pick<RunRecord, 'changes' | 'settle'>,
): Promise<void> => {
  for (const change of run.changes()) {
    const serviceRun = change.outcome === undefined ? serviceRunOf(change) : undefined
    if (serviceRun === undefined) continue
    try {
      const count = await countServiceRun(client, serviceRun)
      settleKept(run, change.id, { count, places: placesOf(change) })
    } catch (error) {
      // Another key made them.
      if (!(error instanceof KpiError && error.class === 'unauthorized')) throw error
    }
  }
}

/** Holds what earlier parts of a run did, which was cut off and goes on. */
export type EarlierChanges = ReturnType<typeof readEarlier>
