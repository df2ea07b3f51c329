import type { LegacyEncoding } from './table-decoder.ts'
import { createPairCost, costOfText, type TextCost } from './word-cost.ts'
import { costOfIdeographs, type Ideographic } from './ideographs.ts'
import { LATIN_PAIRS, OTHER_PAIRS } from './letter-pairs.ts'

/** Describes an encoding that a file may have, and what a text costs in each of the languages that it serves. */
export type Candidate = {
  readonly encoding: LegacyEncoding
  /** Tells whether a character may have more than one byte. */
  readonly isMultiByte: boolean
  /** Holds for how many words each of its languages counts before any is seen. */
  readonly weights: readonly number[]
  readonly costOf: (text: string) => TextCost
}

/** Sets the weight of a language before any of its words is seen, and of one that few files are in. */
const WEIGHT = 0.3
const SMALL_WEIGHT = 0.01

type OtherName = keyof typeof OTHER_PAIRS

const LATIN: readonly LegacyEncoding[] = [
  'windows-1252',
  'iso-8859-15',
  'windows-1250',
  'iso-8859-2',
  'windows-1254',
  'windows-1257',
  'windows-1258',
]
/** Sets what a word without letters beyond ASCII costs more where another script is expected. */
const SIGNS_ALONE = 4
const CYRILLIC: readonly OtherName[] = ['ru', 'uk', 'bg', 'mk', 'sr']
const OTHER: readonly (readonly [encoding: LegacyEncoding, languages: readonly OtherName[]])[] = [
  ['windows-1251', CYRILLIC],
  ['koi8-r', ['ru']],
  ['iso-8859-5', CYRILLIC],
  ['windows-1253', ['el']],
  ['iso-8859-7', ['el']],
  ['windows-1255', ['he']],
  ['windows-1256', ['ar', 'fa']],
  ['iso-8859-6', ['ar']],
  ['windows-874', ['th']],
]
const MULTI_BYTE: readonly (readonly [encoding: LegacyEncoding, language: Ideographic])[] = [
  ['shift_jis', 'ja'],
  ['euc-jp', 'ja'],
  ['gb18030', 'zhHans'],
  ['big5', 'zhHant'],
  ['euc-kr', 'ko'],
]

/** Sets how many texts are kept whose costs are known: most encodings show a word in the same way as others. */
const KEPT_TEXTS = 64

/** Returns a function that works out the cost of a text once for candidates that show a word in the same way. */
const memoize = (costOf: (text: string) => TextCost): ((text: string) => TextCost) => {
  const known = new Map<string, TextCost>()
  return (text) => {
    const cost = known.get(text) ?? costOf(text)
    if (known.size >= KEPT_TEXTS) known.clear()
    known.set(text, cost)
    return cost
  }
}

const ofScript = (names: readonly OtherName[]): ((text: string) => TextCost) => {
  const languages = names.map((name) => createPairCost(OTHER_PAIRS[name], ''))
  return (text) => {
    const cost = costOfText(text, languages)
    return cost.pairs > 0 ? cost : { ...cost, shared: cost.shared + SIGNS_ALONE }
  }
}

/** Creates the candidates, with the costs of their languages. */
export const createCandidates = (): readonly Candidate[] => {
  // All have all languages, so that words that they show in the same way cost the same.
  const languages = Object.values(LATIN_PAIRS).map((pairs) => createPairCost(pairs))
  const weights = Object.keys(LATIN_PAIRS).map((name) => (name === 'sq' ? SMALL_WEIGHT : WEIGHT))
  const latin = memoize((text) => costOfText(text, languages))
  return [
    ...LATIN.map((encoding) => ({ encoding, isMultiByte: false, weights, costOf: latin })),
    ...OTHER.map(([encoding, names]) => ({
      encoding,
      isMultiByte: false,
      weights: names.map(() => WEIGHT),
      costOf: ofScript(names),
    })),
    ...MULTI_BYTE.map(([encoding, language]) => ({
      encoding,
      isMultiByte: true,
      weights: [WEIGHT],
      costOf: (text: string) => costOfIdeographs(text, language),
    })),
  ]
}
