import type { Intent, Interval } from '../journal/journal.ts'
import { findMarks, joinMarks, marksOf } from '../journal/key-samples.ts'
import { addTally, emptyTally, refuseLines, type Tally } from '../journal/tally.ts'
import type { Batch } from '../rows/batches.ts'
import { LOST, type Run } from './delivery.ts'

/**
 * What is to be done with an entry where others have come or gone around it: it has come to its end, is to be sent again,
 * is new, or may not be added again.
 */
type Turn = 'settled' | 'open' | 'new' | { readonly refused: string }

const CHANGED =
  'an earlier part of this run added another value; look at what is stored, and import by itself what is to be added to that'

/** What is to be done with each entry of an interval, by what is written down of what it held. */
const turnsOf = (
  { journal, isAdding }: Run,
  { drafts }: Batch,
  { id, outcome, places, count, way }: Interval,
): Turn[] => {
  const sent = places && new Set(places)
  const isOpen = (at: number): boolean => !outcome && at < count && (sent?.has(at) ?? true)
  return findMarks(journal.marks(id), marksOf(drafts)).map((found) => {
    if (!found) return 'new'
    if (!found.isSame) return isAdding ? { refused: CHANGED } : 'open'
    if (!isOpen(found.at)) return 'settled'
    return isAdding && way === 'batch' ? { refused: LOST } : 'open'
  })
}

/** What is left to do of an interval that holds other entries now: what is to be sent, and what is settled. */
type Changed = {
  readonly left: ReadonlySet<Batch['drafts'][number]>
  readonly tally: Tally
  readonly isUnknown: boolean
  /** What an interval keeps of the one that it was. */
  readonly kept: Pick<Intent, 'first' | 'last' | 'marks'>
}

/**
 * Tells what to do with the entries of an interval that an earlier part of the run has written down, where the reference
 * data has changed since: what was not in it is new, and the rest is neither sent nor judged again if it has come to its
 * end.
 */
export const replan = async (
  run: Run,
  batch: Batch,
  earlier: Interval,
  stage: (batch: Batch) => Promise<readonly [left: Batch, tally: Tally]>,
): Promise<Changed> => {
  const turns = turnsOf(run, batch, earlier)
  const at = (turn: Turn): Batch => ({
    drafts: batch.drafts.filter((_, place) => turns[place] === turn),
    lines: batch.lines.filter((_, place) => turns[place] === turn),
  })
  const tally = emptyTally()
  addTally(tally, earlier.outcome ?? earlier.stage)
  for (const [place, turn] of turns.entries()) {
    if (typeof turn === 'object') refuseLines(tally, batch.lines[place] ?? 0, [turn.refused])
  }
  const [fresh, staged] = await stage(at('new'))
  addTally(tally, staged)
  const open = at('open').drafts
  const marks = joinMarks(marksOf(batch.drafts), run.journal.marks(earlier.id))
  const { first, last } = earlier
  return { left: new Set([...open, ...fresh.drafts]), tally, isUnknown: open.length > 0, kept: { first, last, marks } }
}
