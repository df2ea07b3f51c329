import { setImmediate } from 'node:timers/promises'
import { createHash } from 'node:crypto'
import { KpiError } from '../../../domain/errors.ts'
import { createSpillFile } from '../../external-sort/spill-file.ts'
import type { ByteSum } from '../packing/byte-sum.ts'
import type { Row, StoredNumbers } from '../rows.ts'

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
  /** Yields the rows, once all were added. */
  readonly rows: () => AsyncGenerator<readonly Row[]>
  /** Returns the sum of the rows. */
  readonly sum: () => ByteSum
  readonly close: () => void
}

const rowOf = (text: string): Row => {
  const values: unknown = JSON.parse(text)
  const [line, ...written] = Array.isArray(values) ? values : []
  let numbers: (string | undefined)[] | undefined
  const cells = written.map((cell: unknown, at) => {
    if (!Array.isArray(cell)) return String(cell)
    numbers ??= []
    numbers[at] = String(cell[1])
    return String(cell[0])
  })
  return { line: Number(line), cells, numbers }
}

type WrittenCell = string | readonly [text: string, currency: string]

/** Returns the line of a row and its first cells; a number is written as a list of its text and its currency. */
const writtenRow = (
  line: number,
  cells: readonly string[],
  width: number,
  numbers: StoredNumbers | undefined,
): readonly WrittenCell[] => {
  const written = Array<WrittenCell>(width + 1)
  written[0] = String(line)
  for (let at = 0; at < width; at += 1) {
    const [cell = '', currency] = [cells[at], numbers?.[at]]
    written[at + 1] = currency === undefined ? cell : [cell, currency]
  }
  return written
}

/** Creates a temporary file of rows; `name` is the file's name for errors. */
export const createRowSpill = (folder: string, name: string): RowSpill => {
  const file = createSpillFile(folder)
  const hash = createHash('sha256')
  let block = ''
  const flush = (): void => {
    const bytes = Buffer.from(block)
    block = ''
    hash.update(bytes)
    file.append(bytes)
    if (file.size() > MOST_BYTES) {
      throw new KpiError(
        'malformed',
        `cannot read ${name}: its rows take more than 900 MiB; split them into several sheets or files`,
      )
    }
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
      let width = cells.length
      while (width > 0 && (cells[width - 1] ?? '').trim() === '') width -= 1
      if (width === 0) return
      block += `${JSON.stringify(writtenRow(line, cells, width, numbers))}\n`
      if (block.length > BLOCK_LENGTH) flush()
    },
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
            .map(rowOf)
        // Let signals and timers run.
        await setImmediate()
      }
    },
    sum: finish,
    close: file.close,
  }
}
