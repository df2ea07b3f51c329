import { KpiError } from '../domain/errors.ts'
import { NUMBER_LIMIT } from '../domain/limits.ts'
import { neverPause, type Pause } from '../domain/pause.ts'
import type { RawNumber } from './json-number.ts'

/** Describes the limits of a JSON text. */
export type JsonLimits = {
  /** Bounds the levels of nesting. */
  readonly depth: number
  /** Bounds the keys and elements, counted together. */
  readonly members: number
  /** Bounds the keys of one object. Beyond it only keys that `isKept` accepts are kept, at most as many again. */
  readonly keys: number
  readonly isKept: (key: string) => boolean
}

/** Bounds the characters of a list or object that `JSON.parse` reads at once. */
const AT_ONCE_LIMIT = 4096
/** Sets how many characters of a string are read at a time. */
const STRING_PART_LENGTH = 16_384
/** Matches numbers of more than 15 digits: up to there a double is exact. */
const LONG_NUMBER = /\d[\d.]{15}/
const LONG_NUMBER_LENGTH = 16

const codeOf = (character: string): number => character.charCodeAt(0)
const [QUOTE, BACKSLASH, SMALL_U] = [codeOf('"'), codeOf('\\'), codeOf('u')]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [codeOf('['), codeOf(']'), codeOf('{'), codeOf('}')]
const [COMMA, COLON, SPACE, ZERO, NINE, POINT] = [
  codeOf(','),
  codeOf(':'),
  codeOf(' '),
  codeOf('0'),
  codeOf('9'),
  codeOf('.'),
]

const isBlank = (code: number): boolean => code === SPACE || (code >= 9 && code <= 13 && code !== 11 && code !== 12)
const isOfNumber = (code: number): boolean => (code >= ZERO && code <= NINE) || code === POINT

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
])

/** Returns a number as a double, or as its text if a double would lose digits. */
const numberOf = (text: string): number | RawNumber => (LONG_NUMBER.test(text) ? JSON.rawJSON(text) : Number(text))

/** Describes a list or object whose end has not been read yet. */
type Open = {
  readonly list: unknown[] | undefined
  readonly object: Record<string, unknown>
  key: string
  keys: number
}

/**
 * Describes a list or object that `JSON.parse` can read: where it ends, how many members it has in all, and how deep it
 * is nested.
 */
type Measured = { readonly end: number; readonly members: number; readonly depth: number }

/** Returns the index after the string at `start`; more than `until` if the string does not end before that. */
const afterString = (text: string, start: number, until: number): number => {
  let at = start + 1
  while (at < until && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  return at + 1
}

/** Measures the list or object at `start`; undefined if it is large or holds a long number. */
const measure = (text: string, start: number): Measured | undefined => {
  const until = Math.min(text.length, start + AT_ONCE_LIMIT)
  let [open, depth, members, digits, isEmpty] = [0, 0, 0, 0, false]
  for (let at = start; at < until;) {
    const code = text.charCodeAt(at)
    digits = isOfNumber(code) ? digits + 1 : 0
    if (digits === LONG_NUMBER_LENGTH) return undefined
    at = code === QUOTE ? afterString(text, at, until) : at + 1
    if (code === LIST || code === OBJECT) {
      open += 1
      members += 1
      depth = Math.max(depth, open)
    } else if (code === COMMA) members += 1
    else if (code === LIST_END || code === OBJECT_END) {
      open -= 1
      if (isEmpty) members -= 1
      if (open === 0) return { end: at, members, depth }
    }
    if (!isBlank(code)) isEmpty = code === LIST || code === OBJECT
  }
  return undefined
}

const parseOrUndefined = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // Reading it token by token finds the place of the error.
    return undefined
  }
}

const setMember = (object: Record<string, unknown>, key: string, value: unknown): void => {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

/** Names what may follow in the text. */
type Next = 'value' | 'first' | 'key' | 'colon' | 'more' | 'string' | 'end'

/**
 * Reads JSON step by step, with the result of `JSON.parse`, except that a number too long for a double becomes a
 * `RawNumber`. Throws SyntaxError for invalid JSON, and `malformed` for more than the limits allow.
 */
export class JsonReader {
  readonly #text: string
  readonly #limits: JsonLimits
  readonly #open: Open[] = []
  #at = 0
  #next: Next = 'value'
  #members = 0
  /** Hold the part of a string that has been read, and whether it is a key. */
  #string = ''
  #isKey = false
  #root: unknown

  constructor(text: string, limits: JsonLimits) {
    this.#text = text
    this.#limits = limits
  }

  /** Returns the value, once the whole text has been read. */
  get value(): unknown {
    return this.#root
  }

  /** Reads about so many more characters; returns whether the whole text has been read. */
  read(characters: number): boolean {
    const until = Math.min(this.#text.length, this.#at + characters)
    while (this.#at < until) {
      if (this.#next === 'string') this.#readString()
      else if (isBlank(this.#text.charCodeAt(this.#at))) this.#at += 1
      else this.#readToken(this.#text.charCodeAt(this.#at))
    }
    if (this.#at < this.#text.length) return false
    if (this.#next !== 'end') throw new SyntaxError('it ends too early')
    return true
  }

  #readToken(code: number): void {
    switch (this.#next) {
      case 'value':
        return this.#readValue(code)
      case 'first':
        return this.#readFirst(code)
      case 'key':
        if (code !== QUOTE) throw this.#unexpected()
        return this.#begin(true)
      case 'colon':
        if (code !== COLON) throw this.#unexpected()
        return this.#pass('value')
      case 'more':
        return this.#readMore(code)
      default:
        throw this.#unexpected()
    }
  }

  #readValue(code: number): void {
    if (code === QUOTE) this.#begin(false)
    else if (code === LIST || code === OBJECT) this.#readAtOnce(code)
    else this.#readScalar()
  }

  /** Reads what follows the start of a list or object: its end, or its first member. */
  #readFirst(code: number): void {
    const { list } = this.#top
    if (code === (list ? LIST_END : OBJECT_END)) return this.#close()
    this.#next = list ? 'value' : 'key'
    this.#readToken(code)
  }

  #readMore(code: number): void {
    const { list } = this.#top
    if (code === (list ? LIST_END : OBJECT_END)) return this.#close()
    if (code !== COMMA) throw this.#unexpected()
    this.#pass(list ? 'value' : 'key')
  }

  /** Hands a small value to `JSON.parse` if it is in a list or the root; reads any other member by member. */
  #readAtOnce(code: number): void {
    const isTried = this.#open.length === 0 || this.#top.list !== undefined
    const whole = isTried ? measure(this.#text, this.#at) : undefined
    this.#requireFit(whole?.depth ?? 1, whole?.members ?? 0)
    const value = whole && parseOrUndefined(this.#text.slice(this.#at, whole.end))
    if (whole === undefined || value === undefined) return this.#enter(code)
    this.#members += whole.members
    this.#at = whole.end
    this.#add(value)
  }

  #enter(code: number): void {
    this.#open.push({ list: code === LIST ? [] : undefined, object: {}, key: '', keys: 0 })
    this.#pass('first')
  }

  #close(): void {
    const { list, object } = this.#top
    this.#open.pop()
    this.#at += 1
    this.#add(list ?? object)
  }

  #begin(isKey: boolean): void {
    this.#string = ''
    this.#isKey = isKey
    this.#pass('string')
    this.#readString()
  }

  /** Reads a string to its end, or a part of it. */
  #readString(): void {
    const text = this.#text
    const until = Math.min(text.length, this.#at + STRING_PART_LENGTH)
    let [end, isPlain] = [this.#at, true]
    for (let code = text.charCodeAt(end); end < until && code !== QUOTE; code = text.charCodeAt(end)) {
      isPlain &&= code !== BACKSLASH && code >= SPACE
      end += code === BACKSLASH ? (text.charCodeAt(end + 1) === SMALL_U ? 6 : 2) : 1
    }
    const piece = text.slice(this.#at, end)
    this.#string += isPlain ? piece : this.#unescape(piece)
    this.#at = end
    if (end < until) this.#endString()
  }

  #endString(): void {
    const string = this.#string
    this.#at += 1
    if (!this.#isKey) return this.#add(string)
    this.#top.key = string
    this.#next = 'colon'
  }

  #unescape(piece: string): string {
    const string = parseOrUndefined(`"${piece}"`)
    if (typeof string === 'string') return string
    throw new SyntaxError(`a string has a character or an escape that JSON does not allow, after position ${this.#at}`)
  }

  #readScalar(): void {
    const ahead = this.#text.slice(this.#at, this.#at + NUMBER_LIMIT + 1)
    const word = NUMBER.exec(ahead)?.[0] ?? [...WORDS.keys()].find((one) => ahead.startsWith(one))
    if (word === undefined) throw this.#unexpected()
    if (word.length > NUMBER_LIMIT) {
      throw new SyntaxError(`the number at position ${this.#at} has more than ${NUMBER_LIMIT} characters`)
    }
    this.#at += word.length
    this.#add(WORDS.has(word) ? WORDS.get(word) : numberOf(word))
  }

  /** Adds a value to the list or object that holds it, or makes it the root. */
  #add(value: unknown): void {
    const top = this.#open.at(-1)
    this.#next = top ? 'more' : 'end'
    if (!top) {
      this.#root = value
      return
    }
    this.#requireFit(0, 1)
    this.#members += 1
    if (top.list) top.list.push(value)
    else this.#addMember(top, value)
  }

  #addMember(top: Open, value: unknown): void {
    const { object, key } = top
    const { keys, isKept } = this.#limits
    if (!Object.hasOwn(object, key)) {
      // It takes long to build and to search an object of very many keys.
      if (top.keys >= keys && !isKept(key)) return
      top.keys += 1
      if (top.keys > 2 * keys)
        throw new KpiError('malformed', 'the body spells the names of its fields in too many ways')
    }
    setMember(object, key, value)
  }

  /** Refuses more levels, or more keys and elements, than the limits allow. */
  #requireFit(levels: number, members: number): void {
    const { depth, members: most } = this.#limits
    if (this.#open.length + levels > depth) {
      throw new KpiError('malformed', `the body is nested more than ${depth} deep`)
    }
    if (this.#members + members > most) {
      throw new KpiError('malformed', `the body has more than ${most} keys and elements`)
    }
  }

  get #top(): Open {
    const top = this.#open.at(-1)
    if (top) return top
    throw this.#unexpected()
  }

  #pass(next: Next): void {
    this.#at += 1
    this.#next = next
  }

  #unexpected(): SyntaxError {
    const found = JSON.stringify(this.#text.slice(this.#at, this.#at + 1))
    return new SyntaxError(`${found} at position ${this.#at} is not expected there`)
  }
}

/** Sets how many characters are read before other requests may run: they take well under a millisecond. */
const CHARACTERS_PER_TURN = 16_384

/** Parses JSON of any size as a `JsonReader` does; other requests run in between. */
export const parseJson = async (text: string, limits: JsonLimits, pause: Pause = neverPause): Promise<unknown> => {
  const reader = new JsonReader(text, limits)
  while (!reader.read(CHARACTERS_PER_TURN)) {
    const turn = pause()
    if (turn) await turn
  }
  return reader.value
}
