import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rangeOf, RECENT, readRange } from '../../src/cli/args/day-range.ts'
import { type Counting, parseRelativeDays } from '../../src/cli/args/relative-dates.ts'
import { createClient } from '../../src/client/client.ts'
import { UsageError } from '../../src/cli/exit.ts'
import { type Calendar, CIVIL_CALENDAR, type DayRange, periodName, periodStart } from '../../src/domain/period.ts'
import { Fault } from '../../src/domain/errors.ts'
import type { Note } from '../../src/cli/output/log.ts'
import { timeZoneNamed } from '../../src/cli/target/time-zone.ts'
import { civil, formatDay } from '../../src/domain/day.ts'
import { day } from '../support/calendar.ts'

/** A Wednesday. */
const TODAY = day('2024-05-15')
const COUNTING = { today: TODAY, calendar: CIVIL_CALENDAR }

const parseRange = (from: string, to: string, counting: Counting): DayRange => rangeOf({ from, to }, RECENT, counting)

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
    ['Today', '2024-05-15', '2024-05-15'],
    [' YTD ', '2024-01-01', '2024-05-15'],
    ['LAST  Month', '2024-04-01', '2024-04-30'],
    ['last_month', '2024-04-01', '2024-04-30'],
    ['2023-q3', '2023-07-01', '2023-09-30'],
    ['2024-w01', '2024-01-01', '2024-01-07'],
    [' 2024-02-29 ', '2024-02-29', '2024-02-29'],
    ['-7D', '2024-05-08', '2024-05-08'],
  ])('%s is %s to %s', (word, from, to) => {
    const range = parseRange(word, word, COUNTING)
    expect([formatDay(range.from), formatDay(range.to)]).toEqual([from, to])
  })

  test.each([
    ['2024-03-31', '-1m', '2024-02-29'],
    ['2023-03-31', '-1m', '2023-02-28'],
    ['2024-02-29', '-1y', '2023-02-28'],
    ['2024-10-31', '-1m', '2024-09-30'],
  ])('on %s, %s is %s, as the month is shorter', (today, word, then) => {
    expect(formatDay(parseRange(word, word, { today: day(today), calendar: CIVIL_CALENDAR }).from)).toBe(then)
  })

  test('a range is from the first day of one to the last of the other', () => {
    expect(parseRange('last-month', 'this-week', COUNTING)).toEqual({
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
    ['2023-Q2', '2024-02-01', '2024-04-30'],
    ['2023', '2023-11-01', '2024-10-31'],
    ['2024-05', '2024-05-01', '2024-05-31'],
    ['2024-W20', '2024-05-12', '2024-05-18'],
    ['2024-W01', '2023-12-31', '2024-01-06'],
  ])('%s is %s to %s where weeks begin on Sunday and years in November', (word, from, to) => {
    const calendar: Calendar = { week_start: 'sunday', fiscal_year_start: 11 }
    const range = parseRange(word, word, { today: TODAY, calendar })
    expect([formatDay(range.from), formatDay(range.to)]).toEqual([from, to])
  })
})

test.each([
  '',
  'tomorrow',
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
  expect(() => parseRange(word, 'today', COUNTING)).toThrow(UsageError)
  expect(() => parseRange(word, 'today', COUNTING)).toThrow(
    /is (not a date|a date that does not exist);( did you mean \S+\?)? write YYYY-MM-DD, today/,
  )
})

test.each([
  ['1898-12-31', 'today'],
  ['-9999y', 'today'],
  ['-99999y', 'today'],
  ['today', '2200-01-01'],
])('%s to %s leaves the years that there are', (from, to) => {
  expect(() => parseRange(from, to, COUNTING)).toThrow(`--from ${from} --to ${to} leaves the years 1899 to 2199`)
})

test('a range is judged by the years of the account, once they are known', async () => {
  const calendar: Calendar = { week_start: 'monday', fiscal_year_start: 12 }
  const notes: string[] = []
  const cli = { today: () => ({ day: TODAY, zone: 'UTC' }), note: async (text: Note) => void notes.push(String(text)) }
  const readAsked = readRange(cli, { from: 'this-year', to: '2023-12-31' })
  const client = createClient({
    send: () => Promise.reject(new Error('nothing has to be asked')),
    caller: 'ann',
    calendar: () => calendar,
    identifyAccount: () => ({ for: 'account acme', isSure: true }),
    isBundled: () => true,
    close: () => Promise.resolve(),
  })
  expect(await readAsked(client)).toEqual({ from: day('2023-12-01'), to: day('2023-12-31') })
  expect(notes).toEqual(['--from this-year --to 2023-12-31 is 2023-12-01 to 2023-12-31 in UTC'])
  const backwards = readRange(cli, { from: 'today', to: '2024-01-31' })
  await expect(backwards(client)).rejects.toThrow('--from today is after --to 2024-01-31')
})

test.each([
  ['lst-month', 'last-month'],
  ['yesterdy', 'yesterday'],
  ['last 7 days', '-7d'],
  ['7d', '-7d'],
  ['2 weeks ago', '-2w'],
])('%s is refused with a hint at %s', (word, meant) => {
  expect(() => parseRelativeDays(word, COUNTING)).toThrow(`"${word}" is not a date; did you mean ${meant}? write`)
})

const anyWords = {
  today: fc.integer({ min: day('1950-01-01'), max: day('2150-01-01') }),
  calendar: fc.record<Calendar>({
    week_start: fc.constantFrom('monday', 'sunday'),
    fiscal_year_start: fc.integer({ min: 1, max: 12 }),
  }),
}

describe('whatever the day, the week start and the fiscal year', () => {
  const daysIn = (counting: Counting) => (word: string) => parseRelativeDays(word, counting)

  test.each(['week', 'month', 'quarter', 'year'])('this %s holds today, and the last one ends before it', (unit) => {
    fc.assert(
      fc.property(fc.record(anyWords), (counting) => {
        const [now, last] = [`this-${unit}`, `last-${unit}`].map(daysIn(counting))
        expect(now && now.from <= counting.today && counting.today <= now.to).toBe(true)
        expect(last?.to).toBe((now?.from ?? NaN) - 1)
      }),
    )
  })

  test('a period has the number by which reports name it', () => {
    fc.assert(
      fc.property(fc.record(anyWords), (counting) => {
        for (const [unit, frequency] of [
          ['month', 'M'],
          ['quarter', 'Q'],
          ['year', 'Y'],
        ] as const) {
          const now = daysIn(counting)(`this-${unit}`)
          expect(daysIn(counting)(periodName(frequency, now.from, counting.calendar))).toEqual(now)
        }
      }),
    )
  })

  test('the year to date begins with the fiscal year and ends today', () => {
    fc.assert(
      fc.property(fc.record(anyWords), (counting) => {
        const [ytd, year] = ['ytd', 'this-year'].map(daysIn(counting))
        expect(ytd).toEqual({ from: year?.from, to: counting.today, isPeriod: true })
        expect(civil(ytd?.from ?? NaN)).toMatchObject({ month: counting.calendar.fiscal_year_start, day: 1 })
      }),
    )
  })

  test('numbered weeks follow each other without a gap, from the day on which weeks begin', () => {
    fc.assert(
      fc.property(
        fc.record(anyWords),
        fc.integer({ min: 1950, max: 2150 }),
        fc.integer({ min: 1, max: 51 }),
        (counting, year, number) => {
          const [one, next] = [number, number + 1].map((week) =>
            daysIn(counting)(`${year}-W${String(week).padStart(2, '0')}`),
          )
          expect(one?.to).toBe((next?.from ?? NaN) - 1)
          expect(one?.from).toBe(periodStart('W', one?.to ?? NaN, counting.calendar))
        },
      ),
    )
  })

  test('a range by one word holds no day that the word does not name', () => {
    const words = ['this-week', 'last-week', 'this-month', 'last-month', 'this-quarter', 'last-year', 'ytd', '2026-W07']
    fc.assert(
      fc.property(fc.record(anyWords), fc.constantFrom(...words), (counting, from) => {
        const range = rangeOf({ from }, { ...RECENT, needsLast: true }, counting)
        const named = parseRelativeDays(from, counting)
        expect(range.from).toBe(named.from)
        expect(range.to <= named.to).toBe(true)
      }),
    )
  })
})

test('today is the day in the zone, whatever the moment, from UTC-12 to UTC+14', () => {
  const zones = ['Etc/GMT+12', 'Pacific/Kiritimati', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC']
  const moments = fc.date({ min: new Date('1975-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  fc.assert(
    fc.property(fc.constantFrom(...zones), moments, (name, moment) => {
      const zone = timeZoneNamed(name)
      if (zone instanceof Fault) throw new Error(zone.message)
      // Swedish writes dates as ISO 8601 does.
      expect(formatDay(zone.dayAt(moment.getTime()))).toBe(moment.toLocaleDateString('sv-SE', { timeZone: name }))
    }),
  )
})
