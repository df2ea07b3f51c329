import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createSuspectCollector,
  findPatterns,
  ignoresRow,
  notesOnFooters,
  requireNoTotals,
  type SuspectRows,
} from '../../../src/reading/heading/left-out-rows.ts'
import type { Row } from '../../../src/tabular/source/table.ts'
import { openTable } from '../../../src/reading/open-table.ts'
import { fileSource } from '../../../src/tabular/source/files.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { writeFileSync } from 'node:fs'

const HEADER = ['region', 'date', 'sales']

/** Rows as a table, the header first; those of a single cell are rejected. */
const suspectsIn = (rows: readonly (readonly string[])[]): Promise<readonly SuspectRows[]> => {
  const all: readonly Row[] = [HEADER, ...rows].map((cells, at) => ({ line: at + 1, cells: [...cells] }))
  const collector = createSuspectCollector(HEADER.length)
  for (const row of all.slice(1)) collector.note(row, row.cells.filter((cell) => cell !== '').length < 3)
  const read = async function* (): AsyncGenerator<readonly Row[]> {
    yield* await Promise.resolve([all.slice(0, 2), all.slice(2)])
  }
  return findPatterns({ rows: read }, collector.found())
}

describe('a row below the table', () => {
  test.each<[footer: string[], says: string]>([
    [['Source: us', '', ''], `("Source: us"): --ignore-rows "Source:*" leaves it out`],
    [['Total', '', '9'], '("Total"): --ignore-rows Total leaves it out'],
    [['North', '', ''], '("North"): delete it in the file, as --ignore-rows North leaves out line 2, too'],
    [
      ['', '', '4'],
      '("4"): delete it in the file, as --ignore-rows 4 leaves out 2 other rows, too, the first on line 2',
    ],
    [['', '', '9'], '("9"): delete it in the file, as no text tells it from other rows'],
    // Its beginning is that of another row, but all of it is not.
    [['Town: all', '', ''], `("Town: all"): --ignore-rows "Town: all" leaves it out`],
  ])('%j is left out only by what leaves out no other row', async (footer, says) => {
    const rows = [
      ['North', '2026-01-01', '4'],
      ['South', '2026-01-02', '4'],
      ['Town: 1', '2026-01-03', '5'],
    ]
    expect(notesOnFooters(await suspectsIn([...rows, footer]))).toEqual([`line 5 looks like a footer ${says}`])
  })

  test('is never left out together with others, if one does what the note says', async () => {
    const word = fc.constantFrom(
      'North',
      'South',
      'North: 1',
      'North: 2',
      '4',
      '4*',
      'a, b',
      'Notes to all regions',
      'Notes to all regions 2',
    )
    const row = fc.tuple(word, fc.constantFrom('2026-01-01', '2026-01-02'), fc.constantFrom('4', '5'))
    const footer = fc.oneof(
      word.map((text) => [text, '', '']),
      word.map((text) => ['', '', text]),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 6 }),
        fc.array(footer, { maxLength: 2 }),
        async (rows, footers) => {
          for (const found of await suspectsIn([...rows, ...footers])) {
            const [note = ''] = notesOnFooters([found])
            const isIgnored = ignoresRow(found.patterns ?? [])
            if (!/leaves (?:it|them) out$/.test(note)) continue
            expect(rows.filter(isIgnored)).toEqual([])
            expect(footers.every(isIgnored)).toBe(true)
          }
        },
      ),
    )
  })
})

test('what leaves out a total names the other rows that it leaves out, too', async () => {
  const found = await suspectsIn([
    ['North', '2026-01-01', '4'],
    ['North', 'Total', '5'],
    ['Total', '2026-01-01', '9'],
  ])
  expect(() => requireNoTotals(found, undefined)).toThrow(
    expect.objectContaining({
      issues: [
        {
          field: 'line 4',
          message:
            '"Total" looks like a total of the rows above: --ignore-rows Total leaves it out, and line 3, too; --ignore-rows none imports it',
        },
      ],
    }),
  )
})

test('rows that are left out although they look like data are counted each time they are read', async () => {
  using folder = temporaryFolder()
  const rows = ['4', '5', '4', '4', '4'].map((value, at) => `North,2026-01-0${at + 1},${value}\n`)
  writeFileSync(folder.in('data.csv'), `region,date,sales\n${rows.join('')},,4\n`)
  const table = await openTable(fileSource(folder.in('data.csv'), 'data.csv'), { ignoreRows: ['4'] }, folder.path)
  for (const _ of [1, 2]) {
    let count = 0
    for await (const some of table.rows()) count += some.length
    expect(count).toBe(2)
    expect(table.leftOut?.()).toMatchObject({ count: 4, first: [{ line: 2 }, { line: 4 }, { line: 5 }] })
  }
  table.close()
})
