import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatDecimal } from '../../../src/domain/decimal.ts'
import { Fault } from '../../../src/domain/errors.ts'
import { stripAffixes } from '../../../src/domain/numbers/affixed-number.ts'
import { type DecimalSign, type NumberCell, readAffixedNumber } from '../../../src/domain/numbers/read-number.ts'
import { faultOfNumber, withText } from '../../../src/reading/formats/number.ts'

/** Reads a number as a column whose decimal sign is known does. */
const readNumber = (text: string, sign: DecimalSign): NumberCell | Fault => {
  const affixed = stripAffixes(text)
  return withText(text, (affixed && readAffixedNumber(affixed, sign)) ?? faultOfNumber(text, sign))
}

describe('a number', () => {
  test.each<[text: string, value: bigint, rounded: boolean]>([
    ['0', 0n, false],
    ['-0', 0n, false],
    ['5', 5_0000n, false],
    ['-5.25', -5_2500n, false],
    ['.5', 5000n, false],
    ['7.', 7_0000n, false],
    ['0.0001', 1n, false],
    ['1.50000', 1_5000n, false],
    ['1e3', 1000_0000n, false],
    ['1.23456', 1_2346n, true],
    ['0.00005', 1n, true],
    ['-0.00005', -1n, true],
    ['0.00004999', 0n, true],
    ['17.953321364452425', 17_9533n, true],
    ['99999999999999.9999', 99_999_999_999_999_9999n, false],
    ['00000000000000000012', 12_0000n, false],
  ])('reads %s exactly', (text, value, rounded) => {
    expect(readNumber(text, '.')).toMatchObject({ value, rounded })
  })

  test.each<[text: string, sign: DecimalSign, shown: string]>([
    // Thousands: comma, point, spaces of all widths, apostrophes, Indian groups.
    ['1,234.5', '.', '1234.5'],
    ['1.234,5', ',', '1234.5'],
    ['1.234.567', ',', '1234567'],
    ['1,234,567', '.', '1234567'],
    ['1 234,5', ',', '1234.5'],
    ['1 234.5', '.', '1234.5'],
    ['1\u00a0234\u00a0567,89', ',', '1234567.89'],
    ['1\u202f234,5', ',', '1234.5'],
    ["1'234.50", '.', '1234.5'],
    ['1’234’567.5', '.', '1234567.5'],
    ['12,34,567.89', '.', '1234567.89'],
    ['1,23,456', '.', '123456'],
    // Signs.
    ['+5', '.', '5'],
    ['−5,5', ',', '-5.5'],
    ['–5', '.', '-5'],
    ['5-', '.', '-5'],
    ['1.234,50-', ',', '-1234.5'],
    ['(1.234,50)', ',', '-1234.5'],
    ['( 5 )', '.', '-5'],
    // Percent and currency, on either side, as locales have it.
    ['12.34 %', '.', '12.34'],
    ['12,5%', ',', '12.5'],
    ['12,5\u00a0%', ',', '12.5'],
    ['%12,5', ',', '12.5'],
    ['€ 5', '.', '5'],
    ['5,00 €', ',', '5'],
    ['-€5', '.', '-5'],
    ['€ -5', '.', '-5'],
    ['€-5', '.', '-5'],
    ['-5,00 €', ',', '-5'],
    ['5,00- €', ',', '-5'],
    ['(€5.00)', '.', '-5'],
    ['€(5.00)', '.', '-5'],
    ['($1,234.50)', '.', '-1234.5'],
    ['£1,234', '.', '1234'],
    ['1 234 zł', ',', '1234'],
    ['1 234,50 kr', ',', '1234.5'],
    ['kr. 1.234,50', ',', '1234.5'],
    ["CHF 1'234.50", '.', '1234.5'],
    ['CHF-5', '.', '-5'],
    ['R$ 1.234,50', ',', '1234.5'],
    ['USD 5', '.', '5'],
    ['5EUR', '.', '5'],
    ['₹ 12,34,567.00', '.', '1234567'],
    // Exponents, as spreadsheets write what is long.
    ['1.2E+05', '.', '120000'],
    ['1,2E+05', ',', '120000'],
    ['1.23457E+11', '.', '123457000000'],
    ['1.5E-03', '.', '0.0015'],
    ['1.5E−03', '.', '0.0015'],
    ['-5E2', '.', '-500'],
    [',5', ',', '0.5'],
    ['7,', ',', '7'],
  ])('is understood as it is written: %s with %s is %s', (text, sign, expected) => {
    const cell = readNumber(text, sign)
    expect(cell instanceof Fault ? cell.message : formatDecimal(cell.value)).toBe(expected)
  })

  test.each([
    'x',
    '0x10',
    'Infinity',
    '1e',
    '٣',
    '--1',
    '1.2.3',
    '12 34',
    '1 2',
    '12,34',
    '1,2345',
    '0,123,456',
    ',123',
    '5,-',
    '5.-',
    '5.–',
    '+-5',
    '-(5)',
    '(-5)',
    '(5',
    '5)',
    '5+',
    '5 % %',
    '5 €%',
    '€5€',
    '5‰',
    '1.2,3',
    "1'23",
    '1 234,567.8 x',
    '1,234E5',
    "1'234,567",
    '=5',
    '="5"',
    "'5",
    'TRUE',
    '1/2',
    '5 apples',
    '1_000',
    '½',
    '5:30',
    '1234,567',
    '1,,234',
    '1, 234',
    '01,234',
  ])('with a decimal point is not "%s"', (text) => {
    expect(readNumber(text, '.')).toBeInstanceOf(Fault)
  })

  test.each([
    ['-', 'stands for no value; leave the cell empty'],
    ['–', 'stands for no value; leave the cell empty'],
    ['n/a', 'stands for no value; leave the cell empty'],
    ['NULL', 'stands for no value; leave the cell empty'],
    ['NaN', 'stands for no value; leave the cell empty'],
    ['#N/A', 'is an error of the spreadsheet, not a value'],
    ['#REF!', 'is an error of the spreadsheet, not a value'],
    ['#DIV/0!', 'is an error of the spreadsheet, not a value'],
    ['#NV', 'is an error of the spreadsheet, not a value'],
    ['#BEZUG!', 'is an error of the spreadsheet, not a value'],
    ['Err:502', 'is an error of the spreadsheet, not a value'],
    ['#######', 'is what a spreadsheet shows in a column that is too narrow'],
    ['1.234,5', 'has a decimal comma, where numbers have a decimal point'],
    ['x', 'must be a number'],
  ])('that is none says why: %s', (text, reason) => {
    expect(readNumber(text, '.')).toEqual(new Fault(`"${text}" ${reason}`))
  })

  test.each(['100000000000000', '-123456789012345.5', '99999999999999.99995', '1e14', '1e999999'])(
    'of more than 14 digits before the point is refused: %s',
    (text) => {
      expect(readNumber(text, '.')).toEqual(new Fault(`"${text}" must have at most 14 digits before the decimal point`))
    },
  )

  const digits = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
    fc.string({ unit: fc.integer({ min: 0, max: 9 }).map(String), minLength, maxLength })

  test('is rounded half away from zero to four decimals, whatever its length', () => {
    fc.assert(
      fc.property(fc.constantFrom('', '-'), digits(1, 13), digits(0, 20), (sign, whole, fraction) => {
        const kept = BigInt(whole + fraction.slice(0, 4).padEnd(4, '0'))
        const magnitude = (fraction[4] ?? '0') >= '5' ? kept + 1n : kept
        expect(readNumber(sign + whole + (fraction === '' ? '' : `.${fraction}`), '.')).toMatchObject({
          value: sign === '' ? magnitude : -magnitude,
          rounded: /[1-9]/.test(fraction.slice(4)),
        })
      }),
      { numRuns: 2000 },
    )
  })
})
