import type { Contents } from '../columns/contents.ts'
import { type ColumnFormats, createColumnFormats, surveyCells } from '../detect/column-formats.ts'
import { createMissingWords, type MissingWords, valueReader } from '../formats/evidence.ts'
import type { ImportOptions } from '../options/options.ts'
import type { Table } from '../../tabular/source/table.ts'
import type { Begun } from './begin-file.ts'

/** Holds what all rows of a file show, in constant memory; nothing is decided by it yet. */
export type Profile = {
  /** Holds what is in the columns whose names do not say it. */
  readonly contents: Contents
  /** Holds how numbers, dates and names are written, and what of that is in doubt. */
  readonly formats: ColumnFormats
  /** Holds the words for no value in all columns of numbers. */
  readonly words: MissingWords
}

/** Passes over all rows once, and records what they show of the columns, as far as these are known. */
export const profileFile = async (
  table: Table,
  { plan, contents, reference }: Begun,
  options: ImportOptions,
  onProgress: () => void,
): Promise<Profile> => {
  const formats = createColumnFormats(plan, options, reference)
  const all = contents.asked().length > 0 ? contents.ofAllRows() : undefined
  const words = createMissingWords()
  const places = [...formats.numbers.keys()]
  const valueOf = valueReader(options)
  await surveyCells(table, plan, formats, valueOf, onProgress, (row) => {
    all?.note(row)
    for (const at of places) words.note(valueOf(row.cells[at]?.trim() ?? ''), row.line)
  })
  return { contents: all ?? contents, formats, words }
}
