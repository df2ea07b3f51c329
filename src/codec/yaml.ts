import { isNode, LineCounter, parseDocument, type ScalarTag, stringify } from 'yaml'
import type { AnyRecord, NamedField } from '../domain/schema.ts'
import { type Json, recordToJson } from './json.ts'
import type { RawNumber } from './json-number.ts'

/** Writes numbers that have more digits than a double holds. */
const exactNumber: ScalarTag = {
  identify: (value) => JSON.isRawJSON(value),
  default: true,
  tag: 'tag:yaml.org,2002:float',
  resolve: (text) => JSON.rawJSON(text),
  stringify: ({ value }) => (value as RawNumber).rawJSON,
}

/** Returns a value as YAML, which ends with a line end. Decimals keep all their digits, and long texts their lines. */
export const yamlText = (value: Json): string => stringify(value, { customTags: [exactNumber], lineWidth: 0 })

/** Yields records as a list in YAML, as they come. */
export async function* yamlList(
  columns: readonly NamedField[],
  blocks: AsyncIterable<readonly AnyRecord[]>,
): AsyncGenerator<string> {
  let isEmpty = true
  for await (const block of blocks) {
    isEmpty = false
    yield yamlText(block.map((record) => recordToJson({ shown: columns }, record)))
  }
  if (isEmpty) yield yamlText([])
}

/** Finds the line of a part of a text in YAML, counted from 1. */
export type YamlLines = { readonly lineOf: (path: readonly (string | number)[]) => number }

/** Describes a text in YAML: what it says, what is wrong with it by line, and where its parts stand. */
type ParsedYaml = {
  readonly value: unknown
  readonly errors: readonly { readonly line: number; readonly message: string }[]
  readonly lines: YamlLines
}

/** Matches decimals that are numbers in JSON, too. */
const DECIMAL = /^-?(?:0|[1-9]\d{0,30})\.\d{1,30}$/

/** Reads decimals with all their digits. */
const exactDecimal: ScalarTag = { ...exactNumber, test: DECIMAL }

/** Bounds how much references to other parts may add: a small text could otherwise become a huge value. */
const MOST_ALIASES = 1000

/** Reads a text in YAML. Numbers with a decimal point keep their digits, as in `parseExactJson`. */
export const parseYaml = (text: string): ParsedYaml => {
  const counter = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: counter,
    prettyErrors: false,
    uniqueKeys: true,
    customTags: (tags) => [exactDecimal, ...tags],
  })
  const lineAt = (offset: number): number => counter.linePos(offset).line
  const lineOf = (path: readonly (string | number)[]): number => {
    const node = document.getIn(path, true)
    return isNode(node) && node.range ? lineAt(node.range[0]) : 1
  }
  const errors = document.errors.map(({ message, pos: [start] }) => ({ line: lineAt(start), message }))
  const value: unknown = errors.length > 0 ? undefined : document.toJS({ maxAliasCount: MOST_ALIASES })
  return { value, errors, lines: { lineOf } }
}
