import { listFirst } from '../../domain/count-text.ts'
import { lineOf } from '../../blocks/packed-row.ts'

const SHOWN_LINES = 10
const ON_LINES = ' are on lines '
const ON_SEVERAL_LINES = ' are on several lines'
const SOME_BAD = ', some of them bad'

/** Matches the numbers of lines in a reason, up to those that are only counted. */
const NUMBERS = String.raw`\d+(?:, \d+)*(?: and \d[\d,]* more)?`
const LINE_NUMBERS = new RegExp(ON_LINES + NUMBERS)
const BAD_NUMBERS = new RegExp(`, of which lines? ${NUMBERS} (?:is|are) bad`)

/** Returns the lines of the first places as text: a key may be on every line of a file. */
const showLines = (places: readonly number[]): string =>
  listFirst(places, SHOWN_LINES, (place) => String(lineOf(place)))

const tellBad = (bad: readonly number[], isAll: boolean): string => {
  if (bad.length === 0) return ''
  if (isAll) return ', all of them bad for other reasons'
  const [line, is] = bad.length === 1 ? ['line', 'is'] : ['lines', 'are']
  return `, of which ${line} ${showLines(bad)} ${is} bad`
}

/** Returns how a reason ends that several rows have together: on which lines they are, and which of these are bad. */
export const onLines = (places: readonly number[], bad: readonly number[] = []): string =>
  `${ON_LINES}${showLines(places)}${tellBad(bad, bad.length === places.length)}`

/** Returns a reason as it is for any lines. */
export const withoutLineNumbers = (reason: string): string =>
  reason.replace(LINE_NUMBERS, ON_SEVERAL_LINES).replace(BAD_NUMBERS, SOME_BAD)

/** Tells whether a reason is one that several rows have together. */
export const isOnLines = (reason: string): boolean => reason.includes(ON_LINES) || reason.includes(ON_SEVERAL_LINES)
