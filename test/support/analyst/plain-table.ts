import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { parse } from 'csv-parse/sync'

/** One value of a file: whose, of what, of which day, in ten-thousandths. */
type Cell = readonly [item: string, kpi: string, day: string, units: bigint]

/** Returns a number in ten-thousandths, rounded half away from zero, read digit by digit. */
const unitsOf = (text: string): bigint => {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === '') throw new Error(`${text} is not a number`)
  const size = BigInt(whole + fraction.slice(0, 4).padEnd(4, '0')) + ((fraction[4] ?? '0') >= '5' ? 1n : 0n)
  return sign === '' ? size : -size
}

/** Returns ten-thousandths as the command line writes decimals. */
const decimalOf = (units: bigint): string => {
  const digits = (units < 0n ? -units : units).toString().padStart(5, '0')
  const fraction = digits.slice(-4).replace(/0+$/, '')
  return (units < 0n ? '-' : '') + digits.slice(0, -4) + (fraction === '' ? '' : `.${fraction}`)
}

/** Reads the cells of a file; a row has values of its own item, or a column of each. */
const cellsOf = (file: string, read: (row: Record<string, string>) => readonly (readonly string[])[]): Cell[] =>
  parse<Record<string, string>>(readFileSync(file, 'utf8'), { columns: true })
    .flatMap(read)
    .flatMap(([item = '', kpi = '', day = '', text = '']) => (text === '' ? [] : [[item, kpi, day, unitsOf(text)]]))

/** Says how the cells of each file are read. */
const FILES: readonly [file: string, read: (row: Record<string, string>) => readonly (readonly string[])[]][] = [
  [
    'examples/load-entries/worldwide-aggregate.csv',
    ({ Date: day = '', ...cells }) => Object.entries(cells).map(([kpi, text]) => ['World', kpi, day, text]),
  ],
  [
    'examples/load-entries/key-countries-pivoted.csv',
    ({ Date: day = '', ...cells }) =>
      Object.entries(cells).map(([item, text]) => [item.replace('_', ' '), 'Confirmed', day, text]),
  ],
  [
    'test/data/weather.csv',
    ({ location = '', date = '', precipitation = '', temp_max = '', wind = '' }) => [
      [location, 'Rain', date, precipitation],
      [location, 'Highest temperature', date, temp_max],
      [location, 'Wind', date, wind],
    ],
  ],
  [
    'test/data/exchange-rates.csv',
    ({ Date: day = '', Country: item = '', 'Exchange rate': text = '' }) => [[item, 'Exchange rate', day, text]],
  ],
]

/** A table `cell (item, kpi, day, units)` of all four files, and what SQL says of it. */
export type PlainTable = {
  /** Returns the rows of a statement; whole numbers stand for ten-thousandths, texts for themselves, null for nothing. */
  readonly ask: (sql: string) => string[][]
  readonly close: () => void
}

/** Asks a database. */
export const askIn = (db: DatabaseSync): PlainTable => ({
  ask: (sql) => {
    const statement = db.prepare(sql)
    statement.setReadBigInts(true)
    statement.setReturnArrays(true)
    const rows = statement.all() as unknown as (string | bigint | null)[][]
    return rows.map((cells) => cells.map((value) => (typeof value === 'bigint' ? decimalOf(value) : (value ?? ''))))
  },
  close: () => db.close(),
})

/** Loads the files into a table of SQLite that knows nothing of KPIs. */
export const openPlainTable = (root: string): PlainTable => {
  const db = new DatabaseSync(':memory:')
  db.exec('create table cell (item text, kpi text, day text, units integer, primary key (kpi, item, day)) strict')
  const insert = db.prepare('insert into cell values (?, ?, ?, ?)')
  db.exec('begin')
  for (const [file, read] of FILES) for (const cell of cellsOf(`${root}/${file}`, read)) insert.run(...cell)
  db.exec('commit')
  return askIn(db)
}
