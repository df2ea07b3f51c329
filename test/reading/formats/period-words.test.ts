import { describe, expect, test } from 'vitest'
import { formatDay } from '../../../src/domain/day.ts'
import type { Frequency } from '../../../src/domain/period.ts'
import { createDateColumn } from '../../../src/reading/formats/date-column.ts'
import { PLAIN_FORMAT } from '../../../src/reading/formats/date-format.ts'
import { partsMeant } from '../../../src/reading/formats/period-words.ts'

test.each<[part: string, names: string]>([
  ['week', 'Week|KW|Calendar week|Week no|week_number|Kalenderwoche|Semaine|semana|Settimana|Vecka|Tydzień|週|Неделя'],
  ['month', 'Month|year_month|YearMonth|Monat|Berichtsmonat|Mois|Mes|Mês|Mese|Maand|Månad|Miesiąc|年月|Месяц'],
  ['quarter', 'Quarter|Fiscal quarter|Qtr|Quartal|Trimestre|Kwartaal|Kvartal|Kwartał|四半期|Квартал'],
])('a %s is meant by %s', (part, names) => {
  for (const name of names.split('|')) expect([name, partsMeant(name).sure]).toEqual([name, part])
})

test.each<[name: string, frequency: Frequency | undefined, sure: string | undefined, perhaps: string[]]>([
  ['Date', undefined, undefined, []],
  ['Kwh', undefined, undefined, []],
  ['Message', undefined, undefined, []],
  ['Week', 'W', 'week', ['week']],
  ['Week', 'D', 'week', ['week']],
  ['Week', 'M', undefined, ['week', 'month']],
  ['Month', 'W', undefined, ['month', 'week']],
  ['Month/Week', undefined, undefined, ['month', 'week']],
  ['Date', 'M', 'month', ['month']],
  ['Date', 'W', undefined, ['week']],
  ['Date', 'Y', undefined, []],
])('%s with the frequency %s is surely %s, else one of %j', (name, frequency, sure, perhaps) => {
  const meant = partsMeant(name, frequency)
  expect([meant.sure, [...meant.perhaps]]).toEqual([sure, perhaps])
})

/** The days of a column's cells, or why it is in doubt. */
const readDates = (name: string, texts: readonly string[], frequency?: Frequency): string[] | string => {
  const column = createDateColumn(name, PLAIN_FORMAT, 'assumed', { meant: partsMeant(name, frequency) })
  texts.forEach((text, at) => column.note(text, at + 2))
  const format = column.proven()?.format
  const day = (text: string): string => {
    const read = format?.read(text)
    return typeof read === 'number' ? formatDay(read) : 'none'
  }
  return column.doubts()[0] ?? [format?.text ?? 'unknown', ...texts.map(day)]
}

describe('a year and a number are read as what the name of the column says', () => {
  test.each<[name: string, texts: string[], read: string[]]>([
    ['Week', ['2024-01', '2024-02', '2024-09'], ['YYYY-WW', '2024-01-01', '2024-01-08', '2024-02-26']],
    ['KW', ['01/2024', '53/2024'], ['WW/YYYY', '2024-01-01', 'none']],
    ['Semaine', ['2024/7', '2024/12'], ['YYYY/WW', '2024-02-12', '2024-03-18']],
    ['Woche', ['07.2024', '12.2024'], ['WW.YYYY', '2024-02-12', '2024-03-18']],
    ['Quarter', ['2023-4', '2024-1'], ['YYYY-Q', '2023-10-01', '2024-01-01']],
    ['Quartal', ['4/2023', '1/2024'], ['Q/YYYY', '2023-10-01', '2024-01-01']],
    ['Trimestre', ['2024/1', '2024/4'], ['YYYY/Q', '2024-01-01', '2024-10-01']],
    ['Monat', ['2024-01', '2024-04'], ['YYYY-MM', '2024-01-01', '2024-04-01']],
    ['Monat', ['01/2024', '04/2024'], ['MM/YYYY', '2024-01-01', '2024-04-01']],
    ['Week', ['2024-01-15', '2024-01-22'], ['YYYY-MM-DD', '2024-01-15', '2024-01-22']],
    ['Quarter', ['2024-Q1', '2024-Q4'], ['YYYY-[Q]Q', '2024-01-01', '2024-10-01']],
  ])('%s %j', (name, texts, read) => {
    expect(readDates(name, texts)).toEqual(read)
  })
})

describe('a year and a number are in doubt', () => {
  const saysWhich = (cell: string, one: string, other: string): string => {
    const formats = [one, other].map((reading) => /\((.*)\)/.exec(reading)?.[1])
    return `${cell} is ${one} or ${other}; say which: ${formats.map((format) => `--date-format ${format}`).join(' or ')}`
  }
  test.each<[name: string, frequency: Frequency | undefined, texts: string[], doubt: string]>([
    ['Date', 'W', ['2024-02'], saysWhich('"2024-02" on line 2', '2024-02-01 (YYYY-MM)', '2024-01-08 (YYYY-WW)')],
    ['Month', 'W', ['2024-02'], saysWhich('"2024-02" on line 2', '2024-02-01 (YYYY-MM)', '2024-01-08 (YYYY-WW)')],
    ['Week', 'M', ['2024/2'], saysWhich('"2024/2" on line 2', '2024-02-01 (YYYY/MM)', '2024-01-08 (YYYY/WW)')],
    ['Date', 'Q', ['2024/1', '2024/4'], saysWhich('"2024/4" on line 3', '2024-04-01 (YYYY/MM)', '2024-10-01 (YYYY/Q)')],
    [
      'Quarter',
      undefined,
      ['2024-01', '2024-04'],
      saysWhich('"2024-04" on line 3', '2024-10-01 (YYYY-Q)', '2024-04-01 (YYYY-MM)'),
    ],
    [
      'Quarter',
      undefined,
      ['2024-7', '2024-10'],
      saysWhich('"2024-7" on line 2', 'no date (YYYY-Q)', '2024-07-01 (YYYY-MM)'),
    ],
    [
      'Quarter',
      undefined,
      ['2024-4', '2024-7'],
      saysWhich('"2024-7" on line 3', 'no date (YYYY-Q)', '2024-07-01 (YYYY-MM), and "2024-4" on line 2 is either'),
    ],
  ])('%s with the frequency %s: %j', (name, frequency, texts, doubt) => {
    expect(readDates(name, texts, frequency)).toBe(doubt)
  })
})

test.each<[name: string, frequency: Frequency, texts: string[], read: string[]]>([
  ['Date', 'Q', ['2024-01', '2024-04', '2024-07'], ['YYYY-MM', '2024-01-01', '2024-04-01', '2024-07-01']],
  ['Date', 'M', ['01/2024', '02/2024'], ['MM/YYYY', '2024-01-01', '2024-02-01']],
  ['Date', 'W', ['2024-01-08', '2024-01-15'], ['YYYY-MM-DD', '2024-01-08', '2024-01-15']],
])('the frequency does not make %s %s of %j doubtful', (name, frequency, texts, read) => {
  expect(readDates(name, texts, frequency)).toEqual(read)
})
