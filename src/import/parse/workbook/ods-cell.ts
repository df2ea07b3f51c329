import { isSpreadsheetError } from '../../formats/evidence.ts'
import { isoDateText, isoTimeText, numberText, percentText } from '../cells/cell-text.ts'

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

const KINDS: ReadonlyMap<string | undefined, ValueKind> = new Map([
  ['float', { attribute: 'office:value', textOf: numberText }],
  ['currency', { attribute: 'office:value', textOf: numberText }],
  ['percentage', { attribute: 'office:value', textOf: percentText }],
  ['date', { attribute: 'office:date-value', textOf: isoDateText }],
  ['time', { attribute: 'office:time-value', textOf: isoTimeText }],
  ['boolean', { attribute: 'office:boolean-value', textOf: truthText }],
  ['string', { attribute: 'office:string-value', textOf: (stored) => stored }],
])

/**
 * Returns the text of a cell by its type; undefined if it is a formula without a value. An error has any type, and a
 * value that is none: only what the cell shows says that it is one.
 */
export const odsCellText = ({ attributes, paragraphs }: OpenCell): string | undefined => {
  const shown = paragraphs.join('\n')
  if (attributes['calcext:value-type'] === 'error' || isSpreadsheetError(shown)) return shown
  const kind = KINDS.get(attributes['office:value-type'])
  const stored = kind && attributes[kind.attribute]
  if (stored !== undefined && (stored !== '' || kind?.attribute === 'office:string-value')) return kind?.textOf(stored)
  const isUnknown = shown === '' && attributes['table:formula'] !== undefined
  return isUnknown && attributes['office:value-type'] !== 'string' ? undefined : shown
}
