import type { DateFormat } from './date-format.ts'
import { made } from './known-formats.ts'

/**
 * The forms with years of two digits, which say too little to be assumed. Of a line the first that fits is meant: with dots
 * the day comes first, while with other signs it may as well be the month.
 */
const FORMS: readonly (readonly DateFormat[])[] = [
  'DD.MM.YY | MM.DD.YY | YY.MM.DD',
  'DD/MM/YY | YY/MM/DD',
  'MM/DD/YY',
  'DD-MM-YY | YY-MM-DD',
  'MM-DD-YY',
  'MMM-YY',
  'MMM YY',
  'MMM/YY',
  "MMM 'YY",
  'YY-MMM',
  'D-MMM-YY',
  'D MMM YY',
  'D. MMM YY',
  'D.MMM.YY',
  'D/MMM/YY',
].map((line) => line.split(' | ').map(made))

/** The forms in which a text is a date whose year has two digits. */
export const shortYearsOf = (text: string): DateFormat[] =>
  FORMS.flatMap((line) => line.find((format) => typeof format.read(text) === 'number') ?? [])
