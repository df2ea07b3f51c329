import { createSuggest, looseName } from '../../client/directory.ts'
import { listFirst, MOST_LISTED } from '../../domain/count-text.ts'
import { Fault } from '../../domain/errors.ts'
import { nameForm } from '../../domain/name-form.ts'
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

const isBeside = ({ above }: AccountRecord, others: AccountRecord['above']): boolean =>
  above['group'] === others['group']

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

/** Holds the records of an account, as they were read once, and those that are to be created; finds them by id or name. */
export type Snapshot = {
  readonly ofKind: (kind: KindName) => readonly AccountRecord[]
  /** Returns the largest id of a kind; 0 if there is none. */
  readonly largestId: (kind: KindName) => number
  readonly byId: (kinds: readonly KindName[], id: number) => AccountRecord | undefined
  /** Finds what a reference means, below another record where it is given. */
  readonly find: (kinds: readonly KindName[], text: string, within?: AccountRecord) => AccountRecord | Fault
  /** Returns all records with an identity: more than one where names are not unique. */
  readonly same: (kind: Kind, above: AccountRecord['above'], name: string) => readonly AccountRecord[]
  /** Returns all records whose names have the same form as a name that none of them need have. */
  readonly alike: (kind: Kind, above: AccountRecord['above'], name: string) => readonly AccountRecord[]
  /** Returns the name beside the same parents that a mistyped one most likely means, if there is one. */
  readonly suggest: (kind: Kind, above: AccountRecord['above'], name: string) => string | undefined
  /** Returns the reference that finds a record: its name, or `#7` where others have that, too. */
  readonly referenceTo: (record: AccountRecord) => string
  readonly add: (record: Omit<AccountRecord, 'serial'>) => AccountRecord
  /** Notes what the service has of a record that was created or looked at again. */
  readonly settle: (record: AccountRecord, stored: AnyRecord) => void
  /** Notes that the service has a record no longer. */
  readonly forget: (record: AccountRecord) => void
  /** Updates records of a kind from a list of the service; those that are new in it are added. */
  readonly take: (kind: KindName, records: readonly AnyRecord[]) => void
  /** Adds records whose ids, and maybe parents, are all that is known; records that are there already stay as they are. */
  readonly takeUnread: (kind: KindName, records: readonly AnyRecord[]) => void
}

/** Creates a snapshot without any record. */
const createEmpty = (): Snapshot => {
  const all = new Map<KindName, AccountRecord[]>(KIND_NAMES.map((name) => [name, []]))
  const ids = new Map<string, AccountRecord>()
  const largest = new Map<KindName, number>()
  const [names, keys] = [new Map<string, AccountRecord[]>(), new Map<string, AccountRecord[]>()]
  const [nameForms, keyForms] = [new Map<string, AccountRecord[]>(), new Map<string, AccountRecord[]>()]
  let serial = 0
  const suggest = createSuggest()
  const collect = (map: Map<string, AccountRecord[]>, key: string, record: AccountRecord): void => {
    const known = map.get(key)
    if (known) known.push(record)
    else map.set(key, [record])
  }
  const ofKind = (kind: KindName): readonly AccountRecord[] => all.get(kind) ?? []
  const byId: Snapshot['byId'] = (of, id) => of.map((kind) => ids.get(`${kind} ${id}`)).find((one) => one !== undefined)
  const named = (of: readonly KindName[], name: string): AccountRecord[] =>
    of.flatMap((kind) => names.get(`${kind} ${comparable(kinds[kind], name)}`) ?? [])
  const namedAlike = (of: readonly KindName[], name: string): AccountRecord[] =>
    of.flatMap((kind) => nameForms.get(`${kind} ${looseName(name)}`) ?? [])
  const keep = (record: AccountRecord, id: number): void => {
    record.id = id
    ids.set(`${record.kind.name} ${id}`, record)
    largest.set(record.kind.name, Math.max(id, largest.get(record.kind.name) ?? 0))
  }
  const add: Snapshot['add'] = (given) => {
    const record: AccountRecord = { ...given, serial: (serial += 1) }
    const { kind, above, name, id } = record
    all.get(kind.name)?.push(record)
    if (id !== undefined) keep(record, id)
    if (name !== '') {
      collect(names, `${kind.name} ${comparable(kind, name)}`, record)
      collect(nameForms, `${kind.name} ${looseName(name)}`, record)
      collect(keyForms, keyOf(kind, above, looseName(name)), record)
    }
    collect(keys, keyOf(kind, above, comparable(kind, name)), record)
    return record
  }
  const settle: Snapshot['settle'] = (record, stored) => {
    record.stored = stored
    record.isUnread = undefined
    keep(record, Number(stored['id']))
  }
  /** Returns what a record of the service belongs to; undefined if some of it is not there. */
  const aboveOf = ({ identity, fields }: Kind, stored: AnyRecord): AccountRecord['above'] | undefined => {
    const above: Record<string, AccountRecord> = {}
    for (const name of identity) {
      const field = fields.find((one) => one.name === name)
      if (!field?.refers || field.isHint) continue
      const record = byId(field.refers, Number(stored[field.as]))
      if (!record) return undefined
      above[name] = record
    }
    return above
  }
  const addStored = (name: KindName, stored: AnyRecord): void => {
    const above = aboveOf(kinds[name], stored)
    if (!above) return
    add({
      kind: kinds[name],
      stored,
      name: nameIn(kinds[name], stored).trim(),
      above,
      desired: undefined,
      id: Number(stored['id']),
    })
  }
  /** Finds the record that stands for one of the service: by its id, or by its name if it is about to be created. */
  const foundIn = (kindName: KindName, stored: AnyRecord): AccountRecord | undefined => {
    const kind = kinds[kindName]
    const above = aboveOf(kind, stored) ?? {}
    const name = nameIn(kind, stored).trim()
    const own = name === '' ? undefined : byId([kindName], Number(stored['id']))
    if (own) return own
    const same = keys.get(keyOf(kind, above, comparable(kind, name))) ?? []
    const alike = same.length > 0 || name === '' ? same : (keyForms.get(keyOf(kind, above, looseName(name))) ?? [])
    return alike.find(({ id }) => name === '' || id === undefined)
  }
  return {
    ofKind,
    largestId: (kind) => largest.get(kind) ?? 0,
    byId,
    find: (of, text, within) => {
      const [, id] = MARKED_ID.exec(text) ?? []
      if (id !== undefined) return byId(of, Number(id)) ?? new Fault(`there is no ${titleOf(of)} ${id}`)
      const name = MARKED_NAME.test(text) ? text.slice(1) : text
      const isWithin = ({ above }: AccountRecord): boolean => within === undefined || above['group'] === within
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
    referenceTo: (record) => {
      const of: readonly KindName[] = ['kpi', 'calculated_kpi'].includes(record.kind.name)
        ? ['kpi', 'calculated_kpi']
        : [record.kind.name]
      const alike = named(of, record.name).filter(({ above }) => above['group'] === record.above['group'])
      if (record.id !== undefined && alike.length !== 1) return `#${record.id}`
      return LIKE_MARKED_ID.test(record.name) ? `'${record.name}` : record.name
    },
    suggest: (kind, above, name) =>
      suggest(name, () =>
        ofKind(kind.name)
          .filter((one) => one.stored && isBeside(one, above))
          .map((one) => one.name),
      ),
    add,
    settle,
    forget: (record) => void (record.stored = undefined),
    take: (name, records) => {
      for (const stored of records) {
        const found = foundIn(name, stored)
        if (found) settle(found, stored)
        else addStored(name, stored)
      }
    },
    takeUnread: (name, records) => {
      for (const stored of records) {
        const id = Number(stored['id'])
        if (byId([name], id)) continue
        const above = aboveOf(kinds[name], stored) ?? {}
        add({ kind: kinds[name], stored, isUnread: true, name: '', above, desired: undefined, id })
      }
    },
  }
}

/** Returns the snapshot of an account, from the records of each kind. */
export const createSnapshot = (records: ReadonlyMap<KindName, readonly AnyRecord[]>): Snapshot => {
  const snapshot = createEmpty()
  for (const name of KIND_NAMES) snapshot.take(name, records.get(name) ?? [])
  return snapshot
}
