import { BATCH_LIMIT, type EntryDraft } from '../../domain/resources/entry.ts'
import { keyOf } from '../journal/key.ts'
import { storedKey, type StoredEntry } from '../standing/standing.ts'
import type { Intended } from './intend.ts'
import type { Doubt } from './response-check.ts'
import type { Sending } from './sending.ts'
import { addTally, emptyTally, refuseLines, type Tally } from './tally.ts'

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
export type Outcome = 'created' | 'updated' | 'unchanged' | 'sent'

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
