import { KpiError } from '../../domain/errors.ts'
import { isColumnName } from '../columns/header.ts'
import { isPartOfYear, isWholeDate } from '../columns/unusual-headers.ts'
import { faultOfNoValue } from '../formats/evidence.ts'
import { stripAffixes } from '../formats/number.ts'
import type { Row } from './rows.ts'

/** Describes where the header of a file is: a row, and perhaps one above it that names groups of columns. */
type FoundHeading = {
  /** Holds the place of the header among the rows. */
  readonly at: number
  /** Holds the labels of the row above, one for each column; undefined if the header is one row. */
  readonly upper: readonly string[] | undefined
}

/** Sets how many rows show where the header is. */
export const HEADING_ROWS = 60

const textAt = (cells: readonly string[], at: number): string => cells[at]?.trim() ?? ''

const countOf = (cells: readonly string[]): number => cells.filter((cell) => cell.trim() !== '').length

const isValue = (text: string): boolean =>
  text === '' || stripAffixes(text) !== undefined || isWholeDate(text) || faultOfNoValue(text) !== undefined

const LEAST_CELLS = 2

/**
 * Returns the first row that is as wide as a table: titles have few cells. Where all rows have one cell, that is the
 * first.
 */
const firstWideRow = (rows: readonly (readonly string[])[]): number => {
  const widest = rows.reduce((most, cells) => Math.max(most, countOf(cells)), 0)
  if (widest < LEAST_CELLS) return 0
  const least = Math.max(LEAST_CELLS, Math.ceil(widest / 2))
  const at = rows.findIndex((cells) => countOf(cells) >= least)
  // Numbers name no columns: a separator that only splits decimals shows no table.
  return rows[at]?.every((cell) => cell.trim() === '' || stripAffixes(cell.trim()) !== undefined) ? 0 : at
}

/** Returns a row of labels with each blank cell filled from the left, as merged cells are written. */
const fillRight = (cells: readonly string[], width: number): string[] => {
  let last = ''
  return Array.from({ length: width }, (_, at) => (last = textAt(cells, at) || last))
}

const YEAR = /^\d{4}$/

/** Tells whether labels repeat, and no longer do with those of the row above. */
const isToldApart = (lower: readonly string[], upper: readonly string[]): boolean => {
  const named = [...lower.keys()].filter((at) => textAt(lower, at) !== '')
  const labels = named.map((at) => textAt(lower, at))
  const pairs = named.map((at) => JSON.stringify([upper[at], textAt(lower, at)]))
  return new Set(labels).size < labels.length && new Set(pairs).size === pairs.length
}

/** Tells whether the row above names groups of the columns below it, such as KPIs above months. */
const isUpperRow = (above: readonly string[], lower: readonly string[]): boolean => {
  const width = lower.length
  const groups = [...above.keys()].filter((at) => at < width && textAt(above, at) !== '')
  // A single text above the first column is a title.
  if (groups.length === 0 || (groups.length === 1 && groups[0] === 0)) return false
  const upper = fillRight(above, width)
  if (isToldApart(lower, upper)) return true
  const isBelow = (isOne: (text: string) => boolean): boolean =>
    groups.every((at) => isOne(textAt(lower, at)) || textAt(lower, at) === '') &&
    groups.some((at) => textAt(lower, at) !== '')
  const places = groups.filter((at) => textAt(lower, at) !== '')
  if (places.every((at) => YEAR.test(textAt(above, at))) && isBelow(isPartOfYear)) return true
  return places.length > 0 && places.every((at) => at > 0) && isBelow(isWholeDate)
}

/** Tells whether a row below the header is no data: where the rows after it have numbers or dates, it has words. */
const isLabelRow = (rows: readonly (readonly string[])[], at: number): boolean => {
  const [row = [], ...after] = rows.slice(at)
  if (after.length < 2) return false
  const valued = [...row.keys()].filter((column) => {
    const texts = after.map((cells) => textAt(cells, column)).filter((text) => text !== '')
    return texts.length > 0 && texts.filter(isValue).length >= 0.8 * texts.length
  })
  const given = valued.filter((column) => textAt(row, column) !== '')
  return given.length > 0 && given.every((column) => !isValue(textAt(row, column)))
}

const SHOWN_CELLS = 4

const showRow = ({ line, cells }: Row): string => {
  const names = cells.map((cell) => cell.trim()).filter((cell) => cell !== '')
  return `line ${line} (${names.slice(0, SHOWN_CELLS).join(', ')}${names.length > SHOWN_CELLS ? ', …' : ''})`
}

/** Refuses to choose between two rows that may be the header. */
const eitherRow = (first: Row, second: Row): KpiError =>
  new KpiError(
    'malformed',
    `${showRow(first)} or ${showRow(second)} may be the header: say which with --skip-lines ${first.line - 1} or --skip-lines ${second.line - 1}`,
  )

/** Returns the labels of two header rows: what a key column is called may stand in either. */
export const mergeLabels = (lower: readonly string[], upper: readonly string[] | undefined): readonly string[] =>
  upper ? lower.map((label, at) => (label.trim() === '' ? (upper[at] ?? '') : label)) : lower

const withUpper = (rows: readonly Row[], at: number): FoundHeading => {
  const [above, row] = [rows[at - 1]?.cells, rows[at]?.cells ?? []]
  const isUpper = above !== undefined && isUpperRow(above, row)
  return { at, upper: isUpper ? fillRight(above, row.length) : undefined }
}

/** Returns the place of the first row after so many lines; throws if there is none. */
const afterLines = (rows: readonly Row[], lines: number): number => {
  const at = rows.findIndex(({ line }) => line > lines)
  if (at >= 0 || rows.length === 0) return Math.max(0, at)
  throw new KpiError('malformed', `--skip-lines ${lines} skips all of the file`)
}

/**
 * Finds the header among the first rows of a file: after `skipLines` lines if that is given, else the first row that is
 * as wide as the table. Throws if two rows may be it.
 */
export const findHeading = (rows: readonly Row[], skipLines: number | undefined): FoundHeading => {
  if (skipLines !== undefined) return withUpper(rows, afterLines(rows, skipLines))
  const cells = rows.map((row) => row.cells)
  const at = Math.max(0, firstWideRow(cells))
  const [first, next] = [rows[at], rows[at + 1]]
  if (!first || !next || !isLabelRow(cells, at + 1)) return withUpper(rows, at)
  const found = withUpper(rows, at + 1)
  if (found.upper) return found
  if (first.cells.some(isColumnName)) return withUpper(rows, at)
  throw eitherRow(first, next)
}

/** Returns the place of the row that is as wide as the table, for judging how cells are separated. */
export const widestRowPlace = (rows: readonly (readonly string[])[]): number => Math.max(0, firstWideRow(rows))
