import { expect, test } from 'vitest'
import { blockOf } from '../../../src/domain/entry-block.ts'
import type { EntryDraft } from '../../../src/domain/resources/entry.ts'
import { OUTCOME_UNKNOWN, type Run } from '../../../src/loading/delivery/delivery.ts'
import { replan } from '../../../src/loading/delivery/replan.ts'
import type { Intent, JournalHead } from '../../../src/runs/entries/journal.ts'
import { findSamples, sampleKeys } from '../../../src/runs/entries/key-samples.ts'
import { openJournal } from '../../../src/runs/entries/open-journal.ts'
import { emptyTally } from '../../../src/runs/entries/tally.ts'
import { Batch } from '../../../src/reading/rows/batches.ts'
import { temporaryFolder } from '../../support/folder.ts'

const draft = (day: number, fields: Partial<EntryDraft> = {}): EntryDraft => ({
  user_id: 2,
  kpi_id: 1,
  entry_date: day,
  actual: BigInt(day),
  notes: 'as it was',
  ...fields,
})

const batchOf = (drafts: readonly EntryDraft[]): Batch => {
  const batch = new Batch(drafts.length)
  for (const [at, one] of drafts.entries()) batch.add(blockOf([one]), 0, 100 + at)
  return batch
}

const HEAD: JournalHead = {
  runId: 'one',
  service: 'https://kpi.example.com/api',
  path: '/data.csv',
  beganAt: 5,
  content: 'a',
  account: { for: 'key 1', isSure: false },
  caller: '1',
  isAdding: true,
}

/** Days 0 to 5 were meant, of which 5 is gone now; some of the others have other values. Day 8 was settled before. */
const EARLIER = [0, 1, 2, 3, 4, 5, 8].map((day) => draft(day))
const NOW = [
  draft(0),
  draft(1, { actual: 7n }),
  draft(2, { notes: 'as it is' }),
  draft(3, { target: 7n }),
  draft(4),
  draft(8),
  draft(9),
]
const CHANGED = [101, 102, 103].map((line) => [line, expect.stringContaining('another value')])

/** Where day 4 was settled at once, only the places of the others were sent. */
type Given = {
  readonly isAdding: boolean
  readonly way: Intent['way']
  readonly isDone?: boolean
  readonly places?: readonly number[]
}
const PLACES = [0, 1, 2, 3, 5]

test.each<[given: Given, sent: readonly number[], refused: unknown[], isUnknown: boolean]>([
  [{ isAdding: false, way: 'batch' }, [0, 1, 2, 3, 4, 9], [], true],
  [{ isAdding: false, way: 'batch', places: PLACES }, [0, 1, 2, 3, 9], [], true],
  [{ isAdding: false, way: 'batch', isDone: true }, [1, 2, 3, 9], [], true],
  [{ isAdding: true, way: 'one', places: PLACES }, [0, 9], CHANGED, true],
  [{ isAdding: true, way: 'one', isDone: true }, [9], CHANGED, false],
  [{ isAdding: true, way: 'batch', places: PLACES }, [9], [[100, OUTCOME_UNKNOWN], ...CHANGED], false],
])(
  'what was changed since is sent again unless that would add it twice: %o',
  async (given, sent, refused, isUnknown) => {
    using folder = temporaryFolder()
    const path = folder.in('a.journal')
    const before = openJournal(path, HEAD)
    const block = blockOf(EARLIER)
    const stage = { ...emptyTally(), unchanged: 1 }
    const meant: Intent = {
      first: [2, 1, 0],
      last: [2, 1, 5],
      count: 6,
      digest: 'of all',
      samples: sampleKeys(block),
      way: given.way,
      places: given.places,
      stage,
      sentAt: 7,
    }
    const [id = 0] = before.intend([meant])
    if (given.isDone) before.acknowledge(id, { ...stage, created: 5 })
    before.close()
    const journal = openJournal(path, { ...HEAD, runId: 'two' })
    const [earlier] = journal.earlier(undefined, 9)
    if (!earlier) throw new Error('the journal has lost what was meant')
    const planned = await replan({ journal, isAdding: given.isAdding } as Run, batchOf(NOW), earlier, (fresh) =>
      Promise.resolve([fresh, { ...emptyTally(), skipped: fresh.size }]),
    )
    expect([...planned.left].map(({ entry_date }) => entry_date)).toEqual(sent)
    expect(planned.tally).toEqual({
      ...emptyTally(),
      unchanged: 1,
      created: given.isDone ? 5 : 0,
      skipped: 1,
      refused,
    })
    expect(planned.isUnknown).toBe(isUnknown)
    expect([planned.kept.first, planned.kept.last]).toEqual([meant.first, meant.last])
    const kept = planned.kept.samples ?? new Int32Array()
    expect(findSamples(kept, sampleKeys(blockOf([...NOW, ...EARLIER]))).map((found) => found?.isSame)).toEqual([
      ...NOW.map(() => true),
      true,
      false,
      false,
      false,
      true,
      true,
      true,
    ])
    journal.finish()
  },
)
