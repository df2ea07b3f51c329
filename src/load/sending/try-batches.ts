import type { Intended } from './intend.ts'
import { countResult, NoBatches, pick, type Sent } from './send-batch.ts'
import type { Sending } from './sending.ts'
import { isThereOtherwise, tryEntry } from './try-entry.ts'

/** So many entries of a batch are tried, where the first are refused. */
const MOST_ENTRIES = 20
/** So many of them whose answers are all lost, and no batch is sent. */
const MOST_LOST = 3

/** The entries of a batch that are tried, one after the other: some that lie far apart. */
const candidatesOf = ({ drafts }: Sent['batch']): number[] => {
  const last = drafts.length - 1
  return [...new Set(Array.from({ length: MOST_ENTRIES }, (_, at) => Math.floor((at * last) / (MOST_ENTRIES - 1))))]
}

/** The same, with one first that is there with other values, if one is. */
const inOrder = async (sending: Sending, batch: Sent['batch']): Promise<number[]> => {
  const candidates = candidatesOf(batch)
  for (const at of candidates) {
    const draft = batch.drafts[at]
    if (draft && (await isThereOtherwise(sending, draft))) return [...new Set([at, ...candidates])]
  }
  return candidates
}

/**
 * Finds out what a service of somebody else makes of an entry of a batch that is there already, with one entry, before
 * batches go there. One that makes a second entry of it is sent one at a time; the second one is found and removed there,
 * as the entry is written down as one whose fate is not known. Takes out of the batch what is in by then.
 */
export const tryBatches = async (sending: Sending, intended: Intended, sent: Sent): Promise<void> => {
  const { isOurs, isAdding, knowledge, trial } = sending
  if (isOurs || isAdding || trial.isOver || knowledge.known().updatesInBatches) return
  let lost = 0
  for (const at of await inOrder(sending, sent.batch)) {
    const draft = sent.batch.drafts[at]
    const tried = draft ? await tryEntry(sending, sent, intended, draft) : 'refused'
    if (tried === 'unseen') trial.isUntrue = true
    if (tried === 'unreadable' || tried === 'unseen') break
    lost += tried === 'lost' ? 1 : 0
    if (lost === MOST_LOST) break
    if (tried === 'refused' || tried === 'lost') continue
    if (tried === 'doubles') throw new NoBatches('the service makes a second entry of one that is there')
    knowledge.learn({ updatesInBatches: true })
    // What an earlier part of the run has sent is counted as it is read back.
    if (intended.isUnknown || !tried.isIn) return
    if (tried.first) countResult(sent.tally, tried.first.counts, 1)
    else sent.tally.sent += 1
    sent.batch = pick(
      sent.batch,
      [...sent.batch.drafts.keys()].filter((one) => one !== at),
    )
    return
  }
  if (lost > 0) {
    trial.isLost = true
    throw new NoBatches('the answers to batches are lost', false)
  }
  // What nothing was learned of now is not tried with every batch.
  trial.isOver = true
}
