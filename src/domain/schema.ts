import type { Day, Instant } from './day.ts'
import type { Decimal } from './decimal.ts'
import { type Issue } from './errors.ts'

/** Names the type of a field. `integer` fits a double exactly; `choice` is one of a closed list of texts. */
export type FieldKind = 'integer' | 'int16' | 'decimal' | 'boolean' | 'text' | 'choice' | 'date' | 'datetime'

/** Describes a form that a text must have, and its name after "must be". */
type TextForm = { readonly matches: RegExp; readonly says: string }

/** Defines one field, once: types, checks, JSON, CSV and SQL columns, flags, help and documentation come from it. */
export type Field = {
  readonly kind: FieldKind
  /** Explains the field, in help and documentation. */
  readonly about: string
  /** Tells that the service sets it; it is ignored when sent. */
  readonly readOnly?: true
  /** Tells that it must be given on creation, and is never blank. */
  readonly required?: true
  /** Tells that it may be null: never set, or cleared. */
  readonly nullable?: true
  /** Tells that the classic interface creates a resource without it, although it is mandatory. */
  readonly lenient?: true
  /** Holds the default; `next` is one more than the largest there is. */
  readonly fallback?: boolean | 'next'
  /** Tells that it is accepted, and never shown. */
  readonly writeOnly?: true
  /** Tells that only the newer variant has it: the classic one neither shows nor accepts it. */
  readonly newer?: true
  /** Tells that it is kept only as a hash, and always shown as null. */
  readonly secret?: true
  /** Tells that it is a sentence: tables wrap it where there is no room. */
  readonly isSentence?: true
  /** Sets the longest text, in characters. */
  readonly max?: number
  /** Sets the smallest and the largest whole number, where its kind would allow others. */
  readonly least?: number
  readonly most?: number
  /** Lists the choices. */
  readonly oneOf?: readonly string[]
  readonly form?: TextForm
  /** Names the resource whose id this is. */
  readonly refers?: string
  /** Names its column in the store, where that differs from the field. */
  readonly column?: string
  /** Holds the version of the store that added its column, where that was not the first. */
  readonly since?: number
  /** Holds a value for the OpenAPI documents, in JSON's form. An optional field without one is left out of examples. */
  readonly example?: string | number | boolean | null
  /** Names the field that it may be given instead of. */
  readonly insteadOf?: string
  /** Holds what the command line uses where the interface demands a value and the user gave none. */
  readonly usual?: string | number | boolean
}

/** Says what a new resource gets where a field is not given; undefined where the field has no fallback. */
export const describeFallback = ({ fallback }: Field): string | undefined =>
  fallback === undefined ? undefined : `${fallback === 'next' ? 'last' : fallback} when not given`

export type Fields = Readonly<Record<string, Field>>

export type Verb = 'list' | 'get' | 'add' | 'update' | 'remove'

/** Defines a resource: its names in the interface, and its fields in the order in which they are shown. */
export type Resource<F extends Fields = Fields> = {
  /** Names one of them for programs: `kpi`. */
  readonly name: string
  /** Names several of them; also the command and the table: `kpis`. */
  readonly plural: string
  /** Names one of them for people: `KPI`. */
  readonly title: string
  /** Names the XML element of one: `KPI`. Empty for what is never written as XML. */
  readonly root: string
  /** Holds the path below `/api`; `{…}` stands for an id. Empty for what has no path of its own. */
  readonly path: string
  readonly verbs: readonly Verb[]
  /** Tells that only the newer variant of the interface has it. */
  readonly newer?: true
  /** Says what goes when one is removed, besides itself. */
  readonly removal?: string
  /** Says what to know about its answers, in a few sentences. */
  readonly caution?: string
  readonly fields: F
  /** Lists of other resources that its body holds beside its fields. */
  readonly lists?: Readonly<Record<string, Resource>>
  /** Lists the fields that the classic interface shows, in order. */
  readonly shown: readonly NamedField[]
  /** Lists the fields that the classic interface accepts, in order. */
  readonly writable: readonly NamedField[]
  /** Lists the fields that tables show, where there is no room for all. */
  readonly brief: readonly NamedField[]
}

export type NamedField = { readonly name: string; readonly field: Field }

type Definition<F extends Fields> = Omit<Resource<F>, 'root' | 'shown' | 'writable' | 'brief'> & {
  readonly root?: string
  readonly brief?: readonly (keyof F & string)[]
}

/** Defines a resource. The field names and their properties become its types. */
export const resource = <const F extends Fields>(definition: Definition<F>): Resource<F> => {
  const all = Object.entries<Field>(definition.fields).map(([name, field]) => ({ name, field }))
  const classic = all.filter(({ field }) => !field.newer)
  const shown = classic.filter(({ field }) => !field.writeOnly)
  const named = (name: keyof F & string): NamedField => ({ name, field: definition.fields[name] as Field })
  return {
    ...definition,
    root: definition.root ?? '',
    shown,
    writable: classic.filter(({ field }) => !field.readOnly),
    brief: definition.brief?.map(named) ?? shown,
  }
}

type Unmarked<F extends Fields> = {
  readonly [K in keyof F]: Omit<F[K], 'newer'> extends infer One extends Field ? One : Field
}

const unmark = (field: Field): Field => {
  const copy = { ...field }
  Reflect.deleteProperty(copy, 'newer')
  return copy
}

/** Returns a resource with the fields of the newer variant of the interface. */
export const asNewer = <F extends Fields>(of: Resource<F>): Resource<Unmarked<F>> => {
  const fields = Object.fromEntries(Object.entries<Field>(of.fields).map(([name, field]) => [name, unmark(field)]))
  const isBrief = (name: string): boolean => of.brief.some((one) => one.name === name)
  const brief = Object.entries<Field>(of.fields).filter(([name, { newer }]) => newer || isBrief(name))
  const made = resource({ ...of, fields, brief: brief.map(([name]) => name) })
  return made as unknown as Resource<Unmarked<F>>
}

type Plain<F extends Field> = F['kind'] extends 'boolean'
  ? boolean
  : F['kind'] extends 'decimal'
    ? Decimal
    : F['kind'] extends 'date'
      ? Day
      : F['kind'] extends 'datetime'
        ? Instant
        : F extends { oneOf: readonly (infer Choice)[] }
          ? Choice
          : F['kind'] extends 'text' | 'choice'
            ? string
            : number

type Value<F extends Field> = F extends { nullable: true } ? Plain<F> | null : Plain<F>

type Keys<F extends Fields, Mark> = { [K in keyof F]: F[K] extends Mark ? K : never }[keyof F]
type Hidden<F extends Fields> = Keys<F, { writeOnly: true } | { newer: true }>
type Untaken<F extends Fields> = Keys<F, { readOnly: true } | { newer: true }>
type Required<F extends Fields> = Exclude<Keys<F, { required: true }>, Untaken<F>>
type Optional<F extends Fields> = Exclude<keyof F, Untaken<F> | Required<F>>

/** Describes what the service stores and shows of a resource. */
export type Stored<R> = R extends Resource<infer F> ? { [K in Exclude<keyof F, Hidden<F>>]: Value<F[K]> } : never

/** Describes what creates one: mandatory fields, and any of the others. */
export type Draft<R> =
  R extends Resource<infer F>
    ? { [K in Required<F>]: Value<F[K]> } & { [K in Optional<F>]?: Value<F[K]> | undefined }
    : never

/** Names what an update may change: each writable field. */
export type Patch<R> =
  R extends Resource<infer F> ? { [K in Exclude<keyof F, Untaken<F>>]?: Value<F[K]> | undefined } : never

/** Names the types of all fields' values. */
export type FieldValue = string | number | boolean | Decimal | null

/** Describes a record whose resource is known only at run time. */
export type AnyRecord = Readonly<Record<string, FieldValue>>

/** Types a record that is known to be of a resource. */
export const asRecord = <R extends Resource>(_of: R, record: AnyRecord): Stored<R> => record as Stored<R>

/** Types fields that are known to create a resource. */
export const asDraft = <R extends Resource>(_of: R, fields: object): Draft<R> => fields as Draft<R>

/** Types fields that are known to change a resource. */
export const asPatch = <R extends Resource>(_of: R, fields: object): Patch<R> => fields as Patch<R>

/** Describes what was sent: the fields that could be read, and the faults of the others. */
export type ParsedFields<T> = { readonly values: Partial<T>; readonly issues: readonly Issue[] }

const usualValue = (field: Field): FieldValue => (typeof field.fallback === 'boolean' ? field.fallback : null)

/**
 * Returns a record with all fields that are shown: the given value, else the service's, else the default. Secrets are
 * null.
 */
export const completeRecord = <R extends Resource>(of: R, given: object, automatic: object): Stored<R> => {
  const values: Readonly<Record<string, FieldValue | undefined>> = { ...automatic, ...given }
  return Object.fromEntries(
    of.shown.map(({ name, field }) => [name, field.secret ? null : (values[name] ?? usualValue(field))]),
  ) as Stored<R>
}
