import { type ScalarTag, stringify } from 'yaml'
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

/** Writes texts in quotes that begin with a space or a line end: as a block these would be taken for its indent. */
const indentedText: ScalarTag = {
  identify: (value) => typeof value === 'string' && /^\s/.test(value),
  default: true,
  tag: 'tag:yaml.org,2002:str',
  resolve: (text) => text,
  stringify: ({ value }) => JSON.stringify(value),
}

/** Returns a value as YAML, which ends with a line end. Decimals keep all their digits, and long texts their lines. */
export const yamlText = (value: Json): string =>
  stringify(value, { customTags: (tags) => [indentedText, exactNumber, ...tags], lineWidth: 0 })

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
