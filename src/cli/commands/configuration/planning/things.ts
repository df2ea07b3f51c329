import { createSuggest, looseName } from '../../../../client/directory.ts'
import { listFirst, MOST_LISTED } from '../../../../domain/count-text.ts'
import { Fault } from '../../../../domain/errors.ts'
import { nameForm } from '../../../../domain/name-form.ts'
import type { AnyRecord } from '../../../../domain/schema.ts'
import { type Kind, KIND_NAMES, type KindName, kinds } from './kinds.ts'
import type { Item } from './read-file.ts'

/** Describes something that the service has, that the file speaks of, or both. */
export type Thing = {
  readonly kind: Kind
  /** Tells it from all others, also from those that have no id yet. */
  readonly serial: number
  /** Holds what the service has; undefined for something new. */
  readonly record: AnyRecord | undefined
  /** Holds what it is called, or nothing if what it belongs to identifies it. */
  readonly name: string
  /** Holds what it belongs to, by the names of its fields: a group, or a user and a KPI. */
  readonly above: Readonly<Record<string, Thing>>
  item: Item | undefined
  /** Holds its id; undefined until it is created. */
  id: number | undefined
}

/** Matches an id that stands for a name, and a name that looks like one. */
const MARKED_ID = /^#([1-9]\d{0,14})$/
const LIKE_MARKED_ID = /^'*#\d+$/
const MARKED_NAME = /^'+#\d+$/

const textIn = (record: AnyRecord, name: string): string => String(record[name] ?? '').trim()

/** Returns what names are compared by: e-mail addresses are the same in any form. */
const comparable = (kind: Kind, name: string): string => (kind.name === 'user' ? nameForm(name) : name)

/** Returns what tells a thing of a name, or of the form of one, from others of its kind. */
const keyOf = (kind: Kind, above: Thing['above'], name: string): string =>
  JSON.stringify([kind.name, name, ...kind.identity.map((field) => above[field]?.serial ?? '')])

const titleOf = ([name]: readonly KindName[]): string => kinds[name ?? 'kpi'].of.title

/** Returns what a thing is called in messages and plans: `Region / North`, `Revenue of ann@example.com`. */
export const labelOf = ({ name, above, id }: Thing): string => {
  const { group, group_item: item, kpi, user } = above
  if (group) return `${labelOf(group)} / ${name}`
  const what = item ?? kpi
  if (what && user) return `${labelOf(what)} of ${labelOf(user)}`
  return name === '' ? `#${id ?? ''}` : name
}

/** Returns a thing as a sentence names it: `KPI Revenue`, `Revenue of ann@example.com`. */
export const nounOf = (thing: Thing): string =>
  thing.name === '' ? labelOf(thing) : `${thing.kind.of.title} ${labelOf(thing)}`

/** Holds all things, to be found by id or name. */
export type Things = {
  readonly ofKind: (kind: KindName) => readonly Thing[]
  /** Returns the largest id of a kind; 0 if there is none. */
  readonly largestId: (kind: KindName) => number
  readonly byId: (kinds: readonly KindName[], id: number) => Thing | undefined
  /** Finds what a reference means, below another thing where it is given. */
  readonly find: (kinds: readonly KindName[], text: string, within?: Thing) => Thing | Fault
  /** Returns all things with an identity: more than one where names are not unique. */
  readonly same: (kind: Kind, above: Thing['above'], name: string) => readonly Thing[]
  /** Returns all things whose names have the same form as a name that none of them need have. */
  readonly alike: (kind: Kind, above: Thing['above'], name: string) => readonly Thing[]
  /** Returns the reference that finds a thing: its name, or `#7` where others have that, too. */
  readonly referenceTo: (thing: Thing) => string
  readonly add: (thing: Omit<Thing, 'serial'>) => Thing
}

/** Creates an empty collection of things. */
const createThings = (): Things => {
  const all = new Map<KindName, Thing[]>(KIND_NAMES.map((name) => [name, []]))
  const ids = new Map<string, Thing>()
  const largest = new Map<KindName, number>()
  const [names, keys] = [new Map<string, Thing[]>(), new Map<string, Thing[]>()]
  const [nameForms, keyForms] = [new Map<string, Thing[]>(), new Map<string, Thing[]>()]
  let serial = 0
  const suggest = createSuggest()
  const collect = (map: Map<string, Thing[]>, key: string, thing: Thing): void => {
    const known = map.get(key)
    if (known) known.push(thing)
    else map.set(key, [thing])
  }
  const ofKind = (kind: KindName): readonly Thing[] => all.get(kind) ?? []
  const byId: Things['byId'] = (of, id) => of.map((kind) => ids.get(`${kind} ${id}`)).find((one) => one !== undefined)
  const named = (of: readonly KindName[], name: string): Thing[] =>
    of.flatMap((kind) => names.get(`${kind} ${comparable(kinds[kind], name)}`) ?? [])
  const namedAlike = (of: readonly KindName[], name: string): Thing[] =>
    of.flatMap((kind) => nameForms.get(`${kind} ${looseName(name)}`) ?? [])
  return {
    ofKind,
    largestId: (kind) => largest.get(kind) ?? 0,
    byId,
    find: (of, text, within) => {
      const [, id] = MARKED_ID.exec(text) ?? []
      if (id !== undefined) return byId(of, Number(id)) ?? new Fault(`there is no ${titleOf(of)} ${id}`)
      const name = MARKED_NAME.test(text) ? text.slice(1) : text
      const isWithin = ({ above }: Thing): boolean => within === undefined || above['group'] === within
      const exact = named(of, name).filter(isWithin)
      const found = exact.length > 0 ? exact : namedAlike(of, name).filter(isWithin)
      const [first, ...others] = found
      if (first && others.length === 0) return first
      if (!first) {
        const candidates = (): string[] => of.flatMap(ofKind).filter(isWithin).map((one) => one.name) // prettier-ignore
        const near = suggest(name, candidates)
        return new Fault(`there is no ${titleOf(of)} "${name}"${near === undefined ? '' : `; did you mean "${near}"?`}`)
      }
      const candidates = listFirst(found, MOST_LISTED, (one) => (one.id === undefined ? labelOf(one) : `#${one.id}`))
      return new Fault(`"${name}" is the name of more than one ${titleOf(of)}: ${candidates}`)
    },
    same: (kind, above, name) => keys.get(keyOf(kind, above, comparable(kind, name))) ?? [],
    alike: (kind, above, name) => keyForms.get(keyOf(kind, above, looseName(name))) ?? [],
    referenceTo: (thing) => {
      const of: readonly KindName[] = ['kpi', 'calculated_kpi'].includes(thing.kind.name)
        ? ['kpi', 'calculated_kpi']
        : [thing.kind.name]
      const alike = named(of, thing.name).filter(({ above }) => above['group'] === thing.above['group'])
      if (thing.id !== undefined && alike.length !== 1) return `#${thing.id}`
      return LIKE_MARKED_ID.test(thing.name) ? `'${thing.name}` : thing.name
    },
    add: (given) => {
      const thing: Thing = { ...given, serial: (serial += 1) }
      all.get(thing.kind.name)?.push(thing)
      if (thing.id !== undefined) {
        ids.set(`${thing.kind.name} ${thing.id}`, thing)
        largest.set(thing.kind.name, Math.max(thing.id, largest.get(thing.kind.name) ?? 0))
      }
      const { kind, above, name } = thing
      if (name !== '') {
        collect(names, `${kind.name} ${comparable(kind, name)}`, thing)
        collect(nameForms, `${kind.name} ${looseName(name)}`, thing)
        collect(keyForms, keyOf(kind, above, looseName(name)), thing)
      }
      collect(keys, keyOf(kind, above, comparable(kind, name)), thing)
      return thing
    },
  }
}

/** Returns what a record belongs to; undefined if some of it is not there. */
const aboveOf = (things: Things, kind: Kind, record: AnyRecord): Thing['above'] | undefined => {
  const above: Record<string, Thing> = {}
  for (const name of kind.identity) {
    const field = kind.fields.find((one) => one.name === name)
    if (!field?.refers || field.isHint) continue
    const thing = things.byId(field.refers, Number(record[field.as]))
    if (!thing) return undefined
    above[name] = thing
  }
  return above
}

/** Returns the things of an account, from the records of each kind. */
export const thingsOf = (records: ReadonlyMap<KindName, readonly AnyRecord[]>): Things => {
  const things = createThings()
  for (const name of KIND_NAMES) {
    const kind = kinds[name]
    const own = kind.identity.find((field) => field === 'name' || field === 'email')
    for (const record of records.get(name) ?? []) {
      const above = aboveOf(things, kind, record)
      if (!above) continue
      things.add({
        kind,
        record,
        name: own ? textIn(record, own) : '',
        above,
        item: undefined,
        id: Number(record['id']),
      })
    }
  }
  return things
}
