import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatDay } from '../../../src/domain/day.ts'
import { divideRounded, formatDecimal } from '../../../src/domain/decimal.ts'
import type { EntryDraft } from '../../../src/domain/resources/entry.ts'
import { type Batch, cutBatches } from '../../../src/reading/rows/batches.ts'
import { ON_DUPLICATE, type OnDuplicate } from '../../../src/reading/options/options.ts'
import { createSorter } from '../../../src/blocks/sorter.ts'
import { embeddedImporter, ID, type Importer } from '../../support/import.ts'
import { readTable } from '../../support/rows.ts'

let importer: Importer
beforeAll(async () => {
  importer = await embeddedImporter()
})
afterAll(async () => {
  await importer[Symbol.asyncDispose]()
})

/** A row of a file: cells as they stand there. */
type Cells = {
  readonly user: 'Ann Lee' | 'Bob'
  readonly date: string
  readonly actual: string
  readonly notes: string
}
type Cut = { readonly batches: Batch[]; readonly refused: number[][] }

const cut = async (
  rows: readonly Cells[],
  onDuplicate: OnDuplicate,
  sizes: { readonly run: number; readonly block: number; readonly batch: number },
): Promise<Cut> => {
  const header = ['user', 'date', 'actual', 'notes']
  const table = [header, ...rows.map(({ user, date, actual, notes }) => [user, date, actual, notes])]
  const sorter = createSorter(importer.folder.path, sizes.run)
  const { entries } = await readTable(importer.client, table, { kpi: 'Sales', onDuplicate })
  for (const row of entries) sorter.add(row)
  const refused: number[][] = []
  const batches = [
    ...cutBatches(sorter.blocks(sizes.block), onDuplicate, (lines) => refused.push([...lines]), sizes.batch),
  ]
  sorter.close()
  return { batches: batches.filter(({ drafts }) => drafts.length > 0), refused }
}

const textOf = ({ user_id, entry_date, actual, notes }: EntryDraft): string => {
  const shown = actual === undefined || actual === null ? '' : formatDecimal(actual)
  return [user_id === ID.ann ? 'Ann Lee' : 'Bob', formatDay(entry_date), shown, notes ?? ''].join(' ')
}

type Numbered = Cells & { readonly line: number }

/** What the file comes to, slowly: the rows of each key, in the order of the keys. */
const groupsOf = (rows: readonly Cells[]): Numbered[][] => {
  const numbered = rows.map((cells, at) => ({ ...cells, line: at + 2 })).filter(({ actual, notes }) => actual || notes)
  const byKey = Map.groupBy(numbered, ({ user, date }) => `${user} ${date}`)
  return [...byKey.keys()].toSorted().map((key) => byKey.get(key) ?? [])
}

/** Numbers of up to eight decimals in hundred-millionths. */
const unitsOf = (texts: readonly string[]): bigint[] => texts.map((text) => BigInt(Math.round(Number(text) * 1e8)))

/** Numbers of up to eight decimals, added up in hundred-millionths and rounded once. */
const sumOf = (texts: readonly string[]): string => {
  const units = unitsOf(texts).reduce((total, one) => total + one, 0n)
  return texts.length === 0 ? '' : formatDecimal(divideRounded(units, 10_000n))
}

/** One number of several, by any function, rounded once. */
const numberOf = (texts: readonly string[], by: OnDuplicate): string => {
  if (texts.length === 0) return ''
  const units = unitsOf(texts).toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0))
  const total = units.reduce((sum, one) => sum + one, 0n)
  if (by === 'count') return String(texts.length)
  if (by === 'avg') return formatDecimal(divideRounded(total, 10_000n * BigInt(texts.length)))
  const [one = 0n] = by === 'max' ? units.slice(-1) : by === 'min' ? units : [total]
  return formatDecimal(divideRounded(one, 10_000n))
}

const settle = (group: readonly Numbered[], onDuplicate: OnDuplicate): Cells | undefined => {
  const [first] = group
  if (group.length === 1 && onDuplicate === 'count' && first?.actual) return { ...first, actual: '1' }
  if (group.length === 1 || onDuplicate === 'first') return first
  const last = group.at(-1)
  if (!last || onDuplicate === 'error') return undefined
  if (onDuplicate === 'last') return last
  const actuals = group.map(({ actual }) => actual).filter((actual) => actual !== '')
  const notes = group.findLast((one) => one.notes !== '')?.notes ?? ''
  return { ...last, actual: numberOf(actuals, onDuplicate), notes }
}

const row: fc.Arbitrary<Cells> = fc.record({
  user: fc.constantFrom('Ann Lee', 'Bob'),
  date: fc.constantFrom('2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04'),
  actual: fc.constantFrom('', '1', '-2', '30', '0.00004', '-0.00006', '2.5e-5', '-1.23456789', '0.99999', '7E-8'),
  notes: fc.constantFrom('', 'x', 'y'),
})
const size = fc.integer({ min: 1, max: 12 })
const sizes = fc.record({ run: size, block: size, batch: size })

describe.each(ON_DUPLICATE)('with %s for duplicates, any rows', (onDuplicate) => {
  test('come to one entry a key, in the order of the keys, in full batches', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 24 }), sizes, async (rows, by) => {
        const { batches, refused } = await cut(rows, onDuplicate, by)
        const settled = groupsOf(rows).map((group) => ({ group, one: settle(group, onDuplicate) }))
        const kept = settled.filter(({ one }) => one !== undefined)

        expect(batches.flatMap(({ drafts }) => drafts.map(textOf))).toEqual(
          kept.map(({ one }) => [one?.user, one?.date, sumOf(one?.actual ? [one.actual] : []), one?.notes].join(' ')),
        )
        expect(batches.flatMap(({ lines }) => lines.map((some) => [some].flat()))).toEqual(
          kept.map(({ group }) => group.map(({ line }) => line)),
        )
        expect(refused).toEqual(
          settled.filter(({ one }) => one === undefined).map(({ group }) => group.map(({ line }) => line)),
        )
        expect(batches.every(({ drafts, lines }) => drafts.length === lines.length)).toBe(true)
        expect(batches.slice(0, -1).every(({ drafts }) => drafts.length === by.batch)).toBe(true)
        expect(batches.every(({ drafts }) => drafts.length > 0 && drafts.length <= by.batch)).toBe(true)
      }),
      { numRuns: 150 },
    )
  })
})

test('a thousand numbers that round to nothing add up to something', async () => {
  const rows = Array.from({ length: 1000 }, () => ({
    user: 'Bob' as const,
    date: '2026-01-01',
    actual: '0.00004',
    notes: '',
  }))
  const { batches } = await cut(rows, 'sum', { run: 300, block: 300, batch: 100 })
  expect(batches.flatMap(({ drafts }) => drafts.map(textOf))).toEqual(['Bob 2026-01-01 0.04 '])
})

test('a count is one of values, also of a single row, and of a row without a value beside one with a value', async () => {
  const rows = [
    ['2026-01-01', '20.5', ''],
    ['2026-01-01', '21.5', ''],
    ['2026-01-02', '19.25', 'x'],
    ['2026-01-03', '19.25', ''],
    ['2026-01-03', '', 'y'],
    ['2026-01-04', '', 'z'],
  ].map(([date = '', actual = '', notes = '']) => ({ user: 'Bob' as const, date, actual, notes }))
  const { batches } = await cut(rows, 'count', { run: 300, block: 300, batch: 100 })
  expect(batches.flatMap(({ drafts }) => drafts.map(textOf))).toEqual([
    'Bob 2026-01-01 2 ',
    'Bob 2026-01-02 1 x',
    'Bob 2026-01-03 1 y',
    'Bob 2026-01-04  z',
  ])
})

test('a key that stands at both ends of a large file is found', async () => {
  const rows = Array.from({ length: 20_000 }, (_, at) => ({
    user: 'Bob' as const,
    date: formatDay(at === 19_999 ? 0 : at),
    actual: '1',
    notes: '',
  }))
  const { batches, refused } = await cut(rows, 'error', { run: 3000, block: 5000, batch: 5000 })
  expect(refused).toEqual([[2, 20_001]])
  expect(batches.map(({ drafts }) => drafts.length)).toEqual([5000, 5000, 5000, 4998])
})
