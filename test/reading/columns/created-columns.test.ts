import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createDirectory } from '../../../src/client/directory.ts'
import { KpiError } from '../../../src/domain/errors.ts'
import { planColumns } from '../../../src/reading/columns/columns.ts'
import type { Heading } from '../../../src/reading/columns/layout.ts'
import { CREATABLE, type ImportOptions } from '../../../src/reading/options/options.ts'
import { type Lookup, PROVISIONAL_ID } from '../../../src/reading/directory/lookup.ts'
import { headingWith } from '../../support/heading.ts'
import { optionsOf } from '../../support/import.ts'

/** Things of which none exists yet, and any is created. */
const nothing = (what: 'KPI' | 'user' | 'breakdown item'): Lookup => {
  const names: string[] = []
  const create = (name: string) => {
    if (!names.includes(name)) names.push(name)
    return { id: PROVISIONAL_ID + names.indexOf(name), name }
  }
  return { ...createDirectory(what, []), create }
}

const planOf = (heading: Heading, options: Partial<ImportOptions> = {}) =>
  planColumns(heading, optionsOf({ create: { kinds: new Set(CREATABLE) }, ...options }), {
    kpi: nothing('KPI'),
    user: nothing('user'),
    source: nothing('breakdown item'),
    takesSources: true,
  })

/** A heading of lines whose cells are separated by commas: of two header rows, the upper one comes first. */
const headingOf = (lines: readonly string[], upper?: string): Heading => {
  const [header = [], ...sample] = lines.map((line) => line.split(','))
  return headingWith(header, sample, { upper: upper?.split(',') })
}

const refusal = (heading: Heading, options: Partial<ImportOptions> = {}): string => {
  try {
    planOf(heading, options)
  } catch (error) {
    if (!(error instanceof KpiError)) throw error
    return [error.message, ...error.issues.map(({ field, message }) => `${field}: ${message}`)].join('\n')
  }
  throw new Error('the header was taken')
}

describe('a date in several columns', () => {
  test.each([
    ['a day', ['Year,Month,Day,Region,Sales', '2026,1,31,North,5'], 'date=Year+Month+Day'],
    ['a day, in another order', ['Tag,Monat,Jahr,Ort,Ist', '31,1,2026,Nord,5'], 'date=Jahr+Monat+Tag'],
    ['a month by its name', ['Année,Mois,Ville,Ventes', '2026,janv.,Lyon,5'], 'date=Année+Mois'],
    ['a quarter', ['Year,Quarter,Region,Sales', '2026,Q1,North,5'], 'date=Year+Quarter'],
    ['a week', ['Year,Week,Region,Sales', '2026,15,North,5'], 'date=Year+Week'],
    [
      'a day, above a footer',
      ['Year,Month,Day,Region,Sales', '2026,1,31,North,5', '2026,2,1,North,5', 'Source: us,,,,'],
      'date=Year+Month+Day',
    ],
  ])('is not joined unasked: %s', (_, lines, flag) => {
    expect(refusal(headingOf(lines))).toContain(`--map ${flag}`)
  })

  test('is joined as the user says', () => {
    const heading = headingOf(['Year,Month,Region,Sales', '2026,1,North,5'])
    const plan = planOf(heading, { map: new Map([['date', 'Year+Month']]) })
    expect([plan.joined?.get('date'), plan.wide?.columns.map(({ at }) => at)]).toEqual([[0, 1], [3]])
  })

  test.each<[string, string[], Partial<ImportOptions>]>([
    ['the month is a whole date', ['Year,Month,Region,Sales', '2026,2026-01,North,5'], { ignore: ['Year'] }],
    ['another column is the date', ['Year,Month,Date,Region,Sales', '2026,1,2026-01-31,North,5'], { ignore: ['Year'] }],
    ['the months have columns', ['Year,Region,Jan,Feb', '2026,North,5,6'], { kpi: 'Sales' }],
  ])('is none if %s', (_, lines, options) => {
    expect(planOf(headingOf(lines), options).joined?.has('date')).toBe(false)
  })
})

describe('of two header rows', () => {
  const daysOf = (heading: Heading, options: Partial<ImportOptions> = {}) =>
    planOf(heading, options).wide?.columns.map(({ day, kpi }) => [day, kpi && kpi - PROVISIONAL_ID])

  test('the one with more dates gives the dates, as names may look like years', () => {
    const heading = headingOf(
      ['Region,Sales,2024,Sales,2024', 'North,1,2,3,4'],
      ',2026-01-01,2026-01-01,2026-01-02,2026-01-02',
    )
    expect(daysOf(heading)).toEqual([
      [20_454, 0],
      [20_454, 1],
      [20_455, 0],
      [20_455, 1],
    ])
  })

  test('years above dates name nothing', () => {
    const heading = headingOf(['Region,2026-01,2026-02', 'North,1,2'], ',2026,2026')
    expect(daysOf(heading, { kpi: 'Sales' })).toEqual([
      [20_454, undefined],
      [20_485, undefined],
    ])
  })

  test('a date and a number do not make them look like a row of data', () => {
    const heading = headingOf(['Region,Sales,101,2026-02', 'North,1,2,3'], ',2026-01,2026-01,2026-02')
    expect(() => planOf(heading)).not.toThrow(/looks like a row/)
  })

  test('the one above names no owners if a column does', () => {
    const heading = headingOf(['Region,2026-01,2026-02', 'North,1,2'], ',Sales,Sales')
    const plan = planOf(heading, { kpi: 'Sales' })
    expect([plan.wide?.over, plan.roles.get('source')]).toEqual([undefined, 0])
  })

  test('several names above dates are refused if flags and columns say all that they could', () => {
    const heading = headingOf(['Region,2026-01,2026-02', 'North,1,2'], ',Sales,Costs')
    expect(refusal(heading, { kpi: 'Sales' })).toContain('two header rows name dates and "Sales", "Costs"')
  })

  test('dates in doubt are all that is wrong', () => {
    const heading = headingOf(['Region,01.02.26,02.02.26', 'North,1,2'], ',Sales,Sales')
    expect(refusal(heading)).not.toContain('no column is the kpi')
  })
})

describe('what settles a header is named', () => {
  test.each([
    ['names that look like parts of a year', ['Store,3/4,1.5', 'A,1,2'], '--layout wide'],
    ['a header that is another line', [',Sales,,', 'Region,x,y,z'], '--skip-lines N'],
    ['another separator', ['a;b,c;d', '1;2,3;4'], "--separator ';'"],
    ['a row of units', ['Date,Sales', ',(EUR)', '2026-01-01,5'], '--ignore-rows "(EUR)" its row'],
  ])('%s', (_, lines, flag) => {
    expect(refusal(headingOf(lines), { kpi: 'Sales' })).toContain(flag)
  })

  test('--layout wide takes such headers as names', () => {
    const heading = headingOf(['Date,3/4,1.5,4711', '2026-01-01,1,2,3'])
    expect(planOf(heading, { kpi: 'Sales', as: 'items', layout: 'wide' }).wide?.of).toBe('source')
  })

  test.each(['Store', 'ID', 'Nr.', 'Postal code'])(
    'a column of numbers that is called %s makes no KPI unasked',
    (name) => {
      const heading = headingOf([`E-mail,${name},Date,Sales`, 'ann@example.com,101,2026-01-01,5'])
      expect(refusal(heading)).toMatch(/--ignore .* leaves the column out, --map-kpi .* imports its numbers/)
      const placesOf = (options: Partial<ImportOptions>) => planOf(heading, options).wide?.columns.map(({ at }) => at)
      expect(placesOf({ ignore: [name] })).toEqual([3])
      expect(placesOf({ mapKpi: new Map([[name, name]]) })).toEqual([1, 3])
    },
  )

  test('codes that look like numbers with decimals make no KPI unasked, an index does', () => {
    const headings = ['Code', 'Index'].map((name) =>
      headingOf([`Region,${name},Date,Sales`, 'North,105,2026-01-01,5', 'South,1.3,2026-01-01,6']),
    )
    expect(refusal(headings[0] ?? headingOf([]))).toContain('Code: holds numbers, and is named for ids: --ignore Code')
    expect(planOf(headings[1] ?? headingOf([])).wide?.columns.map(({ at }) => at)).toEqual([1, 3])
  })

  const ofCodes = (header: string): Heading =>
    headingOf([header, '2026-01-01,1.5,2.5,3.5,4.5', '2026-01-02,1.5,2.5,3.5,4.5'])

  test.each(['Date,DE,NO,ES', 'Date, DE ,NO, ES ', 'Date,DE,NO,ID,ES'])(
    'a name that stands for ids is a code beside two others: %s',
    (header) => {
      const names = header.split(',').slice(1)
      const plan = planOf(ofCodes(header), { source: 'Here' })
      expect(plan.wide?.columns.map(({ at }) => at)).toEqual(names.map((_, at) => at + 1))
    },
  )

  test.each(['Date,DE,NO,Total', 'Date,DE,NO,es', 'Date,DE,NO,ESP', 'Date,DE,NO,ID'])(
    'a name that stands for ids is none beside one code: %s',
    (header) => {
      expect(refusal(ofCodes(header))).toContain('NO: holds numbers, and is named for ids')
    },
  )

  test.each([
    ['right below the header', ['EUR', '5', '6'], ', --ignore-rows EUR its row'],
    ['further down', ['5', 'EUR', '6'], ''],
    ['right below the header, as a pattern', ['EUR*', '5', '6'], ''],
  ])('another text among numbers may be a unit %s', (_, cells, way) => {
    const heading = headingOf(['Date,Sales,Visits', ...cells.map((cell, at) => `2026-01-0${at + 1},${cell},${at}`)])
    expect(refusal(heading, { source: 'Here' })).toMatch(
      new RegExp(`, --ignore Sales leaves the column out${way}$`, 'm'),
    )
  })

  test('parts of a date beside a whole date make no KPI', () => {
    const plan = planOf(headingOf(['Year,Month,Region,Date,Sales', '2026,1,North,2026-01-31,5']))
    expect([plan.wide?.columns.map(({ at }) => at), plan.unused]).toEqual([[4], ['Year', 'Month']])
  })
})

describe('words for actuals below dates', () => {
  test.each(['2026-01,,2026-02,', 'Q1 2026,,Q2 2026,', '2025,,2026,', 'Jan 2026,,Feb 2026,'])(
    'are names of KPIs: %s',
    (dates) => {
      const filled = dates.replaceAll(/([^,]+),,?/g, '$1,$1,').replace(/,$/, '')
      const { wide } = planOf(headingOf(['Dept,Actual,Target,Actual,Target', 'Sales,1,2,3,4'], `,${filled}`))
      expect(wide).toMatchObject({ of: 'date', over: 'kpi', columns: [{ at: 1 }, { at: 2 }, { at: 3 }, { at: 4 }] })
    },
  )

  test('are columns of values if there is only one date, or another such column beside them', () => {
    const one = headingOf(['Dept,Actual,Target', 'Sales,1,2'], ',2026-01,2026-01')
    expect(refusal(one)).toContain('kpi: no column is the kpi')
    const beside = headingOf(['Dept,Actual,Value,Value', 'Sales,1,2,3'], ',,2026-01,2026-02')
    expect(refusal(beside)).toContain('kpi: no column is the kpi')
  })
})

describe('columns of numbers that a long file would leave out', () => {
  test.each([
    ['a part of a date, which the date repeats', 'Date,Store,Amount,Month', '2026-01-01,Rome,10.5,1'],
    ['ids', 'Date,Store,Amount,Order no', '2026-01-01,Rome,10.5,1'],
    ['texts', 'Date,Store,Amount,Remark', '2026-01-01,Rome,10.5,good'],
  ])('are no KPIs: %s', (_, header, row) => {
    expect(refusal(headingOf([header, row]))).not.toContain('--layout wide')
  })

  test.each<[when: string, options: Partial<ImportOptions>]>([
    ['a layout is given', { layout: 'long' }],
    ['the actuals are named', { map: new Map([['actual', 'Amount']]) }],
  ])('are not offered as KPIs where %s', (_, options) => {
    const heading = headingOf(['Date,Store,Amount,Items', '2026-01-01,Rome,10.5,3'])
    expect(refusal(heading, options)).not.toContain('--layout wide')
  })

  test('are asked about if they are called like the target, and another one is it', () => {
    const heading = headingOf(['Date,Store,Actual,Target,Budget', '2026-01-01,Rome,10.5,3,4'])
    const message = '--map target=Budget --ignore Target reads it so; --ignore Budget leaves the column out'
    expect(refusal(heading, { kpi: 'Cost' })).toContain(message)
    const roles = new Map([['target', 'Budget']] as const)
    expect(planOf(heading, { kpi: 'Cost', map: roles, ignore: ['Target'] }).roles.get('target')).toBe(4)
    expect(planOf(heading, { kpi: 'Cost', ignore: ['Budget'] }).roles.get('target')).toBe(3)
  })
})

describe('columns of numbers that are whom rows belong to by their names alone', () => {
  const numeric = (name: string, ...cells: string[]): Heading =>
    headingOf([`Month,Region,Revenue,${name}`, ...cells.map((cell) => `2026-01,Rome,10.5,${cell}`)])

  test.each(['Employee', 'Mitarbeiter', 'Employé', 'Staff'])('may be KPIs: %s', (name) => {
    const heading = numeric(name, '12', '12.5')
    const asUser = `--map user=${name} takes them as ids or names of users`
    const asKpi = `--map-kpi ${name}=${name} imports them as the KPI of that name`
    expect(refusal(heading)).toContain(asUser)
    expect(refusal(heading)).toContain(asKpi)
    expect(planOf(heading, { map: new Map([['user', name]]) })).toMatchObject({
      roles: new Map([
        ['user', 3],
        ['date', 0],
      ]),
      wide: { columns: [{ at: 2 }] },
    })
    const { roles, wide } = planOf(heading, { mapKpi: new Map([[name, name]]) })
    expect([roles.get('source'), wide?.columns.map(({ at }) => at)]).toEqual([1, [2, 3]])
  })

  test('may be KPIs: an item', () => {
    const heading = headingOf(['Month,Item,Revenue', '2026-01,1001,5', '2026-02,1002,6'])
    expect(refusal(heading)).toContain('source: "Item" holds numbers, such as "1001" on line 2')
    expect(planOf(heading, { map: new Map([['source', 'Item']]) }).roles.get('source')).toBe(1)
    expect(planOf(heading, { mapKpi: new Map([['Item', 'Items']]), source: 'Rome' }).wide?.columns).toHaveLength(2)
    expect(planOf(heading, { numbersAs: new Map([['source', 'names']]) }).roles.get('source')).toBe(1)
  })

  test('are left out, where the KPI is given', () => {
    const heading = numeric('Employee', '12')
    expect(refusal(heading, { kpi: 'Revenue' })).not.toContain('--map-kpi')
    expect(planOf(heading, { kpi: 'Revenue', ignore: ['Employee'] }).roles.get('source')).toBe(1)
  })

  test.each([
    ['ids by their name', 'User ID', '12'],
    ['ids by their name in one word', 'UserId', '12'],
    ['texts, too', 'Employee', 'Ann Lee'],
  ])('are not asked about if they are %s', (_, name, cell) => {
    expect(planOf(numeric(name, cell, '12')).roles.get('user')).toBe(3)
  })

  test('are not asked about if one of them is an id or a name', () => {
    const users = createDirectory('user', [
      { id: 12, name: 'Ann Lee' },
      { id: 3, name: '77' },
    ])
    const planWith = (cell: string) =>
      planColumns(numeric('Employee', '5', cell), optionsOf({ create: { kinds: new Set(CREATABLE) } }), {
        kpi: nothing('KPI'),
        user: users,
      })
    expect(['12', '77'].map((cell) => planWith(cell).roles.get('user'))).toEqual([3, 3])
    expect(() => planWith('6')).toThrow(KpiError)
  })
})

describe('a column of people beside one of e-mail addresses', () => {
  const header = (name: string): string => `${name},E-mail,Date,Sales`
  const ONE = ['Ann,ann@x.com,2026-01-01,5', 'Bob,bob@x.com,2026-01-01,6', 'Ann,ann@x.com,2026-01-02,7']

  test.each(['Employee', 'Person', 'User', 'Mitarbeiter', 'Reporter'])(
    'called %s says what new ones are called',
    (name) => {
      const { roles, unused } = planOf(headingOf([header(name), ...ONE]))
      expect([roles.get('user'), roles.get('name'), unused]).toEqual([1, 0, []])
    },
  )

  test('is asked about where one address is beside two names, or both are addresses', () => {
    expect(refusal(headingOf([header('Employee'), ...ONE, 'Cid,ann@x.com,2026-01-03,1']))).toContain(
      '--map user=COLUMN',
    )
    expect(refusal(headingOf([header('Person'), 'a@x.com,b@x.com,2026-01-03,1']))).toContain('--map user=COLUMN')
  })
})

describe('columns of numbers that only their cells show to be no values', () => {
  const zeros = fc.constantFrom('', '.0', '.00', ',0', ',00')
  const heading = fc
    .oneof(
      fc.constantFrom('Nummerierung', 'Belegzähler', 'K1', 'Ziffer', '行', 'Α/Α'),
      fc.stringMatching(/^[B-Db-d]{3,8}$/),
    )
    .filter((name) => name !== '')
  const other = fc.integer({ min: -9999, max: 9999 }).map((count) => String(count / 100))
  const dateOf = (at: number): string => `2026-01-${String(at + 1).padStart(2, '0')}`

  test('row numbers under any heading are asked about, and can be left out or meant', () => {
    fc.assert(
      fc.property(heading, fc.nat(2000), zeros, fc.array(other, { minLength: 3, maxLength: 28 }), (...drawn) => {
        const [name, first, decimals, values] = drawn
        const rows = values.map((value, at) => [`${first + at}${decimals}`, 'A', dateOf(at), value])
        const one = headingWith([name, 'Store', 'Date', 'Sales'], rows)
        expect(refusal(one)).toContain(
          `${name}: holds whole numbers that rise by one with the rows: --ignore ${name} leaves the column out`,
        )
        expect(planOf(one, { ignore: [name] }).wide?.columns).toMatchObject([{ at: 3 }])
        expect(planOf(one, { mapKpi: new Map([[name, 'Meant']]) }).wide?.columns).toMatchObject([{ at: 0 }, { at: 3 }])
      }),
    )
  })

  test('numbers of three or four rows that rise by other steps, or fall, are values', () => {
    for (const numbers of [
      [3, 2, 1],
      [10, 20, 30],
      [4, 3, 2, 1],
      [5, 7, 9, 11],
      [1, 2, 4],
    ]) {
      const rows = numbers.map((number, at) => `A,${dateOf(at)},${number},${at * 3}.5`)
      expect(planOf(headingOf(['Store,Date,Beifang,Sales', ...rows])).wide?.columns).toMatchObject([
        { at: 2 },
        { at: 3 },
      ])
    }
  })

  test('codes of names are asked about, and values that differ for a name are not', () => {
    const names = ['Rome', 'Oslo', 'Bern', 'Kyiv']
    fc.assert(
      fc.property(
        heading,
        fc.uniqueArray(fc.integer({ min: 1, max: 900 }), { minLength: 2, maxLength: 4 }),
        fc.integer({ min: 2, max: 5 }),
        (name, codes, days) => {
          fc.pre(codes.length * days >= 6)
          const rowsWith = (codeOf: (of: number, day: number) => number): string[] =>
            Array.from({ length: days }).flatMap((_, day) =>
              codes.map((_code, of) => `${names[of]},${codeOf(of, day)},${dateOf(day)},${day * 7 + of * 3}.5`),
            )
          const coded = headingOf([`Store,${name},Date,Sales`, ...rowsWith((of) => codes[of] ?? 0)])
          expect(refusal(coded)).toContain(
            `${name}: holds whole numbers that go with the names of "Store", as codes do`,
          )
          expect(planOf(coded, { ignore: [name] }).wide?.columns).toMatchObject([{ at: 3 }])
          const measured = headingOf([
            `Store,${name},Date,Sales`,
            ...rowsWith((of, day) => 1000 * ((day * 3 + 5) % 7) + (codes[of] ?? 0)),
          ])
          expect(planOf(measured).wide?.columns).toMatchObject([{ at: 1 }, { at: 3 }])
        },
      ),
    )
  })

  const ROWS = 12
  /** A file of three stores, each row of another day, with a column beside real values. */
  const besideSales = (numberOf: (at: number) => number | string, valueOf: (at: number) => string): Heading =>
    headingOf([
      'Store,Date,Beifang,Sales',
      ...Array.from({ length: ROWS }, (_, at) => `S${at % 3},${dateOf(at)},${numberOf(at)},${valueOf(at)}`),
    ])
  const SALES = [12.5, 33.1, 7, 18.25, 44, 9.9, 21, 5.5, 60, 2.2, 31, 14]
  const sales = (at: number): string => String(SALES[at])
  const ORDERS = [3, 2, 4, 3, 0, 5, 2, 2, 3, 1, 4, 2]

  test.each<[string, (at: number) => number, string]>([
    ['fall', (at) => ROWS - at, 'that fall by one with the rows'],
    ['rise in steps', (at) => 10 * (at + 1), 'that rise by 10 with the rows'],
    ['have a gap', (at) => at + (at > 6 ? 5 : 0), 'that rise with the rows, mostly by one'],
    ['count blocks', (at) => Math.floor(at / 3) + 1, 'that rise by one after each 3 rows'],
    ['are constant', () => 100, 'that are 100 in all rows'],
    ['are flags', (at) => (at % 5 === 1 ? 1 : 0), 'that are all 0 or 1, as flags are'],
    ['are years', (at) => [2024, 2026, 2025][(at * at) % 3] ?? 0, 'that look like years'],
    ['are seconds', (at) => 1_772_323_200 + 97 * at * at, 'that look like seconds or milliseconds since 1970'],
    ['are milliseconds', (at) => 1_772_323_200_123 + 97 * at * at, 'that look like seconds or milliseconds since 1970'],
    ['are repeated', (at) => 30 + (at % 5), 'that come in the same order again and again, as codes do'],
  ])('numbers that %s are asked about beside values, and can be left out or meant', (_, numberOf, what) => {
    const one = besideSales(numberOf, sales)
    expect(refusal(one)).toContain(`Beifang: holds whole numbers ${what}: --ignore Beifang leaves the column out`)
    expect(planOf(one, { ignore: ['Beifang'] }).wide?.columns).toMatchObject([{ at: 3 }])
    const meant = planOf(one, { mapKpi: new Map([['Beifang', 'Meant']]) })
    expect(meant.wide?.columns).toMatchObject([{ at: 2 }, { at: 3 }])
  })

  test.each<[string, (at: number) => number | string]>([
    ['small counts', (at) => ORDERS[at] ?? 0],
    ['counts in order of their size', (at) => 900 - at * at * 5 - at],
    ['what grows', (at) => 100 + at * at + at],
    ['counts around 2000', (at) => 1990 + 3 * ((at * 5) % 12)],
    ['great sums', (at) => 1_200_000_000 + 90_000_000 * ((at * 5) % 12)],
    ['decimals that are all the same', () => '2.5'],
  ])('%s are values', (_, numberOf) => {
    expect(planOf(besideSales(numberOf, sales)).wide?.columns).toMatchObject([{ at: 2 }, { at: 3 }])
  })

  test('one number for each date is asked about, and so are codes that tell rows of a name and date apart', () => {
    const days = Array.from({ length: 4 }, (_, day) =>
      ['Rome', 'Oslo', 'Bern'].map((name) => [name, day] as const),
    ).flat()
    const ofDates = days.map(([name, day], at) => `${name},${dateOf(day)},${7 * day * day + 3},${sales(at)}`)
    expect(refusal(headingOf(['Store,Date,Beifang,Sales', ...ofDates]))).toContain(
      'that go with the dates of "Date", as codes do',
    )
    const CODES = [10, 40, 20, 20, 10, 40, 10, 20, 40, 40, 20, 10]
    const apart = CODES.map((code, at) => `Rome,${dateOf(Math.floor(at / 3))},${code},${sales(at)}`)
    expect(refusal(headingOf(['Store,Date,Beifang,Sales', ...apart]))).toContain(
      'that tell rows of the same name and date apart, as codes do',
    )
  })

  test('flags and what is constant are values where nothing else is', () => {
    const rows = Array.from({ length: ROWS }, (_, at) => `S${at % 3},${dateOf(at)},7,${at % 2}`)
    const one = headingOf(['Store,Date,Beifang,Sales', ...rows])
    expect(planOf(one).wide?.columns).toMatchObject([{ at: 2 }, { at: 3 }])
  })

  test('are values where the file has no others', () => {
    const counted = Array.from({ length: 8 }, (_, at) => `A,${dateOf(at)},${at + 1}`)
    expect(planOf(headingOf(['Store,Date,Sales', ...counted])).wide?.columns).toMatchObject([{ at: 2 }])
  })
})
