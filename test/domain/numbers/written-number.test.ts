import { describe, expect, test } from 'vitest'
import { formatDecimal } from '../../../src/domain/decimal.ts'
import { Fault } from '../../../src/domain/errors.ts'
import { type Measure, measureOf } from '../../../src/domain/numbers/measure.ts'
import { scaleNamed } from '../../../src/domain/numbers/scales.ts'
import { readWrittenNumber } from '../../../src/domain/numbers/written-number.ts'

const unitNamed = (name: string, format = '#.00', isPercentage = false): Measure =>
  measureOf('Plan', { name, display_format: format, is_percentage: isPercentage })

const EURO = unitNamed('EUR', '#.00 €')
const THOUSANDS = unitNamed('k€')
const RUPEES = unitNamed('INR', '₹ #.00')
const HOURS = unitNamed('Hours')
const POWER = unitNamed('kWh')
const METRES = unitNamed('m')
const NUMBER = unitNamed('Number', '#')
const PERCENT = unitNamed('Percent', '#.00%', true)

/** Returns what a text is read as, or why it is not; undefined where it is no number. */
const read = (text: string, measure: Measure): string | undefined => {
  const found = readWrittenNumber(text, [measure])
  return found instanceof Fault ? found.message : found && formatDecimal(found.value)
}

describe('a number as people write it', () => {
  test.each<[text: string, measure: Measure, value: string]>([
    ['1.2M €', EURO, '1200000'],
    ['1,2 Mio. €', EURO, '1200000'],
    ['3,5 Mio.', EURO, '3500000'],
    ['100k €', EURO, '100000'],
    ['€100k', EURO, '100000'],
    ['100 T€', EURO, '100000'],
    ['100 TEUR', EURO, '100000'],
    ['-2.5 bn EUR', EURO, '-2500000000'],
    ['(1.2M €)', EURO, '-1200000'],
    ['2 thousands of EUR', EURO, '2000'],
    ['3 Mrd.', EURO, '3000000000'],
    ['5 billion', EURO, '5000000000'],
    ['1.5 млн', EURO, '1500000'],
    ['12万', NUMBER, '120000'],
    ['€ 12.50', EURO, '12.5'],
    ['1,200,000', EURO, '1200000'],
    ['3,5', EURO, '3.5'],
    ['1 Cr', RUPEES, '10000000'],
    ['₹2 lakh', RUPEES, '200000'],
    ['5L', RUPEES, '500000'],
    ['1.2M €', THOUSANDS, '1200'],
    ['900k', THOUSANDS, '900'],
    ['1200000 €', THOUSANDS, '1200'],
    ['€ 500', THOUSANDS, '0.5'],
    ['500', THOUSANDS, '500'],
    ['500 Euro', THOUSANDS, '0.5'],
    ['500 EUR', unitNamed('Mio. €'), '0.0005'],
    ['900 k€', THOUSANDS, '900'],
    ['500k', unitNamed('Mio. €'), '0.5'],
    ['12 h', HOURS, '12'],
    ['7,5 Std.', HOURS, '7.5'],
    ['12 hours', HOURS, '12'],
    ['5,200 kWh', NUMBER, '5,200 or 5.2; write 5200 or 5.2'],
    ['1,200,000 kWh', POWER, '1200000'],
    ['5 m', METRES, '5'],
    ['5M kWh', POWER, '5000000'],
    ['5k', HOURS, '5000'],
    ['1.2M', unitNamed('pcs'), '1200000'],
    ['5 mm', EURO, '5000000'],
    ['5M', METRES, '5,000,000 (million) or 5 (min or m); write 5000000 or 5'],
    ['12 boxes', unitNamed('Boxes'), '12'],
    ['12 €/kg', unitNamed('€/kg'), '12'],
    ['12 m²', unitNamed('m²'), '12'],
    ['12 m2', unitNamed('sqm'), '12'],
    ['+5 %', PERCENT, '5'],
    ['5%', unitNamed('%'), '5'],
    ['5%', measureOf('Share (%)', { name: 'Number', display_format: '#', is_percentage: false }), '5'],
    ['5%', measureOf('Plan', undefined), '5'],
  ])('%s is read by its unit', (text, measure, value) => {
    expect(read(text, measure)?.replace(/^is /, '')).toBe(value)
  })

  test.each<[text: string, measure: Measure, message: string]>([
    ['12 kg', EURO, 'is in kg, and Plan is in EUR: '],
    ['1.2M $', EURO, 'is in $, and Plan is in EUR: '],
    ['$ 100', EURO, 'is in $, and Plan is in EUR: '],
    ['90 min', HOURS, 'is in min, and Plan is in h (unit Hours): '],
    ['3 MWh', POWER, 'is in MWh, and Plan is in kWh: '],
    ['12 €', POWER, 'is in €, and Plan is in kWh: '],
    ['90 m', HOURS, 'is in m, and Plan is in h (unit Hours): '],
    ['12 mm', METRES, 'is in mm, and Plan is in min or m: '],
    ['12 MM', METRES, 'is in MM, and Plan is in min or m: '],
    ['5 m', unitNamed('mm'), 'is in m, and Plan is in mm: '],
    ['5 mm', unitNamed('min'), 'is in mm, and Plan is in min: '],
    ['5 L', unitNamed('hl'), 'is in L, and Plan is in hl: '],
    ['12 M', unitNamed('months'), 'is in M, and Plan is in month (unit months): '],
    ['5 T', unitNamed('kg'), 'is in T, and Plan is in kg: '],
    ['12k', PERCENT, 'is in k, and Plan is a percentage: '],
    ['+5 %', NUMBER, 'is a percentage, and the unit Number of Plan is not: '],
    ['5%', EURO, 'is a percentage, and the unit EUR of Plan is not: '],
  ])('%s in another unit is refused by both names', (text, measure, message) => {
    expect(read(text, measure)).toContain(message)
  })

  test.each<[text: string, measure: Measure, message: string]>([
    ['1 Cr', EURO, 'is 10,000,000 (crore) or -1 (credit); write 10000000 or -1'],
    ['5T', EURO, 'is 5,000 (thousand) or 5,000,000,000,000 (trillion); '],
    ['2 mil', EURO, 'is 2,000 (thousand) or 2,000,000 (million); '],
    ['5 m', NUMBER, 'is 5,000,000 (million) or 5 (min or m); '],
    ['5 miles', NUMBER, 'is 5,000 (thousand) or 5 (mi); '],
    ['2,5 Billion', EURO, 'is 2,500,000,000 (billion) or 2,500,000,000,000 (trillion); '],
    ['5.200 kWh', POWER, 'is 5.2 or 5,200; write 5.2 or 5200'],
  ])('%s that can mean two things is refused with both', (text, measure, message) => {
    expect(read(text, measure)).toContain(message)
  })

  test.each(['12 apples', 'ten', '5-20 h', '5 h 30 min', '1.2.3M', 'M', '1.2 M k€', '12 kg kg h'])(
    '%s is no number',
    (text) => {
      expect(read(text, NUMBER)).toBeUndefined()
    },
  )

  test('is said as it was read, with the unit where that has a scale', () => {
    expect(readWrittenNumber('1.2M €', [EURO])).toMatchObject({ shown: '"1.2M €" is read as 1,200,000' })
    expect(readWrittenNumber('1.2M €', [THOUSANDS])).toMatchObject({ shown: '"1.2M €" is read as 1,200 (k€)' })
  })

  test('of several KPIs must be the same by all of their units', () => {
    expect(readWrittenNumber('12k', [EURO, THOUSANDS])).toMatchObject({
      message: 'is 12000 or 12, as units differ; name each KPI on a line of its own',
    })
    expect(readWrittenNumber('12k', [EURO, RUPEES])).toMatchObject({ value: 120_000_000n })
  })
})

test.each([
  ['a name with another word at its end', 'Umsatz Bio', 0],
  ['a word in brackets that is no scale', 'Milk (Bio)', 0],
  ['a currency with a scale', 'Revenue (k€)', 3],
  ['a scale', 'Revenue (thousands)', 3],
  ['thousands written with noughts', 'Revenue (000)', 3],
  ['words after in', 'Umsatz in Mio. €', 6],
  ['a last word that is a currency with its scale', 'Umsatz TEUR', 3],
])('%s says how a KPI is counted', (_, name, power) => {
  expect(measureOf(name, undefined).power).toBe(power)
})

test.each([
  ['crore', 7, false],
  ['1000', 3, false],
  ['1', 0, false],
  ['-1', 0, true],
  ['credit', 0, true],
])('the scale %s', (text, power, isNegated) => {
  expect(scaleNamed(text)).toMatchObject({ power, isNegated })
})

test.each(['', '2', 'foo', '1e3', '-', '10000000000000000'])('%j is no scale', (text) => {
  expect(scaleNamed(text)).toBeInstanceOf(Fault)
})
