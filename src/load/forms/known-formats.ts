import { Fault } from '../../domain/errors.ts'
import { type DateFormat, dateFormat } from './date-format.ts'

/** A form that is known to be one. */
export const made = (text: string): DateFormat => {
  const format = dateFormat(text)
  if (format instanceof Fault) throw new TypeError(format.message)
  return format
}

/** What is assumed of dates as long as nothing contradicts. */
export const PLAIN_FORMAT = made('YYYY-MM-DD')

const FOUND_OUT = [
  'DD.MM.YYYY | DD/MM/YYYY | MM/DD/YYYY | DD-MM-YYYY | MM-DD-YYYY | YYYY/MM/DD | YYYY.MM.DD | YYYYMMDD',
  'YYYY年MM月DD日 | YYYY年MM月 | DD. MM. YYYY | DD MM YYYY | YYYY. MM. DD | YYYY. MM. DD.',
  'D MMM YYYY | D. MMM YYYY | D-MMM-YYYY | D.MMM.YYYY | D/MMM/YYYY | D [de] MMM [de] YYYY | YYYY-MMM-DD',
  'MMM D, YYYY | MMM D YYYY',
  'YYYY-MM | MM/YYYY | MM.YYYY | MM-YYYY | YYYY/MM | MMM YYYY | MMM-YYYY | MMM [de] YYYY | YYYY-MMM',
  'YYYY-[W]WW | YYYY[W]WW | YYYY [W]WW | [W]WW YYYY | [W]WW/YYYY | [KW] WW/YYYY | [KW]WW/YYYY | [KW] WW YYYY',
  'YYYY-[Q]Q | YYYY[Q]Q | YYYY [Q]Q | [Q]Q YYYY | [Q]Q/YYYY | [Q]Q-YYYY | YYYY',
]

/** The forms that can be found out: not those with years of two digits, nor serial numbers, which say too little. */
export const KNOWN_FORMATS: readonly DateFormat[] = [
  PLAIN_FORMAT,
  ...FOUND_OUT.flatMap((line) => line.split(' | ').map(made)),
]
