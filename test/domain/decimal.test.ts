import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  decimalOfNumber,
  digitsBeyond,
  divideRounded,
  exactNumber,
  fits,
  formatDecimal,
  formatFixed,
  parseDecimal,
  addExact,
  exactDecimal,
  isLarger,
  roundExact,
} from '../../src/domain/decimal.ts'

const LARGEST = 99_999_999_999_999_9999n

/** Any decimal that may be stored. */
const decimals = fc.bigInt({ min: -LARGEST, max: LARGEST })

/** Rounds a written number as pupils do: cut after the fourth place, and add one there when the fifth digit is 5 or more. */
const schoolbook = (text: string): bigint => {
  const [, sign, whole = '', fraction = '', exponent = '0'] = /^(-?)(\d*)\.?(\d*)(?:e(.*))?$/i.exec(text) ?? []
  const moved = Number(exponent) + 4
  const left = '0'.repeat(Math.max(0, -moved)) + whole
  const right = fraction + '0'.repeat(Math.max(0, moved) + 1)
  const digits = left + right
  const point = left.length + moved
  const magnitude = BigInt(digits.slice(0, point) || '0') + ((digits[point] ?? '0') >= '5' ? 1n : 0n)
  return sign === '-' ? -magnitude : magnitude
}

describe('a decimal', () => {
  test.each([
    ['0', 0n],
    ['-0', 0n],
    ['007', 7_0000n],
    ['50', 50_0000n],
    ['0.1', 1000n],
    ['.5', 5000n],
    ['5.', 5_0000n],
    ['-12.3456', -12_3456n],
    ['1e3', 1000_0000n],
    ['1E+3', 1000_0000n],
    ['12.5e-1', 1_2500n],
    ['1.5e-4', 2n],
    ['99999999999999.9999', LARGEST],
    ['-99999999999999.9999', -LARGEST],
    ['0e999999999', 0n],
    ['1e-999999999', 0n],
    ['-1e-999999999', 0n],
    ['0.00000000000000000001e20', 1_0000n],
    ['10000000000000000000000e-20', 100_0000n],
  ])('is read from %s', (text, value) => {
    expect(parseDecimal(text)?.value).toBe(value)
  })

  test.each([
    ['fraction digits', `0.${'3'.repeat(10_000_000)}`, 3333n],
    ['zeros', `${'0'.repeat(10_000_000)}1`, 1_0000n],
    ['digits, most of them behind the point', `${'1'.repeat(10_000_000)}e-9999999`, 1_1111n],
    ['digits of an exponent', `1e-${'9'.repeat(10_000_000)}`, 0n],
  ])('is read from ten million %s', (_, text, value) => {
    expect(parseDecimal(text)?.value).toBe(value)
  })

  test.each(
    [
      '',
      ' ',
      '-',
      '.',
      '-.',
      'e5',
      '.e5',
      '+1',
      '--1',
      '1e',
      '1e+',
      '1,5',
      '1 000',
      '1.2.3',
      '1_000',
      ' 1',
      '1\n',
    ].concat(['0x10', '1n', 'NaN', 'Infinity', '\u0661', '\uff11', '\u22121', '50%']),
  )('is not read from %j', (text) => {
    expect(parseDecimal(text)).toBeUndefined()
  })

  test.each([
    ['0.00004', 0n],
    ['0.00005', 1n],
    ['-0.00005', -1n],
    ['0.000049999999999999999999', 0n],
    ['1.00005', 1_0001n],
    ['1.00015', 1_0002n],
    ['-1.00015', -1_0002n],
    ['2.99995', 3_0000n],
    ['0.99994999', 9999n],
  ])('%s is rounded half away from zero to four places, and says so', (text, value) => {
    expect(parseDecimal(text)).toEqual({ value, rounded: true })
  })

  test.each(['1.00000', '1.0000000000000000', '0.00000', '123.45670', '12345e-4'])('%s is not rounded', (text) => {
    expect(parseDecimal(text)?.rounded).toBe(false)
  })

  test.each([
    ['99999999999999.9999', true],
    ['-99999999999999.9999', true],
    ['99999999999999.99994', true],
    ['99999999999999.99995', false],
    ['-99999999999999.99995', false],
    ['100000000000000', false],
    ['-100000000000000', false],
    ['1e14', false],
    ['1e13', true],
    ['1e999999999', false],
    ['-1e999999999', false],
  ])('%s fits 14 integer digits, also after rounding: %s', (text, expected) => {
    expect(fits(parseDecimal(text)?.value ?? 0n)).toBe(expected)
  })

  test('is read from any way to write a number as pupils round it', () => {
    const written = fc.tuple(
      fc.constantFrom('', '-'),
      fc.bigInt({ min: 0n, max: 10n ** 22n }),
      fc.stringMatching(/^\d{0,12}$/),
      fc.option(fc.integer({ min: -25, max: 25 }), { nil: undefined }),
    )
    fc.assert(
      fc.property(written, ([sign, whole, fraction, exponent]) => {
        const point = fraction === '' ? '' : `.${fraction}`
        const text = `${sign}${whole}${point}${exponent === undefined ? '' : `e${exponent}`}`
        expect(parseDecimal(text)?.value).toBe(schoolbook(text))
      }),
      { numRuns: 3000 },
    )
  })

  test.each([
    [0n, '0', '0.0000'],
    [50_0000n, '50', '50.0000'],
    [1000n, '0.1', '0.1000'],
    [-1n, '-0.0001', '-0.0001'],
    [100_0000n, '100', '100.0000'],
    [LARGEST, '99999999999999.9999', '99999999999999.9999'],
    [-90_000_000_000_000_0000n, '-90000000000000', '-90000000000000.0000'],
    [12_345_678_901_234_5600n, '12345678901234.56', '12345678901234.5600'],
  ])('%s ten-thousandths are written as %s, in full as %s', (value, short, full) => {
    expect([formatDecimal(value), formatFixed(value)]).toEqual([short, full])
  })

  test('comes back from its text, short or full, digit for digit', () => {
    fc.assert(
      fc.property(decimals, (value) => {
        const exactly = { value, rounded: false }
        expect([parseDecimal(formatDecimal(value)), parseDecimal(formatFixed(value))]).toEqual([exactly, exactly])
        expect(formatDecimal(value)).toMatch(/^(0|-?(0|[1-9]\d*)\.\d{0,3}[1-9]|-?[1-9]\d*)$/)
      }),
      { numRuns: 3000 },
    )
  })

  test('loses nothing in a sum', () => {
    const sum = (texts: readonly string[]): string =>
      formatDecimal(texts.reduce((total, text) => total + (parseDecimal(text)?.value ?? 0n), 0n))
    expect(sum(Array<string>(10_000).fill('0.1'))).toBe('1000')
    expect(sum(['0.1', '0.2'])).toBe('0.3')
    expect(sum(['99999999999999', '0.9999', '-99999999999998'])).toBe('1.9999')
    expect(sum(['1e13', '0.0001', '-1e13'])).toBe('0.0001')
  })

  test('is added up with all of its digits, and the sum rounded once', () => {
    const number = fc
      .record({ units: fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), decimals: fc.integer({ min: 0, max: 30 }) })
      .map(({ units, decimals: count }) => ({ text: `${units}e-${count}`, units: units * 10n ** BigInt(30 - count) }))
    fc.assert(
      fc.property(fc.array(number), (numbers) => {
        const summands = numbers.map(({ text }) => {
          const { value, rounded } = parseDecimal(text) ?? { value: 0n, rounded: false }
          return { value, beyond: rounded ? digitsBeyond(text) : '' }
        })
        const exact = numbers.reduce((total, { units }) => total + units, 0n)
        const all = summands.map(({ value, beyond }) => exactDecimal(value, beyond))
        const sum = all.reduce(addExact, { units: 0n, width: 0 })
        expect(roundExact(sum)).toBe(divideRounded(exact, 10n ** 26n))
        expect(roundExact(sum, 7)).toBe(divideRounded(exact, 7n * 10n ** 26n))
        for (const one of all) expect(isLarger(addExact(one, { units: 1n, width: 40 }), one)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a division', () => {
  test.each([
    [10n, 4n, 3n],
    [-10n, 4n, -3n],
    [10n, -4n, -3n],
    [-10n, -4n, 3n],
    [10n, 3n, 3n],
    [11n, 3n, 4n],
    [1n, 2n, 1n],
    [1n, 3n, 0n],
    [0n, -7n, 0n],
  ])('of %s by %s is %s', (dividend, divisor, quotient) => {
    expect(divideRounded(dividend, divisor)).toBe(quotient)
  })

  test('is never further off than half, and exactly half goes away from zero', () => {
    const size = (value: bigint): bigint => (value < 0n ? -value : value)
    fc.assert(
      fc.property(fc.bigInt(), fc.bigInt({ min: -1000n, max: 1000n }), (dividend, divisor) => {
        fc.pre(divisor !== 0n)
        const product = divideRounded(dividend, divisor) * divisor
        const off = size(dividend - product) * 2n
        expect(off < size(divisor) || (off === size(divisor) && size(product) > size(dividend))).toBe(true)
      }),
      { numRuns: 3000 },
    )
  })
})

describe('a double', () => {
  test.each([
    [0, 0n, false],
    [-0, 0n, false],
    [0.1, 1000n, false],
    [0.1 + 0.2, 3000n, true],
    [1.00005, 1_0001n, true],
    [-2.5, -2_5000n, false],
    [1e-7, 0n, true],
    [99999999999.9999, 99_999_999_999_9999n, false],
    [5e-324, 0n, true],
  ])('%s is taken as the decimal that it was written as', (number, value, rounded) => {
    expect(decimalOfNumber(number)).toEqual({ value, rounded })
  })

  test.each([NaN, Infinity, -Infinity])('that is %s is no decimal', (number) => {
    expect(decimalOfNumber(number)).toBeUndefined()
  })

  test('is taken as its shortest text, also beside a four-place number', () => {
    const near = fc
      .tuple(fc.bigInt({ min: -(10n ** 16n), max: 10n ** 16n }), fc.integer({ min: -3, max: 3 }))
      .map(([units, steps]) => (Number(units) / 10_000) * (1 + steps * Number.EPSILON))
    const moderate = fc.double({ noNaN: true, min: -1e15, max: 1e15 })
    fc.assert(
      fc.property(fc.oneof(near, moderate), (number) => {
        expect(decimalOfNumber(number)?.value).toBe(schoolbook(String(number)))
      }),
      { numRuns: 5000 },
    )
  })

  test('names a decimal of up to 15 digits, and none that it could only come near', () => {
    expect(exactNumber(99_999_999_999_9999n)).toBe(99999999999.9999)
    expect(exactNumber(-99_999_999_999_9999n)).toBe(-99999999999.9999)
    expect(exactNumber(LARGEST)).toBeUndefined()
    fc.assert(
      fc.property(fc.oneof(decimals, fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n })), (value) => {
        const number = exactNumber(value)
        fc.pre(number !== undefined)
        expect(schoolbook(String(number))).toBe(value)
        expect(decimalOfNumber(number ?? NaN)).toEqual({ value, rounded: false })
      }),
      { numRuns: 3000 },
    )
  })
})
