import type { Row, StoredNumbers } from '../source/table.ts'

/** Returns the row that a line holds. */
export const parseRow = (text: string): Row => {
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

/** Returns a row as a line, without the blank cells at its end; a blank row is an empty text. */
export const rowLine = (line: number, cells: readonly string[], numbers?: StoredNumbers): string => {
  let width = cells.length
  while (width > 0 && (cells[width - 1] ?? '').trim() === '') width -= 1
  return width === 0 ? '' : `${JSON.stringify(writtenRow(line, cells, width, numbers))}\n`
}
