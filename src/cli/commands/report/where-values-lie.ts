import type { Client } from '../../../client/client.ts'
import type { ReportRequest } from '../../../client/operations/queries.ts'
import { type Day, FIRST_QUERY_DAY, formatDay, LAST_ENTRY_DAY } from '../../../domain/day.ts'
import type { DayRange } from '../../../domain/period.ts'
import { REPORT_LIMIT, type ReportRow } from '../../../domain/resources/report-row.ts'
import type { Cli } from '../../cli.ts'
import { withClassic } from '../../target/service-of.ts'

/** Holds the first and the last day of an answer, and whether it has all rows; undefined if it has none. */
type Extent = DayRange & { readonly isWhole: boolean }

const extentOf = async (client: Client, request: ReportRequest): Promise<Extent | undefined> => {
  const { rows, total } = await client.report(request)
  if (rows.length === 0) return undefined
  const days = rows.map(({ entryDate }) => entryDate)
  return {
    from: days.reduce((one, other) => Math.min(one, other)),
    to: days.reduce((one, other) => Math.max(one, other)),
    isWhole: total === undefined ? rows.length < REPORT_LIMIT : total <= rows.length,
  }
}

/** Finds the last day with a row, at or after one that has some, by halving what may lie behind it. */
const lastDay = async (client: Client, request: ReportRequest, known: Day): Promise<Day> => {
  let [last, end] = [known, LAST_ENTRY_DAY]
  while (last < end) {
    const middle = Math.ceil((last + end) / 2)
    const behind = await extentOf(client, { ...request, from: middle, to: end })
    if (behind?.isWhole) return behind.to
    if (behind) last = Math.max(behind.to, middle)
    else end = middle - 1
  }
  return last
}

/** Finds the first and the last day with values; undefined if there are none. Sends about twenty requests at most. */
const findValues = async (client: Client, request: ReportRequest): Promise<DayRange | undefined> => {
  // Categories and KPIs can leave none over, which a request cannot ask for.
  if (request.kpiIds?.length === 0) return undefined
  const all = await extentOf(client, { ...request, from: FIRST_QUERY_DAY, to: LAST_ENTRY_DAY })
  if (!all) return undefined
  return { from: all.from, to: all.isWhole ? all.to : await lastDay(client, request, all.to) }
}

/** Sets how many days the suggested report has. */
const SUGGESTED_DAYS = 30

/** Says that a range has no values, where there are some, and how to see them. */
const whereValuesLie = async (client: Client, request: ReportRequest): Promise<string> => {
  const { from, to, kpiIds, userIds, groupItemIds } = request
  const none = `no values from ${formatDay(from)} to ${formatDay(to)}`
  const found = await findValues(client, request)
  if (!found) {
    return kpiIds || userIds || groupItemIds
      ? `${none}, nor on any other day, of what was asked for; leave out a filter to see the others`
      : `${none}, nor on any other day; kpi entries import FILE brings some in`
  }
  const first = Math.max(found.from, found.to - SUGGESTED_DAYS + 1)
  const range =
    found.from === found.to ? `on ${formatDay(found.to)}` : `from ${formatDay(found.from)} to ${formatDay(found.to)}`
  return `${none}; there are some ${range}: try --from ${formatDay(first)} --to ${formatDay(found.to)}`
}

/**
 * Says of the group items of a report that have no rows how many entries of their people do not carry them, and how they get
 * them.
 */
export const tellItemsWithout = async (
  cli: Cli,
  client: Client,
  request: ReportRequest,
  rows: readonly Pick<ReportRow, 'itemId'>[] = [],
): Promise<void> => {
  const found = new Set(rows.map(({ itemId }) => itemId))
  const without = (request.groupItemIds ?? []).filter((id) => !found.has(id))
  if (without.length === 0) return
  const [{ tellEntriesWithout }, { createNames }] = await Promise.all([
    import('../assign/onto-entries.ts'),
    import('../verbs/reference-names.ts'),
  ])
  const names = createNames(client)
  await withClassic(cli, client, async (classic) => {
    for (const id of classic ? without : [])
      await tellEntriesWithout(cli, classic, { id, name: await names.nameOf('group_item', id) }, request)
  })
}

/** Says that a range has no values, where there are some, and how to see them; of group items also what would give them some. */
export const tellWhereValuesLie = async (cli: Cli, client: Client, request: ReportRequest): Promise<void> => {
  await cli.note(await whereValuesLie(client, request))
  await tellItemsWithout(cli, client, request)
}
