import { describe, expect, test } from 'vitest'
import { PUBLIC_FILES } from './corpus/public/index.ts'
import { decimalOf, monday, rowsOf, serialDay } from './support/public-files/bytes.ts'
import { READINGS } from './support/public-files/readings.ts'

/*
 * The public files are not in the repository (see test/corpus/public/README.md): `npm run soak -- files FOLDER` imports
 * them. Here is shown that the list is whole, and that the readings by hand read what was written by hand.
 */

describe('the list of public files', () => {
  test('has a reading by hand for each file, and no other', () => {
    expect(PUBLIC_FILES.map(({ file }) => file).toSorted()).toEqual(Object.keys(READINGS).toSorted())
  })

  test('has files of ten countries and eight forms', () => {
    expect(PUBLIC_FILES.length).toBeGreaterThanOrEqual(36)
    expect(new Set(PUBLIC_FILES.map(({ country }) => country)).size).toBeGreaterThan(10)
    expect(new Set(PUBLIC_FILES.flatMap(({ forms }) => forms.split(''))).size).toBeGreaterThanOrEqual(8)
  })

  test.each(PUBLIC_FILES)('says where $file is from and how to know it again', ({ origin, whole, cut }) => {
    expect([whole, cut].every((sum) => /^[0-9a-f]{64}$/.test(sum))).toBe(true)
    expect(Object.values(origin).every((text) => text !== '')).toBe(true)
  })
})

const read = (file: string, text: string | Buffer): string[] =>
  (READINGS[file]?.(Buffer.from(text)) ?? []).map(({ owner, kpi, date, actual }) =>
    [owner, kpi, date, actual].join('|'),
  )

test.each([
  ['us/jhu-confirmed.csv', 'Province/State,Country/Region,Lat,Long,1/2/20\nA,B,1,2,7\n', 'B A|Confirmed|2020-01-02|7'],
  ['mx/confirmed.csv', 'Estado,03-02-2020\nA,7\n', 'A|Confirmed|2020-02-03|7'],
  ['dk/population.csv', 'Sex,Age,2008Q3\nMen,0 years,7\n', 'Men 0 years|Population|2008-07-01|7'],
  ['us/gistemp.csv', 'Year,Jan,Feb\n1880,-0.1,***\n', 'World|Anomaly|1880-01-01|-0.1'],
  ['us/births.csv', 'year,month,date_of_month,day_of_week,births\n2000,1,2,6,7\n', 'US|births|2000-01-02|7'],
  [
    'us/taxi-passengers.csv',
    'time,#Passengers\n2014-07-01 00:00:00,3\n2014-07-01 00:30:00,4\n',
    'New York|#Passengers|2014-07-01|7',
  ],
  ['gb/indicators.csv', 'Date,Country,Indicator,Value\n2020-01-08,A,B,7\n', 'A|B|2020-01-08|7'],
  ['br/sif-abate.csv', 'MES_ANO;UF_PROCEDENCIA;CATEGORIA;QTD_MACHO\n02/2002;A;B;7\n', 'A B|QTD_MACHO|2002-02-01|7'],
  [
    'lu/smard-2020.csv',
    'Datum;Uhrzeit;DateTime;X\n2020-01-06;00:00;;3,5\n2020-01-06;00:15;;3,5\n',
    'Luxembourg|X|2020-01-06|7',
  ],
])('%s is read as it is written', (file, text, entry) => {
  expect(read(file, text)).toEqual([entry])
})

test('bytes of another encoding are read with it', () => {
  const text = Buffer.concat([Buffer.from('Date;C\u00f4te\n03/02/2012;7\n', 'latin1')])
  expect(read('ca/bikes.csv', text)).toEqual(['Côte|Bikes|2012-02-03|7'])
})

test.each([
  ['1.23455', '1.2346'],
  ['-1.23455', '-1.2346'],
  ['-0.00001', '0'],
  ['12', '12'],
  ['1.5e3', '1500'],
  ['5e-4', '0.0005'],
  ['-12345e-4', '-1.2345'],
])('%s is rounded to %s', (text, rounded) => {
  expect(decimalOf(text)).toBe(rounded)
})

test('cells, serial numbers and weeks are read', () => {
  expect(rowsOf('a,"b, ""c"""\n')).toEqual([['a', 'b, "c"']])
  expect(serialDay('42005')).toBe('2015-01-01')
  expect(monday('2015', '1')).toBe('2014-12-29')
})
