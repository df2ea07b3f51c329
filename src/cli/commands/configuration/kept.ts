import type { Client } from '../../../client/client.ts'
import { entryPages } from '../../../client/operations/entry-pages.ts'
import { FIRST_ENTRY_DAY, LAST_ENTRY_DAY } from '../../../domain/day.ts'
import { countOf } from '../../output/text.ts'
import type { Change } from '../../../changes/records/change.ts'
import type { KindName } from '../../../changes/records/kind-fields.ts'
import { nounOf } from '../../../changes/records/snapshot.ts'

const idOf = ({ record }: Change): number => Number(record.stored?.['id'])

const deletesOf = (changes: readonly Change[], kind: KindName): Change[] =>
  changes.filter(({ action, record }) => action === 'delete' && record.kind.name === kind)

/** Tells whether a user has entries of KPIs that stay; those of KPIs that are deleted go with them. */
const hasEntries = async (client: Client, userId: number, gone: ReadonlySet<number>): Promise<boolean> => {
  for await (const page of entryPages(client, { from: FIRST_ENTRY_DAY, to: LAST_ENTRY_DAY, userId })) {
    if (page.some(({ kpi_id }) => !gone.has(kpi_id))) return true
  }
  return false
}

const keptUsers = async (client: Client, changes: readonly Change[], gone: ReadonlySet<number>): Promise<string[]> => {
  const kept: string[] = []
  for (const change of deletesOf(changes, 'user')) {
    const id = idOf(change)
    if (await hasEntries(client, id, gone))
      kept.push(
        `${nounOf(change.record)} has entries and stays: lock the user instead (kpi users update ${id} --user-status locked)`,
      )
  }
  return kept
}

/** Returns what keeps categories or units: KPIs that stay, and get no other one. */
const keptByKpis = async (
  client: Client,
  changes: readonly Change[],
  gone: ReadonlySet<number>,
  { kind, field }: { readonly kind: 'category' | 'unit'; readonly field: 'category_id' | 'unit_id' },
): Promise<string[]> => {
  const deletes = deletesOf(changes, kind)
  if (deletes.length === 0) return []
  const moved = new Set(changes.filter((one) => one.fields.some(({ config }) => config.as === field)).map(idOf))
  const staying = (await client.kpis.list()).filter(({ id }) => !gone.has(id) && !moved.has(id))
  return deletes.flatMap((change) => {
    const users = staying.filter((one) => one[field] === idOf(change))
    const them = users.length === 1 ? 'it' : 'them'
    const [first] = users
    return first
      ? [
          `${nounOf(change.record)} is in use by ${countOf(users.length, 'KPI')} (${first.name}) and stays: give ${them} another first`,
        ]
      : []
  })
}

/** Says what the bundled service will not delete, though a plan would, and what to do; what others keep is not known. */
export const keptTexts = async (client: Client, changes: readonly Change[]): Promise<string[]> => {
  if (!client.isBundled()) return []
  const gone = new Set(deletesOf(changes, 'kpi').map(idOf))
  return [
    ...(await keptUsers(client, changes, gone)),
    ...(await keptByKpis(client, changes, gone, { kind: 'category', field: 'category_id' })),
    ...(await keptByKpis(client, changes, gone, { kind: 'unit', field: 'unit_id' })),
  ]
}
