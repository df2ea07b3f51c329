import type { Needs } from '../../../client/capabilities.ts'
import type { Client } from '../../../client/client.ts'
import { entryPages } from '../../../client/operations/entry-pages.ts'
import type { DayRange } from '../../../domain/period.ts'
import { type Entry, entry } from '../../../domain/resources/entry.ts'
import { asPatch, type Verb } from '../../../domain/schema.ts'
import { type FieldFlag, type FlagValues, requireNoFaults, readFlags } from '../../args/flags.ts'
import { NEEDS_BREAKDOWN_ITEMS, readSource, type SourceFlag } from '../../target/source.ts'

const { user_id, kpi_id } = entry.fields

/** Lists the flags that say whose entries they are, and of which KPI. */
export const WHOSE: readonly FieldFlag[] = [
  { flag: 'user', name: 'user_id', field: user_id },
  { flag: 'kpi', name: 'kpi_id', field: kpi_id },
]

/** Describes the flags that select entries. */
export type SelectionFlags = FlagValues & SourceFlag

/** Returns the capabilities that a command on entries needs: more where entries may belong to any breakdown item. */
export const needsOf = (verb: Verb, source: string | undefined): Needs =>
  source === undefined ? { of: entry, verb } : [{ of: entry, verb }, NEEDS_BREAKDOWN_ITEMS]

/** Keeps only the entries of a breakdown item. */
async function* ofItem(pages: AsyncIterable<readonly Entry[]>, item: number): AsyncGenerator<readonly Entry[]> {
  for await (const page of pages) yield page.filter(({ source_id }) => source_id === item)
}

/** Returns the entries that the flags select, a page at a time. */
export const selected = async (
  client: Client,
  range: DayRange,
  options: SelectionFlags,
): Promise<AsyncIterable<readonly Entry[]>> => {
  const given = await readFlags(client, WHOSE, options)
  const item = await readSource(client, options, given)
  const { user_id, kpi_id: kpiId } = asPatch(entry, requireNoFaults(given))
  const userId = item?.user_id ?? user_id ?? undefined
  if (!item || userId !== undefined) return entryPages(client, { ...range, userId, kpiId })
  // Filter here too: not every service knows this filter.
  return ofItem(entryPages(client, { ...range, sourceId: item.id, kpiId }), item.id)
}
