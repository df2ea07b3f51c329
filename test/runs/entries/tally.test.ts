import { expect, test } from 'vitest'
import { addTally, countResult, emptyTally, refuseLines } from '../../../src/runs/entries/tally.ts'

test('what became of a batch takes any number of lines that were refused', () => {
  const [all, more] = [emptyTally(), emptyTally()]
  refuseLines(
    more,
    Array.from({ length: 300_000 }, (_, at) => at + 2),
    ['is there already'],
  )
  addTally(all, more)
  addTally(all, more)
  expect([all.refused.length, all.refused.at(-1)]).toEqual([600_000, [300_001, 'is there already']])
})

test.each<[what: string, counts: [created: unknown, updated: unknown, unchanged: unknown], wanted: number[]]>([
  ['counts all', [2, 3, 5], [2, 3, 5, 0]],
  ['counts fewer', [2, 3, 4], [2, 3, 4, 1]],
  ['counts more', [2, 3, 6], [0, 0, 0, 10]],
  ['counts in part', [2, undefined, null], [2, 0, 0, 8]],
  ['counts what is no number', ['7', 1.5, -1], [0, 0, 0, 10]],
])('the counts of an answer that %s are taken; what it does not count is sent', (_, counts, wanted) => {
  const tally = emptyTally()
  const [rows_created, rows_updated, rows_unchanged] = counts as [number, number, number]
  countResult(tally, { rows_added: 0, rows_created, rows_updated, rows_unchanged }, 10)
  const { created, updated, unchanged, sent } = tally
  expect([created, updated, unchanged, sent]).toEqual(wanted)
})
