import { suggestionIn } from '../../client/nearest.ts'
import { looseName } from '../../domain/name-form.ts'
import { Ambiguous, type Named, unmarkName } from '../../client/directory.ts'
import { listFirst, MOST_LISTED } from '../../domain/count-text.ts'
import { Fault } from '../../domain/errors.ts'
import { isNoNameOf, isProvisional, type Lookup } from '../directory/lookup.ts'
import { type ImportOptions, type NameRole, type NumbersAs, titleOfRole } from '../options/options.ts'
import { NoName } from '../formats/evidence.ts'
import { isColumnName } from './header.ts'
import { memoize } from '../formats/date-format.ts'
import { isMeantName } from '../../changes/names/doubtful-names.ts'
import { BETWEEN_NAMES } from './roles.ts'
import type { ColumnPlan } from './columns.ts'

/** Describes a column, and what the user said about its numbers. */
type Described = { readonly role: string; readonly header: string; readonly as: NumbersAs | undefined }

const NUMBER = /^\d{1,15}$/
const isNumber = (text: string): boolean => NUMBER.test(text) && Number(text) > 0

/** Lists the interface's own names for columns of ids. */
const ID_HEADERS: ReadonlySet<string> = new Set(['user_id', 'source_id', 'kpi_id'])

/** Counts the numbers of a column that can be read as names of one kind, and holds the first that are no ids of these. */
type Readings = { names: number; agreeing: number; first: string | undefined; both: string | undefined }

const noReadings = (): Readings => ({ names: 0, agreeing: 0, first: undefined, both: undefined })

/** Splits `Store 07` into `store` and 7; returns undefined if the name does not end in a number. */
const splitNumbered = (name: string): readonly [word: string, number: number] | undefined => {
  const words = looseName(name).split(' ')
  const last = words.pop() ?? ''
  return words.length > 0 && isNumber(last) ? [words.join(' '), Number(last)] : undefined
}

/** Maps numbers to words to the things that are named by both, such as `Store 07`; see `NO_WORD`. */
type NumberedNames = ReadonlyMap<number, ReadonlyMap<string, readonly Named[]>>

/** Stands for the word of a name that is only a number. */
const NO_WORD = ''

const numberedNames = (all: Iterable<Named>): NumberedNames => {
  const found = new Map<number, Map<string, Named[]>>()
  for (const one of all) {
    if (isProvisional(one.id)) continue
    const name = one.name.trim()
    const [word, number] = isNumber(name) ? [NO_WORD, Number(name)] : (splitNumbered(name) ?? [])
    if (word === undefined || number === undefined) continue
    const ofNumber = found.get(number) ?? new Map<string, Named[]>()
    found.set(number, ofNumber)
    const ofWord = ofNumber.get(word)
    if (ofWord) ofWord.push(one)
    else ofNumber.set(word, [one])
  }
  return found
}

/** Returns a name without the apostrophe by which an exported file tells it from an id, a formula or a column's name. */
const unmarkedName = (text: string): string => {
  const name = unmarkName(text)
  return name.startsWith("'") && isColumnName(name.slice(1)) ? name.slice(1) : name
}

const isUnknown = (found: Named | Fault): boolean => found instanceof Fault && !(found instanceof Ambiguous)

/** Creates columns of names, from all things that their cells may name: these are looked through once for all columns. */
export const createNameColumns = (lookup: Lookup): ((described: Described) => NameColumn) => {
  const names = numberedNames(lookup.byId.values())
  return (described) => nameColumn(described, lookup, names)
}

/** Creates a column of names, from all things that its cells may name. */
export const createNameColumn = (described: Described, lookup: Lookup): NameColumn =>
  createNameColumns(lookup)(described)

/** Finds what the cells of a column name, and records whether its numbers are ids or names. */
const nameColumn = ({ role, header, as: asked }: Described, lookup: Lookup, names: NumberedNames) => {
  const as = asked ?? (ID_HEADERS.has(header.trim().toLowerCase()) ? 'ids' : undefined)
  const wordOfHeader = looseName(header)
  // Keep only what numbers name something by, so that memory grows with the names and not with the file.
  const readings = new Map<string, Readings>()
  const noted = new Set<number>()
  let ids = 0
  let first: string | undefined
  let firstId: string | undefined
  const isOfHeader = (word: string): boolean => word === NO_WORD || word === wordOfHeader

  const noteWord = (word: string, text: string, byId: Named | undefined, others: readonly Named[]): void => {
    const seen = readings.get(word) ?? noReadings()
    readings.set(word, seen)
    const agrees = byId !== undefined && others.some(({ id }) => id === byId.id)
    seen.names += 1
    seen.agreeing += Number(agrees)
    if (!agrees) seen.first ??= text
    if (!agrees && byId) seen.both ??= text
  }
  const note = (text: string, byId: Named | undefined): void => {
    const number = Number(text)
    const named = names.get(number)
    if (noted.has(number) || (!byId && !named)) return
    noted.add(number)
    ids += Number(byId !== undefined)
    for (const [word, others] of named ?? []) noteWord(word, text, byId, others)
  }
  /** Finds the things that a number names: alone, else behind the word that heads the column, else behind any word. */
  const namedBy = (number: number): readonly Named[] => {
    const named = names.get(number)
    return named?.get(NO_WORD) ?? named?.get(wordOfHeader) ?? [...(named?.values() ?? [])].flat()
  }
  const byName = (text: string): Named | Fault => {
    const [one, ...others] = namedBy(Number(text))
    if (!one)
      return (
        lookup.create?.(text) ?? new Fault(`there is no ${role} with the name "${text}"; an id is written #${text}`)
      )
    if (others.length === 0) return one
    const all = listFirst([one, ...others], MOST_LISTED, ({ id, name }) => `"${name}" (#${id})`)
    return new Ambiguous(`"${text}" may be any of ${all}; write the whole name, or the id with # before it`)
  }
  const findNumber = (text: string): Named | Fault => {
    const byId = lookup.byId.get(Number(text))
    if (as === undefined) note(text, byId)
    first ??= text
    if (as === 'names') return byName(text)
    if (as === 'ids') return byId ?? new Fault(`there is no ${role} with the id ${text}`)
    if (byId) firstId ??= text
    // What is an id and a name, too, is settled for the whole column.
    const found = byId ?? lookup.find(text)
    const [meant] = isUnknown(found) ? namedBy(Number(text)) : []
    return meant
      ? new Fault(`there is no ${role} "${text}"; --by-name ${role} takes "${meant.name}" for it`)
      : orCreate(found, text)
  }
  const orCreate = (found: Named | Fault, text: string): Named | Fault => {
    const made = isUnknown(found) ? lookup.create?.(unmarkedName(text)) : undefined
    if (made instanceof Fault && found instanceof NoName) return found
    // A name that cannot be new may be one that exists, mistyped.
    return made instanceof Fault && found instanceof Fault
      ? new Fault(made.message + suggestionIn(found))
      : (made ?? found)
  }
  /** Returns why numbers that are ids may be meant as names, where unknown names become new things. */
  const doubtOfIds = (): string | undefined => {
    if (!lookup.create || firstId === undefined || as !== undefined || header.startsWith('--')) return undefined
    const one = lookup.byId.get(Number(firstId))
    return `"${firstId}" is the id of "${one?.name}", or the name of something new; say which: --by-id ${role} or --by-name ${role}`
  }
  /** Returns the readings by a word that say other things than ids do, for enough of the numbers to be meant. */
  const rival = (): [word: string, readings: Readings] | undefined =>
    [...readings].find(([word, { names: named, agreeing, first: other }]) => {
      const isMeant = isOfHeader(word) || 2 * named >= ids
      return other !== undefined && ids > agreeing && isMeant
    })
  const suggest = (word: string, text: string): string => {
    const [one] = names.get(Number(text))?.get(word) ?? []
    return `the name of "${one?.name}" (#${one?.id})`
  }
  return {
    /** Names the column in messages. */
    name: header,
    find: (text: string): Named | Fault => {
      const wanted = text.trim()
      return lookup.unread === undefined && isNumber(wanted)
        ? findNumber(wanted)
        : orCreate(lookup.find(wanted), wanted)
    },
    /** Returns how its numbers are read, and a cell that shows it; undefined if it has no numbers. */
    numbers: (): { readonly as: NumbersAs; readonly shown: string } | undefined => {
      const found = ids === 0 && readings.has(NO_WORD) ? 'names' : 'ids'
      return first === undefined ? undefined : { as: as ?? found, shown: first }
    },
    /** Returns why it cannot be known whether its numbers are ids or names; undefined if it can. */
    doubt: (): string | undefined => {
      const [word, seen] = rival() ?? []
      if (word === undefined || !seen) return doubtOfIds()
      const idText = seen.both ?? [...noted].find((number) => lookup.byId.has(number)) ?? ''
      const one = lookup.byId.get(Number(idText))
      const other = seen.first ?? ''
      const both = seen.both === undefined ? `, but "${other}" is` : ', and'
      return `"${idText}" is the id of "${one?.name}"${both} ${suggest(word, seen.both ?? other)}; of the numbers of this column ${ids} are ids and ${seen.names} are names; say which: --by-id ${role} or --by-name ${role}`
    },
  }
}
export type NameColumn = ReturnType<typeof nameColumn>

/** Returns a function that gives the parts of a name, each of which a column of its own holds. */
const namePartsIn = ({ joined }: Pick<ColumnPlan, 'joined'>, role: NameRole): ((name: string) => string[]) => {
  if (role === 'user' && (joined?.has('user') || joined?.has('name'))) return (name) => [name, ...name.split(' ')]
  const isJoined = joined?.has(role) === true
  return (name) => (isJoined ? name.split(BETWEEN_NAMES) : [name])
}

/** Returns a function that gives what of a name is no name: an error of a spreadsheet, or a word for no value. */
export const findNoName = (plan: ColumnPlan, role: NameRole): ((name: string) => string | undefined) => {
  const partsOf = namePartsIn(plan, role)
  const isNone = isNoNameOf(role)
  return (name) => partsOf(name).find(isNone)
}

/**
 * Returns a function that finds what a cell names, but nothing new for a word that `--missing` lists; an empty list means
 * all words that name nothing, unless `--by-name` says that they do.
 */
export const rejectMissingNames = (
  plan: ColumnPlan,
  role: NameRole,
  { missing, numbersAs }: Pick<ImportOptions, 'missing' | 'numbersAs'>,
  find: (text: string) => Named | Fault,
): ((text: string) => Named | Fault) => {
  if (missing === undefined) return find
  const isAll = missing.size === 0 && !isMeantName(numbersAs, role)
  const words = new Set([...missing].map(looseName))
  const isNone = isNoNameOf(role)
  const isMissing = (text: string): boolean => words.has(looseName(text)) || (isAll && isNone(text))
  const partsOf = namePartsIn(plan, role)
  return memoize((text) => {
    const found = find(text)
    if (found instanceof Fault || !isProvisional(found.id)) return found
    const word = partsOf(text.trim()).find(isMissing)
    return word === undefined
      ? found
      : new Fault(`"${word}" stands for no value, and there is no ${titleOfRole(role)} of that name`)
  })
}
