import { type DateFormat, knownFormat, PLAIN_FORMAT } from './date-format.ts'

const FOUND_OUT = [
  'DD.MM.YYYY | DD/MM/YYYY | MM/DD/YYYY | DD-MM-YYYY | MM-DD-YYYY | YYYY/MM/DD | YYYY.MM.DD | YYYYMMDD',
  'YYYY年MM月DD日 | YYYY年MM月 | DD. MM. YYYY | DD MM YYYY | YYYY. MM. DD | YYYY. MM. DD.',
  'D MMM YYYY | D. MMM YYYY | D-MMM-YYYY | D.MMM.YYYY | D/MMM/YYYY | D [de] MMM [de] YYYY | YYYY-MMM-DD',
  'MMM D, YYYY | MMM D YYYY | YYYY MMM D | YYYY D MMM',
  'YYYY-MM | MM/YYYY | MM.YYYY | MM-YYYY | YYYY/MM | MMM YYYY | MMM-YYYY | MMM [de] YYYY | YYYY-MMM | YYYY MMM',
  'YYYY-[W]WW | YYYY[W]WW | YYYY [W]WW | [W]WW YYYY | [W]WW/YYYY | [KW] WW/YYYY | [KW]WW/YYYY | [KW] WW YYYY',
  'YYYY-[Q]Q | YYYY[Q]Q | YYYY [Q]Q | [Q]Q YYYY | [Q]Q/YYYY | [Q]Q-YYYY | YYYY',
]

/**
 * Lists the formats that can be detected: not those with two-digit years, nor serial numbers, as these prove too
 * little.
 */
export const KNOWN_FORMATS: readonly DateFormat[] = [
  PLAIN_FORMAT,
  ...FOUND_OUT.flatMap((line) => line.split(' | ').map(knownFormat)),
]
