import { planCalculation } from '../../domain/calculated/calculation.ts'
import type { TakeSeries } from '../../domain/calculated/calculator.ts'
import type { Series } from '../../domain/calculated/series.ts'
import { type Calendar, type DayRange, daysOfPeriodsIn, type Frequency } from '../../domain/period.ts'
import type { ReportBuilder, ReportItem, ReportKpi } from '../../domain/report.ts'
import { entryQueries, type ReportedEntry } from '../../store/tables/entry-queries.ts'
import { groupItemsAmong } from '../../store/tables/groups.ts'
import type { Context } from '../context.ts'
import { loadCatalogue } from '../definitions/formulas.ts'
import {
  calculateGroups,
  calculateItems,
  type CalculationContext,
  createEffortPause,
  loadTargets,
} from './calculate.ts'
import { type ReportQuery, type Selected, type SelectItems, selectKpis } from './report-selection.ts'

/** Describes what building a report needs. */
type ReportContext = CalculationContext & {
  readonly ctx: Context
  readonly query: ReportQuery
  readonly selected: Selected
  readonly builder: Pick<ReportBuilder, 'add'>
}

const byFrequency = (list: readonly ReportKpi[]): Map<Frequency, ReportKpi[]> =>
  Map.groupBy(list, ({ frequency_id }) => frequency_id)

const mapById = <T extends { readonly id: number }>(list: readonly T[]): Map<number, T> =>
  new Map(list.map((one) => [one.id, one]))

/** Adds the rows of entered KPIs, from the entries that `read` visits; reads each frequency for whole periods. */
const addEntered = async (
  { ctx, query, selected, targetOf, builder }: ReportContext,
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

/** Adds the rows of calculated KPIs, in the requested periods. */
const calculatedRows = async (
  { query: { days }, selected, builder }: ReportContext,
  items: ReadonlyMap<number, ReportItem>,
): Promise<TakeSeries> => {
  const [{ effortOf, roundResult }, { valueOf }] = await Promise.all([
    import('../../domain/calculated/series.ts'),
    import('../../domain/calculated/formula.ts'),
  ])
  const pause = createEffortPause()
  const addRows = async (kpi: ReportKpi, item: ReportItem, series: Series): Promise<void> => {
    for (const [start, result] of series) {
      if (start < days.from || start > days.to) continue
      const values = roundResult(result)
      if (typeof values !== 'string') builder.add(kpi, item, { day: start, ...values, notes: null })
      const turn = pause(effortOf(valueOf(result.actual)))
      if (turn) await turn
    }
  }
  return async (itemId, seriesOf) => {
    const item = items.get(itemId)
    if (!item) return
    for (const kpi of selected.calculated) await addRows(kpi, item, await seriesOf(kpi, kpi.frequency_id))
  }
}

const reportItems = async (context: ReportContext, list: readonly ReportItem[]): Promise<void> => {
  const { tx, account, plan } = context
  const items = mapById(list)
  await addEntered(context, items, (of, visit) =>
    entryQueries.eachOf(tx, account, { ...of, items: items.keys() }, (entry) => visit(entry.itemId, entry)),
  )
  if (plan.span) await calculateItems(context, items.keys(), await calculatedRows(context, items))
}

/** Adds the rows of group items; `users` selects among their members. */
const reportGroups = async (
  context: ReportContext,
  groupItemIds: ReadonlySet<number>,
  users: readonly number[] | undefined,
): Promise<void> => {
  const { tx, account, plan } = context
  const items = mapById(await groupItemsAmong(tx, account, groupItemIds))
  const filter = { groups: [...items.keys()], users }
  await addEntered(context, items, (of, visit) => entryQueries.eachOfGroups(tx, account, { ...filter, ...of }, visit))
  if (plan.span) await calculateGroups(context, filter, await calculatedRows(context, items))
}

/** Creates what makes a report of its entries, in the account's calendar. */
type CreateBuilder<Result> = (calendar: Calendar) => ReportBuilder<Result>

/** Returns the report, by the items of a variant or by group items, from one snapshot of the store. */
export const report = <Result>(
  ctx: Context,
  query: ReportQuery,
  selectItems: SelectItems,
  createBuilder: CreateBuilder<Result>,
): Promise<Result> =>
  // For group items, the database sorts all entries before it returns the first: use the connection for long work.
  ((query.groupItemIds && ctx.db.apart) ?? ctx.db).readLong(async (tx) => {
    const account = ctx.account.id
    const catalogue = await loadCatalogue(tx, account)
    const selected = await selectKpis(tx, account, catalogue, query.kpiIds)
    const plan = planCalculation(catalogue, ctx.account, selected.calculated, query.days)
    const items = await selectItems(tx, account, query.userIds)
    const itemIds = items.map(({ id }) => id)
    const kpiIds = [...selected.entered.map(({ id }) => id), ...plan.used.keys(), ...plan.inputs.keys()]
    const targetOf = await loadTargets(tx, ctx.account, catalogue, itemIds, kpiIds)
    const builder = createBuilder(ctx.account)
    const context = { tx, account, ctx, query, selected, plan, targetOf, builder }
    if (query.groupItemIds) await reportGroups(context, query.groupItemIds, query.userIds && itemIds)
    else await reportItems(context, items)
    return builder.finish()
  })
