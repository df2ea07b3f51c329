import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatDay } from '../../src/domain/day.ts'
import { type Calendar, daysOfPeriodsIn, type Frequency, nextPeriod, periodStart } from '../../src/domain/period.ts'
import { dateOf, day } from '../support/calendar.ts'

const FREQUENCIES = ['D', 'W', 'M', 'Q', 'Y'] as const
const MONTHS = Array.from({ length: 12 }, (_, index) => index + 1)
const CALENDARS: readonly Calendar[] = (['monday', 'sunday'] as const).flatMap((week_start) =>
  MONTHS.map((fiscal_year_start) => ({ week_start, fiscal_year_start })),
)

const calendar = (fiscal_year_start = 1, week_start: Calendar['week_start'] = 'monday'): Calendar => ({
  week_start,
  fiscal_year_start,
})

/** Whether a period begins on the day, as a wall calendar shows it. */
const begins = (frequency: Frequency, on: number, { week_start, fiscal_year_start }: Calendar): boolean => {
  const date = dateOf(on)
  const monthOfYear = (date.getUTCMonth() + 1 - fiscal_year_start + 12) % 12
  if (frequency === 'D') return true
  if (frequency === 'W') return date.getUTCDay() === (week_start === 'monday' ? 1 : 0)
  if (date.getUTCDate() !== 1) return false
  return frequency === 'M' || (frequency === 'Q' ? monthOfYear % 3 === 0 : monthOfYear === 0)
}

describe('a period', () => {
  test.each([
    ['D', '2026-11-21', calendar(), '2026-11-21', '2026-11-22'],
    ['W', '2026-11-21', calendar(), '2026-11-16', '2026-11-23'],
    ['W', '2026-11-16', calendar(), '2026-11-16', '2026-11-23'],
    ['W', '2026-11-22', calendar(), '2026-11-16', '2026-11-23'],
    ['W', '2026-11-21', calendar(1, 'sunday'), '2026-11-15', '2026-11-22'],
    ['W', '2026-11-22', calendar(1, 'sunday'), '2026-11-22', '2026-11-29'],
    ['W', '2027-01-01', calendar(), '2026-12-28', '2027-01-04'],
    ['W', '1900-01-01', calendar(1, 'sunday'), '1899-12-31', '1900-01-07'],
    ['M', '2024-02-29', calendar(4), '2024-02-01', '2024-03-01'],
    ['M', '2026-12-31', calendar(), '2026-12-01', '2027-01-01'],
    ['Q', '2026-11-21', calendar(), '2026-10-01', '2027-01-01'],
    ['Q', '2026-02-15', calendar(4), '2026-01-01', '2026-04-01'],
    ['Q', '2026-01-31', calendar(2), '2025-11-01', '2026-02-01'],
    ['Q', '2026-02-01', calendar(2), '2026-02-01', '2026-05-01'],
    ['Q', '2026-11-30', calendar(12), '2026-09-01', '2026-12-01'],
    ['Q', '2026-01-15', calendar(12), '2025-12-01', '2026-03-01'],
    ['Y', '2026-11-21', calendar(), '2026-01-01', '2027-01-01'],
    ['Y', '2026-03-31', calendar(4), '2025-04-01', '2026-04-01'],
    ['Y', '2026-04-01', calendar(4), '2026-04-01', '2027-04-01'],
    ['Y', '2026-11-30', calendar(12), '2025-12-01', '2026-12-01'],
    ['Y', '1900-01-01', calendar(2), '1899-02-01', '1900-02-01'],
    ['Y', '2199-12-31', calendar(12), '2199-12-01', '2200-12-01'],
  ] as const)('%s of %s with %o begins on %s, the next on %s', (frequency, on, given, start, next) => {
    const first = periodStart(frequency, day(on), given)
    expect([formatDay(first), formatDay(nextPeriod(frequency, first))]).toEqual([start, next])
  })

  test.each(FREQUENCIES)('%s after %s covers the calendar without gap or overlap, in every account', (frequency) => {
    const [first, last] = [day('2023-01-01'), day('2029-01-01')]
    const wrong: string[] = []
    for (const given of CALENDARS) {
      let start = periodStart(frequency, first, given)
      for (let each = first; each < last; each += 1) {
        if (each > first && begins(frequency, each, given)) {
          if (nextPeriod(frequency, start) !== each) wrong.push(`after ${formatDay(start)}`)
          start = each
        }
        if (periodStart(frequency, each, given) !== start) wrong.push(formatDay(each))
      }
    }
    expect(wrong).toEqual([])
  })

  const anyFrequency = fc.constantFrom(...FREQUENCIES)
  const anyCalendar = fc.constantFrom(...CALENDARS)
  const anyDay = fc.integer({ min: day('1899-01-01'), max: day('2199-12-31') })

  test('holds its day, and begins where it begins', () => {
    fc.assert(
      fc.property(anyFrequency, anyDay, anyCalendar, (frequency, on, given) => {
        const start = periodStart(frequency, on, given)
        expect(begins(frequency, start, given)).toBe(true)
        expect(periodStart(frequency, start, given)).toBe(start)
        expect(start <= on && on < nextPeriod(frequency, start)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  test('belongs to a range with all its days where it begins within, else with none', () => {
    fc.assert(
      fc.property(
        anyFrequency,
        anyDay,
        fc.integer({ min: -40, max: 800 }),
        anyCalendar,
        (frequency, from, more, given) => {
          const range = { from, to: from + more }
          const expected: number[] = []
          let start = NaN
          for (let each = from; each <= range.to || !begins(frequency, each, given); each += 1) {
            if (begins(frequency, each, given)) start = each
            if (start >= range.from && start <= range.to) expected.push(each)
          }
          const days = daysOfPeriodsIn(frequency, range, given)
          const found = Array.from({ length: Math.max(0, days.to - days.from + 1) }, (_, index) => days.from + index)
          expect(found).toEqual(expected)
        },
      ),
      { numRuns: 500 },
    )
  })

  test.each([
    ['W', '2026-11-17', '2026-11-22', calendar(), undefined],
    ['W', '2026-11-16', '2026-11-16', calendar(), ['2026-11-16', '2026-11-22']],
    ['M', '2026-01-02', '2026-03-01', calendar(), ['2026-02-01', '2026-03-31']],
    ['Q', '2026-01-01', '2026-06-30', calendar(4), ['2026-01-01', '2026-06-30']],
    ['Q', '2026-01-01', '2026-06-30', calendar(2), ['2026-02-01', '2026-07-31']],
    ['Y', '2026-01-01', '2026-12-31', calendar(4), ['2026-04-01', '2027-03-31']],
    ['Y', '2026-01-02', '2026-12-31', calendar(), undefined],
  ] as const)('%s: a report of %s to %s with %o is made of %j', (frequency, from, to, given, expected) => {
    const days = daysOfPeriodsIn(frequency, { from: day(from), to: day(to) }, given)
    expect(days.from > days.to ? undefined : [formatDay(days.from), formatDay(days.to)]).toEqual(expected)
  })
})
