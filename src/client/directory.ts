import leven from 'leven'
import { unmarkText } from '../codec/cell-text.ts'
import { listFirst, MOST_LISTED } from '../domain/count-text.ts'
import { Fault } from '../domain/errors.ts'
import { LONGEST_NAME, nameForm } from '../domain/name-form.ts'
import { isEmailAddress } from '../domain/resources/user.ts'

/** Describes something that people call by name. */
export type Named = {
  readonly id: number
  readonly name: string
  readonly email?: string
  /** Names its parent, to tell it from others of the same name. */
  readonly within?: string
  /** Holds the unit of a KPI. */
  readonly unit_id?: number
  /** Holds the pattern in which a unit shows values. */
  readonly display_format?: string
}

/** Returns how a fault begins that says that nothing has a name; `title` names the kind of things. */
export const unknownName = (title: string): string => `there is no ${title} "`

/** Introduces the name that was probably meant. */
export const DID_YOU_MEAN = 'did you mean '

/** Returns what a fault suggests, behind a semicolon; nothing if it suggests no name. */
export const suggestionIn = ({ message }: Fault): string => {
  const at = message.lastIndexOf(`; ${DID_YOU_MEAN}"`)
  return at < 0 ? '' : message.slice(at)
}

/** Reports a name that several things have. */
export class Ambiguous extends Fault {}

/** Finds things by what people call them. */
export type Directory<T extends Named> = {
  /**
   * Finds by id (`7` or `#7`), by exact name or e-mail address, or by a name that differs only in case, blanks,
   * underscores, dashes, apostrophes and how its letters are encoded. `#7` is always an id, and an apostrophe says that a name is no id: `'7`. A plain 7 that is the id of one
   * thing and the name of another is ambiguous.
   */
  readonly find: (text: string) => T | Fault
  readonly byId: ReadonlyMap<number, T>
}

const SUGGESTION_DISTANCE = 3
const LEAST_BEGINNING = 3
/** Matches ids, which have no leading zeros: `007` is a name, or a mistake. */
const ID = /^[1-9]\d{0,14}$/
/** Matches an id that is marked as one. */
const MARKED_ID = /^#(?=[1-9]\d{0,14}$)/

/**
 * Matches the apostrophe before a name that would be an id or a formula without it: the file says that it is a name.
 */
const NAME_MARK = /^'(?='*(?:#?\d+$|[=+\-@\uFF1D\uFF0B\uFF0D\uFF20]))/

/** Returns a name without the apostrophe that marks it as one. */
export const unmarkName = (text: string): string => text.replace(NAME_MARK, '')

/** Matches the signs that are written for an apostrophe. */
const APOSTROPHES = /[\u0060\u00B4\u02B9\u02BB\u02BC\u055A\u05F3\u2018\u2019\u201B\u2032\uA78C]/gu

/**
 * Returns a name as it is compared: in its one form, with any apostrophes, and with any underscores and dashes between its
 * words; in an e-mail address these make a difference.
 */
export const looseName = (text: string): string => {
  if (text.length > LONGEST_NAME) return text
  const form = nameForm(text)
  if (form.includes('@') && isEmailAddress(form)) return form
  const bare = text.replaceAll(APOSTROPHES, "'")
  return (bare === text ? form : nameForm(bare)).replaceAll(/[ _\p{Pd}\u2212]+/gu, ' ')
}

/** Returns in how many characters two texts differ, or `most + 1` where they differ in more. */
const distanceWithin = (most: number, one: string, other: string): number =>
  Math.abs(one.length - other.length) > most ? most + 1 : leven(one, other, { maxDistance: most + 1 })

/** Tells whether two texts differ in at most so many characters. */
export const isWithin = (most: number, one: string, other: string): boolean => distanceWithin(most, one, other) <= most

/** Returns the only name that a text may stand for, if the text is long enough to tell. */
const onlyOne = (text: string, names: readonly string[], isMeant: (name: string) => boolean): string | undefined => {
  const [only, ...more] = names.filter((name) => isMeant(looseName(name)))
  return text.length >= LEAST_BEGINNING && more.length === 0 ? only : undefined
}

/** Returns the only name that begins with a text. */
const completed = (text: string, names: readonly string[]): string | undefined => {
  const beginning = looseName(text)
  return onlyOne(text, names, (name) => name.startsWith(beginning))
}

/** Returns the only name with a word that begins with a text, such as a last name. */
const withWord = (text: string, names: readonly string[]): string | undefined => {
  const beginning = ` ${looseName(text)}`
  return onlyOne(text, names, (name) => name.includes(beginning))
}

/** Returns the name that a misspelt or shortened text most likely means, if there is one. */
export const nearest = (text: string, names: readonly string[]): string | undefined => {
  const wanted = looseName(text)
  let best: string | undefined
  // Where every letter differs, nothing is near.
  let most = Math.min(SUGGESTION_DISTANCE, Math.ceil(text.length / 3), text.length - 1)
  for (const name of names) {
    const distance = distanceWithin(most, wanted, looseName(name))
    if (distance <= most) [best, most] = [name, distance - 1]
  }
  return best ?? completed(text, names)
}

/** Suggests a name for a text that is none, as `find` does. */
type Suggest = (
  text: string,
  names: () => readonly string[],
  find?: (text: string, names: readonly string[]) => string | undefined,
) => string | undefined

/** Bounds how many pairs of letters are compared for suggestions, which takes half a second. */
const MOST_COMPARED = 150_000_000
/** Says how many comparisons of letters it takes to bring a letter of a name into the form that is compared. */
const FOLDING = 10

/**
 * Creates what suggests names for many texts. A file may have 100,000 names that an account of 50,000 users does not
 * know: the first of them get a suggestion, as long as all that was compared stays within a bound, and the others none.
 */
export const createSuggest = (): Suggest => {
  let left = MOST_COMPARED
  return (text, names, find = nearest) => {
    if (left <= 0) return undefined
    const all = names()
    for (const { length } of all) {
      left -= length * FOLDING
      if (Math.abs(length - text.length) <= SUGGESTION_DISTANCE) left -= length * text.length
    }
    return left <= 0 ? undefined : find(text, all)
  }
}

const index = <T extends Named>(list: readonly T[], key: (one: T) => string | undefined): Map<string, T[]> => {
  const found = new Map<string, T[]>()
  for (const one of list) {
    const text = key(one)
    if (text === undefined) continue
    const same = found.get(text)
    if (same) same.push(one)
    else found.set(text, [one])
  }
  return found
}

/**
 * Creates a directory of things of a kind; `title` names the kind in faults. A number is an id, or a name where nothing
 * has that id.
 */
export const createDirectory = <T extends Named>(title: string, list: readonly T[]): Directory<T> => {
  const byId = new Map(list.map((one) => [one.id, one]))
  const exactNames = index(list, ({ name }) => name)
  const sameNames = index(list, ({ name }) => looseName(name))
  const ways = [
    { of: exactNames, key: (text: string) => text },
    { of: index(list, ({ email }) => email), key: (text: string) => text },
    { of: index(list, ({ email }) => (email === undefined ? undefined : nameForm(email))), key: nameForm },
    { of: sameNames, key: looseName },
    // A file for spreadsheets has an apostrophe before what they would run as a formula.
    { of: sameNames, key: (text: string) => looseName(unmarkText(text)) },
    { of: exactNames, key: (text: string) => text.replace(/^'/, '') },
  ]
  // A person's name and address often begin alike, and are one suggestion.
  const names = list.map(({ name }) => name)
  const emails = list.flatMap(({ email }) => email ?? [])
  const suggest = createSuggest()
  const unknown = (text: string): Fault => {
    const bare = text.replace(/^0+/, '')
    if (bare !== text && ID.test(bare) && byId.has(Number(bare))) {
      return new Fault(`${unknownName(title)}${text}"; ids have no zeros before them: ${DID_YOU_MEAN}${bare}?`)
    }
    const near =
      suggest(text, () => names) ??
      suggest(text, () => emails) ??
      (emails.length > 0 ? suggest(text, () => names, withWord) : undefined)
    return new Fault(`${unknownName(title)}${text}"${near === undefined ? '' : `; ${DID_YOU_MEAN}"${near}"?`}`)
  }
  const numbered = (text: string): T | Fault | undefined => {
    const bare = text.replace(MARKED_ID, '')
    const one = ID.test(bare) ? byId.get(Number(bare)) : undefined
    const others = one && bare === text ? (exactNames.get(text) ?? []).filter(({ id }) => id !== one.id) : []
    if (!one || others.length === 0) return one
    const ids = listFirst(others, MOST_LISTED, ({ id }) => `#${id}`)
    return new Ambiguous(
      `"${text}" is the id of the ${title} "${one.name}", and the name of ${ids}; write "#${text}" for the id, or "'${text}" for the name`,
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
      const candidates = listFirst(matches ?? [], MOST_LISTED, ({ id, within }) =>
        within === undefined ? String(id) : `${id} in ${within}`,
      )
      return new Ambiguous(`"${wanted}" is the name of more than one ${title}: ${candidates}; use the id`)
    },
  }
}
