import { COMMON_CHARACTERS } from './common-characters.ts'
import { kindOf } from './character-kind.ts'
import type { TextCost } from './word-cost.ts'

/** Names a language with thousands of characters. */
export type Ideographic = keyof typeof COMMON_CHARACTERS

const KANA = /[\u3040-\u30ff]/u
const HALF_KANA = /[\uff61-\uff9f]/u
const FULL_WIDTH = /[\uff01-\uff5e\u3000-\u303f]/u

/** Sets what characters cost that are not in the list of a language's common ones. */
const RARE_COST = 13
const FIRST_COST: Readonly<Record<Ideographic, number>> = { ja: 5.8, zhHans: 4.8, zhHant: 4.7, ko: 4 }
/** Sets how much more the last of a list costs than the first. */
const SPAN = 5

const costsOf = (language: Ideographic): ReadonlyMap<string, number> => {
  const list = COMMON_CHARACTERS[language]
  const [first, size] = [FIRST_COST[language], list.length]
  return new Map(Array.from(list, (character, at) => [character, first + SPAN * Math.sqrt(at / size)]))
}

const createCharacterCost = (language: Ideographic): ((character: string) => number) => {
  const common = costsOf(language)
  const isJapanese = language === 'ja'
  return (character) => {
    const known = common.get(character)
    if (known !== undefined) return known
    if (KANA.test(character)) return isJapanese ? 4.2 : RARE_COST
    if (HALF_KANA.test(character)) return isJapanese ? 5 : RARE_COST
    if (FULL_WIDTH.test(character)) return 6
    const kind = kindOf(character)
    if (kind === 'none') return 30
    if (kind === 'symbol' || kind === 'space') return 7
    if (kind === 'rare-symbol') return 10
    return character <= '\u007f' ? (kind === 'ascii-letter' ? 2.5 : 3) : RARE_COST
  }
}

const created = new Map<Ideographic, (character: string) => number>()

const characterCost = (language: Ideographic): ((character: string) => number) => {
  const cost = created.get(language) ?? createCharacterCost(language)
  created.set(language, cost)
  return cost
}

const ASCII_BESIDE = 4
const isAsciiLetter = (character: string): boolean => /^[A-Za-z]$/.test(character)

/** Tells whether half-width kana touch ASCII letters, as they do where another encoding is misread. */
const HALF_BESIDE_LETTER = /[A-Za-z][\uff61-\uff9f]|[\uff61-\uff9f][A-Za-z]/u
/** Matches signs of clauses before a number that end none: other encodings have the signs of `£300` and `¥300` there. */
const SIGN_BEFORE_NUMBER = /(?<![\uff61-\uff9f])[\uff61\uff63-\uff65][-+]?\d/u
/** Matches small letters on both sides of one character: `M眉ller`. */
const SINGLE_INSIDE = /[a-z][\u0300-\uffff]{1,2}[a-z]|^[A-Z][\u0300-\uffff]{1,2}[a-z]{2}/u

/** Returns what a text costs in a language with thousands of characters. */
export const costOfIdeographs = (text: string, language: Ideographic): TextCost => {
  const cost = characterCost(language)
  const isStrange = HALF_BESIDE_LETTER.test(text) || SINGLE_INSIDE.test(text) || SIGN_BEFORE_NUMBER.test(text)
  let [sum, shared, pairs, before] = [0, isStrange ? 10 : 0, 0, '']
  for (const character of text) {
    if (character > '\u007f') {
      sum += cost(character)
      pairs += 1
      if (isAsciiLetter(before)) sum += ASCII_BESIDE
    } else {
      shared += cost(character)
      if (isAsciiLetter(character) && before > '\u007f') sum += ASCII_BESIDE
    }
    before = character
  }
  return { shared, perLanguage: [sum], isStrange, pairs, inner: pairs }
}
