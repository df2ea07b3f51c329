import { unmarkText } from '../../codec/cell-text.ts'
import { Fault } from '../../domain/errors.ts'
import { fits } from '../../domain/decimal.ts'
import { checkText } from '../../domain/field-value.ts'
import { entry } from '../../domain/resources/entry.ts'
import type { ColumnPlan } from '../columns/columns.ts'
import type { NumberColumn } from '../detect/number-column.ts'
import type { ColumnFormats } from '../detect/survey.ts'
import type { BlockRow } from '../../blocks/block.ts'
import { Misread } from '../formats/evidence.ts'
import type { NumberCell } from '../formats/number.ts'
import { withoutMissing } from '../formats/missing-words.ts'
import { percentOfFraction } from '../directory/percentages.ts'
import type { Row } from '../../tabular/source/table.ts'
import { COMPUTED, type ImportOptions, type Role } from '../options/options.ts'
import { ACTUAL, NOTES, TARGET } from '../../domain/entry-block.ts'

/** Describes the current row and its faults; one object is reused for all rows, to save allocations. */
export type CurrentRow = {
  line: number
  /**
   * Holds the id of the KPI that was found: all its numbers have one unit, however rows name it and whatever columns
   * they are in.
   */
  kpi: number | undefined
  /** Holds the rounded-away digits of the last number, if numbers are added up. */
  beyond: string
  /** Tells whether one of its cells is not in its column's format. */
  isMisread: boolean
  readonly reasons: string[]
}

type RowCells = readonly string[]

/** Reads the values of rows, and adds faults to the current row. */
type ValueReader = {
  /** Returns whether a cell gives a value, clears it, or neither, as bits. */
  readonly flagOf: (text: string | undefined, bits: typeof ACTUAL) => number
  readonly numberOf: (text: string, name: string, column: NumberColumn, currency: string | undefined) => bigint
  /** Reads the values of a row that has a column for each of them. */
  readonly valuesOf: (
    row: Pick<Row, 'cells' | 'numbers'>,
  ) => Pick<BlockRow, 'flags' | 'actual' | 'target' | 'notes' | 'beyond'>
}

/** Creates a reader of values; `onRounded` is called for each that had more than four decimals. */
export const createValueReader = (
  { roles, isMarked }: ColumnPlan,
  { strict, clearEmpty, onDuplicate, missing }: ImportOptions,
  isFraction: (kpi: number) => boolean,
  formats: ColumnFormats,
  hand: CurrentRow,
  onRounded: (value: bigint) => void,
): ValueReader => {
  const numberOf: ValueReader['numberOf'] = (text, name, column, currency) => {
    hand.beyond = ''
    const cell = column.read(text, hand.line, hand.kpi, currency)
    if (cell instanceof Misread) hand.isMisread = true
    if (cell instanceof Fault) hand.reasons.push(`${name} ${cell.message}`)
    else if (hand.kpi !== undefined && isFraction(hand.kpi) && !text.includes('%')) return percentOf(text, name, cell)
    else if (cell.rounded && strict) hand.reasons.push(`${name} "${text}" has more than four decimals`)
    else {
      if (cell.rounded) onRounded(cell.value)
      if (COMPUTED.has(onDuplicate)) hand.beyond = cell.beyond ?? ''
      return cell.value
    }
    return 0n
  }
  /** Reads a number that is a fraction as the percentage that it means. */
  const percentOf = (text: string, name: string, cell: NumberCell): bigint => {
    const { value, beyond, isRounded } = percentOfFraction(cell.value, cell.beyond ?? '')
    if (!fits(value)) hand.reasons.push(`${name} "${text}" is too large as a percentage`)
    else if (isRounded && strict) hand.reasons.push(`${name} "${text}" has more than four decimals as a percentage`)
    else if (isRounded) onRounded(value)
    if (COMPUTED.has(onDuplicate)) hand.beyond = beyond
    return fits(value) ? value : 0n
  }
  const notesOf = (text: string): string => {
    const value = checkText(entry.fields.notes, isMarked ? unmarkText(text) : text)
    if (!(value instanceof Fault)) return value ?? ''
    hand.reasons.push(`notes ${value.message}`)
    return ''
  }
  const columnOf = (role: Role, valueOf = (text: string): string => text) => {
    const at = roles.get(role)
    return at === undefined ? () => undefined : (cells: RowCells) => valueOf((cells[at] ?? '').trim())
  }
  const valueOf = withoutMissing(missing)
  const [actualIn, targetIn, notesIn] = [columnOf('actual', valueOf), columnOf('target', valueOf), columnOf('notes')]
  const [actualAt, targetAt] = [roles.get('actual') ?? -1, roles.get('target') ?? -1]
  const [actualForm, targetForm] = [formats.numbers.get(actualAt), formats.numbers.get(targetAt)]
  const flagOf: ValueReader['flagOf'] = (text, bits) => {
    if (text === undefined) return 0
    if (text !== '') return bits.given
    return clearEmpty ? bits.cleared : 0
  }
  return {
    flagOf,
    numberOf,
    valuesOf: ({ cells, numbers }) => {
      const [actual, target, notes] = [actualIn(cells), targetIn(cells), notesIn(cells)]
      const number = actual && actualForm ? numberOf(actual, 'actual', actualForm, numbers?.[actualAt]) : 0n
      const beyond = actual ? hand.beyond : ''
      return {
        flags: flagOf(actual, ACTUAL) | flagOf(target, TARGET) | flagOf(notes, NOTES),
        actual: number,
        target: target && targetForm ? numberOf(target, 'target', targetForm, numbers?.[targetAt]) : 0n,
        notes: notes ? notesOf(notes) : '',
        beyond,
      }
    },
  }
}
