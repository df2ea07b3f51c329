import { isObject } from '../../codec/json.ts'
import { KpiError } from '../../domain/errors.ts'

/** Describes how records are written: as a list in one document, or as an object on each line; and what shows it. */
export type JsonFormat = { readonly kind: 'json' | 'ndjson'; readonly evidence: string }

const ENDING = /\.([a-z]+)(?:\.(?:gz|zst))?$/i
const KINDS: ReadonlyMap<string, JsonFormat['kind']> = new Map([
  ['json', 'json'],
  ['ndjson', 'ndjson'],
  ['jsonl', 'ndjson'],
])
/** Lists the endings of files that hold a text table, whatever they begin with. */
const TEXTS: ReadonlySet<string> = new Set(['csv', 'tsv', 'tab', 'txt'])

/** Matches the beginning of JSON: an object, or a list of what no header of a text table begins with. */
const BEGINNING = /^\s*(?:\{\s*["}]|\[\s*(?:[[{"\]]|(?:-?[\d.]+|true|false|null)\s*,))/

/** Tells whether a value holds a list of objects within objects: it is a document around records, and no record. */
const holdsRecords = (value: unknown): boolean =>
  isObject(value) && Object.values(value).some((part) => (Array.isArray(part) ? isObject(part[0]) : holdsRecords(part)))

/**
 * Tells whether a text has a record on each line, as its first line is an object; the only line is none if it holds
 * records. Of a text that goes on, only a line that ends is seen.
 */
const hasRecordLines = (text: string, isAll: boolean): boolean => {
  const begun = text.trimStart()
  const end = begun.indexOf('\n')
  if (end < 0 && !isAll) return false
  const [line, rest] = end < 0 ? [begun, ''] : [begun.slice(0, end), begun.slice(end)]
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) && !(isAll && rest.trim() === '' && holdsRecords(value))
  } catch {
    return false
  }
}

/** Holds a file's name, its first characters, and whether these are all of it. */
type Beginning = { readonly name: string; readonly text: string; readonly isAll: boolean }

/**
 * Finds out whether a text is JSON: by the ending of its name, or where that says nothing, as of standard input, by its
 * first characters. `records` is where its list is, if that was said.
 */
export const jsonFormat = ({ name, text, isAll }: Beginning, records: string | undefined): JsonFormat | undefined => {
  const ending = ENDING.exec(name)?.[1]?.toLowerCase() ?? ''
  const kind = KINDS.get(ending)
  if (kind !== undefined) return { kind, evidence: `its name ends in .${ending}` }
  if (!BEGINNING.test(text)) return undefined
  if (TEXTS.has(ending)) {
    throw new KpiError(
      'malformed',
      `cannot read ${name}: it seems to be JSON; give it the ending .json, or .ndjson if each line is a record`,
    )
  }
  const isLine = records === undefined && hasRecordLines(text, isAll)
  if (isLine) return { kind: 'ndjson', evidence: 'its first line is an object' }
  return { kind: 'json', evidence: `it begins with ${text.trimStart().charAt(0)}` }
}
