import { Fault } from '../errors.ts'

/** Says by which power of ten a word multiplies the number beside it, and whether it makes it negative. */
export type Scaling = { readonly power: number; readonly isNegated: boolean }

/** Describes one of the meanings of a word: by its name, as `--scale` takes it. */
export type Scale = Scaling & { readonly name: string }

const scale = (name: string, power: number, isNegated = false): Scale => ({ name, power, isNegated })

const THOUSAND = scale('thousand', 3)
const LAKH = scale('lakh', 5)
const TRILLION = scale('trillion', 12)

/** Lists the scales, each with its words in small letters and without full stops; a word of several may mean any. */
const SCALES: readonly (readonly [Scale, string])[] = [
  [
    THOUSAND,
    "k tsd tausend thousand thousands thou mille milliers millier mila mil miles tys tkr 000 000s '000 '000s тыс 千 thsd",
  ],
  [scale('10000', 4), '万 萬'],
  [LAKH, 'lakh lakhs lac lacs'],
  [
    scale('million', 6),
    'm mm mn mio mln mill million millions millionen millón millon millones milhão milhões milione milioni miljoen mil milj mkr млн 百万 百萬',
  ],
  [scale('crore', 7), 'crore crores cr'],
  [scale('100000000', 8), '億 亿'],
  [
    scale('billion', 9),
    'b bn bln billion billions mrd mld mia milliard milliards milliarde milliarden miliardi miljard mrdr млрд',
  ],
  [TRILLION, 'tn trn trillion trillions bio billionen billones bilhões billion'],
  [scale('credit', 0, true), 'cr'],
  [scale('debit', 0), 'dr'],
]

/** Lists single letters that stand for a scale in one case only. */
const IN_CASE: ReadonlyMap<string, readonly Scale[]> = new Map(Object.entries({ T: [THOUSAND, TRILLION], L: [LAKH] }))

const byWord = Map.groupBy(
  SCALES.flatMap(([of, words]) => words.split(' ').map((word) => ({ word, of }))),
  ({ word }) => word,
)

/** Returns the scales that a word may stand for; empty if it is none. */
export const scalesOf = (word: string): Scale[] => {
  const plain = word.replace(/\.$/, '')
  return [...(IN_CASE.get(plain) ?? (byWord.get(plain.toLowerCase()) ?? []).map(({ of }) => of))]
}

const POWER = /^(-?)10*$/

/** Returns the scale that a text names, such as `thousand`, `1000` or `-1`; a fault if there is none. */
export const scaleNamed = (text: string): Scale | Fault => {
  const word = text.trim().toLowerCase()
  const [found] = SCALES.find(([{ name }]) => name === word) ?? []
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
