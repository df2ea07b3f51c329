import type { Decimal } from '../../domain/decimal.ts'
import { type Day, FIRST_ENTRY_DAY, LAST_ENTRY_DAY } from '../../domain/day.ts'
import type { BlockRow } from '../../blocks/block.ts'
import { ACTUAL, type EntryBlock, numberAt, TARGET } from '../../domain/entry-block.ts'
import { Ambiguous, createDirectory, type Named } from '../../client/directory.ts'
import { Fault } from '../../domain/errors.ts'
import { nameForm, newName, looseName } from '../../domain/name-form.ts'
import type { PersonName } from '../../domain/person-name.ts'
import { isProvisional, type Lookup, PROVISIONAL_ID } from './lookup.ts'
import { checkText } from '../../domain/field-value.ts'
import type { Assignment } from '../../domain/resources/assignment.ts'
import { type BreakdownItem, breakdownItem } from '../../domain/resources/breakdowns.ts'
import { type Kpi, kpi as kpiResource } from '../../domain/resources/kpi.ts'
import { fullName, isEmailAddress, type User, user as userResource } from '../../domain/resources/user.ts'
import { completeRecord } from '../../domain/schema.ts'
import type { Creation } from '../options/options.ts'
import { lineOf } from '../../blocks/packed-row.ts'
import { type PersonDetails, personOf } from './person.ts'

/** Describes what the rows of a new KPI have shown. */
export type ShownByRows = {
  /** Lists the different days, in order. */
  readonly days: readonly Day[]
  readonly isWhole: boolean
  /** Holds the last target that a row gives; null if none does. */
  readonly target: Decimal | null
}

const DAYS = LAST_ENTRY_DAY - FIRST_ENTRY_DAY + 1
const ONE = 10_000n

type Noted = { readonly days: Uint8Array; lastDay: Day; isWhole: boolean; target: Decimal | null }

/** Returns the days that are marked. */
const daysIn = (marks: Uint8Array): Day[] => {
  const days: Day[] = []
  for (let at = marks.indexOf(1); at >= 0; at = marks.indexOf(1, at + 1)) days.push(at + FIRST_ENTRY_DAY)
  return days
}

/** Collects what the rows of new KPIs show, in constant memory for each. */
const createKpiEvidence = () => {
  const noted = new Map<number, Noted>()
  let [last, ofLast] = [0, undefined as Noted | undefined]
  const find = (kpi: number): Noted => {
    if (kpi === last && ofLast) return ofLast
    let found = noted.get(kpi)
    if (!found)
      noted.set(kpi, (found = { days: new Uint8Array(DAYS), lastDay: -Infinity, isWhole: true, target: null }))
    ;[last, ofLast] = [kpi, found]
    return found
  }
  return {
    note: ({ kpi, day, flags, actual, target }: BlockRow): void => {
      const found = find(kpi)
      if (day !== found.lastDay) {
        found.days[day - FIRST_ENTRY_DAY] = 1
        found.lastDay = day
      }
      if (found.isWhole && flags & ACTUAL.given && actual % ONE !== 0n) found.isWhole = false
      if (flags & TARGET.given) found.target = target
    },
    of: (kpi: number): ShownByRows => {
      const { days, isWhole, target } = find(kpi)
      return { days: daysIn(days), isWhole, target }
    },
    clear: (): void => {
      noted.clear()
      ofLast = undefined
    },
  }
}

/** Matches a text that is always an id. */
const MARKED_ID = /^#\d+$/

/** Bounds the number of things of a kind that one file may create. */
const MOST = 200_000

/**
 * Holds things of a kind that the file names and the service does not have: names that the lookup does not know become
 * things with provisional ids.
 */
export class ProvisionalKind<T extends Named> {
  readonly lookup: Lookup<T>
  readonly #byId: Map<number, T>
  readonly #byName = new Map<string, T | Fault>()
  /** Holds what is needed, with the first line of the rows that name it. */
  readonly #needed = new Map<number, number>()

  /** `make` returns such a thing, or one that is known by another name, or why it cannot be created. */
  constructor(known: Lookup<T>, make: (id: number, name: string) => T | Fault, most = MOST) {
    this.#byId = new Map(known.byId)
    this.lookup = { ...known, byId: this.#byId, create: (text) => this.#create(text, make, most) }
  }

  #create(text: string, make: (id: number, name: string) => T | Fault, most: number): T | Fault {
    const key = looseName(text)
    const before = this.#byName.get(key)
    if (before) return before
    if (MARKED_ID.test(text.trim())) return new Fault(`${text.trim()} is the id of something that does not exist`)
    if (this.#byName.size >= most)
      return new Fault(
        `"${text.trim()}" would be new, and there are more than ${most} new names: is this the right column?`,
      )
    if (nameForm(text) === '') return new Fault('the name has only invisible signs')
    const one = make(PROVISIONAL_ID + this.#byName.size, newName(text))
    this.#byName.set(key, one)
    if (!(one instanceof Fault)) this.#byId.set(one.id, one)
    return one
  }

  /** Marks something as needed, because a row that can be imported names it. */
  use(id: number, line: number): void {
    if (!this.#needed.has(id)) this.#needed.set(id, line)
  }

  /** Returns the first line of those rows. */
  firstLine(id: number): number {
    return this.#needed.get(id) ?? 0
  }

  /** Returns what is needed, in the order in which the file names it. */
  used(): T[] {
    return [...this.#needed.keys()].toSorted((one, other) => one - other).flatMap((id) => this.#byId.get(id) ?? [])
  }

  /** Forgets what is needed, because the rows are read again. */
  clear(): void {
    this.#needed.clear()
  }

  /** Replaces what is known of something: what its rows have shown, or its id once it exists. */
  replace(id: number, by: T): void {
    this.#byId.set(by.id, by)
    if (by.id !== id) this.#needed.delete(id)
    this.#byName.set(looseName(by.name), by)
  }

  /** Replaces the provisional ids of what is needed by real ones. */
  settle(ids: ReadonlyMap<number, number>): void {
    for (const one of this.used()) {
      const id = ids.get(one.id)
      if (id !== undefined) this.replace(one.id, { ...one, id })
    }
  }
}

export type NamedUser = User & Named

/** Maps provisional ids to those of the things that were created. */
export type RealIds = {
  readonly kpis: ReadonlyMap<number, number>
  readonly users: ReadonlyMap<number, number>
  readonly items: ReadonlyMap<number, number>
  /** Tells whether this run made all of it: what another machine has made may be another kind of KPI than was planned. */
  readonly areOwn: boolean
}

/** Says what lists hold for an import. */
export type ReferenceLists = {
  /** Lists the groups that breakdown items are in, if they can be listed. */
  readonly groups?: ListGroups | undefined
  /** Holds the ids of what the run has created or found created: others of their names are about to be removed. */
  readonly chosen?: RealIds | undefined
  /** Remembers the assignments of users for the files of one command; whoever creates some empties it. */
  readonly assignments?: Map<number, readonly Assignment[]> | undefined
}

/** Lists the groups that breakdown items are in; undefined where the service does not show them. */
export type ListGroups = () => Promise<readonly Named[] | undefined>

/** Bounds the number of KPIs that one file may create: more are hardly meant. */
const MOST_KPIS = 2000

/** Returns a KPI that does not exist yet; what its rows show is added later. */
const provisionalKpi = (id: number, name: string): Kpi | Fault => {
  const checked = checkText(kpiResource.fields.name, name)
  if (checked instanceof Fault) return new Fault(`"${name}" cannot be the name of a KPI: it ${checked.message}`)
  const assumed = {
    is_active: true,
    frequency_id: 'D',
    value_direction: 'U',
    aggregate_function: 'SUM',
    target_default: 0n,
  }
  return completeRecord(kpiResource, { id, name, ...assumed }, {})
}

const provisionalItem = (id: number, name: string): (BreakdownItem & Named) | Fault => {
  const checked = checkText(breakdownItem.fields.name, name)
  if (checked instanceof Fault)
    return new Fault(`"${name}" cannot be the name of a breakdown item: it ${checked.message}`)
  return { ...completeRecord(breakdownItem, { id, name }, {}), within: 'this file' }
}

/** Returns the fault of a name whose address is that of a user with another name. */
const addressOfOther = (name: string, { name: other, id, email }: NamedUser): Fault =>
  new Fault(
    `"${name}" cannot become a user: the address ${email} is that of user ${id}, "${other}"; correct the name, give the address in the file instead, or another --email-pattern`,
  )

/** Returns the fault of a name whose address is that of another one in the file. */
const sameAddress = (name: string, { name: other, email }: NamedUser): Fault =>
  new Fault(
    `"${name}" cannot become a user: its e-mail address ${email} is already that of "${other}" in this file; give both addresses in the file, or another --email-pattern`,
  )

/** Returns a user who does not exist yet, or the one who has the e-mail address. */
const provisionalUser = (
  known: Lookup<NamedUser>,
  emailPattern: string | undefined,
  persons: ReadonlyMap<string, PersonDetails>,
) => {
  const byAddress = new Map<string, NamedUser>()
  return (id: number, name: string): NamedUser | Fault => {
    const details = persons.get(looseName(name))
    const person = personOf(name, emailPattern, details)
    if (person instanceof Fault) return person
    const owner = known.find(person.email)
    const held = owner instanceof Fault ? undefined : known.byId.get(owner.id)
    const made = completeRecord(userResource, { id, ...person, user_type: 'User', user_status_id: 'A' }, {})
    const named = { ...made, name: fullName(made) }
    // An address that the file gives is right, however the name is written.
    const isGiven = isEmailAddress(name) || details?.email !== undefined
    const isSame = (one: NamedUser): boolean => isGiven || looseName(one.name) === looseName(named.name)
    if (held) return isSame(held) ? held : addressOfOther(name, held)
    const address = nameForm(person.email)
    const other = byAddress.get(address)
    if (other === undefined) byAddress.set(address, named)
    else return isSame(other) ? other : sameAddress(name, other)
    return named
  }
}

/**
 * Returns a function that finds the address of a person by the name: that of the user of this name, or one that the pattern makes; a
 * fault says whose it is, if it is that of somebody else.
 */
export const addressFinder = (
  people: readonly NamedUser[],
  emailPattern: string,
): ((name: PersonName) => string | Fault) => {
  const persons = new Map<string, PersonDetails>()
  const known = createDirectory('user', people)
  const { lookup } = new ProvisionalKind(known, provisionalUser(known, emailPattern, persons))
  return (name) => {
    const text = fullName(name)
    persons.set(looseName(text), { name })
    const found = known.find(text)
    const one = found instanceof Fault && !(found instanceof Ambiguous) ? (lookup.create?.(text) ?? found) : found
    return one instanceof Fault ? one : (one.email ?? new Fault(`"${text}" has no e-mail address`))
  }
}

/** Holds what names mean; there are breakdown items only where not users alone have entries. */
export type Lookups = {
  readonly kpis: Lookup<Kpi>
  readonly users: Lookup<NamedUser>
  readonly sources: Lookup<BreakdownItem & Named> | undefined
}

/** Returns a list that the key may read; names in any other cannot be known to be new. */
const readable = <T extends Named>(lookup: Lookup<T> | undefined, isWanted: boolean): Lookup<T> | undefined =>
  isWanted && lookup?.unread === undefined ? lookup : undefined

/** Tells whether ids are in the order of the provisional ones, and after all that were known. */
const areInOrder = (ids: ReadonlyMap<number, number>, known: Iterable<number>): boolean => {
  let last = 0
  for (const id of known) if (!isProvisional(id)) last = Math.max(last, id)
  for (const [, id] of [...ids].toSorted(([one], [other]) => one - other)) {
    if (id <= last) return false
    last = id
  }
  return true
}

/** Collects what a file names and the service does not have. */
export class Missing {
  readonly kpis: ProvisionalKind<Kpi> | undefined
  readonly users: ProvisionalKind<NamedUser> | undefined
  readonly items: ProvisionalKind<BreakdownItem & Named> | undefined
  /** Holds what the rows of new KPIs have shown. */
  readonly evidence = createKpiEvidence()
  /** Holds the owners that the service has and that rows name; those that are breakdown items are below 0. */
  readonly foundOwners = new Set<number>()
  /** Holds the KPIs that the service has and that rows are of. */
  readonly foundKpis = new Set<number>()
  readonly #lookups: Lookups
  readonly #persons = new Map<string, PersonDetails>()
  #lastOwner = 0
  #lastKpi = 0
  #real: RealIds | undefined

  constructor(lookups: Lookups, { kinds, emailPattern }: Creation) {
    const [ofKpis, ofUsers] = [readable(lookups.kpis, kinds.has('kpis')), readable(lookups.users, kinds.has('users'))]
    const ofItems = readable(lookups.sources, kinds.has('items'))
    this.#lookups = lookups
    this.kpis = ofKpis && new ProvisionalKind(ofKpis, provisionalKpi, MOST_KPIS)
    this.users = ofUsers && new ProvisionalKind(ofUsers, provisionalUser(ofUsers, emailPattern, this.#persons))
    this.items = ofItems && new ProvisionalKind(ofItems, provisionalItem)
  }

  /** Takes what the file says of new users beside what it calls them by, before any is named. */
  describe(persons: ReadonlyMap<string, PersonDetails>): void {
    for (const [text, details] of persons) this.#persons.set(text, details)
  }

  /** Marks the owner and KPI of a row that can be imported as needed. */
  use(row: BlockRow): void {
    const { owner, kpi } = row
    if (kpi >= PROVISIONAL_ID) {
      if (kpi !== this.#lastKpi) this.kpis?.use(kpi, lineOf(row.line))
      this.evidence.note(row)
    } else if (kpi !== this.#lastKpi) this.foundKpis.add(kpi)
    this.#lastKpi = kpi
    // Most rows have the owner of the row before.
    if (owner !== this.#lastOwner) this.#useOwner(owner, lineOf(row.line))
    this.#lastOwner = owner
  }

  #useOwner(owner: number, line: number): void {
    if (owner >= PROVISIONAL_ID) this.users?.use(owner, line)
    else if (owner <= -PROVISIONAL_ID) this.items?.use(-owner, line)
    else this.foundOwners.add(owner)
  }

  /** Returns the breakdown items that the service has and that rows name. */
  foundItems(): BreakdownItem[] {
    const { sources } = this.#lookups
    return [...this.foundOwners].flatMap((owner) => (owner < 0 ? (sources?.byId.get(-owner) ?? []) : []))
  }

  clear(): void {
    ;[this.#lastOwner, this.#lastKpi] = [0, 0]
    const { foundOwners, foundKpis, kpis, users, items, evidence } = this
    for (const one of [foundOwners, foundKpis, kpis, users, items, evidence]) one?.clear()
  }

  /**
   * Takes the ids of what was created; tells whether it is as planned, and the ids keep the order of the provisional
   * ones, in which rows have been sorted.
   */
  settle(ids: RealIds): boolean {
    this.#real = ids
    const { kpis, users, sources } = this.#lookups
    const isKept = [
      areInOrder(ids.kpis, kpis.byId.keys()),
      areInOrder(ids.users, users.byId.keys()),
      areInOrder(ids.items, sources?.byId.keys() ?? []),
    ]
    this.kpis?.settle(ids.kpis)
    this.users?.settle(ids.users)
    this.items?.settle(ids.items)
    return ids.areOwn && isKept.every(Boolean)
  }

  /** Replaces provisional ids in a block, once there are others. */
  realize({ count, kpi, owner }: EntryBlock): void {
    if (!this.#real) return
    for (let at = 0; at < count; at += 1) {
      kpi[at] = this.realKpi(numberAt(kpi, at))
      owner[at] = this.realOwner(numberAt(owner, at))
    }
  }

  /** Returns the number of a KPI that was created; any other number as it is. */
  realKpi(id: number): number {
    return this.#real?.kpis.get(id) ?? id
  }

  /** Returns the number of an owner that was created; any other number as it is. */
  realOwner(owner: number): number {
    if (!isProvisional(owner)) return owner
    return owner < 0 ? -(this.#real?.items.get(-owner) ?? -owner) : (this.#real?.users.get(owner) ?? owner)
  }
}
