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
  /** What was stored before it was first sent: null is nothing, undefined that nobody knows. */
  before: Pick<StoredEntry, 'ids'> | StoredEntry | null | undefined
  /** What was seen to be stored when it was last looked at, in the same way. */
  found: StoredEntry | null | undefined
  /** Whether it may have been stored by a request without an answer that proves it. */
  isUnknown: boolean
  /** Whether that is so only as a batch with it was refused, of which a service may have stored a part. */
  isAfterRefusal: boolean
  /** The last answer that proved nothing, and how many there were. */
  doubt: Doubt | undefined
  doubts: number
  /** The reasons of the last refusal that what is stored now may explain, and how many there were. */
  refusal: readonly string[] | undefined
  refusals: number
  /** How many requests with it in a row got no answer. */
  losses: number
  /** How many entries there may be in a batch with it. */
  most: number
}

/** What became of an entry that is stored as it was sent. */
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
  /** Whether the service has taken any entry of it. */
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
