import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Block,
  type BlockRow,
  blockFromBytes,
  blockToBytes,
  compareRows,
  copyRow,
  createBlock,
  gather,
  pushRow,
} from './block.ts'
import { fileError } from './files.ts'

/** Sorts any number of rows in constant memory: runs that fit are sorted and laid down in files, then merged. */
export type Sorter = {
  readonly add: (row: BlockRow) => void
  readonly size: () => number
  /**
   * All rows by key, then line, then as they were added, in full blocks of so many; only the last may be shorter. It is
   * one block, filled again and again: what is to stay must be taken out.
   */
  readonly blocks: (rows: number) => Generator<Block>
  /** Forgets all rows. */
  readonly clear: () => void
  /** Removes the files. */
  readonly close: () => void
}

const RUN_ROWS = 1 << 17
const FILE_BLOCK_ROWS = 1 << 10

/** The places of a block's rows in their order. */
const sortedPlaces = (block: Block): Uint32Array => {
  const places = Uint32Array.from({ length: block.count }, (_, at) => at)
  const isSorted = places.every((at) => at === 0 || compareRows(block, at - 1, block, at) <= 0)
  return isSorted ? places : places.sort((left, right) => compareRows(block, left, block, right))
}

/** A block's rows in their order, a slice at a time. */
function* sortedSlices(block: Block): Generator<Block> {
  const places = sortedPlaces(block)
  for (let start = 0; start < places.length; start += FILE_BLOCK_ROWS) {
    yield gather(block, places.subarray(start, start + FILE_BLOCK_ROWS))
  }
}

const writeRun = (path: string, block: Block): void => {
  const file = openSync(path, 'wx', 0o600)
  try {
    for (const slice of sortedSlices(block)) {
      const bytes = blockToBytes(slice)
      for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done)
    }
  } finally {
    closeSync(file)
  }
}

function* readRun(path: string): Generator<Block> {
  const file = openSync(path, 'r')
  let bytes = Buffer.alloc(0)
  const take = (count: number): Buffer => {
    if (bytes.length < count) bytes = Buffer.allocUnsafe(count)
    let end = 0
    for (let read = 1; end < count && read > 0; end += read) read = readSync(file, bytes, end, count - end, null)
    return bytes.subarray(0, end)
  }
  try {
    for (let block = blockFromBytes(take); block; block = blockFromBytes(take)) yield block
  } finally {
    closeSync(file)
  }
}

/** Where the merge is in one run; runs are numbered in the order in which they were filled. */
type Cursor = { readonly run: Iterator<Block>; readonly number: number; block: Block; at: number }

/** Rows that are alike come in the order in which they were added. */
const compareCursors = (left: Cursor, right: Cursor): number =>
  compareRows(left.block, left.at, right.block, right.at) || left.number - right.number

/** Moves a cursor on; false at the end of its run. */
const advance = (cursor: Cursor): boolean => {
  cursor.at += 1
  if (cursor.at < cursor.block.count) return true
  const { value, done } = cursor.run.next()
  if (done) return false
  cursor.block = value
  cursor.at = 0
  return true
}

const openCursors = (runs: readonly Iterator<Block>[]): Cursor[] =>
  runs.flatMap((run, number) => {
    const { value, done } = run.next()
    return done ? [] : [{ run, number, block: value, at: 0 }]
  })

/** Puts a cursor into its place among sorted ones. */
const insertSorted = (cursors: Cursor[], cursor: Cursor): void => {
  const before = cursors.findLastIndex((other) => compareCursors(other, cursor) < 0)
  cursors.splice(before + 1, 0, cursor)
}

function* merge(runs: readonly Iterator<Block>[], rows: number): Generator<Block> {
  const cursors: Cursor[] = []
  for (const cursor of openCursors(runs)) insertSorted(cursors, cursor)
  const block = createBlock(rows)
  for (let least = cursors.shift(); least; least = cursors.shift()) {
    const [next] = cursors
    let more = true
    while (more && (!next || compareCursors(least, next) < 0)) {
      copyRow(least.block, least.at, block)
      if (block.count === rows) {
        yield block
        block.count = 0
      }
      more = advance(least)
    }
    if (more) insertSorted(cursors, least)
  }
  if (block.count > 0) yield block
}

/** A sorter that keeps what does not fit in memory in a folder of its own within `folder`. */
export const createSorter = (folder: string, runRows = RUN_ROWS): Sorter => {
  const block = createBlock(runRows)
  let home: string | undefined
  const runs: string[] = []
  const spill = (): void => {
    try {
      home ??= mkdtempSync(join(folder, 'kpi-sort-'))
      const path = join(home, String(runs.length))
      writeRun(path, block)
      runs.push(path)
    } catch (error) {
      throw fileError(error, 'write', `the temporary folder ${folder}`)
    }
    block.count = 0
  }
  const close = (): void => {
    if (home !== undefined) rmSync(home, { recursive: true, force: true })
  }
  return {
    add: (row) => {
      if (block.count === runRows) spill()
      pushRow(block, row)
    },
    size: () => runs.length * runRows + block.count,
    blocks: (rows) => merge([...runs.map(readRun), sortedSlices(block)], rows),
    clear: () => {
      close()
      home = undefined
      runs.length = 0
      block.count = 0
    },
    close,
  }
}
