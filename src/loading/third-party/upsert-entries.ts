import { blockOf } from '../../domain/entry-block.ts'
import { mayBeDone } from '../../client/transport.ts'
import type { Put } from '../../client/operations/entries.ts'
import { FIRST_ENTRY_DAY, LAST_ENTRY_DAY } from '../../domain/day.ts'
import { isRefused, isTransient, KpiError, reasonsOf } from '../../domain/errors.ts'
import type { OpenEntry, OpenInterval, ThirdPartyRun } from './open-interval.ts'
import { runConcurrently } from '../delivery/in-flight.ts'
import { isNoPath, reasonsByPlace, endIfAllRefused } from '../delivery/refusal.ts'
import { digestOf } from '../../runs/entries/digest.ts'
import { countResult, emptyTally } from '../../runs/entries/tally.ts'
import { type UnprovenAnswer, checkBatchAnswer } from '../../client/operations/batch-answer.ts'
import { checkEntryAnswer } from './response-check.ts'

/** Sets how many single entries are sent at a time: one after another would not make full use of the rate limit. */
const SINGLES_UNDER_WAY = 8
/** Sets the size of batch that is assumed to be small enough for any service. */
const NEVER_TOO_MANY = 100
/** Sets after how many lost answers a batch counts as too large for the service or a proxy. */
const LOST_IN_A_ROW = 2

/** Tells whether batches are sent to the service now. */
export const sendsBatches = ({ capabilities }: ThirdPartyRun): boolean => capabilities.maySendBatch()

/** Tells whether an entry is sent in a batch: a stored one only if that does not make a second one. */
const goesInBatch = (run: ThirdPartyRun, { found }: OpenEntry): boolean =>
  sendsBatches(run) && (!found || run.capabilities.known().updatesInBatches === true)

/** Returns the error if a later try may help; throws any other. */
const failureOf = (error: unknown): KpiError => {
  if (mayBeDone(error) && error instanceof KpiError) return error
  if (isTransient(error)) return error
  throw error
}

const noteLoss = (item: OpenEntry): void => {
  item.isUnknown = true
  item.isAfterRefusal = false
  item.unproven = undefined
  item.losses += 1
}

/**
 * Records an answer that does not prove that entries are stored. If the service's other answers do and this one reports
 * no fault, it probably came from a proxy: it counts as lost, and an error is returned.
 */
const noteDoubt = (items: readonly OpenEntry[], unproven: UnprovenAnswer, isProving: boolean): KpiError | undefined => {
  if (isProving && !unproven.tellsFault) {
    for (const item of items) noteLoss(item)
    return new KpiError('unavailable', `the service answered ${unproven.answered} to entries`, { mayBeDone: true })
  }
  for (const item of items) {
    item.isUnknown = true
    item.isAfterRefusal = false
    item.unproven = unproven
    item.unprovenCount += 1
  }
  return undefined
}

/** Returns an Idempotency-Key that is new for each try: a third-party service may keep a failure under a key. */
const nameOf = ({ journal, clock }: ThirdPartyRun, items: readonly OpenEntry[]): string => {
  const tries = Math.max(...items.map(({ unprovenCount, losses, refusals }) => unprovenCount + losses + refusals))
  return `${journal.runId}-${digestOf(blockOf(items.map(({ draft }) => draft)))}-${tries}-${clock.now()}`
}

/**
 * Refuses an entry that the refusal of a batch names. If it may be a duplicate, it is looked up first: an earlier
 * request of this run, whose answer was lost, may have stored it.
 */
const refuseNamed = ({ run, passRefusal }: OpenInterval, item: OpenEntry, reasons: readonly string[]): void => {
  item.refusals += 1
  const mayBeThere = item.found === null && item.refusals === 1 && !run.capabilities.known().updatesInBatches
  if (!mayBeThere) return passRefusal(item, reasons)
  run.touch()
  item.isUnknown = true
  item.refusal = reasons
}

/**
 * Handles the refusal of a batch: the entries that it names are refused, the others are sent again, and in smaller
 * batches if it names none.
 */
const divide = (interval: OpenInterval, items: readonly OpenEntry[], refusal: KpiError): void => {
  const { passRefusal, hasTaken, all } = interval
  const named = reasonsByPlace(refusal, items.length)
  const [first] = items
  if (named.size === 0 && items.length === 1 && first) {
    if (!hasTaken()) endIfAllRefused(all, refusal)
    return passRefusal(first, reasonsOf(refusal))
  }
  for (const [at, item] of items.entries()) {
    const reasons = named.get(at)
    if (reasons) refuseNamed(interval, item, reasons)
    else {
      // A service may store all entries but the refused ones. A request that is too large to be read stores nothing.
      item.isUnknown = item.isAfterRefusal = refusal.code !== 'too_large'
      if (named.size === 0) item.most = Math.ceil(items.length / 2)
    }
  }
}

/** Records a batch that got no answer; if that happens again, later batches are smaller. */
const noteLostBatch = ({ run: { capabilities, touch } }: OpenInterval, items: readonly OpenEntry[]): void => {
  touch()
  for (const item of items) noteLoss(item)
  const isAgain = items.every(({ losses }) => losses >= LOST_IN_A_ROW)
  if (!isAgain || items.length <= NEVER_TOO_MANY) return
  capabilities.halveBatches(items.length)
  for (const item of items) item.losses = 0
}

/** Learns from an error that a service takes no batches; returns whether the error says that. */
const learnsNoBatches = ({ capabilities }: ThirdPartyRun, error: unknown): boolean => {
  if (capabilities.known().takesBatches === true) return false
  if (isNoPath(error)) capabilities.learn({ takesBatches: false })
  else if (!(error instanceof KpiError && error.code === 'unsupported')) return false
  capabilities.avoidBatches()
  return true
}

/** Sends entries as one batch; returns the failure if another try may help. */
const postBatch = async (interval: OpenInterval, items: readonly OpenEntry[]): Promise<KpiError | undefined> => {
  const { run } = interval
  try {
    const drafts = items.map(({ draft }) => draft)
    interval.noteSent(items)
    const answer = await run.client.entries.putMany(drafts, nameOf(run, items))
    run.touch()
    run.lostAnswers.note(false)
    const unproven = checkBatchAnswer(answer, items.length)
    if (unproven) return noteDoubt(items, unproven, run.capabilities.known().takesBatches === true)
    run.capabilities.learn({ takesBatches: true })
    run.capabilities.noteBatch(items.length)
    const tally = emptyTally()
    countResult(tally, answer.counts, items.length)
    interval.count(items, tally)
    return undefined
  } catch (error) {
    if (learnsNoBatches(run, error)) return undefined
    if (mayBeDone(error)) noteLostBatch(interval, items)
    else if (isRefused(error) && !(isNoPath(error) && run.capabilities.known().takesBatches === true)) {
      divide(interval, items, error)
      return undefined
    }
    return failureOf(error)
  }
}

/** Cuts entries into batches of at most `most` entries. */
function* batchesOf(items: readonly OpenEntry[], most: number): Generator<OpenEntry[]> {
  let batch: OpenEntry[] = []
  for (const item of items) {
    const [first = item] = batch
    if (batch.length >= Math.min(most, first.most) || (batch.length > 0 && item.most !== first.most)) {
      yield batch
      batch = []
    }
    batch.push(item)
  }
  if (batch.length > 0) yield batch
}

const writeBatches = async (interval: OpenInterval, items: readonly OpenEntry[]): Promise<KpiError | undefined> => {
  const { signal, capabilities } = interval.run
  for (const batch of batchesOf(items, capabilities.mostInBatch())) {
    if (signal.aborted || !sendsBatches(interval.run)) return undefined
    const failure = await postBatch(interval, batch)
    if (failure) return failure
  }
  return undefined
}

/** Sends an entry by itself: a stored entry is updated by its id, as adding it again may make a second one. */
const sendOne = (run: ThirdPartyRun, item: OpenEntry): Promise<Put> => {
  const { client } = run
  const { draft, found } = item
  const id = found?.ids.at(-1)
  if (id === undefined) return client.entries.put(draft, nameOf(run, [item]))
  const { actual, target, notes } = draft
  return client.entries.change(id, {
    ...(actual !== undefined && { actual }),
    ...(target !== undefined && { target }),
    ...(notes !== undefined && { notes }),
  })
}

/**
 * Throws if not the entry is missing but the service: if its list of entries is gone, too, every later request would
 * get the same answer.
 */
const requireExistingService = async (
  { client, reference }: ThirdPartyRun,
  item: OpenEntry,
  error: KpiError,
): Promise<void> => {
  if (error.code !== 'not_found') return
  // The users and KPIs of new entries were found, so it is the path to add an entry that is missing.
  if (!item.found && reference.kpis.unread === undefined)
    throw new KpiError('unavailable', `${error.message}: entries cannot be added there now`, { cause: error })
  try {
    await client.entries.page({ from: FIRST_ENTRY_DAY, to: LAST_ENTRY_DAY })
  } catch (failure) {
    if (!(failure instanceof KpiError) || failure.code !== 'not_found') return
    throw new KpiError('unavailable', `${error.message}: there is no list of entries any more`, { cause: error })
  }
}

/** Handles the refusal of a single entry. If the stored entry may explain it, it is looked up first, once. */
const takeRefusal = async (interval: OpenInterval, item: OpenEntry, refusal: KpiError): Promise<void> => {
  const { run, passRefusal, hasTaken, all } = interval
  await requireExistingService(run, item, refusal)
  const isOfStored = item.found ? refusal.code === 'not_found' : refusal.code === 'conflict'
  item.refusals += 1
  if (isOfStored && item.refusals === 1 && item.found !== undefined) {
    // A proxy may have sent the request twice.
    run.touch()
    item.isUnknown = true
    item.refusal = reasonsOf(refusal)
    return
  }
  if (!hasTaken()) endIfAllRefused(all, refusal)
  passRefusal(item, reasonsOf(refusal))
}

/** Sends an entry by itself; returns the failure if another try may help. */
const writeOne = async (interval: OpenInterval, item: OpenEntry): Promise<KpiError | undefined> => {
  const { run, done } = interval
  const { found } = item
  try {
    interval.noteSent([item])
    const put = await sendOne(run, item)
    run.touch()
    const unproven = checkEntryAnswer(put, item.draft, found)
    if (unproven) return noteDoubt([item], unproven, run.capabilities.provesEntries)
    run.capabilities.provesEntries = true
    if (found) done(item, 'updated')
    else if (found === null || put.isCreated === true) done(item, 'created')
    else done(item, put.isCreated === false ? 'updated' : 'sent')
    return undefined
  } catch (error) {
    if (mayBeDone(error)) {
      run.touch()
      noteLoss(item)
    } else if (isRefused(error)) {
      await takeRefusal(interval, item, error)
      return undefined
    }
    return failureOf(error)
  }
}

const writeSingles = async (interval: OpenInterval, items: readonly OpenEntry[]): Promise<KpiError | undefined> => {
  const { signal } = interval.run
  let failure: KpiError | undefined
  async function* untilFailure(): AsyncGenerator<OpenEntry> {
    for (const item of items) {
      if (signal.aborted || failure) return
      yield item
    }
  }
  await runConcurrently(
    untilFailure(),
    () => SINGLES_UNDER_WAY,
    async (item) => {
      failure = (await writeOne(interval, item)) ?? failure
    },
  )
  return failure
}

/**
 * Sends entries once: new ones in batches if the service takes them, existing ones by their ids. Entries that are
 * proven to be stored, or refused, are done; the others are marked with what is known. Returns the failure if another
 * try may help.
 */
export const writeOnce = async (interval: OpenInterval, items: readonly OpenEntry[]): Promise<KpiError | undefined> => {
  const { run } = interval
  const { batches = [], singles = [] } = Object.groupBy(items, (item) =>
    goesInBatch(run, item) ? 'batches' : 'singles',
  )
  return (await writeBatches(interval, batches)) ?? (await writeSingles(interval, singles))
}
