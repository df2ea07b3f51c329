import type { Day, Instant } from './day.ts'
import type { Decimal } from './decimal.ts'
import { type Issue } from './errors.ts'

/**
 * Names the type of a field. `integer` fits a double exactly; `choice` is one of a fixed list of texts; `targets` are dated
 * targets, a list in JSON and XML and a text elsewhere.
 */
export type FieldKind =
  'integer' | 'int16' | 'decimal' | 'boolean' | 'text' | 'choice' | 'date' | 'datetime' | 'targets'

/** Lists the kinds whose values are texts. */
export const TEXT_KINDS: ReadonlySet<FieldKind> = new Set(['text', 'choice', 'targets'])

/** Describes a form that a text must have, and its name after "must be". */
type TextForm = { readonly matches: RegExp; readonly says: string }

/**
 * Defines one field, once: its types, checks, JSON, columns in CSV and SQL, flags, help and documentation all derive
 * from this.
 */
export type Field = {
  readonly kind: FieldKind
  /** Explains the field in help and documentation. */
  readonly about: string
  /** Tells that only the service sets it; it is ignored when sent. */
  readonly readOnly?: true
  /** Tells that it must be given on creation, and is never blank. */
  readonly required?: true
  /** Tells that it may be null: never set, or cleared. */
  readonly nullable?: true
  /** Tells that the classic interface creates a resource without it, although it is mandatory. */
  readonly lenient?: true
  /** Holds the default; `next` is one more than the largest that exists. */
  readonly fallback?: boolean | 'next'
  /** Tells that it is accepted but never shown. */
  readonly writeOnly?: true
  /** Tells that only the newer variant has it: the classic one neither shows nor accepts it. */
  readonly newer?: true
  /** Tells that answers show it only to a client that asks for it; bodies may always hold it. */
  readonly onRequest?: true
  /** Tells that the service works it out of other fields, and has no column for it. */
  readonly isDerived?: true
  /** Tells that only its hash is stored, and that it is always shown as null. */
  readonly secret?: true
  /** Tells that it is a sentence, which tables wrap if there is no room. */
  readonly isSentence?: true
  /** Bounds the characters of a text. */
  readonly max?: number
  /** Set the smallest and the largest whole number, if the kind allows others. */
  readonly least?: number
  readonly most?: number
  /** Lists the choices. */
  readonly oneOf?: readonly string[]
  /** Lists the words that people type for the choices, in the same order. */
  readonly words?: readonly string[]
  /** Says where else people find what is none of the choices, and what that is for. */
  readonly elsewhere?: string
  /** Lists other names that its column may have in files, separated by commas. */
  readonly called?: string
  readonly form?: TextForm
  /** Tells that it is a value in the unit of a KPI, or in a unit, and names the field with its id. */
  readonly inUnitOf?: { readonly kind: 'kpi' | 'unit'; readonly idField: string }
  /** Names the resource whose id this is. */
  readonly refers?: string
  /** Names its column in the store, if that differs from the field. */
  readonly column?: string
  /** Holds the version of the store that added its column, if that is not the first. */
  readonly since?: number
  /** Holds an example for the OpenAPI documents, in the form of JSON. Examples omit an optional field without one. */
  readonly example?: string | number | boolean | null
  /** Names the field that it may be given instead of. */
  readonly insteadOf?: string
  /** Holds the command line's default for a field that the interface requires. */
  readonly usual?: string | number | boolean
  /** Tells that people are asked for it at a terminal although it may be left out, with its default. */
  readonly offered?: true
  /** Holds another default, for a record in which what a field refers to has a property. */
  readonly unless?: { readonly field: string; readonly is: string; readonly usual: string; readonly because: string }
}

/** Returns the fields that answers show only on request, and that bodies may hold. */
export const fieldsOnRequest = ({ fields }: Pick<Printable, 'fields'>): NamedField[] =>
  Object.entries<Field>(fields).flatMap(([name, field]) =>
    field.onRequest && !field.writeOnly ? [{ name, field }] : [],
  )

/** Returns the fields that a record is shown with: also those that answers show on request, where it has such. */
export const fieldsShownOf = (of: Printable, records: readonly AnyRecord[]): readonly NamedField[] => {
  const more = fieldsOnRequest(of)
  const has = records.some((record) => more.some(({ name }) => (record[name] ?? null) !== null))
  return has ? [...of.shown, ...more] : of.shown
}

/** Returns the default of a field; `referred` is what the field refers to on which it depends. */
export const usualWith = ({ usual, unless }: Field, referred: object | undefined): Field['usual'] =>
  unless && referred && Reflect.get(referred, unless.is) === true ? unless.usual : usual

/** Says of new records which defaults they got because of what they refer to; `isGiven` tells of the fields of each. */
export const notesOnDefaults = (
  { writable, title }: Resource,
  records: readonly object[],
  isGiven: (at: number, name: string) => boolean,
): string[] =>
  writable.flatMap(({ name, field: { unless } }) => {
    const count = records.filter(
      (record, at) => unless?.usual === Reflect.get(record, name) && !isGiven(at, name),
    ).length
    if (!unless || count === 0) return []
    return [`${name} of ${count === 1 ? `1 ${title}` : `${count} ${title}s`} is ${unless.usual}: ${unless.because}`]
  })

/** Describes what a new resource gets if a field is not given; undefined if the field has no fallback. */
export const describeFallback = ({ fallback }: Field): string | undefined =>
  fallback === undefined ? undefined : `${fallback === 'next' ? 'last' : fallback} when not given`

export type Fields = Readonly<Record<string, Field>>

export type Verb = 'list' | 'get' | 'add' | 'update' | 'remove'

/** Describes records that are printed in columns. Those of a resource are, and others that no service has. */
export type Printable<F extends Fields = Fields> = {
  /** Names one of them for programs: `kpi`. */
  readonly name: string
  /** Names one of them for people: `KPI`. */
  readonly title: string
  /** Names several of them, if that is not the title with an s: `kpis`. */
  readonly plural?: string
  readonly fields: F
  /** Lists the fields that are shown, in order; of a resource, those of the classic interface. */
  readonly shown: readonly NamedField[]
  /** Lists the fields that tables show if there is no room for all. */
  readonly brief: readonly NamedField[]
}

/** Defines a resource: its names in the interface, and its fields in the order in which they are shown. */
export type Resource<F extends Fields = Fields> = Printable<F> & {
  /** Names several of them; also the command and the table: `kpis`. */
  readonly plural: string
  /** Names the XML element of one: `KPI`. Empty if it is never written as XML. */
  readonly root: string
  /** Holds the path below `/api`; `{…}` stands for an id. Empty if it has no path of its own. */
  readonly path: string
  readonly verbs: readonly Verb[]
  /** Tells that only the newer variant of the interface has it. */
  readonly newer?: true
  /** Describes what else is deleted when one is removed. */
  readonly removal?: string
  /** Holds what a caller must know about its answers, in a few sentences. */
  readonly caution?: string
  /** Maps names to the resources of lists that its body holds beside its fields. */
  readonly lists?: Readonly<Record<string, Resource>>
  /** Lists the fields that the classic interface accepts, in order. */
  readonly writable: readonly NamedField[]
}

/** Describes a field with its name; `textOf` returns the text that people read instead of the plain value. */
export type NamedField = {
  readonly name: string
  readonly field: Field
  readonly textOf?: (record: AnyRecord) => string
}

type Definition<F extends Fields> = Omit<Resource<F>, 'root' | 'shown' | 'writable' | 'brief'> & {
  readonly root?: string
  readonly brief?: readonly (keyof F & string)[]
}

/** Defines records that are only printed; `brief` names the fields that tables show if there is no room for all. */
export const printable = <const F extends Fields>(
  name: string,
  title: string,
  fields: F,
  brief?: readonly (keyof F & string)[],
): Printable<F> => {
  const shown = Object.entries<Field>(fields).flatMap(([one, field]) =>
    field.newer || field.writeOnly || field.onRequest ? [] : [{ name: one, field }],
  )
  const named = (one: keyof F & string): NamedField => ({ name: one, field: fields[one] as Field })
  return { name, title, fields, shown, brief: brief?.map(named) ?? shown }
}

/** Defines a resource. The field names and their properties become its types. */
export const resource = <const F extends Fields>(definition: Definition<F>): Resource<F> => {
  const { name, title, fields, brief, root = '' } = definition
  const writable = Object.entries<Field>(fields).flatMap(([one, field]) =>
    field.newer || field.readOnly || field.onRequest ? [] : [{ name: one, field }],
  )
  return { ...definition, root, ...printable(name, title, fields, brief), writable }
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

const withoutMark = (field: Field): Field => {
  const copy = { ...field }
  Reflect.deleteProperty(copy, 'onRequest')
  return copy
}

const remade = (of: Resource, isKept: (field: Field) => boolean): Resource => {
  const kept = Object.entries<Field>(of.fields).filter(([, field]) => isKept(field))
  const fields = Object.fromEntries(kept.map(([name, field]) => [name, withoutMark(field)]))
  return resource({ ...of, fields, brief: of.brief.map(({ name }) => name) })
}

/** Returns a resource with the fields that answers show only on request; its types are those of the fields that all have. */
export const asAsked = <F extends Fields>(of: Resource<F>): Resource<F> => remade(of, () => true) as Resource<F>

/** Returns a resource with all fields that have columns. */
export const asStored = <F extends Fields>(of: Resource<F>): Resource<F> =>
  remade(of, ({ isDerived }) => isDerived !== true) as Resource<F>

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
          : F['kind'] extends 'text' | 'choice' | 'targets'
            ? string
            : number

type Value<F extends Field> = F extends { nullable: true } ? Plain<F> | null : Plain<F>

type Keys<F extends Fields, Mark> = { [K in keyof F]: F[K] extends Mark ? K : never }[keyof F]
type Hidden<F extends Fields> = Keys<F, { writeOnly: true } | { newer: true } | { onRequest: true }>
type NotAccepted<F extends Fields> = Keys<F, { readOnly: true } | { newer: true } | { onRequest: true }>
type Required<F extends Fields> = Exclude<Keys<F, { required: true }>, NotAccepted<F>>
type Optional<F extends Fields> = Exclude<keyof F, NotAccepted<F> | Required<F>>

/** Describes what the service stores and shows of a resource. */
export type Stored<R> = R extends Printable<infer F> ? { [K in Exclude<keyof F, Hidden<F>>]: Value<F[K]> } : never

/** Describes the fields that create one: the mandatory ones, and any others. */
export type Draft<R> =
  R extends Resource<infer F>
    ? { [K in Required<F>]: Value<F[K]> } & { [K in Optional<F>]?: Value<F[K]> | undefined }
    : never

/** Describes the fields that an update may change: each writable one. */
export type Patch<R> =
  R extends Resource<infer F> ? { [K in Exclude<keyof F, NotAccepted<F>>]?: Value<F[K]> | undefined } : never

/** Describes the value of any field. */
export type FieldValue = string | number | boolean | Decimal | null

/** Describes a record whose resource is known only at run time. */
export type AnyRecord = Readonly<Record<string, FieldValue>>

/** Returns a record under the type of its resource, which the caller knows. */
export const asRecord = <R extends Resource>(_of: R, record: AnyRecord): Stored<R> => record as Stored<R>

/** Returns fields under the type of a draft, which the caller knows they are. */
export const asDraft = <R extends Resource>(_of: R, fields: object): Draft<R> => fields as Draft<R>

/** Returns fields under the type of a patch, which the caller knows they are. */
export const asPatch = <R extends Resource>(_of: R, fields: object): Patch<R> => fields as Patch<R>

/** Describes a body that was sent: the fields that could be read, and the faults of the others. */
export type ParsedFields<T> = { readonly values: Partial<T>; readonly issues: readonly Issue[] }

const defaultValue = (field: Field): FieldValue => (typeof field.fallback === 'boolean' ? field.fallback : null)

/**
 * Returns a record with all shown fields: the given value, else the automatic one, else the default. Secrets are null.
 */
export const completeRecord = <R extends Resource>(of: R, given: object, automatic: object): Stored<R> => {
  const values: Readonly<Record<string, FieldValue | undefined>> = { ...automatic, ...given }
  return Object.fromEntries(
    of.shown.map(({ name, field }) => [name, field.secret ? null : (values[name] ?? defaultValue(field))]),
  ) as Stored<R>
}
