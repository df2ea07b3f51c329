/** Names what a character is to the judge of encodings. */
export type CharacterKind =
  'ascii-letter' | 'letter' | 'mark-in-word' | 'symbol' | 'rare-symbol' | 'space' | 'plain' | 'none'

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
