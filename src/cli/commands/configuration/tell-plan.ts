import type { Cli } from '../../cli.ts'
import type { Change, Counts } from './planning/changes.ts'
import type { Prepared } from './prepare.ts'
import { nounOf } from './planning/things.ts'

/** Says how much a plan would do: `3 to create, 1 to update, 12 unchanged`. */
const planText = ({ created, updated, deleted, unchanged }: Counts): string => {
  const parts = [
    [created, 'to create'],
    [updated, 'to update'],
    [deleted, 'to delete'],
    [unchanged, 'unchanged'],
  ] as const
  const text = parts.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`])).join(', ')
  return created + updated + deleted === 0 ? `nothing to do${text === '' ? '' : `: ${text}`}` : text
}

const SHOWN_DELETES = 5

/** Names what is deleted, with what goes with it. */
export const deletesText = (changes: readonly Change[]): string => {
  const deletes = changes.filter(({ action }) => action === 'delete')
  // Name first what takes others with it.
  const texts = [
    ...deletes.filter(({ thing }) => thing.name !== ''),
    ...deletes.filter(({ thing }) => thing.name === ''),
  ].map(({ thing }) => [nounOf(thing), thing.name === '' ? [] : (thing.kind.of.removal ?? [])].flat().join(' '))
  const more = texts.length - SHOWN_DELETES
  return [...texts.slice(0, SHOWN_DELETES), ...(more > 0 ? [`${more} more`] : [])].join('; ')
}

/** Says how much a plan would do. */
export const tellPlan = async (cli: Cli, { counts, doubts }: Prepared): Promise<void> => {
  await cli.note(planText(counts))
  for (const doubt of doubts) await cli.log.warn(doubt)
}

/** Names what a plan would delete. */
export const tellDeletes = async (cli: Cli, { counts, plan }: Prepared): Promise<void> => {
  if (counts.deleted > 0) await cli.note(`to delete: ${deletesText(plan.changes)}`)
}
