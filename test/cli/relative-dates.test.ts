import { describe, expect, test } from 'vitest'
import { parseRelativeRange, readRange } from '../../src/cli/args/relative-dates.ts'
import { createClient } from '../../src/client/client.ts'
import { UsageError } from '../../src/cli/exit.ts'
import { type Calendar, CIVIL_CALENDAR } from '../../src/domain/period.ts'
import { formatDay } from '../../src/domain/day.ts'
import { day } from '../support/calendar.ts'

/** A Wednesday. */
const TODAY = day('2024-05-15')
const COUNTING = { today: TODAY, calendar: CIVIL_CALENDAR }

describe('a word stands for days', () => {
  test.each([
    ['2024-02-29', '2024-02-29', '2024-02-29'],
    ['today', '2024-05-15', '2024-05-15'],
    ['yesterday', '2024-05-14', '2024-05-14'],
    ['-0d', '2024-05-15', '2024-05-15'],
    ['-7d', '2024-05-08', '2024-05-08'],
    ['-2w', '2024-05-01', '2024-05-01'],
    ['-3m', '2024-02-15', '2024-02-15'],
    ['-5m', '2023-12-15', '2023-12-15'],
    ['-1y', '2023-05-15', '2023-05-15'],
    ['this-week', '2024-05-13', '2024-05-19'],
    ['last-week', '2024-05-06', '2024-05-12'],
    ['this-month', '2024-05-01', '2024-05-31'],
    ['last-month', '2024-04-01', '2024-04-30'],
    ['this-quarter', '2024-04-01', '2024-06-30'],
    ['last-quarter', '2024-01-01', '2024-03-31'],
    ['this-year', '2024-01-01', '2024-12-31'],
    ['last-year', '2023-01-01', '2023-12-31'],
    ['last month', '2024-04-01', '2024-04-30'],
    ['ytd', '2024-01-01', '2024-05-15'],
    ['2023-10', '2023-10-01', '2023-10-31'],
    ['2023-Q3', '2023-07-01', '2023-09-30'],
    ['2024-W01', '2024-01-01', '2024-01-07'],
    ['2020-W53', '2020-12-28', '2021-01-03'],
    ['2023', '2023-01-01', '2023-12-31'],
  ])('%s is %s to %s', (word, from, to) => {
    const range = parseRelativeRange(word, word, COUNTING)
    expect([formatDay(range.from), formatDay(range.to)]).toEqual([from, to])
  })

  test.each([
    ['2024-03-31', '-1m', '2024-02-29'],
    ['2023-03-31', '-1m', '2023-02-28'],
    ['2024-02-29', '-1y', '2023-02-28'],
    ['2024-10-31', '-1m', '2024-09-30'],
  ])('on %s, %s is %s, as the month is shorter', (today, word, then) => {
    expect(formatDay(parseRelativeRange(word, word, { today: day(today), calendar: CIVIL_CALENDAR }).from)).toBe(then)
  })

  test('a range is from the first day of one to the last of the other', () => {
    expect(parseRelativeRange('last-month', 'this-week', COUNTING)).toEqual({
      from: day('2024-04-01'),
      to: day('2024-05-19'),
    })
  })

  test.each([
    ['this-week', '2024-05-12', '2024-05-18'],
    ['last-week', '2024-05-05', '2024-05-11'],
    ['this-quarter', '2024-05-01', '2024-07-31'],
    ['last-year', '2022-11-01', '2023-10-31'],
    ['ytd', '2023-11-01', '2024-05-15'],
    ['2024-Q2', '2024-04-01', '2024-06-30'],
  ])('%s is %s to %s where weeks begin on Sunday and years in November', (word, from, to) => {
    const calendar: Calendar = { week_start: 'sunday', fiscal_year_start: 11 }
    const range = parseRelativeRange(word, word, { today: TODAY, calendar })
    expect([formatDay(range.from), formatDay(range.to)]).toEqual([from, to])
  })
})

test.each([
  '',
  'tomorrow',
  'Today',
  '2024-02-30',
  '15.05.2024',
  '7d',
  '-d',
  '-7x',
  '-100000d',
  'last-day',
  'last-constructor',
  'this-toString',
  '2024-13',
  '2024-00',
  '2024-Q5',
  '2024-W00',
  '2023-W53',
  '24',
])('%j is none', (word) => {
  expect(() => parseRelativeRange(word, 'today', COUNTING)).toThrow(UsageError)
  expect(() => parseRelativeRange(word, 'today', COUNTING)).toThrow(
    /is (not a date|a date that does not exist); write YYYY-MM-DD, today/,
  )
})

test.each([
  ['1898-12-31', 'today'],
  ['-9999y', 'today'],
  ['-99999y', 'today'],
  ['today', '2200-01-01'],
])('%s to %s leaves the years that there are', (from, to) => {
  expect(() => parseRelativeRange(from, to, COUNTING)).toThrow(
    `--from ${from} --to ${to} leaves the years 1899 to 2199`,
  )
})

test('a range is judged by the years of the account, once they are known', async () => {
  const calendar: Calendar = { week_start: 'monday', fiscal_year_start: 12 }
  const rangeOf = readRange({ from: 'this-year', to: '2023-12-31' }, TODAY)
  const client = createClient({
    send: () => Promise.reject(new Error('nothing has to be asked')),
    caller: 'ann',
    calendar: () => calendar,
    identifyAccount: () => ({ for: 'account acme', isSure: true }),
    isBundled: () => true,
    close: () => Promise.resolve(),
  })
  expect(await rangeOf(client)).toEqual({ from: day('2023-12-01'), to: day('2023-12-31') })
  const backwards = readRange({ from: 'today', to: '2024-01-31' }, TODAY)
  await expect(backwards(client)).rejects.toThrow('--from today is after --to 2024-01-31')
})
