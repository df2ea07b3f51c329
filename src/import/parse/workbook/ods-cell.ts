import { isSpreadsheetError } from '../../formats/evidence.ts'
import { isNumberText, isoDateText, isoTimeText, numberText, percentText } from '../cells/cell-text.ts'

export type Attributes = Readonly<Record<string, string>>

/** Holds a cell while it is read. */
export type OpenCell = {
  readonly attributes: Attributes
  readonly isCovered: boolean
  paragraphs: string[]
  depth: number
}

const truthText = (stored: string): string => (stored === 'true' ? 'TRUE' : stored === 'false' ? 'FALSE' : stored)

/** Describes in which attribute a cell of a type has its value, and what its text is. */
type ValueKind = { readonly attribute: string; readonly textOf: (stored: string) => string }

const NUMBERS = new Set(['float', 'currency', 'percentage'])

const KINDS: ReadonlyMap<string | undefined, ValueKind> = new Map([
  ['float', { attribute: 'office:value', textOf: numberText }],
  ['currency', { attribute: 'office:value', textOf: numberText }],
  ['percentage', { attribute: 'office:value', textOf: percentText }],
  ['date', { attribute: 'office:date-value', textOf: isoDateText }],
  ['time', { attribute: 'office:time-value', textOf: isoTimeText }],
  ['boolean', { attribute: 'office:boolean-value', textOf: truthText }],
  ['string', { attribute: 'office:string-value', textOf: (stored) => stored }],
])

/** Describes what a cell holds: its text, and whether it is a number with decimals that is stored as such. */
export type OdsValue = { readonly text: string; readonly isNumber: boolean }

/**
 * Returns the value of a cell by its type; undefined if it is a formula without a value. An error has any type, and a
 * value that is none: only what the cell shows says that it is one.
 */
export const odsCellValue = ({ attributes, paragraphs }: OpenCell): OdsValue | undefined => {
  const shown = paragraphs.join('\n')
  const asShown = { text: shown, isNumber: false }
  if (attributes['calcext:value-type'] === 'error' || isSpreadsheetError(shown)) return asShown
  const type = attributes['office:value-type'] ?? ''
  const kind = KINDS.get(type)
  const stored = kind && attributes[kind.attribute]
  if (stored !== undefined && (stored !== '' || type === 'string')) {
    const text = kind?.textOf(stored) ?? stored
    return { text, isNumber: NUMBERS.has(type) && isNumberText(text) }
  }
  const isUnknown = shown === '' && attributes['table:formula'] !== undefined
  return isUnknown && type !== 'string' ? undefined : asShown
}
