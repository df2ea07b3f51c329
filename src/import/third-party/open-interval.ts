import { BATCH_LIMIT, type EntryDraft } from '../../domain/resources/entry.ts'
import type { Run, Sink } from '../delivery/delivery.ts'
import type { UnprovenAnswer } from '../delivery/batch-answer.ts'
import type { JournaledInterval } from '../delivery/write-ahead.ts'
import { type ExistingEntries, type ExistingEntry, storedKey } from '../existing/existing-entries.ts'
import { keyOf } from '../entry-key.ts'
import { addTally, emptyTally, refuseLines, type Tally } from '../journal/tally.ts'
import type { Reference } from '../reference.ts'
import type { Capabilities } from './capabilities.ts'

/** Holds what sending to a third-party service works with. */
export type ThirdPartyRun = Run & {
  /** Tells that what others have entered is not to be overwritten (`--on-conflict skip` and `error`). */
  readonly keepsOthers: boolean
  readonly capabilities: Capabilities
  readonly reference: Reference
  /** Warns of something once, however often it is met; `about` is what. */
  readonly warnOnce: (about: 'rounding' | 'several' | 'unlisted', text: string) => void
  /** Finds what was stored before anything was sent. */
  readonly existing: ExistingEntries
  /** Finds what is stored now, asked anew. */
  readonly now: ExistingEntries
}

/** Says why a row is rejected that was not to overwrite what others have entered. */
export const ENTERED_MEANWHILE = 'someone else added this entry while the row was sent; it is left alone'

/** Describes an entry on its way to a third-party service. */
export type OpenEntry = {
  readonly draft: EntryDraft
  readonly lines: number | readonly number[]
  /** Holds what was stored before it was first sent: null is nothing, undefined that nobody knows. */
  before: Pick<ExistingEntry, 'ids'> | ExistingEntry | null | undefined
  /** Holds what was stored when it was last looked at, in the same way. */
  found: ExistingEntry | null | undefined
  /** Tells that it may have been stored by a request without an answer that proves it. */
  isUnknown: boolean
  /** Tells that its outcome is unknown only because its batch was refused and may be stored in part. */
  isAfterRefusal: boolean
  /** Keeps the last answer that proved nothing, and counts them. */
  unproven: UnprovenAnswer | undefined
  unprovenCount: number
  /** Keeps the reasons of the last refusal that an existing entry may explain, and counts them. */
  refusal: readonly string[] | undefined
  refusals: number
  /** Counts the requests with it, one after the other, that got no answer. */
  losses: number
  /** Bounds the entries of a batch with it. */
  most: number
}

/** Names what became of an entry that is stored as it was sent. */
type Outcome = 'created' | 'updated' | 'unchanged' | 'sent'

/** Describes an interval on its way to a third-party service: what is left of it, and what became of the rest. */
export type OpenInterval = {
  readonly run: ThirdPartyRun
  /** Numbers the interval in the journal. */
  readonly id: number
  readonly all: Tally
  readonly isLeft: (item: OpenEntry) => boolean
  /** Counts entries that a service has counted. */
  readonly count: (items: readonly OpenEntry[], tally: Tally) => void
  readonly done: (item: OpenEntry, outcome: Outcome) => void
  readonly refuse: (item: OpenEntry, reasons: readonly string[]) => void
  /** Tells whether the service has taken any entry of it. */
  readonly hasTaken: () => boolean
}

export const entryKeyText = ({ draft }: Pick<OpenEntry, 'draft'>): string => storedKey(...keyOf(draft))

const countLines = ({ lines }: OpenEntry): number => (typeof lines === 'number' ? 1 : lines.length)

/** Makes the entries of an interval ready to go. */
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

/** Opens an interval, whose parts are counted as they come to an end; `sink` takes each. */
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
  return {
    run,
    id,
    all,
    isLeft: (item) => left.has(item),
    count,
    done: (item, outcome) => count([item], { ...emptyTally(), [outcome]: 1 }),
    refuse: (item, reasons) => {
      const tally = emptyTally()
      refuseLines(tally, item.lines, reasons)
      count([item], tally)
    },
    hasTaken: () => all.created + all.updated + all.sent > 0,
  }
}
