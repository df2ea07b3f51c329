import { SaxesParser, type SaxesTagNS } from 'saxes'
import { KpiError } from '../domain/errors.ts'
import { ATTRIBUTE_LIMIT, DEPTH_LIMIT, ELEMENT_LIMIT, XML_PIECE_LIMIT } from '../domain/limits.ts'
import { neverPause, type Pause } from '../domain/pause.ts'
import { isUtf8Name } from './charset.ts'

/** Sets how many parts of a prolog are skipped before other requests may run. */
const PARTS_PER_TURN = 1000

/** Lists the parts of a prolog that may precede a DOCTYPE: how each starts and ends. */
const PROLOG_PARTS = [
  ['<?', '?>'],
  ['<!--', '-->'],
] as const

const NO_BLANK = /[^\s\u0085]/g

/** Returns the index of the first character that is not blank, also by XML 1.1. */
const skipBlanks = (text: string, from: number): number => {
  NO_BLANK.lastIndex = from
  return NO_BLANK.exec(text)?.index ?? text.length
}

/** Returns the end of the instruction or comment at an index; undefined if there is none, or if it never ends. */
const endOfPart = (text: string, at: number): number | undefined => {
  const part = PROLOG_PARTS.find(([start]) => text.startsWith(start, at))
  if (!part) return undefined
  const [start, end] = part
  const found = text.indexOf(end, at + start.length)
  return found < 0 ? undefined : found + end.length
}

/**
 * Tells whether an XML document has a DOCTYPE. Only blanks, instructions and comments may precede one, so the search
 * ends after them; anywhere else it is text, or not well-formed.
 */
const hasDoctype = async (text: string, pause: Pause): Promise<boolean> => {
  let at = skipBlanks(text, 0)
  for (let parts = 1; ; parts += 1) {
    const end = endOfPart(text, at)
    if (end === undefined) return text.startsWith('<!DOCTYPE', at)
    at = skipBlanks(text, end)
    const turn = parts % PARTS_PER_TURN === 0 ? pause() : undefined
    if (turn) await turn
  }
}

/** Names the namespace of all elements of the classic interface. */
export const NAMESPACE = 'http://schemas.datacontract.org/2004/07/SimpleKPI.Application.Areas.Api.Models'

/** Names the namespace of the attribute `nil`, which marks an element as null. */
export const XSI = 'http://www.w3.org/2001/XMLSchema-instance'

/** Describes an element of an XML document: its own text, and its children. */
export type XmlElement = {
  /** Holds the name of the element, without its prefix. */
  readonly name: string
  /** Tells whether it is in the namespace of the interface or in none: other elements are ignored. */
  readonly isKnown: boolean
  readonly isNil: boolean
  text: string
  readonly children: XmlElement[]
}

const MESSAGE_LIMIT = 200

/** Sets how many characters are parsed before other requests may run: a millisecond of work at most. */
const SLICE_LENGTH = 4096

/** Returns the error for a malformed XML body; cuts the message, which may quote the document. */
export const malformedXml = (message: string): KpiError =>
  new KpiError('malformed', `the body ${message.slice(0, MESSAGE_LIMIT)}`)

const isNil = ({ attributes }: SaxesTagNS): boolean =>
  Object.values(attributes).some(
    ({ uri, local, value }) => uri === XSI && local === 'nil' && /^\s*(?:true|1)\s*$/.test(value),
  )

const elementOf = (tag: SaxesTagNS): XmlElement => ({
  name: tag.local,
  isKnown: tag.uri === '' || tag.uri === NAMESPACE,
  isNil: isNil(tag),
  text: '',
  children: [],
})

/** Describes what a parser has collected so far. */
type Collected = {
  /** Holds the document as an element, whose only child is the root. */
  readonly whole: XmlElement
  /** Takes note that so many more characters were parsed; throws if a token is too long. */
  readonly onSlice: (length: number) => void
}

/** Collects the text of open elements; reports text, comments and instructions to `onToken`. */
const collectText = (parser: SaxesParser<{ xmlns: true }>, open: readonly XmlElement[], onToken: () => void): void => {
  const addText = (text: string): void => {
    onToken()
    const parent = open.at(-1)
    if (parent) parent.text += text
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('comment', onToken)
  parser.on('processinginstruction', onToken)
}

/**
 * Collects the elements that a parser finds. It refuses a very long token before its end, since the parser joins a
 * token character by character, which takes far more memory than the token.
 */
const collect = (parser: SaxesParser<{ xmlns: true }>): Collected => {
  const whole: XmlElement = { name: '', isKnown: true, isNil: false, text: '', children: [] }
  const open = [whole]
  let [elements, attributes, unfinished] = [0, 0, 0]
  const onToken = (): void => {
    unfinished = 0
  }
  parser.on('opentag', (tag) => {
    onToken()
    elements += 1
    attributes = 0
    if (elements > ELEMENT_LIMIT) throw malformedXml(`has more than ${ELEMENT_LIMIT} elements`)
    if (open.length > DEPTH_LIMIT) throw malformedXml(`is nested more than ${DEPTH_LIMIT} deep`)
    const element = elementOf(tag)
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('attribute', () => {
    onToken()
    attributes += 1
    if (attributes > ATTRIBUTE_LIMIT) throw malformedXml(`has an element with more than ${ATTRIBUTE_LIMIT} attributes`)
  })
  parser.on('closetag', () => {
    onToken()
    open.pop()
  })
  collectText(parser, open, onToken)
  const onSlice = (length: number): void => {
    unfinished += length
    if (unfinished <= XML_PIECE_LIMIT) return
    throw malformedXml(`has a text, comment, name or value of more than ${XML_PIECE_LIMIT} characters`)
  }
  return { whole, onSlice }
}

/** Creates a parser that throws `malformed` at the first fault. */
const createParser = (): SaxesParser<{ xmlns: true }> => {
  const parser = new SaxesParser({ xmlns: true })
  parser.on('error', ({ message }) => {
    const why = message.replace(/^(\d+):(\d+):/, 'line $1, column $2:').replace(/\.$/, '')
    throw malformedXml(`is not XML: ${why}`)
  })
  parser.on('xmldecl', ({ encoding = 'UTF-8' }) => {
    if (!isUtf8Name(encoding)) throw malformedXml(`names the encoding ${encoding}, which is not supported; send UTF-8`)
  })
  return parser
}

/** Parses a text in slices; other requests run between them. */
const parseInSlices = async (text: string, pause: Pause): Promise<XmlElement> => {
  const parser = createParser()
  const { whole, onSlice } = collect(parser)
  for (let at = 0; at < text.length; at += SLICE_LENGTH) {
    parser.write(text.slice(at, at + SLICE_LENGTH))
    onSlice(Math.min(SLICE_LENGTH, text.length - at))
    const turn = pause()
    if (turn) await turn
  }
  parser.close()
  return whole
}

/**
 * Parses an XML document and returns its root element; other requests run while it parses a large one. Throws
 * `malformed` if the document is not well-formed, has a DOCTYPE, names an encoding other than UTF-8, or is larger or
 * deeper than a body may be.
 */
export const parseXml = async (text: string, pause: Pause = neverPause): Promise<XmlElement> => {
  if (await hasDoctype(text, pause)) throw malformedXml('has a DOCTYPE, which is not allowed')
  const whole = await parseInSlices(text, pause)
  const [root] = whole.children
  if (!root) throw malformedXml('has no element')
  return root
}
