import type { LineCounter, YAMLParseError, YAMLWarning } from 'yaml'

/** Describes a slip in YAML: where it is, and what to write instead. */
type Slip = { readonly line: number; readonly column: number; readonly message: string }

type Problem = Pick<YAMLParseError | YAMLWarning, 'code' | 'message' | 'pos'>

/** Describes the text in which slips are, and how its lines are counted. */
type Written = { readonly source: string; readonly lines: LineCounter }

const QUOTE_IT = 'put the whole text in quotes'
const MISPLACED = 'this line is indented otherwise than those that it belongs to; align it with them'

/** Returns the place of a line's first character that is no blank. */
const beginningOf = ({ source, lines }: Written, line: number): Omit<Slip, 'message'> => {
  let at = lines.lineStarts[line - 1] ?? 0
  while (source[at] === ' ' || source[at] === '\t') at += 1
  return { line, column: at - (lines.lineStarts[line - 1] ?? 0) + 1 }
}

/** Returns the place of an offset. */
const placeOf = ({ lines }: Written, offset: number): Omit<Slip, 'message'> => {
  const { line, col } = lines.linePos(offset)
  return { line, column: col }
}

/** Returns where the last one of a character is that is not escaped, before an offset. */
const lastOf = ({ source }: Written, character: string, before: number): number => {
  let at = source.lastIndexOf(character, before)
  while (at > 0 && source[at - 1] === '\\') at = source.lastIndexOf(character, at - 1)
  return Math.max(at, 0)
}

const QUOTE_OPEN = /^Missing closing (["'])/
const BRACKET_OPEN = /end with a ([}\]])/

/** Returns the name that begins at an offset. */
const nameAt = ({ source }: Written, offset: number): string =>
  /^["']?[\w-]*/.exec(source.slice(offset, offset + 100))?.[0].replace(/^["']/, '') ?? ''

/** Returns the slip of a name or a value that goes on in further lines, or has a colon within; undefined for another one. */
const slipOfKey = (written: Written, { code, message, pos }: Problem, next: Problem | undefined): Slip | undefined => {
  const [begin, end] = [placeOf(written, pos[0]), placeOf(written, pos[1])]
  if (code === 'MULTILINE_IMPLICIT_KEY')
    return { ...begin, message: 'this line lacks a colon: write NAME: VALUE, with a blank behind the colon' }
  if (code !== 'BLOCK_AS_IMPLICIT_KEY') return undefined
  if (message.includes('block sequence')) return { ...beginningOf(written, end.line), message: MISPLACED }
  if (next?.code === 'MULTILINE_IMPLICIT_KEY')
    return { ...beginningOf(written, placeOf(written, next.pos[1]).line), message: MISPLACED }
  return { ...begin, message: `a value has a colon with a blank behind it; ${QUOTE_IT}` }
}

/** Returns the slip that a message of the parser is about, in words that say what to write. */
const slipOf = (written: Written, problem: Problem, next: Problem | undefined): Slip => {
  const { code, message, pos } = problem
  const [begin, end] = [placeOf(written, pos[0]), placeOf(written, pos[1])]
  const ofKey = slipOfKey(written, problem, next)
  if (ofKey) return ofKey
  const [, quote] = QUOTE_OPEN.exec(message) ?? []
  if (quote !== undefined)
    return { ...placeOf(written, lastOf(written, quote, pos[0])), message: 'a quote is opened here and not closed' }
  const [, bracket] = BRACKET_OPEN.exec(message) ?? []
  if (bracket !== undefined) {
    const open = bracket === '}' ? '{' : '['
    const at = lastOf(written, open, pos[0])
    return { ...placeOf(written, at), message: `${open} is opened here and not closed; write ${bracket} where it ends` }
  }
  switch (code) {
    case 'TAB_AS_INDENT':
      return { ...begin, message: 'a tab stands at the beginning of this line; indent it with blanks' }
    case 'DUPLICATE_KEY':
      return { ...begin, message: sameKey(nameAt(written, pos[0])) }
    case 'BAD_INDENT':
      return { ...beginningOf(written, end.line), message: MISPLACED }
    case 'MISSING_CHAR':
      return message.includes('Sequence item')
        ? { ...beginningOf(written, begin.line), message: MISPLACED }
        : { ...begin, message: 'this line lacks a colon: write NAME: VALUE, with a blank behind the colon' }
    case 'UNEXPECTED_TOKEN':
      return message.includes('block-seq-ind')
        ? { ...begin, message: 'a list begins on the line below its name; write each dash on a line of its own' }
        : { ...begin, message: `this is behind the end of a value that begins with a quote or a bracket; ${QUOTE_IT}` }
    case 'BAD_SCALAR_START':
      return { ...begin, message: `no text begins with this character in YAML; ${QUOTE_IT}` }
    case 'TAG_RESOLVE_FAILED':
      return { ...begin, message: 'a text that begins with ! needs quotes' }
    case 'BAD_DQ_ESCAPE':
      return { ...begin, message: 'a backslash in double quotes begins a sign, and this is none; use single quotes' }
    default:
      return { ...begin, message: message.replaceAll('\n', ' ') }
  }
}

/** Says of a name that it stands in a map a second time. */
export const sameKey = (name: string): string =>
  `${name || 'this name'} stands here a second time; leave one of them out`

/** Returns the first slip of a document, from which the parser's other messages may follow; undefined where it has none. */
export const firstSlip = (written: Written, problems: readonly Problem[]): Slip | undefined => {
  const [first, next] = problems
  return first && slipOf(written, first, next)
}
