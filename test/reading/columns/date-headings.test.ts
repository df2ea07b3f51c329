import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createDirectory } from '../../../src/client/directory.ts'
import { formatDay } from '../../../src/domain/day.ts'
import { KpiError } from '../../../src/domain/errors.ts'
import { planColumns } from '../../../src/reading/columns/columns.ts'
import type { Directories } from '../../../src/reading/columns/wide.ts'
import type { ImportOptions } from '../../../src/reading/options/options.ts'
import { headingWith } from '../../support/heading.ts'
import { optionsOf } from '../../support/import.ts'

const directories: Directories = {
  kpi: createDirectory('KPI', [{ id: 1, name: 'Sales' }]),
  user: createDirectory('user', [{ id: 11, name: 'Ann Lee', email: 'ann@example.com' }]),
}

type Read = { readonly columns: string[] } | { readonly issues: string[] }

/** What the columns for days or periods are: days or parts of years, or why the header is refused. */
const read = (
  [upper, header = upper]: readonly [string, string?],
  options: Partial<ImportOptions> = {},
  row?: string,
): Read => {
  const names = header.split(',')
  const above = header === upper ? undefined : upper.split(',')
  const sample = [(row ?? names.map((_, at) => at).join(',')).split(',')]
  try {
    const { wide } = planColumns(headingWith(names, sample, { upper: above }), optionsOf(options), directories)
    return { columns: (wide?.columns ?? []).map(({ day, part }) => part ?? formatDay(day ?? 0)) }
  } catch (error) {
    if (!(error instanceof KpiError)) throw error
    return { issues: error.issues.map(({ message }) => message) }
  }
}

/** The fault of headings in several forms. */
const several = (shown: string, flags: string): string =>
  `has dates in several formats: ${shown}; write all of them in one, or leave the others out: ${flags}`

const MONTH = 'a month without a year'
const QUARTER = 'a quarter without a year'

describe('headings of several forms are refused with the flags that leave others out', () => {
  test.each<[header: string, shown: string, flags: string]>([
    [
      'User,KPI,Year,Jan,Feb,Mar,Q1',
      `"Jan", "Feb" and 1 more (${MONTH}), "Q1" (${QUARTER})`,
      `--ignore Q1 (keeps ${MONTH}) or --ignore Jan,Feb,Mar (keeps ${QUARTER})`,
    ],
    [
      'User,KPI,Year,Jan,Q2,2024',
      `"Jan" (${MONTH}), "2024" (YYYY), "Q2" (${QUARTER})`,
      `--ignore 2024,Q2 (keeps ${MONTH}) or --ignore Jan,Q2 (keeps YYYY) or --ignore Jan,2024 (keeps ${QUARTER})`,
    ],
    [
      'User,KPI,Year,Jan,2024',
      `"Jan" (${MONTH}), "2024" (YYYY)`,
      `--ignore 2024 (keeps ${MONTH}) or --ignore Jan (keeps YYYY)`,
    ],
    [
      'User,KPI,Year,W1,KW 2,Q1',
      `"W1", "KW 2" (a week without a year), "Q1" (${QUARTER})`,
      `--ignore Q1 (keeps a week without a year) or --ignore "W1,KW 2" (keeps ${QUARTER})`,
    ],
    [
      'User,KPI,2024-01,2024 Q1',
      '"2024-01" (YYYY-MM), "2024 Q1" (YYYY [Q]Q)',
      '--ignore "2024 Q1" (keeps YYYY-MM) or --ignore 2024-01 (keeps YYYY [Q]Q)',
    ],
    [
      'User,KPI,Jan-24,Feb-24,2024',
      '"2024" (YYYY), "Jan-24", "Feb-24" (MMM-YY)',
      '--ignore Jan-24,Feb-24 (keeps YYYY) or --ignore 2024 (keeps MMM-YY)',
    ],
    [
      'User,KPI,Jan-24,Feb-24,Mar-24,Q1 2024',
      '"Q1 2024" ([Q]Q YYYY), "Jan-24", "Feb-24" and 1 more (MMM-YY)',
      '--ignore Jan-24,Feb-24,Mar-24 (keeps [Q]Q YYYY) or --ignore "Q1 2024" (keeps MMM-YY)',
    ],
    [
      'User,KPI,2024-01-01,Feb-24,Mar-24',
      '"2024-01-01" (YYYY-MM-DD), "Feb-24", "Mar-24" (MMM-YY)',
      '--ignore Feb-24,Mar-24 (keeps YYYY-MM-DD) or --ignore 2024-01-01 (keeps MMM-YY)',
    ],
    [
      'User,KPI,2023,2024,202501',
      '"2023", "2024" (YYYY), "202501" (YYYYMM)',
      '--ignore 202501 (keeps YYYY) or --ignore 2023,2024 (keeps YYYYMM)',
    ],
    [
      'User,KPI,2024-01-01,2024-01-02,45294',
      '"2024-01-01", "2024-01-02" (YYYY-MM-DD), "45294" (EXCEL)',
      '--ignore 45294 (keeps YYYY-MM-DD) or --ignore 2024-01-01,2024-01-02 (keeps EXCEL)',
    ],
    [
      'User,KPI,01.01.2024,02.01.2024,03.01.',
      '"01.01.2024", "02.01.2024" (DD.MM.YYYY), "03.01." (a day without a year)',
      '--ignore 03.01. (keeps DD.MM.YYYY) or --ignore 01.01.2024,02.01.2024 (keeps a day without a year)',
    ],
    [
      'User,KPI,2024-01-01,2024-01-02,2024-01-03 14:30',
      '"2024-01-01", "2024-01-02" (YYYY-MM-DD), "2024-01-03 14:30" (a date with a time of day)',
      '--ignore "2024-01-03 14:30" (keeps YYYY-MM-DD) or --ignore 2024-01-01,2024-01-02 (keeps a date with a time of day)',
    ],
  ])('%s', (header, shown, flags) => {
    expect(read([header])).toEqual({ issues: [several(shown, flags)] })
  })

  test('in two header rows, by their places where names repeat', () => {
    expect(read(['user,2024,2024,2025', 'user,Jan,Q1,Jan'], { kpi: 'Sales' })).toEqual({
      issues: [
        several(
          '"Jan 2024", "Jan 2025" (MMM YYYY), "Q1 2024" ([Q]Q YYYY)',
          '--ignore Q1 (keeps MMM YYYY) or --ignore "#2,#4" (keeps [Q]Q YYYY)',
        ),
      ],
    })
  })

  test('even if a format is given, which does not fit all of them', () => {
    expect(read(['User,KPI,Jan-24,Feb-24,2024'], { dateFormat: 'MMM-YY' })).toEqual({
      issues: [
        several(
          '"Jan-24", "Feb-24" (MMM-YY), "2024" (YYYY)',
          '--ignore 2024 (keeps MMM-YY) or --ignore Jan-24,Feb-24 (keeps YYYY)',
        ),
      ],
    })
    expect(read(['User,KPI,Jan-24,Feb-24,2024'], { dateFormat: 'MMM-YY', ignore: ['2024'] })).toEqual({
      columns: ['2024-01-01', '2024-02-01'],
    })
  })

  test('without a flag that names hundreds of columns', () => {
    const days = Array.from({ length: 300 }, (_, at) => formatDay(19_800 + at))
    expect(read([['User,KPI', ...days, '2024'].join(',')])).toEqual({
      issues: [
        several(
          '"2024-03-18", "2024-03-19" and 298 more (YYYY-MM-DD), "2024" (YYYY)',
          '--ignore 2024 (keeps YYYY-MM-DD)',
        ),
      ],
    })
  })
})

test('a column of texts is left out, whatever its heading looks like', () => {
  expect(read(['User,KPI,2024-01,2024-02,Jan'], {}, 'Ann Lee,Sales,1,2,late')).toEqual({
    columns: ['2024-01-01', '2024-02-01'],
  })
})

describe('headings that are no such day or period are refused', () => {
  test.each<[heading: string, header: string]>([
    ['2024W53', 'User,KPI,2024W01,2024W02,2024W53'],
    ['2024W53', 'User,KPI,2024W01,2024W53'],
    ['2024-13', 'User,KPI,2024-11,2024-12,2024-13'],
    ['30.02.2024', 'User,KPI,28.02.2024,29.02.2024,30.02.2024'],
    ['2024-Q5', 'User,KPI,2024-Q3,2024-Q4,2024-Q5'],
    ['Q5', 'User,KPI,Year,Q3,Q4,Q5'],
    ['W54', 'User,KPI,Year,W52,W53,W54'],
  ])('%s of %s', (heading, header) => {
    expect(read([header])).toEqual({
      issues: [
        `"${heading}" is a date that does not exist, or not in the years 1900 to 2199; correct it, or leave the column out: --ignore ${heading}`,
      ],
    })
  })

  test('with what is wrong with their years', () => {
    expect(read(['User,KPI,1900,1901,1899'])).toEqual({
      issues: [expect.stringMatching(/^"1899" is before 1900: .*--ignore 1899$/)],
    })
  })
})

test('headings of one month are refused', () => {
  expect(read(['User,KPI,Year,Jan,January'])).toEqual({
    issues: ['"Jan" and "January" are the same day or period in columns 4 and 5; leave one out (--ignore "#5")'],
  })
})

test('days without a year may be names, and flags say so', () => {
  const message =
    '"01.01." and "02.01." may be days without a year, or names: write the year into the header, or say that they are names with --layout wide'
  expect(read(['User,Year,01.01.,02.01.'])).toEqual({ issues: expect.arrayContaining([message]) as string[] })
})

test.each<[upper: string, header: string, columns: string[]]>([
  ['user,2024,2024', 'user,01.01.,13.01.', ['2024-01-01', '2024-01-13']],
  ['user,2024,2024', 'user,T1,T2', ['2024-01-01', '2024-04-01']],
  ['user,2024,2024', 'user,CW1,CW2', ['2024-01-01', '2024-01-08']],
])('the year above parts of it is added to them: %s over %s', (upper, header, columns) => {
  expect(read([upper, header], { kpi: 'Sales' })).toEqual({ columns })
})

test.each<[header: string, columns: string[]]>([
  ['User,KPI,Year,Jan,Februar,Mar', ['Jan', 'Februar', 'Mar']],
  ['User,KPI,Year,W1,KW 2,CW-3,W53', ['W1', 'KW 2', 'CW-3', 'W53']],
  ['User,KPI,Year,Q1,T2', ['Q1', 'T2']],
  ['User,KPI,2024-01,2024-02,Total', ['2024-01-01', '2024-02-01']],
])('headings of one length are read: %s', (header, columns) => {
  expect(read([header])).toEqual({ columns })
})

test.each<[frequency: 'W' | 'Q', header: string, formats: string]>([
  ['W', 'User,KPI,2024-02,2024-03', '--date-format YYYY-MM or --date-format YYYY-WW'],
  ['Q', 'User,KPI,2024-1,2024-2', '--date-format YYYY-MM or --date-format YYYY-Q'],
])('with the frequency %s, months as headings are in doubt: %s', (frequency, header, formats) => {
  const create: ImportOptions['create'] = { kinds: new Set(), emailPattern: undefined, frequency }
  expect(read([header], { create })).toEqual({ issues: [expect.stringContaining(`say which: ${formats}`)] })
})

describe('headings that may be fiscal years', () => {
  const ONE = { kpi: 'Sales' }
  const asks = (shown: string, flag: string, more = ''): string =>
    `"${shown}" may be of a fiscal year: --date-format ${flag} reads it as the calendar year in which it begins; if the year begins in another month, write its first day instead, such as 2025-04-01${more}`

  test.each([
    ['User,2022/23,2023/24', asks('2022/23', 'YYYY/YY')],
    ['User,1999-00,2000-01', asks('1999-00', 'YYYY-YY')],
    ['User,2022/2023,2023/2024', asks('2022/2023', 'YYYY/YYYY')],
    ['User,FY22/23,FY23/24', asks('FY22/23', '"[FY]YY/YY"')],
    ['User,2022/23,2023/24e', asks('2022/23', 'YYYY/YY')],
    ['User,2010-11,2011-12,2012-13', asks('2010-11', 'YYYY-YY')],
    ['User,2010-11,2011-12', asks('2010-11', 'YYYY-YY', '; if it is a month, say so with --date-format YYYY-MM')],
    [
      'User,FY2024,FY2025',
      '"FY2024" may be of a fiscal year: --date-format "[FY]YYYY" reads it as the calendar year; if the year begins in another month, write its first day instead, such as 2025-04-01',
    ],
  ])('%s', (header, issue) => {
    expect(read([header], ONE)).toEqual({ issues: [issue] })
  })

  test.each([
    ['User,2022/23,2023/24', 'YYYY/YY', ['2022-01-01', '2023-01-01']],
    ['User,FY22/23,FY23/24', '[FY]YY/YY', ['2022-01-01', '2023-01-01']],
    ['User,2010-11,2011-12', 'YYYY-MM', ['2010-11-01', '2011-12-01']],
  ])('%s with --date-format %s', (header, dateFormat, columns) => {
    expect(read([header], { ...ONE, dateFormat })).toEqual({ columns })
  })

  test('and months in a row are none', () => {
    expect(read(['User,2010-11,2010-12,2011-01'], ONE)).toEqual({ columns: ['2010-11-01', '2010-12-01', '2011-01-01'] })
  })

  test('a mark beside one stops the import with the format as well', () => {
    expect(read(['User,2022/23,2023/24e'], { ...ONE, dateFormat: 'YYYY/YY' })).toEqual({
      issues: [expect.stringContaining('--ignore 2023/24e leaves it out')],
    })
  })
})

test('dates that are never assumed stop the import with their format', () => {
  expect(read(['User,2026_01,2026_02'], { kpi: 'Sales' })).toEqual({
    issues: ['"2026_01" may be a date; say how dates are written: --date-format YYYY_MM'],
  })
})

const YEAR_OF_MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)

describe('names of months in one language', () => {
  test.each([
    ['Polish', 'sty,lut,mar,kwi,maj,cze,lip,sie,wrz,paź,lis,gru'],
    ['Croatian', 'sij,velj,ožu,tra,svi,lip,srp,kol,ruj,lis,stu,pro'],
    ['Czech', 'led,úno,bře,dub,kvě,čvn,čvc,srp,zář,říj,lis,pro'],
    ['Ukrainian', 'січ,лют,бер,квіт,трав,черв,лип,серп,вер,жовт,лист,груд'],
    ['Kazakh', 'қаң,ақп,нау,сәу,мам,мау,шіл,там,қыр,қаз,қар,жел'],
  ])('are the parts of a year: %s', (_, months) => {
    expect(read([`User,KPI,Year,${months}`])).toEqual({ columns: YEAR_OF_MONTHS })
  })

  test.each([
    ['German', 'Januar,Februar,März,April,Mai,Juni,Juli,August,September,Oktober,November,Dezember'],
    ['French', 'janv.,févr.,mars,avr.,mai,juin,juil.,août,sept.,oct.,nov.,déc.'],
    ['Polish', 'sty,lut,mar,kwi,maj,cze,lip,sie,wrz,paź,lis,gru'],
    ['Czech', 'leden,únor,březen,duben,květen,červen,červenec,srpen,září,říjen,listopad,prosinec'],
    ['Japanese', '1月,2月,3月,4月,5月,6月,7月,8月,9月,10月,11月,12月'],
    ['Kazakh', 'қаң,ақп,нау,сәу,мам,мау,шіл,там,қыр,қаз,қар,жел'],
  ])('are months of the year that is given, or asked for it: %s', (_, months) => {
    const days = YEAR_OF_MONTHS.map((__, at) => `2026-${String(at + 1).padStart(2, '0')}-01`)
    expect(read([`User,KPI,${months}`], { year: '2026' })).toEqual({ columns: days })
    expect(read([`User,KPI,${months}`])).toEqual({
      issues: [expect.stringMatching(/^".*" and ".*" name no year: --year YYYY says which;/)],
    })
  })

  test('are no parts of a year where there is none, or where there are few', () => {
    expect(read(['User,Date,Pro,Led,Dub'])).toEqual({ issues: expect.any(Array) as unknown })
    expect(read(['User,Year,Pro,Led'])).toEqual({ issues: expect.any(Array) as unknown })
  })

  test('are days of the year beside them', () => {
    expect(read(['User,KPI,lip 2026,sie 2026'])).toEqual({ columns: ['2026-07-01', '2026-08-01'] })
    expect(read(['User,KPI,lip 2026,ruj 2026'])).toEqual({ columns: ['2026-06-01', '2026-09-01'] })
    expect(read(['User,KPI,апрель 2026 г.,май 2026 г.'])).toEqual({ columns: ['2026-04-01', '2026-05-01'] })
    expect(read(['User,KPI,2026. április,2026. május'])).toEqual({ columns: ['2026-04-01', '2026-05-01'] })
    expect(read(['User,KPI,lip 2026,lis 2026'])).toEqual({
      issues: [
        expect.stringMatching(
          /^"lip 2026" on line 1 is 2026-06-01 .*; say which: --date-format "MMM YYYY@hr" or --date-format "MMM YYYY@pl"$/,
        ),
      ],
    })
    for (const [language, days] of Object.entries({
      hr: ['2026-06-01', '2026-10-01'],
      pl: ['2026-07-01', '2026-11-01'],
    }))
      expect(read(['User,KPI,lip 2026,lis 2026'], { dateFormat: `MMM YYYY@${language}` })).toEqual({ columns: days })
  })
})

describe('parts of a year with --year', () => {
  test.each<[rows: readonly [string, string?], columns: readonly string[]]>([
    [['User,KPI,Q1,Q2'], ['2026-01-01', '2026-04-01']],
    [['User,KPI,KW 1,KW 2'], ['2025-12-29', '2026-01-05']],
    [['User,KPI,24.12.,25.12.'], ['2026-12-24', '2026-12-25']],
    [
      [',Sales,Sales,Sales', 'User,Jan,Feb,Mar'],
      ['2026-01-01', '2026-02-01', '2026-03-01'],
    ],
    [
      [',Jan,Feb', 'User,Sales,Sales'],
      ['2026-01-01', '2026-02-01'],
    ],
    [['User,KPI,Jan 2025,Feb 2025'], ['2025-01-01', '2025-02-01']],
  ])('are days of it: %j', (rows, columns) => {
    expect(read(rows, { year: '2026' })).toEqual({ columns })
  })

  test('are what they are with the year behind them', () => {
    const part = fc.constantFrom(...YEAR_OF_MONTHS, ...YEAR_OF_MONTHS.map((name) => name.slice(0, 3)))
    const parts = fc.uniqueArray(part, { minLength: 2, maxLength: 12, selector: (name) => name.slice(0, 3) })
    fc.assert(
      fc.property(parts, fc.integer({ min: 1900, max: 2199 }), (drawn, year) => {
        // Months that may go on in the next year are refused.
        const monthOf = (name: string): number => YEAR_OF_MONTHS.findIndex((one) => one.startsWith(name.slice(0, 3)))
        const names = drawn.toSorted((left, right) => monthOf(left) - monthOf(right))
        const whole = names.map((name) => `${name} ${year}`)
        expect(read([`User,KPI,${names.join(',')}`], { year: String(year) })).toEqual(
          read([`User,KPI,${whole.join(',')}`]),
        )
      }),
      { numRuns: 50 },
    )
  })

  test('are asked for with the years that the file names, each with its flag', () => {
    const years = [
      { year: '2025', where: 'line 1 says "Stand 2025"' },
      { year: '2026', where: 'the file is called "both-2026.csv"' },
    ]
    const heading = headingWith(['User', 'KPI', 'Jan', 'Feb'], [['Ann Lee', 'Sales', '1', '2']], { years })
    expect(() => planColumns(heading, optionsOf({}), directories)).toThrow(
      expect.objectContaining({
        issues: [
          {
            field: 'date',
            message:
              '"Jan" and "Feb" name no year; it may be 2025, as line 1 says "Stand 2025": --year 2025; or 2026, as the file is called "both-2026.csv": --year 2026; if a column says it: --map date=COLUMN',
          },
        ],
      }),
    )
  })
})
