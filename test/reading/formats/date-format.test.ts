import { describe, expect, test } from 'vitest'
import { formatDay } from '../../../src/domain/day.ts'
import { Fault } from '../../../src/domain/errors.ts'
import { monthNames, monthOf } from '../../../src/reading/formats/calendar-names.ts'
import { dateFormat } from '../../../src/reading/formats/date-format.ts'

/** The day that a text is in a form; `null` where it does not exist, `undefined` where it is of another form. */
const read = (format: string, text: string): string | null | undefined => {
  const made = dateFormat(format)
  if (made instanceof Fault) throw new Error(made.message)
  const day = made.read(text)
  return typeof day === 'number' ? formatDay(day) : day
}

test.each<[format: string, text: string, day: string]>([
  ['YYYY-MM-DD', '2026-03-02', '2026-03-02'],
  ['YYYY-MM-DD', '2026-03-02T00:00:00', '2026-03-02'],
  ['YYYY-MM-DD', '2026-03-02 00:00', '2026-03-02'],
  ['YYYY-MM-DD', '2026-03-02 00:00:00.000', '2026-03-02'],
  ['DD.MM.YYYY', '02.03.2026', '2026-03-02'],
  ['DD.MM.YYYY', '2.3.2026', '2026-03-02'],
  ['D.M.YYYY', '02.03.2026 0:00:00', '2026-03-02'],
  ['DD.MM.YY', '02.03.26', '2026-03-02'],
  ['DD.MM.YY', '02.03.69', '1969-03-02'],
  ['DD/MM/YYYY', '02/03/2026', '2026-03-02'],
  ['MM/DD/YYYY', '02/03/2026', '2026-02-03'],
  ['M/D/YYYY', '2/3/2026 12:00:00 AM', '2026-02-03'],
  ['YYYYMMDD', '20260302', '2026-03-02'],
  ['DDMMYY', '020326', '2026-03-02'],
  ['D MMM YYYY', '3 Mar 2026', '2026-03-03'],
  ['D MMM YYYY', '3\u00a0mars 2026', '2026-03-03'],
  ['D. MMMM YYYY', '3. März 2026', '2026-03-03'],
  ['D. MMMM YYYY', '3. marz 2026', '2026-03-03'],
  ['D MMM YYYY', '3 janv. 2026', '2026-01-03'],
  ['D MMMM YYYY', '3 sierpnia 2026', '2026-08-03'],
  ['D [de] MMMM [de] YYYY', '3 de março de 2026', '2026-03-03'],
  ['MMM D, YYYY', 'Mar 3, 2026', '2026-03-03'],
  ['DD-MMM-YYYY', '03-MAR-2026', '2026-03-03'],
  ['MMM-YY', 'Mar-26', '2026-03-01'],
  ['YYYY', '2026', '2026-01-01'],
  ['YYYY/YY', '2025/26', '2025-01-01'],
  ['YYYY-YY', '1999-00', '1999-01-01'],
  ['YYYY/YYYY', '2025/2026', '2025-01-01'],
  ['[FY]YY/YY', 'FY25/26', '2025-01-01'],
  ['YYYY-MM', '2026-03', '2026-03-01'],
  ['MM/YYYY', '3/2026', '2026-03-01'],
  ['YYYY-[W]WW', '2026-W01', '2025-12-29'],
  ['YYYY-[W]WW', '2020-W53', '2020-12-28'],
  ['YYYY-[W]WW-E', '2026-W09-1', '2026-02-23'],
  ['YYYY-[W]WW-E', '2020-W53-7', '2021-01-03'],
  ['YYYY[W]WWE', '2026W093', '2026-02-25'],
  ['[KW] WW/YYYY', 'KW 10/2026', '2026-03-02'],
  ['YYYY-[Q]Q', '2026-Q3', '2026-07-01'],
  ['[Q]Q YYYY', 'q4 2026', '2026-10-01'],
  ['YYYY-MM-DD|DD/MM/YYYY', '2026-03-02', '2026-03-02'],
  ['YYYY-MM-DD|DD/MM/YYYY', '3/2/2026', '2026-02-03'],
  ['DD/MM/YYYY|MM/DD/YYYY', '5/5/2026', '2026-05-05'],
  ['EXCEL', '46083', '2026-03-02'],
  ['excel', '46083,0', '2026-03-02'],
])('%s reads %s', (format, text, day) => {
  expect(read(format, text)).toBe(day)
})

test.each<[format: string, text: string]>([
  ['DD.MM.YYYY', '31.02.2026'],
  ['DD.MM.YYYY', '02.13.2026'],
  ['DD.MM.YYYY', '02.03.0026'],
  ['YYYY-[W]WW', '2026-W54'],
  ['YYYY-[W]WW-E', '2026-W54-1'],
  ['YYYY-[W]WW', '2021-W53'],
  ['YYYY-[W]WW', '2026-W00'],
  ['YYYY-[Q]Q', '2026-Q5'],
  ['[Q]Q YYYY', 'Q0 2026'],
  ['EXCEL', '60'],
])('%s has no %s', (format, text) => {
  expect(read(format, text)).toBeNull()
})

test.each<[format: string, text: string]>([
  ['DD.MM.YYYY', '02.03.26'],
  ['DD.MM.YYYY', '02-03-2026'],
  ['DD.MM.YYYY', '02.03.2026 14:30'],
  ['DD.MM.YYYY', '02.03.2026 00:00:01'],
  ['DD.MM.YYYY', 'x02.03.2026'],
  ['YYYYMMDD', '2026302'],
  ['D MMM YYYY', '3 Mrs 2026'],
  ['YYYY', '26'],
  ['EXCEL', '46083.5'],
])('%s is not the form of %s', (format, text) => {
  expect(read(format, text)).toBeUndefined()
})

describe('a form of dates that is none', () => {
  test.each(['', 'dates', 'DD.MM', 'YYYY-DD', 'MM', 'YYYY-MM-DD-MM', 'YYYY-MM-DDTHH:mm', 'WW-MM-YYYY', '[W', 'YYY'])(
    'is refused with all that there may be: "%s"',
    (text) => {
      const fault = dateFormat(text)
      expect(fault).toBeInstanceOf(Fault)
      expect(fault instanceof Fault ? fault.message : '').toMatch(/YYYY, YY .*MMM.*WW.*\[brackets\].*EXCEL/)
    },
  )

  test('suggests large letters', () => {
    expect(dateFormat('dd.mm.yyyy')).toMatchObject({
      message: expect.stringMatching(/did you mean DD\.MM\.YYYY\?$/) as unknown,
    })
  })
})

test('no name is that of two months', () => {
  const months = new Map<string, number>()
  for (const [name, month] of monthNames()) expect(months.set(name, months.get(name) ?? month).get(name)).toBe(month)
})

test('two years that do not follow each other are none', () => {
  expect(read('YYYY/YY', '2025/27')).toBeNull()
  expect(read('YYYY/YYYY', '2025/2126')).toBeNull()
})

/** The languages whose encodings are detected. */
const LANGUAGES = (
  'en de fr es it pt nl sv da nb fi pl cs sk hu ro hr sl bg ru uk be mk sr sr-Latn el tr et lv lt id vi th ja ko zh ' +
  'ar he hi ca is'
).split(' ')

/** Names that are other months in Polish or Czech and in Croatian. */
const TWO_MONTHS = new Set(['lip', 'lis', 'listopad', 'listopada', 'srp'])

/** Returns the date of each month and day of the week in a language, as the platform writes it. */
const writtenIn = (language: string, options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat(`${language}-u-ca-gregory-nu-latn`, { ...options, timeZone: 'UTC' })
  return (instant: number, type: 'month' | 'weekday'): string =>
    format
      .formatToParts(instant)
      .find((part) => part.type === type)
      ?.value.replace(/^(?:de |d’)/, '') ?? ''
}

test.each(LANGUAGES)('the months of %s are known without a year, in any case and composition', (language) => {
  for (const options of [{ month: 'long' }, { month: 'long', day: 'numeric', year: 'numeric' }] as const) {
    const nameOf = writtenIn(language, options)
    for (let month = 1; month <= 12; month += 1) {
      const name = nameOf(Date.UTC(2026, month - 1, 15), 'month')
      if (/^\d+$/.test(name)) continue
      for (const text of [name, name.toUpperCase(), name.normalize('NFD')])
        expect([text, monthOf(text)]).toEqual([text, TWO_MONTHS.has(name) ? undefined : month])
    }
  }
})

test.each(LANGUAGES)('days of the week of %s beside a date are read, and have to be those of the date', (language) => {
  const nameOf = writtenIn(language, { weekday: 'long' })
  for (let day = 2; day <= 8; day += 1) {
    const [name, date] = [nameOf(Date.UTC(2026, 2, day), 'weekday'), `2026-03-0${day}`]
    if (name.includes(' ')) continue
    expect(read('YYYY-MM-DD', `${name}, ${date}`)).toBe(date)
    expect(read('YYYY-MM-DD', `${date} (${name})`)).toBe(date)
    expect(read('YYYY-MM-DD', `${name} 2026-03-${day + 8}`)).toBeNull()
  }
})

test('a day of the week settles which number is the month', () => {
  expect(read('MM/DD/YYYY', 'Sun 03/01/2026')).toBe('2026-03-01')
  expect(read('DD/MM/YYYY', 'Sun 03/01/2026')).toBeNull()
})
