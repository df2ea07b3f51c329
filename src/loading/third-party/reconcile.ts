import { reasonsOf } from '../../domain/errors.ts'
import { LATER_LOOKS } from '../../client/retry.ts'
import { sameValues } from '../../domain/rules.ts'
import { OUTCOME_UNKNOWN } from '../delivery/delivery.ts'
import {
  ENTERED_MEANWHILE,
  entryKeyText,
  type OpenEntry,
  type OpenInterval,
  type ThirdPartyRun,
} from './open-interval.ts'
import { isUnreadable } from '../delivery/refusal.ts'
import { pause, withRetries } from '../delivery/retry.ts'
import type { ExistingEntries, ExistingEntryMap, ExistingEntry } from '../existing/existing-entries.ts'
import { LAG_FACTOR } from './capabilities.ts'
import { isDuplicateKept, removeDuplicates } from './doubles.ts'
import { holdsDraft, mayHold } from './matching.ts'
import { unrecognizedError } from './recognize.ts'
import { maySendAgain, notKnown, notStored } from './response-check.ts'

/** Returns the pauses before each later look at a service; there is one more if its list is known to lag longer. */
const laterLooks = ({ capabilities }: Pick<ThirdPartyRun, 'capabilities'>): readonly number[] => {
  const rest = LAG_FACTOR * (capabilities.known().lagMs ?? 0) - LATER_LOOKS.reduce((sum, one) => sum + one)
  return rest > 0 ? [...LATER_LOOKS, rest] : LATER_LOOKS
}

/** Holds the clock by which a service that shows writes late is looked at again, and the signal that ends that. */
type Timing = Pick<ThirdPartyRun, 'clock' | 'signal'>

/** Looks at what is stored, and looks again after pauses until `isEnough`, a bounded number of times. */
export const pollUntil = async <T>(run: Timing, look: () => Promise<T>, isEnough: (seen: T) => boolean): Promise<T> => {
  for (let looks = 0; ; looks += 1) {
    const seen = await look()
    const milliseconds = LATER_LOOKS[looks]
    if (milliseconds === undefined || isEnough(seen)) return seen
    await pause(run, milliseconds)
  }
}

/** Tells whether the key may not read entries at all. */
const mayNotRead = ({ reference }: ThirdPartyRun): boolean => reference.unchecked.has('entries')

/** Reads what is stored of some entries; undefined if it cannot be read. */
const read = async (
  run: ThirdPartyRun,
  from: ExistingEntries,
  items: readonly OpenEntry[],
): Promise<ExistingEntryMap | undefined> => {
  try {
    return await withRetries(run, () => from.of(items.map(({ draft }) => draft)))
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}

/**
 * Tells whether an entry holds what was sent. If it is unchanged, or its earlier values are unknown, it must match
 * exactly; otherwise it may be rounded and have changed notes.
 */
export const isStored = ({ reference }: ThirdPartyRun, { draft, before }: OpenEntry, entry: ExistingEntry): boolean => {
  if (holdsDraft(reference, entry, draft)) return true
  // Of what an earlier part of the run tried, only the ids that existed before are known.
  if (before === undefined || (before && !('actual' in before))) return false
  const isAsBefore = before !== null && sameValues(before, entry)
  return !isAsBefore && mayHold(entry, draft)
}

/** Tells whether a write of an item is seen: it is stored, or there are more entries than before. */
const showsWrite = (run: ThirdPartyRun, item: OpenEntry, entry: ExistingEntry | undefined): boolean =>
  entry !== undefined && (entry.ids.length > (item.before?.ids.length ?? 0) || isStored(run, item, entry))

/** Reads what is stored of some entries now; undefined if it cannot be read. */
export const readNow = (run: ThirdPartyRun, items: readonly OpenEntry[]): Promise<ExistingEntryMap | undefined> =>
  read(run, run.now, items)

/** Reads what is stored of some entries; if that is refused, which may be temporary, it asks again after pauses. */
export const readWithRetries = (
  run: ThirdPartyRun,
  from: ExistingEntries,
  items: readonly OpenEntry[],
): Promise<ExistingEntryMap | undefined> =>
  pollUntil(
    run,
    () => read(run, from, items),
    (stored) => stored !== undefined || mayNotRead(run),
  )

/** Records that the list showed a write only after this time. */
export const noteLag = ({ capabilities, clock }: ThirdPartyRun, lagMs: number): void =>
  capabilities.learn({ lagMs: Math.max(lagMs, capabilities.known().lagMs ?? 0), wroteAt: clock.now() })

/**
 * Reads the existing entries of drafts whose outcome is unknown. As the list may lag, it asks again after pauses for
 * the last of the missing entries; once that one is listed, so are the others, and all are read again.
 */
export const readLagging = async (
  run: ThirdPartyRun,
  items: readonly OpenEntry[],
): Promise<ExistingEntryMap | undefined> => {
  const first = await readWithRetries(run, run.now, items)
  if (!first) return undefined
  const stored = new Map(first)
  const isUnseen = (item: OpenEntry): boolean => !showsWrite(run, item, stored.get(entryKeyText(item)))
  let lagMs = 0
  for (const milliseconds of laterLooks(run)) {
    const unseen = items.filter(isUnseen)
    const last = unseen.at(-1)
    if (!last) break
    await pause(run, milliseconds)
    const again = await readNow(run, [last])
    lagMs += milliseconds
    if (!showsWrite(run, last, again?.get(entryKeyText(last)))) continue
    noteLag(run, lagMs)
    for (const [key, entry] of (await readNow(run, unseen)) ?? []) stored.set(key, entry)
  }
  return stored
}

/**
 * Removes the entries that this run has made beside those that were stored before, if any, and returns what is left.
 */
const withoutDoubles = (
  run: ThirdPartyRun,
  { before, draft }: OpenEntry,
  entry: ExistingEntry,
): Promise<ExistingEntry | undefined> | ExistingEntry =>
  before !== undefined && entry.ids.length > Math.max(1, before?.ids.length ?? 0)
    ? removeDuplicates(run, draft, before?.ids ?? [])
    : entry

/** Returns why an entry that is not stored as sent must not be sent again; empty if it may be. */
const reasonsNotToSend = (
  { keepsOthers }: ThirdPartyRun,
  item: OpenEntry,
  entry: ExistingEntry | undefined,
): readonly string[] => {
  const { unproven, unprovenCount, refusal } = item
  if (keepsOthers && entry) return [ENTERED_MEANWHILE]
  if (refusal && !entry && !item.found) return refusal
  return unproven && !maySendAgain(unproven, unprovenCount) ? [notStored(unproven)] : []
}

/** Settles an entry according to what is stored of it, or prepares its next try. */
const settleByStored = async (
  interval: OpenInterval,
  item: OpenEntry,
  stored: ExistingEntry | undefined,
): Promise<void> => {
  const { run, done, refuse, forget } = interval
  const { before } = item
  const entry = stored && (await withoutDoubles(run, item, stored))
  if (entry && isStored(run, item, entry)) return done(item, before === null ? 'created' : before ? 'updated' : 'sent')
  const reasons = reasonsNotToSend(run, item, entry)
  if (reasons.length > 0) {
    if (reasons === item.refusal || reasons.includes(ENTERED_MEANWHILE)) forget(item)
    return refuse(item, reasons)
  }
  // If the list cannot be trusted, the entry may be there, and sending it again would make a second one.
  if (!entry && item.unproven && !item.unproven.tellsFault && !run.capabilities.known().isRecognised)
    throw await unrecognizedError(run, item, undefined)
  item.before ??= entry ?? null
  item.found = entry ?? null
  item.isUnknown = false
}

/** Settles an entry in this way, and refuses it if a second one stays beside it. */
const settleOrTell = async (
  interval: OpenInterval,
  item: OpenEntry,
  stored: ExistingEntry | undefined,
): Promise<void> => {
  try {
    await settleByStored(interval, item, stored)
  } catch (error) {
    // End the run if the double may be removed later, as after a key was refused: the next part finds it again.
    if (!isDuplicateKept(error)) throw error
    interval.refuse(item, reasonsOf(error))
  }
}

/** Settles an entry that cannot be read back and whose answers proved nothing. */
const settleUnread = ({ refuse }: OpenInterval, item: OpenEntry): void => {
  const { unproven, isAfterRefusal, refusal } = item
  // Assume that a refused batch was not stored, not even in part: nobody can tell here.
  if (refusal) refuse(item, refusal)
  else if (isAfterRefusal) item.isUnknown = false
  else refuse(item, [unproven ? notKnown(unproven) : OUTCOME_UNKNOWN])
}

/** Tells whether an entry may be sent again without a look at what is stored: the service would only set it again. */
const mayRepeat = ({ capabilities, keepsOthers }: ThirdPartyRun, { unproven, refusal }: OpenEntry): boolean =>
  capabilities.known().updatesInBatches === true && !keepsOthers && !unproven && !refusal

/**
 * Reconciles entries whose answers did not prove that they were stored: those that are stored as sent are done, and the
 * others are prepared for the next try.
 */
export const reconcile = async (
  interval: OpenInterval,
  items: readonly OpenEntry[],
  isOfEarlier = false,
): Promise<void> => {
  const { run } = interval
  const unknown = items.filter(({ isUnknown }) => isUnknown)
  for (const item of unknown) if (mayRepeat(run, item)) item.isUnknown = false
  const open = unknown.filter(({ isUnknown }) => isUnknown)
  if (open.length === 0) return
  const stored = await readLagging(run, open)
  // Count only answers that this part of the run has lost: the earlier part was killed, whatever the service did.
  const isLost = !stored && !isOfEarlier && open.some(({ isAfterRefusal }) => !isAfterRefusal)
  if (isLost) run.lostAnswers.note(true)
  for (const item of open) {
    if (stored) await settleOrTell(interval, item, stored.get(entryKeyText(item)))
    else settleUnread(interval, item)
  }
}

/** Finds the ids of entries that were read from a report, which does not show them, so that they can be updated. */
export const findIds = async ({ run }: OpenInterval, items: readonly OpenEntry[]): Promise<void> => {
  const lacking = items.filter(({ found }) => found && found.ids.length === 0)
  if (lacking.length === 0) return
  const stored = await readNow(run, lacking)
  for (const item of lacking) {
    item.found = stored?.get(entryKeyText(item)) ?? null
    item.before = item.found
  }
}
