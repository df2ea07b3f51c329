import { describe, expect, test } from 'vitest'
import { builtInFormat, describeFormat } from '../../../src/tabular/workbook/number-format.ts'

describe('the currency that a number format shows', () => {
  test.each([
    ['"$"#,##0.00', '$'],
    ['"$"#,##0.00_);[Red]\\("$"#,##0.00\\)', '$'],
    ['_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)', '$'],
    ['$#,##0', '$'],
    ['\\$0', '$'],
    ['[$€-407] #,##0.00', '€'],
    ['#,##0.00\\ [$€-407]', '€'],
    ['#,##0.00 "€"', '€'],
    ['_-* #,##0.00 €_-', '€'],
    ['#,##0.00\\ "zł"', 'zł'],
    ['"R$" #,##0.00', 'R$'],
    ['[$R$-416] #,##0.00', 'R$'],
    ['"CHF" 0.00', 'CHF'],
    ['0.00" USD"', 'USD'],
    ['0.00 EUR', 'EUR'],
    ['"Fr. "0.00', 'Fr.'],
    ['0.0,, "Mio. €"', '€'],
    ['0 "EUR/kg"', 'EUR'],
    ['[$XOF] 0', 'XOF'],
    ['[$KSh-441]#,##0', 'KSh'],
    ['[>=1000]"£"#,##0;"£"0', '£'],
    ['"$"General', '$'],
    // The same sign, of other countries.
    ['[$$-409]#,##0.00', '$'],
    ['[$$-en-US]#,##0.00', '$'],
    ['[$$-1009]#,##0.00', 'CAD'],
    ['[$$-C09]#,##0.00', 'AUD'],
    ['[$$-en-AU]#,##0.00', 'AUD'],
    ['#,##0 [$kr-414]', 'NOK'],
    ['#,##0 [$kr-41D]', 'SEK'],
    ['#,##0 [$kr.-406]', 'DKK'],
    ['[$¥-804]0', 'CNY'],
    ['[$¥-411]0', '¥'],
    // None.
    ['General', ''],
    ['#,##0.00', ''],
    ['0.00E+00', ''],
    ['#,##0 "days"', ''],
    ['0.0,,"M"', ''],
    ['[Red]#,##0', ''],
    ['[$-407]#,##0', ''],
    ['0;"$"0', ''],
    ['"', ''],
    [`[$${'x'.repeat(50)}]0`, ''],
  ])('%s is %s', (code, currency) => {
    expect(describeFormat(code)).toEqual({ kind: 'number', currency })
  })

  test.each([5, 6, 7, 8, 42, 44])('of the built-in format %i is that of the computer', (id) => {
    expect(builtInFormat(id)).toEqual({ kind: 'number', currency: '¤' })
  })

  test.each([0, 1, 4, 37, 41, 43])('of the built-in format %i is none', (id) => {
    expect(builtInFormat(id)).toEqual({ kind: 'number', currency: '' })
  })

  test('is none of dates and percentages', () => {
    expect(describeFormat('[$-407]d. mmmm yyyy')).toEqual({ kind: 'date', currency: '' })
    expect(describeFormat('0.0%')).toEqual({ kind: 'percent', currency: '' })
  })
})

test.each(['0.0"%"', '0.0\\%', '0.0 " % "'])('%s shows a number beside a percent sign as it is', (code) => {
  expect(describeFormat(code)).toEqual({ kind: 'sign', currency: '' })
})
