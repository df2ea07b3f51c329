import { type FoundEncoding, type Inspected, unreadable } from './encoding.ts'
import { nextTurn } from '../../client/next-turn.ts'
import { createFaultFinder, type LegacyEncoding } from './table-decoder.ts'
import { createJudge, decodeWord, type Verdict } from './judge.ts'
import { type RawWord, rawWords } from './raw-words.ts'

const USUAL: LegacyEncoding = 'windows-1252'
const UTF8_LETTER = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/
/** Lists the encodings in whose words bytes of UTF-8 stand beside each other, too. */
const LIKE_UTF8: ReadonlySet<LegacyEncoding> = new Set<LegacyEncoding>([
  'shift_jis',
  'euc-jp',
  'gb18030',
  'big5',
  'euc-kr',
  'windows-874',
  'windows-1255',
  'windows-1256',
  'windows-1258',
])
/** Matches bytes that are no characters in Windows-1252. */
const UNDEFINED = /[\x81\x8d\x8f\x90\x9d]/
const NOT_ASCII = /[^\s\x21-\x7e]/u
const CELL_ENDS = /[\s|]+/
const LONGEST_SHOWN = 40
const EXAMPLES = 3
const SHOWN_READINGS = 4

/** Returns the part of a word that shows how it is read; empty where it has only spaces beyond ASCII. */
const shownWord = ({ bytes }: RawWord, encoding: LegacyEncoding): string => {
  const parts = (decodeWord(bytes, encoding) ?? '').split(CELL_ENDS)
  return (parts.find((part) => NOT_ASCII.test(part)) ?? '').slice(0, LONGEST_SHOWN)
}

/** Returns the words that differ most between readings, first. */
const differing = (words: readonly RawWord[], readings: readonly LegacyEncoding[]): RawWord | undefined => {
  const countOf = (word: RawWord): number => new Set(readings.map((encoding) => decodeWord(word.bytes, encoding))).size
  return words.toSorted((one, other) => countOf(other) - countOf(one))[0]
}

/** Sets how many bytes of words are looked at in one turn. */
const BYTES_PER_TURN = 1 << 14

type Seen = { readonly verdict: Verdict; readonly utf8: RawWord | undefined; readonly fault: RawWord | undefined }

/** Judges the words of a file in one pass. */
const judgeWords = async (file: Inspected): Promise<Seen> => {
  const judge = createJudge(file.signal)
  let [utf8, fault] = [undefined as RawWord | undefined, undefined as RawWord | undefined]
  let seen = 0
  for await (const words of rawWords(file.reread())) {
    for (const word of words) {
      seen += word.bytes.length
      if (seen > BYTES_PER_TURN) {
        await nextTurn(file.signal)
        seen = 0
      }
      await judge.add(word)
      if (!utf8 && UTF8_LETTER.test(word.bytes)) utf8 = word
      if (!fault && UNDEFINED.test(word.bytes)) fault = word
    }
  }
  return { verdict: judge.verdict(), utf8, fault }
}

const rejectUtf8 = (file: Inspected, shown: string, { bytes, line }: RawWord): never => {
  const letter = UTF8_LETTER.exec(bytes)?.[0] ?? ''
  const asWindows = decodeWord(letter, USUAL) ?? letter
  throw unreadable(
    file.name,
    `${shown}, but line ${line} has "${Buffer.from(letter, 'latin1').toString()}" as UTF-8 has it ("${asWindows}" in ${USUAL}); fix the file, or use --encoding ${USUAL}`,
  )
}

/** Throws that a word can be read in more than one way, with the flag for each. */
const rejectDoubt = (file: Inspected, shown: string, { readings, examples }: Verdict): never => {
  const word = differing(examples, readings)
  const ways = readings
    .slice(0, SHOWN_READINGS)
    .map((encoding) => `"${word ? shownWord(word, encoding) : ''}" (--encoding ${encoding})`)
  throw unreadable(
    file.name,
    `${shown}, and a word on line ${word?.line ?? 1} can be read in more than one way: ${ways.join(', ')}; say which is right with --encoding, or save the file as CSV UTF-8`,
  )
}

/** Throws that the words of a file are in no language. */
const rejectStrange = (file: Inspected, shown: string, { verdict, fault }: Seen): never => {
  if (fault) {
    const byte = createFaultFinder(USUAL)(fault.bytes)
    throw unreadable(
      file.name,
      `${shown}, and line ${fault.line} holds byte ${byte}, which is no character in ${USUAL}`,
    )
  }
  const word = verdict.best?.encoding === USUAL ? (verdict.best.strange ?? verdict.examples[0]) : verdict.examples[0]
  throw unreadable(
    file.name,
    `${shown}, and as ${USUAL} line ${word?.line ?? 1} says "${word ? shownWord(word, USUAL) : ''}", which is not a word in any language: save the file as CSV UTF-8, or use --encoding ${USUAL} if it is right`,
  )
}

/** Detects the encoding of a file that is not UTF-8 by its words, which one encoding alone must make likely. */
export const detectByWords = async (file: Inspected, shown: string): Promise<Omit<FoundEncoding, 'hasMark'>> => {
  const seen = await judgeWords(file)
  const { taken, best, examples } = seen.verdict
  const isLikeUtf8 = taken !== undefined && LIKE_UTF8.has(taken)
  if (seen.utf8 && !isLikeUtf8) return rejectUtf8(file, shown, seen.utf8)
  if (file.seen.endsCut) {
    throw unreadable(
      file.name,
      `it ends in the middle of a UTF-8 character, as if it were cut off; get the complete file, or use --encoding ${USUAL}`,
    )
  }
  if (!taken && best?.isPlausible) return rejectDoubt(file, shown, seen.verdict)
  if (!taken) return rejectStrange(file, shown, seen)
  const words = examples
    .map((word) => ({ line: word.line, text: shownWord(word, taken) }))
    .filter(({ text }, at, all) => text !== '' && all.findIndex((one) => one.text === text) === at)
    .slice(0, EXAMPLES)
  const evidence = [`encoding ${taken}: ${shown}`]
  // The only characters beyond ASCII are no-break spaces, which prove nothing and change nothing.
  if (words.length === 0) return { encoding: taken, evidence }
  const details = words.map(({ line, text }) => `line ${line} says "${text}"`).join(', ')
  const assumed = `${file.name} is read as ${taken}: ${details}; if that is wrong, save it as CSV UTF-8; if it is right, use --encoding ${taken}`
  return { encoding: taken, evidence, assumed }
}
