import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { errorOf, jsonOf, type Ran } from '../support/kpi.ts'
import { embeddedUser, type User } from '../support/user.ts'

let user: User
beforeEach(async () => {
  user = await embeddedUser()
})
afterEach(() => user[Symbol.asyncDispose]())

const importAs = (file: string, text: string, ...args: string[]): Promise<Ran> => {
  writeFileSync(user.folder.in(file), text)
  return user.kpi('entries', 'import', file, '--create-missing', '-o', 'json', '--quiet', ...args)
}

const importText = (text: string, ...args: string[]): Promise<Ran> => importAs('data.csv', text, ...args)

const addUnit = (name: string, display_format: string) =>
  user.client.units.add({ name, display_format, entry_format: '#.00', is_percentage: false })

/** Creates a KPI by its first value, in a unit that is given or that the value shows. */
const createKpi = async (name: string, value: string, ...args: string[]): Promise<void> => {
  jsonOf(
    await importAs('new.csv', `Date,Store,${name}\n2026-01-01,A,${value}\n`, '--frequency', 'D', '--no-undo', ...args),
  )
}

const messageOf = (ran: Ran): unknown => [ran.code, errorOf(ran).issues[0]?.message]

describe('a currency that is not that of the KPI', () => {
  test.each([
    ['$100', '"$100" on line 2'],
    ['100 USD', '"100 USD" on line 2'],
    ['£100', '"£100" on line 2', 'GBP'],
    ['100,USD', '"USD" on line 2', 'USD', ',Currency'],
    ['100,XOF', '"XOF" on line 2', 'XOF', ',Currency'],
    ['100,US Dollar', '"US Dollar" on line 2', 'USD', ',Currency'],
  ])('stops the import: %s', async (value, cell, code = 'USD', more = '') => {
    await createKpi('Revenue', '€100')
    const ran = await importText(`Date,Store,Revenue${more}\n2026-02-01,A,${value}\n`)
    expect(messageOf(ran)).toEqual([
      1,
      `is in EUR, and ${cell} is not: correct the file, or --map-kpi "Revenue=Revenue ${code}" for another KPI`,
    ])
  })

  test('is imported into the KPI that the message proposes', async () => {
    await createKpi('Revenue', '€100')
    const ran = await importText(
      'Date,Store,Revenue\n2026-02-01,A,$100\n',
      '--map-kpi',
      'Revenue=Revenue USD',
      '--frequency',
      'D',
    )
    expect(jsonOf(ran)).toMatchObject({ created: 1 })
    expect((await user.client.kpis.list()).map(({ name }) => name)).toEqual(['Revenue', 'Revenue USD'])
  })

  test('is found by the name of the KPI, and by the sign that its unit is shown with', async () => {
    await createKpi('Net sales (EUR)', '5', '--unit', 'Number')
    await createKpi('Cost', '5', '--unit', 'Currency')
    expect(messageOf(await importText('Date,Store,Net sales (EUR)\n2026-02-01,A,$100\n'))).toEqual([
      1,
      'is in EUR, and "$100" on line 2 is not: correct the file, or --map-kpi "Net sales (EUR)=NAME" for another KPI',
    ])
    expect(messageOf(await importText('Date,Store,Costs\n2026-02-01,A,€100\n', '--map-kpi', 'Costs=Cost'))).toEqual([
      1,
      'is in GBP (unit Currency), and "€100" on line 2 is not: correct the file, or --map-kpi "Costs=Cost EUR" for another KPI',
    ])
  })
})

describe('a currency that may be that of the KPI is imported', () => {
  test.each([
    ['EUR', '#.00 EUR', '€100'],
    ['Euro', '#.00', '100 EUR'],
    ['USD', '$#.00', '$100'],
    ['USD', '$#.00', 'US$100'],
    ['CAD', '#.00', 'CA$100'],
    ['$', '#.00 $', 'A$100'],
    ['INR', '#.00', 'Rs. 100'],
    ['NGN', '#.00', '₦100'],
    ['Feet', '#.00 ft', '€100'],
    ['Decimal 2', '#.00', '€100'],
  ])('into %s, shown as %s: %s', async (unit, format, value) => {
    await addUnit(unit, format)
    await createKpi('Revenue', '5', '--unit', unit)
    const ran = await importText(`Date,Store,Revenue\n2026-02-01,A,${value}\n`)
    expect([jsonOf(ran), ran.stderr]).toEqual([expect.objectContaining({ created: 1 }), ''])
  })

  test('but not where the name of the unit says more than the sign it is shown with', async () => {
    await addUnit('USD', '$#.00')
    await createKpi('Revenue', '5', '--unit', 'USD')
    expect((await importText('Date,Store,Revenue\n2026-02-01,A,CA$100\n')).code).toBe(1)
  })

  test('and so is one of a file that is imported again with its --unit', async () => {
    const once = (): Promise<Ran> =>
      importText('Date,Store,Revenue\n2026-02-01,A,€100\n', '--unit', 'Currency', '--frequency', 'D')
    expect(jsonOf(await once())).toMatchObject({ created: 1 })
    expect(jsonOf(await once())).toMatchObject({ unchanged: 1 })
  })
})

describe('a percent sign', () => {
  const FILE = 'Date,Store,Share\n2026-02-01,A,10%\n'

  test('is warned of where the unit is no percentage', async () => {
    await createKpi('Share', '5', '--unit', 'Number')
    const ran = await importText(FILE)
    expect(jsonOf(ran)).toMatchObject({ created: 1 })
    expect(ran.stderr).toContain(
      'Share: "10%" on line 2 is a percentage, and the unit Number is not: the number is taken as it is',
    )
  })

  test('is taken without a word where it is one', async () => {
    await createKpi('Share', '5%')
    expect((await importText(FILE)).stderr).toBe('')
  })

  const TARGETS = 'Date,Store,KPI,Value,Target\n2026-02-01,A,Share,10%,+5%\n2026-02-02,A,Share,11%,\n'

  test('makes a target bad where the unit is no percentage', async () => {
    await createKpi('Share', '5', '--unit', 'Number')
    const ran = await importText(TARGETS)
    expect([ran.code, JSON.parse(ran.stdout)]).toMatchObject([3, { created: 1, rejected: 1 }])
    const rejects = readFileSync(user.folder.in('data.rejects.csv'), 'utf8')
    expect(rejects).toContain('is a percentage, and the unit Number of Share is not: give the number itself')
  })

  test('is read in targets where it is one', async () => {
    await createKpi('Share', '5%')
    await user.client.kpis.update((await user.client.kpis.list())[0]?.id ?? 0, { target_default: 1n })
    expect(jsonOf(await importText(TARGETS))).toMatchObject({ created: 2 })
  })
})

describe('dates that are written as periods', () => {
  const createAs = async (frequency: string, ...names: string[]): Promise<void> => {
    const values = names.map(() => '5').join(',')
    const text = `Date,Store,${names.join(',')}\n2025-01-01,A,${values}\n`
    jsonOf(await importAs('new.csv', text, '--frequency', frequency, '--no-undo'))
  }

  test.each([
    ['D', '2026-03', 'dates are written YYYY-MM, and Sales is daily: each value is that of the first day of its month'],
    ['M', '2026-Q1', 'and Sales is monthly: each value is that of the first day of its quarter'],
    ['M', '2026-W14', 'and Sales is monthly: each value is that of the first day of its week'],
    ['Q', '2026-03', 'and Sales is quarterly: each value is that of the first day of its month'],
  ])('are warned of where KPIs have others: %s, %s', async (frequency, date, warning) => {
    await createAs(frequency, 'Sales')
    const ran = await importText(`Date,Store,Sales\n${date},A,7\n`)
    expect(jsonOf(ran)).toMatchObject({ created: 1 })
    expect(ran.stderr).toContain(warning)
  })

  test('are warned of once', async () => {
    await createAs('D', 'Sales', 'Visits')
    await createAs('Q', 'Cost')
    await createAs('M', 'Rent')
    const ran = await importText('Date,Store,Sales,Visits,Cost,Rent\n2026-04,A,1,2,3,4\n')
    expect(ran.stderr.match(/dates are written.*/g)).toEqual([
      expect.stringMatching(
        /^dates are written YYYY-MM, and Sales, Visits are daily, and Cost is quarterly: each value is that/,
      ),
    ])
  })

  test.each([
    ['M', '2026-03'],
    ['M', '2026-03-01'],
    ['D', '2026-03-01'],
  ])('are no matter where they fit: %s, %s', async (frequency, date) => {
    await createAs(frequency, 'Sales')
    const ran = await importText(`Date,Store,Sales\n${date},A,7\n`)
    expect([jsonOf(ran), ran.stderr]).toEqual([expect.objectContaining({ created: 1 }), ''])
  })

  test('are columns, too', async () => {
    await createAs('D', 'Sales')
    const ran = await importText('KPI,Store,2026-03,2026-04\nSales,A,7,8\n')
    expect(ran.stderr).toContain('YYYY-MM, and Sales is daily')
  })
})
