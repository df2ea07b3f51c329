import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digitsBeyond, divideRounded, formatDecimal, parseDecimal } from '../../../src/domain/decimal.ts'
import { percentOfFraction } from '../../../src/reading/directory/percentages.ts'

test('a fraction as a percentage is a hundred times as much, rounded once', () => {
  const texts = fc.tuple(fc.integer({ min: -99_999_999, max: 99_999_999 }), fc.integer({ min: 0, max: 12 }))
  fc.assert(
    fc.property(texts, ([units, decimals]) => {
      const text = `${units}e-${decimals}`
      const value = parseDecimal(text)?.value ?? 0n
      const found = percentOfFraction({ value, beyond: digitsBeyond(text) })
      const exact = BigInt(units) * 10n ** BigInt(20 - decimals) * 100n
      expect(formatDecimal(found.value)).toBe(formatDecimal(divideRounded(exact, 10n ** 16n)))
      expect(found.rounded).toBe(exact % 10n ** 16n !== 0n)
    }),
  )
})
