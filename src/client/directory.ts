import { createSuggest, DID_YOU_MEAN, didYouMeanName, withWord } from './nearest.ts'
import { unmarkText } from '../codec/cell-text.ts'
import { listFirst, MOST_LISTED } from '../domain/count-text.ts'
import { Fault } from '../domain/errors.ts'
import { nameForm, looseName } from '../domain/name-form.ts'
import { namesakeForm, personForm, splitName } from '../domain/person-name.ts'
import { fullName } from '../domain/resources/user.ts'

/** Describes something that people call by name. */
export type Named = {
  readonly id: number
  readonly name: string
  readonly email?: string
  /** Holds the user that a breakdown item stands for. */
  readonly user_id?: number | null
  /** Names its parent, to tell it from others of the same name. */
  readonly within?: string
  /** Holds the unit of a KPI. */
  readonly unit_id?: number
  /** Holds the pattern in which a unit shows values. */
  readonly display_format?: string
}

/** Returns how a fault begins that says that nothing has a name; `title` names the kind of things. */
export const unknownName = (title: string): string => `there is no ${title} "`

/** Reports a name that several things have. */
export class Ambiguous extends Fault {}

/** Finds things by what people call them. */
export type Directory<T extends Named> = {
  /**
   * Finds by id (`7` or `#7`), by exact name or e-mail address, or by a name that differs only in case, blanks,
   * underscores, dashes, apostrophes and how its letters are encoded; people also by `Lee, Ann`, with titles or without. `#7` is always an id, and an apostrophe says that a name is no id: `'7`. A plain 7 that is the id of one
   * thing and the name of another is ambiguous.
   */
  readonly find: (text: string) => T | Fault
  readonly byId: ReadonlyMap<number, T>
}

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

/** Tells whether something is a person, or stands for one. */
const isPerson = ({ email, user_id }: Named): boolean => email !== undefined || (user_id ?? null) !== null

/** Returns a person's name as it is compared, first names first, with its titles. */
const turnedForm = (name: string): string => looseName(fullName(splitName(name)))

/** Creates what finds the people of a list, whose names are read when the first is asked for that has no other form. */
const personFinder = <T extends Named>(list: readonly T[]) => {
  const people = list.some(isPerson) ? list.filter(isPerson) : []
  const indexBy = (form: (name: string) => string): ((text: string) => readonly T[] | undefined) => {
    let known: Map<string, T[]> | undefined
    return (text) => {
      if (people.length === 0) return undefined
      known ??= index(people, ({ name }) => form(name))
      const wanted = form(text)
      return wanted === '' ? undefined : known.get(wanted)
    }
  }
  const [turned, untitled] = [indexBy(turnedForm), indexBy(personForm)]
  return {
    hasPeople: people.length > 0,
    named: (text: string) => turned(text) ?? untitled(text),
    namesakes: indexBy(namesakeForm),
  }
}

/**
 * Creates a directory of things of a kind; `title` names the kind in faults. A number is an id, or a name where nothing
 * has that id.
 */
export const createDirectory = <T extends Named>(title: string, list: readonly T[]): Directory<T> => {
  const byId = new Map(list.map((one) => [one.id, one]))
  const exactNames = index(list, ({ name }) => name)
  const sameNames = index(list, ({ name }) => looseName(name))
  const persons = personFinder(list)
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
    const [namesake, ...others] = persons.namesakes(text) ?? []
    const near =
      (others.length === 0 ? namesake?.name : undefined) ??
      (persons.hasPeople && text.includes(',') ? suggest(personForm(text), () => names) : undefined) ??
      suggest(text, () => names) ??
      suggest(text, () => emails) ??
      (emails.length > 0 ? suggest(text, () => names, withWord) : undefined)
    return new Fault(`${unknownName(title)}${text}"${didYouMeanName(near)}`)
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
      const matches =
        ways.map(({ of, key }) => of.get(key(wanted))).find((found) => found !== undefined) ?? persons.named(wanted)
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
