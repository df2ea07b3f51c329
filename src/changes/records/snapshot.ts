import { createSuggest, didYouMeanName } from '../../client/nearest.ts'
import { listFirst, MOST_LISTED } from '../../domain/count-text.ts'
import { Fault } from '../../domain/errors.ts'
import { nameForm, looseName } from '../../domain/name-form.ts'
import type { AnyRecord } from '../../domain/schema.ts'
import { type Kind, KIND_NAMES, type KindName, kinds, nameIn } from './kind-fields.ts'
import type { Desired } from './desired.ts'

/** Describes a record that the account has, that an input speaks of, or both. */
export type AccountRecord = {
  readonly kind: Kind
  /** Tells it from all others, also from those that have no id yet. */
  readonly serial: number
  /** Holds what the service has; undefined for something new. */
  stored: AnyRecord | undefined
  /** Tells that nothing is known of it but its id, and maybe what it lies in: the key may not read it. */
  isUnread?: boolean | undefined
  /** Holds its name or e-mail address; empty if what it belongs to identifies it. */
  readonly name: string
  /** Holds what it belongs to, by the names of its fields: a group, or a user and a KPI. */
  readonly above: Readonly<Record<string, AccountRecord>>
  /** Holds what the input says of it. */
  desired: Desired | undefined
  /** Holds its id; undefined until it is created. */
  id: number | undefined
}

/** Matches an id that stands for a name, and a name that looks like one. */
const MARKED_ID = /^#([1-9]\d{0,14})$/
const LIKE_MARKED_ID = /^'*#\d+$/
const MARKED_NAME = /^'+#\d+$/

/** Returns what names are compared by: e-mail addresses are the same in any form. */
const comparable = (kind: Kind, name: string): string => (kind.name === 'user' ? nameForm(name) : name)

/** Returns the key of a record among those of its kind: its parents, and its name or the form of that. */
const keyOf = ({ name: kind, identity }: Kind, above: AccountRecord['above'], name: string): string => {
  let key: string = kind
  for (const field of identity) key += ` ${above[field]?.serial ?? ''}`
  return `${key} ${name}`
}

const titleOf = ([name]: readonly KindName[]): string => kinds[name ?? 'kpi'].of.title

/** Returns what a record is called in messages and plans: `Region / North`, `Revenue of ann@example.com`. */
export const labelOf = ({ name, above, id }: AccountRecord): string => {
  const { group, group_item: item, kpi, user } = above
  if (group) return `${labelOf(group)} / ${name}`
  const what = item ?? kpi
  if (what && user) return `${labelOf(what)} of ${labelOf(user)}`
  return name === '' ? `#${id ?? ''}` : name
}

/** Returns a record as a sentence names it: `KPI Revenue`, `Revenue of ann@example.com`. */
export const nounOf = (record: AccountRecord): string => {
  if (record.isUnread) return `${record.kind.of.title} ${record.id}`
  return record.name === '' ? labelOf(record) : `${record.kind.of.title} ${labelOf(record)}`
}

/** Tells whether a record is the group item of a person, which follows the person. */
export const isOfPerson = ({ kind, stored }: AccountRecord): boolean =>
  kind.name === 'group_item' && (stored?.['user_id'] ?? null) !== null

/** Holds records by a text. */
type Index = Map<string, AccountRecord[]>

const collect = (index: Index, key: string, record: AccountRecord): void => {
  const known = index.get(key)
  if (known) known.push(record)
  else index.set(key, [record])
}

/** Holds the records of an account, as they were read once, and those that are to be created; finds them by id or name. */
export class Snapshot {
  readonly #all = new Map<KindName, AccountRecord[]>(KIND_NAMES.map((name) => [name, []]))
  readonly #ids = new Map<string, AccountRecord>()
  readonly #largest = new Map<KindName, number>()
  readonly #names: Index = new Map()
  readonly #keys: Index = new Map()
  readonly #nameForms: Index = new Map()
  readonly #keyForms: Index = new Map()
  readonly #suggest = createSuggest()
  #serial = 0

  /** Takes the records of each kind that the account has. */
  constructor(records: ReadonlyMap<KindName, readonly AnyRecord[]> = new Map()) {
    for (const name of KIND_NAMES) this.take(name, records.get(name) ?? [])
  }

  ofKind(kind: KindName): readonly AccountRecord[] {
    return this.#all.get(kind) ?? []
  }

  /** Returns the largest id of a kind; 0 if there is none. */
  largestId(kind: KindName): number {
    return this.#largest.get(kind) ?? 0
  }

  byId(of: readonly KindName[], id: number): AccountRecord | undefined {
    return of.map((kind) => this.#ids.get(`${kind} ${id}`)).find((one) => one !== undefined)
  }

  #named(of: readonly KindName[], name: string): AccountRecord[] {
    return of.flatMap((kind) => this.#names.get(`${kind} ${comparable(kinds[kind], name)}`) ?? [])
  }

  /** Finds what a reference means, below another record where it is given. */
  find(of: readonly KindName[], text: string, within?: AccountRecord): AccountRecord | Fault {
    const [, id] = MARKED_ID.exec(text) ?? []
    if (id !== undefined) return this.byId(of, Number(id)) ?? new Fault(`there is no ${titleOf(of)} ${id}`)
    const name = MARKED_NAME.test(text) ? text.slice(1) : text
    const isWithin = ({ above }: AccountRecord): boolean => within === undefined || above['group'] === within
    const exact = this.#named(of, name).filter(isWithin)
    const alike = (kind: KindName): AccountRecord[] => this.#nameForms.get(`${kind} ${looseName(name)}`) ?? []
    const found = exact.length > 0 ? exact : of.flatMap(alike).filter(isWithin)
    const [first, ...others] = found
    if (first && others.length === 0) return first
    if (!first) {
      const candidates = (): string[] =>
        of
          .flatMap((kind) => this.ofKind(kind))
          .filter(isWithin)
          .map((one) => one.name)
      const near = this.#suggest(name, candidates)
      return new Fault(`there is no ${titleOf(of)} "${name}"${didYouMeanName(near)}`)
    }
    const candidates = listFirst(found, MOST_LISTED, (one) => (one.id === undefined ? labelOf(one) : `#${one.id}`))
    return new Fault(`"${name}" is the name of more than one ${titleOf(of)}: ${candidates}`)
  }

  /** Returns all records with an identity: more than one where names are not unique. */
  same(kind: Kind, above: AccountRecord['above'], name: string): readonly AccountRecord[] {
    return this.#keys.get(keyOf(kind, above, comparable(kind, name))) ?? []
  }

  /** Returns all records whose names have the same form as a name that none of them need have. */
  alike(kind: Kind, above: AccountRecord['above'], name: string): readonly AccountRecord[] {
    return this.#keyForms.get(keyOf(kind, above, looseName(name))) ?? []
  }

  /** Returns the name beside the same parents that a mistyped one most likely means, if there is one. */
  suggest(kind: Kind, above: AccountRecord['above'], name: string): string | undefined {
    return this.#suggest(name, () =>
      this.ofKind(kind.name)
        .filter((one) => one.stored && one.above['group'] === above['group'])
        .map((one) => one.name),
    )
  }

  /** Returns the reference that finds a record: its name, or `#7` where others have that, too. */
  referenceTo({ kind, id, name, above }: AccountRecord): string {
    const kpis: readonly KindName[] = ['kpi', 'calculated_kpi']
    const of = kpis.includes(kind.name) ? kpis : [kind.name]
    const alike = this.#named(of, name).filter((one) => one.above['group'] === above['group'])
    if (id !== undefined && alike.length !== 1) return `#${id}`
    return LIKE_MARKED_ID.test(name) ? `'${name}` : name
  }

  /** Returns what a record belongs to, by the ids in its fields; undefined if some of it is not there. */
  aboveOf({ identity, fields }: Kind, stored: AnyRecord): AccountRecord['above'] | undefined {
    const above: Record<string, AccountRecord> = {}
    for (const name of identity) {
      const field = fields.find((one) => one.name === name)
      if (!field?.refers || field.isHint) continue
      const record = this.byId(field.refers, Number(stored[field.as]))
      if (!record) return undefined
      above[name] = record
    }
    return above
  }

  #keep(record: AccountRecord, id: number): void {
    const kind = record.kind.name
    record.id = id
    this.#ids.set(`${kind} ${id}`, record)
    this.#largest.set(kind, Math.max(id, this.largestId(kind)))
  }

  add(given: Omit<AccountRecord, 'serial'>): AccountRecord {
    const record: AccountRecord = { ...given, serial: (this.#serial += 1) }
    const { kind, above, name, id } = record
    this.#all.get(kind.name)?.push(record)
    if (id !== undefined) this.#keep(record, id)
    if (name !== '') {
      collect(this.#names, `${kind.name} ${comparable(kind, name)}`, record)
      collect(this.#nameForms, `${kind.name} ${looseName(name)}`, record)
      collect(this.#keyForms, keyOf(kind, above, looseName(name)), record)
    }
    collect(this.#keys, keyOf(kind, above, comparable(kind, name)), record)
    return record
  }

  /** Notes what the service has of a record that was created or looked at again. */
  settle(record: AccountRecord, stored: AnyRecord): void {
    record.stored = stored
    record.isUnread = undefined
    this.#keep(record, Number(stored['id']))
  }

  /** Notes that the service has a record no longer. */
  forget(record: AccountRecord): void {
    record.stored = undefined
  }

  /** Updates records of a kind from a list of the service; those that are new in it are added. */
  take(kindName: KindName, records: readonly AnyRecord[]): void {
    const kind = kinds[kindName]
    for (const stored of records) {
      const above = this.aboveOf(kind, stored)
      const name = nameIn(kind, stored).trim()
      const id = Number(stored['id'])
      const found = this.#standingFor(kind, above ?? {}, name, id)
      if (found) this.settle(found, stored)
      else if (above) this.add({ kind, stored, name, above, desired: undefined, id })
    }
  }

  /** Finds the record that stands for one of the service: by its id, or by its name if it is about to be created. */
  #standingFor(kind: Kind, above: AccountRecord['above'], name: string, id: number): AccountRecord | undefined {
    if (name === '') return this.same(kind, above, name)[0]
    const own = this.byId([kind.name], id)
    if (own) return own
    const same = this.same(kind, above, name)
    return (same.length > 0 ? same : this.alike(kind, above, name)).find((one) => one.id === undefined)
  }

  /** Adds records whose ids, and maybe parents, are all that is known; records that are there already stay as they are. */
  takeUnread(name: KindName, records: readonly AnyRecord[]): void {
    for (const stored of records) {
      const id = Number(stored['id'])
      if (this.byId([name], id)) continue
      const above = this.aboveOf(kinds[name], stored) ?? {}
      this.add({ kind: kinds[name], stored, isUnread: true, name: '', above, desired: undefined, id })
    }
  }
}
