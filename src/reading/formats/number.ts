import { stripAffixes } from '../../domain/numbers/affixed-number.ts'
import { type DecimalSign, type NumberCell, readAffixedNumber } from '../../domain/numbers/read-number.ts'
import { meaningsOf } from '../../domain/numbers/measure.ts'
import { stripWords } from '../../domain/numbers/worded-number.ts'
import { Fault } from '../../domain/errors.ts'
import { faultOfNoValue, Misread } from './evidence.ts'
import { isTruthWord } from './truth-words.ts'

const NAMES: Readonly<Record<DecimalSign, string>> = { '.': 'a decimal point', ',': 'a decimal comma' }
const OTHER: Readonly<Record<DecimalSign, DecimalSign>> = { '.': ',', ',': '.' }

/** Returns the other decimal sign. */
export const otherSign = (sign: DecimalSign): DecimalSign => OTHER[sign]

/** Returns a decimal sign in words. */
export const nameOfSign = (sign: DecimalSign): string => NAMES[sign]

/** Returns why a text is no number with that decimal sign. */
export const faultOfNumber = (text: string, sign: DecimalSign): Fault => {
  const worded = stripWords(text)
  // Words that are no units are no matter of the decimal sign.
  const isMeant = worded !== undefined && meaningsOf(worded.words) !== undefined
  const affixed = stripAffixes(text) ?? (isMeant && !readAffixedNumber(worded.number, sign) ? worded.number : undefined)
  const known = affixed ? undefined : faultOfNoValue(text)
  if (known !== undefined) return new Fault(known)
  // Take a single letter for no truth value.
  if (text.length > 1 && isTruthWord(text))
    return new Misread('is a truth value, and no number: --booleans numbers reads such as 1 and 0')
  if (!affixed || readAffixedNumber(affixed, OTHER[sign]) === undefined) return new Misread('must be a number')
  return new Misread(`has ${NAMES[OTHER[sign]]}, where numbers have ${NAMES[sign]}`)
}

/** Returns what was read from a text; a fault is returned with the text. */
export const withText = (text: string, cell: NumberCell | Fault): NumberCell | Fault => {
  if (!(cell instanceof Fault)) return cell
  const reason = `"${text}" ${cell.message}`
  return cell instanceof Misread ? new Misread(reason) : new Fault(reason)
}
