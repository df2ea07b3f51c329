import { countOf } from '../../domain/count-text.ts'
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { createGunzip } from 'node:zlib'
import { isObject } from '../../codec/json.ts'
import { type Day, parseDay } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import { fileError, systemCode } from '../../files/file-error.ts'
import { readRegularFile, streamRegular } from '../../files/read-file.ts'
import { readRows } from '../../tabular/text/rows.ts'
import type { FileFormat } from './formats.ts'
import type { FileLook, Written } from './report-file.ts'

const VERSION = 1

/** Describes a manifest: what a report file holds, and how to tell that it is whole. */
type Manifest = {
  readonly format_version: number
  readonly file: string
  readonly format: FileFormat
  readonly separator: string | null
  readonly made_at: string
  readonly service: Readonly<Record<string, string>>
  readonly from: string
  readonly to: string
  readonly filters: Readonly<Record<string, string>>
  /** Holds the flags of the question that the file answers; none where it has plain rows. */
  readonly question: Readonly<Record<string, string | boolean>>
  readonly columns: readonly string[]
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
}

/** Describes where the rows of a file come from. */
export type Origin = Pick<Manifest, 'made_at' | 'service' | 'from' | 'to' | 'filters' | 'question' | 'columns'>

/** Names what a file that is added to must have in common with what is added. */
type Same = Pick<Manifest, 'service' | 'filters'>

/** Returns the path of a file's manifest. */
export const manifestPath = (path: string): string => `${path}.manifest.json`

/** Returns the manifest of a written file, as text. */
export const manifestText = (path: string, look: FileLook, written: Written, origin: Origin): string => {
  const manifest: Manifest = {
    format_version: VERSION,
    file: basename(path),
    format: look.format,
    separator: look.format === 'csv' ? (look.sheet?.separator ?? ',') : null,
    ...origin,
    ...written,
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

const isWhole = (value: unknown): boolean => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

const isManifest = (value: unknown): value is Manifest =>
  isObject(value) &&
  value['format_version'] === VERSION &&
  isWhole(value['rows']) &&
  isWhole(value['bytes']) &&
  ['format', 'made_at', 'from', 'to', 'sha256'].every((name) => typeof value[name] === 'string')

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads the text of a file's manifest; undefined if there is none. */
const readText = (path: string, name: string): string | undefined => {
  try {
    return readRegularFile(manifestPath(path)).toString()
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw fileError(error, 'read', manifestPath(name))
  }
}

/** Reads the manifest of a file, `name` for people; undefined if there is none. Throws if it cannot be understood. */
const findManifest = (path: string, name: string): Manifest | undefined => {
  const text = readText(path, name)
  if (text === undefined) return undefined
  const manifest = parsed(text)
  if (isManifest(manifest)) return manifest
  throw new KpiError(
    'malformed',
    `${manifestPath(name)} is no manifest of this version; write ${name} again with --to-file and --manifest`,
  )
}

/** Returns a list as text in one order, as the manifest of another program may have any. */
const inOrder = (list: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify(list, Object.keys(list).toSorted())

const readManifest = (path: string, name: string): Manifest => {
  const manifest = findManifest(path, name)
  if (manifest) return manifest
  throw new KpiError('not_found', `${name} has no manifest (${manifestPath(name)}); export it again with --manifest`)
}

/** Returns the size and hash of a file. */
const measure = async (path: string): Promise<Pick<Manifest, 'bytes' | 'sha256'>> => {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of streamRegular(path) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** Refuses to add plain rows to a file whose manifest says that it holds something else. */
const requireSameOrigin = (name: string, earlier: Manifest, { service, filters }: Same): void => {
  const refuse = (why: string): never => {
    throw new KpiError('invalid', `${name} ${why}; write another file, or write it again with --to-file`)
  }
  if (inOrder(earlier.question) !== '{}') refuse(`holds the answer to a question, ${inOrder(earlier.question)}`)
  const [before, now] = [inOrder(earlier.filters), inOrder(filters)]
  if (before !== now) refuse(`was made with other filters: ${before}, now ${now}`)
  const [from, to] = [inOrder(earlier.service), inOrder(service)]
  if (from !== to) refuse(`was made from another service: ${from}, now ${to}`)
}

/** Describes a file that is to be added to: its first day, and whether it is as it was written. */
type EarlierOrigin = { readonly from: Day | undefined; readonly isAsWritten: boolean }

/**
 * Reads the manifest of a file that is to be added to; undefined if it has none, as nothing tells then what the file
 * holds. Refuses a file of another service, with other filters, or with the answer to a question.
 */
export const readOrigin = async (path: string, name: string, same: Same): Promise<EarlierOrigin | undefined> => {
  const earlier = findManifest(path, name)
  if (!earlier) return undefined
  requireSameOrigin(name, earlier, same)
  const { bytes, sha256 } = await measure(path)
  return { from: parseDay(earlier.from), isAsWritten: bytes === earlier.bytes && sha256 === earlier.sha256 }
}

const textOf = (path: string): AsyncIterable<string> => {
  const file = streamRegular(path)
  return path.toLowerCase().endsWith('.gz') ? file.pipe(createGunzip()).setEncoding('utf8') : file.setEncoding('utf8')
}

/** Counts the lines of a text that begin with a sign. */
const countLines = async (text: AsyncIterable<string>, sign: string): Promise<number> => {
  let [count, before] = [0, '\n']
  for await (const part of text) {
    const joined = before + part
    for (let at = joined.indexOf(`\n${sign}`); at >= 0; at = joined.indexOf(`\n${sign}`, at + 1)) count += 1
    before = joined.endsWith('\n') ? '\n' : ''
  }
  return count
}

/** Counts the rows of a file whose bytes are known to be whole; undefined where the format has none to count. */
const countRows = async (path: string, name: string, { format, separator }: Manifest): Promise<number | undefined> => {
  if (format === 'ndjson' || format === 'json') return countLines(textOf(path), '{')
  if (format === 'yaml') return countLines(textOf(path), '-')
  if (format !== 'csv') return undefined
  let count = -1
  for await (const rows of readRows(textOf(path), separator ?? ',', name)) count += rows.length
  return count
}

/** Checks a file against its manifest, which it returns; throws with all that differs. `name` is the user's. */
export const verifyFile = async (path: string, name: string): Promise<Manifest> => {
  const { bytes, sha256 } = await measure(path).catch((error: unknown) => {
    throw fileError(error, 'read', name)
  })
  const manifest = readManifest(path, name)
  const differences: string[] = []
  if (bytes !== manifest.bytes) differences.push(`it has ${countOf(bytes, 'byte')}, not ${manifest.bytes}`)
  if (sha256 !== manifest.sha256) differences.push(`its SHA-256 is ${sha256}, not ${manifest.sha256}`)
  const rows = differences.length > 0 ? undefined : await countRows(path, name, manifest)
  if (rows !== undefined && rows !== manifest.rows)
    differences.push(`it has ${countOf(rows, 'row')}, not ${manifest.rows}`)
  if (differences.length === 0) return manifest
  throw new KpiError(
    'invalid',
    `${name} is not what its manifest says: ${differences.join('; ')}; export it again with --manifest`,
  )
}
