import type { EntryDraft } from '../../domain/resources/entry.ts'
import type { Batch } from '../batch.ts'
import { digestOf } from '../journal/digest.ts'
import { inFlight } from './in-flight.ts'
import type { One } from '../journal/journal.ts'
import { type EntryKey, keyOf } from '../journal/key.ts'
import { mustAnswer } from './losses.ts'
import { ownerOf } from '../owner.ts'
import { patiently } from './patience.ts'
import type { OneOutcome } from './put-one.ts'
import { type OneToSend, sendOne } from './send-one.ts'
import { LOST, type Sending } from './sending.ts'
import { type Before, NO_ID } from './settle-one.ts'
import { storedKey, type StoredEntries } from '../standing/standing.ts'
import { emptyTally, refuseLines, type Tally } from './tally.ts'

/** So many are under way at a time, to use a limit that answers take longer than. */
const UNDER_WAY = 8

/** Takes what became of an entry, or of some that came to an end before. */
export type OneSink = (tally: Tally, lines: number) => void

type Lines = number | readonly number[]
type Item = OneToSend & { readonly key: EntryKey; readonly lines: Lines }

const storedKeyOf = (draft: EntryDraft): string => storedKey(ownerOf(draft), draft.kpi_id, draft.entry_date)

const countLines = (lines: Lines): number => (typeof lines === 'number' ? 1 : lines.length)

/** What was there before an entry that an earlier part of the run has sent. */
const beforeOf = (known: One['known']): Before => known && { id: known.at(-1) ?? NO_ID, ids: known }

/** What is there of entries that were not sent yet; undefined where the key may not read it. */
const readStanding = (sending: Sending, drafts: readonly EntryDraft[]): Promise<StoredEntries | undefined> =>
  patiently(sending, () => sending.standing.of(drafts))

const foundIn = (stored: StoredEntries | undefined, draft: EntryDraft): Before => {
  if (!stored) return undefined
  const entry = stored.get(storedKeyOf(draft))
  return entry ? { id: entry.ids.at(-1) ?? NO_ID, ids: entry.ids, entry } : null
}

/**
 * Looks up the ids that it takes where the service may not change what is there by adding it again. While nobody knows
 * what it does, they are looked up anew, so that what has come meanwhile is not taken for what this run makes.
 */
const withIds = async (sending: Sending, items: readonly Item[]): Promise<Item[]> => {
  const { isOurs, isAdding, knowledge } = sending
  const { changesBy } = knowledge.known()
  if ((isAdding && isOurs) || changesBy === 'post') return [...items]
  const isLacking = ({ before, isUnknown }: Item): boolean =>
    !isUnknown && (before?.id === NO_ID || (!!before && !isOurs && changesBy === undefined))
  const lacking = items.filter(isLacking)
  if (lacking.length === 0) return [...items]
  const drafts = lacking.map(({ draft }) => draft)
  const stored = await patiently(sending, () => sending.now.of(drafts))
  return items.map((item) => (isLacking(item) ? { ...item, before: foundIn(stored, item.draft) } : item))
}

/** Entries of an interval that are still to be sent, and what is known of each. */
const itemsOf = async (sending: Sending, interval: number, batch: Batch, sink: OneSink): Promise<Item[]> => {
  const before = new Map(sending.journal.ones(interval).map((one) => [storedKey(...one.key), one]))
  const known = batch.drafts.map((draft) => {
    const one = before.get(storedKeyOf(draft))
    const digest = digestOf([draft])
    return { digest, one: one?.digest === digest || sending.isAdding ? one : undefined }
  })
  const isNew = (at: number): boolean => known[at]?.one === undefined
  const stored = await readStanding(
    sending,
    batch.drafts.filter((_, at) => isNew(at)),
  )
  return batch.drafts.flatMap((draft, at) => {
    const lines = batch.lines[at] ?? 0
    const { digest = '', one } = known[at] ?? {}
    if (one?.outcome) {
      sink(one.outcome, countLines(lines))
      return []
    }
    const name = `${sending.journal.runId}-${digest}`
    const isUnknown = one !== undefined
    return [
      { draft, name, isUnknown, key: keyOf(draft), lines, before: one ? beforeOf(one.known) : foundIn(stored, draft) },
    ]
  })
}

/** What is written down of what was there: an entry without an id is not known well enough to tell another one from it. */
const knownOf = (before: Before): One['known'] => (before?.id === NO_ID ? undefined : before && before.ids)

/** Writes entries down before they are sent, some at once; those that are added to are written one by one, just before. */
async function* intended(sending: Sending, interval: number, items: readonly Item[]): AsyncGenerator<Item> {
  const { journal, clock, signal, isAdding } = sending
  const size = isAdding ? 1 : UNDER_WAY
  for (let start = 0; start < items.length; start += size) {
    if (signal.aborted) return
    const some = await withIds(sending, items.slice(start, start + size))
    const fresh = some.filter(({ isUnknown }) => !isUnknown)
    const sentAt = clock.now()
    journal.intendOnes(
      interval,
      fresh.map(({ draft, key, before }) => ({ key, digest: digestOf([draft]), known: knownOf(before), sentAt })),
    )
    try {
      for (let item = some.shift(); item; item = signal.aborted ? undefined : some.shift()) yield item
    } finally {
      for (const { key, isUnknown } of some) if (!isUnknown) journal.withdrawOne(interval, key)
    }
  }
}

const isLost = (outcome: OneOutcome): boolean => typeof outcome !== 'string' && outcome.refused.includes(LOST)

/**
 * Sends the entries of an interval by themselves, and tells of each what became of it. Where the service does not add to
 * what is there, or nobody knows yet, the first of them finds that out before others go.
 */
export const sendOnes = async (sending: Sending, interval: number, batch: Batch, sink: OneSink): Promise<void> => {
  const { journal, knowledge, isAdding } = sending
  const items = await itemsOf(sending, interval, batch, sink)
  const isKnown = (): boolean => isAdding || knowledge.known().changesBy !== undefined
  const hasStored = items.some(({ before }) => before)
  const send = async (item: Item): Promise<void> => {
    const isOfEarlier = item.isUnknown
    const outcome = await sendOne(sending, item).catch((error: unknown) => {
      if (item.isUnknown) sending.touch()
      else journal.withdrawOne(interval, item.key)
      throw error
    })
    const tally = emptyTally()
    if (typeof outcome === 'string') tally[outcome] += 1
    else refuseLines(tally, item.lines, outcome.refused)
    journal.acknowledgeOne(interval, item.key, tally)
    sink(tally, countLines(item.lines))
    // What an earlier part of the run lost, as it was killed, says nothing of the service now.
    if (isOfEarlier) return
    sending.losses.note(isLost(outcome))
    mustAnswer(sending.losses, 'entries')
  }
  await inFlight(intended(sending, interval, items), () => (hasStored && !isKnown() ? 1 : UNDER_WAY), send)
}
