import { type Issue, KpiError } from '../../domain/errors.ts'
import { requireSettledFormats } from '../detect/column-formats.ts'
import type { ColumnFormats } from '../detect/survey.ts'
import { createMissingWords } from '../formats/missing-words.ts'
import type { Table } from '../../tabular/source/table.ts'

/** Sets how many columns are named of those with words for no value. */
const SHOWN = 3

/** Returns the one fault of all columns with words for no value. */
const faultOfWords = async (table: Table, { numbers, numberFormats }: ColumnFormats): Promise<Issue> => {
  const words = createMissingWords()
  let isHeader = true
  for await (const rows of table.rows()) {
    for (const { cells, line } of rows) {
      if (!isHeader) for (const at of numbers.keys()) words.note(cells[at]?.trim() ?? '', line)
      isHeader = false
    }
  }
  const names = numberFormats.filter(({ hasWords }) => hasWords()).map(({ name }) => name.trim())
  const shown = names.slice(0, SHOWN).join(', ')
  return {
    field: names.length > SHOWN ? `${names.length} columns, such as ${shown}` : shown,
    message: words.doubt('have') ?? '',
  }
}

/**
 * Throws if a column can be read in two ways that fit all of its cells. Words for no value in several columns are one
 * fault: one flag settles them.
 */
export const requireSettled = async (table: Table, formats: ColumnFormats): Promise<void> => {
  try {
    requireSettledFormats(formats)
  } catch (error) {
    const worded = new Set(formats.numberFormats.filter(({ hasWords }) => hasWords()).map(({ name }) => name))
    if (!(error instanceof KpiError) || worded.size < 2) throw error
    const others = error.issues.filter(({ field }) => !worded.has(field))
    const issues = [...others, await faultOfWords(table, formats)]
    throw new KpiError(error.code, error.message, { issues, cause: error })
  }
}

const NOTHING_SENT = /; nothing was sent$/

/** Makes checks of a file in turn, and throws what is unclear by any of them as one error. */
export const requireAll = async (checks: readonly (() => unknown)[]): Promise<void> => {
  const faults: KpiError[] = []
  for (const check of checks) {
    try {
      await check()
    } catch (error) {
      if (!(error instanceof KpiError) || error.code !== 'malformed') throw error
      faults.push(error)
    }
  }
  const [first, ...others] = faults
  if (!first) return
  if (others.length === 0) throw first
  const messages = faults.map(({ message }) => message.replace(NOTHING_SENT, ''))
  const issues = faults.flatMap((fault) => fault.issues)
  throw new KpiError(first.code, `${messages.join('; ')}; nothing was sent`, { issues, cause: first })
}
