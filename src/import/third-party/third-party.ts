import { Stopped } from '../../client/transport.ts'
import { formatDay } from '../../domain/day.ts'
import type { KpiError } from '../../domain/errors.ts'
import {
  createDelivery,
  type Delivery,
  entryKeyOf,
  type Item,
  itemsOf,
  type Sending,
  type Sink,
} from '../delivery/delivery.ts'
import { mustAnswer, pauseFor } from '../delivery/retry.ts'
import type { Intended } from '../delivery/write-ahead.ts'
import { type StoredEntry, storedKey } from '../existing/existing-entries.ts'
import { hasNumbersOf, holds } from './matching.ts'
import { probeListing, probeUpdates } from './probe.ts'
import { notRecognised } from './recognize.ts'
import { findIds, LATER_LOOKS, noteLag, readNow, readPersistently, reconcile } from './reconcile.ts'
import { sendsBatches, writeOnce } from './upsert-entries.ts'

/** Bounds how long after it was sent an entry is looked for that the service does not list, and how often. */
const LISTED_WITHIN_MS = 60_000
const PAUSE_MS = 5000
/** Adds how long the run that sent it had looked for it. */
const LOOKED_MS = LATER_LOOKS.reduce((sum, pause) => sum + pause)

/**
 * Looks for an entry that an earlier run has sent and not found listed, and ends the run where it is not found now, either:
 * it is not sent once more, unless the answer to it proved nothing.
 */
const mustBeListed = async (sending: Sending, items: readonly Item[]): Promise<void> => {
  const { capabilities, clock, signal } = sending
  const { unlisted } = capabilities.known()
  const item = unlisted && items.find((one) => entryKeyOf(one) === unlisted.key)
  if (!item) return
  for (;;) {
    const entry = (await readNow(sending, [item]))?.get(unlisted.key)
    if (entry && hasNumbersOf(entry, item.draft)) {
      item.before = item.found = entry
      capabilities.learn({ isRecognised: true, unlisted: undefined })
      // A run that comes much later cannot tell how late the list was.
      noteLag(sending, LOOKED_MS + Math.min(LISTED_WITHIN_MS, clock.now() - unlisted.at))
      return
    }
    if (clock.now() - unlisted.at > LISTED_WITHIN_MS) break
    await clock.sleep(PAUSE_MS, signal)
    if (signal.aborted) throw new Stopped('stopped')
  }
  if (unlisted.isProven) throw await notRecognised(sending, item, undefined)
  capabilities.learn({ unlisted: undefined })
}

/** Bounds the single entries that are sent before those in doubt are looked at together. */
const SINGLES_A_LOOK = 100
/** Bounds the batches without an answer, where none had one before, until entries go by themselves. */
const BATCHES_IN_VAIN = 3

/** Ends batches for this run where no answer to one comes. */
const noteVain = ({ sending: { capabilities } }: Delivery, failures: number): void => {
  if (failures >= BATCHES_IN_VAIN && capabilities.known().takesBatches !== true) capabilities.avoidsBatches = true
}

/** Sends entries until each has come to its end; waits where the service fails, and throws where it goes on failing. */
const deliver = async (delivery: Delivery, items: readonly Item[]): Promise<void> => {
  const { sending, isLeft } = delivery
  let open = items.filter(isLeft)
  let failures = 0
  while (open.length > 0) {
    if (sending.signal.aborted) throw new Stopped('stopped')
    mustAnswer(sending.lostAnswers, 'batches')
    await findIds(delivery, open)
    const failure: KpiError | undefined = await writeOnce(delivery, open)
    if (failure) {
      noteVain(delivery, failures + 1)
      await pauseFor(sending, failure, failures)
    }
    await reconcile(delivery, open.filter(isLeft))
    const left = open.filter(isLeft)
    failures = failure && left.length === open.length ? failures + 1 : 0
    open = left
  }
}

/** Waits until a list that is late shows what an earlier run has written. */
const waitForList = async ({ capabilities, clock, signal }: Sending): Promise<void> => {
  const rest = capabilities.settledAt - clock.now()
  if (rest <= 0) return
  await clock.sleep(rest, signal)
  if (signal.aborted) throw new Stopped('stopped')
}

/** Takes note that something was written, where the list shows it late. */
const noteWrite = ({ capabilities, clock }: Sending): void => {
  if (capabilities.known().lagMs !== undefined) capabilities.learn({ wroteAt: clock.now() })
}

/** Tells of entries that stand beside each other where there should be one. */
const noteSeveral = ({ remark }: Sending, { draft }: Item, { ids }: StoredEntry): void => {
  const whose = `for the same user and KPI ${draft.kpi_id} on ${formatDay(draft.entry_date)}`
  remark(
    'several',
    `the service holds ${ids.length} entries ${whose} (${ids.join(', ')}), and maybe more such: reports add them up, and only the latest is changed; look which are wrong, and remove them`,
  )
}

/** Marks what is stored of entries before they are sent; those that hold what would be sent have come to their end. */
const lookFirst = async ({ sending, done }: Delivery, items: readonly Item[]): Promise<void> => {
  const { capabilities, keepsOthers, reference, standing } = sending
  // A service that updates what is stored need not be asked what that is.
  if (capabilities.known().updatesInBatches && sendsBatches(sending) && !keepsOthers) return
  await waitForList(sending)
  const stored = await readPersistently(sending, standing, items)
  if (!stored) {
    sending.remark(
      'unlisted',
      'the service does not list its entries: rows that are there already may be there twice after this; look before you import them again',
    )
    return
  }
  for (const item of items) {
    const entry = stored.get(entryKeyOf(item)) ?? null
    item.before = item.found = entry
    if (entry && entry.ids.length > 1) noteSeveral(sending, item, entry)
    const isOpen = entry?.isTargetOpen && typeof item.draft.target === 'bigint'
    if (entry && !isOpen && holds(reference, entry, item.draft)) done(item, 'unchanged')
  }
}

/** Takes over what an earlier part of the run wrote down of entries that it tried the service with. */
const recallTried = ({ journal }: Sending, interval: number, items: readonly Item[]): void => {
  const tried = new Map(journal.ones(interval).map(({ key, known }) => [storedKey(...key), known ?? []]))
  for (const item of items) {
    const ids = tried.get(entryKeyOf(item))
    if (ids) item.before = ids.length > 0 ? { ids } : null
  }
}

/** Cuts entries into parts that are sent before any of them is looked at again. */
const partsOf = (sending: Sending, items: readonly Item[]): (readonly Item[])[] => {
  if (sendsBatches(sending)) return [items]
  const count = Math.ceil(items.length / SINGLES_A_LOOK)
  return Array.from({ length: count }, (_, at) => items.slice(at * SINGLES_A_LOOK, (at + 1) * SINGLES_A_LOOK))
}

/**
 * Sends an interval to a third-party service, and tells of each entry what became of it. What an answer does not prove is
 * read back, and what is not stored is sent again; no entry is added that is known to be stored, as that may make a second
 * one of it. The first entry of a run shows whether what is sent can be recognised in what the service lists.
 */
export const sendToThirdParty = async (sending: Sending, intended: Intended, sink: Sink): Promise<Delivery> => {
  const items = itemsOf(intended)
  const delivery = createDelivery(sending, intended.id, items, sink)
  if (intended.isUnknown) {
    // With --on-conflict skip and error only what was not there is sent.
    if (sending.keepsOthers) for (const item of items) item.before = null
    recallTried(sending, intended.id, items)
    await reconcile(delivery, items, true)
  } else await lookFirst(delivery, items)
  const open = items.filter(delivery.isLeft)
  await findIds(delivery, open)
  await mustBeListed(sending, open)
  await probeListing(delivery, open, deliver)
  await probeUpdates(delivery, open.filter(delivery.isLeft))
  for (const part of partsOf(sending, open)) await deliver(delivery, part)
  noteWrite(sending)
  return delivery
}
