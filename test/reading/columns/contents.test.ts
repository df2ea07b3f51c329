import { describe, expect, test } from 'vitest'
import { createDirectory } from '../../../src/client/directory.ts'
import { KpiError } from '../../../src/domain/errors.ts'
import { planColumns } from '../../../src/reading/columns/columns.ts'
import { Contents } from '../../../src/reading/columns/contents.ts'
import type { Directories } from '../../../src/reading/columns/wide.ts'
import type { ImportOptions } from '../../../src/reading/options/options.ts'
import type { Lookup } from '../../../src/reading/directory/lookup.ts'
import { optionsOf } from '../../support/import.ts'

/** What is known in a new account, where what is missing is created. */
const anything = (kind: string): Lookup => {
  const made = new Map<string, number>()
  const idOf = (name: string): number => made.get(name) ?? made.set(name, made.size + 1).size
  return { ...createDirectory(kind, []), create: (name) => ({ id: idOf(name), name }) }
}

const create: ImportOptions['create'] = { kinds: new Set(['users', 'kpis', 'items', 'assignments']) }

/** What becomes of each column of a file, its first row being the header; or the faults of the header. */
const columnsOf = (rows: readonly string[], options: Partial<ImportOptions> = {}): string[] => {
  const [header = [], ...others] = rows.map((row) => row.split(';'))
  const contents = new Contents(
    header,
    others.map((cells, at) => ({ line: at + 2, cells })),
    options,
  )
  const directories: Directories = {
    kpi: anything('KPI'),
    user: anything('user'),
    source: anything('breakdown item'),
    takesSources: true,
  }
  try {
    const { roles, wide, unused } = planColumns({ header, contents }, optionsOf({ create, ...options }), directories)
    return header.map((name, at) => {
      const role = [...roles].find(([, place]) => place === at)?.[0]
      const isValue = wide?.columns.some((column) => column.at === at)
      return role ?? (isValue ? 'value' : unused.includes(name) ? 'unused' : 'ignored')
    })
  } catch (error) {
    if (!(error instanceof KpiError)) throw error
    return error.issues.map(({ field, message }) => `${field}: ${message}`)
  }
}

/** What becomes of one column beside a store, a month and a number. */
const columnOf = (name: string, cells: readonly string[], options: Partial<ImportOptions> = {}): string => {
  const rows = cells.map((cell, at) => `S${at};2026-0${at + 1};${cell};${at * 7 + 3}`)
  const [, , found = '', ...others] = columnsOf([`Store;Month;${name};Visits`, ...rows], options)
  return others.length > 0 ? found : columnsOf([`Store;Month;${name};Visits`, ...rows], options).join('\n')
}

describe('a column of texts that begin like numbers', () => {
  test.each<[name: string, cells: string[], first: string]>([
    ['Sales', ['1.2M', '950k'], '"1.2M" on line 2'],
    ['Handling time', ['12 min', '9 min'], '"12 min" on line 2'],
    ['Sales', ['12,500円', '9,000円'], '"12,500円" on line 2'],
    ['Duration', ['36:30', '40:10'], '"36:30" on line 2'],
    ['Sales', ['€1.2M', '€0.9M'], '"€1.2M" on line 2'],
    ['Sales', ['１２３４', '１３００'], '"１２３４" on line 2'],
    ['Change', ['▲5', '△6'], '"▲5" on line 2'],
    ['Sales', ['١٢٣', '٤٥٦'], '"١٢٣" on line 2'],
    ['Sales', ['<5', '>100'], '"<5" on line 2'],
    ['Share', ['3 of 10', '4 of 10'], '"3 of 10" on line 2'],
    ['Age', ['10-19', '20-29'], '"10-19" on line 2'],
    ['Sales', [...Array.from({ length: 9 }, () => '1k'), 'closed'], '"1k" on line 2'],
  ])('%s, %s, is not left out unasked', (name, cells, first) => {
    const told = /M|k|min|円/.test(first)
      ? `has numbers with units or scales, such as ${first}, which are read of KPIs that exist: create it first (kpi kpis create --name ${/ /.test(name) ? `"${name}"` : name} --frequency M; or D, W, Q, Y), or write`
      : `has numbers with other text, such as ${first}, which are not read as numbers: write`
    expect(columnOf(name, cells.slice(0, 9))).toBe(
      `${name}: ${told} plain numbers, --ignore ${/ /.test(name) ? `"${name}"` : name} leaves the column out`,
    )
    expect(columnOf(name, cells.slice(0, 9), { ignore: [name] })).toBe('ignored')
  })

  test.each<[name: string, cells: string[]]>([
    ['Note', ['sunny', 'rain, 3 hours']],
    ['Variant', ['A-17', 'B-2']],
    ['Variant', ['17-A', '18-B']],
    ['Digest', ['5f3a9c1b', '77d01e2f']],
    ['Trace', ['550e8400-e29b-41d4-a716-446655440000', '6ba7b810-9dad-11d1-80b4-00c04fd430c8']],
    ['Order no', ['12/2026/1', '12/2026/2']],
    ['Phone', ['+49 30 1234', '030 99887']],
    ['Since', ['2026-03-01', '2026-03-02']],
    ['Delivered', [...Array.from({ length: 9 }, (__, at) => `2026-03-0${at + 1}`), 'open']],
  ])('%s, %s, is no such column', (name, cells) => {
    expect(columnOf(name, cells)).toBe('unused')
  })

  test('may be the names of items, if no other column is', () => {
    const rows = ['Band;Month;Visits', '10-19;2026-01;4', '20-29;2026-01;5']
    expect(columnsOf(rows)[0]).toContain(
      '--ignore Band leaves the column out, --map source=Band takes its cells as names',
    )
    expect(columnsOf(rows, { map: new Map([['source', 'Band']]) })).toEqual(['source', 'date', 'value'])
  })
})

test('dates with dots are dates, and no numbers', () => {
  expect(columnsOf(['Stichtag;Store;Visits', '26.03.2026;A;1', '27.03.2026;A;2'])).toEqual(['date', 'source', 'value'])
})

describe('a column of times of day beside a date', () => {
  const rows = ['Datum;Uhrzeit;Umsatz', '01.03.2026;00:00;5', '01.03.2026;12:00;6']

  test('is asked about, and names no items', () => {
    expect(columnsOf(rows)[0]).toBe(
      'Uhrzeit: has times of day, such as "00:00" on line 2, and entries have only dates: --map date=Datum+Uhrzeit with --time drop reads it with the date, --ignore Uhrzeit leaves the column out; where a day then has several rows, --on-duplicate avg, sum, max, min, count, first or last makes one of them; a duration has to be a plain number',
    )
  })

  test('is a part of the date where the user says so', () => {
    expect(columnsOf(rows, { map: new Map([['date', 'Datum+Uhrzeit']]), source: 'Shop' })).toEqual([
      'date',
      'ignored',
      'value',
    ])
  })
})

describe('numbers that hardly measure anything', () => {
  test.each<[name: string, cells: string[], says: string]>([
    ['Hour', ['0', '1'], 'holds whole numbers, and is named for a part of a date or time'],
    ['Stunde', ['0', '23'], 'holds whole numbers, and is named for a part of a date or time'],
    ['DayOfWeek', ['5', '6'], 'holds whole numbers, and is named for a part of a date or time'],
    ['Fiscal week', ['40', '41'], 'holds whole numbers, and is named for a part of a date or time'],
    ['Order no', ['1001', '1002'], 'holds whole numbers, and is named for ids'],
    ['Customer ID', ['17', '18'], 'holds whole numbers, and is named for ids'],
    ['orderId', ['17', '18'], 'holds whole numbers, and is named for ids'],
    ['Invoice number', ['17', '18'], 'holds whole numbers, and is named for ids'],
    ['Kundennummer', ['17', '18'], 'holds whole numbers, and is named for ids'],
    ['Beleg-Nr.', ['17', '18'], 'holds whole numbers, and is named for ids'],
    ['PLZ', ['10115', '20095'], 'holds whole numbers, and is named for ids'],
    ...[
      'Unnamed: 0',
      'Unnamed: 0.1',
      'S.No',
      'S. No.',
      'Seq',
      'Pos',
      'Pos.',
      'rownum',
      '序号',
      '№',
      '...1',
      'Rank',
      'Lfd. Nr.',
    ].map((name): [string, string[], string] => [name, ['7', '3'], 'holds whole numbers, and is named for ids']),
    ...['Lat', 'Longitude', 'Breitengrad', 'Version'].map((name): [string, string[], string] => [
      name,
      ['7.5', '3.25'],
      'holds numbers, and is named for coordinates or versions',
    ]),
    ['Created', ['20260301', '20260415'], 'holds numbers that look like dates, such as "20260301" on line 2'],
  ])('%s, %s, become no KPI by themselves', (name, cells, says) => {
    expect(columnOf(name, cells)).toContain(`${name}: ${says}: --ignore`)
    expect(columnOf(name, cells, { mapKpi: new Map([[name, 'Meant']]) })).toBe('value')
    expect(columnOf(name, cells, { ignore: [name] })).toBe('ignored')
  })

  test.each<[name: string, cells: string[]]>([
    ['Hours', ['8', '7']],
    ['Number of visits', ['8', '7']],
    ['Total number', ['8', '7']],
    ['Sales last month', ['8', '7']],
    ['Time', ['8.5', '7.25']],
    ['Position', ['8.5', '7.25']],
    ['Nodes', ['20260301', '7']],
  ])('%s, %s, are not such', (name, cells) => {
    expect(columnOf(name, cells)).toBe('value')
  })

  test.each<[name: string, cells: string[], becomes: string]>([
    ['Year', ['2026', '2026'], 'unused'],
    ['Month', ['3', '4'], 'unused'],
    ['Quarter', ['1', '2'], 'unused'],
    ['Week', ['11', '14'], 'unused'],
    ['Day of month', ['15', '1'], 'unused'],
    ['YYYYMM', ['202603', '202604'], 'unused'],
    ['Key', ['20260315', '20260401'], 'unused'],
  ])('%s, %s, are left out where they repeat the date', (name, cells, becomes) => {
    const rows = ['2026-03-15', '2026-04-01'].map((date, at) => `${date};${cells[at]};S${at};${at * 7 + 3}`)
    expect(columnsOf([`Date;${name};Store;Visits`, ...rows])).toEqual(['date', becomes, 'source', 'value'])
    const others = ['2026-05-16', '2025-12-31'].map((date, at) => `${date};${cells[at]};S${at};${at * 7 + 3}`)
    expect(columnsOf([`Date;${name};Store;Visits`, ...others])[0]).toContain(`${name}: holds `)
  })

  test('are not the only actual by themselves either', () => {
    expect(columnsOf(['Date;Hour;Store', '2026-03-01;5;A'], { kpi: 'Sales' })).toEqual([
      'actual: may be "Hour"; say which: --map actual=Hour',
    ])
  })
})

describe('a column that hardly names items', () => {
  const LONG = 'It was raining all day long, and then the sun came out at'
  test.each<[name: string, cells: string[], says: string]>([
    ['Link', ['https://a.example/1', 'https://a.example/2'], 'holds addresses'],
    ['Contact', ['ann@example.com', 'bob@example.com'], 'holds addresses'],
    ['Remarks of the day', [`${LONG} four`, `${LONG} five`], 'holds long texts that are almost all different'],
    ['Währung', ['EUR', 'EUR'], 'holds units'],
  ])('%s is asked about', (name, cells, says) => {
    const rows = [`Date;${name};Sales`, `2026-03-01;${cells[0]};5`, `2026-03-02;${cells[1]};6`]
    expect(columnsOf(rows)).toEqual([
      `source: may be "${name}", which ${says}: --map ${/ /.test(name) ? `"source=${name}"` : `source=${name}`} takes them as names, --map source=COLUMN names another column, --source NAME is for all rows`,
    ])
    expect(columnsOf(rows, { map: new Map([['source', name]]) })[1]).toBe('source')
  })

  test('such as one of weekdays is not taken', () => {
    const rows = ['Date;Weekday;Sales', '2026-03-01;Sun;5', '2026-03-02;Mon;6']
    expect(columnsOf(rows)[0]).toContain('user: no column says whose the values are')
  })

  test('but whose texts come again and again is one of names', () => {
    const rows = ['Date;Title;Sales', ...[1, 2, 3, 4].map((day) => `2026-03-0${day};${LONG};5`)]
    expect(columnsOf(rows)).toEqual(['date', 'source', 'value'])
  })
})

describe('a column of numbers and other texts', () => {
  test.each<[name: string, cells: string[], options: Partial<ImportOptions>, says: string]>([
    [
      'the only one of numbers',
      ['5', 'x', '6'],
      {},
      'Sales: has numbers, and other texts such as "x" on line 3: --missing x takes such cells as empty, --map-kpi Sales=Sales rejects the rows of these texts, --ignore Sales leaves the column out',
    ],
    [
      'with a dash and a currency',
      ['5', '$ -', '6'],
      {},
      '"$ -" on line 3: --missing \'$ -\' takes such cells as empty',
    ],
    [
      'with several texts',
      ['5', '6', 'closed', 'x'],
      {},
      '"closed" on line 4: --missing closed,x takes such cells as empty',
    ],
    [
      'with more texts than numbers',
      ['fine', 'rain', '6'],
      {},
      'Sales: has numbers, such as "6" on line 4, and other texts such as "fine" on line 2: --missing says which texts stand for no value',
    ],
    [
      'beside a constant KPI',
      ['5', 'x', '6'],
      { kpi: 'Sales' },
      'actual: may be "Sales", which has numbers, and other texts such as "x" on line 3: --missing x takes such cells as empty, --map actual=Sales rejects the rows of these texts',
    ],
    [
      'of quantities, beside a constant KPI',
      ['5k', '6k'],
      { kpi: 'Sales' },
      'actual: may be "Sales", which has numbers with other text, such as "5k" on line 2',
    ],
  ])('%s, says why it is not read', (_name, cells, options, says) => {
    const rows = cells.map((cell, at) => `A;2026-03-0${at + 1};${cell}`)
    const issues = columnsOf(['Store;Date;Sales', ...rows], options)
    expect(issues).toHaveLength(1)
    expect(issues[0]).toContain(says)
  })

  test('is one of a KPI where --map-kpi says so, and its texts are rejects', () => {
    const rows = ['Store;Date;Sales', 'A;2026-03-01;5', 'A;2026-03-02;x']
    expect(columnsOf(rows, { mapKpi: new Map([['Sales', 'Sales']]) })).toEqual(['source', 'date', 'value'])
    expect(columnsOf(rows, { missing: new Set(['x']) })).toEqual(['source', 'date', 'value'])
  })

  test('is not asked about twice, as a column of names', () => {
    expect(columnsOf(['Shop name;Date;Sales', 'A;2026-03-01;5', 'A;2026-03-02;x'])).toHaveLength(1)
    expect(columnsOf(['Shop name;Date;Sales', 'A;2026-03-01;5', 'A;2026-03-02;x'], { kpi: 'Sales' })).toHaveLength(1)
  })

  test('may be the actual as well as one of numbers alone', () => {
    expect(columnsOf(['Store;Date;Sales;Stock', 'A;2026-03-01;5;7', 'A;2026-03-02;6;x'], { kpi: 'Sales' })).toEqual([
      'actual: may be "Sales" or "Stock"; say which: --map actual=Sales or --map actual=Stock',
    ])
  })
})

test.each<[cells: string[], isNumeric: boolean, isWhole: boolean]>([
  [['1', '2', ''], true, true],
  [['1', '2.5', '2024'], true, false],
  [['1', 'two'], false, false],
  [['one', 'two'], false, false],
  [['', ''], true, false],
])('the cells %o are numbers: %s, whole ones: %s', (cells, isNumeric, isWhole) => {
  const contents = new Contents(
    ['A'],
    cells.map((cell, at) => ({ line: at + 2, cells: [cell] })),
    {},
  )
  expect([contents.isNumeric(0), contents.isWhole(0)]).toEqual([isNumeric, isWhole])
})
