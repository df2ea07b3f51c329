import leven from 'leven'
import { Fault } from '../domain/errors.ts'

/** Something that people call by name. */
export type Named = {
  readonly id: number
  readonly name: string
  readonly email?: string
  /** What it lies in, by name, to tell it from others of its name. */
  readonly within?: string
}

/** Says that a name is that of more than one. */
export class Ambiguous extends Fault {}

/** Finds things by what people call them. */
export type Directory<T extends Named> = {
  /** By id (`7` or `#7`), by exact name or e-mail address, or by a name that differs only in case, spaces and underscores. */
  readonly find: (text: string) => T | Fault
  readonly byId: ReadonlyMap<number, T>
}

const SUGGESTION_DISTANCE = 3
const LEAST_BEGINNING = 3
/** Ids have no zeros before them: `007` is a name, or a mistake. */
const ID = /^[1-9]\d{0,14}$/
/** An id that is marked as one. */
const MARKED_ID = /^#(?=[1-9]\d{0,14}$)/

const fold = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')

/** Tells whether at most so many letters differ. Texts whose lengths alone differ by more are not compared. */
export const isWithin = (most: number, one: string, other: string): boolean =>
  Math.abs(one.length - other.length) <= most && leven(one, other) <= most

/** The only name that a text begins, if it says enough. */
const completed = (text: string, names: Iterable<string>): string | undefined => {
  const beginning = fold(text)
  const [only, ...more] = [...names].filter((name) => fold(name).startsWith(beginning))
  return text.length >= LEAST_BEGINNING && more.length === 0 ? only : undefined
}

/** The name nearest to a misspelt one, or that it is the beginning of, if there is any. */
export const nearest = (text: string, names: Iterable<string>): string | undefined => {
  const wanted = fold(text)
  let best: string | undefined
  // Where every letter differs, nothing is near.
  let most = Math.min(SUGGESTION_DISTANCE, Math.ceil(text.length / 3), text.length - 1)
  for (const name of names) {
    const folded = fold(name)
    if (isWithin(most, wanted, folded)) [best, most] = [name, leven(wanted, folded) - 1]
  }
  return best ?? completed(text, names)
}

const index = <T extends Named>(list: readonly T[], key: (one: T) => string | undefined): Map<string, T[]> => {
  const found = new Map<string, T[]>()
  for (const one of list) {
    const text = key(one)
    if (text !== undefined) found.set(text, [...(found.get(text) ?? []), one])
  }
  return found
}

/**
 * A directory of things of a kind; `title` names the kind in faults. On a command line a number is an id; in a file, where
 * ids and names stand in the same column, one that is also the name of another is ambiguous.
 */
export const createDirectory = <T extends Named>(title: string, list: readonly T[], isOfFile = false): Directory<T> => {
  const byId = new Map(list.map((one) => [one.id, one]))
  const sameNames = index(list, ({ name }) => fold(name))
  const ways = [
    { of: index(list, ({ name }) => name), key: (text: string) => text },
    { of: index(list, ({ email }) => email?.toLowerCase()), key: (text: string) => text.toLowerCase() },
    { of: sameNames, key: fold },
  ]
  const unknown = (text: string): Fault => {
    const bare = text.replace(/^0+/, '')
    if (bare !== text && ID.test(bare) && byId.has(Number(bare))) {
      return new Fault(`there is no ${title} "${text}"; ids have no zeros before them: did you mean ${bare}?`)
    }
    const near = nearest(
      text,
      list.flatMap(({ name, email }) => [name, email ?? []].flat()),
    )
    return new Fault(`there is no ${title} "${text}"${near === undefined ? '' : `; did you mean "${near}"?`}`)
  }
  /** What has a number for its id; in files, where others have it for their name, nobody can tell which is meant. */
  const numbered = (text: string): T | Fault | undefined => {
    const bare = text.replace(MARKED_ID, '')
    const one = ID.test(bare) ? byId.get(Number(bare)) : undefined
    const others = one && isOfFile ? (sameNames.get(text) ?? []).filter(({ id }) => id !== one.id) : []
    if (!one || others.length === 0) return one
    const ids = others.map(({ id }) => `#${id}`).join(' or ')
    return new Ambiguous(
      `"${text}" is the id of the ${title} "${one.name}", and the name of another; write #${one.id} or ${ids} for the id`,
    )
  }
  return {
    byId,
    find: (text) => {
      const wanted = text.trim()
      const byNumber = numbered(wanted)
      if (byNumber) return byNumber
      const matches = ways.map(({ of, key }) => of.get(key(wanted))).find((found) => found !== undefined)
      const [first, second] = matches ?? []
      if (!first) return unknown(wanted)
      if (!second) return first
      const candidates = (matches ?? [])
        .map(({ id, within }) => (within === undefined ? id : `${id} in ${within}`))
        .join(', ')
      return new Ambiguous(`"${wanted}" is the name of more than one ${title}: ${candidates}; use the id`)
    },
  }
}
