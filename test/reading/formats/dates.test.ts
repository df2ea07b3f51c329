import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Fault } from '../../../src/domain/errors.ts'
import { readDateCell, memoize } from '../../../src/reading/formats/date-format.ts'

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
    ['2026-11-21T10:00:00', 'has a time of day other than midnight in UTC; send the date alone, YYYY-MM-DD'],
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
        const remembered = memoize((text) => {
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
        expect(given.map(memoize(read, limit))).toEqual(given.map(read))
      }),
    )
  })
})
