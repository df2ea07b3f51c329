import type { Client } from '../../../client/client.ts'
import type { Named } from '../../../client/directory.ts'
import { expectObject, type Json, readJson, readPatch } from '../../../codec/json.ts'
import { Fault } from '../../../domain/errors.ts'
import { asPatch, type Field, type Patch, type ParsedFields, type Resource } from '../../../domain/schema.ts'
import type { CompleteBody } from '../../args/json-input.ts'
import { createRecordFinder } from '../../args/names.ts'
import { fieldFlags, type FlagValues, requireNoFaults, readFlags } from '../../args/flags.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { pluralOf } from '../../output/short-answer.ts'
import { createNames } from './reference-names.ts'
import { repeatedFaults } from './require-each-once.ts'

/** Describes a change to one record. */
export type Change<R> = {
  /** Holds its place in the list, counted from 1. */
  readonly place: number
  readonly id: number
  readonly patch: Patch<R>
  /** Holds when the record was last changed as its JSON was read; undefined if that is not known. */
  readonly readAt: number | undefined
}

const ID: Field = { kind: 'integer', about: 'Which one it is' }
const READ_AT: Field = { kind: 'datetime', about: 'When it was last changed', nullable: true }

/** Describes a change in a list, where each says which record it changes; undefined where the line names that. */
type ListedChange<R> = Pick<Change<R>, 'patch' | 'readAt'> & { readonly id: number | undefined }

/** Returns when the record of an object was last changed, as the object holds it. */
const readAtOf = (body: Json): number | Fault | undefined => {
  const value = readJson(READ_AT, expectObject(body)['updated_at'] ?? null, true)
  return typeof value === 'number' || value instanceof Fault ? value : undefined
}

const readChange = <R extends Resource>(of: R, body: Json, isNamed: boolean): ParsedFields<ListedChange<R>> => {
  const read = readPatch(of, body, true)
  const { values } = read
  const readAt = readAtOf(body)
  const isFault = readAt instanceof Fault
  const issues = isFault ? [...read.issues, { field: 'updated_at', message: readAt.message }] : read.issues
  const change = { patch: asPatch(of, values), readAt: isFault ? undefined : readAt }
  if (isNamed) return { values: change, issues }
  const id = readJson(ID, expectObject(body)['id'] ?? null, true)
  if (typeof id === 'number') return { values: { id, ...change }, issues }
  const message = id instanceof Fault ? id.message : `is required: it says which ${of.title} to change, by id or name`
  return { values: {}, issues: [{ field: 'id', message }, ...issues] }
}

/** Completes objects in which a name may stand where the id does; `known` holds the ids of those that are known already. */
const withIds =
  (
    complete: CompleteBody,
    find: (text: string) => Promise<Named | Fault>,
    known: ReadonlyMap<object, number>,
  ): CompleteBody =>
  async (given) => {
    const { body, issues } = await complete(given)
    const id: unknown = known.get(given) ?? ('id' in given ? given.id : null)
    if (known.has(given)) return { body: { ...body, id }, issues }
    if (typeof id !== 'string' || id.trim() === '') return { body, issues }
    const found = await find(id)
    if (!(found instanceof Fault)) return { body: { ...body, id: found.id }, issues }
    return { body, issues: [{ field: 'id', message: found.message }, ...issues] }
  }

/** Reads the objects of a file of changes; only one may change what the line names. */
export const readChangedObjects = async (
  cli: Cli,
  path: string,
  names: readonly string[],
): Promise<readonly object[]> => {
  const { readObjects } = await import('../../args/json-input.ts')
  const bodies = await readObjects(cli, path)
  if (names.length > 0 && bodies.length !== 1) {
    throw new UsageError(
      `${bodies.length} objects cannot all change ${names.join(', ')}; leave the name out and give each its id`,
    )
  }
  return bodies
}

/** Lists the fields that no two records should have alike. */
const UNIQUE = ['name', 'email'] as const

const requireDifferent = (of: Resource, ids: readonly number[], patch: object): void => {
  const alike = UNIQUE.find((name) => name in patch)
  if (ids.length < 2 || alike === undefined) return
  throw new UsageError(`--${alike} would give ${ids.length} ${pluralOf(of)} the same ${alike}`)
}

/** Describes the records that a line names, the parent that all are below, and the signal that ends their reading. */
type LineRecords = {
  readonly ids: readonly number[]
  /** Returns the id of the record at a place that is known from an earlier part of the run. */
  readonly idAt: (place: number) => number | undefined
  readonly parent: number | undefined
  readonly signal: AbortSignal
}

const changesFromJson = async <R extends Resource>(
  client: Client,
  of: R,
  bodies: readonly object[],
  { ids, idAt, parent, signal }: LineRecords,
): Promise<Change<R>[]> => {
  const [{ readBodies, refuseObjects }, { createCompletion }] = await Promise.all([
    import('../../args/json-input.ts'),
    import('./complete-body.ts'),
  ])
  const read = (body: Json): ParsedFields<ListedChange<R>> => readChange(of, body, ids.length > 0)
  const completion = createCompletion(of, createNames(client))
  const known = new Map(
    bodies.flatMap((body, at) => {
      const id = idAt(at + 1)
      return id === undefined ? [] : [[body, id] as const]
    }),
  )
  const complete = ids.length > 0 ? completion : withIds(completion, createRecordFinder(client, of, parent), known)
  const listed = await readBodies(bodies, of, { complete, read, signal })
  if (ids.length === 0)
    refuseObjects(
      repeatedFaults(
        of,
        listed.flatMap(({ id }) => id ?? []),
      ),
    )
  return listed
    .flatMap(({ id = NaN, patch = asPatch(of, {}), readAt }) =>
      (ids.length > 0 ? ids : [id]).map((one) => ({ id: one, patch, readAt })),
    )
    .map((one, at) => ({ ...one, place: at + 1 }))
}

/** Returns the changes that a line asks for: those of its flags to all that it names, or those of a file. */
export const readChanges = async <R extends Resource>(
  client: Client,
  of: R,
  flags: FlagValues,
  named: LineRecords,
  bodies: readonly object[] | undefined,
): Promise<readonly Change<R>[]> => {
  const { ids } = named
  if (bodies) {
    const changes = await changesFromJson(client, of, bodies, named)
    if (changes[0]) requireDifferent(of, ids, changes[0].patch)
    return changes
  }
  const fields = requireNoFaults(await readFlags(client, fieldFlags(of), flags))
  if (Object.keys(fields).length === 0) throw new UsageError('nothing to change was given; --help shows the flags')
  requireDifferent(of, ids, fields)
  return ids.map((id, at) => ({ place: at + 1, id, patch: asPatch(of, fields), readAt: undefined }))
}
