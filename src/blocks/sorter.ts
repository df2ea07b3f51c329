import {
  type Block,
  blockFromBytes,
  type BlockRow,
  blockToBytes,
  compareRows,
  copyRow,
  createBlock,
  emptyBlock,
  enlarge,
  gather,
  pushRow,
} from './block.ts'
import { createSpillFile, type SpillFile } from '../files/spill-file.ts'

/** Sorts any number of rows in constant memory: sorted runs are written to a spill file, and merged. */
export type Sorter = {
  readonly add: (row: BlockRow) => void
  readonly size: () => number
  /**
   * Tells whether a key may be there twice: not if owners came one after the other in one direction, and the KPIs and
   * days of each in order.
   */
  readonly mayRepeat: () => boolean
  /**
   * Yields all rows in full blocks, by key, then line, then in the order in which they were added; only the last block
   * may be shorter. It yields one reused block: copy what you keep.
   */
  readonly blocks: (rows: number) => Generator<Block>
  /** Removes all rows. */
  readonly clear: () => void
  /** Removes the file. */
  readonly close: () => void
}

const RUN_ROWS = 1 << 17
/** Sets the rows of the first block, as most files are small; a full block grows by `GROWTH` times. */
const FIRST_ROWS = 1 << 10
const GROWTH = 8
const FILE_BLOCK_ROWS = 1 << 10

/** Returns the places of a block's rows in their order. */
const sortedPlaces = (block: Block): Uint32Array => {
  const places = Uint32Array.from({ length: block.count }, (_, at) => at)
  const isSorted = places.every((at) => at === 0 || compareRows(block, at - 1, block, at) <= 0)
  return isSorted ? places : places.sort((left, right) => compareRows(block, left, block, right))
}

/** Yields a block's rows in their order, a slice at a time. */
function* sortedSlices(block: Block): Generator<Block> {
  const places = sortedPlaces(block)
  for (let start = 0; start < places.length; start += FILE_BLOCK_ROWS) {
    yield gather(block, places.subarray(start, start + FILE_BLOCK_ROWS))
  }
}

/** Describes the position of a run in the file, in bytes. */
type SortedRun = { readonly from: number; readonly to: number }

const writeRun = (spillFile: SpillFile, block: Block): SortedRun => {
  const from = spillFile.size()
  for (const slice of sortedSlices(block)) spillFile.append(blockToBytes(slice))
  return { from, to: spillFile.size() }
}

function* readRun(spillFile: SpillFile, { from, to }: SortedRun): Generator<Block> {
  let [place, bytes] = [from, Buffer.alloc(0)]
  const take = (count: number): Buffer => {
    if (bytes.length < count) bytes = Buffer.allocUnsafe(count)
    const taken = bytes.subarray(0, Math.min(count, to - place))
    place += spillFile.read(taken, place)
    return taken
  }
  for (let block = blockFromBytes(take); block; block = blockFromBytes(take)) yield block
}

/** Describes the position of the merge in one run; runs are numbered in the order in which they were filled. */
type Cursor = { readonly run: Iterator<Block>; readonly number: number; block: Block; at: number }

/** Compares cursors by their rows; equal rows come in the order in which they were added. */
const compareCursors = (left: Cursor, right: Cursor): number =>
  compareRows(left.block, left.at, right.block, right.at) || left.number - right.number

/** Moves a cursor to the next row; returns false at the end of its run. */
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

/** Inserts a cursor into a sorted list. */
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
        emptyBlock(block)
      }
      more = advance(least)
    }
    if (more) insertSorted(cursors, least)
  }
  if (block.count > 0) yield block
}

/** Creates a sorter that keeps rows that do not fit in memory in a spill file within `folder`. */
export const createSorter = (folder: string, runRows = RUN_ROWS): Sorter => {
  let capacity = Math.min(FIRST_ROWS, runRows)
  let block = createBlock(capacity)
  let spillFile: SpillFile | undefined
  const runs: SortedRun[] = []
  const spill = (): void => {
    spillFile ??= createSpillFile(folder)
    runs.push(writeRun(spillFile, block))
    emptyBlock(block)
  }
  const makeRoom = (): void => {
    if (capacity === runRows) return spill()
    capacity = Math.min(capacity * GROWTH, runRows)
    block = enlarge(block, capacity)
  }
  let [mayRepeat, isBegun, owner, kpi, day, direction] = [false, false, 0, 0, 0, 0]
  const compareToLast = (row: BlockRow): void => {
    if (row.owner === owner) mayRepeat = isBegun && (row.kpi < kpi || (row.kpi === kpi && row.day <= day))
    else if (isBegun) {
      const way = row.owner > owner ? 1 : -1
      mayRepeat = direction === -way
      direction = way
    }
    isBegun = true
    ;({ owner, kpi, day } = row)
  }
  const laidDown = (): Generator<Block>[] => {
    const from = spillFile
    return from ? runs.map((run) => readRun(from, run)) : []
  }
  return {
    add: (row) => {
      if (!mayRepeat) compareToLast(row)
      if (block.count === capacity) makeRoom()
      pushRow(block, row)
    },
    size: () => runs.length * runRows + block.count,
    mayRepeat: () => mayRepeat,
    blocks: (rows) => merge([...laidDown(), sortedSlices(block)], rows),
    clear: () => {
      ;[mayRepeat, isBegun, direction] = [false, false, 0]
      spillFile?.close()
      spillFile = undefined
      runs.length = 0
      emptyBlock(block)
    },
    close: () => spillFile?.close(),
  }
}
