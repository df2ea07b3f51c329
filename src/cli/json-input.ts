import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { parseExactJson } from '../codec/json-number.ts'
import type { Json } from '../codec/json.ts'
import { fileError } from '../load/files.ts'
import { UsageError } from './exit.ts'
import type { Io } from './io.ts'

const read = async (io: Io, path: string): Promise<string> => {
  if (path === '-') return text(io.stdin)
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw fileError(error, 'read', path)
  }
}

/** Reads one JSON object, or an array of them, from a file or `-` for standard input. */
export const readJsonInput = async (io: Io, path: string): Promise<readonly Json[]> => {
  try {
    const json = parseExactJson((await read(io, path)).replace(/^\ufeff/, ''))
    return Array.isArray(json) ? (json as readonly Json[]) : [json]
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${path} is not JSON: ${error.message}`)
    throw error
  }
}
