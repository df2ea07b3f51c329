import { countText } from '../../domain/count-text.ts'
import { KpiError } from '../../domain/errors.ts'
import { LONGEST_CELL, LONGEST_ROW } from '../source/limits.ts'
import type { JsonFormat } from './json-format.ts'

/** Describes a record that was found: its text, the line on which it begins, and how many keys it has in all. */
export type FoundRecord = { readonly text: string; readonly line: number; readonly keys: number }

/** Describes a list or an object around the records, or beside them. */
type Frame = {
  readonly isList: boolean
  /** Holds the rest of the path to the records within it: empty for their list; undefined where they are elsewhere. */
  readonly rest: string | undefined
  next: 'first' | 'value' | 'key' | 'colon' | 'more'
  key: string
}

/** Bounds how deep values are nested. */
const DEEPEST = 200
/** Bounds the characters of a number or a word. */
const LONGEST_SCALAR = 1000
/** Bounds how many lists a message names. */
const MOST_LISTS = 5

const codeOf = (sign: string): number => sign.charCodeAt(0)
const [QUOTE, BACKSLASH, LINE_END, COMMA, COLON] = [codeOf('"'), codeOf('\\'), codeOf('\n'), codeOf(','), codeOf(':')]
const [LIST, LIST_END, OBJECT, OBJECT_END] = [codeOf('['), codeOf(']'), codeOf('{'), codeOf('}')]
const [SPACE, TAB, CARRIAGE_RETURN] = [codeOf(' '), codeOf('\t'), codeOf('\r')]

const isBlank = (code: number): boolean =>
  code === SPACE || code === LINE_END || code === CARRIAGE_RETURN || code === TAB

const SCALAR = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/

const AGAIN = 'correct the file, or export it again'

/**
 * Finds the records in a text of JSON that comes in parts: objects in the list that `path` leads to, or in the one that
 * the text is, or one on each line. Of a record it finds where it ends; what it holds is for whoever parses it.
 */
export class RecordScanner {
  /** Holds the records that have been found and not taken yet. */
  readonly #found: FoundRecord[] = []
  readonly #name: string
  readonly #kind: JsonFormat['kind']
  readonly #path: string | undefined
  readonly #frames: Frame[] = []
  #line = 1
  #isDone = false
  #hasList = false
  /** Tells whether the whole document is a list. */
  #isOnlyList = false
  /** Holds what stands at the path instead of a list. */
  #instead: string | undefined
  /** Lists the paths of lists of objects, which may be meant. */
  readonly #lists: string[] = []
  /** Hold the string or the scalar outside of records that is being read. */
  #token: 'string' | 'scalar' | undefined
  #part = ''
  #isEscaped = false
  /** Hold the record that is being read: its pieces, and its open brackets. */
  #pieces: string[] = []
  #length = 0
  #recordLine = 0
  #keys = 0
  #open: number[] = []
  #isInString = false

  constructor(name: string, kind: JsonFormat['kind'], path: string | undefined) {
    this.#name = name
    this.#kind = kind
    this.#path = path
  }

  /** Returns the records that a further part of the text completes. */
  add(text: string): readonly FoundRecord[] {
    for (let at = 0; at < text.length;) {
      if (this.#open.length > 0) at = this.#addToRecord(text, at)
      else if (this.#token === 'string') at = this.#addToString(text, at)
      else if (this.#token === 'scalar') at = this.#addToScalar(text, at)
      else at = this.#readSign(text, at)
    }
    return this.#found.splice(0)
  }

  /** Throws if the text ends too early, or has no list of records. */
  end(): void {
    if (this.#token === 'scalar') this.#endScalar()
    if (this.#open.length > 0) {
      throw this.#fault(`the record that begins on line ${this.#recordLine} does not end; get the complete file`)
    }
    if (this.#kind === 'ndjson') return
    if (!this.#isDone) {
      const isBegun = this.#frames.length > 0 || this.#token !== undefined
      throw this.#fault(
        isBegun
          ? `it ends on line ${this.#line}, before its JSON does, as if it were cut off; get the complete file`
          : 'it is empty; export it again',
      )
    }
    if (!this.#hasList) throw this.#noList()
  }

  #fault(why: string): KpiError {
    return new KpiError('malformed', `cannot read ${this.#name}: ${why}`)
  }

  #unexpected(text: string, at: number): KpiError {
    const sign = JSON.stringify(text.charAt(at))
    return this.#fault(`line ${this.#line} is no JSON: ${sign} is not expected there; ${AGAIN}`)
  }

  /** Reads a sign outside of records, strings and scalars, and returns where what follows it begins. */
  #readSign(text: string, at: number): number {
    const code = text.charCodeAt(at)
    if (isBlank(code)) {
      if (code === LINE_END) {
        this.#line += 1
        if (this.#kind === 'ndjson') this.#isDone = false
      }
      return at + 1
    }
    if (this.#isDone) throw this.#further(code)
    if (this.#kind === 'ndjson') return this.#beginRecord(text, at)
    const top = this.#frames.at(-1)
    if (!top) return this.#beginValue(text, at, this.#path ?? '')
    if (top.next === 'first' || top.next === 'more') {
      if (code === (top.isList ? LIST_END : OBJECT_END)) return this.#close(at)
      if (top.next === 'more' && code !== COMMA) throw this.#unexpected(text, at)
      const isSign = top.next === 'more'
      top.next = top.isList ? 'value' : 'key'
      return isSign ? at + 1 : this.#readSign(text, at)
    }
    if (top.next === 'value') return this.#beginMember(top, text, at)
    if (code !== (top.next === 'key' ? QUOTE : COLON)) throw this.#unexpected(text, at)
    if (top.next === 'key') this.#token = 'string'
    else top.next = 'value'
    return at + 1
  }

  #further(code: number): KpiError {
    if (this.#kind === 'ndjson')
      return this.#fault(`line ${this.#line} holds more than one record; write each on a line of its own`)
    const begins = code === LIST || code === OBJECT || code === QUOTE
    return this.#fault(
      begins
        ? `line ${this.#line} begins a second document; write each record on a line of its own (NDJSON, ending .ndjson), or all of them as one list`
        : `line ${this.#line} holds something behind the end of its JSON; ${AGAIN}`,
    )
  }

  #beginMember(top: Frame, text: string, at: number): number {
    if (top.isList && top.rest === '') return this.#beginRecord(text, at)
    const { rest, key, isList } = top
    const isOn = !isList && rest !== undefined && (rest === key || rest.startsWith(`${key}.`))
    return this.#beginValue(text, at, isOn ? rest.slice(key.length + 1) : undefined)
  }

  #beginValue(text: string, at: number, rest: string | undefined): number {
    const code = text.charCodeAt(at)
    const isAtPath = rest === ''
    if (code === LIST || code === OBJECT) {
      const isList = code === LIST
      if (this.#frames.length === DEEPEST) throw this.#tooDeep()
      if (this.#frames.length === 0) this.#isOnlyList = isList
      if (isAtPath && isList) this.#beginRecords()
      else if (isAtPath) this.#instead = 'an object'
      if (!isList) this.#noteList()
      this.#frames.push({ isList, rest: isAtPath && !isList ? undefined : rest, next: 'first', key: '' })
      return at + 1
    }
    if (isAtPath) this.#instead = code === QUOTE ? 'a text' : 'a value'
    this.#token = code === QUOTE ? 'string' : 'scalar'
    this.#part = ''
    return code === QUOTE ? at + 1 : at
  }

  #tooDeep(): KpiError {
    return this.#fault(
      `line ${this.#line} nests values more than ${DEEPEST} deep; export records with fewer levels, such as with jq`,
    )
  }

  #beginRecords(): void {
    if (this.#hasList) throw this.#fault(`line ${this.#line} begins a second list at ${this.#path}; ${AGAIN}`)
    this.#hasList = true
  }

  /** Notes where a list of objects is: the innermost one, of which an object begins. */
  #noteList(): void {
    const around = this.#frames
    const isFirst = around.at(-1)?.isList === true && around.at(-1)?.rest === undefined
    if (!isFirst || around.slice(0, -1).some(({ isList }) => isList)) return
    const path = around
      .slice(0, -1)
      .map(({ key }) => key)
      .join('.')
    if (path !== '' && this.#lists.length < MOST_LISTS && !this.#lists.includes(path)) this.#lists.push(path)
  }

  #noList(): KpiError {
    const ways = this.#lists.map((path) => `--records ${/^[\w.-]+$/.test(path) ? path : JSON.stringify(path)}`)
    const way =
      ways.length > 0
        ? `its lists of objects are read with ${ways.join(' or ')}`
        : 'write its records as a list of objects: [{…}, {…}]'
    if (this.#isOnlyList) return this.#fault('all of it is one list, which needs no --records; leave that out')
    if (this.#path === undefined) {
      return this.#fault(`it is ${this.#instead ?? 'a value'}, and no list of records; ${way}`)
    }
    const what = this.#instead === undefined ? `there is no ${this.#path} in it` : `${this.#path} is ${this.#instead}`
    return this.#fault(`${what} (--records), and no list of records; ${way}`)
  }

  #close(at: number): number {
    this.#frames.pop()
    this.#endValue()
    return at + 1
  }

  #endValue(): void {
    const top = this.#frames.at(-1)
    if (top) top.next = 'more'
    else this.#isDone = true
  }

  #addToString(text: string, start: number): number {
    let at = start
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (this.#isEscaped) this.#isEscaped = false
      else if (code === BACKSLASH) this.#isEscaped = true
      else if (code === QUOTE || code === LINE_END) break
    }
    this.#part += text.slice(start, at)
    if (this.#part.length > LONGEST_CELL) {
      throw this.#fault(`line ${this.#line} has a text of more than ${countText(LONGEST_CELL)} characters; shorten it`)
    }
    if (at === text.length) return at
    if (text.charCodeAt(at) === LINE_END) throw this.#openText()
    this.#endString()
    return at + 1
  }

  #openText(): KpiError {
    return this.#fault(`line ${this.#line} is no JSON: a text in it does not end; ${AGAIN}`)
  }

  #endString(): void {
    this.#token = undefined
    const raw = this.#part
    this.#part = ''
    const text = this.#textOf(raw)
    const top = this.#frames.at(-1)
    if (top?.next !== 'key') return this.#endValue()
    top.key = text
    top.next = 'colon'
  }

  #textOf(raw: string): string {
    try {
      return String(JSON.parse(`"${raw}"`))
    } catch {
      throw this.#fault(
        `line ${this.#line} is no JSON: a text has a character or an escape that JSON does not allow; ${AGAIN}`,
      )
    }
  }

  #addToScalar(text: string, start: number): number {
    let at = start
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (isBlank(code) || code === COMMA || code === LIST_END || code === OBJECT_END) break
    }
    if (at === start && this.#part === '') throw this.#unexpected(text, at)
    this.#part += text.slice(start, Math.min(at, start + LONGEST_SCALAR))
    if (at < text.length || this.#part.length > LONGEST_SCALAR) this.#endScalar()
    return at
  }

  #endScalar(): void {
    const word = this.#part
    this.#token = undefined
    this.#part = ''
    if (!SCALAR.test(word)) {
      const shown = JSON.stringify(word.slice(0, 20))
      throw this.#fault(`line ${this.#line} is no JSON: ${shown} is not expected there; ${AGAIN}`)
    }
    this.#endValue()
  }

  #beginRecord(text: string, at: number): number {
    const code = text.charCodeAt(at)
    if (code !== OBJECT) throw this.#noObject(text, at)
    this.#recordLine = this.#line
    this.#keys = 0
    this.#length = 0
    return this.#addToRecord(text, at)
  }

  #noObject(text: string, at: number): KpiError {
    const code = text.charCodeAt(at)
    if (code !== LIST && code !== QUOTE && !/[-\dtfn]/.test(text.charAt(at))) return this.#unexpected(text, at)
    const what = code === LIST ? 'a list' : code === QUOTE ? 'a text' : 'a value'
    const document = this.#kind === 'ndjson' && this.#line === 1 && code === LIST
    return this.#fault(
      `line ${this.#line} has ${what} where a record is expected, which is an object such as {"date": "2026-03-02", "actual": 12.5}; ${document ? 'give a file that is one list the ending .json' : AGAIN}`,
    )
  }

  /** Adds to the record that is open, up to its end; returns where what follows begins. */
  #addToRecord(text: string, start: number): number {
    const open = this.#open
    for (let at = start; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (code === BACKSLASH) this.#isEscaped = true
        else if (code === QUOTE) this.#isInString = false
        else if (code === LINE_END) throw this.#openText()
      } else if (code === QUOTE) this.#isInString = true
      else if (code === COLON) this.#keys += 1
      else if (code === OBJECT || code === LIST) {
        if (open.length === DEEPEST) throw this.#tooDeep()
        open.push(code)
      } else if (code === OBJECT_END || code === LIST_END) {
        if (open.pop() !== (code === OBJECT_END ? OBJECT : LIST)) throw this.#unexpected(text, at)
        if (open.length === 0) return this.#endRecord(text.slice(start, at + 1), at + 1)
      } else if (code === LINE_END) {
        if (this.#kind === 'ndjson') throw this.#cutLine()
        this.#line += 1
      }
    }
    this.#take(text.slice(start))
    return text.length
  }

  #cutLine(): KpiError {
    return this.#fault(
      `line ${this.#line} does not hold a whole record; write each on one line, or give a file that is one document the ending .json`,
    )
  }

  #take(piece: string): void {
    this.#pieces.push(piece)
    this.#length += piece.length
    if (this.#length > LONGEST_ROW) {
      throw this.#fault(
        `the record that begins on line ${this.#recordLine} has more than ${countText(LONGEST_ROW)} characters; leave out in it what is not imported`,
      )
    }
  }

  #endRecord(piece: string, end: number): number {
    this.#take(piece)
    const text = this.#pieces.length === 1 ? piece : this.#pieces.join('')
    this.#pieces = []
    this.#found.push({ text, line: this.#recordLine, keys: this.#keys })
    this.#endValue()
    return end
  }
}
