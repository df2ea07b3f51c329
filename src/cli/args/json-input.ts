import { resolve } from 'node:path'
import { nearest } from '../../client/directory.ts'
import { parseExactJson } from '../../codec/json-number.ts'
import { isObject, type Json } from '../../codec/json.ts'
import { type Issue, KpiError, refuseFaults } from '../../domain/errors.ts'
import type { ParsedFields, Resource } from '../../domain/schema.ts'
import { pauseEvery } from '../../client/next-turn.ts'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'
import { readNamedText, readStdin } from './deadline.ts'

/** Describes a command line whose input is read: until its deadline. */
type InputOf = { readonly io: Io; readonly flags: { readonly deadline?: string } }

export const readInput = async ({ io, flags }: InputOf, path: string): Promise<string> => {
  if (path === '-') return readStdin(io, flags.deadline)
  return readNamedText(io, flags.deadline, resolve(io.cwd, path), path)
}

/** Returns the parser's message without the piece of text that it quotes, which may hold a password. */
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

/** Names a file, or standard input, in messages. */
export const inputName = (path: string): string => (path === '-' ? 'standard input' : path)

/** Returns JSON from a file, or `-` for standard input. */
export const readJson = async (cli: InputOf, path: string): Promise<Json> =>
  parse(inputName(path), await readInput(cli, path))

/** Returns the objects of JSON from a file, or `-` for standard input: one object, or an array of them. */
export const readObjects = async (cli: InputOf, path: string): Promise<readonly object[]> => {
  const name = inputName(path)
  const json = await readJson(cli, path)
  const list: readonly Json[] = Array.isArray(json) ? json : [json]
  if (list.every(isObject)) return list
  const wrong = list.findIndex((one) => !isObject(one))
  throw new UsageError(`${name} must hold one object or an array of them; no. ${wrong + 1} is not an object`)
}

/** Returns names that the resource does not have: a service would ignore them, but they are probably misspelt. */
const unknownFields = ({ fields, title }: Resource, body: object): Issue[] =>
  Object.keys(body)
    .filter((field) => !Object.hasOwn(fields, field))
    .map((field) => {
      const near = nearest(field, Object.keys(fields))
      const hint = near === undefined ? '' : `; did you mean ${near}?`
      return { field, message: `is not a field of a ${title}${hint}` }
    })

/** Completes the objects of a file with what is written in another way, or not at all; returns what is wrong with each. */
export type CompleteBody = (body: object) => Promise<{ readonly body: object; readonly issues: readonly Issue[] }>

/** Throws the faults of objects; the message about a single one says where in the list its object stands. */
export const refuseObjects = (issues: readonly Issue[]): void => {
  const [{ index, field, message } = {}, ...others] = issues
  if (index === undefined || others.length > 0) return refuseFaults(issues)
  throw new KpiError('invalid', `no. ${index + 1}, ${field}: ${message}`, { issues })
}

/** Describes how the objects of a file are read: completed, then read, and checked where any of them has a fault. */
type BodyReading<T> = {
  readonly complete: CompleteBody
  readonly read: (body: Json) => ParsedFields<T>
  readonly check?: (values: readonly Partial<T>[]) => Promise<readonly Issue[]>
  readonly signal: AbortSignal
}

/** Sets how many objects are read in one turn. */
const OBJECTS_PER_TURN = 200

/**
 * Reads each object, in turns between which signals and timers run. Reports the faults of all objects at once, each field
 * once; with them those that `check` finds in what was read.
 */
export const readBodies = async <T>(
  bodies: readonly object[],
  of: Resource,
  { complete, read, check = () => Promise.resolve([]), signal }: BodyReading<T>,
): Promise<Partial<T>[]> => {
  const pause = pauseEvery(OBJECTS_PER_TURN, signal)
  const issues: Issue[] = []
  const values: Partial<T>[] = []
  for (const [at, one] of bodies.entries()) {
    const turn = pause()
    if (turn) await turn
    const { body, issues: first } = await complete(one)
    const parsed = read(body)
    const named = new Set(first.map(({ field }) => field))
    const faults = [...first, ...parsed.issues.filter(({ field }) => !named.has(field)), ...unknownFields(of, body)]
    for (const fault of faults) issues.push(bodies.length === 1 ? fault : { index: at, ...fault })
    values.push(parsed.values)
  }
  if (issues.length > 0) refuseObjects([...issues, ...(await check(values))])
  return values
}
