import type { Pause } from '../domain/pause.ts'

/** How many parts of a prolog are passed over before others may have their turn. */
const PARTS_A_TURN = 1000

/** A part of a prolog that may stand before a DOCTYPE: how it starts and ends. */
const PARTS = [
  ['<?', '?>'],
  ['<!--', '-->'],
] as const

const NO_BLANK = /[^\s\u0085]/g

/** Where the first character from a place on stands that is no blank, also by XML 1.1. */
const skipBlanks = (text: string, from: number): number => {
  NO_BLANK.lastIndex = from
  return NO_BLANK.exec(text)?.index ?? text.length
}

/** The end of the instruction or comment that starts at a place; undefined where none does, or it never ends. */
const endOfPart = (text: string, at: number): number | undefined => {
  const part = PARTS.find(([start]) => text.startsWith(start, at))
  if (!part) return undefined
  const [start, end] = part
  const found = text.indexOf(end, at + start.length)
  return found < 0 ? undefined : found + end.length
}

/**
 * Whether an XML document has a DOCTYPE: it can only follow blanks, instructions and comments, so no more than these is
 * looked at, and nothing of what is in it. Anywhere else it is text, or not well formed.
 */
export const hasDoctype = async (text: string, pause: Pause): Promise<boolean> => {
  let at = skipBlanks(text, 0)
  for (let parts = 1; ; parts += 1) {
    const end = endOfPart(text, at)
    if (end === undefined) return text.startsWith('<!DOCTYPE', at)
    at = skipBlanks(text, end)
    const turn = parts % PARTS_A_TURN === 0 ? pause() : undefined
    if (turn) await turn
  }
}
