import { expect, test } from 'vitest'
import { parseDecimal } from '../../src/domain/decimal.ts'
import { addingUp, formatByPattern, readNumberPattern, unrounded } from '../../src/domain/number-pattern.ts'

test.each([
  ['#', '1234.5', '1235'],
  ['#', '-0.4', '0'],
  ['#.00', '0.005', '0.01'],
  ['#.00', '-1234.5', '-1234.50'],
  ['#.##', '3.10', '3.1'],
  ['#.0#', '3', '3.0'],
  ['#.00%', '45', '45.00%'],
  ['£ #.00', '-2', '-£ 2.00'],
  ['#,##0.00 €', '1234567.891', '1,234,567.89 €'],
  ['#.000000', '1.5', '1.5000'],
  ['text', '1.5', '1.5'],
  ['', '99999999999999.9999', '99999999999999.9999'],
])('pattern "%s" shows %s as %s', (pattern, value, shown) => {
  expect(formatByPattern(parseDecimal(value)?.value ?? 0n, readNumberPattern(pattern))).toBe(shown)
})

test.each([
  ['#', '40', '33', '40', '33', '7'],
  ['#', '40.25', '32.75', '40.3', '32.8', '7.5'],
  ['#', '40.5', '32.5', '41', '33', '8'],
  ['#.00', '1.005', '0.001', '1.005', '0.001', '1.004'],
  ['#', '-1.4', '1.4', '-1.4', '1.4', '-2.8'],
])('pattern "%s" shows %s less %s as %s less %s is %s', (pattern, value, other, ...shown) => {
  const [one, two] = [value, other].map((text) => parseDecimal(text)?.value ?? 0n) as [bigint, bigint]
  const added = addingUp(readNumberPattern(pattern), one, two)
  expect([one, two, one - two].map((each) => formatByPattern(each, added))).toEqual(shown)
})

test.each([
  ['#', '1234.5', '1234.5'],
  ['#.00', '1', '1.00'],
  ['#.00', '0.0050', '0.005'],
  ['€ #,##0.0', '-1234.5678', '-€ 1,234.5678'],
])('pattern "%s" that rounds nothing shows %s as %s', (pattern, value, shown) => {
  expect(formatByPattern(parseDecimal(value)?.value ?? 0n, unrounded(readNumberPattern(pattern)))).toBe(shown)
})

test('the signs of a language group thousands, whether the pattern does or not, but not decimals', () => {
  const signs = { group: (digits: string) => digits.replace(/(?=\d{3}$)/, '’'), decimal: ',' }
  const shown = (pattern: string): string => formatByPattern(-12_345_6789n, readNumberPattern(pattern), signs)
  expect(['#.0000', '#,##0.0 Fr', '#'].map(shown)).toEqual(['-12’345,6789', '-12’345,7 Fr', '-12’346'])
})
