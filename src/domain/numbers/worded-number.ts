import { Fault } from '../errors.ts'
import { type AffixedNumber, digitsAt, isNegativeBy } from './affixed-number.ts'
import {
  agreesWithCurrency,
  isMeasured,
  isOfAnything,
  isUnitItself,
  type Measure,
  meaningsOf,
  sayMeasure,
} from './measure.ts'
import { multiplyCell, type NumberCell } from './read-number.ts'
import type { Scale, Scaling } from './scales.ts'

/** Describes a number with words beside it, such as `1.2M €` or `12 h`: the number alone, and the words. */
export type WordedNumber = { readonly number: AffixedNumber; readonly words: string }

/** Bounds the texts that are numbers with words. */
const LONGEST = 60
const SIGNS_BEFORE = /^[-+−–(]|[-+−–(]$/u
const SIGN_AFTER = /[-−–)]$/u
/** Matches digits in words, but for those of square and cubic units. */
const DIGIT = /\d/
const POWERS = /\p{L}[23](?![\d\p{L}])/gu

/** Splits a sign off the words before or after a number. */
const splitSign = (text: string, sign: RegExp): [sign: string, rest: string] => {
  const found = sign.exec(text)
  return found ? [found[0], text.replace(sign, '').trim()] : ['', text]
}

/** Returns a number and the words before and after it; undefined if a text is none, or has no words. */
export const stripWords = (text: string): WordedNumber | undefined => {
  if (text.length > LONGEST) return undefined
  const at = text.search(/[.,]?\d/)
  const body = at < 0 ? undefined : digitsAt(text, at)
  if (body === undefined) return undefined
  const [before, wordsBefore] = splitSign(text.slice(0, at).trim(), SIGNS_BEFORE)
  const [after, wordsAfter] = splitSign(text.slice(at + body.length).trim(), SIGN_AFTER)
  const words = `${wordsBefore} ${wordsAfter}`.trim()
  const isNegative = isNegativeBy(before, after)
  if (words === '' || isNegative === undefined || DIGIT.test(words.replace(POWERS, ''))) return undefined
  return { number: { body, isNegative, isPercent: false, currency: undefined }, words }
}

/** Holds what decides between the meanings of a word, beside the measure of the number. */
export type Hints = {
  /** Holds what the user says of words, which are compared without a full stop. */
  readonly said: ReadonlyMap<string, Scaling>
  /** Tells whether `MM` stands beside other numbers, so that `M` may be a thousand. */
  readonly hasDoubleM: boolean
  /** Tells whether lakhs or crores stand beside other numbers, so that `Cr` is a crore. */
  readonly isIndian: boolean
  /** Tells whether numbers have a decimal comma, as where a billion may be a million millions. */
  readonly isComma: boolean
}

/** Is what decides where nothing is known. */
export const NO_HINTS: Hints = { said: new Map(), hasDoubleM: false, isIndian: false, isComma: false }

/** Describes a meaning of the words beside a number: how they scale it, and how the user says so. */
export type Meaning = Scaling & {
  /** Says the meaning: `crore`, or `as it is`. */
  readonly name: string
  /** Holds the word and what it is, as `--scale` takes it: `Cr=crore`. */
  readonly said: string
}

const bare = (word: string): string => word.replace(/\.$/, '')
const PLAIN: Scaling = { power: 0, isNegated: false }
const RUPEES = new Set(['INR', 'PKR', 'NPR', 'LKR', 'BDT', 'Rs', '₹'])

/** Returns the scales that a word has, by what decides between them; those of a unit that has none. */
const likelyScales = (
  { word, scales }: { readonly word: string; readonly scales: readonly Scale[] },
  isInRupees: boolean,
  { hasDoubleM, isIndian, isComma }: Hints,
): readonly Scale[] => {
  const plain = bare(word)
  const [first] = scales
  if (!first) return []
  if (plain === 'M' && hasDoubleM) return [{ name: 'thousand', power: 3, isNegated: false }, ...scales]
  if (plain === 'billion' && !isComma) return scales.slice(0, 1)
  if (plain.toLowerCase() === 'cr' && (isInRupees || isIndian)) return scales.filter(({ name }) => name === 'crore')
  return scales
}

/** Returns why a unit or a currency beside a number is not that of its KPI. */
export const disagrees = (given: string, measure: Measure): Fault =>
  Fault.is(`in ${given}, and ${sayMeasure(measure)}: correct the number, or the unit of the KPI`)

/**
 * Returns what the words beside a number mean where it is of a measure: one meaning, or several among which the user must
 * say which; undefined if they are no words of units and scales, and a fault if they are those of another measure.
 */
export const meaningsOfWords = (
  words: string,
  measure: Measure,
  hints: Hints,
): readonly Meaning[] | Fault | undefined => {
  const asIs = (name = 'as it is', word = words): Meaning => ({ ...PLAIN, name, said: `${bare(word)}=1` })
  const { said } = hints
  const whole = said.get(bare(words))
  if (whole) return [{ ...whole, name: '', said: '' }]
  if (isUnitItself(measure, words)) return [asIs()]
  const found = meaningsOf(words)
  if (!found) return undefined
  const counted = found.filter(
    ({ scales, units, currencies: of }) => of.length > 0 || (units.length > 0 && scales.length === 0),
  )
  if (counted.length > 1) return undefined
  const isFree = isOfAnything(measure)
  const currencies = found.flatMap((one) => one.currencies)
  for (const currency of currencies) if (!agreesWithCurrency(measure, currency)) return disagrees(currency, measure)
  const isInRupees = [...currencies, ...measure.currencies].some((one) => RUPEES.has(one))
  let meanings: Meaning[] | undefined
  for (const one of found) {
    const { word, units } = one
    const given = said.get(bare(word))
    const isOwn = units.some((unit) => measure.units.includes(unit))
    const scales = given ? [] : likelyScales(one, isInRupees, hints)
    const isScale = given !== undefined || scales.length > 0
    const isOther = units.length > 0 && !given && !isOwn && !isFree
    // A letter such as m, which is a unit by itself, scales only money and plain counts where nothing else stands beside it.
    if (isOther && (!isScale || (found.length === 1 && isMeasured(measure)))) return disagrees(word, measure)
    if (!isScale) continue
    if (meanings) return undefined
    const isAlone = found.length === 1
    // A letter such as m is a unit where that is the KPI's, and may be one where nothing says what is counted.
    const isUnit = isAlone && units.length > 0 && (isOwn || (isFree && word !== 'M'))
    if (isOwn && isAlone && word !== word.toUpperCase() && !given) return [asIs()]
    const scaled = (scaling: Scaling): Scaling => ({
      ...scaling,
      power: scaling.power === 0 ? 0 : scaling.power - measure.power,
    })
    meanings = given
      ? [{ ...scaled(given), name: '', said: '' }]
      : [
          ...scales.map(({ name, ...scaling }) => ({ ...scaled(scaling), name, said: `${bare(word)}=${name}` })),
          ...(isUnit ? [asIs(units.join(' or '), word)] : []),
        ]
  }
  if (meanings && measure.isPercentage) return disagrees(words, measure)
  return meanings ?? [asIs()]
}

/** Returns a number as its words scale it. */
export const scaleCell = (cell: NumberCell, { power, isNegated }: Scaling): NumberCell => {
  const sign = isNegated ? -1n : 1n
  return power >= 0 ? multiplyCell(cell, sign * 10n ** BigInt(power)) : multiplyCell(cell, sign, -power)
}
