import { didYouMeanName } from '../../client/nearest.ts'
import { Ambiguous, type Named } from '../../client/directory.ts'
import { nearNames } from '../../changes/names/near-names.ts'
import { isMeantName, whyNoName } from '../../changes/names/doubtful-names.ts'
import type { Desired } from '../../changes/records/desired.ts'
import { kinds } from '../../changes/records/kind-fields.ts'
import type { Snapshot } from '../../changes/records/snapshot.ts'
import { Fault } from '../../domain/errors.ts'
import { checkText } from '../../domain/field-value.ts'
import { isNoName } from '../../domain/no-value-words.ts'
import { type MeasuringUnit, measuringUnit, spellingOf } from '../../domain/numbers/measure.ts'
import type { Pause } from '../../domain/pause.ts'
import { category, unit } from '../../domain/resources/catalog.ts'
import type { AnyRecord } from '../../domain/schema.ts'
import { isProvisional, type Lookup } from '../directory/lookup.ts'
import { ProvisionalKind } from '../directory/missing.ts'
import { isPercent } from '../../domain/numbers/unit-words.ts'
import { asReference, CREATE, type Places } from '../group-items/columns.ts'
import { newUnitNamed } from '../missing/define-kpi.ts'
import type { DefinitionOptions } from './columns.ts'

/** Describes what rows may name and an import may create: its role is that of a column, and its kind. */
const CREATED = { category, unit }
type CreatedRole = keyof typeof CREATED

/** Lists these roles. */
const CREATED_ROLES: readonly CreatedRole[] = ['category', 'unit']

const asCreatedRole = (role: string): CreatedRole | undefined => CREATED_ROLES.find((one) => one === role)

/** Describes something that is there, or that is to be created with these values. */
type Created = Named & { readonly values: AnyRecord }

/** Describes something new that a row names, and the column that does. */
export type NewName = { readonly role: CreatedRole; readonly id: number; readonly at: number }

/** Tells whether a text means a unit in another spelling, or may mean it. */
const spells = (text: string, one: MeasuringUnit): 'same' | 'maybe' | undefined =>
  isPercent(text) && one.is_percentage ? 'same' : spellingOf(text, one)

const ID = /^#\d+$/

/** Finds the categories and units that rows of KPIs name, and holds those that are to be created. */
export class MissingNames {
  /** Holds what rows may refer to, by role: also what is created. */
  readonly lookups: ReadonlyMap<string, Lookup>
  readonly #kinds = new Map<CreatedRole, ProvisionalKind<Created>>()
  readonly #known: Readonly<Record<CreatedRole, readonly Created[]>>
  readonly #units: Created[]
  readonly #numbersAs: DefinitionOptions['numbersAs']
  readonly #places = new Map<Created, { readonly line: number; readonly at: number }>()
  /** Maps texts that are other spellings of a unit to its name. */
  readonly #spelled = new Map<string, string>()

  constructor(
    snapshot: Snapshot,
    lookups: ReadonlyMap<string, Lookup>,
    { createMissing, numbersAs }: Pick<DefinitionOptions, 'createMissing' | 'numbersAs'>,
  ) {
    const knownOf = (role: CreatedRole): Created[] =>
      snapshot.ofKind(role).flatMap(({ id = 0, name, stored }) => (stored ? { id, name, values: stored } : []))
    this.#numbersAs = numbersAs
    this.#known = { category: knownOf('category'), unit: knownOf('unit') }
    this.#units = [...this.#known.unit]
    this.lookups = new Map(
      [...lookups].map(([name, lookup]) => {
        const role = asCreatedRole(name)
        return [name, !role ? lookup : createMissing ? this.#creating(role, lookup) : this.#offering(role, lookup)]
      }),
    )
  }

  #creating(role: CreatedRole, lookup: Lookup): Lookup {
    const byId = new Map(this.#known[role].map((one) => [one.id, one]))
    const kind = new ProvisionalKind<Created>({ ...lookup, byId }, (id, name) => this.#make(role, id, name))
    this.#kinds.set(role, kind)
    return kind.lookup
  }

  /** Returns a lookup that finds units in other spellings, and whose faults say how to create what is missing. */
  #offering(role: CreatedRole, lookup: Lookup): Lookup {
    return {
      ...lookup,
      find: (text) => {
        const found = lookup.find(text)
        if (!(found instanceof Fault) || found instanceof Ambiguous || ID.test(text.trim())) return found
        const [same, ...others] = role === 'unit' && !this.#isMeant(role) ? this.#unitsSpelled(text, 'same') : []
        if (same && others.length === 0) {
          this.#spelled.set(text, same.name)
          return same
        }
        return new Fault(`${found.message}${same ? didYouMeanName(same.name) : `; ${CREATE} creates it`}`)
      },
    }
  }

  #unitsSpelled(text: string, how: 'same' | 'maybe'): Created[] {
    return this.#units.filter(({ values }) => spells(text, measuringUnit(values)) === how)
  }

  #isMeant(role: CreatedRole): boolean {
    return isMeantName(this.#numbersAs, role)
  }

  #make(role: CreatedRole, id: number, name: string): Created | Fault {
    const isMeant = this.#isMeant(role)
    if (isNoName(name) && !isMeant) return new Fault(`"${name}" ${whyNoName(name)}; leave the cell empty`)
    const made = role === 'unit' ? this.#unitOf(id, name, isMeant) : { id, name, values: { name } }
    if (made instanceof Fault || !isProvisional(made.id)) return made
    for (const [field, config] of Object.entries(CREATED[role].fields)) {
      const value = made.values[field]
      const checked = typeof value === 'string' && config.kind === 'text' ? checkText(config, value) : undefined
      if (checked instanceof Fault)
        return new Fault(`"${name}" cannot be the name of a ${CREATED[role].title}: its ${field} ${checked.message}`)
    }
    return made
  }

  /** Returns the unit that a text means in any spelling, or a new one. */
  #unitOf(id: number, text: string, isMeant: boolean): Created | Fault {
    const [same, ...others] = isMeant ? [] : this.#unitsSpelled(text, 'same')
    const doubtful = others.length > 0 ? [same, ...others] : same || isMeant ? [] : this.#unitsSpelled(text, 'maybe')
    if (doubtful.length > 0) {
      const names = doubtful.map((one) => `"${one?.name}"`).join(' or ')
      return new Fault(`"${text}" may be the unit ${names}: write that, or --by-name unit creates it`)
    }
    if (same) {
      this.#spelled.set(text, same.name)
      return same
    }
    const { name, display_format, is_percentage } = newUnitNamed(text)
    const made = { id, name, values: { name, entry_format: '#.00', display_format, is_percentage } }
    this.#units.push(made)
    return made
  }

  #created(role: CreatedRole, id: number): Created | undefined {
    return isProvisional(id) ? this.#kinds.get(role)?.lookup.byId.get(id) : undefined
  }

  /** Returns the reference to what a role of a row names. */
  referenceTo(role: string, id: number): string {
    const own = asCreatedRole(role)
    const made = own && this.#created(own, id)
    return made ? asReference(made.name) : `#${id}`
  }

  /** Returns what is new in a role; undefined where it is there. */
  newIn(role: string, id: number, at: number): NewName | undefined {
    const own = asCreatedRole(role)
    return own && isProvisional(id) ? { role: own, id, at } : undefined
  }

  /** Returns what a unit that is found, or would be created, says of values. */
  unitOf(text: string): MeasuringUnit | undefined {
    const lookup = this.lookups.get('unit')
    const found = lookup?.find(text)
    const made = found instanceof Fault ? lookup?.create?.(text) : found
    const one = made && this.#units.find(({ id }) => !(made instanceof Fault) && id === made.id)
    return one && measuringUnit(one.values)
  }

  /** Returns why new names that rows give are doubtful: they are nearly known ones, and nobody says that they are meant. */
  async doubts(names: readonly NewName[], pause: Pause): Promise<ReadonlyMap<Created | undefined, string>> {
    const doubts = new Map<Created | undefined, string>()
    for (const role of CREATED_ROLES) {
      const made = new Map(
        names.flatMap((one) => {
          const own = one.role === role ? this.#created(role, one.id) : undefined
          return own ? [[own.name, own] as const] : []
        }),
      )
      const known = this.#known[role].map(({ name }) => name)
      const near = this.#isMeant(role) ? [] : await nearNames(role, [...made.keys()], known, pause)
      for (const { name, known: other, isNew } of near)
        if (isNew !== true)
          doubts.set(
            made.get(name),
            `there is no ${CREATED[role].title} "${name}"${didYouMeanName(other)}; --by-name ${role} creates it`,
          )
    }
    return doubts
  }

  /** Returns the doubt about something new, of those that there are. */
  doubtOf({ role, id }: NewName, doubts: ReadonlyMap<Created | undefined, string>): string | undefined {
    const made = this.#created(role, id)
    return made && doubts.get(made)
  }

  /** Marks something new as needed by a row that can be imported. */
  use({ role, id, at }: NewName, line: number): void {
    const made = this.#created(role, id)
    if (made && !this.#places.has(made)) this.#places.set(made, { line, at })
    this.#kinds.get(role)?.use(id, line)
  }

  /** Returns what is to be created, each with the place that names it first. */
  desired({ placeOf }: Places): Desired[] {
    return CREATED_ROLES.flatMap((role) =>
      (this.#kinds.get(role)?.used() ?? []).map((made): Desired => {
        const { line = 0, at = 0 } = this.#places.get(made) ?? {}
        return { kind: kinds[role], line: placeOf(line, at, role), values: made.values, references: {} }
      }),
    )
  }

  /** Says which texts are other spellings of units. */
  notes(): string[] {
    return [...this.#spelled].map(([text, name]) => `unit "${text}" is taken as the unit "${name}"`)
  }
}
