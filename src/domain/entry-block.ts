import type { Day } from './day.ts'
import type { Decimal } from './decimal.ts'
import type { SourcesOfUsers } from './entry-key.ts'
import type { EntryDraft } from './resources/entry.ts'
import type { ParsedFields } from './schema.ts'

/** Names the columns of decimals. */
type DecimalColumn = 'actual' | 'target'

/** Holds two bits for each value of an entry: given or cleared; if neither is set, the stored value is kept. */
export const ACTUAL = { given: 1, cleared: 2 }
export const TARGET = { given: 4, cleared: 8 }
export const NOTES = { given: 16, cleared: 32 }
/** Tells that the actual is added to the stored one. */
export const ADDS = 128

/**
 * Holds many entries as columns, which take a tenth of the memory of objects: the owner of each, a user or, negative, a
 * breakdown item, its KPI and day, which of its values it gives, and these. Decimals count ten-thousandths; one that a double
 * would not hold exactly is NaN, and among the `large` ones.
 */
export type EntryBlock = {
  count: number
  readonly owner: Float64Array
  readonly kpi: Float64Array
  readonly day: Int32Array
  readonly flags: Uint8Array
  readonly actual: Float64Array
  readonly target: Float64Array
  /** Holds the decimals that are no exact doubles, by the place of the entry. */
  readonly large: { readonly actual: Map<number, Decimal>; readonly target: Map<number, Decimal> }
  /** Holds notes by the place of the entry; there is none where an entry gives none. */
  readonly notes: (string | undefined)[]
  /** Holds the breakdown items that entries name beside their users, so that the service compares the two. */
  sources: SourcesOfUsers
}

const NO_SOURCES: SourcesOfUsers = new Map()

/** Creates an empty block with room for so many entries. */
export const createEntryBlock = (capacity: number): EntryBlock => ({
  count: 0,
  owner: new Float64Array(capacity),
  kpi: new Float64Array(capacity),
  day: new Int32Array(capacity),
  flags: new Uint8Array(capacity),
  actual: new Float64Array(capacity),
  target: new Float64Array(capacity),
  large: { actual: new Map(), target: new Map() },
  notes: [],
  sources: NO_SOURCES,
})

/** Puts a decimal into a column of a block. */
export const putDecimal = (block: EntryBlock, column: DecimalColumn, at: number, value: Decimal): void => {
  const units = Number(value)
  if (Number.isSafeInteger(units)) block[column][at] = units
  else {
    block[column][at] = NaN
    block.large[column].set(at, value)
  }
}

/** Returns a decimal of a block. */
export const decimalAt = (block: EntryBlock, column: DecimalColumn, at: number): Decimal => {
  const units = block[column][at] ?? 0
  return Number.isNaN(units) ? (block.large[column].get(at) ?? 0n) : BigInt(units)
}

const bitsOf = (value: unknown, { given, cleared }: typeof ACTUAL): number =>
  value === undefined ? 0 : value === null ? cleared : given

/** Adds an entry at the end, which must have room; it names its owner by one id. */
const pushDraft = (block: EntryBlock, draft: Partial<EntryDraft>): void => {
  const { user_id, source_id, kpi_id = 0, entry_date = 0, actual, target, notes, addToActual } = draft
  const at = block.count++
  block.owner[at] = typeof user_id === 'number' ? user_id : -(source_id ?? 0)
  block.kpi[at] = kpi_id
  block.day[at] = entry_date
  block.flags[at] =
    bitsOf(actual, ACTUAL) | bitsOf(target, TARGET) | bitsOf(notes, NOTES) | (addToActual === true ? ADDS : 0)
  if (typeof actual === 'bigint') putDecimal(block, 'actual', at, actual)
  if (typeof target === 'bigint') putDecimal(block, 'target', at, target)
  if (typeof notes === 'string') block.notes[at] = notes
}

/** Returns entries, each of which names its owner by ids, as a block. */
export const blockOf = (drafts: readonly EntryDraft[]): EntryBlock => {
  const block = createEntryBlock(drafts.length)
  const sources = new Map<number, number>()
  for (const draft of drafts) {
    pushDraft(block, draft)
    if (typeof draft.user_id === 'number' && typeof draft.source_id === 'number')
      sources.set(draft.user_id, draft.source_id)
  }
  block.sources = sources
  return block
}

/** Returns the number at a place that must be in the column. */
export const numberAt = (column: Float64Array | Int32Array | Uint8Array | Uint32Array, at: number): number =>
  column[at] ?? 0

/** Returns the draft of an entry of a block. */
export const draftAt = (block: EntryBlock, at: number): EntryDraft => {
  const flags = numberAt(block.flags, at)
  const owner = numberAt(block.owner, at)
  const kpi_id = numberAt(block.kpi, at)
  const entry_date: Day = numberAt(block.day, at)
  const draft: EntryDraft =
    owner < 0 ? { source_id: -owner, kpi_id, entry_date } : { user_id: owner, kpi_id, entry_date }
  if (flags & ACTUAL.given) draft.actual = decimalAt(block, 'actual', at)
  else if (flags & ACTUAL.cleared) draft.actual = null
  if (flags & TARGET.given) draft.target = decimalAt(block, 'target', at)
  else if (flags & TARGET.cleared) draft.target = null
  if (flags & NOTES.given) draft.notes = block.notes[at] ?? ''
  else if (flags & NOTES.cleared) draft.notes = null
  if (flags & ADDS) draft.addToActual = true
  const source = block.sources.size > 0 ? block.sources.get(owner) : undefined
  if (source !== undefined) draft.source_id = source
  return draft
}

/**
 * Holds entries that were sent: as columns, and by their places those that cannot be: an entry that names its owner otherwise
 * than by one id, or keeps a value although it gives another, or that has faults. Such an entry has a place in the block, with
 * nothing in it.
 */
export type SentEntries = {
  readonly block: EntryBlock
  readonly others: ReadonlyMap<number, ParsedFields<EntryDraft>>
}

/** Tells whether an entry can stand in a block. */
const isPlain = ({ values, issues }: ParsedFields<EntryDraft>): boolean => {
  const { user_id, email, source_id, setActual, setTarget, setNotes, kpi_id, entry_date } = values
  const names = [user_id, email, source_id].filter((name) => (name ?? null) !== null)
  return (
    issues.length === 0 &&
    names.length === 1 &&
    (email ?? null) === null &&
    (user_id ?? source_id ?? 0) > 0 &&
    kpi_id !== undefined &&
    entry_date !== undefined &&
    setActual !== false &&
    setTarget !== false &&
    setNotes !== false
  )
}

/** Collects entries that were sent. */
export class EntryCollector implements SentEntries {
  readonly block: EntryBlock
  readonly others = new Map<number, ParsedFields<EntryDraft>>()

  constructor(capacity: number) {
    this.block = createEntryBlock(capacity)
  }

  /** Adds an entry as it could be read. */
  add(sent: ParsedFields<EntryDraft>): void {
    if (isPlain(sent)) pushDraft(this.block, sent.values)
    else this.others.set(this.block.count++, sent)
  }
}

/** Returns an entry as it was sent. */
export const sentAt = ({ block, others }: SentEntries, at: number): ParsedFields<EntryDraft> =>
  others.get(at) ?? { values: draftAt(block, at), issues: [] }
