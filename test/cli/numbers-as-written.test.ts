import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allOf, errorOf, jsonOf } from '../support/kpi.ts'
import { embeddedUser, type User } from '../support/user.ts'
import { rowsOf, xlsxOf } from '../support/workbook.ts'

let user: User
const make = async (...args: string[]): Promise<void> => {
  const ran = await user.kpi(...args)
  if (ran.code !== 0) throw new Error(ran.stderr)
}
beforeAll(async () => {
  user = await embeddedUser()
  for (const [name, format] of [
    ['EUR', '#.00 €'],
    ['k€', '#.0 k€'],
    ['INR', '₹ #.00'],
    ['Hours', '#.0'],
    ['kWh', '#'],
  ] as const)
    await make('units', 'create', '--name', name, '--display-format', format)
  await make('users', 'create', '--email', 'ann@example.com', '--first-name', 'Ann', '--last-name', 'Lee')
  for (const [name, unit] of [
    ['Revenue', 'EUR'],
    ['Sales', 'k€'],
    ['Deals', 'INR'],
    ['Work', 'Hours'],
    ['Energy', 'kWh'],
  ] as const)
    await make('kpis', 'create', '--name', name, '--unit', unit, '--frequency', 'monthly', '--target-default', '1')
  await make('assign', 'add', '--kpis', 'Revenue,Sales,Deals,Work,Energy', '--users', 'ann@example.com')
})
afterAll(() => user[Symbol.asyncDispose]())

/** Runs a command on a file. */
const ran = (args: readonly string[], text: string) => {
  writeFileSync(user.folder.in('data.csv'), text)
  return user.kpi(...args, '-o', 'json')
}
const REJECTS = 'data.rejects.csv'

describe('target cells', () => {
  test('of KPIs are read by their units, and how is said', async () => {
    const text = 'KPI,Target\nRevenue,1.2M €\nSales,1.2M €\nDeals,1 Cr\nWork,12 h\nEnergy,"5,200,000 kWh"\n'
    const { code, stderr } = await ran(['kpis', 'import', 'data.csv'], text)
    expect([code, stderr]).toEqual([0, expect.stringContaining('"1.2M €" on line 2 is read as 1,200,000')])
    expect(stderr).toContain('"1 Cr" on line 4 is read as 10,000,000')
    const kpis = jsonOf(await user.kpi('kpis', 'list', '-o', 'json')) as { name: string; target_default: number }[]
    expect(kpis.map((one) => [one.name, one.target_default])).toEqual([
      ['Revenue', 1_200_000],
      ['Sales', 1200],
      ['Deals', 10_000_000],
      ['Work', 12],
      ['Energy', 5_200_000],
    ])
  })

  test('in another unit are rejected by both names', async () => {
    const text = 'KPI,Target\nRevenue,12 kg\nSales,$ 5\nEnergy,3 MWh\nDeals,"9,000,000,000 lakh"\n'
    expect((await ran(['kpis', 'import', 'data.csv'], text)).code).toBe(3)
    const rejects = readFileSync(user.folder.in(REJECTS), 'utf8')
    for (const reason of [
      'is in kg, and Revenue is in EUR',
      'is in $, and Sales is in EUR',
      'is in MWh, and Energy',
      'must have at most 14 digits',
    ])
      expect(rejects).toContain(reason)
  })

  test('of assignments are read by the units of their KPIs', async () => {
    const text = 'User,KPI,Target\nann@example.com,Revenue,"3,5 Mio."\nann@example.com,Sales,"900,5k"\n'
    const { code, stderr } = await ran(['assign', 'import', 'data.csv', '--dry-run'], text)
    expect([code, stderr]).toEqual([0, expect.stringContaining('"900,5k" on line 3 is read as 900.5 (k€)')])
    const other = await ran(['assign', 'import', 'data.csv'], 'User,KPI,Target\nann@example.com,Energy,$ 5\n')
    expect([other.code, other.stderr]).toEqual([3, expect.stringContaining('is in $, and Energy is in kWh')])
  })

  test.each([
    ['M beside MM', 'KPI,Target\nRevenue,5M\nSales,2MM\n', 'M=thousand', 'M=million'],
    ['Cr of no rupees', 'KPI,Target\nRevenue,1 Cr\n', 'Cr=crore', 'Cr=credit'],
    ['a heading in another scale', 'KPI,Target (k€)\nRevenue,5\n', '"k€=1000"', '"k€=1"'],
  ])('%s is asked about, with a flag for each meaning', async (_, text, one, other) => {
    const asked = await ran(['kpis', 'import', 'data.csv', '--dry-run'], text)
    expect([asked.code, allOf(errorOf(asked))]).toEqual([1, expect.stringContaining(`--scale ${one}`)])
    expect(allOf(errorOf(asked))).toContain(`--scale ${other}`)
    const said = [one, other].map((flag) => flag.replaceAll('"', ''))
    for (const flag of said)
      expect((await ran(['kpis', 'import', 'data.csv', '--dry-run', '--scale', flag], text)).code).toBe(0)
  })

  test('with a word that is no known unit are taken as they are where the user says so', async () => {
    const text = 'KPI,Target\nWork,12 crates\n'
    const args = ['kpis', 'import', 'data.csv', '--dry-run']
    expect((await ran(args, text)).code).toBe(3)
    expect((await ran([...args, '--scale', 'crates=1'], text)).stderr).toMatch(/0 rows to reject/)
    const entries = 'User,KPI,Date,Actual\nann@example.com,Work,2026-01-01,12 crates\n'
    const taken = await ran(['entries', 'import', 'data.csv', '--dry-run', '--scale', 'crates=10'], entries)
    expect([taken.code, taken.stdout]).toEqual([0, expect.stringContaining('"actual":120')])
  })

  test('without a known scale say what is one', async () => {
    const { code, stderr } = await ran(['kpis', 'import', 'data.csv', '--scale', 'Cr=many'], 'KPI,Target\nRevenue,5\n')
    expect([code, stderr]).toEqual([2, expect.stringContaining('--scale Cr=many must be thousand, lakh, million')])
  })
})

describe('a target with a percent sign', () => {
  const PERCENT = ' is a percentage, and the unit EUR of Revenue is not: give the number itself'
  const rejected = async (text: string, ...args: string[]): Promise<string> => {
    expect((await ran([...args, 'import', 'data.csv', '--decimal', ','], text)).code).toBe(3)
    return readFileSync(user.folder.in(REJECTS), 'utf8')
  }

  test('is refused where the unit of the KPI is no percentage', async () => {
    expect(await rejected('KPI;2027\nRevenue;+5 %\n', 'kpis')).toContain(PERCENT)
    expect(await rejected('KPI;Target\nRevenue;5%\n', 'kpis')).toContain(PERCENT)
    expect(await rejected('KPI;Frequency;Target\nNew;M;5%\n', 'kpis')).toContain('and the unit Number of New is not')
    expect(await rejected('User;KPI;Target\nann@example.com;Revenue;5 %\n', 'assign')).toContain(PERCENT)
    const entries =
      'User;KPI;Date;Actual;Target\nann@example.com;Revenue;2026-01-01;5;\nann@example.com;Work;2026-01-01;;5 %\n'
    expect(await rejected(entries, 'entries')).toContain('and the unit Hours of Work is not')
    for (const args of [
      ['kpis', 'update', 'Revenue', '--target-default', '+5%'],
      ['kpis', 'create', '--name', 'New', '--frequency', 'M', '--target-default', '5%'],
      ['assign', 'update', '--kpis', 'Revenue', '--users', 'ann@example.com', '--target', '5 %'],
    ])
      expect(await user.kpi(...args)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/ is a percentage, and the unit (?:EUR|Number) of/),
      })
    writeFileSync(user.folder.in('kpi.yaml'), 'kpis:\n  - name: Revenue\n    target_default: 5%\n')
    expect((await user.kpi('plan', 'kpi.yaml')).stderr).toContain(PERCENT)
  })

  test('is read where it is one', async () => {
    const text = 'KPI;Frequency;Unit;2027\nMargin;M;Percent;5 %\n'
    const shown = await ran(['kpis', 'import', 'data.csv', '--decimal', ',', '--dry-run'], text)
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringMatching(/5/)])
  })
})

describe('scaled numbers with a point prove no decimal sign of others', () => {
  const CELLS = ['5.500 €', '5.200 €', '1.2M €']
  const DAYS = CELLS.map((text, at) => `ann@example.com,Revenue,2026-0${at + 1}-01,${text}\n`).join('')
  test.each([
    ['kpis', `KPI,Ziel\n${['Revenue', 'Sales', 'Other'].map((kpi, at) => `${kpi},${CELLS[at]}\n`).join('')}`],
    ['assign', 'User,Revenue,Sales\nann@example.com,5.200 €,1.2M €\n'],
    ['assign', 'User,KPI,2027,2028\nann@example.com,Revenue,5.500 €,1.2M €\n'],
    ['entries', `User,KPI,Date,Actual\n${DAYS}`],
  ])('of %s import: %j', async (kind, text) => {
    const args = [kind, 'import', 'data.csv', '--dry-run']
    const asked = await ran([...args], text)
    expect([asked.code, allOf(errorOf(asked))]).toEqual([1, expect.stringContaining('and no other cell shows which')])
    const comma = await ran([...args, '--decimal', ','], text)
    expect(comma.code === 0 ? comma.stdout + comma.stderr : comma.stderr).toMatch(/1,200(?:,000| \(k€\))/)
  })

  test('and those with a comma prove it', async () => {
    const shown = await ran(['kpis', 'import', 'data.csv', '--dry-run'], 'KPI;Ziel\nRevenue;1,2 Mio. €\nSales;5.200\n')
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('target_default: 1200 → 5200')])
  })
})

describe('values of entries', () => {
  const importing = ['entries', 'import', 'data.csv', '--dry-run']
  const actualsOf = async (text: string, ...flags: string[]): Promise<unknown> => {
    const rows = jsonOf(await ran([...importing, ...flags], text)) as { actual: number }[]
    return rows.map(({ actual }) => actual)
  }
  const HEAD = 'User,KPI,Date,Actual\n'
  const row = (kpi: string, month: number, text: string): string =>
    `ann@example.com,${kpi},2026-0${month}-01,"${text}"\n`

  test('are read by the units of their KPIs', async () => {
    const text = `${HEAD}${row('Revenue', 1, '1,5 Mio. €')}${row('Revenue', 2, '7')}${row('Work', 1, '7,5 h')}`
    expect(await actualsOf(text)).toEqual([1_500_000, 7, 7.5])
  })

  test('are read below the heading that gives them a scale', async () => {
    const text = 'User,Date,Actual (k€)\nann@example.com,2026-01-01,5\nann@example.com,2026-02-01,6.5\n'
    expect(await actualsOf(text, '--kpi', 'Sales')).toEqual([5, 6.5])
    expect(await actualsOf(text, '--kpi', 'Revenue', '--scale', 'k€=1000')).toEqual([5000, 6500])
    const asked = await ran([...importing, '--kpi', 'Revenue'], text)
    expect([asked.code, allOf(errorOf(asked))]).toEqual([1, expect.stringContaining('is headed "k€"')])
  })

  test('below the heading of a column of several KPIs are scaled where they are of its currency, and else refused', async () => {
    const text = `${HEAD.replace('Actual', 'Actual (k€)')}${row('Revenue', 1, '5')}${row('Work', 1, '6')}`
    const asked = allOf(errorOf(await ran(importing, text)))
    expect(asked).toContain('--scale "k€=1000"')
    expect(asked).toContain('is headed "k€", and Work is in h (unit Hours): correct the heading or the unit of the KPI')
    const said = await ran([...importing, '--scale', 'k€=1000'], text)
    expect([said.code, said.stdout]).toEqual([3, expect.stringContaining('is in k€, and Work is in h')])
    expect(said.stdout).not.toContain('6000')
    expect(await actualsOf(text, '--scale', 'k€=1')).toEqual([5, 6])
  })

  test.each([
    ['min', 'Work', 'Work is in h', 'min=1'],
    ['$', 'Revenue', 'Revenue is in EUR', "'$=1'"],
    ['m', 'Work', 'Work is in h', 'm=1'],
    ['k', 'Revenue', 'a thousand (--scale k=thousand)', 'k=1'],
    ['m', 'Revenue', 'a million (--scale m=million)', 'm=1'],
    ['Cr', 'Revenue', 'a crore (--scale Cr=crore) or a credit (--scale Cr=credit)', 'Cr=1'],
  ])('below the heading (%s) are asked about for %s', async (unit, kpi, question, flag) => {
    const text = `${HEAD.replace('Actual', `Actual (${unit})`)}${row(kpi, 1, '5')}`
    const asked = await ran(importing, text)
    expect([asked.code, allOf(errorOf(asked))]).toEqual([1, expect.stringContaining(question)])
    expect(allOf(errorOf(asked))).toContain(flag)
    expect(await actualsOf(text, '--scale', `${unit}=1`)).toEqual([5])
  })

  test.each([['EUR'], ['€'], ['month'], ['monthly']])(
    'below the heading (%s), which says what the KPI does or no unit, are read',
    async (unit) => {
      const text = `${HEAD.replace('Actual', `Actual (${unit})`)}${row('Revenue', 1, '5')}`
      expect(await actualsOf(text, '--map', `actual=Actual (${unit})`)).toEqual([5])
    },
  )

  test('with a currency in ones are divided by the scale of the unit, which is said with its way out', async () => {
    const text = `${HEAD}${row('Sales', 1, '1200000 €')}${row('Sales', 2, '1.2M €')}${row('Sales', 3, '€ 500')}`
    const { stdout, stderr } = await ran(importing, text)
    expect((JSON.parse(stdout) as { actual: number }[]).map(({ actual }) => actual)).toEqual([1200, 1200, 0.5])
    expect(stderr).toContain(
      '"1200000 €" on line 2 is read as 1,200 (k€); --scale "€=1" takes such numbers as they are',
    )
    expect(await actualsOf(text, '--scale', '€=1')).toEqual([1_200_000, 1200, 500])
    const headed = `${HEAD.replace('Actual', 'Actual (€)')}${row('Sales', 1, '500')}`
    const read = await ran(importing, headed)
    expect([read.code, read.stdout]).toEqual([0, expect.stringContaining('"actual":0.5')])
    expect(read.stderr).toContain('numbers such as "500" on line 2 are divided')
    expect(await actualsOf(headed, '--scale', '€=1')).toEqual([500])
  })

  test('with a currency of their own are not scaled by the heading', async () => {
    const text = `${HEAD.replace('Actual', 'Actual (k€)')}${row('Revenue', 1, '500 €')}${row('Revenue', 2, '5')}`
    expect(await actualsOf(text, '--scale', 'k€=1000')).toEqual([500, 5000])
  })

  test('whose decimal sign is not clear are asked about, with the unit beside them', async () => {
    const text = `${HEAD}${row('Energy', 1, '5.200 kWh')}${row('Energy', 2, '5.300 kWh')}`
    const asked = await ran(importing, text)
    expect(allOf(errorOf(asked))).toContain(
      '"5.200 kWh" on line 2 is 5.2 (with a decimal point) or 5200 (with a decimal comma)',
    )
    expect(await actualsOf(text, '--decimal', ',')).toEqual([5200, 5300])
  })

  test('in another unit are rejected', async () => {
    const text = `${HEAD}${row('Work', 1, '90 min')}${row('Work', 2, '7 h')}`
    const asked = await ran(importing, text)
    expect(asked.code === 0 ? asked.stdout : asked.stderr).toContain('90 min')
    const { stdout } = await ran([...importing], `${HEAD}${row('Energy', 1, '3 MWh')}`)
    expect(stdout).toContain('is in MWh, and Energy is in kWh')
  })
})

describe('flags', () => {
  test.each([
    [['kpis', 'update', 'Revenue', '--dry-run'], '--target-default', '1.2M €', '"1.2M €" is read as 1,200,000'],
    [
      ['assign', 'update', '--kpis', 'Sales', '--users', 'ann@example.com', '--dry-run'],
      '--target',
      '900k',
      '900 (k€)',
    ],
    [
      ['assign', 'update', '--kpis', 'Sales', '--users', 'ann@example.com', '--dry-run'],
      '--target',
      '1200000 €',
      '"1200000 €" is read as 1,200 (k€)',
    ],
    [['entries', 'add', '--user', 'ann@example.com', '--kpi', 'Work', '--dry-run'], '--actual', '7,5 h', 'as 7.5'],
    [
      ['kpis', 'create', '--name', 'New', '--unit', 'INR', '--frequency', 'D', '--dry-run'],
      '--target-default',
      '2 lakh',
      '200,000',
    ],
  ])('of %j are read by the unit of the KPI', async (args, flag, text, note) => {
    const { code, stderr } = await user.kpi(...args, flag, text)
    expect([code, stderr]).toEqual([0, expect.stringContaining(note)])
  })

  test.each([
    ['1 Cr', '--target-default 1 Cr is 10,000,000 (crore) or -1 (credit); write 10000000 or -1'],
    ['5.200 €', '--target-default 5.200 € is 5.2 or 5,200; write 5.2 or 5200'],
    ['90 min', '--target-default 90 min is in min, and Revenue is in EUR'],
    ['12 kg', '--target-default 12 kg is in kg, and Revenue is in EUR: correct the number, or the unit of the KPI'],
    ['12 apples', '--target-default "12 apples" must be a number; write it like 1234.5'],
  ])('%s is refused with what it may mean', async (text, message) => {
    const refused = await user.kpi('kpis', 'update', 'Revenue', '--target-default', text)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(message)])
  })
})

test('targets of a configuration are read by the units that it and the account give', async () => {
  const text = `units:
  - name: Tonnes
    display_format: '#.0 t'
kpis:
  - { name: Coal, category: General, unit: Tonnes, frequency: monthly, target_default: 12 t }
  - { name: Sales, target_default: 1.5M € }
assignments:
  - { user: ann@example.com, kpi: Sales, user_target: 800k }
`
  writeFileSync(user.folder.in('all.yaml'), text)
  const planned = await user.kpi('plan', 'all.yaml')
  expect(planned.stderr).toContain('line 6: "1.5M €" is read as 1,500 (k€)')
  expect(planned.stdout).toMatch(/Coal\s+target_default\s+12\n/)
  expect(planned.stdout).toMatch(/user_target\s+(?:\d+\s+)?800\n/)
  writeFileSync(user.folder.in('all.yaml'), text.replace('12 t ', '12 kg '))
  expect((await user.kpi('plan', 'all.yaml')).stderr).toContain('target_default "12 kg" is in kg, and Coal is in t')
})

test('number patterns of units are kept as they are written, and one that a workbook made a number of is refused', async () => {
  const text = 'Unit,Format\nEuro,0.00 €\nGrouped,"#,##0"\nPieces,"#,##0 ""pcs"""\n'
  expect((await ran(['units', 'import', 'data.csv'], text)).code).toBe(0)
  const units = jsonOf(await user.kpi('units', 'list', '-o', 'json')) as { name: string; display_format: string }[]
  expect(units.slice(-3).map((one) => one.display_format)).toEqual(['0.00 €', '#,##0', '#,##0 "pcs"'])
  writeFileSync(
    user.folder.in('units.xlsx'),
    xlsxOf({
      formats: ['0.00 "€"'],
      sheets: {
        Units:
          rowsOf([['Unit', 'Format']]) +
          '<row r="2"><c r="A2" t="inlineStr"><is><t>Lost</t></is></c><c r="B2" s="1"><v>0</v></c></row>',
      },
    }),
  )
  const lost = await user.kpi('units', 'import', 'units.xlsx')
  expect([lost.code, lost.stderr]).toEqual([3, expect.stringContaining('its pattern is lost: make the cell text')])
})
