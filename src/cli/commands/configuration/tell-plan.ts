import type { Client } from '../../../client/client.ts'
import type { Cli } from '../../cli.ts'
import type { Counts } from '../../../changes/print/plan-rows.ts'
import type { Change } from '../../../changes/records/change.ts'
import { HeldByUsers } from '../../../changes/send/dependents.ts'
import type { DependentCounts } from '../verbs/count-dependents.ts'
import type { Prepared } from './prepare.ts'
import type { PlannedDelete } from './saved-plan.ts'
import { nounOf } from '../../../changes/records/snapshot.ts'

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

/** Counts what goes with something that is deleted; undefined for what nothing goes with. */
const countWith = async (held: HeldByUsers, { record }: Change): Promise<DependentCounts | undefined> => {
  const id = record.stored?.['id']
  if (record.name === '' || typeof id !== 'number') return undefined
  const { countDependents } = await import('../verbs/count-dependents.ts')
  return countDependents(held, record.kind.of, id)
}

/** Names something that is deleted, and counts what goes with it. */
const deleteText = async (held: HeldByUsers, change: Change): Promise<string> =>
  [nounOf(change.record), (await countWith(held, change))?.text].filter(Boolean).join(' ')

/** Returns what goes with each record that is deleted, as a saved plan keeps it. */
export const plannedDeletes = async (client: Client, changes: readonly Change[]): Promise<PlannedDelete[]> => {
  const held = new HeldByUsers({ client })
  const deletes: PlannedDelete[] = []
  for (const change of changes.filter(({ action }) => action === 'delete')) {
    const dependents = await countWith(held, change)
    if (dependents) deletes.push({ name: nounOf(change.record), ...dependents })
  }
  return deletes
}

/** Names what is deleted, with what goes with it. */
export const deletesText = async (client: Client, changes: readonly Change[]): Promise<string> => {
  const deletes = changes.filter(({ action }) => action === 'delete')
  // Name first what takes others with it.
  const named = [
    ...deletes.filter(({ record }) => record.name !== ''),
    ...deletes.filter(({ record }) => record.name === ''),
  ]
  const held = new HeldByUsers({ client })
  const texts: string[] = []
  for (const one of named.slice(0, SHOWN_DELETES)) texts.push(await deleteText(held, one))
  const more = named.length - SHOWN_DELETES
  return [...texts, ...(more > 0 ? [`${more} more`] : [])].join('; ')
}

/** Says how much a plan would do. */
export const tellPlan = async (cli: Cli, { counts, doubts }: Prepared): Promise<void> => {
  await cli.note(planText(counts))
  for (const doubt of doubts) await cli.log.warn(doubt)
}

/** Warns of what a plan would delete, and the service keeps. */
export const tellKept = async (cli: Cli, client: Client, { plan }: Prepared): Promise<void> => {
  const { keptTexts } = await import('./kept.ts')
  for (const text of await keptTexts(client, plan.changes)) await cli.log.warn(text)
}

/** Names what a plan would delete. */
export const tellDeletes = async (cli: Cli, client: Client, { counts, plan }: Prepared): Promise<void> => {
  if (counts.deleted > 0) await cli.note(`to delete: ${await deletesText(client, plan.changes)}`)
}
