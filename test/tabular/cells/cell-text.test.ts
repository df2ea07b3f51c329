import fc from 'fast-check'
import { expect, test } from 'vitest'
import { numberText, percentText, plainNumberText, serialDateText } from '../../../src/tabular/cells/cell-text.ts'

const doubles = fc.double({ noNaN: true, min: -1e300, max: 1e300 })

test('any number is written with all of its digits, and read back as the same', () => {
  fc.assert(
    fc.property(doubles, (number) => {
      const text = plainNumberText(String(number))
      expect(text).toMatch(/^-?\d+(?:\.\d+)?$/)
      expect(Number(text)).toBe(number === 0 ? 0 : number)
    }),
  )
})

test('any number of a sheet is what a spreadsheet shows of it at 15 digits', () => {
  fc.assert(
    fc.property(doubles, (number) => {
      const [read, shown] = [Number(numberText(String(number))), Number(number.toPrecision(15))]
      expect(Math.abs(read - shown)).toBeLessThanOrEqual(Math.abs(shown) * 1e-14)
    }),
  )
})

test('no number could be one with a thousands separator', () => {
  fc.assert(
    fc.property(fc.integer({ min: -999_999, max: 999_999 }), (thousandths) => {
      expect(numberText(String(thousandths / 1000))).not.toMatch(/^-?[1-9]\d{0,2}\.\d{3}$/)
    }),
  )
})

test('any share is a hundred times its number', () => {
  fc.assert(
    fc.property(fc.integer({ min: -10_000_000, max: 10_000_000 }), (millionths) => {
      const text = percentText(String(millionths / 1_000_000))
      expect(text.endsWith('%')).toBe(true)
      expect(Math.round(Number(text.slice(0, -1)) * 10_000)).toBe(millionths + 0)
    }),
  )
})

test('any day is the one that the calendar has so many days later', () => {
  fc.assert(
    fc.property(fc.integer({ min: 61, max: 2_958_465 }), fc.integer({ min: 0, max: 86_399 }), (serial, second) => {
      const instant = new Date((serial - 25_569) * 86_400_000 + second * 1000).toISOString()
      const [day, time] = [instant.slice(0, 10), instant.slice(11, 19)]
      const stored = String(serial + second / 86_400)
      expect(serialDateText(stored, false)).toBe(second === 0 ? day : `${day} ${time}`)
    }),
  )
})

test.each(['', '-', '.', 'e5', '1e', '1.2.3', 'Infinity', '1e9999', '0x10', '9'.repeat(900)])(
  '%s stays as it is',
  (text) => {
    expect([numberText(text), percentText(text), serialDateText(text, false)]).toEqual([text, text, text])
  },
)
