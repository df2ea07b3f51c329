import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  Parser,
  visit,
  type YAMLMap,
} from 'yaml'
import { type Issue, MOST_FAULTS } from '../domain/errors.ts'
import type { Pause } from '../domain/pause.ts'
import { firstSlip, sameKey } from './yaml-slips.ts'

/** Bounds what is read of a YAML file, so that none holds up its reader. */
const MOST = { depth: 100, keys: 100, characters: 1_048_576, tokens: 50_000 }
/** Sets how many tokens are composed at once, where the file can be cut. */
const TOKENS_OF_PART = 2000

/** Returns a fault with its line, and the column where that says more. */
export const faultAt = (line: number, message: string, column?: number): Issue => ({
  field: column === undefined ? `line ${line}` : `line ${line}, column ${column}`,
  message,
})

const LINE = /^line (\d+)/

/** Returns the line of a fault. */
export const lineOfFault = ({ field }: Issue): number => Number(LINE.exec(field)?.[1])

type Collection = CST.BlockMap | CST.BlockSequence | CST.FlowCollection
type Item = Collection['items'][number]

const isCollection = (token: CST.Token | undefined): token is Collection =>
  token !== undefined && ['block-map', 'block-seq', 'flow-collection'].includes(token.type)

const isFlow = (token: Collection): token is CST.FlowCollection => token.type === 'flow-collection'

const isList = (token: Collection): boolean =>
  isFlow(token) ? token.start.type === 'flow-seq-start' : token.type === 'block-seq'

/** Returns what is beyond a limit in what is being read; undefined if nothing is. */
const faultOfSize = (stack: readonly CST.Token[], tokens: number, lexeme: string): string | undefined => {
  if (stack.length > MOST.depth + 1)
    return `lists and maps are nested more than ${MOST.depth} deep; write them side by side`
  if (lexeme.length > MOST.characters)
    return `a value has more than ${MOST.characters} characters; look for a quote that is not closed`
  if (tokens > MOST.tokens)
    return `one thing has more than ${MOST.tokens} words, signs and blanks; shorten it, or split it`
  const isWide = stack.slice(-2).some((one) => isCollection(one) && !isList(one) && one.items.length > MOST.keys)
  return isWide
    ? `one map has more than ${MOST.keys} keys; several things are a list, and each begins with a dash`
    : undefined
}

/** Returns an item as the first one of its collection, before which no comma stands. */
const asFirst = <T extends Item>(item: T): T => ({ ...item, start: item.start.filter(({ type }) => type !== 'comma') })

/** Returns an item of a list in brackets as the parser leaves it once the list ends: until then, its value is a key. */
const asValue = <T extends Item>(item: T): T => {
  const { key, sep, value, start } = item
  const isPair =
    value || [...start, ...(sep ?? [])].some(({ type }) => type === 'explicit-key-ind' || type === 'map-value-ind')
  return key && !isPair ? ({ start, value: key } as unknown as T) : item
}

/**
 * Takes what has been read whole of the list that a top-level key names, and of all before it, out of a document that is
 * being parsed; undefined where it cannot be cut.
 */
const takeRead = ([document, map, list]: readonly CST.Token[]): CST.Document | undefined => {
  if (document?.type !== 'document' || !isCollection(map) || !isCollection(list) || isList(map) || !isList(list))
    return undefined
  const [open, last] = [map.items.at(-1), list.items.at(-1)]
  const isAfterComma = last?.start[0]?.type === 'comma'
  if (!open?.key || !last || list.items.length < 2 || (isFlow(list) && !isAfterComma)) return undefined
  const end: CST.SourceToken = { type: 'flow-seq-end', offset: last.start[0]?.offset ?? 0, indent: 0, source: ']' }
  const whole = list.items.slice(0, -1)
  const read = {
    ...list,
    ...(isFlow(list) ? { items: whole.map(asValue), end: [end] } : { items: whole }),
  } as Collection
  const items = [...map.items.slice(0, -1), { ...open, value: read }]
  const mapEnd: CST.SourceToken = { ...end, type: 'flow-map-end', source: '}' }
  const value = { ...map, items, ...(isFlow(map) && { end: [mapEnd] }) } as Collection
  map.items.splice(0, map.items.length, asFirst(open) as never)
  list.items.splice(0, list.items.length, asFirst(last) as never)
  // Count the length of the next key from here.
  map.offset = open.key.offset
  list.offset = end.offset
  return { ...document, value }
}

/**
 * Reads the nodes of a YAML document, with their lines, and collects the faults; `oneOnly` is the fault of a second
 * document. It is parsed in turns, between which `pause` is called.
 */
export const createYamlReader = (text: string, oneOnly: string, pause: Pause) => {
  const source = text.replace(/^\ufeff/, '')
  const faults: Issue[] = []
  const lines = new LineCounter()
  const lineAt = (offset: number): number => lines.linePos(offset).line
  const hasAnchors = /[&*]/.test(source)
  const anchors = new Map<string, Node>()
  const meant = new Map<Alias, Node>()
  const resolve = (node: unknown): unknown => (isAlias(node) ? meant.get(node) : node)
  let isBroken = false
  /** Notes the fault of a text that is no YAML that can be read; it is the only one, as others may follow from it. */
  const breakAt = (line: number, message: string, column?: number): void => {
    if (!isBroken) faults.push(faultAt(line, message, column))
    isBroken = true
  }
  const slipAt = (offset: number, message: string): void => {
    const { line, col } = lines.linePos(offset)
    breakAt(line, message, col)
  }
  const note = (_: unknown, node: Node): void => {
    if (!isAlias(node)) {
      if (node.anchor !== undefined) anchors.set(node.anchor, node)
      return
    }
    const found = anchors.get(node.source)
    if (found) meant.set(node, found)
    else slipAt(node.range?.[0] ?? 0, `a text that begins with * needs quotes: "*${node.source}"`)
  }
  const keys = new Map<string, number>()
  /** Finds keys at the top that stand in an earlier part, too, and are not the same one; a part has each once. */
  const requireKeysOnce = ({ items }: YAMLMap): void => {
    const own = items.flatMap(({ key }) =>
      isScalar(key) && key.range ? [{ name: String(key.value), at: key.range[0] }] : [],
    )
    const firsts = new Map(own.toReversed().map(({ name, at }) => [name, at]))
    for (const [name, at] of firsts) if ((keys.get(name) ?? at) !== at) slipAt(at, sameKey(name))
    for (const { name, at } of own) keys.set(name, at)
  }
  /** Returns the content of a document, or of a part of it, once its faults are collected. */
  const contentOf = (document: Document.Parsed): unknown => {
    // An unknown tag is only a warning.
    const slip = firstSlip({ source, lines }, [...document.errors, ...document.warnings])
    if (slip) {
      breakAt(slip.line, slip.message, slip.column)
      return undefined
    }
    if (hasAnchors) visit(document, { Node: note })
    const contents = resolve(document.contents)
    if (isMap(contents)) requireKeysOnce(contents)
    return contents
  }
  const composer = new Composer({ stringKeys: true, logLevel: 'error' })
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)

  /** Yields the contents of the documents that a token completes. */
  let documents = 0
  function* compose(token: CST.Token): Generator {
    if (token.type === 'document') documents += 1
    if (documents > 1) breakAt(lineAt(token.offset), oneOnly)
    for (const document of composer.next(token)) yield* content(document)
  }

  /** Yields the content of a document, or of a part of it, where that is YAML. */
  function* content(document: Document.Parsed): Generator {
    const found = isBroken ? undefined : contentOf(document)
    if (!isBroken) yield found
  }

  /**
   * Yields the content of the document. With `isCut`, a long list that a top-level key names comes in parts, each below
   * the key again, so that no more than a part of it is held.
   */
  async function* parts(isCut: boolean): AsyncGenerator {
    let tokens = 0
    for (const lexeme of new Lexer().lex(source)) {
      const turn = pause()
      if (turn) await turn
      for (const token of parser.next(lexeme)) yield* compose(token)
      if (documents > 1 || isBroken || faults.length >= MOST_FAULTS) return
      tokens = parser.stack.length === 0 ? 0 : tokens + 1
      const fault = faultOfSize(parser.stack, tokens, lexeme)
      if (fault !== undefined) {
        breakAt(lineAt(parser.offset), fault)
        return
      }
      const read = isCut && tokens > TOKENS_OF_PART ? takeRead(parser.stack) : undefined
      if (!read) continue
      tokens = 0
      documents -= 1
      yield* compose(read)
      for (const document of composer.end()) yield* content(document)
    }
    for (const token of parser.end()) yield* compose(token)
    if (documents > 1 || isBroken) return
    for (const document of composer.end(true, source.length)) yield* content(document)
  }

  const lineOf = (node: unknown, otherwise: number): number => {
    const range = isNode(node) ? node.range : undefined
    return range ? lineAt(range[0]) : otherwise
  }
  const pairsOf = (map: YAMLMap, line: number) =>
    map.items.map(({ key, value }: Pair) => ({
      name: isScalar(key) ? String(key.value) : '',
      line: lineOf(key, line),
      node: resolve(value),
    }))
  return { faults, parts, lineOf, pairsOf, resolve, isYaml: (): boolean => !isBroken }
}

export type YamlReader = ReturnType<typeof createYamlReader>

/** Returns a value as it is written, so that no digit is lost; null is none, and undefined is not one value. */
export const textOf = (node: unknown): string | null | undefined => {
  if (node === null) return null
  if (!isScalar(node)) return undefined
  if (node.value === null) return null
  return typeof node.value === 'string' ? node.value : node.source
}
