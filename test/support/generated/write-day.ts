import { civil, type Day } from '../../../src/domain/day.ts'
import type { Form } from './form.ts'
import { monthNames } from './month-names.ts'

const two = (number: number): string => String(number).padStart(2, '0')

/** The ISO year and week of a day. */
const weekOf = (day: Day): readonly [year: number, week: number] => {
  const date = new Date(day * 86_400_000)
  date.setUTCDate(date.getUTCDate() + 3 - ((date.getUTCDay() + 6) % 7))
  const year = date.getUTCFullYear()
  return [year, Math.floor((date.getTime() - Date.UTC(year, 0, 1)) / (7 * 86_400_000)) + 1]
}

const TOKEN = /\[[^\]]*\]|YYYY|YY|MMMM|MMM|MM|M|DD|D|WW|Q/g

/** Writes a day in a format. */
export const writeDay = (day: Day, format: string, months: Form['months']): string => {
  const { year, month, day: date } = civil(day)
  const [weekYear, week] = weekOf(day)
  const ofYear = format.includes('WW') ? weekYear : year
  const nameOf = (isFull: boolean): string => monthNames(months, isFull)[month - 1] ?? ''
  const written: Readonly<Record<string, string>> = {
    YYYY: String(ofYear),
    YY: two(ofYear % 100),
    MMMM: nameOf(true),
    MMM: nameOf(false),
    MM: two(month),
    M: String(month),
    DD: two(date),
    D: String(date),
    WW: two(week),
    Q: String(Math.ceil(month / 3)),
  }
  return format.replaceAll(TOKEN, (token) => written[token] ?? token.slice(1, -1))
}

/** The hours, minutes and seconds of the readings of a day. */
const CLOCKS = [
  [8, 5, 0],
  [13, 30, 15],
  [23, 45, 59],
] as const

/** Writes the time of day of a reading. */
const writeTime = (reading: number, { clock, time }: Form): string => {
  const [hour, minute, second] = time === 'midnight' ? ([0, 0, 0] as const) : (CLOCKS[reading] ?? CLOCKS[0])
  if (clock === 'AM') return ` ${hour % 12 || 12}:${two(minute)} ${hour < 12 ? 'AM' : 'PM'}`
  if (clock === ' ') return ` ${two(hour)}:${two(minute)}`
  return `T${two(hour)}:${two(minute)}:${two(second)}${clock === 'T' ? '' : clock}`
}

/** Writes the date of a reading of a day, with its time if the form has one. */
export const writeDate = (day: Day, reading: number, form: Form): string =>
  writeDay(day, form.date, form.months) + (form.time === 'none' ? '' : writeTime(reading, form))

/** The formats of the year, the month and the day of a date that is split over columns. */
const partFormats = ({ date }: Form): string[] => [
  'YYYY',
  /MMMM|MMM|MM|M/.exec(date)?.[0] ?? 'MM',
  ...(/DD|D/.exec(date) ?? []),
]

/** Writes the cells of a date: one, or a cell for each of its parts. */
export const writeDateCells = (day: Day, reading: number, form: Form): string[] =>
  form.isDateSplit
    ? partFormats(form).map((format) => writeDay(day, format, form.months))
    : [writeDate(day, reading, form)]

/** The format in which the cells of a date are read once they are joined. */
export const readFormat = (form: Form): string => {
  if (form.layout === 'parts') return 'YYYY'
  return form.isDateSplit ? partFormats(form).join('-') : form.date.replace(/\bD\b/, 'DD').replace('MMMM', 'MMM')
}
