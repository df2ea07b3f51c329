import type { RawWord } from './raw-words.ts'
import { decodeBytes, type LegacyEncoding } from './table-decoder.ts'
import { nextTurn } from '../../client/next-turn.ts'
import { type Candidate, createCandidates } from './candidates.ts'

/** Describes what the words of a file are in one encoding. */
type Reading = {
  readonly encoding: LegacyEncoding
  readonly isMultiByte: boolean
  /** Holds the negative logarithm of how likely the words are. */
  readonly cost: number
  /** Tells whether the words are written as those of some language. */
  readonly isPlausible: boolean
  /** Holds the first word that is in no language. */
  readonly strange: RawWord | undefined
}

/** Describes the outcome: the encoding that is taken, or the ones among which nothing decides. */
export type Verdict = {
  readonly taken: LegacyEncoding | undefined
  /** Lists the readings that are likely enough, the likeliest first. */
  readonly readings: readonly LegacyEncoding[]
  /** Holds the likeliest reading, plausible or not. */
  readonly best: Reading | undefined
  /** Lists words that the readings show differently, and the first words of all. */
  readonly examples: readonly RawWord[]
}

/** Sets how much likelier a reading must be than the next one that shows other words. */
const MARGIN = 7
/** Sets the same for a few characters of languages with thousands, each of which may be anything. */
const MARGIN_OF_FEW = 12
/** Sets the same for signs without a word, where other encodings have words. */
const MARGIN_OF_SIGNS = 15
const FEW_CHARACTERS = 8
/** Sets how many pairs within words a reading needs. */
const FEWEST_PAIRS = 2
/** Sets the same for Windows-1252, so that files of Western offices are read without questions. */
const MARGIN_OF_USUAL = 7
/** Sets how much likelier Windows-1252 is before anything is seen: most files of this kind are from Western offices. */
const USUAL: Partial<Record<LegacyEncoding, number>> = {
  'windows-1252': -3,
  'iso-8859-15': 1,
  'iso-8859-2': 1,
  'iso-8859-5': 1,
  'iso-8859-7': 1,
  'iso-8859-6': 1,
  'windows-1258': 1,
}
/** Sets how much a pair of letters, or a character of thousands, may cost on average. */
const HIGHEST_PAIR = 4.6
const HIGHEST_CHARACTER = 9.2
/** Sets how much more all together may cost, so that one rare name is no fault. */
const TOLERANCE = 15
/** Sets how far behind a candidate is given up. */
const HOPELESS = 150
const JUDGED_WORDS = 5000
const JUDGED_BYTES = 1 << 18
/** Sets how long a word is in whose readings signals and timers run in between. */
const LONG_WORD = 1 << 12
const KEPT_WORDS = 60

/** Returns a word as an encoding has it; `undefined` if some bytes stand for no character. */
export const decodeWord = (bytes: string, encoding: LegacyEncoding): string | undefined =>
  decodeBytes(Buffer.from(bytes, 'latin1'), encoding)

/** Holds what has been seen of a candidate. */
class Tally {
  readonly candidate: Candidate
  /** Numbers the texts: candidates with the same number showed the same words so far. */
  group = 0
  #shared = 0
  #ofLanguages = 0
  /** Holds how many words seem to be of each language: a file in one language makes words of another less likely. */
  readonly #weights: number[]
  pairs = 0
  inner = 0
  strange: RawWord | undefined

  constructor(candidate: Candidate) {
    this.candidate = candidate
    this.#weights = [...candidate.weights]
  }

  add(text: string, word: RawWord): void {
    const { shared, perLanguage, isStrange, pairs, inner } = this.candidate.costOf(text)
    this.#shared += shared
    if (pairs > 0) this.#ofLanguages += this.#mix(perLanguage)
    this.pairs += pairs
    this.inner += inner
    if (isStrange) this.strange ??= word
  }

  /** Returns what a word costs in the languages together, and counts it for those that it is likely to be of. */
  #mix(perLanguage: readonly number[]): number {
    const weights = this.#weights
    const all = weights.reduce((sum, weight) => sum + weight, 0)
    const lowest = Math.min(...perLanguage)
    // The number of languages that a candidate serves does not count against it.
    if (this.pairs === 0) this.#ofLanguages -= Math.log(perLanguage.length)
    const shares = perLanguage.map((cost, at) => ((weights[at] ?? 0) / all) * Math.exp(lowest - cost))
    const sum = shares.reduce((total, share) => total + share, 0)
    shares.forEach((share, at) => (this.#weights[at] = (weights[at] ?? 0) + share / sum))
    return lowest - Math.log(sum)
  }

  get cost(): number {
    return this.#shared + this.#ofLanguages + (USUAL[this.candidate.encoding] ?? 0)
  }

  get reading(): Reading {
    const { encoding, isMultiByte } = this.candidate
    const highest = (isMultiByte ? HIGHEST_CHARACTER : HIGHEST_PAIR) * this.pairs + TOLERANCE
    // A single letter is no evidence, except for the usual encoding.
    const isWeak = encoding !== 'windows-1252' && this.inner < FEWEST_PAIRS
    const isPlausible = !isWeak && this.strange === undefined && this.#ofLanguages <= highest
    return { encoding, isMultiByte, cost: this.cost, isPlausible, strange: this.strange }
  }
}

/** Tells whether one reading has only signs where the other has characters of a language with thousands. */
const isSignsAlone = (one: Tally, other: Tally): boolean =>
  one.inner === 0 && other.candidate.isMultiByte && other.pairs > 1

const marginOf = ({ candidate, pairs }: Tally): number => {
  if (candidate.encoding === 'windows-1252') return MARGIN_OF_USUAL
  return candidate.isMultiByte && pairs < FEW_CHARACTERS ? MARGIN_OF_FEW : MARGIN
}

/** Judges the words of a file, which are added one at a time, under all encodings that it may have. */
type Judge = {
  /** Adds a word; a promise is to be awaited before the next one is added. */
  readonly add: (word: RawWord) => Promise<void> | undefined
  readonly verdict: () => Verdict
}

/** Gives those that show a word in the same way the same number, as far as they showed all words before so. */
const splitGroups = (texts: ReadonlyMap<Tally, string>): boolean => {
  const groups = new Map<string, number>()
  const before = new Set<number>()
  for (const [tally, text] of texts) {
    before.add(tally.group)
    const key = `${tally.group} ${text}`
    const group = groups.get(key) ?? groups.size
    groups.set(key, group)
    tally.group = group
  }
  return groups.size > before.size
}

/** Tells whether a word has bytes that no word before had; words without them show nothing new of single bytes. */
const createByteCheck = (): ((bytes: string) => boolean) => {
  const seen = new Uint8Array(256)
  return (bytes) => {
    let hasNew = false
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes.charCodeAt(at)
      if (byte < 0x80 || seen[byte] === 1) continue
      seen[byte] = 1
      hasNew = true
    }
    return hasNew
  }
}

/** Creates a judge; its memory does not grow with the file. */
export const createJudge = (signal?: AbortSignal): Judge => {
  let alive = createCandidates().map((candidate) => new Tally(candidate))
  const seen = new Set<string>()
  const hasNewBytes = createByteCheck()
  const examples: RawWord[] = []
  let judged = 0
  let judgedBytes = 0
  const giveUpHopeless = (): void => {
    const lowest = Math.min(...alive.map(({ cost }) => cost))
    alive = alive.filter(({ cost }) => cost < lowest + HOPELESS)
  }
  const judge = async (word: RawWord): Promise<void> => {
    const texts = new Map<Tally, string>()
    for (const tally of alive) {
      if (word.bytes.length > LONG_WORD) await nextTurn(signal)
      const text = decodeWord(word.bytes, tally.candidate.encoding)
      if (text === undefined) continue
      texts.set(tally, text)
      tally.add(text, word)
    }
    judged += 1
    judgedBytes += word.bytes.length
    const hasSplit = splitGroups(texts)
    if ((hasSplit || examples.length < 3) && examples.length < KEPT_WORDS) examples.push(word)
    alive = [...texts.keys()]
    if (judged % 16 === 0) giveUpHopeless()
  }
  /** Leaves out the candidates with longer characters in which a word is none. */
  const requireCharacters = (bytes: string): void => {
    alive = alive.filter(
      ({ candidate }) => !candidate.isMultiByte || decodeWord(bytes, candidate.encoding) !== undefined,
    )
  }
  const add = (word: RawWord): Promise<void> | undefined => {
    const { bytes } = word
    if (seen.has(bytes)) return undefined
    if (seen.size >= JUDGED_WORDS) seen.clear()
    seen.add(bytes)
    const hasNew = hasNewBytes(bytes)
    if (hasNew || (judged < JUDGED_WORDS && judgedBytes < JUDGED_BYTES)) return judge(word)
    if (alive.some(({ candidate }) => candidate.isMultiByte)) requireCharacters(bytes)
    return undefined
  }
  const verdict = (): Verdict => {
    const sorted = alive.toSorted((one, other) => one.cost - other.cost)
    const [first] = sorted
    if (!first) return { taken: undefined, readings: [], best: undefined, examples }
    const margin = marginOf(first)
    const rivals = sorted.filter(
      (one) =>
        one.group !== first.group && one.cost < first.cost + (isSignsAlone(first, one) ? MARGIN_OF_SIGNS : margin),
    )
    const distinct = [first, ...rivals].filter(
      (one, at, all) => all.findIndex(({ group }) => group === one.group) === at,
    )
    const readings = distinct.map(({ candidate }) => candidate.encoding)
    const best = first.reading
    const taken = rivals.length === 0 && best.isPlausible ? best.encoding : undefined
    return { taken, readings, best, examples }
  }
  return { add, verdict }
}
