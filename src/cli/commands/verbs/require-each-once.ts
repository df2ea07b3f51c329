import { Faults } from '../../../domain/errors.ts'
import type { Resource } from '../../../domain/schema.ts'
import { UsageError } from '../../exit.ts'

/** Describes an item of a list that comes again, by the places of both, from 1. */
type Repeat = { readonly first: number; readonly again: number }

const repeatsIn = (ids: readonly number[]): Repeat[] => {
  const places = new Map<number, number>()
  return ids.flatMap((id, at) => {
    const first = places.get(id)
    if (first !== undefined) return [{ first, again: at + 1 }]
    places.set(id, at + 1)
    return []
  })
}

/** Refuses a line that names a record twice; `ids` are those of the names. */
export const requireNamedOnce = ({ title }: Resource, names: readonly string[], ids: readonly number[]): void => {
  const repeats = repeatsIn(ids)
  if (repeats.length === 0) return
  const named = (place: number): string => `no. ${place} (${names[place - 1]})`
  const lines = repeats.map(({ first, again }) => `${named(first)} and ${named(again)} are the same ${title}`)
  throw new UsageError(`nothing was sent: ${lines.join('; ')}; name each once`)
}

/** Returns what is wrong with a list of changes of which several are for one record. */
export const repeatedFaults = ({ title }: Resource, ids: readonly number[]): Faults => {
  const faults = new Faults()
  for (const { first, again } of repeatsIn(ids))
    faults.add(() => ({
      index: again - 1,
      field: 'id',
      message: `is that of no. ${first}, too: put the changes to one ${title} into one object`,
    }))
  return faults
}
