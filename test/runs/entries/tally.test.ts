import { expect, test } from 'vitest'
import { addTally, emptyTally, refuseLines } from '../../../src/runs/entries/tally.ts'

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
