import { isSpreadsheetError } from '../../domain/no-value-words.ts'
import { stripAffixes } from '../cells/affixed-number.ts'
import { isNumberText, isoDateText, isoTimeText, numberText, percentText } from '../cells/cell-text.ts'
import { LOCAL_CURRENCY } from './currency-format.ts'

export type Attributes = Readonly<Record<string, string>>

/** Holds a cell while it is read. */
export type OpenCell = {
  readonly attributes: Attributes
  readonly isCovered: boolean
  paragraphs: string[]
  depth: number
  /** Counts its characters. */
  length: number
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

/** Describes what a cell holds: its text, and if that is stored as a number, the currency of its format or ``. */
export type OdsValue = { readonly text: string; readonly currency?: string | undefined }

/** Matches what may be a currency beside a number. */
const BESIDE = /[^\d.,\s-]/

/** Returns the currency of a number: as it is stored, or as the cell shows it. */
const currencyOf = (attributes: Attributes, shown: string): string => {
  const stored = attributes['office:currency'] ?? ''
  if (stored !== '') return stored
  const beside = BESIDE.test(shown) ? stripAffixes(shown)?.currency : undefined
  return beside ?? (attributes['office:value-type'] === 'currency' ? LOCAL_CURRENCY : '')
}

/**
 * Returns the value of a cell by its type; undefined if it is a formula without a value. An error has any type, and a
 * value that is none: only what the cell shows says that it is one.
 */
export const odsCellValue = ({ attributes, paragraphs }: OpenCell): OdsValue | undefined => {
  const shown = paragraphs.join('\n')
  const asShown = { text: shown }
  if (attributes['calcext:value-type'] === 'error' || isSpreadsheetError(shown)) return asShown
  const type = attributes['office:value-type'] ?? ''
  const kind = KINDS.get(type)
  const stored = kind && attributes[kind.attribute]
  if (stored !== undefined && (stored !== '' || type === 'string')) {
    const text = kind?.textOf(stored) ?? stored
    return NUMBERS.has(type) && isNumberText(text) ? { text, currency: currencyOf(attributes, shown) } : { text }
  }
  const isUnknown = shown === '' && attributes['table:formula'] !== undefined
  return isUnknown && type !== 'string' ? undefined : asShown
}
