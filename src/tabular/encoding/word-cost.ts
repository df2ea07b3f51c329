import type { LetterPairs } from './letter-pairs.ts'

/** Names what a character is to the judge of encodings. */
type CharacterKind = 'ascii-letter' | 'letter' | 'mark-in-word' | 'symbol' | 'rare-symbol' | 'space' | 'plain' | 'none'

/** Lists signs that are common in tables; all others make a reading less likely. */
const COMMON_SYMBOLS = '€£°²³½§©®™«»ºª·¿¡–—…“”„‘’‚•₪₩¥、。・「」（）／％：＋－＆～〜【】『』'
/** Lists signs that may be between the letters of one word. */
const INSIDE_WORDS = "’‘·–-­'.&/"
const LETTER = /[\p{L}\p{M}]/u
/** Matches what stands for no character: control characters, private use, and the replacement character. */
const NO_CHARACTER = /[\u0080-\u009f\ue000-\uf8ff\ufffd\u{f0000}-\u{10ffff}]/u
const SPACE = /\s/u

const findKind = (character: string): CharacterKind => {
  if (/[A-Za-z]/.test(character)) return 'ascii-letter'
  if (INSIDE_WORDS.includes(character)) return 'mark-in-word'
  if (character <= '\u007f') return 'plain'
  if (NO_CHARACTER.test(character)) return 'none'
  // Ordinal signs are letters to Unicode.
  if (COMMON_SYMBOLS.includes(character)) return 'symbol'
  if (LETTER.test(character)) return 'letter'
  return SPACE.test(character) ? 'space' : 'rare-symbol'
}

const kinds = new Map<string, CharacterKind>()

/** Returns what a character is to the judge of encodings. */
export const kindOf = (character: string): CharacterKind => {
  const known = kinds.get(character)
  if (known) return known
  const kind = findKind(character)
  kinds.set(character, kind)
  return kind
}

/** Sets what a pair of letters costs that the language has not. */
const UNSEEN_COST = 11

const BASE = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = 36

/** Returns what a letter costs after another: the negative logarithm of its share. `^` is the edge of a word. */
type PairCost = (before: string, letter: string) => number

/** Creates the costs of the letter pairs of a language. */
export const createPairCost = ({ letters, into, from, plain }: LetterPairs, base = BASE): PairCost => {
  const own = new Map(Array.from(letters, (letter, at) => [letter, at]))
  const all = new Map(Array.from(`^${base}${letters}`, (letter, at) => [letter, at]))
  const costAt = (costs: string, at: number): number => Number.parseInt(costs.charAt(at), DIGITS) / 2
  return (before, letter) => {
    const [first, second] = [all.get(before), all.get(letter)]
    const ownSecond = own.get(letter)
    if (ownSecond !== undefined) return first === undefined ? UNSEEN_COST : costAt(into, ownSecond * all.size + first)
    const ownFirst = own.get(before)
    if (ownFirst !== undefined) {
      return second === undefined ? UNSEEN_COST : costAt(from, ownFirst * (base.length + 1) + second)
    }
    return first === undefined || second === undefined ? UNSEEN_COST : costAt(plain, first * (base.length + 1) + second)
  }
}

/** Describes what a text costs: what is the same in all languages, what each language adds, and what no language has. */
export type TextCost = {
  readonly shared: number
  readonly perLanguage: readonly number[]
  /** Tells whether letters and signs are mixed as no language does it. */
  readonly isStrange: boolean
  /** Counts the pairs with a letter beyond ASCII. */
  readonly pairs: number
  /** Counts those of them that are not at the edge of a word. */
  readonly inner: number
}

const SHARED_COST: Readonly<Record<Exclude<CharacterKind, 'letter'>, number>> = {
  'ascii-letter': 2.5,
  'mark-in-word': 4,
  symbol: 5,
  'rare-symbol': 9,
  space: 3,
  plain: 3,
  none: 30,
}
const STRANGE_COST = 10
/** Matches lines of forms, which are where another encoding has letters. */
const FORM_LINES = /[\u2500-\u259f]/u
/** Matches words whose case changes as nobody writes it; names such as `McÉwan` are. */
const STRANGE_CASE = /\p{Ll}\p{Lu}/u
const LATIN = /\p{Script=Latin}/u
const OTHER_SCRIPT = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Thai}]/u
/** Matches signs that do not touch letters on that side: `½uvre`, `’νθρωπος`. */
const SIGN_BEFORE_LETTER = /(?<![\p{L}\p{M}])[’¹²³¼½¾±¶©®™¸´¨¯·¤¦‡†»”]\p{L}/u
const SIGN_AFTER_LETTER = /\p{L}[¼½¾±¶¸´¨¯¤¦‡†«“„‚¡¿](?!\p{L})/u
const FRACTION_BEFORE_LETTER = /[¼½¾]\p{L}{2}/u
const ORDINAL_AFTER_WORD = /\p{L}{2}[ºª]/u
const APOSTROPHE_BEFORE_GREEK = /’\p{Script=Greek}/u
const SPACE_INSIDE = /\p{L}[\u00a0\u3000]\p{L}/u
const SIGNS_IN_A_ROW = /[^\s\p{ASCII}\p{L}\p{M}]{3}/u
/** Matches signs of units and currencies at words that are no units: `wyszed³`, `£atwy`, `ZNAJD¥`. */
const SIGN_BESIDE_WORD = /\p{L}{4}[¹²³]|\p{L}{2}[£¥©®]|[£¥¤§]\p{L}{3}|[ªº¿¡]\p{Ll}/u
const MISPLACED: readonly RegExp[] = [
  SIGN_BEFORE_LETTER,
  SIGN_AFTER_LETTER,
  SPACE_INSIDE,
  FRACTION_BEFORE_LETTER,
  ORDINAL_AFTER_WORD,
  APOSTROPHE_BEFORE_GREEK,
  SIGNS_IN_A_ROW,
  SIGN_BESIDE_WORD,
]
const MISPLACED_COST = 5
const ASCII_WORD = /^[A-Za-z]*$/
const MC = /^(?:Mc|Mac|O)\p{Lu}/u

const isStrangeWord = (word: string): boolean =>
  (STRANGE_CASE.test(word) && !MC.test(word)) || (LATIN.test(word) && OTHER_SCRIPT.test(word))

const addWord = (word: string, languages: readonly PairCost[], costs: number[]): void => {
  const letters = Array.from(word.toLowerCase().replaceAll('i\u0307', 'i'))
  languages.forEach((cost, at) => {
    let [sum, before] = [0, '^']
    for (const letter of [...letters, '^']) {
      sum += cost(before, letter)
      before = letter
    }
    costs[at] = (costs[at] ?? 0) + sum
  })
}

/** Lists signs that units and ordinals have between letters: `kgCO²e`. */
const UNIT_SIGNS = '²°ºª'

const isStrangeInside = (kind: CharacterKind, character: string): boolean =>
  kind === 'rare-symbol' || (kind === 'symbol' && !UNIT_SIGNS.includes(character))

const DIGIT = /[0-9]/
/** Sets what a letter beyond ASCII in a code costs, more than a sign does: codes such as `SÃ9` are in no language. */
const CODE_LETTER_COST = 7

/** Returns what letters beside digits cost if they are a code, in which ASCII letters are beside others. */
const costOfCode = (letters: string): number | undefined => {
  const ascii = letters.replaceAll(/\P{ASCII}/gu, '').length
  const others = letters.length - ascii
  return ascii > 0 && others > 0 ? ascii * SHARED_COST['ascii-letter'] + others * CODE_LETTER_COST : undefined
}

/** Returns the words of a text without its codes, and whether a sign is between the letters of one. */
const splitWords = (text: string): { words: string[]; shared: number; hasSignInside: boolean } => {
  const words: string[] = []
  let [word, sign, shared, hasSignInside, isBesideDigit] = ['', '', 0, false, false]
  const endWord = (): void => {
    const cost = isBesideDigit ? costOfCode(word) : undefined
    if (cost !== undefined) shared += cost
    else if (word !== '') words.push(word)
    word = ''
  }
  for (const character of text) {
    const kind = kindOf(character)
    if (kind === 'letter' || kind === 'ascii-letter') {
      if (sign !== '' && words.length > 0 && word === '') hasSignInside = true
      word += character
      sign = ''
      continue
    }
    const isDigit = DIGIT.test(character)
    isBesideDigit ||= isDigit
    const isStrange = isStrangeInside(kind, character)
    if (word !== '' || !isStrange) sign = isStrange ? character : ''
    endWord()
    isBesideDigit = isDigit
    shared += SHARED_COST[kind]
  }
  endWord()
  return { words, shared, hasSignInside }
}

/** Returns what a text costs in each of some languages, whose letters have pairs. */
export const costOfText = (text: string, languages: readonly PairCost[]): TextCost => {
  const { words, shared, hasSignInside } = splitWords(text)
  const perLanguage = languages.map(() => 0)
  let [pairs, inner, more, isStrange] = [0, 0, shared, hasSignInside || FORM_LINES.test(text)]
  for (const word of words) {
    if (ASCII_WORD.test(word)) {
      more += word.length * SHARED_COST['ascii-letter']
      continue
    }
    isStrange ||= isStrangeWord(word)
    addWord(word, languages, perLanguage)
    pairs += word.length + 1
    inner += word.length - 1
  }
  for (const misplaced of MISPLACED) {
    if (misplaced.test(text)) more += MISPLACED_COST
  }
  return { shared: more + (isStrange ? STRANGE_COST : 0), perLanguage, isStrange, pairs, inner }
}
