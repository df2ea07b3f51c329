import { Fault } from '../errors.ts'

/** Says by which power of ten a word multiplies the number beside it, and whether it makes it negative. */
export type Scaling = { readonly power: number; readonly isNegated: boolean }

/** Describes one of the meanings of a word: by its name, as `--scale` takes it. */
export type Scale = Scaling & { readonly name: string }

const scale = (name: string, power: number, isNegated = false): Scale => ({ name, power, isNegated })

/** Lists the scales by their names. */
const SCALES = {
  thousand: scale('thousand', 3),
  tenThousand: scale('10000', 4),
  lakh: scale('lakh', 5),
  million: scale('million', 6),
  crore: scale('crore', 7),
  hundredMillion: scale('100000000', 8),
  billion: scale('billion', 9),
  trillion: scale('trillion', 12),
  credit: scale('credit', 0, true),
  debit: scale('debit', 0),
} as const
type ScaleName = keyof typeof SCALES

/** Lists the words of each scale, in small letters and without full stops; a word of several scales may mean any. */
const WORDS: Readonly<Record<ScaleName, string>> = {
  thousand:
    "k tsd tausend thousand thousands thou mille milliers millier mila mil miles tys tkr 000 000s '000 '000s тыс 千 thsd",
  tenThousand: '万 萬',
  lakh: 'lakh lakhs lac lacs',
  million:
    'm mm mn mio mln mill million millions millionen millón millon millones milhão milhões milione milioni miljoen mil milj mkr млн 百万 百萬',
  crore: 'crore crores cr',
  hundredMillion: '億 亿',
  billion: 'b bn bln billion billions mrd mld mia milliard milliards milliarde milliarden miliardi miljard mrdr млрд',
  trillion: 'tn trn trillion trillions trillionen bio billionen billones bilhões billion billiarden',
  credit: 'cr',
  debit: 'dr',
}
/** Lists single letters that stand for a scale in one case only. */
const IN_CASE: Readonly<Record<string, readonly ScaleName[]>> = {
  T: ['thousand', 'trillion'],
  L: ['lakh'],
}

const byWord = new Map<string, ScaleName[]>()
for (const [name, words] of Object.entries(WORDS) as [ScaleName, string][])
  for (const word of words.split(' ')) byWord.set(word, [...(byWord.get(word) ?? []), name])

/** Returns the scales that a word may stand for; empty if it is none. */
export const scalesOf = (word: string): Scale[] => {
  const plain = word.replace(/\.$/, '')
  return (IN_CASE[plain] ?? byWord.get(plain.toLowerCase()) ?? []).map((name) => SCALES[name])
}

const POWER = /^(-?)10*$/

/** Returns the scale that a text names, such as `thousand`, `1000` or `-1`; a fault if there is none. */
export const scaleNamed = (text: string): Scale | Fault => {
  const word = text.trim().toLowerCase()
  const found = Object.values(SCALES).find(({ name }) => name === word)
  if (found) return found
  const [, minus] = POWER.exec(word) ?? []
  const digits = word.replace('-', '')
  if (minus === undefined || digits.length > 15) {
    return Fault.must(
      'be thousand, lakh, million, crore, billion, trillion, credit, or 1, 10, 100, 1000 and so on, with a minus for numbers that it makes negative',
    )
  }
  return scale(word, digits.length - 1, minus === '-')
}
