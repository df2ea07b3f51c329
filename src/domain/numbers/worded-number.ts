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
  readonly said: Pick<ReadonlyMap<string, Scaling>, 'get'>
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

/** Returns why a number with a percent sign is not one of a measure; undefined if it may be. */
export const faultOfPercent = ({ takesPercent, unit, of }: Measure): Fault | undefined =>
  takesPercent
    ? undefined
    : Fault.is(
        `a percentage, and the unit ${unit} of ${of} is not: give the number itself, or correct the unit of the KPI`,
      )

/** Names the meaning of a currency that counts ones, where its KPI counts more. */
export const ONES = 'ones'
const inOnes = (words: string, { power }: Measure): Meaning => ({
  power: -power,
  isNegated: false,
  name: ONES,
  said: `${bare(words)}=1`,
})

/**
 * Returns how a currency beside a number, or in its heading, scales it: in `k€`, € 500 are 0.5; undefined if it does not, as
 * where the user says so.
 */
export const scaleOfCurrency = (
  currency: string,
  measure: Measure,
  { said }: Pick<Hints, 'said'>,
): Meaning | undefined => {
  const given = said.get(bare(currency))
  if (given) return given.power === 0 ? undefined : { ...given, power: given.power - measure.power, name: '', said: '' }
  return measure.power === 0 || isUnitItself(measure, currency) ? undefined : inOnes(currency, measure)
}

/** Returns why a currency among words is not that of a measure; undefined if all may be. */
const otherCurrency = (
  found: readonly { readonly currencies: readonly string[] }[],
  measure: Measure,
): Fault | undefined => {
  const other = found.flatMap(({ currencies }) => currencies).find((one) => !agreesWithCurrency(measure, one))
  return other === undefined ? undefined : disagrees(other, measure)
}

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
  const scaled = (scaling: Scaling): Scaling => ({
    ...scaling,
    power: scaling.power === 0 ? 0 : scaling.power - measure.power,
  })
  const whole = said.get(bare(words))
  const found = meaningsOf(words)
  // Take the meaning that the user gave the words, unless it makes money of hours.
  const other = whole && whole.power !== 0 ? otherCurrency(found ?? [], measure) : undefined
  if (whole) return other ?? [{ ...scaled(whole), name: '', said: '' }]
  if (isUnitItself(measure, words)) return [asIs()]
  if (!found) return undefined
  const counted = found.filter(
    ({ scales, units, currencies: of }) => of.length > 0 || (units.length > 0 && scales.length === 0),
  )
  if (counted.length > 1) return undefined
  const isFree = isOfAnything(measure)
  const currencies = found.flatMap((one) => one.currencies)
  const ofOther = otherCurrency(found, measure)
  if (ofOther) return ofOther
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
    // Leave out a currency that stands beside a scale, where the user said that it has none of its own.
    const isPlain = given?.power === 0 && one.currencies.length > 0 && found.length > 1
    if (!isScale || isPlain) continue
    if (meanings) return undefined
    const isAlone = found.length === 1
    // A letter such as m is a unit where that is the KPI's, and may be one where nothing says what is counted.
    const isUnit = isAlone && units.length > 0 && (isOwn || (isFree && word !== 'M'))
    if (isOwn && isAlone && word !== word.toUpperCase() && !given) return [asIs()]
    meanings = given
      ? [{ ...scaled(given), name: '', said: '' }]
      : [
          ...scales.map(({ name, ...scaling }) => ({ ...scaled(scaling), name, said: `${bare(word)}=${name}` })),
          ...(isUnit ? [asIs(units.join(' or '), word)] : []),
        ]
  }
  if (meanings && measure.isPercentage) return disagrees(words, measure)
  return meanings ?? [currencies.length > 0 && measure.power > 0 ? inOnes(words, measure) : asIs()]
}

/** Returns a number as its words scale it. */
export const scaleCell = (cell: NumberCell, { power, isNegated }: Scaling): NumberCell => {
  const sign = isNegated ? -1n : 1n
  return power >= 0 ? multiplyCell(cell, sign * 10n ** BigInt(power)) : multiplyCell(cell, sign, -power)
}
