import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Decimal, divideRounded, fits } from '../../../src/domain/decimal.ts'
import { Fault } from '../../../src/domain/errors.ts'
import { measureOf } from '../../../src/domain/numbers/measure.ts'
import { createNumberColumn } from '../../../src/reading/detect/number-column.ts'
import { NumberWords } from '../../../src/reading/formats/number-words.ts'
import { createUnits } from '../../../src/reading/detect/units.ts'

/** A scale as a writer means it: its word, and the power of ten, or that it makes a number negative. */
type Meant = { readonly word: string; readonly power: number; readonly isNegated?: true }

const SCALES: readonly Meant[] = [
  { word: '', power: 0 },
  ...Object.entries({ k: 3, K: 3, 'Tsd.': 3, thousand: 3, T: 3, mil: 3, тыс: 3, 万: 4, lakh: 5, L: 5 }).map(
    ([word, power]) => ({ word, power }),
  ),
  ...Object.entries({ M: 6, MM: 6, m: 6, mm: 6, 'Mio.': 6, mln: 6, million: 6, crore: 7, Cr: 7, bn: 9, 'Mrd.': 9 }).map(
    ([word, power]) => ({ word, power }),
  ),
  { word: 'mil', power: 6 },
  { word: 'T', power: 12 },
  { word: 'billion', power: 9 },
  { word: 'Billion', power: 12 },
  { word: 'Cr', power: 0, isNegated: true },
  { word: 'm', power: 0 },
]

/** Units of KPIs: their names and formats, what is written beside numbers of them, and the power that they are counted in. */
const UNITS = [
  { name: 'EUR', format: '#.00 €', beside: ['€', 'EUR', ''], power: 0 },
  { name: 'k€', format: '#.0 k€', beside: ['€', 'EUR', ''], power: 3 },
  { name: 'Mio. €', format: '#.0', beside: ['€', ''], power: 6 },
  { name: 'Number', format: '#', beside: [''], power: 0 },
  { name: 'm', format: '#.0 m', beside: [''], power: 0 },
  { name: 'kWh', format: '#,##0 kWh', beside: ['kWh', ''], power: 0 },
  { name: 'Hours', format: '#.0', beside: ['h', 'hrs', 'Stunden', ''], power: 0 },
  { name: 'mm', format: '# mm', beside: [''], power: 0 },
  { name: 'hl', format: '# hl', beside: [''], power: 0 },
] as const

/** Words that are units by themselves, and those of the units above that they are. */
const UNIT_LETTERS: Readonly<Record<string, readonly string[]>> = {
  m: ['m'],
  M: ['m'],
  mm: ['mm'],
  MM: ['mm'],
  L: [],
  T: [],
}

/** Tells whether a word alone is another unit than the one that is measured. */
const isOtherUnit = (word: string, beside: string, { name }: (typeof UNITS)[number]): boolean =>
  beside === '' &&
  ['m', 'kWh', 'Hours', 'mm', 'hl'].includes(name) &&
  UNIT_LETTERS[word] !== undefined &&
  !UNIT_LETTERS[word].includes(name)

/** Locales: their decimal sign, and what groups thousands. */
const LOCALES = [
  { decimal: '.', group: '' },
  { decimal: '.', group: ',' },
  { decimal: ',', group: '.' },
  { decimal: ',', group: ' ' },
  { decimal: '.', group: "'" },
] as const

const grouped = (digits: string, sign: string): string => digits.replaceAll(/\B(?=(?:\d{3})+$)/g, sign)

/** Writes a number of ten-thousandths in a locale. */
const write = (value: Decimal, { decimal, group }: (typeof LOCALES)[number]): string => {
  const digits = String(value < 0n ? -value : value).padStart(5, '0')
  const fraction = digits.slice(-4).replace(/0+$/, '')
  const whole = grouped(digits.slice(0, -4), group)
  return `${value < 0n ? '-' : ''}${whole}${fraction === '' ? '' : decimal + fraction}`
}

/**
 * Says what a number means that is written so: the value that is stored, or undefined where it is too large for that. A currency
 * counts ones, and a number without any word is of the unit.
 */
const meantBy = (
  value: Decimal,
  { word, power, isNegated }: Meant,
  { below, beside }: { readonly below: number; readonly beside: string },
): Decimal | undefined => {
  const all = (isNegated ? -value : value) * 10n ** BigInt(power)
  const isOfUnit = power === 0 && (word !== '' || beside === '')
  const meant = isOfUnit ? all : divideRounded(all, 10n ** BigInt(below))
  return fits(meant) ? meant : undefined
}

test('a number with a scale and a unit, in any locale, is read as it was meant, or asked about', () => {
  let read = 0
  const cell = fc.tuple(fc.bigInt(-99_999_999_999n, 99_999_999_999n), fc.constantFrom(...SCALES))
  const column = fc.tuple(
    fc.array(cell, { minLength: 1, maxLength: 4 }),
    fc.constantFrom(...LOCALES),
    fc.constantFrom(...UNITS),
    fc.nat(3),
    fc.boolean(),
  )
  fc.assert(
    fc.property(column, ([cells, locale, unit, at, isApart]) => {
      const beside = unit.beside[at % unit.beside.length] ?? ''
      // A metre is no million metres, and a number with neither word is of the unit's own scale.
      // A writer means the same by a word in all cells, and who writes lakhs means crores by Cr.
      const isIndian = cells.some(([, { word }]) => ['lakh', 'crore'].includes(word))
      const all = cells.filter(([, meant]) => {
        const { word, power, isNegated } = meant
        if (isIndian && isNegated) return false
        if (cells.find(([, other]) => other.word === word)?.[1] !== meant) return false
        if (word === 'm' && power === 0) return unit.name === 'm'
        // A millimetre is no million millimetres.
        return unit.name !== word.toLowerCase()
      })
      const texts = all.map(([value, { word }]) =>
        [`${write(value, locale)}${isApart ? ' ' : ''}${word}`.trim(), beside].filter((part) => part !== '').join(' '),
      )
      const measure = measureOf('Plan', { name: unit.name, display_format: unit.format, is_percentage: false })
      const words = new NumberWords(undefined, true, () => measure)
      const numbers = (sign: '.' | ',') =>
        createNumberColumn('Target', sign, false, createUnits().watch('Target'), { words })
      const seen = numbers('.')
      texts.forEach((text, line) => seen.note(text, line, 1))
      const sign = seen.proven()
      if (seen.doubts().length > 0) return
      const settled = numbers(sign ?? '.')
      texts.forEach((text, line) => {
        const found = settled.read(text, line, 1)
        const [value = 0n, meant = SCALES[0]] = all[line] ?? []
        const isTaken = isOtherUnit(meant?.word ?? '', beside, unit) && !(found instanceof Fault)
        expect([text, unit.name, isTaken]).toEqual([text, unit.name, false])
        if (found instanceof Fault || !meant || settled.doubts().length > 0) return
        if (!fits(found.value)) return
        read += 1
        expect([text, unit.name, found.value]).toEqual([
          text,
          unit.name,
          meantBy(value, meant, { below: unit.power, beside }),
        ])
      })
    }),
    { numRuns: 1000 },
  )
  expect(read).toBeGreaterThan(300)
})

test('the point of a scaled number proves nothing of cells with three digits: they are read by a comma, a plain proof or --decimal, or asked about', () => {
  const scaled = fc.constantFrom(
    { text: '1.2M €', is: 1_200_000n },
    { text: '3,5 Mio.', is: 3_500_000n },
    { text: '0,25k', is: 250n },
    { text: '12.75 Tsd. €', is: 12_750n },
  )
  const three = fc.constantFrom('5.500', '5.500 €', '5,200', '-7,250 €')
  const proof = fc.constantFrom(undefined, '12.5', '12,5', '7.25 €', '1.234,5 €')
  const cells = fc.tuple(
    fc.array(scaled, { minLength: 1, maxLength: 3 }),
    fc.array(three, { minLength: 1, maxLength: 3 }),
    proof,
    fc.constantFrom(undefined, '.' as const, ',' as const),
    fc.boolean(),
  )
  const measure = measureOf('Plan', { name: 'EUR', display_format: '#.00 €', is_percentage: false })
  fc.assert(
    fc.property(cells, ([scales, threes, plain, given, isLast]) => {
      const texts = [...threes, ...scales.map(({ text }) => text), ...(plain === undefined ? [] : [plain])]
      if (isLast) texts.reverse()
      const words = new NumberWords(undefined, true, () => measure)
      const numbers = (sign: '.' | ',') =>
        createNumberColumn('Target', sign, given !== undefined, createUnits().watch('Target'), { words })
      const seen = numbers(given ?? '.')
      texts.forEach((text, line) => seen.note(text, line, 1))
      const hasComma = scales.some(({ text }) => text.includes(','))
      const byPlain =
        plain === undefined ? undefined : /[.,]\d{1,2}(?: €)?$/.exec(plain)?.[0].startsWith(',') ? ',' : '.'
      const isBoth = byPlain === '.' && hasComma
      const sign = given ?? (isBoth ? undefined : (byPlain ?? (hasComma ? ',' : undefined)))
      const asked: unknown = expect.stringContaining(isBoth ? 'has both' : 'no other cell shows which')
      const doubts = sign === undefined ? [asked] : []
      expect([texts, seen.doubts(), seen.proven()]).toEqual([texts, doubts, sign])
      if (sign === undefined) return
      const settled = numbers(sign)
      const read = (text: string) => settled.read(text, 1, 1)
      for (const { text, is } of scales) expect([text, read(text)]).toMatchObject([text, { value: is * 10_000n }])
      for (const text of threes) {
        const digits = BigInt(text.replaceAll(/[^\d-]/g, ''))
        const value = digits * (text.includes(sign) ? 10n : 10_000n)
        expect([text, sign, read(text)]).toMatchObject([text, sign, { value }])
      }
    }),
    { numRuns: 500 },
  )
})
