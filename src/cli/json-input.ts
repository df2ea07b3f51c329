import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseExactJson } from '../codec/json-number.ts'
import type { Json } from '../codec/json.ts'
import { refuseFaults } from '../domain/errors.ts'
import type { Reading } from '../domain/schema.ts'
import { fileError } from '../load/files.ts'
import { UsageError } from './exit.ts'
import type { Io } from './io.ts'

const readInput = async (io: Io, path: string): Promise<string> => {
  if (path === '-') return text(io.stdin)
  try {
    return readFileSync(resolve(io.cwd, path), 'utf8')
  } catch (error) {
    throw fileError(error, 'read', path)
  }
}

/** What the parser says without the piece of text that it shows, which may hold a password. */
const reasonOf = ({ message }: SyntaxError): string => {
  const [place] = /line \d+ column \d+/.exec(message) ?? []
  return place === undefined ? message.replace(/,? (\.\.\.)?".*$/s, '') : `look at ${place}`
}

const parse = (name: string, source: string): Json => {
  try {
    return parseExactJson(source.replace(/^\ufeff/, ''))
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${name} is not JSON: ${reasonOf(error)}`)
    throw error
  }
}

/** The objects of JSON from a file, or `-` for standard input: one object, or an array of them. */
const readObjects = async (io: Io, path: string): Promise<readonly Json[]> => {
  const name = path === '-' ? 'standard input' : path
  const json = parse(name, await readInput(io, path))
  const list: readonly Json[] = Array.isArray(json) ? json : [json]
  const wrong = list.findIndex((one) => typeof one !== 'object' || one === null || Array.isArray(one))
  if (wrong < 0) return list
  throw new UsageError(`${name} must hold one object or an array of them; no. ${wrong + 1} is not an object`)
}

/** Reads every object of JSON by `read`. The faults of all of them are told at once. */
export const readJsonInput = async <T>(
  io: Io,
  path: string,
  read: (body: Json) => Reading<T>,
): Promise<Partial<T>[]> => {
  const readings = (await readObjects(io, path)).map(read)
  refuseFaults(
    readings.flatMap(({ issues }, index) =>
      readings.length === 1 ? issues : issues.map((fault) => ({ index, ...fault })),
    ),
  )
  return readings.map(({ values }) => values)
}
