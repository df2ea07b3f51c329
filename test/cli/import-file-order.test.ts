import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  correctsByName,
  isLater,
  orderFiles,
  type OrderedFile,
} from '../../src/cli/commands/entries/import/file-order.ts'
import { stemOf } from '../../src/cli/commands/entries/import/sources.ts'

const named = (file: string, above = ''): OrderedFile => ({
  stem: stemOf(file),
  above: above === '' ? [] : [{ line: 1, cells: [above] }],
})

test.each<[earlier: string, later: string]>([
  ['umsatz-2026-03.csv', 'umsatz-2026-03-korrigiert.csv'],
  ['Umsatz 2026.xlsx', 'korrigiert_Umsatz 2026.xlsx'],
  ['sales.csv', 'sales_corrected.csv'],
  ['sales.csv', 'sales (1).csv'],
  ['sales (1).csv', 'sales (2).csv'],
  ['sales.csv', 'sales-v2.csv.gz'],
  ['sales-v2.csv', 'sales-v10.csv'],
  ['sales-v2.csv', 'sales-v2-final.csv'],
  ['ventes.csv', 'ventes_corrigé.csv'],
  ['a/sales.csv', 'a/sales-rev3.csv'],
  ['book-Jan.xlsx', 'book-Jan korrigiert.xlsx'],
])('%s is corrected by %s, by their names', (earlier, later) => {
  expect(correctsByName(named(later), named(earlier))).toMatchObject({ isOne: true })
  expect(correctsByName(named(earlier), named(later))).toMatchObject({ isOne: false })
})

test.each<[one: string, other: string]>([
  ['north.csv', 'south.csv'],
  ['sales-2026-03.csv', 'sales-2026-04.csv'],
  ['a/sales.csv', 'b/sales-v2.csv'],
  ['neu-isenburg.csv', 'frankfurt.csv'],
  ['v2.csv', 'sales.csv'],
])('%s and %s correct nothing by their names', (one, other) => {
  expect(correctsByName(named(one), named(other))).toBeUndefined()
})

test.each<[earlier: OrderedFile, later: OrderedFile, why: string]>([
  [named('sales-2026-03-01.csv'), named('sales-2026-03-08.csv'), 'date in its name'],
  [named('sales_20260301.csv'), named('sales_20260308.csv'), 'date in its name'],
  [named('2026-03 sales.csv'), named('2026-04 sales.csv'), 'date in its name'],
  [named('a.csv', 'Exported 2026-04-01 10:15'), named('b.csv', 'Exported 2026-04-01 10:16'), 'time above its header'],
  [named('a.csv', 'Stand: 01.04.2026'), named('b.csv', 'Stand: 01.05.2026'), 'time above its header'],
])('of %j and %j the second is later', (earlier, later, why) => {
  expect(isLater(later, earlier)).toEqual({ isOne: true, why: expect.stringContaining(why) as string })
  expect(isLater(earlier, later)).toEqual({ isOne: false, why: expect.stringContaining(why) as string })
})

test.each<[one: OrderedFile, other: OrderedFile]>([
  [named('a.csv'), named('b.csv')],
  [named('north-2026-03-01.csv'), named('south-2026-03-08.csv')],
  [named('a.csv', 'Exported 2026-04-01'), named('b.csv')],
  [named('a.csv', 'from 2026-01-01 to 2026-03-31'), named('b.csv', 'from 2026-01-01 to 2026-02-28')],
])('of %j and %j none is later', (one, other) => {
  expect(isLater(one, other)).toBeUndefined()
})

test('files keep their order, but for those that come after others', () => {
  const pairs = fc.uniqueArray(fc.tuple(fc.nat({ max: 7 }), fc.nat({ max: 7 })), { maxLength: 8, selector: String })
  fc.assert(
    fc.property(fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 }), pairs, (files, drawn) => {
      // A smaller number comes before a larger one, so that the pairs contradict each other in nothing.
      const after = drawn.filter(([one, other]) => one < other).map(([earlier, later]) => ({ earlier, later }))
      const ordered = orderFiles(files, after)
      expect(new Set(ordered)).toEqual(new Set(files))
      expect(ordered).toHaveLength(files.length)
      for (const { earlier, later } of after) expect(ordered.indexOf(earlier)).toBeLessThan(ordered.indexOf(later))
      expect(orderFiles(files, [])).toEqual(files)
    }),
  )
})
