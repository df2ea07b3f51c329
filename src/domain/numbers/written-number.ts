import { fits, formatDecimal } from '../decimal.ts'
import { Fault } from '../errors.ts'
import { type AffixedNumber, stripAffixes } from './affixed-number.ts'
import { agreesWithCurrency, type Measure, measureOf, meaningsOf, scaledUnit } from './measure.ts'
import { type NumberCell, readAffixedNumber } from './read-number.ts'
import {
  disagrees,
  faultOfPercent,
  meaningsOfWords,
  NO_HINTS,
  scaleCell,
  scaleOfCurrency,
  stripWords,
} from './worded-number.ts'
import { readableNumber } from './readable.ts'

/** Returns what a number is by either decimal sign: one value, or two that may both be meant; empty if it is none. */
const valuesOf = (number: AffixedNumber): NumberCell[] => {
  const cells = (['.', ','] as const).flatMap((sign) => {
    const cell = readAffixedNumber(number, sign)
    return cell === undefined || cell instanceof Fault ? [] : [cell]
  })
  const [one, other] = cells
  return one && other && one.value === other.value && one.rounded === other.rounded ? [one] : cells
}

/** Describes a number as it was read: its value, and how that is said. */
type WrittenNumber = {
  readonly value: bigint
  /** Tells whether decimals beyond the fourth were rounded away. */
  readonly rounded: boolean
  readonly shown: string
}

/** Returns a fault that shows how each meaning of a number is written as a plain one. */
const severalMeanings = (values: readonly (readonly [NumberCell, string])[]): Fault => {
  const shown = values.map(([{ value }, name]) => `${readableNumber(value)}${name === '' ? '' : ` (${name})`}`)
  return Fault.is(`${shown.join(' or ')}; write ${values.map(([{ value }]) => formatDecimal(value)).join(' or ')}`)
}

/** Reads a number with words, a currency or grouped digits, by one measure; undefined if it is no number. */
const readBy = (text: string, measure: Measure): NumberCell | Fault | undefined => {
  const affixed = stripAffixes(text)
  const worded = affixed ? undefined : stripWords(text)
  const number = affixed ?? worded?.number
  const values = number ? valuesOf(number) : []
  if (affixed?.currency !== undefined && !agreesWithCurrency(measure, affixed.currency))
    return disagrees(affixed.currency, measure)
  const notPercent = affixed?.isPercent ? faultOfPercent(measure) : undefined
  if (notPercent) return notPercent
  const isComma = values.length === 1 && !!number && readAffixedNumber(number, '.') === undefined
  const ofCurrency = affixed?.currency === undefined ? undefined : scaleOfCurrency(affixed.currency, measure, NO_HINTS)
  const meanings =
    worded && values.length > 0
      ? meaningsOfWords(worded.words, measure, { ...NO_HINTS, isComma })
      : ofCurrency && [ofCurrency]
  if (meanings instanceof Fault) return meanings
  if (worded && !meanings) return undefined
  const all = values.flatMap((cell) =>
    (meanings ?? [undefined]).map((one, _, { length }) => {
      const name = length > 1 ? (one?.name ?? '') : ''
      return [one ? scaleCell(cell, one) : cell, name] as const
    }),
  )
  const [first, ...others] = all
  if (!first) return undefined
  return others.length > 0 ? severalMeanings(all) : first[0]
}

/** Tells whether a text may be a number, once it is known what it is of. */
export const mayBeWritten = (text: string): boolean => {
  const trimmed = text.trim()
  const worded = stripAffixes(trimmed) ? undefined : stripWords(trimmed)
  return worded ? meaningsOf(worded.words) !== undefined : stripAffixes(trimmed) !== undefined
}

/** Reads a number that is written as people do, by what it is of; undefined if it is no number. */
export const readWrittenNumber = (text: string, measures: readonly Measure[]): WrittenNumber | Fault | undefined => {
  let found: NumberCell | undefined
  for (const measure of measures.length > 0 ? measures : [measureOf('', undefined)]) {
    const read = readBy(text.trim(), measure)
    if (read === undefined || read instanceof Fault) return read
    if (found && found.value !== read.value)
      return Fault.is(
        `${formatDecimal(found.value)} or ${formatDecimal(read.value)}, as units differ; name each KPI on a line of its own`,
      )
    found = read
  }
  if (!found || !fits(found.value)) return undefined
  return {
    value: found.value,
    rounded: found.rounded,
    shown: `"${text}" is read as ${readableNumber(found.value)}${measures[0] ? scaledUnit(measures[0]) : ''}`,
  }
}
