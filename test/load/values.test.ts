import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Fault } from '../../src/domain/errors.ts'
import { readDateCell, readNumberCell, remember } from '../../src/load/values.ts'

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
    expect(readNumberCell(text)).toEqual({ value, rounded })
  })

  test.each(['x', '-', '.', '1,5', '1 000', '+5', '5%', '£5', '0x10', 'NaN', 'Infinity', '1e', '٣', '--1'])(
    'is not "%s"',
    (text) => {
      expect(readNumberCell(text)).toEqual(new Fault(`"${text}" must be a number`))
    },
  )

  test.each(['100000000000000', '-123456789012345.5', '99999999999999.99995', '1e14', '1e999999'])(
    'of more than 14 digits before the point is refused: %s',
    (text) => {
      expect(readNumberCell(text)).toEqual(new Fault(`"${text}" must have at most 14 digits before the decimal point`))
    },
  )

  const digits = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
    fc.string({ unit: fc.integer({ min: 0, max: 9 }).map(String), minLength, maxLength })

  test('is rounded half away from zero to four decimals, whatever its length', () => {
    fc.assert(
      fc.property(fc.constantFrom('', '-'), digits(1, 13), digits(0, 20), (sign, whole, fraction) => {
        const kept = BigInt(whole + fraction.slice(0, 4).padEnd(4, '0'))
        const magnitude = (fraction[4] ?? '0') >= '5' ? kept + 1n : kept
        expect(readNumberCell(sign + whole + (fraction === '' ? '' : `.${fraction}`))).toEqual({
          value: sign === '' ? magnitude : -magnitude,
          rounded: /[1-9]/.test(fraction.slice(4)),
        })
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a date', () => {
  test.each<[text: string, day: number]>([
    ['1970-01-01', 0],
    ['2024-02-29', 19_782],
    ['2026-11-21T00:00:00', 20_778],
  ])('is read: %s', (text, day) => {
    expect(readDateCell(text)).toBe(day)
  })

  test.each([
    ['2026-02-29', 'is a date that does not exist'],
    ['2026-13-01', 'is a date that does not exist'],
    ['2026-11-21T10:00:00', 'must be a date, YYYY-MM-DD'],
    ['21.11.2026', 'must be a date, YYYY-MM-DD'],
    ['2026-1-2', 'must be a date, YYYY-MM-DD'],
    ['46347', 'must be a date, YYYY-MM-DD'],
    ['1899-12-31', 'must be in the years 1900 to 2199'],
    ['2200-01-01', 'must be in the years 1900 to 2199'],
  ])('is refused with the reason: %s', (text, reason) => {
    expect(readDateCell(text)).toEqual(new Fault(`"${text}" ${reason}`))
  })
})

describe('what was read of a text', () => {
  const read = (text: string): string | Fault => (text === 'a' ? new Fault(text) : text.toUpperCase())
  const texts = fc.array(fc.constantFrom('a', 'b', 'c', 'd'))

  test('is remembered, faults too', () => {
    fc.assert(
      fc.property(texts, (given) => {
        const asked: string[] = []
        const remembered = remember((text) => {
          asked.push(text)
          return read(text)
        })
        expect(given.map(remembered)).toEqual(given.map(read))
        expect(asked).toEqual([...new Set(given)])
      }),
    )
  })

  test('is read again where too much would have to be remembered', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 3 }), (given, limit) => {
        expect(given.map(remember(read, limit))).toEqual(given.map(read))
      }),
    )
  })
})
