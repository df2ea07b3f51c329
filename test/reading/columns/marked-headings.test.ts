import { describe, expect, test } from 'vitest'
import { createDirectory } from '../../../src/client/directory.ts'
import { formatDay } from '../../../src/domain/day.ts'
import { KpiError } from '../../../src/domain/errors.ts'
import { planColumns } from '../../../src/reading/columns/columns.ts'
import { dateIn, withoutSign } from '../../../src/reading/columns/heading-forms.ts'
import type { Directories } from '../../../src/reading/columns/wide.ts'
import type { ImportOptions } from '../../../src/reading/options/options.ts'
import { headingWith } from '../../support/heading.ts'
import { optionsOf } from '../../support/import.ts'

const directories: Directories = {
  kpi: createDirectory('KPI', [
    { id: 1, name: 'Sales' },
    { id: 2, name: 'Visits' },
  ]),
  user: createDirectory('user', [{ id: 11, name: 'Ann Lee', email: 'ann@example.com' }]),
}

/** Returns the days of the columns, and which headings were read without a sign; or why the header is refused. */
const read = (lines: string, options: Partial<ImportOptions> = {}) => {
  const [lower = '', upper] = lines.split('\n').toReversed()
  const names = lower.split(',')
  const heading = headingWith(names, [names.map((_, at) => String(at))], { upper: upper?.split(',') })
  try {
    const { wide } = planColumns(heading, optionsOf(options), directories)
    return { days: wide?.columns.map(({ day, part }) => part ?? formatDay(day ?? 0)), signed: wide?.signed }
  } catch (error) {
    if (!(error instanceof KpiError)) throw error
    return error.issues.map(({ message }) => message)
  }
}

test.each([
  ['2026*', '2026'],
  ['2026 **', '2026'],
  ['2026¹', '2026'],
  ['2026 ²)', '2026 ²)'],
  ['†2026-03', '2026-03'],
  ['2026 [1]', '2026'],
  ['2026 1)', '2026'],
  ['Jan*', 'Jan'],
  ['2023 [YR2023]', '2023'],
  ['2023Q1 [2023Q1]', '2023Q1'],
  ['2023 [YR2024]', '2023 [YR2024]'],
  ['Sales*', 'Sales*'],
  ['***', '***'],
  ['', ''],
])('%s without signs is %s', (text, bare) => {
  expect(withoutSign(text)).toBe(bare)
})

test.each([
  ['2026e', '2026'],
  ['2024 r', '2024'],
  ['e2026', '2026'],
  ['2026e*', '2026'],
  ['Plan 2026', '2026'],
  ['2026-03 (prelim)', '2026-03'],
  ['Forecast (2026)', '2026'],
  ['(f) 2026', '2026'],
  ['Mar e', 'Mar'],
  ['2024 total', '2024 total'],
  ['2024 (%)', '2024 (%)'],
  ['FY2026', 'FY2026'],
  ['Sales e', 'Sales e'],
])('the date in %s is %s', (text, date) => {
  expect(dateIn(text)).toBe(date)
})

const ONE = { kpi: 'Sales' }
const [Y2023, Y2024, Y2025, Y2026] = [2023, 2024, 2025, 2026].map((year) => `${year}-01-01`)

describe('headings with the sign of a footnote are read without it, and named', () => {
  test.each([
    ['User,2024,2025,2026*', [Y2024, Y2025, Y2026], ['2026*']],
    ['User,2025*,2026*', [Y2025, Y2026], ['2025*', '2026*']],
    ['User,2023 [YR2023],2024 [YR2024]', [Y2023, Y2024], ['2023 [YR2023]', '2024 [YR2024]']],
    ['User,Year,Jan,Feb*', ['Jan', 'Feb'], ['Feb*']],
  ])('%s', (lines, days, signed) => {
    expect(read(lines, ONE)).toEqual({ days, signed })
  })

  test('in the upper of two rows', () => {
    expect(read(',2025,2025,2026*,2026*\nUser,Q1,Q2,Q1,Q2', ONE)).toEqual({
      days: [Y2025, '2025-04-01', Y2026, '2026-04-01'],
      signed: ['2026*'],
    })
  })

  test('but not where they are twice', () => {
    expect(read('User,2025,2026,2026*', ONE)).toEqual([
      '"2026" and "2026" are the same day or period in columns 3 and 4; leave one out (--ignore "#4")',
    ])
  })
})

const asks = (shown: string, ignore: string, reading: string): string[] => [`${shown}: --ignore ${ignore}; ${reading}`]
const ESTIMATE = 'is a date with a mark, and may be an estimate'
const ESTIMATES = 'are dates with marks, and may be estimates'
const rename = (it: string, date: string): string =>
  `to import ${it}, write the date alone, such as ${date}, in the form of the others`

describe('headings with letters beside a date are asked about', () => {
  test.each([
    ['User,2024,2025,2026e', `"2026e" ${ESTIMATE}`, '2026e leaves it out', '--date-format "YYYY[e]" reads it as 2026'],
    [
      'User,2025,2026 (F)',
      `"2026 (F)" ${ESTIMATE}`,
      '"2026 (F)" leaves it out',
      '--date-format "YYYY [(F)]" reads it as 2026',
    ],
    [
      'User,2025e,2026e',
      `"2025e", "2026e" ${ESTIMATES}`,
      '2025e,2026e leaves them out',
      '--date-format "YYYY[e]" reads them as 2025 and so on',
    ],
    ['User,2024,2025p,2026e', `"2025p", "2026e" ${ESTIMATES}`, '2025p,2026e leaves them out', rename('them', '2025')],
    ['User,2024,2025,e2026', `"e2026" ${ESTIMATE}`, 'e2026 leaves it out', rename('it', '2026')],
    [
      'User,2024,2025,2026-03 (prelim)',
      `"2026-03 (prelim)" ${ESTIMATE}`,
      '"2026-03 (prelim)" leaves it out',
      rename('it', '2026-03'),
    ],
    ['User,Year,Jan,Feb,Mar e', `"Mar e" ${ESTIMATE}`, '"Mar e" leaves it out', rename('it', 'Mar')],
    [
      ',2025,2025,2026e,2026e\nUser,Q1,Q2,Q1,Q2',
      `"2026e", "2026e" ${ESTIMATES}`,
      '"#4,#5" leaves them out',
      rename('them', '2026'),
    ],
  ])('%s', (lines, shown, ignore, reading) => {
    expect(read(lines, ONE)).toEqual(asks(shown, ignore, reading))
  })

  test('and read with the format that is named, beside the others', () => {
    const days = [Y2024, Y2025, Y2026]
    expect(read('User,2024,2025,2026e', { ...ONE, dateFormat: 'YYYY[e]' })).toMatchObject({ days })
    expect(read('User,2024,2025 (F),2026 (F)', { ...ONE, dateFormat: 'YYYY [(F)]' })).toMatchObject({ days })
    expect(read(',Sales,Sales,Visits\nUser,2025,2026e,2025', { dateFormat: 'YYYY[e]' })).toMatchObject({
      days: [Y2025, Y2026, Y2025],
    })
  })

  test('and left out if that is said', () => {
    expect(read('User,2024,2025,2026e', { ...ONE, ignore: ['2026e'] })).toMatchObject({ days: [Y2024, Y2025] })
  })
})

test('a date with underscores is in another form than those with dashes', () => {
  expect(read('User,2026-01,2026-02,2026_03', ONE)).toEqual([
    'has dates in several formats: "2026-01", "2026-02" (YYYY-MM), "2026_03" (YYYY_MM); write all of them in one, or leave the others out: --ignore 2026_03 (keeps YYYY-MM) or --ignore 2026-01,2026-02 (keeps YYYY_MM)',
  ])
})
