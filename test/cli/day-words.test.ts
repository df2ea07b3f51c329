import { describe, expect, test } from 'vitest'
import { rangeOfWords, todayAt } from '../../src/cli/day-words.ts'
import { UsageError } from '../../src/cli/exit.ts'
import { formatDay } from '../../src/domain/day.ts'
import { day } from '../support/calendar.ts'

/** A Wednesday. */
const TODAY = day('2024-05-15')

describe('a word stands for days in UTC', () => {
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
  ])('%s is %s to %s', (word, from, to) => {
    const range = rangeOfWords(word, word, TODAY)
    expect([formatDay(range.from), formatDay(range.to)]).toEqual([from, to])
  })

  test.each([
    ['2024-03-31', '-1m', '2024-02-29'],
    ['2023-03-31', '-1m', '2023-02-28'],
    ['2024-02-29', '-1y', '2023-02-28'],
    ['2024-10-31', '-1m', '2024-09-30'],
  ])('on %s, %s is %s, as the month is shorter', (today, word, then) => {
    expect(formatDay(rangeOfWords(word, word, day(today)).from)).toBe(then)
  })

  test('a range is from the first day of one to the last of the other', () => {
    expect(rangeOfWords('last-month', 'this-week', TODAY)).toEqual({ from: day('2024-04-01'), to: day('2024-05-19') })
  })

  test('today begins at midnight in UTC', () => {
    expect(todayAt(Date.parse('2024-05-14T23:59:59.999Z'))).toBe(day('2024-05-14'))
    expect(todayAt(Date.parse('2024-05-15T00:00:00Z'))).toBe(TODAY)
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
])('%j is none', (word) => {
  expect(() => rangeOfWords(word, 'today', TODAY)).toThrow(UsageError)
  expect(() => rangeOfWords(word, 'today', TODAY)).toThrow(
    /is (not a date|a date that does not exist); write YYYY-MM-DD, today/,
  )
})

test.each([
  ['1898-12-31', 'today'],
  ['-9999y', 'today'],
  ['-99999y', 'today'],
  ['today', '2200-01-01'],
])('%s to %s leaves the years that there are', (from, to) => {
  expect(() => rangeOfWords(from, to, TODAY)).toThrow(`--from ${from} --to ${to} leaves the years 1899 to 2199`)
})
