import { planCalculation } from '../../domain/calculated/calculation.ts'
import type { TakeSeries } from '../../domain/calculated/calculator.ts'
import { valueOf } from '../../domain/calculated/formula.ts'
import { effortOf, roundResult, type Series } from '../../domain/calculated/series.ts'
import { type DayRange, daysOfPeriodsIn, type Frequency } from '../../domain/period.ts'
import { type Report, type ReportBuilder, reportBuilder, type ReportItem, type ReportKpi } from '../../domain/report.ts'
import { entryQueries, type ReportedEntry } from '../../store/tables/entry-queries.ts'
import { groupItemsAmong } from '../../store/tables/groups.ts'
import type { Context } from '../context.ts'
import { loadCatalogue } from '../definitions/formulas.ts'
import { calculateGroups, calculateItems, type Calculating, createEffortPause, loadTargets } from './calculate.ts'
import { type ReportQuery, type Selected, type SelectItems, selectKpis } from './report-selection.ts'

/** Describes what a report is made with, once its content is settled. */
type Making = Calculating & {
  readonly ctx: Context
  readonly query: ReportQuery
  readonly selected: Selected
  readonly builder: ReportBuilder
}

const byFrequency = (list: readonly ReportKpi[]): Map<Frequency, ReportKpi[]> =>
  Map.groupBy(list, ({ frequency_id }) => frequency_id)

const mapById = <T extends { readonly id: number }>(list: readonly T[]): Map<number, T> =>
  new Map(list.map((one) => [one.id, one]))

/** Makes rows of the entries that `read` visits: for the KPIs of each frequency, of the days that are needed. */
const addEntered = async (
  { ctx, query, selected, targetOf, builder }: Making,
  items: ReadonlyMap<number, ReportItem>,
  read: (
    of: { readonly kpis: Iterable<number>; readonly days: DayRange },
    visit: (item: number, entry: ReportedEntry) => void,
  ) => Promise<void>,
): Promise<void> => {
  for (const [frequency, list] of byFrequency(selected.entered)) {
    const kpis = mapById(list)
    const days = daysOfPeriodsIn(frequency, query.days, ctx.account)
    await read({ kpis: kpis.keys(), days }, (itemId, entry) => {
      const [kpi, item] = [kpis.get(entry.kpiId), items.get(itemId)]
      if (!kpi || !item) return
      const { day, actual, notes } = entry
      builder.add(kpi, item, { day, actual, target: targetOf(entry), notes })
    })
  }
}

/** Makes rows of an item's results in the periods that are asked for. */
const calculatedRows = (
  { query: { days }, selected, builder }: Making,
  items: ReadonlyMap<number, ReportItem>,
): TakeSeries => {
  const pace = createEffortPause()
  const addRows = async (kpi: ReportKpi, item: ReportItem, series: Series): Promise<void> => {
    for (const [start, result] of series) {
      if (start < days.from || start > days.to) continue
      const values = roundResult(result)
      if (typeof values !== 'string') builder.add(kpi, item, { day: start, ...values, notes: null })
      const turn = pace(effortOf(valueOf(result.actual)))
      if (turn) await turn
    }
  }
  return async (itemId, seriesOf) => {
    const item = items.get(itemId)
    if (!item) return
    for (const kpi of selected.calculated) await addRows(kpi, item, await seriesOf(kpi, kpi.frequency_id))
  }
}

const reportItems = async (making: Making, list: readonly ReportItem[]): Promise<void> => {
  const { tx, account } = making
  const items = mapById(list)
  await addEntered(making, items, (of, visit) =>
    entryQueries.eachOf(tx, account, { ...of, items: items.keys() }, (entry) => visit(entry.itemId, entry)),
  )
  await calculateItems(making, items.keys(), calculatedRows(making, items))
}

/** Reports group items; `users` selects among their members. */
const reportGroups = async (
  making: Making,
  groupItemIds: ReadonlySet<number>,
  users: readonly number[] | undefined,
): Promise<void> => {
  const { tx, account } = making
  const items = mapById(await groupItemsAmong(tx, account, groupItemIds))
  const filter = { groups: [...items.keys()], users }
  await addEntered(making, items, (of, visit) => entryQueries.eachOfGroups(tx, account, { ...filter, ...of }, visit))
  await calculateGroups(making, filter, calculatedRows(making, items))
}

/** Returns the processed report, by the items of a variant or by group items, from one snapshot of the store. */
export const report = (ctx: Context, query: ReportQuery, selectItems: SelectItems): Promise<Report> =>
  // What belongs to group items is sorted before the first row comes.
  ((query.groupItemIds && ctx.db.apart) ?? ctx.db).readLong(async (tx) => {
    const account = ctx.account.id
    const catalogue = await loadCatalogue(tx, account)
    const selected = await selectKpis(tx, account, catalogue, query.kpiIds)
    const plan = planCalculation(catalogue, ctx.account, selected.calculated, query.days)
    const items = await selectItems(tx, account, query.userIds)
    const itemIds = items.map(({ id }) => id)
    const kpiIds = [...selected.entered.map(({ id }) => id), ...plan.used.keys(), ...plan.inputs.keys()]
    const targetOf = await loadTargets(tx, account, catalogue, itemIds, kpiIds)
    const making = { tx, account, ctx, query, selected, plan, targetOf, builder: reportBuilder(ctx.account) }
    if (query.groupItemIds) await reportGroups(making, query.groupItemIds, query.userIds && itemIds)
    else await reportItems(making, items)
    return making.builder.finish()
  })
