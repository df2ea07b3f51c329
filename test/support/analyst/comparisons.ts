import {
  average,
  COMPARED,
  compared,
  divided,
  MONTH,
  over,
  periods,
  QUARTER,
  type Question,
  WEEK,
} from './questions.ts'

/** Some days, as a condition. */
const days = (from: string, to: string): string => `day between '${from}' and '${to}'`

/** A value of each person over some days. */
const each = (kpi: string, value: string, from: string, to: string): string =>
  `select item, ${value} as units from cell where kpi = '${kpi}' and ${days(from, to)} group by item`

/** A value of each person over the periods that begin on some days. */
const eachOf = (kpi: string, start: string, value: string, from: string, to: string): string =>
  `select item, ${value} as units from (${periods(kpi, start, value)}) where start between '${from}' and '${to}' group by item`

/** One value beside another one of the same person, if there is one. */
const beside = (one: string, other: string, label: string): string =>
  `select one.item, ${label}, ${compared} from (${one}) one left join (${other}) other on other.item = one.item`

/** One sum over all persons beside another one. */
const sums = (one: string, other: string): string =>
  `select ${compared} from (select sum(units) as units from (${one})) one, (select sum(units) as units from (${other})) other`

const SUM = 'sum(units)'
/** The average of persons' averages of some days, rounded once. */
const mean = (kpi: string, from: string, to: string): string =>
  `select cast(round(avg(mean) + 1e-8) as integer) as units from
    (select avg(units) as mean from cell where kpi = '${kpi}' and ${days(from, to)} group by item)`
const FRIDAY = '2026-11-20'

/** Questions over ranges that are not whole, each with the days that are compared, written out. */
export const comparisons: readonly Question[] = [
  {
    asks: 'Was the first half of 2026 better than that of 2025, in a row of the year?',
    words: ['--kpis', 'Sales', ...over('2026-01', '2026-06'), '--by', 'Y', '--compare', 'year'],
    columns: ['itemName', 'entryDate', ...COMPARED],
    sql: beside(
      each('Sales', SUM, '2026-01-01', '2026-06-30'),
      each('Sales', SUM, '2025-01-01', '2025-06-30'),
      `'2026-01-01'`,
    ),
    today: FRIDAY,
  },
  {
    asks: 'And of all people, in one row?',
    words: ['--kpis', 'Sales', ...over('2026-01', '2026-06'), '--group-by', 'kpi', '--compare', 'year'],
    columns: [...COMPARED],
    sql: sums(each('Sales', SUM, '2026-01-01', '2026-06-30'), each('Sales', SUM, '2025-01-01', '2025-06-30')),
    today: FRIDAY,
  },
  {
    asks: 'How did months go whose first and last are cut?',
    words: ['--kpis', 'Sales', ...over('2026-03-10', '2026-05-20'), '--by', 'M', '--compare', 'previous'],
    columns: ['itemName', 'entryDate', ...COMPARED],
    sql: [
      ['2026-03-10', '2026-03-31', '2026-02-10', '2026-02-28', '2026-03-01'],
      ['2026-04-01', '2026-04-30', '2026-03-01', '2026-03-31', '2026-04-01'],
      ['2026-05-01', '2026-05-20', '2026-04-01', '2026-04-20', '2026-05-01'],
    ]
      .map(([a = '', b = '', c = '', d = '', start]) =>
        beside(each('Sales', SUM, a, b), each('Sales', SUM, c, d), `'${start}'`),
      )
      .join(' union all '),
    today: FRIDAY,
  },
  {
    asks: 'And a month that is cut at its beginning, beside a longer one to its end?',
    words: ['--kpis', 'Sales', ...over('2026-04-10', '2026-04-30'), '--by', 'M', '--compare', 'previous'],
    columns: ['itemName', 'entryDate', ...COMPARED],
    sql: beside(
      each('Sales', SUM, '2026-04-10', '2026-04-30'),
      each('Sales', SUM, '2026-03-10', '2026-03-31'),
      `'2026-04-01'`,
    ),
  },
  {
    asks: 'Was the leap February better than the one before?',
    words: ['--kpis', 'Sales', ...over('2024-02-01', '2024-02-29'), '--group-by', 'item', '--compare', 'year'],
    columns: ['itemName', 'kpiName', ...COMPARED],
    sql: beside(
      each('Sales', SUM, '2024-02-01', '2024-02-29'),
      each('Sales', SUM, '2023-02-01', '2023-02-28'),
      `'Sales'`,
    ),
  },
  {
    asks: 'And six weeks of that winter, which end with the leap day?',
    words: ['--kpis', 'Sales', ...over('2024-01-15', '2024-02-29'), '--by', 'Q', '--compare', 'year'],
    columns: ['itemName', 'entryDate', ...COMPARED],
    sql: beside(
      each('Sales', SUM, '2024-01-15', '2024-02-29'),
      each('Sales', SUM, '2023-01-15', '2023-02-28'),
      `'2024-01-01'`,
    ),
  },
  {
    asks: 'How many tickets were there in the weeks of half a year, and in those 52 weeks before?',
    words: ['--kpis', 'Tickets', ...over('2026-01-01', '2026-06-30'), '--group-by', 'kpi', '--compare', 'year'],
    columns: [...COMPARED],
    sql: sums(
      eachOf('Tickets', WEEK, SUM, '2026-01-05', '2026-06-29'),
      eachOf('Tickets', WEEK, SUM, '2025-01-06', '2025-06-30'),
    ),
  },
  {
    asks: 'And in a year of 53 Mondays?',
    words: ['--kpis', 'Tickets', ...over('2024-01-01', '2024-12-31'), '--group-by', 'kpi', '--compare', 'year'],
    columns: [...COMPARED],
    sql: sums(
      eachOf('Tickets', WEEK, SUM, '2024-01-01', '2024-12-30'),
      eachOf('Tickets', WEEK, SUM, '2023-01-02', '2024-01-01'),
    ),
  },
  {
    asks: 'And in ten days, in which one week begins, beside the week before?',
    words: ['--kpis', 'Tickets', ...over('2026-11-03', '2026-11-12'), '--group-by', 'item', '--compare', 'previous'],
    columns: ['itemName', 'kpiName', ...COMPARED],
    sql: beside(
      eachOf('Tickets', WEEK, SUM, '2026-11-09', '2026-11-09'),
      eachOf('Tickets', WEEK, SUM, '2026-11-02', '2026-11-02'),
      `'Tickets'`,
    ),
  },
  {
    asks: 'What was the rent of the two months that begin in seventy days, beside the two before?',
    words: ['--kpis', 'Rent', ...over('2026-01-10', '2026-03-20'), '--group-by', 'kpi', '--compare', 'previous'],
    columns: [...COMPARED],
    sql: sums(
      eachOf('Rent', MONTH, SUM, '2026-02-01', '2026-03-01'),
      eachOf('Rent', MONTH, SUM, '2025-12-01', '2026-01-01'),
    ),
  },
  {
    asks: 'How many audits were there in the quarter that begins in four months, and in the one before?',
    words: ['--kpis', 'Audits', ...over('2026-02', '2026-05'), '--group-by', 'kpi', '--compare', 'previous'],
    columns: [...COMPARED],
    sql: sums(
      eachOf('Audits', QUARTER, SUM, '2026-04-01', '2026-04-01'),
      eachOf('Audits', QUARTER, SUM, '2026-01-01', '2026-01-01'),
    ),
  },
  {
    asks: 'How is the month that is under way, in a range that goes on to the end of the year?',
    words: ['--kpis', 'Sales', ...over('2026-10', '2026-12'), '--by', 'M', '--compare', 'previous'],
    columns: ['itemName', 'entryDate', ...COMPARED],
    sql: `${beside(each('Sales', SUM, '2026-10-01', '2026-10-31'), each('Sales', SUM, '2026-09-01', '2026-09-30'), `'2026-10-01'`)}
      union all ${beside(each('Sales', SUM, '2026-11-01', '2026-11-20'), each('Sales', SUM, '2026-10-01', '2026-10-20'), `'2026-11-01'`)}`,
    today: FRIDAY,
  },
  {
    asks: 'And the year, of which some is to come?',
    words: ['--kpis', 'Sales', ...over('2026-01-01', '2026-12-31'), '--group-by', 'item', '--compare', 'previous'],
    columns: ['itemName', 'kpiName', ...COMPARED],
    sql: beside(
      each('Sales', SUM, '2026-01-01', '2026-11-20'),
      each('Sales', SUM, '2025-01-01', '2025-11-20'),
      `'Sales'`,
    ),
    today: FRIDAY,
  },
  {
    asks: 'How fast did hearts beat in the days of the week that the new year cuts?',
    words: ['--kpis', 'Pulse', ...over('2026-01-01', '2026-01-04'), '--by', 'W', '--total', '--compare', 'year'],
    columns: ['itemName', 'entryDate', ...COMPARED],
    sql: `select 'Total', '2025-12-29', ${compared} from (${mean('Pulse', '2026-01-01', '2026-01-04')}) one,
      (${mean('Pulse', '2025-01-02', '2025-01-05')}) other`,
  },
  {
    asks: 'How was the health of all in seven weeks and a day, by category?',
    words: [
      '--kpis',
      'Refunds,Rent',
      ...over('2025-12-20', '2026-02-07'),
      '--group-by',
      'category',
      '--compare',
      'previous',
    ],
    columns: ['category', 'previous_from', 'previous_to', ...COMPARED],
    sql: `select 'Money', '2025-10-31', '2025-12-19', ${compared} from
      (select sum(units) as units from cell where kpi = 'Refunds' and ${days('2025-12-20', '2026-02-07')}) one,
      (select sum(units) as units from cell where kpi = 'Refunds' and ${days('2025-10-31', '2025-12-19')}) other
      union all select 'Money', '2025-11-01', '2025-12-31', ${compared} from
      (select sum(units) as units from cell where kpi = 'Rent' and ${days('2026-01-01', '2026-02-28')}) one,
      (select sum(units) as units from cell where kpi = 'Rent' and ${days('2025-11-01', '2025-12-31')}) other`,
  },
  {
    asks: 'How much did each region sell in the quarter that the range cuts?',
    words: [
      '--kpis',
      'Sales',
      '--group-items',
      'North,South',
      ...over('2026-02-16', '2026-03-31'),
      '--by',
      'Q',
      '--compare',
      'previous',
    ],
    columns: ['itemName', 'entryDate', ...COMPARED],
    sql: [
      ['North', 'Ann', 'Ben'],
      ['South', 'Cid', 'Dee'],
    ]
      .map(([region, ...names]) => {
        const sum = (from: string, to: string): string =>
          `select sum(units) as units from cell where kpi = 'Sales' and item in ('${names.join("', '")}') and ${days(from, to)}`
        return `select '${region}', '2026-01-01', ${compared} from (${sum('2026-02-16', '2026-03-31')}) one, (${sum('2025-11-16', '2025-12-31')}) other`
      })
      .join(' union all '),
  },
  {
    asks: 'What did a month bring for its rent, on average over five months, beside the five before?',
    words: [
      '--kpis',
      'Sales per rent',
      ...over('2026-01-02', '2026-06-30'),
      '--group-by',
      'item',
      '--compare',
      'previous',
    ],
    columns: ['itemName', 'kpiName', ...COMPARED],
    sql: `with month as (select sales.item, sales.start, ${divided('sales.units * 10000', 'rent.units')} as units
        from (${periods('Sales', MONTH, SUM)}) sales join (${periods('Rent', MONTH, SUM)}) rent using (item, start)) ${beside(
          `select item, ${average} as units from month where start between '2026-02-01' and '2026-06-01' group by item`,
          `select item, ${average} as units from month where start between '2025-09-01' and '2026-01-01' group by item`,
          `'Sales per rent'`,
        )}`,
  },
]
