import { day, decimalOf, memberOf, monday, rowsOf, serialDay, sheetOf, textOf } from './bytes.ts'

/** An entry as a person reads it: whose it is, what it counts, its first day, and the number. */
export type Entry = { readonly owner: string; readonly kpi: string; readonly date: string; readonly actual: string }

/** Reads the bytes of a file, its cut as well as the whole. */
export type Reading = (bytes: Buffer) => Entry[]

type Row = Readonly<Record<string, string>>
type Table = { readonly header: readonly string[]; readonly rows: readonly Row[] }

const tableOf = (rows: readonly string[][]): Table => {
  const [first = [], ...rest] = rows
  const header = first.map((name) => name.trim())
  return {
    header,
    rows: rest.map((row) => Object.fromEntries(header.map((name, at) => [name, (row[at] ?? '').trim()]))),
  }
}

const NO_VALUE = new Set(['', '-', 'N/A', 'NA', '*', '***', '.'])

/** Makes an entry for each column that has a number in a row. */
const wide = (
  { header, rows }: Table,
  kpis: (header: readonly string[]) => readonly string[],
  owner: (row: Row) => string,
  date: (row: Row) => string,
): Entry[] =>
  rows.flatMap((row) =>
    kpis(header).flatMap((kpi) => {
      const cell = (row[kpi] ?? '').replaceAll(',', '').replace('%', '').trim()
      return NO_VALUE.has(cell) ? [] : [{ owner: owner(row), kpi, date: date(row), actual: decimalOf(cell) }]
    }),
  )

/** Makes an entry for each column that is a date, with the columns named before them as the owner. */
const byDate = (table: Table, owner: (row: Row) => string, kpi: string, dateOf: (name: string) => string): Entry[] =>
  wide(
    table,
    (header) => header.filter((name) => dateOf(name) !== ''),
    owner,
    () => '',
  ).map((entry) => ({
    ...entry,
    kpi,
    date: dateOf(entry.kpi),
  }))

const only =
  (...names: string[]) =>
  (): readonly string[] =>
    names
const except =
  (...names: string[]) =>
  (header: readonly string[]): readonly string[] =>
    header.filter((name) => !names.includes(name) && name !== '')
const named = (name: string) => (): string => name
const column =
  (name: string) =>
  (row: Row): string =>
    row[name] ?? ''
const csv = (bytes: Buffer, encoding?: string, separator?: string): Table =>
  tableOf(rowsOf(textOf(bytes, encoding), separator))

/** Turns `31/12/2020`, `31.12.2020` or `31-12-2020` into a date; the month is first where that is said. */
const parted = (text: string, order: 'day first' | 'month first'): string => {
  const [one = '', other = '', year = ''] = text.split(/[/.-]/)
  if (!/^[0-9]+$/.test(one) || year === '') return ''
  const full = year.length === 2 ? `20${year}` : year
  return order === 'day first' ? day(full, other, one) : day(full, one, other)
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Takes the sum of the entries of a day, in ten-thousandths, as `--on-duplicate sum` does. */
const summed = (entries: readonly Entry[]): Entry[] => {
  const sums = new Map<string, bigint>()
  for (const { owner, kpi, date, actual } of entries) {
    const [whole = '0', fraction = ''] = actual.replace('-', '').split('.')
    const parts = BigInt(whole + fraction.padEnd(4, '0')) * (actual.startsWith('-') ? -1n : 1n)
    const key = JSON.stringify([owner, kpi, date])
    sums.set(key, (sums.get(key) ?? 0n) + parts)
  }
  return [...sums].map(([key, sum]) => {
    const [owner = '', kpi = '', date = ''] = JSON.parse(key) as string[]
    return { owner, kpi, date, actual: decimalOf(`${sum}e-4`) }
  })
}

/** What is in each file, by its name in the corpus. */
export const READINGS: Readonly<Record<string, Reading>> = {
  'jp/prefectures.csv': (bytes) =>
    wide(
      csv(bytes),
      except('year', 'month', 'date', 'prefectureNameJ', 'prefectureNameE'),
      column('prefectureNameE'),
      (row) => day(row['year'] ?? '', row['month'] ?? '', row['date']),
    ),
  'jp/demography.csv': (bytes) =>
    wide(csv(bytes, 'shift_jis'), except('year', 'month', 'date', 'age_group'), column('age_group'), (row) =>
      day(row['year'] ?? '', row['month'] ?? '', row['date']),
    ),
  'eu/eurofxref-hist.zip': (bytes) =>
    wide(csv(memberOf(bytes, (name) => name.endsWith('.csv'))), except('Date'), named('ECB'), column('Date')),
  'us/jhu-confirmed.csv': (bytes) =>
    byDate(
      csv(bytes),
      (row) => `${row['Country/Region']} ${row['Province/State']}`,
      'Confirmed',
      (name) => parted(name, 'month first'),
    ),
  'za/provincial-confirmed.csv': (bytes) =>
    wide(csv(bytes), except('date', 'YYYYMMDD', 'source', 'total'), named('?'), (row) =>
      parted(row['date'] ?? '', 'day first'),
    ).map((entry) => ({ ...entry, owner: entry.kpi, kpi: 'Confirmed' })),
  'us/ilinet.csv': (bytes) => wide(csv(bytes), except('DATE'), named('US'), column('DATE')),
  'us/gasoline.csv': (bytes) =>
    wide(csv(bytes), only('Gasoline'), named('US'), (row) => parted(row['Week'] ?? '', 'month first')),
  'us/taxi-passengers.csv': (bytes) =>
    summed(wide(csv(bytes), only('#Passengers'), named('New York'), (row) => (row['time'] ?? '').slice(0, 10))),
  'us/nyc-taxi-monthly.csv': (bytes) =>
    wide(
      csv(bytes),
      except('Month/Year', 'License Class'),
      column('License Class'),
      (row) => `${row['Month/Year']}-01`,
    ),
  'us/sp500.csv': (bytes) => wide(csv(bytes), except('Date'), named('S&P 500'), column('Date')),
  'us/global-temp.csv': (bytes) => wide(csv(bytes), only('Mean'), column('Source'), (row) => `${row['Year']}-01`),
  'ca/bikes.csv': (bytes) =>
    wide(csv(bytes, 'windows-1252', ';'), except('Date'), named('?'), (row) =>
      parted(row['Date'] ?? '', 'day first'),
    ).map((entry) => ({ ...entry, owner: entry.kpi, kpi: 'Bikes' })),
  'ca/weather-2012.csv': (bytes) =>
    wide(csv(bytes), except('Date/Time', 'Weather'), named('Weather'), column('Date/Time'))
      .filter(({ date }) => date.endsWith(' 00:00:00'))
      .map((entry) => ({ ...entry, date: entry.date.slice(0, 10) })),
  'ca/cases-canada.csv': (bytes) =>
    wide(csv(bytes), only('cases', 'cumulative_cases'), column('province'), (row) =>
      parted(row['date_report'] ?? '', 'day first'),
    ),
  'mx/confirmed.csv': (bytes) => byDate(csv(bytes), column('Estado'), 'Confirmed', (name) => parted(name, 'day first')),
  'cl/communes.csv': (bytes) =>
    byDate(
      csv(bytes),
      (row) => `${row['region']} ${row['comuna']}`,
      'Confirmed',
      (name) => parted(name, 'month first'),
    ),
  'cl/regions.csv': (bytes) => byDate(csv(bytes), column('region'), 'Confirmed', (name) => parted(name, 'month first')),
  'ru/krasnodar.csv': (bytes) =>
    wide(csv(bytes), except('date'), named('Krasnodar'), (row) => parted(row['date'] ?? '', 'day first')),
  'ru/regions.csv': (bytes) => {
    const { header, rows } = csv(bytes)
    return rows.flatMap((row) =>
      wide({ header, rows: [row] }, except('date', 'category'), named('?'), () =>
        parted(row['date'] ?? '', 'day first'),
      ).map((entry) => ({ ...entry, owner: entry.kpi, kpi: row['category'] ?? '' })),
    )
  },
  'gb/indicators.csv': (bytes) =>
    csv(bytes).rows.map((row) => ({
      owner: row['Country'] ?? '',
      kpi: row['Indicator'] ?? '',
      date: row['Date'] ?? '',
      actual: decimalOf(row['Value'] ?? ''),
    })),
  'gb/scotland-boards.xlsx': (bytes) => {
    const rows = sheetOf(bytes, 3)
    const from = rows.findIndex(([first]) => first === 'Date')
    const table = tableOf(rows.slice(from).filter(([first], at) => at === 0 || /^[0-9]+$/.test(first ?? '')))
    return wide(table, except('Date'), named('?'), (row) => serialDay(row['Date'] ?? '')).map((entry) => ({
      ...entry,
      owner: entry.kpi,
      kpi: 'Cases',
    }))
  },
  'gb/big-mac.csv': (bytes) =>
    wide(csv(bytes), except('date', 'iso_a3', 'currency_code', 'name'), column('name'), column('date')),
  'bo/deaths.xlsx': (bytes) => monthlyDeaths(tableOf(sheetOf(bytes, 1))),
  'ec/deaths.xlsx': (bytes) => monthlyDeaths(tableOf(sheetOf(bytes, 1))),
  'il/mortality.xlsx': (bytes) =>
    wide(tableOf(sheetOf(bytes, 1)), only('deaths'), named('Israel'), (row) =>
      monday(row['year'] ?? '', row['week'] ?? ''),
    ),
  'pe/deaths.csv': (bytes) =>
    wide(csv(bytes), only('total_deaths'), column('region'), (row) => day(row['year'] ?? '', row['month'] ?? '')),
  'de/deaths.csv': (bytes) =>
    wide(csv(bytes), only('total_deaths'), column('region'), (row) => parted(row['start_date'] ?? '', 'day first')),
  'br/sif-abate.csv': (bytes) =>
    wide(
      csv(bytes, 'utf-8', ';'),
      only('QTD_MACHO', 'QTD_FEMEA'),
      (row) => `${row['UF_PROCEDENCIA']} ${row['CATEGORIA']}`,
      (row) => parted(`1/${row['MES_ANO']}`, 'day first'),
    ),
  'lu/smard-2020.csv': (bytes) => {
    const { header, rows } = csv(bytes, 'utf-8', ';')
    const pointed = rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, cell.replace(',', '.')])),
    )
    return summed(
      wide({ header, rows: pointed }, except('Datum', 'Uhrzeit', 'DateTime'), named('Luxembourg'), column('Datum')),
    )
  },
  'de/price-2020.csv': (bytes) =>
    wide(csv(bytes), only('price'), named('Germany'), column('time'))
      .filter(({ date }) => date.endsWith(' 00:00:00'))
      .map((entry) => ({ ...entry, date: entry.date.slice(0, 10) })),
  'dk/population.csv': (bytes) =>
    byDate(
      csv(bytes),
      (row) => `${row['Sex']} ${row['Age']}`,
      'Population',
      (name) => (/^[0-9]{4}Q3$/.test(name) ? `${name.slice(0, 4)}-07-01` : ''),
    ),
  'kr/seoul.csv': (bytes) =>
    wide(csv(bytes, 'euc-kr'), only('평균기온(℃)', '최고기온(℃)', '최저기온(℃)'), column('지점명'), column('일시')),
  'int/worldbank-population.csv': (bytes) => {
    const rows = rowsOf(textOf(bytes))
    const table = tableOf(rows.slice(rows.findIndex(([first]) => first === 'Country Name')))
    const kpi = table.rows[0]?.['Indicator Name'] ?? ''
    return byDate(table, column('Country Name'), kpi, (name) => (/^[0-9]{4}$/.test(name) ? `${name}-01-01` : ''))
  },
  'au/rain-sydney.csv': (bytes) =>
    wide(csv(bytes), only('Rainfall amount (millimetres)'), column('Bureau of Meteorology station number'), (row) =>
      day(row['Year'] ?? '', row['Month'] ?? '', row['Day']),
    ),
  'int/oecd-debt.csv': (bytes) =>
    wide(csv(bytes), only('Value'), column('LOCATION'), (row) => `${row['TIME']}-01-01`).map((entry) => ({
      ...entry,
      kpi: 'HHDEBT',
    })),
  'us/mta-ridership.csv': (bytes) =>
    wide(csv(bytes), except('Date'), named('MTA'), (row) => parted(row['Date'] ?? '', 'month first')),
  'us/births.csv': (bytes) =>
    wide(csv(bytes), only('births'), named('US'), (row) =>
      day(row['year'] ?? '', row['month'] ?? '', row['date_of_month']),
    ),
  'us/gistemp.csv': (bytes) => {
    const { header, rows } = csv(bytes)
    return rows.flatMap((row) =>
      wide({ header, rows: [row] }, only(...MONTHS), named('World'), () => '').map((entry) => ({
        ...entry,
        kpi: 'Anomaly',
        date: day(row['Year'] ?? '', String(MONTHS.indexOf(entry.kpi) + 1)),
      })),
    )
  },
}

const monthlyDeaths = (table: Table): Entry[] =>
  wide(table, only('total_deaths'), column('region'), (row) => day(row['year'] ?? '', row['month'] ?? ''))
