import { nextTurn } from '../../client/next-turn.ts'
import { setImmediate } from 'node:timers/promises'
import { createHash } from 'node:crypto'
import { KpiError } from '../../domain/errors.ts'
import { createSpillFile } from '../../files/spill-file.ts'
import type { ByteSum } from '../source/files.ts'
import type { Row, StoredNumbers, FormatFinding, HeaderFinder, ParsedFormat, Table } from '../source/table.ts'
import { parseRow, rowLine } from './row-line.ts'

/** Sets how many characters are collected before they are written. */
const BLOCK_LENGTH = 1 << 16
const CHUNK_BYTES = 1 << 18
const LINE_END = 0x0a
/** Bounds the temporary file, which takes some ten bytes a cell. */
const MOST_BYTES = 900 * 1024 ** 2

/** Holds rows in a temporary file, from which they can be read more than once; nothing is left of it at the end. */
export type RowSpill = {
  /** Adds a row, without the blank cells at its end; a blank row is left out. */
  readonly add: (line: number, cells: readonly string[], numbers?: StoredNumbers) => void
  /** Adds rows that are written as lines already, in parts that may end anywhere. */
  readonly append: (lines: Uint8Array) => void
  /** Yields the rows, once all were added. */
  readonly rows: () => AsyncGenerator<readonly Row[]>
  /** Returns the sum of the rows. */
  readonly sum: () => ByteSum
  readonly close: () => void
}

/** Creates a temporary file of rows; `name` is the file's name for errors. */
export const createRowSpill = (folder: string, name: string): RowSpill => {
  const file = createSpillFile(folder)
  const hash = createHash('sha256')
  let block = ''
  const append = (bytes: Uint8Array): void => {
    hash.update(bytes)
    file.append(bytes)
    if (file.size() > MOST_BYTES) {
      throw new KpiError(
        'malformed',
        `cannot read ${name}: its rows take more than 900 MiB; split them into several sheets or files`,
      )
    }
  }
  const flush = (): void => {
    const bytes = Buffer.from(block)
    block = ''
    append(bytes)
  }
  let sum: ByteSum | undefined
  const finish = (): ByteSum => {
    if (!sum) {
      flush()
      sum = { sha256: hash.digest('hex'), bytes: file.size() }
    }
    return sum
  }
  return {
    add: (line, cells, numbers) => {
      block += rowLine(line, cells, numbers)
      if (block.length > BLOCK_LENGTH) flush()
    },
    append,
    rows: async function* () {
      finish()
      let rest: Buffer = Buffer.alloc(0)
      for (let place = 0; place < file.size();) {
        const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, file.size() - place))
        place += file.read(chunk, place)
        const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
        const end = bytes.lastIndexOf(LINE_END) + 1
        rest = bytes.subarray(end)
        if (end > 0)
          yield bytes
            .toString('utf8', 0, end - 1)
            .split('\n')
            .map(parseRow)
        // Let signals and timers run.
        await setImmediate()
      }
    },
    sum: finish,
    close: file.close,
  }
}

/**
 * Takes the next row: its line, its cells, and which of them are numbers. Once it has taken many, it returns what to
 * wait for.
 */
export type OnRow = (line: number, cells: readonly string[], numbers: StoredNumbers) => Promise<void> | undefined

/** Sets after how many cells signals and timers may run. */
const CELLS_PER_TURN = 1 << 16

/** Adds rows to a temporary file, with pauses in which signals and timers run. */
export const addInTurns = ({ add }: RowSpill, signal: AbortSignal | undefined): OnRow => {
  let cellCount = 0
  return (line, cells, numbers) => {
    add(line, cells, numbers)
    cellCount += cells.length + 1
    if (cellCount < CELLS_PER_TURN) return undefined
    cellCount = 0
    return nextTurn(signal)
  }
}

/** Returns how the rows of cells are read; the encoding and the separator are those of a rejects file. */
export const cellsFormat = (
  cellsOf: NonNullable<ParsedFormat['cellsOf']>,
  findings: readonly FormatFinding[],
): ParsedFormat => ({
  gzip: false,
  encoding: 'utf-8',
  hasMark: false,
  separator: ',',
  evidence: [],
  cellsOf,
  findings,
})

/** Describes rows of cells: where they are from, and the sum of that. */
type CellRows = {
  readonly name: string
  readonly reading: ParsedFormat
  readonly spill: RowSpill
  readonly sum: ByteSum
  readonly mode: number
  readonly rows: () => AsyncGenerator<readonly Row[]>
}

/** Returns rows of cells as a table. Of records the header is known; elsewhere it has to be found. */
export const cellsTable = ({ sum, spill, ...cells }: CellRows, header: HeaderFinder): Promise<Table> =>
  header.begin({ ...cells, ...sum, close: spill.close }, cells.reading.cellsOf === 'json')
