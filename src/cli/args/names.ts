import type { Capability } from '../../client/capabilities.ts'
import type { Client } from '../../client/client.ts'
import { Ambiguous, createDirectory, type Directory, type Named } from '../../client/directory.ts'
import { isListedKind, type ListedKind, listNamed } from '../../client/operations/kind-operations.ts'
import { readIfAllowed } from '../../client/operations/read-if-allowed.ts'
import { Fault } from '../../domain/errors.ts'
import { KINDS } from '../../domain/kinds.ts'
import type { Resource } from '../../domain/schema.ts'
import { UsageError } from '../exit.ts'

/** Matches a part in double quotes, behind `name=` or not. */
const QUOTED = /([^,"]*=)?\s*"((?:[^"]|"")*)"\s*(?=,|$)/y

/**
 * Returns the parts of a list with commas between them. As in CSV, a part in quotes may have commas, and quotes as
 * `""`.
 */
export const splitList = (list: string): string[] => {
  const parts: string[] = []
  for (let at = 0; at < list.length; at += 1) {
    QUOTED.lastIndex = at
    const [whole, name = '', quoted = ''] = QUOTED.exec(list) ?? []
    const comma = list.indexOf(',', at)
    const end = whole === undefined ? (comma < 0 ? list.length : comma) : at + whole.length
    parts.push(whole === undefined ? list.slice(at, end).trim() : name.trimStart() + quoted.replaceAll('""', '"'))
    at = end
  }
  return parts.filter((part) => part !== '')
}

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
 * Returns the things that texts name, without duplicates. Throws one usage error for all texts that name nothing or
 * several things; behind very many of these, no more are looked up.
 */
const allFound = (texts: readonly string[], find: (text: string) => Named | Fault): Named[] => {
  const found = new Map<number, Named>()
  const faults: string[] = []
  for (const [at, text] of texts.entries()) {
    if (faults.length === MOST_UNKNOWN) {
      faults.push(`${texts.length - at} more names were not looked up`)
      break
    }
    const one = find(text)
    if (one instanceof Fault) faults.push(one.message)
    else found.set(one.id, one)
  }
  if (faults.length > 0) throw new UsageError(faults.join('; '))
  return [...found.values()]
}

/** Returns what looking up a list of names needs; nothing where it may be left out because all can be ids. */
export const needsOfNames = (of: Capability['of'], list: string | undefined): Capability[] =>
  list === undefined || list.split(',').every(isId) ? [] : [{ of, verb: 'list' }]

/**
 * Returns the things of a comma-separated list of names, which may be quoted; `title` names the list where it is empty.
 */
export const listedIn = async (client: Client, kind: ListedKind, title: string, list: string): Promise<Named[]> => {
  const names = namesIn(title, list)
  const directory = await directoryFor(client, kind, names)
  if (!directory) return [...new Set(names)].map(byId)
  // One name may have commas, if it stands alone.
  const whole = names.length > 1 ? directory.find(list) : undefined
  return whole && !(whole instanceof Fault) ? [whole] : allFound(names, directory.find)
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

/**
 * Returns the ids of records by id or, where the resource has names, by name, with the names that were given; below
 * `parent` where it is given. A number that is an id and a name is refused, whatever is done with it.
 */
export const resolveRecords = async (
  client: Client,
  { name: kind, plural }: Resource,
  texts: readonly string[],
  parent?: number,
): Promise<Named[]> => {
  const names = texts.filter((text) => !isId(text))
  if (!isListedKind(kind) && names.length > 0) {
    const given = names.map((one) => `"${one}"`).join(', ')
    throw new UsageError(
      `${plural} have no names: give the id instead of ${given}, which kpi ${plural} list --kpi KPI --user USER --from DAY --to DAY shows`,
    )
  }
  const directory = isListedKind(kind) ? await directoryFor(client, kind, texts, parent) : undefined
  return allFound(texts, (text) => (directory ? findIn(directory, text) : byId(text)))
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
