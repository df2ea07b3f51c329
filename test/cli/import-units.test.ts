import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allOf, errorOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, type User } from '../support/user.ts'

let user: User
beforeAll(async () => {
  user = await embeddedUser()
})
afterAll(() => user[Symbol.asyncDispose]())

const rehearse = (text: string, ...flags: string[]): Promise<Ran> => {
  writeFileSync(user.folder.in('data.csv'), text)
  return user.kpi('entries', 'import', 'data.csv', '--create-missing', '--dry-run', '-o', 'json', ...flags)
}

/** Returns the values that a file would give, or why it is refused. */
const valuesOf = async (text: string, ...flags: string[]): Promise<string> => {
  const ran = await rehearse(text, ...flags)
  if (ran.code !== 0) return allOf(errorOf(ran))
  return (JSON.parse(ran.stdout) as { actual: number }[]).map(({ actual }) => String(actual)).join(' ')
}

describe('percentages by a column of units', () => {
  const FILE = 'Date,Store,KPI,Unit,Value\n2026-01-01,Lake,Margin,%,0.1\n2026-01-02,Lake,Margin,%,0.2\n'

  test('are asked about', async () => {
    expect(await valuesOf(FILE)).toBe(
      'it is not clear what some percentages are; nothing was sent\nMargin: is a percentage, and all of its 2 values are between -1 and 1, such as 0.1 on line 2: that is 0.1 % (--percent as-is) or 10 % (--percent fraction)',
    )
  })

  test.each([
    ['as-is', '0.1 0.2'],
    ['fraction', '10 20'],
    ['fraction=Margin', '10 20'],
  ])('are read as --percent %s says', async (percent, values) => {
    const ran = await rehearse(FILE, '--percent', percent)
    expect(ran.stderr).toContain('unit Percent: "%" on line 2')
    expect(ran.stderr).not.toContain('changes nothing')
    expect(await valuesOf(FILE, '--percent', percent)).toBe(values)
  })

  test('are settled by a sign in the cell itself', async () => {
    expect(await valuesOf(FILE.replaceAll(/0\.\d/g, '$&%'))).toBe('0.1 0.2')
  })

  test.each([
    ['KPIs in a column', 'Date,Store,KPI,Unit,Value', 'Lake,Margin', []],
    ['a KPI in the header', 'Date,Store,Unit,Margin', 'Lake', []],
    ['a KPI of a flag', 'Date,Store,Unit,Value', 'Lake', ['--kpi', 'Margin']],
  ])('are fractions on all lines, also before the first unit, with %s', async (_, header, names, flags) => {
    const file = `${header}\n2026-01-01,${names},,0.1\n2026-01-02,${names},pct,0.2\n`
    expect(await valuesOf(file, ...flags, '--percent', 'fraction')).toBe('10 20')
  })

  test('are found where the first rows give no unit', async () => {
    const rows = Array.from({ length: 600 }, (_, at) => `Store ${at},2026-01-01,Margin,${at === 599 ? '%' : ''},0.1`)
    const file = `Store,Date,KPI,Unit,Value\n${rows.join('\n')}\n`
    const flags = ['--frequency', 'D', '--percent', 'fraction']
    expect(await valuesOf(file, ...flags)).toBe(Array.from({ length: 600 }, () => '10').join(' '))
  })

  test('leave other KPIs of the file alone', async () => {
    const file = `${FILE}2026-01-01,Lake,Stock,kg,0.3\n2026-01-02,Lake,Stock,kg,0.4\n`
    expect(await valuesOf(file, '--percent', 'fraction')).toBe('10 20 0.3 0.4')
    expect(await valuesOf(file, '--percent', 'fraction=Stock')).toContain('no percentage KPI has that name')
  })
})

describe('a row of units below the header', () => {
  const fileOf = (header: string, units: string, values: string): string =>
    `Date,Store,${header}\n,,${units}\n2026-01-01,Lake,${values}\n2026-01-02,Lake,${values}\n`
  const FILE = fileOf('Revenue,Margin', 'EUR,%', '10,0.2')

  test('gives new KPIs their units, and no values', async () => {
    const ran = await rehearse(FILE, '--percent', 'as-is')
    expect(ran.stderr).toContain('line 2 holds units below the header, and no values: "EUR"')
    expect(ran.stderr).toContain('KPI "Revenue": unit EUR: "EUR" on line 2')
    expect(ran.stderr).toContain('KPI "Margin": unit Percent: "%" on line 2')
  })

  test('leaves open whether percentages are fractions', async () => {
    expect(await valuesOf(FILE)).toBe(
      'it is not clear what some percentages are; nothing was sent\nMargin: is a percentage, and all of its 2 values are between -1 and 1, such as 0.2 on line 3: that is 0.2 % (--percent as-is) or 20 % (--percent fraction)',
    )
    expect(await valuesOf(FILE, '--percent', 'fraction')).toBe('10 10 20 20')
    expect(await valuesOf(FILE, '--percent', 'as-is=Margin')).toBe('10 10 0.2 0.2')
  })

  test.each([
    ['k€', 'k€'],
    ['Mio. €', 'Mio. €'],
    ['[kg]', 'kg'],
    ['€', 'EUR'],
    ['persons', 'persons'],
  ])('%s is the unit %s', async (text, unit) => {
    const ran = await rehearse(fileOf('Total sold,Stock', `${text},${text}`, '10,20'))
    expect(ran.stderr).toContain(`each KPI: daily: 2 days, the nearest 1 day apart; unit ${unit}: `)
  })

  test('says nothing by words that are no units', async () => {
    expect((await rehearse(fileOf('Revenue,Visits', '(net),(net)', '10,20'))).stderr).toContain('unit Number: ')
  })

  test('agrees with the name that has the same words', async () => {
    const ran = await rehearse(fileOf('Sales (Mio. €),Stock', 'Mio. €,kg', '10,20'))
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('unit Mio. €: its name says so')])
  })

  test('that contradicts the name stops the import', async () => {
    expect(await valuesOf(fileOf('Sales (EUR),Stock', 'USD,kg', '10,20'))).toContain(
      'Sales (EUR): is in EUR by its name, and "USD" on line 2 says otherwise',
    )
  })

  test.each([
    ['columns of days', 'Store,2026-01-01,2026-01-02\n,EUR,USD\nLake,1,2\nHill,3,4\n', ['--kpi', 'Sales']],
    ['an actual and a target', fileOf('KPI,Value,Target', ',EUR,USD', 'Sales,1,2'), []],
  ])('that gives one KPI two units in %s stops it, and a flag settles it', async (_, file, flags) => {
    expect(await valuesOf(file, ...flags)).toContain(
      'line 2: says that values of one KPI have different units: "EUR" on line 2, "USD" on line 2; import each from a file of its own; --ignore-rows EUR takes the numbers as they are',
    )
    const settled = await rehearse(file, ...flags, '--ignore-rows', 'EUR')
    expect([settled.code, settled.stderr]).toEqual([0, expect.stringMatching(/unit (?:Number|Decimal): /)])
  })
})

describe('a unit with a scale, of KPIs that exist', () => {
  beforeAll(async () => {
    await user.kpi('units', 'create', '--name', 'Euro', '--display-format', '#.00 €')
    await user.kpi('units', 'create', '--name', 'T€')
    await user.kpi('units', 'create', '--name', 'kg')
    for (const [name, unit] of [
      ['Turnover', 'Euro'],
      ['Large turnover', 'T€'],
      ['Guests', 'Number'],
      ['Freight', 'kg'],
    ] as const)
      await user.kpi('kpis', 'create', '--name', name, '--unit', unit, '--frequency', 'D')
  })

  const inColumn = (kpi: string, unit: string): string =>
    `Date,Store,KPI,Value,Unit\n2026-01-01,Lake,${kpi},1.5,${unit}\n2026-01-02,Lake,${kpi},2.5,${unit}\n`
  const inRow = (kpi: string, unit: string): string =>
    `Date,Store,${kpi}\n,,${unit}\n2026-01-01,Lake,1.5\n2026-01-02,Lake,2.5\n`
  const overMonths = (kpi: string, unit: string): string =>
    `Store,KPI,Unit,2026-01-01,2026-01-02\nLake,${kpi},${unit},1.5,2.5\n`
  const besideKpis = (kpi: string, unit: string): string =>
    `Date,Store,Unit,${kpi}\n2026-01-01,Lake,${unit},1.5\n2026-01-02,Lake,${unit},2.5\n`
  const inTitle = (kpi: string, unit: string): string =>
    `Shops of the north\nAll values (${unit})\n\nDate,Store,${kpi}\n2026-01-01,Lake,1.5\n2026-01-02,Lake,2.5\n`
  const ANYWHERE = [inColumn, inRow, overMonths, besideKpis, inTitle]

  test.each([
    ['a column', inColumn, 'Value: is given the unit "T€" by the column "Unit"', 'line 2'],
    ['a row below the header', inRow, 'Turnover: is given the unit "T€" by line 2', 'line 3'],
    [
      'a column beside those of days',
      overMonths,
      '2026-01-01 to 2026-01-02: is given the unit "T€" by the column "Unit"',
      'line 2',
    ],
    ['a column beside KPIs', besideKpis, 'Turnover: is given the unit "T€" by the column "Unit"', 'line 2'],
    ['a title', inTitle, 'Turnover: is given the unit "T€" by line 2', 'line 5'],
  ])('is asked about in %s, and the flags of the question settle it', async (_, fileOf, beginning, line) => {
    const file = fileOf('Turnover', 'T€')
    expect(await valuesOf(file)).toContain(
      `${beginning}, and Turnover is counted in ones: are its numbers, such as "1.5" on ${line}, to be multiplied (--scale "T€=1000"), or taken as they are (--scale "T€=1")?`,
    )
    expect(await valuesOf(file, '--scale', 'T€=1000')).toBe('1500 2500')
    expect(await valuesOf(file, '--scale', 'T€=1')).toBe('1.5 2.5')
  })

  test.each(ANYWHERE)('changes nothing where it is that of the KPI', async (fileOf) => {
    expect(await valuesOf(fileOf('Turnover', '€'))).toBe('1.5 2.5')
    expect(await valuesOf(fileOf('Large turnover', 'T€'))).toBe('1.5 2.5')
    expect(await valuesOf(fileOf('Guests', 'persons'))).toBe('1.5 2.5')
  })

  test.each([inColumn, inRow, overMonths])(
    'of a KPI that is counted in thousands divides plain euros, and says so',
    async (fileOf) => {
      const ran = await rehearse(fileOf('Large turnover', '€').replaceAll('.5', '500'))
      expect(ran.stderr).toMatch(
        /are divided, as (?:line 2|the column "Unit") gives € and Large turnover is counted in 1,000s/,
      )
      expect((JSON.parse(ran.stdout) as { actual: number }[]).map(({ actual }) => actual)).toEqual([1.5, 2.5])
    },
  )

  test.each(['T €', 'Tsd. Euro', 'EUR in Tsd.', 'in T€', '€000', '€ 000s', 'kEUR', 'thousands of EUR', 'EUR thousand'])(
    'is asked about anywhere, however it is written: %s',
    async (unit) => {
      for (const fileOf of ANYWHERE) {
        const file = fileOf('Turnover', unit)
        expect([file, await valuesOf(file)]).toEqual([file, expect.stringContaining(`is given the unit "${unit}"`)])
        expect([file, await valuesOf(file, '--scale', `${unit}=1000`)]).toEqual([file, '1500 2500'])
      }
    },
  )

  test('is asked about in brackets behind its currency', async () => {
    const file = inColumn('Turnover', 'EUR (thousands)')
    expect(await valuesOf(file)).toContain('is given the unit "EUR (thousands)"')
    expect(await valuesOf(file, '--scale', 'EUR (thousands)=1000')).toBe('1500 2500')
  })

  test('differs from row to row in its scale', async () => {
    const file = `${inColumn('Turnover', 'T€')}2026-01-03,Lake,Turnover,7,€\n2026-01-04,Lake,Turnover,8,€000\n`
    expect(await valuesOf(file, '--scale', 'T€=1000', '--scale', '€000=1000')).toBe('1500 2500 7 8000')
  })

  test.each([
    ['in the title goes with no numbers of another kind', 'Freight', 'in T€', '1.5 2.5'],
    ['in the title of another currency is asked about', 'Turnover', 'in £000', 'is in Euro'],
    ['in the title without a currency is asked about', 'Guests', 'in thousands', 'Guests is counted in ones'],
  ])('%s', async (_, kpi, title, said) => {
    expect(await valuesOf(inTitle(kpi, title))).toContain(said)
  })

  test.each(['Sales in Berlin', 'Report of M', 'Umsatz 2026', 'Milk (Bio)', 'Region: T'])(
    'is not in the title %s',
    async (title) => {
      expect(await valuesOf(inTitle('Turnover', 'x').replace('All values (x)', title))).toBe('1.5 2.5')
    },
  )

  test.each(ANYWHERE)('stays with the rows that are rejected', async (fileOf) => {
    const scaled = ['--scale', 'T€=1000', '--create-missing']
    writeFileSync(user.folder.in('scaled.csv'), fileOf('Turnover', 'T€').replace('1.5', 'x'))
    expect(await user.kpi('entries', 'import', 'scaled.csv', ...scaled)).toMatchObject({ code: 3 })
    const rejects = user.folder.in('scaled.rejects.csv')
    writeFileSync(rejects, readFileSync(rejects, 'utf8').replace(',x', ',1.5'))
    const again = await user.kpi('entries', 'import', 'scaled.rejects.csv', ...scaled, '--dry-run', '-o', 'json')
    expect((JSON.parse(again.stdout) as { actual: number }[]).map(({ actual }) => actual)).toEqual([1500])
    await user.kpi('entries', 'undo', '--yes')
  })

  test('is warned of where --scale names one that no number has', async () => {
    const ran = await rehearse(inColumn('Turnover', '€'), '--scale', 'T€=1000')
    expect(ran.stderr).toContain('--scale "T€"=… changes nothing')
  })

  test('is asked about row by row', async () => {
    const file = `${inColumn('Guests', 'Mio.')}2026-01-01,Lake,Turnover,7,T$\n`
    expect(await valuesOf(file)).toMatch(/"Mio\." by .* Guests is counted in ones.*\n.*"T\$" by .* Turnover is in Euro/)
  })

  test.each([
    ['KPIs below a row of units', ['kpis'], 'KPI,Target\n,T€\nTurnover,2\n', 'line 2'],
    ['KPIs below a title', ['kpis'], 'Plan in T€\n\nKPI,Target\nTurnover,2\n', 'line 1'],
    ['assignments below a title', ['assign'], 'Plan in T€\n\nKPI,User,Target\nTurnover,Admin,2\n', 'line 1'],
    ['assignments below a row of units', ['assign'], 'KPI,User,Target\n,,T€\nTurnover,Admin,2\n', 'line 2'],
    [
      'assignments with a column of units',
      ['assign'],
      'KPI,User,Target,Unit\nTurnover,Admin,2,T€\n',
      'the column "Unit"',
    ],
  ])('is asked about in targets of %s', async (_, words, text, by) => {
    await user.kpi('kpis', 'update', 'Turnover', '--target-default', '1')
    writeFileSync(user.folder.in('targets.csv'), text)
    const [asked, scaled] = [
      await user.kpi(...words, 'import', 'targets.csv', '--dry-run'),
      await user.kpi(...words, 'import', 'targets.csv', '--dry-run', '--scale', 'T€=1000'),
    ]
    expect(asked.stderr).toContain(`Target: is given the unit "T€" by ${by}, and Turnover is counted in ones`)
    expect(scaled.stdout).toMatch(/ 2000\b/)
  })

  test('is that of its own cell where the heading gives a currency alone', async () => {
    expect(await valuesOf(inColumn('Turnover', 'T€').replace('Value', 'Value (€)'))).toContain('"T€" by the column')
  })
})

describe('one column of values in several currencies', () => {
  const fileOf = (...currencies: string[]): string =>
    `Date,Store,Currency,Sales\n${currencies.map((one, at) => `${2026 + at}-01-01,Lake,${one},1`).join('\n')}\n`
  const kpisOf = async (text: string, ...flags: string[]): Promise<string[]> =>
    [...(await rehearse(text, '--frequency', 'D', ...flags)).stderr.matchAll(/KPI "([^"]*)": /g)].map(
      ([, name]) => name ?? '',
    )

  test('is split by flags that keep its name, and name all ways to write a currency', async () => {
    const file = fileOf('EUR', 'USD', '€', 'eur', 'USD')
    expect(await valuesOf(file)).toContain(
      'Currency: says that values of one KPI have different units: "EUR" on line 2, "USD" on line 3; import each from a file of its own, or make a KPI for each with --map kpi=Currency,actual=Sales --map-kpi "EUR=Sales EUR,USD=Sales USD,€=Sales EUR,eur=Sales EUR"; --ignore Currency takes the numbers as they are',
    )
    const flags = ['--map-kpi', 'EUR=Sales EUR,USD=Sales USD,€=Sales EUR,eur=Sales EUR']
    expect(await kpisOf(file, '--map', 'kpi=Currency,actual=Sales', ...flags)).toEqual(['Sales EUR', 'Sales USD'])
  })

  const CURRENCIES = 'EUR,USD,GBP,JPY,CHF,SEK,NOK,DKK,PLN,CZK,HUF,RON,BGN,TRY,AUD,NZD,CAD,MXN,BRL,ZAR'.split(',')

  test('is split where there are many', async () => {
    expect(await valuesOf(fileOf(...CURRENCIES.slice(1)))).toContain('ZAR=Sales ZAR"; --ignore Currency')
  })

  test.each([
    ['a row has no currency', fileOf('EUR', 'USD', ''), []],
    ['a flag names the KPI', fileOf('EUR', 'USD').replace('Sales', 'Value'), ['--kpi', 'Sales']],
    ['a currency has a sign that flags need', fileOf('EUR', 'x=USD'), []],
    ['there are too many', fileOf(...CURRENCIES), []],
    ['there are several KPIs', fileOf('EUR', 'USD').replaceAll('1\n', '1,2\n').replace('Sales', 'Sales,Costs'), []],
  ])('is to be split by hand where %s', async (_, file, flags) => {
    expect(await valuesOf(file, ...flags)).toMatch(
      /import each from a file of its own; --ignore Currency takes the numbers as they are/,
    )
  })
})
