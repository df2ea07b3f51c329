import { blockOf } from '../../domain/entry-block.ts'
import { Aborted, mayBeDone } from '../../client/transport.ts'
import { formatDecimal } from '../../domain/decimal.ts'
import { isRefused, KpiError, reasonsOf } from '../../domain/errors.ts'
import type { EntryValues } from '../../domain/rules.ts'
import { entryKeyText, type OpenEntry, type OpenInterval, type ThirdPartyRun } from './open-interval.ts'
import { isNoPath, isUnreadable } from '../delivery/refusal.ts'
import { pause, withRetries } from '../delivery/retry.ts'
import { digestOf } from '../../runs/entries/digest.ts'
import { keyOf } from '../../domain/entry-key.ts'
import { isDuplicateKept, removeDuplicates } from './doubles.ts'
import { hasNumbersOf } from './matching.ts'
import { unrecognizedError } from './recognize.ts'
import { isStored, readLagging } from './reconcile.ts'
import { sendsBatches } from './upsert-entries.ts'

/** Sets how many entries are tried if the first are refused. */
const MOST_TRIED = 20
/** Sets how often an entry is posted if answers are lost. */
const MOST_POSTS = 6
const PAUSE_MS = 1000
/** Sets up to how many entries are updated by their ids, without first finding out what a batch does. */
const FEW_UPDATES = 3

/** Returns some entries, spread over all of them. */
const spread = (items: readonly OpenEntry[]): readonly OpenEntry[] => {
  const last = items.length - 1
  if (last < MOST_TRIED) return items
  const places = Array.from({ length: MOST_TRIED }, (_, at) => Math.floor((at * last) / (MOST_TRIED - 1)))
  return places.flatMap((at) => items[at] ?? [])
}

/** Sets how many entries may get a successful answer and not be stored, before the run ends. */
const MOST_UNSTORED = 5

/** Ends the run if the service answers successfully and stores nothing. */
const requireStored = ({ unproven }: OpenEntry, unstored: number): void => {
  if (unstored < MOST_UNSTORED) return
  throw new KpiError(
    'unavailable',
    `the service answered ${unproven?.answered} to ${unstored} entries, and stored none of them; nothing more is sent`,
  )
}

/** Warns if the service stores another number than was sent. */
const noteRounding = (
  { warnOnce, capabilities }: ThirdPartyRun,
  { draft: { actual } }: OpenEntry,
  { actual: kept }: EntryValues,
): void => {
  if (typeof actual !== 'bigint' || kept === null || kept === actual) return
  capabilities.learn({ isRounding: true })
  warnOnce(
    'rounding',
    `the service rounds numbers as it stores them: ${formatDecimal(actual)} was sent, and ${formatDecimal(kept)} is stored`,
  )
}

/**
 * Sends one entry before the others, and checks that it can be recognized in the service's list. Throws if it cannot,
 * because then nobody could tell the outcome of anything sent there. If an entry is refused, that tells nothing, and
 * the next is tried.
 */
export const probeListing = async (
  interval: OpenInterval,
  items: readonly OpenEntry[],
  deliver: (interval: OpenInterval, items: readonly OpenEntry[]) => Promise<void>,
): Promise<void> => {
  const { run, all } = interval
  const { capabilities } = run
  if (capabilities.known().isRounding) run.warnOnce('rounding', 'the service rounds numbers as it stores them')
  if (capabilities.known().isRecognised) return
  let unstored = 0
  const readable = items.filter(({ found, isUnknown }) => found !== undefined && !isUnknown)
  const fresh = readable.filter(({ found }) => found === null)
  for (const item of spread(fresh.length > 0 ? fresh : readable)) {
    const refused = all.refused.length
    await deliver(interval, [item])
    if (all.refused.length > refused) {
      if (item.unproven) requireStored(item, (unstored += 1))
      continue
    }
    const stored = await readLagging(run, [item])
    const entry = stored?.get(entryKeyText(item))
    if (stored && !(entry && hasNumbersOf(entry, item.draft))) throw await unrecognizedError(run, item, entry)
    if (entry) noteRounding(run, item, entry)
    if (stored) capabilities.learn({ isRecognised: true, unlisted: undefined })
    return
  }
}

/** Names what a batch did to a stored entry: it changed it, made a second one, left it, was refused, or nobody knows. */
type Effect = 'updated' | 'doubled' | 'left' | 'refused' | 'unknown'

/** Posts a stored entry as a batch of its own until its effect is seen. */
const effectOf = async ({ run }: OpenInterval, item: OpenEntry): Promise<Effect> => {
  const { client, clock, journal, signal } = run
  for (let posts = 0; posts < MOST_POSTS; posts += 1) {
    if (signal.aborted) throw new Aborted('stopped')
    const name = `${journal.runId}-${digestOf(blockOf([item.draft]))}-${clock.now()}-${posts}`
    const isAnswered = await withRetries(run, async () => {
      try {
        await client.entries.putMany([item.draft], name)
        return true
      } catch (error) {
        if (mayBeDone(error)) return false
        throw error
      }
    }).finally(run.touch)
    const entry = (await readLagging(run, [item]))?.get(entryKeyText(item))
    if (entry && entry.ids.length > (item.before?.ids.length ?? 0)) return 'doubled'
    if (entry && isStored(run, item, entry)) return 'updated'
    if (isAnswered) return 'left'
    await pause(run, PAUSE_MS)
  }
  return 'unknown'
}

/**
 * Sends one stored entry in a batch to see what that does, because many have to be updated. It is journaled first with
 * the existing ids, so that a second entry is found and removed even if the run is cut off.
 */
const tryUpdate = async (interval: OpenInterval, item: OpenEntry): Promise<Effect> => {
  const { run, id: intervalId, noteSent } = interval
  const ids = item.before?.ids ?? []
  const { journal, clock } = run
  journal.intendOnes(intervalId, [
    { key: keyOf(item.draft), digest: digestOf(blockOf([item.draft])), known: ids, sentAt: clock.now() },
  ])
  noteSent([item])
  try {
    return await effectOf(interval, item)
  } catch (error) {
    if (isNoPath(error)) {
      run.capabilities.learn({ takesBatches: false })
      run.capabilities.avoidBatches()
    } else if (!isRefused(error)) throw error
    return isRefused(error) && error.code === 'conflict' ? 'left' : 'refused'
  }
}

/** Removes the second entry that a batch has made; if the service does not allow that, the row is rejected. */
const undoDouble = async ({ run, refuse }: OpenInterval, item: OpenEntry): Promise<void> => {
  try {
    await removeDuplicates(run, item.draft, item.before?.ids ?? [])
  } catch (error) {
    if (!isDuplicateKept(error)) throw error
    refuse(item, reasonsOf(error))
  }
}

/** Holds an id that presumably no entry has. */
const NO_ENTRY = 2_147_483_647

/**
 * Finds out whether the service removes entries at all, by removing one that does not exist. Without that, a second
 * entry could not be undone.
 */
const mayRemove = async (run: ThirdPartyRun): Promise<boolean> => {
  const { capabilities, client } = run
  capabilities.removes ??= await withRetries(run, async () => {
    try {
      await client.entries.remove(NO_ENTRY)
      return true
    } catch (error) {
      if (isUnreadable(error)) return isRefused(error)
      throw error
    }
  })
  return capabilities.removes
}

/**
 * Finds out whether batches update existing entries, if there are many to update. If batches do not, entries are
 * updated one at a time. The ids of the entries must be known. Only one interval at a time tries this.
 */
export const probeUpdates = async (interval: OpenInterval, items: readonly OpenEntry[]): Promise<void> => {
  const { run, done } = interval
  const { capabilities } = run
  const stored = items.filter(({ found }) => !!found)
  if (stored.length <= FEW_UPDATES) return
  await capabilities.alone(async () => {
    if (!(await mayRemove(run))) return
    for (const item of spread(stored)) {
      if (!sendsBatches(run) || capabilities.known().updatesInBatches !== undefined) return
      const effect = await tryUpdate(interval, item)
      if (effect === 'refused') continue
      if (effect === 'unknown') break
      capabilities.learn({ updatesInBatches: effect === 'updated' })
      if (effect === 'doubled') await undoDouble(interval, item)
      if (effect === 'updated') done(item, 'updated')
      return
    }
    if (sendsBatches(run)) capabilities.assumeNoUpdates()
  })
}
