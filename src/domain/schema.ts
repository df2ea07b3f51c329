import type { Day, Instant } from './day.ts'
import type { Decimal } from './decimal.ts'
import { type Issue } from './errors.ts'

/** What a field holds. `integer` fits a double exactly; `choice` is one of a closed list of texts. */
export type Kind = 'integer' | 'int16' | 'decimal' | 'boolean' | 'text' | 'choice' | 'date' | 'datetime'

/** A form that a text must have, and how to say so after "must be". */
type TextForm = { readonly matches: RegExp; readonly says: string }

/** One field, defined once: types, checks, JSON, CSV and SQL columns, flags, help and documentation come from it. */
export type Field = {
  readonly kind: Kind
  /** What it means, as help and documentation say it. */
  readonly about: string
  /** Set by the service; ignored when sent. */
  readonly readOnly?: true
  /** Must be given when the resource is made, and is never blank. */
  readonly required?: true
  /** May be null: never set, or cleared. */
  readonly nullable?: true
  /** The classic interface makes a resource without it, although it is mandatory (decisions, section 4). */
  readonly lenient?: true
  /** Taken when it is not given; `next` is one more than the largest there is. */
  readonly fallback?: boolean | 'next'
  /** Accepted, never shown. */
  readonly writeOnly?: true
  /** Only the newer variant of the interface has it: the classic one neither shows nor takes it. */
  readonly newer?: true
  /** Taken when the resource is made, kept only as a hash, always shown as null. */
  readonly secret?: true
  /** A sentence that is read as a whole: tables let it go on in the next line where there is no room. */
  readonly isSentence?: true
  /** The longest text, in characters. */
  readonly max?: number
  /** The smallest and the largest whole number, where its kind would hold others. */
  readonly least?: number
  readonly most?: number
  /** The closed list of a choice. */
  readonly oneOf?: readonly string[]
  readonly form?: TextForm
  /** The resource, by name, whose id this is. */
  readonly refers?: string
  /** Its column in the store, where that is not called as the field is. */
  readonly column?: string
  /** The version of the store that brought its column, where that was not the first. */
  readonly since?: number
  /**
   * A value as the OpenAPI documents show it, in the form that JSON has. An optional field without one is left out of
   * the examples of requests.
   */
  readonly example?: string | number | boolean | null
  /** The field that it may be given instead of. */
  readonly insteadOf?: string
  /** What the command line takes where the interface demands a value and the user gave none. */
  readonly usual?: string | number | boolean
}

/** Says what a new resource gets where a field is not given; undefined where the field has no fallback. */
export const fallbackSays = ({ fallback }: Field): string | undefined =>
  fallback === undefined ? undefined : `${fallback === 'next' ? 'last' : fallback} when not given`

export type Fields = Readonly<Record<string, Field>>

export type Verb = 'list' | 'get' | 'add' | 'update' | 'remove'

/** A resource: its names in the interface, and its fields in the order in which they are shown. */
export type Resource<F extends Fields = Fields> = {
  /** One of them, as programs write it: `kpi`. */
  readonly name: string
  /** Several of them; also the command and the table: `kpis`. */
  readonly plural: string
  /** One of them, as people say it: `KPI`. */
  readonly title: string
  /** One of them as an XML element: `KPI`. Empty for what is never written as XML. */
  readonly root: string
  /** Below `/api`; `{…}` stands for an id. Empty for what has no path of its own. */
  readonly path: string
  readonly verbs: readonly Verb[]
  /** Only the newer variant of the interface has it. */
  readonly newer?: true
  /** What goes when one is removed, besides itself. */
  readonly removal?: string
  /** What there is to know about answers of it, in a few sentences. */
  readonly caution?: string
  readonly fields: F
  /** Lists of other resources that its body holds beside its fields. */
  readonly lists?: Readonly<Record<string, Resource>>
  /** The fields that the classic interface shows, in order. */
  readonly shown: readonly NamedField[]
  /** The fields that the classic interface takes, in order. */
  readonly writable: readonly NamedField[]
  /** The fields that tables show, where there is no room for all. */
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

/** A resource as the newer variant of the interface has it: with the fields that only that one shows and takes. */
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

/** What the service keeps and shows of a resource. */
export type Stored<R> = R extends Resource<infer F> ? { [K in Exclude<keyof F, Hidden<F>>]: Value<F[K]> } : never

/** What it takes to make one: mandatory fields, and any of the others. */
export type Draft<R> =
  R extends Resource<infer F>
    ? { [K in Required<F>]: Value<F[K]> } & { [K in Optional<F>]?: Value<F[K]> | undefined }
    : never

/** Names what an update may change: each writable field. */
export type Patch<R> =
  R extends Resource<infer F> ? { [K in Exclude<keyof F, Untaken<F>>]?: Value<F[K]> | undefined } : never

/** Any value of any field. */
export type FieldValue = string | number | boolean | Decimal | null

/** A record whose resource is known only when the program runs. */
export type AnyRecord = Readonly<Record<string, FieldValue>>

/** A record that is known to be of a resource, as one. */
export const asRecord = <R extends Resource>(_of: R, record: AnyRecord): Stored<R> => record as Stored<R>

/** Fields that are known to be what it takes to make a resource, as such. */
export const asDraft = <R extends Resource>(_of: R, fields: object): Draft<R> => fields as Draft<R>

/** Fields that are known to be a change of a resource, as such. */
export const asPatch = <R extends Resource>(_of: R, fields: object): Patch<R> => fields as Patch<R>

/** What was sent: the fields that could be read, and the faults of the others. */
export type Reading<T> = { readonly values: Partial<T>; readonly issues: readonly Issue[] }

const usualValue = (field: Field): FieldValue => (typeof field.fallback === 'boolean' ? field.fallback : null)

/** A record of all fields that are shown: what was given, else what the service sets, else the usual. Secrets are null. */
export const completeRecord = <R extends Resource>(of: R, given: object, automatic: object): Stored<R> => {
  const values: Readonly<Record<string, FieldValue | undefined>> = { ...automatic, ...given }
  return Object.fromEntries(
    of.shown.map(({ name, field }) => [name, field.secret ? null : (values[name] ?? usualValue(field))]),
  ) as Stored<R>
}
