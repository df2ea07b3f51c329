import { storedKey } from '../../domain/entry-key.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import { prefetchExisting } from '../existing/prefetch.ts'
import { readsFirst } from '../existing/planned-action.ts'
import type { ImportRun } from '../prepare/import-types.ts'
import type { ImportOptions } from '../../reading/options/options.ts'
import type { Prepared } from '../prepare/prepare.ts'
import { addTally } from '../../runs/entries/tally.ts'
import type { Delivery, Run, Sink } from '../delivery/delivery.ts'
import { addToThirdParty } from './add-entries.ts'
import { openCapabilities } from './capabilities.ts'
import { LATER_LOOKS } from '../../client/retry.ts'
import { Aborted } from '../../client/transport.ts'
import { formatDay } from '../../domain/day.ts'
import type { KpiError } from '../../domain/errors.ts'
import {
  entryKeyText,
  type OpenEntry,
  openEntries,
  openInterval,
  type OpenInterval,
  type ThirdPartyRun,
} from './open-interval.ts'
import { createBackoff, endIfAnswersAreLost, pause } from '../delivery/retry.ts'
import { countLines, type JournaledInterval, withdraw } from '../delivery/write-ahead.ts'
import { type ExistingEntries, type ExistingEntry } from '../existing/existing-entries.ts'
import { hasNumbersOf, holdsDraft } from './matching.ts'
import { probeListing, probeUpdates } from './probe.ts'
import { unrecognizedError } from './recognize.ts'
import { findIds, noteLag, readNow, readWithRetries, reconcile } from './reconcile.ts'
import { sendsBatches, writeOnce } from './upsert-entries.ts'

/** Sets until how long after it was sent to look for an unlisted entry, and the pause between looks. */
const LISTED_WITHIN_MS = 60_000
const PAUSE_MS = 5000
/** Holds how long the run that sent the entry had looked for it. */
const LOOKED_MS = LATER_LOOKS.reduce((sum, pause) => sum + pause)

/**
 * Looks for an entry that an earlier run sent and did not find in the list. If it is still missing the run ends,
 * because it must not be sent again; if the answer to it proved nothing, the run goes on.
 */
const requireListed = async (run: ThirdPartyRun, items: readonly OpenEntry[]): Promise<void> => {
  const { capabilities, clock } = run
  const { unlisted } = capabilities.known()
  const item = unlisted && items.find((one) => entryKeyText(one) === unlisted.key)
  if (!item) return
  for (;;) {
    const entry = (await readNow(run, [item]))?.get(unlisted.key)
    if (entry && hasNumbersOf(entry, item.draft)) {
      item.before = item.found = entry
      capabilities.learn({ isRecognised: true, unlisted: undefined })
      // A run that comes much later cannot tell how late the list was.
      noteLag(run, LOOKED_MS + Math.min(LISTED_WITHIN_MS, clock.now() - unlisted.at))
      return
    }
    if (clock.now() - unlisted.at > LISTED_WITHIN_MS) break
    await pause(run, PAUSE_MS)
  }
  if (unlisted.isProven) throw await unrecognizedError(run, item, undefined)
  capabilities.learn({ unlisted: undefined })
}

/** Sets how many single entries are sent before those in doubt are looked up together. */
const SINGLES_A_LOOK = 100
/** Sets how many batches may get no answer, if none had one before, until entries are sent one by one. */
const BATCHES_IN_VAIN = 3

/** Stops sending batches for some time if they get no answers; one that is tried again has no further try. */
const noteVain = ({ run }: OpenInterval, failures: number): void => {
  const { capabilities } = run
  if (!sendsBatches(run) || capabilities.known().takesBatches === true) return
  if (failures >= BATCHES_IN_VAIN || capabilities.doubtsBatches()) capabilities.avoidBatches()
}

/** Sends entries until each has an outcome; pauses after failures, and throws if the service keeps failing. */
const sendUntilDone = async (interval: OpenInterval, items: readonly OpenEntry[]): Promise<void> => {
  const { run, isLeft } = interval
  let open = items.filter(isLeft)
  const backoff = createBackoff(run)
  while (open.length > 0) {
    if (run.signal.aborted) throw new Aborted('stopped')
    endIfAnswersAreLost(run.lostAnswers, 'batches')
    await findIds(interval, open)
    const failure: KpiError | undefined = await writeOnce(interval, open)
    if (failure) {
      noteVain(interval, backoff.failures() + 1)
      await backoff.pause(failure)
    }
    await reconcile(interval, open.filter(isLeft))
    const left = open.filter(isLeft)
    if (!failure || left.length < open.length) backoff.reset()
    open = left
  }
}

/** Waits until a lagging list shows what an earlier run has written. */
const waitForList = async (run: ThirdPartyRun): Promise<void> => {
  const rest = run.capabilities.settledAt - run.clock.now()
  if (rest > 0) await pause(run, rest)
}

/** Records the time of a write if the list is known to lag. */
const noteWrite = ({ capabilities, clock }: ThirdPartyRun): void => {
  if (capabilities.known().lagMs !== undefined) capabilities.learn({ wroteAt: clock.now() })
}

/** Warns of several entries with the same key. */
const noteSeveral = ({ warnOnce }: ThirdPartyRun, { draft }: OpenEntry, { ids }: ExistingEntry): void => {
  const whose = `for the same user and KPI ${draft.kpi_id} on ${formatDay(draft.entry_date)}`
  warnOnce(
    'several',
    `the service holds ${ids.length} entries ${whose} (${ids.join(', ')}), and maybe more like these: reports add them up, and this import changes only the latest; find out which are wrong, and delete them`,
  )
}

/** Looks up the existing entries of drafts before these are sent; entries that already hold the values are done. */
const lookFirst = async (interval: OpenInterval, items: readonly OpenEntry[]): Promise<void> => {
  const { run, done } = interval
  const { capabilities, keepsOthers, reference, existing } = run
  // If batches update stored entries, there is no need to know them, except to note what becomes of them.
  const isNeeded = keepsOthers || !sendsBatches(run) || !capabilities.known().updatesInBatches
  if (!isNeeded && !run.notes.isWanted()) return
  await waitForList(run)
  const stored = await readWithRetries(run, existing, items)
  interval.setStored(items, stored)
  if (!isNeeded) return
  if (!stored) {
    run.warnOnce(
      'unlisted',
      'the service does not list its entries, so rows that are stored already may be stored twice now; check before you import them again',
    )
    return
  }
  for (const item of items) {
    const entry = stored.get(entryKeyText(item)) ?? null
    item.before = item.found = entry
    if (entry && entry.ids.length > 1) noteSeveral(run, item, entry)
    const isOpen = entry?.isTargetOpen && typeof item.draft.target === 'bigint'
    if (entry && !isOpen && holdsDraft(reference, entry, item.draft)) done(item, 'unchanged')
  }
}

/** Looks up entries that an earlier part of the run was about to send and that are not stored, to note what becomes of them. */
const noteOpen = async ({ run, setStored }: OpenInterval, items: readonly OpenEntry[]): Promise<void> => {
  if (run.notes.isWanted() && items.length > 0) setStored(items, await readWithRetries(run, run.existing, items))
}

/** Takes over the ids that an earlier part of the run journaled for entries that it tried the service with. */
const recallTried = ({ journal }: ThirdPartyRun, intervalId: number, items: readonly OpenEntry[]): void => {
  const tried = new Map(journal.ones(intervalId).map(({ key, known }) => [storedKey(...key), known ?? []]))
  for (const item of items) {
    const ids = tried.get(entryKeyText(item))
    if (ids) item.before = ids.length > 0 ? { ids } : null
  }
}

/** Cuts entries into parts; after each part, the entries in doubt are looked up. */
const partsOf = (run: ThirdPartyRun, items: readonly OpenEntry[]): (readonly OpenEntry[])[] => {
  if (sendsBatches(run)) return [items]
  const count = Math.ceil(items.length / SINGLES_A_LOOK)
  return Array.from({ length: count }, (_, at) => items.slice(at * SINGLES_A_LOOK, (at + 1) * SINGLES_A_LOOK))
}

/**
 * Sends an interval to a third-party service. What an answer does not prove is read back, and what is not stored is
 * sent again. No entry is added that is known to be stored, as that may make a second one. The first entry of a run
 * shows whether sent entries can be recognized in the service's list.
 */
const upsertInterval = async (run: ThirdPartyRun, journaled: JournaledInterval, sink: Sink): Promise<OpenInterval> => {
  const items = openEntries(journaled)
  const interval = openInterval(run, journaled.id, items, sink)
  if (journaled.isUnknown) {
    // With --on-conflict skip and error, only entries are sent for which nothing was stored.
    if (run.keepsOthers) for (const item of items) item.before = null
    recallTried(run, journaled.id, items)
    await reconcile(interval, items, true)
    await noteOpen(interval, items.filter(interval.isLeft))
  } else await lookFirst(interval, items)
  const open = items.filter(interval.isLeft)
  await findIds(interval, open)
  await requireListed(run, open)
  await probeListing(interval, open, sendUntilDone)
  await probeUpdates(interval, open.filter(interval.isLeft))
  for (const part of partsOf(run, open)) await sendUntilDone(interval, part)
  noteWrite(run)
  return interval
}

/** Holds the parts of a prepared file that this delivery uses. */
type KnownBefore = Pick<Prepared, 'reference' | 'existing' | 'readAhead'>

/**
 * Finds what was stored before anything was sent. By default it reads all entries of the file at the first call; with
 * `--on-conflict add`, or if they are read already, it uses the reader of the prepared file.
 */
const existingBefore = (options: ImportOptions, { existing, readAhead }: KnownBefore): ExistingEntries => {
  if (options.onConflict === 'add' || readsFirst(options)) return existing
  let ahead: ExistingEntries | undefined
  return {
    of: (drafts) => (ahead ??= readAhead()).of(drafts),
    close: () => ahead?.close(),
  }
}

/**
 * Reads what is stored now, in few requests; if the report does not show an entry as it would be sent, it is read from
 * the list.
 */
const existingNow = ({ client, folder }: ImportRun, { reference }: KnownBefore): ExistingEntries => ({
  of: async (drafts) => {
    const isUnsure = (draft: EntryDraft, stored: ExistingEntry): boolean => !holdsDraft(reference, stored, draft)
    const existing = prefetchExisting({ client, reference, folder, drafts: () => [drafts], isUnsure })
    try {
      return await existing.of(drafts)
    } finally {
      existing.close()
    }
  },
  close: () => undefined,
})

/** Returns a function that passes on the first warning about each topic. */
const warningOnce = (warn: ImportRun['onWarning']): ThirdPartyRun['warnOnce'] => {
  const warned = new Set<string>()
  return (about, text) => {
    if (!warned.has(about)) warn(text)
    warned.add(about)
  }
}

/**
 * Sends an interval, and acknowledges it in the journal; if it fails and nothing of it can have been stored, it is
 * removed from the journal.
 */
const deliver = async (run: ThirdPartyRun, journaled: JournaledInterval, sink: Sink): Promise<void> => {
  const { id, batch, intent, lines, isUnknown } = journaled
  let isTouched = isUnknown
  const touch = (): void => {
    isTouched = true
    run.touch()
  }
  try {
    const send = run.isAdding ? addToThirdParty : upsertInterval
    const { all } = await send({ ...run, touch }, journaled, sink)
    sink(intent.stage, lines - countLines(batch), intent.count - batch.drafts.length)
    addTally(all, intent.stage)
    run.journal.acknowledge(id, all)
  } catch (error) {
    if (isTouched) run.touch()
    else withdraw(run, journaled)
    throw error
  }
}

/**
 * Creates the delivery to a third-party service, of which only the interface is known. It probes what the service can
 * do and checks its answers; what these do not prove, it reads back before it sends anything again.
 */
export const createThirdPartyDelivery = (work: ImportRun, prepared: KnownBefore, base: Run): Delivery => {
  const { clock, options, learnedPath } = work
  const run: ThirdPartyRun = {
    ...base,
    keepsOthers: options.onConflict === 'skip' || options.onConflict === 'error',
    capabilities: openCapabilities(learnedPath, clock.now),
    reference: prepared.reference,
    warnOnce: warningOnce(work.onWarning),
    existing: existingBefore(options, prepared),
    now: existingNow(work, prepared),
  }
  return {
    way: run.isAdding ? 'one' : 'batch',
    // For a journaled interval nobody can tell what was done, so only as many are journaled as are sent at once.
    journaledAhead: 1,
    // The first interval goes alone, to find out whether the service takes batches, and accepts anything.
    mayOverlap: () => run.capabilities.known().takesBatches === true,
    deliver: (journaled, sink) => deliver(run, journaled, sink),
  }
}
