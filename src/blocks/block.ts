import { compareOwners } from '../domain/entry-key.ts'

/** Describes a row on its way to the service or the rejects: a key of three numbers, its line, and its values. */
export type BlockRow = {
  readonly first: number
  readonly second: number
  readonly third: number
  /** Holds the line of the row; in a wide file the place of the cell. */
  readonly line: number
  readonly flags: number
  readonly actual: bigint
  readonly target: bigint
  /** Holds the notes; empty if there are none. */
  readonly text: string
}

/**
 * Holds many rows in typed arrays, one for each column: this takes a tenth of the memory of objects, and is written to
 * a file as it is.
 */
export type Block = {
  count: number
  readonly first: Float64Array
  readonly second: Float64Array
  /** Holds the actual and target of each row, one after the other. */
  readonly values: BigInt64Array
  /** Views the memory of `values` as 32-bit halves, because numbers are copied faster than bigints. */
  readonly halves: Int32Array
  readonly third: Int32Array
  readonly line: Float64Array
  readonly flags: Uint8Array
  readonly text: string[]
  readonly memory: ArrayBuffer
}

const BYTES_A_ROW = 5 * 8 + 4 + 1
const HEAD_BYTES = 8

/** Returns a block over the given memory. The eight-byte columns come first so that all are aligned. */
const blockOver = (memory: ArrayBuffer, capacity: number, text: string[]): Block => ({
  count: 0,
  first: new Float64Array(memory, 0, capacity),
  second: new Float64Array(memory, capacity * 8, capacity),
  values: new BigInt64Array(memory, capacity * 16, capacity * 2),
  halves: new Int32Array(memory, capacity * 16, capacity * 4),
  line: new Float64Array(memory, capacity * 32, capacity),
  third: new Int32Array(memory, capacity * 40, capacity),
  flags: new Uint8Array(memory, capacity * 44, capacity),
  text,
  memory,
})

/** Creates an empty block with room for `capacity` rows. */
export const createBlock = (capacity: number): Block => blockOver(new ArrayBuffer(capacity * BYTES_A_ROW), capacity, [])

/** Returns a larger block with the rows of another. */
export const enlarge = (block: Block, capacity: number): Block => {
  const larger = blockOver(new ArrayBuffer(capacity * BYTES_A_ROW), capacity, block.text)
  larger.count = block.count
  larger.first.set(block.first)
  larger.second.set(block.second)
  larger.third.set(block.third)
  larger.line.set(block.line)
  larger.flags.set(block.flags)
  larger.values.set(block.values)
  return larger
}

/** Adds a row at the end; there must be room. */
export const pushRow = (block: Block, row: BlockRow): void => {
  const at = block.count++
  block.first[at] = row.first
  block.second[at] = row.second
  block.third[at] = row.third
  block.line[at] = row.line
  block.flags[at] = row.flags
  block.values[at * 2] = row.actual
  block.values[at * 2 + 1] = row.target
  block.text[at] = row.text
}

/** Adds a row of another block at the end; there must be room. */
export const copyRow = (from: Block, at: number, to: Block): void => {
  const end = to.count++
  to.first[end] = from.first[at] as number
  to.second[end] = from.second[at] as number
  to.third[end] = from.third[at] as number
  to.line[end] = from.line[at] as number
  to.flags[end] = from.flags[at] as number
  for (let half = 0; half < 4; half += 1) to.halves[end * 4 + half] = from.halves[at * 4 + half] as number
  to.text[end] = from.text[at] as string
}

/** Compares two rows, of one block or of two: by key, then line. */
export const compareRows = (left: Block, at: number, right: Block, other: number): number =>
  compareOwners(left.first[at] as number, right.first[other] as number) ||
  (left.second[at] as number) - (right.second[other] as number) ||
  (left.third[at] as number) - (right.third[other] as number) ||
  (left.line[at] as number) - (right.line[other] as number)

/** Returns the number at a place that must be in the column. */
export const numberAt = (column: Float64Array | Int32Array | Uint8Array, at: number): number => column[at] as number

/** Returns the bigint at a place that must be in the column. */
export const bigintAt = (column: BigInt64Array, at: number): bigint => column[at] as bigint

/** Returns the text at a place that must be in the column. */
export const textAt = (column: readonly string[], at: number): string => column[at] as string

/** Returns a full block of the rows at the given places. */
export const gather = (block: Block, places: Uint32Array): Block => {
  const copy = createBlock(places.length)
  for (const at of places) copyRow(block, at, copy)
  return copy
}

/** Returns a full block as bytes: the number of rows, the number of bytes of text, the columns, the texts. */
export const blockToBytes = ({ count, memory, text }: Block): Buffer => {
  const texts = Buffer.from(text.some((one) => one !== '') ? JSON.stringify(text) : '')
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32LE(count, 0)
  head.writeUInt32LE(texts.length, 4)
  return Buffer.concat([head, Buffer.from(memory), texts])
}

/**
 * Reads a block back; returns `undefined` at the end. `take` returns the next bytes, fewer only at the end of the run;
 * its buffer is valid until the next call.
 */
export const blockFromBytes = (take: (bytes: number) => Buffer): Block | undefined => {
  const head = take(HEAD_BYTES)
  if (head.length < HEAD_BYTES) return undefined
  const [count, textBytes] = [head.readUInt32LE(0), head.readUInt32LE(4)]
  const memory = new ArrayBuffer(count * BYTES_A_ROW)
  Buffer.from(memory).set(take(memory.byteLength))
  const texts = textBytes > 0 ? (JSON.parse(take(textBytes).toString()) as string[]) : Array<string>(count).fill('')
  const block = blockOver(memory, count, texts)
  block.count = count
  return block
}
