import type { Capability } from '../../client/capabilities.ts'
import type { Client } from '../../client/client.ts'
import { Ambiguous, createDirectory, type Directory, type Named } from '../../client/directory.ts'
import { suggestionIn } from '../../client/nearest.ts'
import { isListedKind, type ListedKind, listNamed } from '../../client/operations/kind-operations.ts'
import { readIfAllowed } from '../../client/operations/read-if-allowed.ts'
import { Fault, Faults } from '../../domain/errors.ts'
import { KINDS } from '../../domain/kinds.ts'
import type { Resource } from '../../domain/schema.ts'
import { shellWord, singleQuoted } from '../../reading/options/flag-text.ts'
import { UsageError } from '../exit.ts'

/** Matches a part in double quotes, behind `name=` or not. */
const QUOTED = /([^,"]*=)?\s*"((?:[^"]|"")*)"\s*(?=,|$)/y

/** Describes a part of a list: its text, and whether it stands in quotes. */
type Part = { readonly text: string; readonly isQuoted: boolean }

const partsOf = (list: string): Part[] => {
  const parts: Part[] = []
  for (let at = 0; at < list.length; at += 1) {
    QUOTED.lastIndex = at
    const [whole, name = '', quoted = ''] = QUOTED.exec(list) ?? []
    const comma = list.indexOf(',', at)
    const end = whole === undefined ? (comma < 0 ? list.length : comma) : at + whole.length
    const isQuoted = whole !== undefined
    parts.push({
      text: isQuoted ? name.trimStart() + quoted.replaceAll('""', '"') : list.slice(at, end).trim(),
      isQuoted,
    })
    at = end
  }
  return parts.filter(({ text }) => text !== '')
}

/**
 * Returns the parts of a list with commas between them. As in CSV, a part in quotes may have commas, and quotes as
 * `""`.
 */
export const splitList = (list: string): string[] => partsOf(list).map(({ text }) => text)

/** Returns the names in the lists that a flag is given; refuses a flag that is given none. */
export const namesIn = (flag: string, ...lists: readonly string[]): string[] => {
  const names = lists.flatMap((list) => splitList(list))
  if (lists.length > 0 && names.length === 0) throw new UsageError(`${flag} is an empty list`)
  return names
}

/** Returns a directory of everything of a kind, or of all below a parent, to find by id, name or e-mail address. */
const directoryOf = async (client: Client, kind: ListedKind, parent?: number): Promise<Directory<Named>> =>
  createDirectory(KINDS[kind].of.title, await listNamed(client, kind, parent))

/** Reads a directory of everything of a kind; undefined if the key may not read it. */
export const readDirectory = (client: Client, kind: ListedKind): Promise<Directory<Named> | undefined> =>
  readIfAllowed(client, directoryOf(client, kind))

/** Matches ids, which have no leading zeros: `007` is a name, or a mistake. */
const ID = /^[1-9]\d{0,14}$/

/** Tells whether a text can be an id. */
export const isId = (text: string): boolean => ID.test(text.trim())

/** Bounds the names that are told as not found: each takes a search for one that is near. */
const MOST_UNKNOWN = 20

/**
 * Returns the thing that each text names. Throws one usage error for all texts that name nothing or several things; behind
 * very many of these, no more are looked up.
 */
const allFound = (texts: readonly string[], find: (text: string) => Named | Fault): Named[] => {
  const [found, faults]: [Named[], string[]] = [[], []]
  for (const [at, text] of texts.entries()) {
    if (faults.length === MOST_UNKNOWN) {
      faults.push(`${texts.length - at} more names were not looked up`)
      break
    }
    const one = find(text)
    if (one instanceof Fault) faults.push(one.message)
    else found.push(one)
  }
  if (faults.length > 0) throw new UsageError(faults.join('; '))
  return found
}

/** Returns what looking up a list of names needs; nothing where it may be left out because all can be ids. */
export const needsOfNames = (of: Capability['of'], list: string | undefined): Capability[] =>
  list === undefined || list.split(',').every(isId) ? [] : [{ of, verb: 'list' }]

/** Tells whether a text is what something is called, or several are. */
const isCalled = (found: Named | Fault): boolean => !(found instanceof Fault) || found instanceof Ambiguous

/** Returns a list as it is typed in a shell, with every name of it in quotes. */
const quotedList = (flag: string, names: readonly string[]): string =>
  `${flag} ${singleQuoted(names.map((name) => `"${name.replaceAll('"', '""')}"`).join(','))}`

/** Returns the names of a list in which some parts that stand together are one name, with commas between them. */
const joinedAt = (parts: readonly string[], at: number, count: number): string[] => [
  ...parts.slice(0, at),
  parts.slice(at, at + count).join(', '),
  ...parts.slice(at + count),
]

/**
 * Returns what a list without quotes names where it is one name with commas, such as `Lee, Ann`. Throws where that name
 * stands among others, and where each of its parts is a name, too: only quotes say what is meant.
 */
const findWithCommas = (
  kind: ListedKind,
  title: string,
  parts: readonly Part[],
  find: Directory<Named>['find'],
): Named | undefined => {
  if (parts.length < 2 || parts.some(({ isQuoted }) => isQuoted)) return undefined
  const texts = parts.map(({ text }) => text)
  const asOne = (found: Named, at: number, count: number): string =>
    `${quotedList(title, joinedAt(texts, at, count))} means "${found.name}" (#${found.id})`
  const whole = find(texts.join(', '))
  const areNames = (some: readonly string[]): boolean => some.every((text) => isCalled(find(text)))
  if (!(whole instanceof Fault) && !areNames(texts)) return whole
  const spans = whole instanceof Fault ? texts.map((_, at) => [at, 2] as const) : [[0, texts.length] as const]
  for (const [at, count] of spans) {
    const own = texts.slice(at, at + count)
    const found = own.length < count ? undefined : find(own.join(', '))
    if (!found || found instanceof Fault) continue
    if (!areNames(own)) throw new UsageError(`a name with a comma is quoted in a list: ${asOne(found, at, count)}`)
    const each = own.map((text) => `"${text}"`).join(' and ')
    throw new UsageError(
      `"${own.join(', ')}" may be one name or ${count === 2 ? 'two' : count}: ${asOne(found, at, count)}; ${quotedList(title, texts)} means ${each}`,
    )
  }
  // A name that is nearly known is told as a whole: that of a person, or one with commas.
  const near = whole instanceof Fault ? suggestionIn(whole) : ''
  const isNear = near !== '' && (kind === 'user' || near.includes(',')) && !texts.some((text) => isCalled(find(text)))
  if (isNear && whole instanceof Fault) throw new UsageError(whole.message)
  return undefined
}

/**
 * Returns the things of a comma-separated list of names, which may be quoted; `title` names the list where it is empty.
 */
export const listedIn = async (client: Client, kind: ListedKind, title: string, list: string): Promise<Named[]> => {
  const parts = partsOf(list)
  const names = namesIn(title, list)
  const directory = await directoryFor(client, kind, names)
  if (!directory) return [...new Set(names)].map(byId)
  const whole = findWithCommas(kind, title, parts, directory.find)
  if (whole) return [whole]
  return [...new Map(allFound(names, directory.find).map((one) => [one.id, one])).values()]
}

/** Returns the ids of such a list. */
export const idsIn = async (client: Client, kind: ListedKind, title: string, list: string): Promise<number[]> =>
  (await listedIn(client, kind, title, list)).map(({ id }) => id)

/** Finds what a text names; a number that is no name is an id, of which the service says whether there is one. */
const findIn = ({ find }: Directory<Named>, text: string): Named | Fault => {
  const found = find(text)
  if (!isId(text) || found instanceof Ambiguous) return found
  return found instanceof Fault || found.id === Number(text) ? byId(text) : found
}

const byId = (text: string): Named => ({ id: Number(text), name: '' })

/** Returns a directory to find texts in; undefined if all can be ids, and the key may not look for names like them. */
const directoryFor = (
  client: Client,
  kind: ListedKind,
  texts: readonly string[],
  parent?: number,
): Promise<Directory<Named> | undefined> => {
  const reading = directoryOf(client, kind, parent)
  return texts.every(isId) ? readIfAllowed(client, reading) : reading
}

/** Returns the id that a text names, or its fault. */
export const findId = async (client: Client, kind: ListedKind, text: string): Promise<number | Fault> => {
  const directory = await directoryFor(client, kind, [text])
  const found = directory ? findIn(directory, text) : byId(text)
  return found instanceof Fault ? found : found.id
}

/** Returns a fault of a text that lists several names with commas, where each is a word of its own. */
const asWords = (directory: Directory<Named>, text: string, fault: Fault): Fault => {
  const parts = splitList(text)
  const areNames = parts.length > 1 && parts.every((part) => isCalled(findIn(directory, part)))
  if (!areNames) return fault
  return new Fault(`${fault.message}; here names are words of their own: ${parts.map(shellWord).join(' ')}`)
}

/**
 * Returns the record that each text names: by id or, where the resource has names, by name; below `parent` where it is
 * given. A number that is an id and a name is refused, whatever is done with it.
 */
const resolveRecords = async (
  client: Client,
  { name: kind, plural }: Resource,
  texts: readonly string[],
  parent?: number,
  isList = false,
): Promise<Named[]> => {
  const names = texts.filter((text) => !isId(text))
  if (!isListedKind(kind) && names.length > 0) {
    const given = names.map((one) => `"${one}"`).join(', ')
    throw new UsageError(
      `${plural} have no names: give the id instead of ${given}, which kpi ${plural} list --kpi KPI --user USER --from DAY --to DAY shows`,
    )
  }
  const directory = isListedKind(kind) ? await directoryFor(client, kind, texts, parent) : undefined
  return allFound(texts, (text) => {
    const found = directory ? findIn(directory, text) : byId(text)
    return isList && directory && found instanceof Fault ? asWords(directory, text, found) : found
  })
}

/** Creates what finds one record at a time as `resolveRecords` does; names are read once, when the first is needed. */
export const createRecordFinder = (
  client: Client,
  { name: kind, plural }: Resource,
  parent?: number,
): ((text: string) => Promise<Named | Fault>) => {
  let reading: Promise<Directory<Named> | undefined> | undefined
  return async (text) => {
    if (isListedKind(kind)) reading ??= readIfAllowed(client, directoryOf(client, kind, parent))
    const directory = await reading
    if (directory) return findIn(directory, text)
    return isId(text) ? byId(text) : new Fault(`names of ${plural} cannot be looked up here: give the id`)
  }
}

/** Returns the id of one record of a resource, or of those below a parent. */
export const resolveRecordId = async (client: Client, of: Resource, text: string, parent?: number): Promise<number> => {
  const [found] = await resolveRecords(client, of, [text], parent)
  return found?.id ?? NaN
}

/** Returns the id of one of a list, by id or name. */
export const idAmong = (title: string, list: readonly Named[], text: string): number => {
  const directory = createDirectory(title, list)
  const [found] = allFound([text], (one) => findIn(directory, one))
  return found?.id ?? NaN
}

/** Describes a record that a line names: at which place, counted from 1, by which id, and what it is called. */
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
  const known = names.map((name, at) => ({ id: idAt(at + 1), name }))
  const open = known.flatMap(({ id, name }) => (id === undefined ? [name] : []))
  const found = (await resolveRecords(client, of, open, parent, true)).values()
  return known.map(({ id, name }, at) => {
    const one = id === undefined ? found.next().value : { id, name }
    return { place: at + 1, id: one?.id ?? NaN, name: one?.name ?? name }
  })
}

/** Returns the places, counted from 1, of ids that come again in a list, each with the first place of that id. */
const repeatsIn = (ids: readonly number[]): { readonly first: number; readonly again: number }[] => {
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
