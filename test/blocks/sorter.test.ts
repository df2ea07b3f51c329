import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { beyondAt, type Block, type BlockRow, notesAt } from '../../src/blocks/block.ts'
import { decimalAt, numberAt } from '../../src/domain/entry-block.ts'
import { createSorter, type Sorter } from '../../src/blocks/sorter.ts'
import { temporaryFolder } from '../support/folder.ts'

const rowsOf = (block: Block): BlockRow[] =>
  Array.from({ length: block.count }, (_, at) => ({
    owner: numberAt(block.owner, at),
    kpi: numberAt(block.kpi, at),
    day: numberAt(block.day, at),
    line: numberAt(block.line, at),
    flags: numberAt(block.flags, at),
    actual: decimalAt(block, 'actual', at),
    target: decimalAt(block, 'target', at),
    notes: notesAt(block, at),
    beyond: beyondAt(block, at),
  }))

const addAll = (sorter: Sorter, rows: readonly BlockRow[]): void => {
  for (const row of rows) sorter.add(row)
}

/** A key's numbers in their order: what is below 0, an item, comes owner and by its size. */
const places = ({ owner, kpi, day, line }: BlockRow): number[] => [Number(owner >= 0), Math.abs(owner), kpi, day, line]

const sorted = (rows: readonly BlockRow[]): BlockRow[] =>
  rows.toSorted((left, right) => {
    const others = places(right)
    return places(left).reduce((found, place, at) => found || place - (others[at] ?? 0), 0)
  })

const few = fc.integer({ min: 0, max: 2 })
const item = fc.maxSafeNat().map((id) => -1 - id)
/** Keys that are often alike, and lines too. */
const near: fc.Arbitrary<Pick<BlockRow, 'owner' | 'kpi' | 'day' | 'line'>> = fc
  .tuple(few, few)
  .map(([owner, line]) => ({ owner, kpi: 0, day: 0, line }))
const decimal = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n })
const anyRow: fc.Arbitrary<BlockRow> = fc.record({
  owner: fc.oneof(few, fc.maxSafeNat(), item, fc.integer({ min: -3, max: -1 })),
  kpi: fc.oneof(few, fc.maxSafeNat()),
  day: fc.oneof(few, fc.integer({ min: -30_000, max: 90_000 })),
  line: fc.oneof(few, fc.integer({ min: 0, max: 2 ** 32 - 1 })),
  flags: fc.nat(63),
  actual: decimal,
  target: decimal,
  notes: fc.oneof(fc.constant(''), fc.string({ unit: 'binary' })),
  beyond: fc.oneof(fc.constant(''), fc.constantFrom('4', '-05')),
})
const row = fc.oneof(
  anyRow,
  fc.tuple(anyRow, near).map(([one, key]) => ({ ...one, ...key })),
)

describe('any rows', () => {
  test('come back by key, then line, those that are alike in the order in which they came', () => {
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 40 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 40 }),
        (rows, runRows, blockRows) => {
          using folder = temporaryFolder()
          const sorter = createSorter(folder.path, runRows)
          addAll(sorter, rows)
          expect(sorter.size()).toBe(rows.length)
          const blocks = Array.from(sorter.blocks(blockRows), rowsOf)
          expect(blocks.flat()).toEqual(sorted(rows))
          expect(blocks.slice(0, -1).every((block) => block.length === blockRows)).toBe(true)
          expect(blocks.every((block) => block.length > 0)).toBe(true)
          sorter.close()
          expect(readdirSync(folder.path)).toEqual([])
        },
      ),
      { numRuns: 300 },
    )
  })

  test('can be gone through more than once', () => {
    using folder = temporaryFolder()
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), (rows) => {
        const sorter = createSorter(folder.path, 3)
        addAll(sorter, rows)
        const [once, again] = [7, 5].map((size) => Array.from(sorter.blocks(size), rowsOf).flat())
        expect(once).toEqual(again)
        sorter.close()
      }),
      { numRuns: 50 },
    )
  })
})

const many = Array.from({ length: 20_000 }, (_, at): BlockRow => {
  const mixed = (at * 7919) % 20_011
  return {
    owner: mixed % 10,
    kpi: mixed % 7,
    day: mixed,
    line: at,
    flags: 0,
    actual: BigInt(at),
    target: -1n,
    notes: '',
    beyond: '',
  }
})

test.each([1, 1023, 1024, 1025, 5000, 20_000, 30_000])('many rows are sorted in runs of %i', (runRows) => {
  using folder = temporaryFolder()
  const rows = many.slice(0, runRows === 1 ? 500 : many.length)
  const sorter = createSorter(folder.path, runRows)
  addAll(sorter, rows)
  expect(Array.from(sorter.blocks(5000), rowsOf).flat()).toEqual(sorted(rows))
  sorter.close()
})

test('what does not fit leaves nothing behind, not even where the process is killed in the middle', () => {
  using folder = temporaryFolder()
  const sorter = createSorter(folder.path, 2)
  addAll(sorter, many.slice(0, 7))
  expect(readdirSync(folder.path)).toEqual([])
  sorter.blocks(2).next()
  expect(readdirSync(folder.path)).toEqual([])
  sorter.close()
})

test('where it cannot be laid down, the folder is named', () => {
  const sorter = createSorter('/nowhere/at/all', 2)
  expect(() => addAll(sorter, many.slice(0, 7))).toThrow('cannot write the temporary folder /nowhere/at/all')
})

test('rows that fit in memory touch no disk', () => {
  const sorter = createSorter('/nowhere/at/all', 7)
  addAll(sorter, many.slice(0, 7))
  expect(Array.from(sorter.blocks(7), rowsOf).flat()).toEqual(sorted(many.slice(0, 7)))
  sorter.close()
})

describe('whether a key may be there twice', () => {
  const keyed = ([owner, kpi, day]: readonly [number, number, number]): BlockRow => ({
    owner,
    kpi,
    day,
    line: 1,
    flags: 0,
    actual: 0n,
    target: 0n,
    notes: '',
    beyond: '',
  })
  const mayRepeat = (keys: readonly (readonly [number, number, number])[]): boolean => {
    using folder = temporaryFolder()
    const sorter = createSorter(folder.path, 1024)
    addAll(sorter, keys.map(keyed))
    const found = sorter.mayRepeat()
    sorter.close()
    return found
  }

  test('is never denied where one is', () => {
    const key = fc.tuple(fc.integer({ min: -2, max: 2 }), few, few)
    fc.assert(
      fc.property(fc.array(key, { maxLength: 6 }), (keys) => {
        const isTwice = new Set(keys.map(String)).size < keys.length
        expect(isTwice && !mayRepeat(keys)).toBe(false)
      }),
    )
  })

  test.each([
    ['owners upwards', [1, 2, 3], false],
    ['owners downwards, as new items are', [-5, -6, -7], false],
    ['owners in both directions', [1, 3, 2], true],
  ])('%s', (_, owners, expected) => {
    expect(mayRepeat(owners.flatMap((owner) => [[owner, 1, 1] as const, [owner, 1, 2] as const]))).toBe(expected)
  })
})
