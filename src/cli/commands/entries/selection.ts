import type { Needs } from '../../../client/capabilities.ts'
import type { Client } from '../../../client/client.ts'
import { entryPages } from '../../../client/operations/entry-pages.ts'
import type { DayRange } from '../../../domain/period.ts'
import { type Entry, entry } from '../../../domain/resources/entry.ts'
import type { Verb } from '../../../domain/schema.ts'
import { type FieldFlag, type ParsedFlags, requireNoFaults } from '../../args/flags.ts'
import { findId, idsIn, isId } from '../../args/names.ts'
import { UsageError } from '../../exit.ts'
import { NEEDS_BREAKDOWN_ITEMS, readSource, type SourceFlag } from '../../target/source.ts'

const { user_id, kpi_id } = entry.fields

/** Lists the flags that say whose entries they are, and of which KPI. */
export const WHOSE: readonly FieldFlag[] = [
  { flag: 'user', name: 'user_id', field: user_id },
  { flag: 'kpi', name: 'kpi_id', field: kpi_id },
]

/** Describes the flags that select entries; `user` and `kpi` are lists with commas between them. */
type SelectionFlags = SourceFlag & { readonly user?: string; readonly kpi?: string }

/** Returns the capabilities that a command on entries needs: more where entries may belong to any breakdown item. */
export const needsOf = (verb: Verb, source: string | undefined): Needs =>
  source === undefined ? { of: entry, verb } : [{ of: entry, verb }, NEEDS_BREAKDOWN_ITEMS]

/** Returns the ids of a list in a flag; a fault joins the others. Over a network, one number is an id without a request. */
const idsOf = async (
  client: Client,
  kind: 'user' | 'kpi',
  list: string | undefined,
  faults: string[],
): Promise<readonly number[] | undefined> => {
  if (list === undefined) return undefined
  const flag = `--${kind}`
  const found = isId(list) ? await findId(client, kind, list) : undefined
  if (typeof found === 'number') return [found]
  if (found) {
    faults.push(`${flag}: ${found.message}`)
    return undefined
  }
  try {
    return await idsIn(client, kind, flag, list)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    faults.push(error.message.startsWith(flag) ? error.message : `${flag}: ${error.message}`)
    return undefined
  }
}

/** Holds what the flags select: entries of these users and KPIs, or of a breakdown item; all where nothing is said. */
export type Selected = {
  readonly users: readonly number[] | undefined
  readonly kpis: readonly number[] | undefined
  /** Holds a breakdown item, and the user that it stands for, if it does. */
  readonly item: { readonly id: number; readonly user_id?: number | null } | undefined
}

/** Returns what the flags select; refuses all names that nothing has at once. */
export const readSelected = async (client: Client, options: SelectionFlags): Promise<Selected> => {
  const given: ParsedFlags = { fields: {}, faults: [] }
  const users = await idsOf(client, 'user', options.user, given.faults)
  const kpis = await idsOf(client, 'kpi', options.kpi, given.faults)
  const item = await readSource(client, options, given)
  requireNoFaults(given)
  return { users, kpis, item }
}

type Keep = (entry: Entry) => boolean

async function* filtered(
  pages: AsyncIterable<readonly Entry[]>,
  keeps: readonly Keep[],
): AsyncGenerator<readonly Entry[]> {
  for await (const page of pages) yield page.filter((one) => keeps.every((keep) => keep(one)))
}

/** Returns the one id of a list, by which the service filters; it takes no more than one. */
const only = (ids: readonly number[] | undefined): number | undefined => (ids?.length === 1 ? ids[0] : undefined)

/** Returns what keeps the entries of several ids, by which the service cannot filter. */
const amongSeveral = (field: 'user_id' | 'kpi_id', ids: readonly number[] | undefined): Keep[] => {
  if (ids === undefined || ids.length === 1) return []
  const wanted = new Set<number | null>(ids)
  return [(one) => wanted.has(one[field])]
}

/** Returns the entries of a selection, a page at a time, in the order of days. */
export const pagesOf = (
  client: Client,
  range: DayRange,
  { users, kpis, item }: Selected,
): AsyncIterable<readonly Entry[]> => {
  const userId = item?.user_id ?? only(users)
  const keeps = [...amongSeveral('user_id', users), ...amongSeveral('kpi_id', kpis)]
  const query = { ...range, kpiId: only(kpis) }
  if (!item || userId !== undefined) return filtered(entryPages(client, { ...query, userId }), keeps)
  // Filter here too: not every service knows this filter.
  const isOfItem: Keep = ({ source_id }) => source_id === item.id
  return filtered(entryPages(client, { ...query, sourceId: item.id }), [...keeps, isOfItem])
}

/** Returns the entries that the flags select, a page at a time, in the order of days. */
export const selected = async (
  client: Client,
  range: DayRange,
  options: SelectionFlags,
): Promise<AsyncIterable<readonly Entry[]>> => pagesOf(client, range, await readSelected(client, options))
