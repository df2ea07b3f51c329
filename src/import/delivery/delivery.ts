import type { Client } from '../../client/client.ts'
import type { Clock } from '../../client/transport.ts'
import { BATCH_LIMIT, type EntryDraft } from '../../domain/resources/entry.ts'
import { type Standing, type StoredEntry, storedKey } from '../existing/existing-entries.ts'
import { keyOf } from '../journal/entry-key.ts'
import type { Journal } from '../journal/journal.ts'
import { addTally, emptyTally, refuseLines, type Tally } from '../journal/tally.ts'
import type { Reference } from '../reference.ts'
import type { Capabilities } from '../third-party/capabilities.ts'
import type { Doubt } from '../third-party/response-check.ts'
import type { LostAnswers } from './retry.ts'
import type { Intended } from './write-ahead.ts'

/** What sending works with. */
export type Sending = {
  readonly client: Client
  /** Whether the service is the bundled one, which does a request with an Idempotency-Key once, and is believed. */
  readonly isBundled: boolean
  /** Whether actuals are added to what is stored, so that nothing may be sent again that may have been done. */
  readonly isAdding: boolean
  /** Whether what others have entered is not to be written over. */
  readonly keepsOthers: boolean
  /** To be called where something may have been stored of what has not come to an end. */
  readonly touch: () => void
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly journal: Journal
  readonly capabilities: Capabilities
  readonly lostAnswers: LostAnswers
  readonly reference: Reference
  /** Tells of something once, however often it is met; `about` is what. */
  readonly remark: (about: 'rounding' | 'several' | 'unlisted', text: string) => void
  /** What was stored before anything was sent. */
  readonly standing: Standing
  /** What is stored now, asked anew. */
  readonly now: Standing
}

/** Why a row is rejected that was not to be written over. */
export const ENTERED_MEANWHILE = 'there is an entry by now, which came while this row was sent, and is left alone'

/** Why a row is rejected of which nobody can tell whether it was stored. */
export const LOST =
  'the answer was lost, so it may or may not have been stored; look at what is stored before you import it again'

/** An entry on its way to a third-party service. */
export type Item = {
  readonly draft: EntryDraft
  readonly lines: number | readonly number[]
  /** Holds what was stored before it was first sent: null is nothing, undefined that nobody knows. */
  before: Pick<StoredEntry, 'ids'> | StoredEntry | null | undefined
  /** Holds what was stored when it was last looked at, in the same way. */
  found: StoredEntry | null | undefined
  /** Tells that it may have been stored by a request without an answer that proves it. */
  isUnknown: boolean
  /** Tells that this is only because a batch with it was refused, of which a service may have stored a part. */
  isAfterRefusal: boolean
  /** Keeps the last answer that proved nothing, and counts them. */
  doubt: Doubt | undefined
  doubts: number
  /** Keeps the reasons of the last refusal that what is stored now may explain, and counts them. */
  refusal: readonly string[] | undefined
  refusals: number
  /** Counts the requests with it, one after the other, that got no answer. */
  losses: number
  /** Bounds the entries of a batch with it. */
  most: number
}

/** Names what became of an entry that is stored as it was sent. */
type Outcome = 'created' | 'updated' | 'unchanged' | 'sent'

/** Takes what became of so many entries, which came from so many lines. */
export type Sink = (tally: Tally, lines: number, entries: number) => void

/** An interval on its way to a third-party service: what is left of it, and what became of the rest. */
export type Delivery = {
  readonly sending: Sending
  readonly interval: number
  readonly all: Tally
  readonly isLeft: (item: Item) => boolean
  /** Counts entries that a service has counted. */
  readonly count: (items: readonly Item[], tally: Tally) => void
  readonly done: (item: Item, outcome: Outcome) => void
  readonly refuse: (item: Item, reasons: readonly string[]) => void
  /** Tells whether the service has taken any entry of it. */
  readonly hasTaken: () => boolean
}

export const entryKeyOf = ({ draft }: Pick<Item, 'draft'>): string => storedKey(...keyOf(draft))

const countLines = ({ lines }: Item): number => (typeof lines === 'number' ? 1 : lines.length)

/** Makes the entries of an interval ready to go. */
export const itemsOf = ({ batch: { drafts, lines }, isUnknown }: Intended): Item[] =>
  drafts.map((draft, at) => ({
    draft,
    lines: lines[at] ?? 0,
    before: undefined,
    found: undefined,
    isUnknown,
    isAfterRefusal: false,
    doubt: undefined,
    doubts: 0,
    refusal: undefined,
    refusals: 0,
    losses: 0,
    most: BATCH_LIMIT,
  }))

/** Keeps account of an interval; `sink` is told of each part that comes to its end. */
export const createDelivery = (sending: Sending, interval: number, items: readonly Item[], sink: Sink): Delivery => {
  const left = new Set(items)
  const all = emptyTally()
  const count: Delivery['count'] = (some, tally) => {
    addTally(all, tally)
    for (const item of some) left.delete(item)
    sink(
      tally,
      some.reduce((total, item) => total + countLines(item), 0),
      some.length,
    )
  }
  return {
    sending,
    interval,
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
