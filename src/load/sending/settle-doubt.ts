import type { Batch } from '../batch.ts'
import { type Doubt, notKnown, notStored } from './doubt.ts'
import { ENTERED_MEANWHILE, type Sending } from './sending.ts'
import { enteredMeanwhile, type Fate, fatesInDoubt } from './settle.ts'
import { refuseLines, type Tally } from './tally.ts'

/** What is said of an entry that is not sent again; undefined where it counts as sent. */
const reasonOf = (fate: Fate, doubt: Doubt): string | undefined => {
  if (fate === 'open') return notStored(doubt)
  return fate === 'lost' && doubt.isShort ? notKnown(doubt) : undefined
}

/** Whether all is there; where that cannot be read, an answer that tells of no fault is taken at its word. */
const isAllThere = (fates: readonly Fate[], { isShort }: Doubt): boolean =>
  fates.every((fate) => fate === 'there' || (fate === 'lost' && !isShort))

/**
 * Counts entries of a batch whose answer does not account for them, by what is there, and answers those that are to be sent
 * again; after the last time, those that are not there are refused.
 */
export const settleDoubt = async (
  sending: Sending,
  tally: Tally,
  { drafts, lines }: Batch,
  { doubt, isLast }: { readonly doubt: Doubt; readonly isLast: boolean },
): Promise<Batch> => {
  const fates = await fatesInDoubt(sending, drafts)
  if (isAllThere(fates, doubt)) sending.beliefs.add(doubt.shape)
  const others = await enteredMeanwhile(
    sending,
    drafts.filter((_, at) => fates[at] === 'open'),
  )
  const again: { drafts: Batch['drafts'][number][]; lines: Batch['lines'][number][] } = { drafts: [], lines: [] }
  for (const [at, draft] of drafts.entries()) {
    const [fate, from] = [fates[at] ?? 'open', lines[at] ?? 0]
    if (others.has(draft)) {
      refuseLines(tally, from, [ENTERED_MEANWHILE])
      continue
    }
    if (fate === 'open' && !isLast) {
      again.drafts.push(draft)
      again.lines.push(from)
      continue
    }
    const reason = reasonOf(fate, doubt)
    if (reason === undefined) tally.sent += 1
    else refuseLines(tally, from, [reason])
  }
  return again
}
