import { isAlias, isNode, isScalar, LineCounter, type Pair, parseDocument, type YAMLMap } from 'yaml'
import type { Issue } from '../domain/errors.ts'

/** Returns a fault with its line. */
export const faultAt = (line: number, message: string): Issue => ({ field: `line ${line}`, message })

/** Returns a message of the parser without the place and the lines of the file that it quotes. */
const plainMessage = (message: string): string => (message.split(/ at line \d+/)[0] ?? message).replaceAll('\n', ' ')

/**
 * Reads the nodes of a YAML document, with their lines, and collects the faults; `oneOnly` is the fault of a second
 * document.
 */
export const createYamlReader = (text: string, oneOnly: string) => {
  const lines = new LineCounter()
  const document = parseDocument(text.replace(/^\ufeff/, ''), {
    lineCounter: lines,
    stringKeys: true,
    logLevel: 'error',
  })
  // An unknown tag is only a warning.
  const faults = [...document.errors, ...document.warnings].map(({ code, message, linePos }) =>
    faultAt(linePos?.[0].line ?? 1, code === 'MULTIPLE_DOCS' ? oneOnly : plainMessage(message)),
  )
  const resolve = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node)
  const lineOf = (node: unknown, otherwise: number): number => {
    const range = isNode(node) ? node.range : undefined
    return range ? lines.linePos(range[0]).line : otherwise
  }
  const pairsOf = (map: YAMLMap, line: number) =>
    map.items.map(({ key, value }: Pair) => ({
      name: isScalar(key) ? String(key.value) : '',
      line: lineOf(key, line),
      node: resolve(value),
    }))
  return { contents: resolve(document.contents), faults, lineOf, pairsOf, resolve }
}

export type YamlReader = ReturnType<typeof createYamlReader>

/** Returns a value as it is written, so that no digit is lost; null is none, and undefined is not one value. */
export const textOf = (node: unknown): string | null | undefined => {
  if (node === null) return null
  if (!isScalar(node)) return undefined
  if (node.value === null) return null
  return typeof node.value === 'string' ? node.value : node.source
}
