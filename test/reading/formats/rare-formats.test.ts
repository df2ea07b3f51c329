import { describe, expect, test } from 'vitest'
import { createDateColumn } from '../../../src/reading/formats/date-column.ts'
import { PLAIN_FORMAT } from '../../../src/reading/formats/date-format.ts'

/** Why a column of dates is in doubt. */
const doubt = (texts: readonly string[], name = 'Date'): string | undefined => {
  const column = createDateColumn(name, PLAIN_FORMAT, 'assumed')
  texts.forEach((text, at) => column.note(text, at + 2))
  return column.doubts()[0]
}

/** The formats that a doubt names. */
const suggested = (texts: readonly string[], name?: string): string[] =>
  [...(doubt(texts, name) ?? '').matchAll(/--date-format (?:"([^"]*)"|(\S+))/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  )

describe('dates in formats that are never assumed stop with the formats that fit all of them', () => {
  test.each<[texts: string[], formats: string[], name?: string]>([
    [
      ['202401', '202412'],
      ['YYYYMM', 'YYYYWW'],
    ],
    [['202401', '202412'], ['YYYYMM'], 'Month'],
    [['202401', '202412'], ['YYYYWW'], 'KW'],
    [['202401', '202413'], ['YYYYWW']],
    [
      ['20241', '20244'],
      ['YYYYQ', 'EXCEL'],
    ],
    [
      ['240102', '240131'],
      ['YYMMDD', 'DDMMYY'],
    ],
    [['240102', '240132', '241302'], ['DDMMYY']],
    [
      ['310124', '010224'],
      ['YYMMDD', 'DDMMYY'],
    ],
    [['31012024', '01022024'], ['DDMMYYYY']],
    [['01012024', '01312024'], ['MMDDYYYY']],
    [['1Q24', '4Q24'], ['Q[Q]YY']],
    [['Q124', 'Q424'], ['[Q]QYY']],
    [['Q1-24', 'Q4-24'], ['[Q]Q-YY']],
    [['24W01', '24W12'], ['YY[W]WW']],
    [
      ['01-24', '02-24'],
      ['MM-YY', 'WW-YY'],
    ],
    [['01-24', '02-24'], ['MM-YY'], 'Monat'],
    [['01/24', '13/24'], ['WW/YY']],
    [
      ['2024.01', '2024.02'],
      ['YYYY.MM', 'YYYY.WW', 'YYYY.Q'],
    ],
    [['01JAN2024', '31DEC2024'], ['DMMMYYYY']],
    [['Jan24', 'Feb24'], ['MMMYY']],
    [['01.02.24', '02.13.24'], ['MM.DD.YY']],
    [['01.02.24', '03.04.24'], ['DD.MM.YY']],
    [['45292', '45293'], ['EXCEL']],
    [
      ['202401', 'Total', ''],
      ['YYYYMM', 'YYYYWW'],
    ],
  ])('%j: %j', (texts, formats, name) => {
    expect(suggested(texts, name)).toEqual(formats)
  })

  test.each<[text: string, message: string]>([
    ['202413', '"202413" on line 2 may be a date; say how dates are written: --date-format YYYYWW'],
    ['1Q24', '"1Q24" on line 2 has a year of two digits; say how dates are written: --date-format "Q[Q]YY"'],
    [
      '45292',
      '"45292" on line 2 looks like a serial number of a spreadsheet; save the column as dates, or use --date-format EXCEL',
    ],
  ])('%s: %s', (text, message) => {
    expect(doubt([text])).toBe(message)
  })
})

test.each<[texts: string[]]>([
  [['2024-01-01', '202401']],
  [['202401', '2024-01-01']],
  [['202401', '1Q24']],
  [['1899', '1898']],
  [['Total', '12', '1234567']],
])('no format is suggested for %j', (texts) => {
  expect(doubt(texts)).toBeUndefined()
})
