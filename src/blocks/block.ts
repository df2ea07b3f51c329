import type { Decimal } from '../domain/decimal.ts'
import { type EntryBlock, putDecimal } from '../domain/entry-block.ts'
import { compareOwners } from '../domain/entry-key.ts'

/**
 * Describes a row on its way to the service or the rejects: the three numbers by which it is sorted, those of an entry being
 * its owner, KPI and day, its line, and its values.
 */
export type BlockRow = {
  readonly owner: number
  readonly kpi: number
  readonly day: number
  /** Holds the line of the row; in a wide file the place of the cell. */
  readonly line: number
  readonly flags: number
  readonly actual: Decimal
  readonly target: Decimal
  /** Holds the notes; empty if there are none. */
  readonly notes: string
  /** Holds the rounded-away digits of the actual, if they are needed; see `digitsBeyond`. */
  readonly beyond: string
}

/** Holds many rows as columns, over memory that is written to a file as it is. */
export type Block = EntryBlock & {
  readonly line: Float64Array
  readonly beyond: (string | undefined)[]
  readonly memory: ArrayBuffer
}

const BYTES_A_ROW = 5 * 8 + 4 + 1
const HEAD_BYTES = 8

/** Returns a block over the given memory. The eight-byte columns come first so that all are aligned. */
const blockOver = (memory: ArrayBuffer, capacity: number): Block => ({
  count: 0,
  owner: new Float64Array(memory, 0, capacity),
  kpi: new Float64Array(memory, capacity * 8, capacity),
  actual: new Float64Array(memory, capacity * 16, capacity),
  target: new Float64Array(memory, capacity * 24, capacity),
  line: new Float64Array(memory, capacity * 32, capacity),
  day: new Int32Array(memory, capacity * 40, capacity),
  flags: new Uint8Array(memory, capacity * 44, capacity),
  large: { actual: new Map(), target: new Map() },
  notes: [],
  sources: new Map(),
  beyond: [],
  memory,
})

/** Creates an empty block with room for `capacity` rows. */
export const createBlock = (capacity: number): Block => blockOver(new ArrayBuffer(capacity * BYTES_A_ROW), capacity)

const NUMBERS = ['owner', 'kpi', 'day', 'line', 'flags', 'actual', 'target'] as const
const TEXTS = ['notes', 'beyond'] as const
const DECIMALS = ['actual', 'target'] as const

/** Removes all rows. */
export const emptyBlock = (block: Block): void => {
  block.count = 0
  for (const name of TEXTS) block[name].length = 0
  for (const name of DECIMALS) block.large[name].clear()
}

/** Returns a larger block with the rows of another. */
export const enlarge = (block: Block, capacity: number): Block => {
  const larger = createBlock(capacity)
  for (const name of NUMBERS) larger[name].set(block[name])
  const { count, large, notes, beyond } = block
  return { ...larger, count, large, notes, beyond }
}

/** Adds a row at the end; there must be room. */
export const pushRow = (block: Block, row: BlockRow): void => {
  const at = block.count++
  block.owner[at] = row.owner
  block.kpi[at] = row.kpi
  block.day[at] = row.day
  block.line[at] = row.line
  block.flags[at] = row.flags
  putDecimal(block, 'actual', at, row.actual)
  putDecimal(block, 'target', at, row.target)
  if (row.notes !== '') block.notes[at] = row.notes
  if (row.beyond !== '') block.beyond[at] = row.beyond
}

/** Copies the values of an entry from one block to a place in another. */
export const copyEntry = (from: EntryBlock, at: number, to: EntryBlock, end: number): void => {
  to.owner[end] = from.owner[at] ?? 0
  to.kpi[end] = from.kpi[at] ?? 0
  to.day[end] = from.day[at] ?? 0
  to.flags[end] = from.flags[at] ?? 0
  for (const name of DECIMALS) {
    const units = from[name][at] ?? 0
    to[name][end] = units
    if (Number.isNaN(units)) to.large[name].set(end, from.large[name].get(at) ?? 0n)
  }
  const notes = from.notes[at]
  if (notes !== undefined) to.notes[end] = notes
}

/** Adds a row of another block at the end; there must be room. */
export const copyRow = (from: Block, at: number, to: Block): void => {
  const end = to.count++
  copyEntry(from, at, to, end)
  to.line[end] = from.line[at] ?? 0
  const beyond = from.beyond[at]
  if (beyond !== undefined) to.beyond[end] = beyond
}

/** Returns the notes of a row; empty if there are none. */
export const notesAt = ({ notes }: Pick<EntryBlock, 'notes'>, at: number): string => notes[at] ?? ''

/** Returns the rounded-away digits of a row's actual, if they were kept. */
export const beyondAt = ({ beyond }: Pick<Block, 'beyond'>, at: number): string => beyond[at] ?? ''

/** Compares two rows, of one block or of two: by key, then line. */
export const compareRows = (left: Block, at: number, right: Block, other: number): number =>
  compareOwners(left.owner[at] ?? 0, right.owner[other] ?? 0) ||
  (left.kpi[at] ?? 0) - (right.kpi[other] ?? 0) ||
  (left.day[at] ?? 0) - (right.day[other] ?? 0) ||
  (left.line[at] ?? 0) - (right.line[other] ?? 0)

/** Returns a full block of the rows at the given places. */
export const gather = (block: Block, places: Uint32Array): Block => {
  const copy = createBlock(places.length)
  for (const at of places) copyRow(block, at, copy)
  return copy
}

/** Holds what a block has beside numbers: texts, and decimals too large for a double, each with its place. */
type Rest = { readonly [Name in (typeof TEXTS)[number]]: (readonly [at: number, text: string])[] } & {
  readonly large: { readonly [Name in (typeof DECIMALS)[number]]: (readonly [at: number, text: string])[] }
}

const textsOf = (texts: readonly (string | undefined)[]): (readonly [number, string])[] =>
  Object.entries(texts).flatMap(([at, text]) => (text === undefined ? [] : [[Number(at), text] as const]))

const largeOf = (decimals: ReadonlyMap<number, Decimal>): (readonly [number, string])[] =>
  [...decimals].map(([at, value]) => [at, String(value)] as const)

const hasRest = ({ notes, beyond, large }: Block): boolean =>
  notes.length > 0 || beyond.length > 0 || large.actual.size > 0 || large.target.size > 0

const restOf = ({ notes, beyond, large }: Block): Rest => ({
  notes: textsOf(notes),
  beyond: textsOf(beyond),
  large: { actual: largeOf(large.actual), target: largeOf(large.target) },
})

const putRest = (block: Block, { large, ...texts }: Rest): void => {
  for (const name of TEXTS) for (const [at, text] of texts[name]) block[name][at] = text
  for (const name of DECIMALS) for (const [at, text] of large[name]) block.large[name].set(at, BigInt(text))
}

/** Returns a full block as bytes: the number of rows, the number of bytes of the rest, the columns, the rest. */
export const blockToBytes = (block: Block): Buffer => {
  const rest = Buffer.from(hasRest(block) ? JSON.stringify(restOf(block)) : '')
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(block.count, 0)
  head.writeUInt32LE(rest.length, 4)
  return Buffer.concat([head, Buffer.from(block.memory), rest])
}

/**
 * Reads a block back; returns `undefined` at the end. `take` returns the next bytes, fewer only at the end of the run;
 * its buffer is valid until the next call.
 */
export const blockFromBytes = (take: (bytes: number) => Buffer): Block | undefined => {
  const head = take(HEAD_BYTES)
  if (head.length < HEAD_BYTES) return undefined
  const [count, restBytes] = [head.readUInt32LE(0), head.readUInt32LE(4)]
  const memory = new ArrayBuffer(count * BYTES_A_ROW)
  Buffer.from(memory).set(take(memory.byteLength))
  const block = blockOver(memory, count)
  block.count = count
  if (restBytes > 0) putRest(block, JSON.parse(take(restBytes).toString()) as Rest)
  return block
}
