import { setImmediate } from 'node:timers/promises'
import { SaxesParser, type SaxesTagNS } from 'saxes'
import { KpiError } from '../domain/errors.ts'
import { DEPTH_LIMIT, ELEMENT_LIMIT } from '../domain/limits.ts'
import { NAMESPACE, XSI } from './xml-names.ts'
import { hasDoctype } from './xml-prolog.ts'

/** An element of an XML document: the text directly in it, and the elements in it. */
export type XmlElement = {
  /** Without a prefix. */
  readonly name: string
  /** Whether it is in the interface's namespace or in none: elements of any other are not the interface's. */
  readonly isKnown: boolean
  readonly isNil: boolean
  text: string
  readonly children: XmlElement[]
}

const MESSAGE_LIMIT = 200

/** How much of a document is parsed before others have their turn: some milliseconds' worth, of whatever it holds. */
const SLICE = 65_536

/** The error for an XML body that is refused. It may quote a document, of any length: it is cut. */
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

/** Follows a parser, and puts the elements that it meets into one that stands for the document. */
const collect = (parser: SaxesParser<{ xmlns: true }>): XmlElement => {
  const whole: XmlElement = { name: '', isKnown: true, isNil: false, text: '', children: [] }
  const open = [whole]
  let [elements, attributes] = [0, 0]
  const addText = (text: string): void => {
    const parent = open.at(-1)
    if (parent) parent.text += text
  }
  parser.on('opentag', (tag) => {
    elements += 1
    if (elements > ELEMENT_LIMIT) throw malformedXml(`has more than ${ELEMENT_LIMIT} elements`)
    if (open.length > DEPTH_LIMIT) throw malformedXml(`is nested more than ${DEPTH_LIMIT} deep`)
    const element = elementOf(tag)
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('attribute', () => {
    attributes += 1
    if (attributes > ELEMENT_LIMIT) throw malformedXml(`has more than ${ELEMENT_LIMIT} attributes`)
  })
  parser.on('closetag', () => open.pop())
  parser.on('text', addText)
  parser.on('cdata', addText)
  return whole
}

/** A parser that throws `malformed` at the first fault. */
const createParser = (): SaxesParser<{ xmlns: true }> => {
  const parser = new SaxesParser({ xmlns: true })
  parser.on('error', ({ message }) => {
    const why = message.replace(/^(\d+):(\d+):/, 'line $1, column $2:').replace(/\.$/, '')
    throw malformedXml(`is not XML: ${why}`)
  })
  parser.on('xmldecl', ({ encoding = 'UTF-8' }) => {
    if (!/^utf-?8$/i.test(encoding))
      throw malformedXml(`names the encoding ${encoding}, which is not supported; send UTF-8`)
  })
  return parser
}

/** Has a parser read a text to its end, in slices; between them, others have their turn. */
const parseInTurns = async (parser: SaxesParser<{ xmlns: true }>, text: string): Promise<void> => {
  for (let at = 0; at < text.length; at += SLICE) {
    if (at > 0) await setImmediate()
    parser.write(text.slice(at, at + SLICE))
  }
  parser.close()
}

/**
 * Parses an XML document to its root element; others have their turn while a large one is read. Throws `malformed` for
 * what is not well formed, has a DOCTYPE, names another encoding than UTF-8, or is larger or deeper than a body may be
 * (decisions, section 9).
 */
export const parseXml = async (text: string): Promise<XmlElement> => {
  if (await hasDoctype(text)) throw malformedXml('has a DOCTYPE, which is not allowed')
  const parser = createParser()
  const whole = collect(parser)
  await parseInTurns(parser, text)
  const [root] = whole.children
  if (!root) throw malformedXml('has no element')
  return root
}
