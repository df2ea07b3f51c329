/** A question, the command that answers it, and the statement that answers it from the plain table. */
export type Question = {
  readonly asks: string
  readonly words: readonly string[]
  /** The columns of the answer that are compared, in the order of the statement's. */
  readonly columns: readonly string[]
  readonly sql: string
  /** The day on which it is asked, where it matters. */
  readonly today?: string
  /** Whether the order of rows is a part of the answer. */
  readonly inOrder?: true
  /** Whether it asks who has to report what, which the newer interface does not tell. */
  readonly ofAssignments?: true
}

const COUNTRIES = 'China,US,United Kingdom,Italy,France,Germany,Spain,Iran'

/** Divides whole numbers, rounding half away from zero; nothing by zero. The divisor is not negative. */
export const divided = (by: string, into: string): string =>
  `((${by}) / (${into}) + (2 * abs((${by}) % (${into})) >= (${into})) * (case when (${by}) < 0 then -1 else 1 end))`

/** A part of a whole in percent, in ten-thousandths. */
export const percent = (part: string, whole: string): string => divided(`(${part}) * 1000000`, `abs(${whole})`)

export const average = divided('sum(units)', 'count(*)')
export const MONTH = "substr(day, 1, 7) || '-01'"
export const QUARTER = "printf('%s-%02d-01', substr(day, 1, 4), (substr(day, 6, 2) - 1) / 3 * 3 + 1)"
export const YEAR = "substr(day, 1, 4) || '-01-01'"
/** The Monday of a day's week. */
export const WEEK = "date(day, '-6 days', 'weekday 1')"

/** The values of a KPI by item and period, summed or averaged. */
export const periods = (kpi: string, start: string, value: string, days = 'true'): string =>
  `select item, ${start} as start, ${value} as units, count(*) as many from cell where kpi = '${kpi}' and ${days} group by 1, 2`

export const days = (from: string, to: string): string => `day between '${from}' and '${to}'`
export const between = (from: string, to: string): string => `start between '${from}' and '${to}'`
export const over = (from: string, to: string): string[] => ['--from', from, '--to', to]

/** Columns of a value, the one that it is compared with, and what lies between. */
export const COMPARED = ['actual', 'previous_actual', 'difference', 'difference_percent'] as const
export const compared = `one.units, other.units, one.units - other.units, ${percent('one.units - other.units', 'other.units')}`

const WEEKS_OF_WIND = periods('Wind', WEEK, average)

export const questions: readonly Question[] = [
  {
    asks: 'How much did it rain in each city, month by month, and in the same month of the year before?',
    words: ['--kpis', 'Rain', ...over('2015-01-01', '2015-12-31'), '--by', 'M', '--compare', 'year'],
    columns: ['itemName', 'entryDate', ...COMPARED],
    sql: `with month as (${periods('Rain', MONTH, 'sum(units)')})
      select one.item, one.start, ${compared} from month one
      left join month other on other.item = one.item and other.start = date(one.start, '-1 year')
      where one.${between('2015-01-01', '2015-12-31')}`,
  },
  {
    asks: 'How warm were the days of each quarter, on average, and how far was that from 25 degrees?',
    words: ['--kpis', 'Highest temperature', ...over('2013-01-01', '2015-12-31'), '--by', 'Q'],
    columns: ['itemName', 'entryDate', 'actual', 'target', 'progress_percent', 'state'],
    sql: `with quarter as (${periods('Highest temperature', QUARTER, average)})
      select item, start, units, 250000, ${percent('units', '250000')},
        case when units >= 250000 then 'met' when units >= 225000 then 'near' else 'missed' end from quarter`,
  },
  {
    asks: 'Which were the ten largest daily increases of confirmed cases in 2022?',
    words: [
      '--kpis',
      'Confirmed',
      '--users',
      COUNTRIES,
      ...over('2022-01-01', '2022-04-16'),
      '--compare',
      'previous',
      '--sort',
      '-difference',
      '--top',
      '10',
    ],
    columns: ['itemName', 'entryDate', ...COMPARED],
    sql: `with confirmed as (select *, day as start from cell where kpi = 'Confirmed' and item <> 'World')
      select one.item, one.day, ${compared} from confirmed one
      join confirmed other on other.item = one.item and other.day = date(one.day, '-1 day')
      where one.${between('2022-01-01', '2022-04-16')} order by one.units - other.units desc limit 10`,
    inOrder: true,
  },
  {
    asks: 'What part of the eight countries together has each, the largest first?',
    words: [
      '--kpis',
      'Confirmed',
      '--users',
      COUNTRIES,
      ...over('2022-04-16', '2022-04-16'),
      '--share',
      '--sort',
      '-share_percent',
    ],
    columns: ['itemName', 'actual', 'share_percent'],
    sql: `select item, units, ${percent('units', 'sum(units) over ()')} from cell
      where kpi = 'Confirmed' and item <> 'World' and day = '2022-04-16' order by units desc`,
    inOrder: true,
  },
  {
    asks: 'How did the growth of cases go in March 2020, smoothed over seven days?',
    words: ['--kpis', 'Increase rate', ...over('2020-03-01', '2020-03-31'), '--rolling', '7'],
    columns: ['entryDate', 'actual', 'rolling_average'],
    sql: `select * from (select day as start, units, ${divided('sum(units) over week', 'count(*) over week')} from cell
      where kpi = 'Increase rate' window week as (order by day rows 6 preceding)) where ${between('2020-03-01', '2020-03-31')}`,
  },
  {
    asks: 'How windy was each week of last winter, over four weeks and against the winter before?',
    words: ['--kpis', 'Wind', ...over('2014-12-01', '2015-02-28'), '--rolling', '4', '--compare', 'year'],
    columns: ['itemName', 'entryDate', ...COMPARED, 'rolling_average'],
    sql: `with week as (${WEEKS_OF_WIND}),
      smooth as (select *, ${divided('sum(units) over four', 'count(*) over four')} as mean from week
        window four as (partition by item order by start rows 3 preceding))
      select one.item, one.start, ${compared}, one.mean from smooth one
      join week other on other.item = one.item and other.start = date(one.start, '-364 days')
      where one.${between('2014-12-01', '2015-02-28')}`,
  },
  {
    asks: 'In which months did cases grow faster than the target allows?',
    words: ['--kpis', 'Increase rate', ...over('2020-01-01', '2022-04-16'), '--by', 'M', '--only-missed'],
    columns: ['entryDate', 'actual', 'target', 'progress_percent', 'state'],
    sql: `with month as (${periods('Increase rate', MONTH, average)})
      select start, units, 2500, ${percent('2500', 'units')}, case when units <= 2750 then 'near' else 'missed' end
      from month where units > 2500`,
  },
  {
    asks: 'What did a dollar cost each year, a column a year?',
    words: ['--kpis', 'Exchange rate', ...over('2021-01-01', '2025-12-31'), '--by', 'Y', '--pivot', 'period'],
    columns: ['kpiName', 'itemName', '2021', '2022', '2023', '2024', '2025'],
    sql: `with year as (${periods('Exchange rate', YEAR, average)})
      select 'Exchange rate', item, ${[2021, 2022, 2023, 2024, 2025]
        .map((year) => `max(units) filter (where start = '${year}-01-01')`)
        .join()} from year group by item`,
  },
  {
    asks: 'And month by month this year, in three countries, a column each?',
    words: [
      '--kpis',
      'Exchange rate',
      '--users',
      'Japan,Sweden,Switzerland',
      ...over('2026-01-01', '2026-06-30'),
      '--pivot',
      'item',
    ],
    columns: ['entryDate', 'Japan', 'Sweden', 'Switzerland'],
    sql: `select day, ${['Japan', 'Sweden', 'Switzerland'].map((item) => `max(units) filter (where item = '${item}')`).join()}
      from cell where kpi = 'Exchange rate' and ${days('2026-01-01', '2026-06-30')} group by day`,
  },
  {
    asks: 'Which exchange rates are missing this summer?',
    words: ['--kpis', 'Exchange rate', ...over('2026-05-01', '2026-08-31'), '--only-missing'],
    columns: ['kpiName', 'itemName', 'entryDate'],
    sql: `with month (start) as (values ('2026-05-01'), ('2026-06-01'), ('2026-07-01'), ('2026-08-01')),
      item as (select distinct item from cell where kpi = 'Exchange rate')
      select 'Exchange rate', item.item, month.start from month, item
      left join cell on cell.kpi = 'Exchange rate' and cell.item = item.item and cell.day = month.start
      where cell.units is null`,
    ofAssignments: true,
  },
  {
    asks: 'Which of the days around the first had no figures for the world?',
    words: ['--users', 'World', ...over('2020-01-18', '2020-01-24'), '--only-missing'],
    columns: ['kpiName', 'itemName', 'entryDate', 'target'],
    sql: `with recursive date (start) as (values ('2020-01-18') union all select date(start, '+1 day') from date
        where start < '2020-01-24'), kpi as (select distinct kpi from cell where item = 'World')
      select kpi.kpi, 'World', date.start, case kpi.kpi when 'Increase rate' then 2500 end from date, kpi
      left join cell on cell.kpi = kpi.kpi and cell.item = 'World' and cell.day = date.start where cell.units is null`,
    ofAssignments: true,
  },
  {
    asks: 'Where will this month end, if it goes on as in its first twenty days?',
    words: ['--kpis', 'Rain,Highest temperature', ...over('2015-11-01', 'today'), '--by', 'M', '--pace'],
    columns: ['kpiName', 'itemName', 'entryDate', 'actual', 'forecast'],
    sql: `with rain as (${periods('Rain', MONTH, 'sum(units)', days('2015-11-01', '2015-11-20'))}),
      heat as (${periods('Highest temperature', MONTH, average, days('2015-11-01', '2015-11-20'))})
      select 'Rain', item, start, units, ${divided('units * 30', '20')} from rain
      union all select 'Highest temperature', item, start, units, units from heat`,
    today: '2015-11-20',
  },
  {
    asks: 'How much rain fell in both cities together, and how warm were they, day by day?',
    words: ['--kpis', 'Rain,Highest temperature', ...over('2014-01-01', '2014-02-28'), '--total'],
    columns: ['kpiName', 'itemName', 'entryDate', 'actual'],
    sql: `select kpi, 'Total', day, case kpi when 'Rain' then sum(units) else ${average} end from cell
      where kpi in ('Rain', 'Highest temperature') and ${days('2014-01-01', '2014-02-28')} group by kpi, day`,
  },
  {
    asks: 'Which were the three wettest weeks?',
    words: ['--kpis', 'Rain', ...over('2013-01-01', '2015-12-31'), '--by', 'W', '--top', '3'],
    columns: ['itemName', 'entryDate', 'actual'],
    sql: `with week as (${periods('Rain', WEEK, 'sum(units)')})
      select item, start, units from week order by units desc limit 3`,
  },
  {
    asks: 'How much rain and wind was there in three years, by city?',
    words: ['--kpis', 'Rain,Wind', ...over('2013-01-01', '2015-12-31'), '--group-by', 'item'],
    columns: ['kpiName', 'itemName', 'actual', 'first_date', 'last_date', 'values'],
    sql: `with week as (${WEEKS_OF_WIND})
      select 'Rain', item, sum(units), min(day), max(day), count(*) * 10000 from cell where kpi = 'Rain' group by item
      union all select 'Wind', item, ${average}, min(start), max(start), count(*) * 10000 from week
      where ${between('2013-01-01', '2015-12-31')} group by item`,
  },
  {
    asks: 'Was the first half of 2015 wetter than that of 2014?',
    words: ['--kpis', 'Rain', ...over('2015-01-01', '2015-06-30'), '--group-by', 'kpi', '--compare', 'year'],
    columns: ['kpiName', ...COMPARED, 'values'],
    sql: `with half as (${periods('Rain', YEAR, 'sum(units)', "substr(day, 6, 2) <= '06'").replace('item', "'all' as item")})
      select 'Rain', ${compared}, one.many * 10000 from half one, half other
      where one.start = '2015-01-01' and other.start = '2014-01-01'`,
  },
  {
    asks: 'How did the rain of both cities change from quarter to quarter?',
    words: [
      '--kpis',
      'Rain',
      ...over('2014-01-01', '2015-12-31'),
      '--by',
      'Q',
      '--group-by',
      'period',
      '--compare',
      'previous',
    ],
    columns: ['kpiName', 'entryDate', ...COMPARED],
    sql: `with quarter as (${periods('Rain', QUARTER, 'sum(units)').replace('item', "'all' as item")})
      select 'Rain', one.start, ${compared} from quarter one
      left join quarter other on other.start = date(one.start, '-3 months') where one.${between('2014-01-01', '2015-12-31')}`,
  },
  {
    asks: 'How was 2015 by category?',
    words: [...over('2015-01-01', '2015-12-31'), '--group-by', 'category'],
    columns: ['category', 'actual', 'first_date', 'last_date', 'values'],
    sql: `with week as (${WEEKS_OF_WIND}), part as (
        select kpi, day as start, units from cell where kpi <> 'Wind' union all select 'Wind', start, units from week)
      select case kpi when 'Exchange rate' then 'Money' else 'Weather' end,
        case kpi when 'Rain' then sum(units) else ${average} end, min(start), max(start), count(*) * 10000
      from part where ${between('2015-01-01', '2015-12-31')} group by kpi`,
  },
]
