import { join } from 'node:path'
import { isObject, type Json } from '../../codec/json.ts'
import { isListedKind } from '../../client/operations/kind-operations.ts'
import type { AnyRecord, Resource } from '../../domain/schema.ts'
import { readRegularFile } from '../../files/read-file.ts'
import { replaceFile } from '../../files/replace-file.ts'
import { makePrivateFolder } from '../../files/place.ts'
import type { Io } from '../io.ts'
import { cacheFolder } from './folders.ts'
import type { Place } from './place.ts'

/** Holds the names of things by the resource that they are: those that commands have read of a place. */
export type KnownNames = Readonly<Record<string, readonly string[]>>

/** Bounds the names of a kind: nobody completes among more. */
const MOST_NAMES = 5000

/** Bounds the name of a file, whose end tells most of a place. */
const LONGEST_NAME = 200

/** Returns the file of a place's names. */
const pathOf = (io: Io, place: Place): string => {
  const text =
    place.kind === 'embedded' ? place.dataDir : [place.baseUrl, place.kind === 'classic' ? place.login : ''].join(' ')
  return join(cacheFolder(io), 'names', `${Buffer.from(text).toString('base64url').slice(-LONGEST_NAME)}.json`)
}

const isNames = (value: Json): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

/** Returns the names that earlier commands have read of a place; none where there are no such. */
export const readNames = (io: Io, place: Place): KnownNames => {
  try {
    const content: Json = JSON.parse(readRegularFile(pathOf(io, place)).toString())
    if (!isObject(content)) return {}
    return Object.fromEntries(
      Object.entries(content).flatMap(([kind, names]) => (isNames(names) ? [[kind, names]] : [])),
    )
  } catch {
    return {}
  }
}

const nameIn = (record: AnyRecord): string | undefined => {
  const name = record['email'] ?? record['name']
  return typeof name === 'string' && name !== '' ? name : undefined
}

/** Holds what a command has listed, by resource. */
type Listed = ReadonlyMap<string, readonly AnyRecord[]>

/** Creates what collects lists whose names are kept; the items of several groups go together. */
export const createListed = (): {
  readonly listed: Listed
  readonly add: (of: Resource, records: readonly AnyRecord[]) => void
} => {
  const listed = new Map<string, readonly AnyRecord[]>()
  const add = ({ name }: Resource, records: readonly AnyRecord[]): void => {
    const before = name === 'group_item' ? (listed.get(name) ?? []) : []
    if (isListedKind(name)) listed.set(name, [...before, ...records])
  }
  return { listed, add }
}

const store = (io: Io, place: Place, listed: Listed): void => {
  const known = readNames(io, place)
  const read = [...listed].map(([kind, records]) => {
    const names = records.slice(0, MOST_NAMES).flatMap((record) => nameIn(record) ?? [])
    return [kind, names] as const
  })
  if (read.every(([kind, names]) => JSON.stringify(known[kind]) === JSON.stringify(names))) return
  const path = pathOf(io, place)
  makePrivateFolder(join(path, '..'))
  replaceFile(path, JSON.stringify({ ...known, ...Object.fromEntries(read) }))
}

/** Keeps the names of what a command has listed, for completion. What cannot be kept is no failure of the command. */
export const keepNames = (io: Io, place: Place, listed: Listed): void => {
  try {
    store(io, place, listed)
  } catch {
    // A full disk, or a folder that cannot be written, is told where it matters.
  }
}
