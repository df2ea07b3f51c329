import type { Client } from '../../../client/client.ts'
import { Fault } from '../../../domain/errors.ts'
import type { Resource } from '../../../domain/schema.ts'
import { createRecordFinder, resolveRecords } from '../../args/names.ts'

/** Describes a record that a line names: at which place, counted from 1, by which id, and the name that was given. */
export type NamedPlace = { readonly place: number; readonly id: number; readonly name: string }

/**
 * Returns the records that a line names, each at its place; what an earlier part of the run worked on has the id that it had
 * then, as its name may have changed.
 */
export const namedPlaces = async (
  client: Client,
  of: Resource,
  names: readonly string[],
  { parent, idAt }: { readonly parent: number | undefined; readonly idAt: (place: number) => number | undefined },
): Promise<NamedPlace[]> => {
  const places = names.map((name, at) => ({ place: at + 1, id: idAt(at + 1), name }))
  const open = places.flatMap(({ id, name }) => (id === undefined ? [name] : []))
  const found = await resolveRecords(client, of, open, parent)
  // Where two name the same, each is looked up again.
  const find = found.length < open.length ? createRecordFinder(client, of, parent) : undefined
  const each = find ? await Promise.all(open.map(find)) : found
  const left = each.values()
  return places.map(({ place, id, name }) => {
    if (id !== undefined) return { place, id, name }
    const one = left.next().value
    return one === undefined || one instanceof Fault ? { place, id: NaN, name } : { place, id: one.id, name: one.name }
  })
}
