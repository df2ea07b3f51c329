import { divided } from './questions.ts'

type Frequency = 'D' | 'W' | 'M' | 'Q' | 'Y'

/** A question that compares, over any range. */
export type AnyComparison = {
  readonly from: string
  readonly to: string
  readonly today: string
  readonly compare: 'previous' | 'year'
  readonly by: 'W' | 'M' | 'Q' | 'Y' | undefined
  readonly grouping: 'none' | 'total' | 'period' | 'kpi' | 'item' | 'category'
  readonly ofGroupItems: boolean
  readonly calendar: { readonly week_start: 'monday' | 'sunday'; readonly fiscal_year_start: number }
}

/** The columns of the answer that the statement has. */
export const COLUMNS = [
  'category',
  'unit_id',
  'kpiName',
  'itemName',
  'periodId',
  'entryDate',
  'actual',
  'target',
  'progress_percent',
  'previous_actual',
  'previous_from',
  'previous_to',
  'difference',
  'difference_percent',
] as const

const FREQUENCIES: readonly Frequency[] = ['D', 'W', 'M', 'Q', 'Y']
const MONTHS = { M: 1, Q: 3, Y: 12 } as const

/** The first day of the period of a day. */
const startOf = (
  frequency: Frequency,
  day: string,
  { week_start, fiscal_year_start }: AnyComparison['calendar'],
): string => {
  if (frequency === 'D') return day
  if (frequency === 'W') return `date(${day}, '-6 days', 'weekday ${week_start === 'monday' ? 1 : 0}')`
  const into = `((strftime('%m', ${day}) - ${fiscal_year_start} + 12) % ${MONTHS[frequency]})`
  return `date(${day}, 'start of month', '-' || ${into} || ' months')`
}

/** The last day of the period that begins on a day. */
const endOf = (frequency: Frequency, start: string): string => {
  if (frequency === 'D') return start
  return frequency === 'W' ? `date(${start}, '+6 days')` : `date(${start}, '+${MONTHS[frequency]} months', '-1 day')`
}

/** A day so many months before; the last of its month where that is too short. */
const monthsBefore = (day: string, months: string): string => `date(${day}, '-' || (${months}) || ' months', 'floor')`

/** Whether days are whole months. */
const areMonths = (from: string, to: string): string =>
  `(strftime('%d', ${from}) = '01' and strftime('%d', ${to}, '+1 day') = '01')`

/** The last of some days, so many months before: of whole months the last day of a month. */
const lastMonthsBefore = (from: string, to: string, months: string): string =>
  `case when ${areMonths(from, to)} then date(${monthsBefore(`date(${to}, '+1 day')`, months)}, '-1 day') else ${monthsBefore(to, months)} end`

/** A day of a single period that lies as far back as it is compared. */
const periodsBack = (compare: AnyComparison['compare'], frequency: Frequency): { days?: string; months?: string } => {
  if (frequency === 'W') return { days: compare === 'year' ? '364' : '7' }
  if (compare === 'year') return { months: '12' }
  return frequency === 'D' ? { days: '1' } : { months: String(MONTHS[frequency]) }
}

const back = (day: string, { days, months }: { days?: string; months?: string }): string =>
  months === undefined ? `date(${day}, '-' || (${days}) || ' days')` : monthsBefore(day, months)

/** The periods of one frequency that are asked for, each with the days that it is compared with. */
const periodWindows = (own: Frequency, answered: Frequency, asked: AnyComparison): string => {
  const { from, to, today, compare, calendar } = asked
  const distance = periodsBack(compare, answered)
  const end = endOf(answered, 'start')
  const [before, beforeEnd] = [back('start', distance), endOf(answered, back('start', distance))]
  const low = `max(start, '${from}')`
  const untilTo = `min(${end}, '${to}')`
  const high = `case when '${today}' >= ${low} then min(${untilTo}, '${today}') else ${untilTo} end`
  const last = distance.months === undefined ? back('high', distance) : lastMonthsBefore('low', 'high', distance.months)
  const cut = `select start, ${low} as low, ${high} as high from (select distinct ${startOf(answered, 'start', calendar)} as start from own
    where frequency = '${own}' and start between '${from}' and '${to}')`
  // As many weeks, counted from the end where that is not cut.
  const week = (day: string): string => startOf('W', day, calendar)
  const firstWeek = (day: string): string => week(`date(${day}, '+6 days')`)
  const length = `(julianday(${week('high')}) + 6 - julianday(${firstWeek('low')}))`
  const into = `(julianday(${firstWeek('low')}) - julianday(${firstWeek('start')}))`
  const firstLike = `case when high = ${end} then date(${week(beforeEnd)}, '+6 days', '-' || ${length} || ' days')
    else date(${firstWeek(before)}, '+' || ${into} || ' days') end`
  const likeWeeks = {
    low: `max(${firstLike}, ${before})`,
    high: `min(date(${firstLike}, ${length} || ' days'), ${beforeEnd})`,
  }
  const part =
    own === 'W' && answered !== 'W'
      ? likeWeeks
      : { low: back('low', distance), high: `case when high = ${end} then ${beforeEnd} else ${last} end` }
  const isWhole = own === answered ? 'true' : `(low = start and high = ${end})`
  return `select '${own}' as own, '${answered}' as answered, start,
      case when ${isWhole} then ${before} else ${part.low} end as low,
      case when ${isWhole} then ${beforeEnd} else ${part.high} end as high
    from (${cut})`
}

/** The whole range of one frequency, with the days that it is compared with. */
const rangeWindow = (own: Frequency, answered: Frequency, asked: AnyComparison): string => {
  const { from, to, today, compare, calendar } = asked
  const [low, until] = [`'${from}'`, today >= from && today < to ? `'${today}'` : `'${to}'`]
  const start = (day: string): string => startOf(own, day, calendar)
  const first = `(select case when ${start(low)} = ${low} then ${low} else date(${endOf(own, start(low))}, '+1 day') end)`
  const last = endOf(own, start(until))
  const dayBefore = `date(${low}, '-1 day')`
  const monthNumber = (day: string): string => `(strftime('%Y', ${day}) * 12 + strftime('%m', ${day}))`
  const count = (months: number): string =>
    `((${monthNumber(start(`'${to}'`))} - ${monthNumber(start(dayBefore))}) / ${months} * ${months})`
  const wholeMonths = `(${monthNumber(`date('${to}', '+1 day')`)} - ${monthNumber(low)})`
  const distances: Readonly<Record<Frequency, { days?: string; months?: string }>> = {
    D: { days: `julianday('${to}') - julianday(${low}) + 1` },
    W: { days: `julianday(${start(`'${to}'`)}) - julianday(${start(dayBefore)})` },
    M: { months: count(1) },
    Q: { months: count(3) },
    Y: { months: count(12) },
  }
  const distance = compare === 'year' ? periodsBack('year', own) : distances[own]
  const days = {
    low: back(first, distance),
    high: distance.months === undefined ? back(last, distance) : lastMonthsBefore(first, last, distance.months),
  }
  const months = { low: monthsBefore(low, wholeMonths), high: lastMonthsBefore(low, until, wholeMonths) }
  const isByMonths = compare === 'previous' && own === 'D' ? areMonths(low, `'${to}'`) : 'false'
  return `select '${own}' as own, '${answered}' as answered, null as start,
    case when ${isByMonths} then ${months.low} else ${days.low} end as low,
    case when ${isByMonths} then ${months.high} else ${days.high} end as high`
}

/** The rows of a report before anything is put together. */
const ownRows = ({ ofGroupItems, calendar }: AnyComparison): string => {
  const starts = `case k.frequency_id ${FREQUENCIES.map((one) => `when '${one}' then ${startOf(one, 'day', calendar)}`).join(' ')} end`
  const items = ofGroupItems
    ? `join main.item_set_members m on m.account_id = e.account_id and m.set_id = e.item_set join main.items i on i.account_id = m.account_id and i.id = m.group_item_id`
    : `join main.items i on i.account_id = e.account_id and i.id = e.item_id`
  const formula = "k.name = 'Sales per rent'"
  return `entry as (select e.kpi_id, i.id as item_id, date(e.entry_date * 86400, 'unixepoch') as day, e.actual as units,
      case when k.target_default is not null then coalesce(e.target, a.user_target, k.target_default) end as target
    from main.entries e join main.kpis k on k.account_id = e.account_id and k.id = e.kpi_id ${items}
    left join main.assignments a on a.account_id = e.account_id and a.user_id = e.item_id and a.id = e.kpi_id),
  entered as (select kpi_id, item_id, ${starts} as start,
      case k.aggregate_function when 'SUM' then sum(units) else ${divided('sum(units)', 'count(units)')} end as units,
      case k.aggregate_function when 'SUM' then sum(target) else ${divided('sum(target)', 'count(target)')} end as target
    from entry join main.kpis k on k.id = kpi_id group by 1, 2, 3),
  month as (select item_id, ${startOf('M', 'day', calendar)} as start, sum(units) filter (where k.name = 'Sales') as sales,
      sum(units) filter (where k.name = 'Rent') as rent from entry join main.kpis k on k.id = kpi_id group by 1, 2),
  every as (select * from entered union all
    select k.id, item_id, start, ${divided('sales * 10000', 'rent')}, null from month, main.kpis k
    where ${formula} and sales is not null and rent is not null),
  own as (select every.*, k.frequency_id as frequency, k.aggregate_function as function, k.value_direction as direction,
      k.category_id, k.unit_id from every join main.kpis k on k.id = kpi_id)`
}

const KEYS = {
  none: 'kpi_id, item_id, answered, start',
  total: 'kpi_id, null, answered, start',
  period: 'kpi_id, null, answered, start',
  kpi: 'kpi_id, null, answered, null',
  item: 'kpi_id, item_id, answered, null',
  category: 'null, null, null, null',
} as const

/** Puts rows together by period and then by what is asked for; averages stay as they are until they are rounded. */
const together = (name: string, rows: string, { grouping }: AnyComparison): string => {
  const [kpi, item, answered, start] = KEYS[grouping].split(', ')
  const value = (of: string): string => `case function when 'SUM' then sum(${of}) else avg(${of}) end`
  const isWith = 'count(*) filter (where units is not null and target is null) = 0'
  const category = grouping === 'category' ? 'category_id' : 'null'
  return `${name}_periods as (select kpi_id, item_id, answered, start, function, direction, category_id, unit_id, low, high,
      ${value('units')} as units, case when ${isWith} then ${value('target')} end as target from (${rows})
    group by kpi_id, item_id, answered, start),
  ${name} as (select ${kpi} as kpi, ${item} as item, ${answered} as period, ${start} as begins, ${category} as category,
      direction, function, unit_id as unit, min(low) as low, max(high) as high,
      cast(round(${value('units')} + 1e-8) as integer) as units,
      cast(round(case when ${isWith} then ${value('target')} end + 1e-8) as integer) as target
    from ${name}_periods group by 1, 2, 3, 4, 5, 6, 7, 8)`
}

/** The statement that answers a comparison over any range from the tables of the store. */
export const comparisonSql = (asked: AnyComparison): string => {
  const { from, to, by, grouping, calendar } = asked
  const joins = ['kpi', 'item', 'category'].includes(grouping)
  const answeredBy = (own: Frequency): Frequency =>
    by !== undefined && FREQUENCIES.indexOf(by) > FREQUENCIES.indexOf(own) ? by : own
  const eachFrequency = (make: (own: Frequency, answered: Frequency) => string): string =>
    FREQUENCIES.map((own) => make(own, answeredBy(own))).join(' union all ')
  const fields = 'kpi_id, item_id, function, direction, category_id, unit_id, units, target'
  const nowRows = eachFrequency(
    (
      own,
      answered,
    ) => `select ${fields}, '${answered}' as answered, ${startOf(answered, 'own.start', calendar)} as start, null as low, null as high
      from own where frequency = '${own}' and own.start between '${from}' and '${to}'`,
  )
  const beforeRows = eachFrequency(
    (
      own,
      answered,
    ) => `select ${fields}, answered, ${joins ? startOf(answered, 'own.start', calendar) : 'windows.start'} as start, low, high
      from own join windows on windows.own = frequency and own.start between low and high where frequency = '${own}'`,
  )
  const part = (one: string, whole: string): string => divided(`(${one}) * 1000000`, whole)
  return `with ${ownRows(asked)},
    windows as materialized (${eachFrequency((own, answered) => (joins ? rangeWindow : periodWindows)(own, answered, asked))}),
    ${together('here', nowRows, asked)}, ${together('earlier', beforeRows, asked)}
    select ${grouping === 'category' ? 'c.name, h.unit * 10000' : "'no category', 'no unit_id'"}, k.name, coalesce(i.name, 'Total'), h.period, h.begins, h.units, h.target,
      case h.direction when 'U' then ${part('h.units', 'h.target')} when 'D' then ${part('h.target', 'h.units')} end,
      e.units, iif(e.units is null, null, e.low), iif(e.units is null, null, e.high), h.units - e.units, ${part('h.units - e.units', 'abs(e.units)')}
    from here h left join earlier e on e.kpi is h.kpi and e.item is h.item and e.period is h.period and e.begins is h.begins
      and e.category is h.category and e.direction = h.direction and e.function = h.function and e.unit = h.unit
    left join main.kpis k on k.id = h.kpi left join main.items i on i.id = h.item left join main.categories c on c.id = h.category`
}
