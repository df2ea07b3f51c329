import type { Change } from '../../../changes/records/change.ts'
import { type KindName, KPIS } from '../../../changes/records/kind-fields.ts'
import { nounOf, type Snapshot } from '../../../changes/records/snapshot.ts'
import { HeldByUsers } from '../../../changes/send/dependents.ts'
import type { Client } from '../../../client/client.ts'
import { entryPages } from '../../../client/operations/entry-pages.ts'
import { FIRST_ENTRY_DAY, LAST_ENTRY_DAY } from '../../../domain/day.ts'
import { KpiError } from '../../../domain/errors.ts'
import type { Cli } from '../../cli.ts'
import { countOf } from '../../output/text.ts'
import { countDependents, type DependentCounts } from '../verbs/count-dependents.ts'
import type { Prepared } from './prepare.ts'

/** Describes something that a plan deletes, with what went with it when the plan was made. */
export type PlannedDelete = { readonly name: string } & DependentCounts

const deletesIn = (changes: readonly Change[]): Change[] => changes.filter(({ action }) => action === 'delete')

const SHOWN_DELETES = 5

/** Counts what goes with something that is deleted; undefined for what nothing goes with. */
const countWith = async (held: HeldByUsers, { record }: Change): Promise<DependentCounts | undefined> => {
  const id = record.stored?.['id']
  if (record.name === '' || typeof id !== 'number') return undefined
  return countDependents(held, record.kind.of, id)
}

/** Returns what goes with each record that is deleted, as a saved plan keeps it. */
export const plannedDeletes = async (client: Client, changes: readonly Change[]): Promise<PlannedDelete[]> => {
  const held = new HeldByUsers({ client })
  const deletes: PlannedDelete[] = []
  for (const change of deletesIn(changes)) {
    const dependents = await countWith(held, change)
    if (dependents) deletes.push({ name: nounOf(change.record), ...dependents })
  }
  return deletes
}

/** Names what is deleted, with what goes with it. */
export const deletesText = async (client: Client, changes: readonly Change[]): Promise<string> => {
  const deletes = deletesIn(changes)
  // Name first what takes others with it.
  const named = [
    ...deletes.filter(({ record }) => record.name !== ''),
    ...deletes.filter(({ record }) => record.name === ''),
  ]
  const held = new HeldByUsers({ client })
  const texts: string[] = []
  for (const one of named.slice(0, SHOWN_DELETES)) {
    const { text = '' } = (await countWith(held, one)) ?? {}
    texts.push(`${nounOf(one.record)} ${text}`.trimEnd())
  }
  const more = named.length - SHOWN_DELETES
  return [...texts, ...(more > 0 ? [`${more} more`] : [])].join('; ')
}

const COUNTS = ['assignments', 'entries', 'links'] as const satisfies readonly (keyof DependentCounts)[]

/** Tells whether more goes with something than did; less is no loss, and is so where a run that was stopped is continued. */
const isMore = (now: DependentCounts, before: DependentCounts): boolean =>
  COUNTS.some((name) => (now[name] ?? 0) > (before[name] ?? Infinity))

/** Refuses a saved plan that would delete more than it showed: what is in the meantime stored below what it deletes. */
export const requireNoMoreDeleted = async (
  client: Client,
  saved: readonly PlannedDelete[],
  changes: readonly Change[],
): Promise<void> => {
  const before = new Map(saved.map((one) => [one.name, one]))
  const issues = (await plannedDeletes(client, changes)).flatMap((one) => {
    const planned = before.get(one.name)
    if (!planned || !isMore(one, planned)) return []
    return [
      { field: one.name, message: `would be deleted ${one.text}; when the plan was made, it was ${planned.text}` },
    ]
  })
  if (issues.length === 0) return
  throw new KpiError('conflict', 'the plan would delete more than it showed; make it again with kpi plan', { issues })
}

const idOf = ({ record }: Change): number => Number(record.stored?.['id'])

/** Tells whether a user has entries of KPIs that stay; those of KPIs that are deleted go with them. */
const hasEntries = async (client: Client, userId: number, gone: ReadonlySet<number>): Promise<boolean> => {
  for await (const page of entryPages(client, { from: FIRST_ENTRY_DAY, to: LAST_ENTRY_DAY, userId })) {
    if (page.some(({ kpi_id }) => !gone.has(kpi_id))) return true
  }
  return false
}

/** Says which KPIs formulas that stay use; no more than the account shows is known. */
const keptByFormulas = (snapshot: Snapshot, changes: readonly Change[]): string[] => {
  const deleted = new Set(deletesIn(changes).map(({ record }) => record))
  const staying = snapshot.ofKind('calculated_kpi').filter((one) => one.stored && !deleted.has(one))
  const formulas = new Map(
    changes.flatMap(({ record, fields }) =>
      fields.flatMap(({ config, after }) =>
        config.name === 'formula' && typeof after === 'string' ? [[record, after] as const] : [],
      ),
    ),
  )
  return [...deleted].flatMap((record) => {
    const user = staying.find((one) =>
      (formulas.get(one) ?? String(one.stored?.['formula'] ?? '')).includes(`[${record.id}]`),
    )
    return user && KPIS.includes(record.kind.name)
      ? [`${nounOf(record)} is used by the formula of ${nounOf(user)} and stays: change that first`]
      : []
  })
}

/** Says what the bundled service will not delete, though a plan would, and what to do; what others keep is not known. */
const keptTexts = async (client: Client, snapshot: Snapshot, changes: readonly Change[]): Promise<string[]> => {
  if (!client.isBundled()) return []
  const deletesOf = (kind: KindName): Change[] => deletesIn(changes).filter(({ record }) => record.kind.name === kind)
  const gone = new Set(deletesOf('kpi').map(idOf))
  const texts: string[] = keptByFormulas(snapshot, changes)
  for (const { change, id } of deletesOf('user').map((one) => ({ change: one, id: idOf(one) }))) {
    const way = `lock the user instead (kpi users update ${id} --user-status locked)`
    if (await hasEntries(client, id, gone)) texts.push(`${nounOf(change.record)} has entries and stays: ${way}`)
  }
  const shared = [...deletesOf('category'), ...deletesOf('unit')]
  // KPIs that stay, and get no other category or unit, keep theirs.
  const staying = shared.length === 0 ? [] : (await client.kpis.list()).filter(({ id }) => !gone.has(id))
  for (const change of shared) {
    const field = change.record.kind.name === 'unit' ? 'unit_id' : 'category_id'
    const moved = new Set(changes.filter((one) => one.fields.some(({ config }) => config.as === field)).map(idOf))
    const users = staying.filter((one) => one[field] === idOf(change) && !moved.has(one.id))
    const [first] = users
    if (!first) continue
    const way = `give ${users.length === 1 ? 'it' : 'them'} another first`
    const use = `is in use by ${countOf(users.length, 'KPI')} (${first.name})`
    texts.push(`${nounOf(change.record)} ${use} and stays: ${way}`)
  }
  return texts
}

/** Warns of what a plan would delete, and the service keeps. */
export const tellKept = async (
  cli: Cli,
  client: Client,
  { snapshot, plan: { changes } }: Pick<Prepared, 'snapshot' | 'plan'>,
): Promise<void> => {
  for (const text of await keptTexts(client, snapshot, changes)) await cli.log.warn(text)
}

/** Names what a plan would delete. */
export const tellDeletes = async (cli: Cli, client: Client, changes: readonly Change[]): Promise<void> =>
  cli.note(`to delete: ${await deletesText(client, changes)}`)
