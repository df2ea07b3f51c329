import { GONE, type RemovalOutcome } from '../../../changes/send/remove-created.ts'
import { countOf } from '../../output/text.ts'
import { type EntryCounts, entriesText } from './undo-entries.ts'

/** Holds what is planned, or done: what becomes of entries, and of things. */
export type Plan = { readonly counts: EntryCounts; readonly outcomes: readonly RemovalOutcome[] }

/** Tells whether something that was created is removed. */
export const isRemoved = ({ left }: RemovalOutcome): boolean => left === undefined

/** Returns the KPIs that are removed with all of their entries. */
export const removedKpis = (outcomes: readonly RemovalOutcome[]): Set<number> =>
  new Set(outcomes.flatMap((outcome) => (isRemoved(outcome) && outcome.thing.kind === 'kpi' ? [outcome.thing.id] : [])))

const isGone = ({ left }: RemovalOutcome): boolean => left === GONE

const isLeft = (outcome: RemovalOutcome): boolean => !isRemoved(outcome) && !isGone(outcome)

const thingsText = (outcomes: readonly RemovalOutcome[], remove: string): string | undefined => {
  const removed = outcomes.filter(isRemoved)
  if (removed.length === 0) return undefined
  const hasEntries = removed.some(({ entries }) => entries > 0)
  return `${remove} ${countOf(removed.length, 'thing')}${hasEntries ? ' and the entries of them' : ''}`
}

/** Says what becomes of entries and things, with the words for putting back and removing. */
export const sayWhat = ({ counts, outcomes }: Plan, [restore, remove]: readonly [string, string]): string =>
  [entriesText(counts, [restore, remove]), thingsText(outcomes, remove)]
    .filter((part) => part !== undefined)
    .join(' and ')

/** Tells whether nothing is to be done. */
export const isNothing = ({ counts, outcomes }: Plan): boolean =>
  counts.of('restore') + counts.of('remove') === 0 && !outcomes.some(isRemoved)

/** Tells whether anything is left alone, because it was changed since. */
export const leavesAny = ({ counts, outcomes }: Plan): boolean => counts.of('leave') > 0 || outcomes.some(isLeft)

/** Counts what becomes of entries and things. */
export const countsIn = ({ counts, outcomes }: Plan) => ({
  restored: counts.of('restore'),
  removed: counts.of('remove'),
  things: outcomes.filter(isRemoved).length,
  unchanged: counts.of('done') + outcomes.filter(isGone).length,
  skipped: counts.of('leave') + outcomes.filter(isLeft).length,
})

/** Says how much nothing is to be done with, and how much is left alone. */
export const restText = (plan: Plan): string => {
  const { unchanged, skipped } = countsIn(plan)
  return `${unchanged > 0 ? `; ${unchanged} as before already` : ''}${skipped > 0 ? `; ${skipped} left alone` : ''}`
}
