import { isPartOfYear } from '../columns/unusual-headers.ts'
import { type Cells, dateInLabel, isDateLabel, isWords, textAt } from './table-body.ts'

/** Returns a row of labels with each blank cell filled from the left, as merged cells are written. */
export const fillRight = (cells: Cells, width: number): string[] => {
  let last = ''
  return Array.from({ length: width }, (_, at) => (last = textAt(cells, at) || last))
}

/** Returns the labels of two header rows: what a key column is called may stand in either. */
export const mergeLabels = (lower: Cells, upper: Cells | undefined): Cells =>
  upper ? lower.map((label, at) => (label.trim() === '' ? (upper[at] ?? '') : label)) : lower

const YEAR = /^\d{4}$/

/** Tells whether labels repeat, and no longer do with those of the row above. */
const areToldApart = (lower: Cells, upper: Cells): boolean => {
  const named = [...lower.keys()].filter((at) => textAt(lower, at) !== '')
  const labels = named.map((at) => textAt(lower, at))
  const pairs = named.map((at) => JSON.stringify([upper[at], textAt(lower, at)]))
  return new Set(labels).size < labels.length && new Set(pairs).size === pairs.length
}

/** Tells whether one label of the upper row spans several columns that the lower row names. */
const spansColumns = (upper: Cells, lower: Cells): boolean =>
  upper.some(
    (label, at) => label !== '' && label === upper[at + 1] && textAt(lower, at) !== '' && textAt(lower, at + 1) !== '',
  )

/**
 * Tells whether the row above names groups of the columns below it: KPIs above periods, periods above KPIs, or years
 * above parts of years. A single text above the first column is a title.
 */
export const isUpperRow = (above: Cells, lower: Cells): boolean => {
  const groups = [...above.keys()].filter(
    (at) => at < lower.length && textAt(above, at) !== '' && textAt(above, at) !== textAt(lower, at),
  )
  const places = groups.filter((at) => textAt(lower, at) !== '')
  if (places.length === 0 || (groups.length === 1 && groups[0] === 0)) return false
  const isOverKey = places.includes(0)
  const values = places.filter((at) => at > 0)
  const [labels, below] = [values.map((at) => textAt(above, at)), values.map((at) => textAt(lower, at))]
  if (
    values.length > 0 &&
    labels.every((label) => YEAR.test(dateInLabel(label))) &&
    below.every((label) => isPartOfYear(dateInLabel(label)))
  )
    return true
  if (!isOverKey && labels.every(isWords) && below.every(isDateLabel)) return true
  const upper = fillRight(above, lower.length)
  if (!areToldApart(lower, upper)) return false
  const areDates = values.length > 0 && (labels.every(isDateLabel) || below.every(isDateLabel))
  return isOverKey ? areDates && spansColumns(upper, lower) : areDates || spansColumns(upper, lower)
}
