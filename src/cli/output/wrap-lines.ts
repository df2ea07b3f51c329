import { loadWidth, type Width } from './width.ts'

/** Matches a command line at the end of a line: it is pasted, so it stays whole where it fits a line of its own. */
const COMMAND = /(?:^|\s)(kpi [a-z].*)$/
/** Matches one that stands by itself, which stays whole in any case: nothing but it is behind the sign. */
const COMMAND_ALONE = /(?:^\s*|[:;,] )(kpi [a-z].*)$/
const INDENT = /^ */
/** Matches what an error about a line begins with: the command that refuses it, which is not pasted. */
const ERROR_OF = /^kpi(?: [a-z][a-z-]*)*: /
const COMMENT = '# '
/** Sets how far the last column is indented where it has no room beside the first. */
const BELOW = 6

/** Holds what stands before the first line of a text, and before the others. */
type Margins = { readonly first: string; readonly hang: string }

/** Returns words in lines of a width; a word that is longer has a line of its own, and is never broken. */
const fill = (text: string, width: number, { first, hang }: Margins, widthOf: Width): string[] => {
  const [start = '', ...words] = text.split(' ')
  const lines: string[] = []
  let line = `${first}${start}`
  for (const word of words) {
    const longer = `${line} ${word}`
    if (widthOf(longer) <= width) line = longer
    else {
      lines.push(line.trimEnd())
      line = `${hang}${word}`
    }
  }
  return [...lines, line]
}

/** Returns the command line at the end of a line that is to stay whole. */
const wholeCommand = (line: string, room: number, widthOf: Width): string | undefined => {
  const command = COMMAND.exec(line)?.[1]
  return command !== undefined && widthOf(command) <= room ? command : COMMAND_ALONE.exec(line)?.[1]
}

const wrapLine = (line: string, width: number, widthOf: Width): string[] => {
  if (widthOf(line) <= width || line.startsWith('{')) return [line]
  const indent = INDENT.exec(line)?.[0] ?? ''
  const margins = { first: indent, hang: indent }
  const start = ERROR_OF.exec(line)?.[0] ?? ''
  const command = wholeCommand(line.slice(start.length), width - indent.length, widthOf)
  const before = line.slice(indent.length, line.length - (command?.length ?? 0)).trimEnd()
  const lines = before === '' ? [] : fill(before, width, margins, widthOf)
  return command === undefined ? lines : [...lines, `${indent}${command}`]
}

/**
 * Returns a text whose lines fit a terminal and end between words. Command lines stay whole, on a line of their own;
 * a line of JSON stays as it is.
 */
export const wrapLines = async (text: string, width: number): Promise<string> => {
  const widthOf = await loadWidth([text.split('\n')])
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, width, widthOf))
    .join('\n')
}

const lengthOf: Width = ({ length }) => length

const GAP = '  '

/** Returns the first column of an indented line of help, with the gap behind it; undefined if there is only one. */
const firstColumn = (line: string): string | undefined => {
  const start = line.length - line.trimStart().length
  const gap = line.trimEnd().indexOf(GAP, start)
  return gap < 0 ? undefined : line.slice(0, line.length - line.slice(gap).trimStart().length)
}

/** Returns a line of help that stands below a heading: its last column hangs below itself. */
const hangingLine = (line: string, width: number): string[] => {
  if (line.length <= width) return [line]
  const first = firstColumn(line)
  if (first === undefined) return line.trimStart().startsWith('kpi ') ? [line] : wrapLine(line, width, lengthOf)
  const rest = line.slice(first.length)
  const mark = rest.startsWith(COMMENT) ? COMMENT : ''
  const isWide = first.length > width / 2
  const indent = ' '.repeat(isWide ? BELOW : first.length)
  const hang = `${indent}${mark}`
  if (isWide) return [first.trimEnd(), ...fill(rest, width, { first: indent, hang }, lengthOf)]
  return fill(rest, width, { first, hang }, lengthOf)
}

/** Returns paragraphs of help at a width: lines that begin at the margin are joined and wrapped, indented ones are lists. */
export const reflow = (text: string, width: number): string => {
  const lines: string[] = []
  for (const line of text.split('\n')) {
    const last = lines.at(-1) ?? ''
    const isContinued = /^\S/.test(line) && /^\S/.test(last)
    if (isContinued) lines[lines.length - 1] = `${last} ${line}`
    else lines.push(line)
  }
  return lines
    .flatMap((line) =>
      line.startsWith(' ') ? hangingLine(line, width) : fill(line, width, { first: '', hang: '' }, lengthOf),
    )
    .join('\n')
}
