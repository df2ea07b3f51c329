import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  civil,
  dayOfCivil,
  dayOfInstant,
  existingDay,
  FIRST_ENTRY_DAY,
  FIRST_QUERY_DAY,
  formatDay,
  formatInstant,
  LAST_ENTRY_DAY,
  parseDay,
  parseInstant,
  weekday,
} from '../../src/domain/day.ts'
import { dateOf, day } from '../support/calendar.ts'

describe('a day', () => {
  test('of the years 1890 to 2205 is the same day in every form', () => {
    const wrong: string[] = []
    for (let each = day('1890-01-01'); each <= day('2205-12-31'); each += 1) {
      const date = dateOf(each)
      const text = date.toISOString().slice(0, 10)
      const parts = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
      const { year, month, day: ofMonth } = civil(each)
      const same =
        year === parts.year &&
        month === parts.month &&
        ofMonth === parts.day &&
        dayOfCivil(year, month, ofMonth) === each &&
        formatDay(each) === text &&
        parseDay(text) === each &&
        parseDay(`${text}T00:00:00`) === each &&
        weekday(each) === (date.getUTCDay() + 6) % 7
      if (!same) wrong.push(text)
    }
    expect(wrong).toEqual([])
  })

  test.each([
    [2026, 0, 1, '2025-12-01'],
    [2026, 13, 1, '2027-01-01'],
    [2026, 27, 15, '2028-03-15'],
    [2026, -11, 1, '2025-01-01'],
    [2026, -12, 31, '2024-12-31'],
  ])('whose month runs over, %s-%s-%s, is %s', (year, month, ofMonth, text) => {
    expect(formatDay(dayOfCivil(year, month, ofMonth))).toBe(text)
  })

  test.each([
    '2026-02-29',
    '1900-02-29',
    '2100-02-29',
    '2024-02-30',
    '2026-04-31',
    '2026-06-31',
    '2026-09-31',
    '2026-11-31',
    '2026-01-32',
    '2026-01-00',
    '2026-00-10',
    '2026-13-01',
    '2026-99-99',
  ])('%s does not exist', (text) => {
    expect(parseDay(text)).toBeUndefined()
    const [year = 0, month = 0, ofMonth = 0] = text.split('-').map(Number)
    expect(existingDay(year, month, ofMonth)).toBeUndefined()
  })

  test.each(['2024-02-29', '2000-02-29', '2400-02-29', '0001-01-01', '9999-12-31'])('%s exists', (text) => {
    expect(parseDay(text)).toBe(day(text))
  })

  test.each([
    '',
    '2026-1-1',
    '26-01-01',
    '2026/01/01',
    '01.02.2026',
    '20260101',
    ' 2026-01-01',
    '2026-01-01 ',
    '+002026-01-01',
    '2026-01-01T00',
    '2026-01-01T00:00:01',
    '2026-01-01T00:00:00z',
    '2026-01-01T00:00:00.',
    '2026-01-01T00:00:00.0000000000',
    '2026-01-01T00:00:00.001',
    '2026-01-01T00:00:00+01:00',
    '2026-01-01T00:00:00 Z',
    '2026-01-01  00:00:00',
    '2026-01-01T24:00:00',
    '2026-01-01Z',
    '2026-01-01T00:00:00Z ',
    `2026-01-01T00:00:00.${'0'.repeat(100_000)}`,
    '2026-01-01t00:00:00',
    'abcd-01-01',
    '2O26-01-01',
    '2026-o1-01',
    '\u0662\u0660\u0662\u0666-01-01',
  ])('is not read from %j', (text) => {
    expect(parseDay(text)).toBeUndefined()
  })

  const midnights = ['T', ' '].flatMap((blank) =>
    ['', ':00', ':00.0', ':00.000', ':00.0000000', ':00.000000000'].flatMap((seconds) =>
      ['', 'Z', '+00:00', '-00:00', '+0000'].map((zone) => `${blank}00:00${seconds}${zone}`),
    ),
  )

  test('may have midnight behind it, however that is written', () => {
    for (const midnight of midnights) {
      expect([midnight, parseDay(`2026-02-28${midnight}`)]).toEqual([midnight, day('2026-02-28')])
      expect([midnight, parseDay(`2026-02-29${midnight}`)]).toEqual([midnight, undefined])
    }
  })

  test('has no other time of day behind it', () => {
    const two = (most: number) => fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(2, '0'))
    const zones = fc.constantFrom('', 'Z', '+00:00')
    fc.assert(
      fc.property(two(24), two(60), two(60), fc.nat(999), zones, (hours, minutes, seconds, fraction, zone) => {
        const time = `${hours}:${minutes}:${seconds}.${String(fraction).padStart(3, '0')}`
        const expected = time === '00:00:00.000' ? day('2026-01-01') : undefined
        expect(parseDay(`2026-01-01T${time}${zone}`)).toBe(expected)
      }),
    )
  })

  test('is not read where any digit is something else', () => {
    const places = fc.constantFrom(0, 1, 2, 3, 5, 6, 8, 9)
    const other = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((unit) => !/^\d/.test(unit))
    fc.assert(
      fc.property(places, other, (at, unit) => {
        const text = `${'2026-01-01'.slice(0, at)}${unit}${'2026-01-01'.slice(at + 1)}`
        expect(parseDay(text)).toBeUndefined()
      }),
    )
  })

  test('may be that of an entry in the years 1900 to 2199, and be asked for from 1899', () => {
    expect([FIRST_ENTRY_DAY, LAST_ENTRY_DAY, FIRST_QUERY_DAY]).toEqual(
      ['1900-01-01', '2199-12-31', '1899-01-01'].map(day),
    )
  })
})

describe('an instant', () => {
  const instants = fc.integer({ min: Date.parse('1890-01-01') / 1000, max: Date.parse('2205-12-31') / 1000 })

  test('is written in UTC without a zone, read back as it was, and sorts as text', () => {
    fc.assert(
      fc.property(instants, instants, (one, other) => {
        const [text, otherText] = [formatInstant(one), formatInstant(other)]
        expect(`${text}.000Z`).toBe(new Date(one * 1000).toISOString())
        expect(parseInstant(text)).toBe(one)
        expect(text < otherText).toBe(one < other)
        expect(formatDay(dayOfInstant(one))).toBe(text.slice(0, 10))
      }),
    )
  })

  test.each([
    ['1970-01-01T00:00:00', 0],
    ['1969-12-31T23:59:59', -1],
    ['2026-11-21T12:00:00', 1_795_262_400],
  ])('%s is %s', (text, instant) => {
    expect([parseInstant(text), formatInstant(instant)]).toEqual([instant, text])
  })

  test.each([
    '',
    '2026-01-01',
    '2026-01-01T24:00:00',
    '2026-01-01T23:60:00',
    '2026-01-01T23:59:60',
    '2026-02-29T00:00:00',
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00+01:00',
    '2026-01-01T00:00:00.000',
    '2026-01-01 00:00:00',
  ])('is not read from %j', (text) => {
    expect(parseInstant(text)).toBeUndefined()
  })
})
