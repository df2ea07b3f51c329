import { didYouMean, nearest } from '../../client/nearest.ts'
import { resolve } from 'node:path'
import { parseJson } from '../../codec/json-reader.ts'
import { isObject, type Json } from '../../codec/json.ts'
import { Faults, invalid, type Issue, KpiError } from '../../domain/errors.ts'
import type { ParsedFields, Resource } from '../../domain/schema.ts'
import { pauseEvery } from '../../client/next-turn.ts'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'
import { readNamedText, readStdin, untilDeadline } from './deadline.ts'

/** Describes a command line whose input is read: until its deadline. */
type InputOf = { readonly io: Io; readonly flags: { readonly deadline?: string | undefined } }

export const readInput = async ({ io, flags }: InputOf, path: string): Promise<string> => {
  if (path === '-') return readStdin(io, flags.deadline)
  return readNamedText(io, flags.deadline, resolve(io.cwd, path), path)
}

/** Bounds the levels of nesting in a file; only keys and elements have any number. */
const LIMITS = { depth: 1000, members: Infinity, keys: Infinity, isKept: () => true }

/** Returns where a character of a text stands. */
const placeIn = (text: string, position: number): string => {
  const before = text.slice(0, position)
  return `line ${before.split('\n').length} column ${position - before.lastIndexOf('\n')}`
}

/** Returns the reader's message with the place, and without the sign that it quotes, which may be of a password. */
const reasonOf = ({ message }: SyntaxError, text: string): string =>
  message
    .replace(/^".*" at/s, 'the sign at')
    .replace(/position (\d+)/, (_, position: string) => placeIn(text, Number(position)))

/** Parses JSON, in turns between which signals and timers run. */
const parse = async ({ io, flags }: InputOf, name: string, source: string): Promise<Json> => {
  const text = source.replace(/^\ufeff/, '')
  try {
    return await untilDeadline(io, flags.deadline, ({ signal }) => parseJson(text, LIMITS, pauseEvery(1, signal)))
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${name} is not JSON: ${reasonOf(error, text)}`)
    if (error instanceof KpiError) throw new UsageError(`cannot read ${name}: ${error.message}`)
    throw error
  }
}

/** Names a file, or standard input, in messages. */
export const inputName = (path: string): string => (path === '-' ? 'standard input' : path)

/** Returns JSON from a file, or `-` for standard input. */
export const readJson = async (cli: InputOf, path: string): Promise<Json> =>
  parse(cli, inputName(path), await readInput(cli, path))

/** Bounds the fields of one object: no record has more, and an object of very many takes long to copy. */
const MOST_FIELDS = 1000

/** Returns the objects of JSON from a file, or `-` for standard input: one object, or an array of them. */
export const readObjects = async (cli: InputOf, path: string): Promise<readonly object[]> => {
  const name = inputName(path)
  const json = await readJson(cli, path)
  const list: readonly Json[] = Array.isArray(json) ? json : [json]
  for (const [at, one] of list.entries()) {
    if (!isObject(one))
      throw new UsageError(`${name} must hold one object or an array of them; no. ${at + 1} is not an object`)
    const fields = Object.keys(one).length
    if (fields > MOST_FIELDS)
      throw new UsageError(
        `${name} must hold one object for each record; no. ${at + 1} has ${fields} fields, and no record more than ${MOST_FIELDS}`,
      )
  }
  return list.filter(isObject)
}

/** Returns the fault of a name that the resource does not have: a service would ignore it, but it is probably misspelt. */
const faultOfUnknown = ({ fields, title }: Resource, field: string): Issue => {
  return { field, message: `is not a field of a ${title}${didYouMean(nearest(field, Object.keys(fields)))}` }
}

/** Completes the objects of a file with what is written in another way, or not at all; returns what is wrong with each. */
export type CompleteBody = (body: object) => Promise<{ readonly body: object; readonly issues: readonly Issue[] }>

/**
 * Throws the faults of objects, if there are any; the message about a single one says where in the list its object
 * stands.
 */
export const refuseObjects = ({ listed, unlisted }: Faults): void => {
  const [first, ...others] = listed
  if (!first) return
  const { index, field, message } = first
  if (index === undefined || others.length > 0) throw invalid(listed, unlisted)
  throw new KpiError('invalid', `no. ${index + 1}, ${field}: ${message}`, { issues: listed })
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
  const faults = new Faults()
  const values: Partial<T>[] = []
  for (const [at, one] of bodies.entries()) {
    const turn = pause()
    if (turn) await turn
    const { body, issues: first } = await complete(one)
    const parsed = read(body)
    const named = new Set(first.map(({ field }) => field))
    const index = bodies.length === 1 ? {} : { index: at }
    for (const fault of [...first, ...parsed.issues.filter(({ field }) => !named.has(field))])
      faults.add(() => ({ ...index, ...fault }))
    for (const field of Object.keys(body))
      if (!Object.hasOwn(of.fields, field)) faults.add(() => ({ ...index, ...faultOfUnknown(of, field) }))
    // Keep what is checked only while its faults can still be listed.
    if (faults.unlisted === 0) values.push(parsed.values)
  }
  if (faults.listed.length > 0) for (const fault of await check(values)) faults.add(() => fault)
  refuseObjects(faults)
  return values
}
