import type { Intent, Interval } from '../../runs/entries/journal.ts'
import { findSamples, joinSamples, sampleKeys } from '../../runs/entries/key-samples.ts'
import { addTally, emptyTally, refuseLines, type Tally } from '../../runs/entries/tally.ts'
import type { Batch } from '../../reading/rows/batches.ts'
import { OUTCOME_UNKNOWN, type Run } from './delivery.ts'

/**
 * Names what to do with an entry of an interval whose content has changed: it already has an outcome, must be sent
 * again, is new, or must not be added a second time.
 */
type Turn = 'settled' | 'open' | 'new' | { readonly refused: string }

const CHANGED =
  'an earlier part of this run added another value; check what is stored, and import separately what is still to be added'

/** Returns what to do with each entry of an interval, according to the journal. */
const turnsOf = (
  { journal, isAdding }: Run,
  { block }: Batch,
  { id, outcome, places, count, way }: Interval,
): Turn[] => {
  const sent = places && new Set(places)
  const isOpen = (at: number): boolean => !outcome && at < count && (sent?.has(at) ?? true)
  return findSamples(journal.samples(id), sampleKeys(block)).map((found) => {
    if (!found) return 'new'
    if (!found.isSame) return isAdding ? { refused: CHANGED } : 'open'
    if (!isOpen(found.at)) return 'settled'
    return isAdding && way === 'batch' ? { refused: OUTCOME_UNKNOWN } : 'open'
  })
}

/**
 * Describes what is left to do of an interval whose content has changed: the entries to send, and the outcome of the
 * others.
 */
type Changed = {
  readonly left: ReadonlySet<Batch['drafts'][number]>
  readonly tally: Tally
  readonly isUnknown: boolean
  /** Holds the parts of the journaled interval that are kept. */
  readonly kept: Pick<Intent, 'first' | 'last' | 'samples'>
}

/**
 * Plans again an interval that an earlier part of the run journaled, because the reference data has changed since. New
 * entries are staged; entries that have an outcome are neither sent nor judged again.
 */
export const replan = async (
  run: Run,
  batch: Batch,
  earlier: Interval,
  stage: (batch: Batch) => Promise<readonly [left: Batch, tally: Tally]>,
): Promise<Changed> => {
  const turns = turnsOf(run, batch, earlier)
  const at = (turn: Turn): Batch => batch.where((place) => turns[place] === turn)
  const tally = emptyTally()
  addTally(tally, earlier.outcome ?? earlier.stage)
  for (const [place, turn] of turns.entries()) {
    if (typeof turn === 'object') refuseLines(tally, batch.lines[place] ?? 0, [turn.refused])
  }
  const [fresh, staged] = await stage(at('new'))
  addTally(tally, staged)
  const open = at('open').drafts
  const samples = joinSamples(sampleKeys(batch.block), run.journal.samples(earlier.id))
  const { first, last } = earlier
  return {
    left: new Set([...open, ...fresh.drafts]),
    tally,
    isUnknown: open.length > 0,
    kept: { first, last, samples },
  }
}
