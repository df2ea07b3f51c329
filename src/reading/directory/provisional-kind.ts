import { looseName, type Named } from '../../client/directory.ts'
import { Fault } from '../../domain/errors.ts'
import { nameForm, newName } from '../../domain/name-form.ts'
import type { Lookup } from './permissions.ts'
import { PROVISIONAL_ID } from './provisional-id.ts'

/** Holds things of a kind that the file names and the service does not have. */
export type ProvisionalKind<T extends Named> = {
  readonly lookup: Lookup<T>
  /** Marks something as needed, because a row that can be imported names it. */
  readonly use: (id: number, line: number) => void
  /** Returns the first line of those rows. */
  readonly firstLine: (id: number) => number
  /** Returns what is needed, in the order in which the file names it. */
  readonly used: () => T[]
  /** Forgets what is needed, because the rows are read again. */
  readonly clear: () => void
  /** Replaces what is known of something: what its rows have shown, or its id once it exists. */
  readonly replace: (id: number, by: T) => void
}

/** Matches a text that is always an id. */
const MARKED_ID = /^#\d+$/

/** Bounds the number of things of a kind that one file may create. */
const MOST = 200_000

/**
 * Extends a lookup so that names which it does not know become things with provisional ids. `make` returns such a
 * thing, or one that is known by another name, or why it cannot be created.
 */
export const createProvisionalKind = <T extends Named>(
  known: Lookup<T>,
  make: (id: number, name: string) => T | Fault,
  most = MOST,
): ProvisionalKind<T> => {
  const byId = new Map(known.byId)
  const byName = new Map<string, T | Fault>()
  const needed = new Map<number, number>()
  const create = (text: string): T | Fault => {
    const key = looseName(text)
    const before = byName.get(key)
    if (before) return before
    if (MARKED_ID.test(text.trim())) return new Fault(`${text.trim()} is the id of something that does not exist`)
    if (byName.size >= most) {
      return new Fault(
        `"${text.trim()}" would be new, and there are more than ${most} new names: is this the right column?`,
      )
    }
    if (nameForm(text) === '') return new Fault('the name has only invisible signs')
    const one = make(PROVISIONAL_ID + byName.size, newName(text))
    byName.set(key, one)
    if (!(one instanceof Fault)) byId.set(one.id, one)
    return one
  }
  return {
    lookup: { ...known, byId, create },
    use: (id, line) => {
      if (!needed.has(id)) needed.set(id, line)
    },
    firstLine: (id) => needed.get(id) ?? 0,
    used: () => [...needed.keys()].toSorted((one, other) => one - other).flatMap((id) => byId.get(id) ?? []),
    clear: () => needed.clear(),
    replace: (id, by) => {
      byId.set(by.id, by)
      if (by.id !== id) needed.delete(id)
      byName.set(looseName(by.name), by)
    },
  }
}
