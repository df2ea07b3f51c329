import { LINE_MARK } from '../../domain/name-form.ts'

/** Measures how many columns of a terminal a text takes. */
export type Width = (text: string) => number

const PLAIN = /^[\x20-\x7e]*$/

/** Tells whether a text has only printable ASCII characters, each of which takes one column. */
export const isPlain = (text: string): boolean => PLAIN.test(text)

/** Matches characters that change the direction of text. */
const TURNING = String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`
/** Matches what steers a terminal: control characters, and changes of direction. */
const STEERING = new RegExp(String.raw`[\p{Cc}${TURNING}]`, 'gu')
const STEERING_BUT_LINE_ENDS = new RegExp(String.raw`(?!\n)[\p{Cc}${TURNING}]`, 'gu')
/** Matches those of them that JSON does not escape. */
const LEFT_BY_JSON = new RegExp(String.raw`[\u007f-\u009f${TURNING}]`, 'gu')

/** Bounds a text that is shown in a message, in characters. */
const MOST_SHOWN = 10_240

/** Returns a text as a message shows it: the middle of a very long one is left out, as its end says why. */
export const bounded = (text: string, most = MOST_SHOWN): string => {
  if (text.length <= most) return text
  const end = most >> 2
  return `${text.slice(0, most - end)}… (${text.length - most} characters) …${text.slice(-end)}`
}

const LINE_ENDS = /\r\n?|[\n\u0085\u2028\u2029]/g
const TABS = /[\t\v\f]/g

/**
 * Returns one line of text that cannot steer the terminal. Line ends are shown as marks and tabs as blanks, which flags
 * that name columns, cells or KPIs understand.
 */
export const oneLine = (text: string): string =>
  isPlain(text)
    ? text
    : text.replaceAll(LINE_ENDS, ` ${LINE_MARK} `).replaceAll(TABS, ' ').replaceAll(STEERING, '\ufffd')

/** Tells whether a text can be shown as it is, and typed again: no shell takes a tab or a line end for a letter. */
export const isOneLine = (text: string): boolean => oneLine(text) === text

/** Returns lines of text that cannot steer the terminal. */
export const visible = (text: string): string => text.replaceAll(STEERING_BUT_LINE_ENDS, '\ufffd')

/** Returns a value as JSON that cannot steer the terminal. */
export const visibleJson = (value: unknown, indent?: number): string => {
  const json = JSON.stringify(value, null, indent)
  if (isPlain(json)) return json
  return json.replaceAll(LEFT_BY_JSON, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Loads the package for wide characters only if there are any: loading takes longer than drawing most tables. */
export const loadWidth = async (rows: readonly (readonly string[])[]): Promise<Width> => {
  if (rows.every((row) => row.every(isPlain))) return (text) => text.length
  const { default: stringWidth } = await import('string-width')
  const known = new Map<string, number>()
  const widthOfLetter = (letter: string): number => {
    const width = known.get(letter) ?? stringWidth(letter)
    known.set(letter, width)
    return width
  }
  return (text) => {
    if (isPlain(text)) return text.length
    return text.length <= 2 ? widthOfLetter(text) : stringWidth(text)
  }
}

/** Yields a text in pieces that fit a width. Each character is measured once, as a text may be long. */
function* piecesOf(text: string, width: number, widthOf: Width): Generator<string> {
  let [start, room] = [0, width]
  for (const { segment, index } of new Intl.Segmenter().segment(text)) {
    const taken = widthOf(segment)
    if (taken > room && index > start) {
      yield text.slice(start, index)
      ;[start, room] = [index, width]
    }
    room -= taken
  }
  yield text.slice(start)
}

/** Returns the text, cut to a width, with a mark where something is missing. */
export const shorten = (text: string, width: number, widthOf: Width): string => {
  if (widthOf(text) <= width) return text
  const [start = ''] = width > 1 ? piecesOf(text, width - 1, widthOf) : []
  return `${start}…`
}

/** Returns the text in lines of a width, which end between words where they can. */
export const wrap = (text: string, width: number, widthOf: Width): string[] => {
  if (widthOf(text) <= width) return [text]
  const lines: string[] = []
  let [line, used] = ['', 0]
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    const needed = widthOf(word) + (line === '' ? 0 : used + 1)
    if (needed <= width) [line, used] = [longer, needed]
    else {
      if (line !== '') lines.push(line)
      for (const piece of piecesOf(word, width, widthOf)) {
        lines.push(piece)
        line = piece
      }
      lines.pop()
      used = widthOf(line)
    }
  }
  return [...lines, line]
}
