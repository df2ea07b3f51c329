import { blockOf } from '../../domain/entry-block.ts'
import type { Put } from '../../client/operations/entries.ts'
import { Aborted, mayBeDone } from '../../client/transport.ts'
import { isRefused, KpiError, reasonsOf } from '../../domain/errors.ts'
import { OUTCOME_UNKNOWN, type Sink } from '../delivery/delivery.ts'
import {
  entryKeyText,
  type OpenEntry,
  openEntries,
  openInterval,
  type OpenInterval,
  type ThirdPartyRun,
} from './open-interval.ts'
import { runConcurrently } from '../delivery/in-flight.ts'
import { endIfAnswersAreLost, withRetries } from '../delivery/retry.ts'
import type { JournaledInterval } from '../delivery/write-ahead.ts'
import { digestOf } from '../../runs/entries/digest.ts'
import { keyOf, storedKey } from '../../domain/entry-key.ts'
import type { SingleEntry } from '../../runs/entries/journal.ts'
import { emptyTally, refuseLines, type Tally } from '../../runs/entries/tally.ts'
import { DuplicateLeft, readKey, removeDuplicate } from './doubles.ts'
import { hasKeyOf, mayComeFrom } from './matching.ts'
import { pollUntil } from './reconcile.ts'
import type { UnprovenAnswer } from '../../client/operations/batch-answer.ts'
import { checkEntryAnswer, notKnown, notStored } from './response-check.ts'

/** Sets how many requests run at a time: requests one after another would not make full use of the rate limit. */
const UNDER_WAY = 8

/** Names the outcome of an entry that was added: it is stored, or refused for reasons. */
type Added = 'created' | 'updated' | 'sent' | { readonly refused: readonly string[] }

/**
 * Returns the ids that were stored before an entry was added; null if nothing was stored, undefined if nobody knows.
 */
const idsBefore = ({ before }: OpenEntry): readonly number[] | null | undefined => before && before.ids

const addedOn = ({ before }: OpenEntry): Added => (before ? 'updated' : before === null ? 'created' : 'sent')

/** Removes the second entry if the service has made one instead of adding to the stored one. */
const requireAdded = async (run: ThirdPartyRun, item: OpenEntry, { entry }: Put): Promise<void> => {
  const { draft } = item
  const ids = idsBefore(item)
  if (!ids || ids.length === 0 || ids.includes(entry.id)) return
  if (!hasKeyOf(entry, draft) || !mayComeFrom(entry, draft))
    throw new DuplicateLeft(
      'conflict',
      `the service answered entry ${entry.id}, which has other values and exists beside ${ids.join(', ')} for the same user, KPI and date; check what is stored before you import the row again`,
    )
  await removeDuplicate(run, draft, entry.id)
  item.isUnknown = false
  throw new KpiError(
    'conflict',
    'the service stores a second entry instead of adding to the existing one; add up the values, and import the sum',
  )
}

/** Names the fate of an entry whose answer proved nothing: it was added, it was not, or nobody can tell. */
type Fate = 'done' | 'open' | 'lost'

/** Finds out whether an entry was added, if nothing was stored before; a value that was stored before cannot tell. */
const fateOf = async (run: ThirdPartyRun, { draft, before }: OpenEntry): Promise<Fate> => {
  if (before !== null) return 'lost'
  const listed = await pollUntil(
    run,
    () => readKey(run, draft),
    (seen) => !seen || seen.length > 0,
  )
  if (listed?.length === 0) return 'open'
  return listed?.some((one) => mayComeFrom(one, draft)) ? 'done' : 'lost'
}

/** Settles an entry whose outcome is unknown; returns undefined if it was not stored and must be sent. */
const settle = async (run: ThirdPartyRun, item: OpenEntry): Promise<Added | undefined> => {
  const { unproven } = item
  const fate = await fateOf(run, item)
  if (fate === 'done') return addedOn(item)
  if (fate === 'open') return unproven && { refused: [notStored(unproven)] }
  return { refused: [unproven ? notKnown(unproven) : OUTCOME_UNKNOWN] }
}

const nameOf = ({ journal }: ThirdPartyRun, { draft }: OpenEntry, tries: number): string =>
  `${journal.runId}-${digestOf(blockOf([draft]))}${tries === 0 ? '' : `-${tries}`}`

/** Sends an entry; returns the answer if it does not prove that the entry was stored. */
const post = async (
  { run, noteSent }: OpenInterval,
  item: OpenEntry,
  tries: number,
): Promise<UnprovenAnswer | undefined> => {
  noteSent([item])
  const put = await run.client.entries.put(item.draft, nameOf(run, item, tries)).catch((error: unknown) => {
    item.isUnknown = mayBeDone(error)
    if (item.isUnknown) run.touch()
    throw error
  })
  run.touch()
  // The outcome stays unknown until the answer is checked, even if an error comes between.
  item.isUnknown = true
  const unproven = checkEntryAnswer(put, item.draft, undefined)
  if (unproven) return unproven
  await requireAdded(run, item, put)
  item.isUnknown = false
  return undefined
}

/**
 * Adds an entry to the stored one. If an answer proved nothing, it is sent again only once it is known not to be
 * stored.
 */
const add = async (interval: OpenInterval, item: OpenEntry): Promise<Added> => {
  const { run, forget } = interval
  try {
    return await withRetries(run, async (tries) => {
      for (;;) {
        const settled = item.isUnknown ? await settle(run, item) : undefined
        if (settled) return settled
        item.isUnknown = false
        item.unproven = await post(interval, item, tries)
        if (!item.unproven) return addedOn(item)
      }
    })
  } catch (error) {
    if (!isRefused(error) || (item.isUnknown && !(error instanceof DuplicateLeft))) throw error
    if (!(error instanceof DuplicateLeft)) forget(item)
    return { refused: reasonsOf(error) }
  }
}

/** Reads what an earlier part of the run journaled about single entries. */
const recall = ({ journal }: ThirdPartyRun, intervalId: number): ReadonlyMap<string, SingleEntry> =>
  new Map(journal.ones(intervalId).map((one) => [storedKey(...one.key), one]))

/** Sets what was stored before each entry, and counts the entries that an earlier part of the run settled. */
const prepare = async (interval: OpenInterval, items: readonly OpenEntry[]): Promise<void> => {
  const { run, id: intervalId, count } = interval
  const before = recall(run, intervalId)
  const open = items.filter((item) => !before.get(entryKeyText(item))?.outcome)
  const stored = await withRetries(run, () => run.existing.of(open.map(({ draft }) => draft)))
  interval.setStored(open, stored)
  for (const item of items) {
    const one = before.get(entryKeyText(item))
    item.isUnknown = one !== undefined
    if (one?.outcome) count([item], one.outcome)
    else if (one) item.before = one.known && { ids: one.known }
    else if (stored) item.before = stored.get(entryKeyText(item)) ?? null
  }
}

const tallyOf = ({ lines }: OpenEntry, added: Added): Tally => {
  const tally = emptyTally()
  if (typeof added === 'string') tally[added] += 1
  else refuseLines(tally, lines, added.refused)
  return tally
}

const isLost = (added: Added): boolean => typeof added !== 'string' && added.refused.includes(OUTCOME_UNKNOWN)

/** Journals an entry, adds it, and journals its outcome. */
const addJournaled = async (interval: OpenInterval, item: OpenEntry): Promise<void> => {
  const { run, id: intervalId, count } = interval
  const { journal, clock, touch, lostAnswers } = run
  const [key, isOfEarlier] = [keyOf(item.draft), item.isUnknown]
  if (!isOfEarlier) {
    const one = { key, digest: digestOf(blockOf([item.draft])), known: idsBefore(item), sentAt: clock.now() }
    journal.intendOnes(intervalId, [one])
  }
  const added = await add(interval, item).catch((error: unknown) => {
    if (item.isUnknown) touch()
    else journal.withdrawOne(intervalId, key)
    throw error
  })
  const tally = tallyOf(item, added)
  journal.acknowledgeOne(intervalId, key, tally)
  count([item], tally)
  // Count only answers that this part of the run has lost: the earlier part was killed, whatever the service did.
  if (isOfEarlier) return
  lostAnswers.note(isLost(added))
  endIfAnswersAreLost(lostAnswers, 'entries')
}

/**
 * Adds the entries of an interval to what a third-party service has stored, one by one. An entry that may have been
 * added must not be added again, so each is journaled with the ids that were stored before it.
 */
export const addToThirdParty = async (
  run: ThirdPartyRun,
  journaled: JournaledInterval,
  sink: Sink,
): Promise<OpenInterval> => {
  const items = openEntries(journaled)
  const interval = openInterval(run, journaled.id, items, sink)
  await prepare(interval, items)
  async function* untilStopped(): AsyncGenerator<OpenEntry> {
    for (const item of items.filter(interval.isLeft)) {
      if (run.signal.aborted) return
      yield item
    }
  }
  await runConcurrently(
    untilStopped(),
    () => UNDER_WAY,
    (item) => addJournaled(interval, item),
  )
  if (items.some(interval.isLeft)) throw new Aborted('stopped')
  return interval
}
