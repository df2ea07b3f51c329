import { BATCH_LIMIT, type EntryDraft } from '../../domain/resources/entry.ts'
import type { Run, Sink } from '../delivery/delivery.ts'
import type { UnprovenAnswer } from '../../client/operations/batch-answer.ts'
import type { JournaledInterval } from '../delivery/write-ahead.ts'
import { type ExistingEntries, type ExistingEntry, type ExistingEntryMap } from '../existing/existing-entries.ts'
import { keyOf, storedKey } from '../../domain/entry-key.ts'
import { addTally, emptyTally, refuseLines, type Tally } from '../../runs/entries/tally.ts'
import type { Reference } from '../../reading/directory/reference.ts'
import type { Capabilities } from './capabilities.ts'

/** Holds what the delivery to a third-party service needs. */
export type ThirdPartyRun = Run & {
  /** Tells that entries of other people must not be overwritten (`--on-conflict skip` and `error`). */
  readonly keepsOthers: boolean
  readonly capabilities: Capabilities
  readonly reference: Reference
  /** Shows a warning only the first time; `about` says what it is about. */
  readonly warnOnce: (about: 'rounding' | 'several' | 'unlisted', text: string) => void
  /** Finds what was stored before the run sent anything. */
  readonly existing: ExistingEntries
  /** Finds what is stored now; it asks the service at each call. */
  readonly now: ExistingEntries
}

/** Says why a row is rejected that would overwrite what someone else has entered. */
export const ENTERED_MEANWHILE = 'someone else added this entry while the row was sent; it is left alone'

/** Describes an entry on its way to a third-party service. */
export type OpenEntry = {
  readonly draft: EntryDraft
  readonly lines: number | readonly number[]
  /** Holds what was stored before the entry was first sent; null if nothing was, undefined if nobody knows. */
  before: Pick<ExistingEntry, 'ids'> | ExistingEntry | null | undefined
  /** Holds what was stored at the last look; null and undefined as above. */
  found: ExistingEntry | null | undefined
  /** Tells that the entry may have been stored, by a request whose answer did not prove it. */
  isUnknown: boolean
  /**
   * Tells that the outcome is unknown only because a batch with the entry was refused: a service may have stored part
   * of that batch.
   */
  isAfterRefusal: boolean
  /** Holds the last answer that proved nothing; `unprovenCount` counts such answers. */
  unproven: UnprovenAnswer | undefined
  unprovenCount: number
  /** Holds the reasons of the last refusal that the stored entry may explain; `refusals` counts refusals. */
  refusal: readonly string[] | undefined
  refusals: number
  /** Counts the requests in a row with this entry that got no answer. */
  losses: number
  /** Sets the most entries of a batch that holds this one. */
  most: number
}

/** Names the outcome of an entry that is stored as it was sent. */
type Outcome = 'created' | 'updated' | 'unchanged' | 'sent'

/**
 * Describes an interval that is being sent to a third-party service: which entries are left, and the outcome of the
 * others.
 */
export type OpenInterval = {
  readonly run: ThirdPartyRun
  /** Identifies the interval in the journal. */
  readonly id: number
  readonly all: Tally
  readonly isLeft: (item: OpenEntry) => boolean
  /** Settles entries with counts that the service has returned. */
  readonly count: (items: readonly OpenEntry[], tally: Tally) => void
  readonly done: (item: OpenEntry, outcome: Outcome) => void
  readonly refuse: (item: OpenEntry, reasons: readonly string[]) => void
  /** Receives what is stored of entries, beside which they are noted in the undo receipt once they are sent. */
  readonly setStored: (items: readonly OpenEntry[], stored: ExistingEntryMap | undefined) => void
  /** Notes entries in the undo receipt that are about to be sent. Those that are sent never must not count as stored. */
  readonly noteSent: (items: readonly OpenEntry[]) => void
  /** Takes an entry of which nothing is stored out of the undo receipt. */
  readonly forget: (item: OpenEntry) => void
  /** Refuses an entry as the service has, so that nothing of it is stored, unless an answer was lost before. */
  readonly passRefusal: (item: OpenEntry, reasons: readonly string[]) => void
  /** Tells whether the service has accepted any entry of the interval. */
  readonly hasTaken: () => boolean
}

export const entryKeyText = ({ draft }: Pick<OpenEntry, 'draft'>): string => storedKey(...keyOf(draft))

const countLines = ({ lines }: OpenEntry): number => (typeof lines === 'number' ? 1 : lines.length)

/** Returns the entries of an interval, ready to be sent. */
export const openEntries = ({ batch: { drafts, lines }, isUnknown }: JournaledInterval): OpenEntry[] =>
  drafts.map((draft, at) => ({
    draft,
    lines: lines[at] ?? 0,
    before: undefined,
    found: undefined,
    isUnknown,
    isAfterRefusal: false,
    unproven: undefined,
    unprovenCount: 0,
    refusal: undefined,
    refusals: 0,
    losses: 0,
    most: BATCH_LIMIT,
  }))

/** Opens an interval; `sink` receives the outcome of each part as soon as it is settled. */
export const openInterval = (run: ThirdPartyRun, id: number, items: readonly OpenEntry[], sink: Sink): OpenInterval => {
  const left = new Set(items)
  const all = emptyTally()
  const count: OpenInterval['count'] = (some, tally) => {
    addTally(all, tally)
    for (const item of some) left.delete(item)
    sink(
      tally,
      some.reduce((total, item) => total + countLines(item), 0),
      some.length,
    )
  }
  const refuse: OpenInterval['refuse'] = (item, reasons) => {
    const tally = emptyTally()
    refuseLines(tally, item.lines, reasons)
    count([item], tally)
  }
  const drafts = items.map(({ draft }) => draft)
  const unnoted = new Set<OpenEntry>()
  let storedBefore: ExistingEntryMap | undefined
  const forget: OpenInterval['forget'] = ({ draft }) => run.notes.refuse(drafts, [draft])
  return {
    run,
    id,
    all,
    isLeft: (item) => left.has(item),
    count,
    done: (item, outcome) => count([item], { ...emptyTally(), [outcome]: 1 }),
    refuse,
    setStored: (some, stored) => {
      storedBefore = stored
      for (const item of some) unnoted.add(item)
    },
    noteSent: (some) => {
      const fresh = some.filter((item) => unnoted.delete(item)).map(({ draft }) => draft)
      if (fresh.length === 0 || !run.notes.isWanted()) return
      run.notes.note(fresh, storedBefore)
      run.notes.sync()
    },
    forget,
    passRefusal: (item, reasons) => {
      if (item.losses === 0) forget(item)
      refuse(item, reasons)
    },
    hasTaken: () => all.created + all.updated + all.sent > 0,
  }
}
