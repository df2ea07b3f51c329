import { type Fate, GONE } from '../../../import/undo/judge-things.ts'
import { countOf } from '../../output/text.ts'
import { type EntryCounts, entriesText } from './undo-entries.ts'

/** Holds what is planned, or done: what becomes of entries, and of things. */
export type Plan = { readonly counts: EntryCounts; readonly fates: readonly Fate[] }

/** Tells whether something that was created is removed. */
export const isRemoved = ({ left }: Fate): boolean => left === undefined

/** Returns the KPIs that are removed with all of their entries. */
export const removedKpis = (fates: readonly Fate[]): Set<number> =>
  new Set(fates.flatMap((fate) => (isRemoved(fate) && fate.thing.kind === 'kpi' ? [fate.thing.id] : [])))

const isGone = ({ left }: Fate): boolean => left === GONE

const isLeft = (fate: Fate): boolean => !isRemoved(fate) && !isGone(fate)

const thingsText = (fates: readonly Fate[], remove: string): string | undefined => {
  const removed = fates.filter(isRemoved)
  if (removed.length === 0) return undefined
  const hasEntries = removed.some(({ entries }) => entries > 0)
  return `${remove} ${countOf(removed.length, 'thing')}${hasEntries ? ' and the entries of them' : ''}`
}

/** Says what becomes of entries and things, with the words for putting back and removing. */
export const sayWhat = ({ counts, fates }: Plan, [restore, remove]: readonly [string, string]): string =>
  [entriesText(counts, [restore, remove]), thingsText(fates, remove)].filter((part) => part !== undefined).join(' and ')

/** Tells whether nothing is to be done. */
export const isNothing = ({ counts, fates }: Plan): boolean =>
  counts.of('restore') + counts.of('remove') === 0 && !fates.some(isRemoved)

/** Tells whether anything is left alone, because it was changed since. */
export const leavesAny = ({ counts, fates }: Plan): boolean => counts.of('leave') > 0 || fates.some(isLeft)

/** Counts what becomes of entries and things. */
export const countsIn = ({ counts, fates }: Plan) => ({
  restored: counts.of('restore'),
  removed: counts.of('remove'),
  things: fates.filter(isRemoved).length,
  unchanged: counts.of('done') + fates.filter(isGone).length,
  skipped: counts.of('leave') + fates.filter(isLeft).length,
})

/** Says how much nothing is to be done with, and how much is left alone. */
export const restText = (plan: Plan): string => {
  const { unchanged, skipped } = countsIn(plan)
  return `${unchanged > 0 ? `; ${unchanged} as before already` : ''}${skipped > 0 ? `; ${skipped} left alone` : ''}`
}
