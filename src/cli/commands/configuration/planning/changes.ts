import { cellText } from '../../../../codec/cell-text.ts'
import { type AnyRecord, type FieldValue, resource } from '../../../../domain/schema.ts'
import { withNames } from './formulas.ts'
import { REMOVAL_ORDER } from '../../../../domain/kinds.ts'
import { type ConfigField, KIND_NAMES, sectionOf } from './kinds.ts'
import { labelOf, type Thing, type Things } from './things.ts'

/** Holds the value of a field: plain, or a thing that it refers to. */
export type Value = FieldValue | Thing

export const isThing = (value: Value | undefined): value is Thing => typeof value === 'object' && value !== null

/** Describes the change of a field. */
export type FieldChange = { readonly config: ConfigField; readonly before: Value; readonly after: Value }

/** Describes what is to be done with a thing. */
export type Change = {
  readonly action: 'create' | 'update' | 'delete'
  readonly thing: Thing
  readonly fields: readonly FieldChange[]
  /** Holds what a new thing needs and the file does not say, by the names of the interface. */
  readonly defaults?: Readonly<Record<string, Value>>
}

const CLOSING: Readonly<Record<string, FieldValue>> = { is_active: false, user_status: 'L', is_archived: true }

/** Returns how coarse a frequency is: the field lists them from the finest on. */
const coarseness = ({ field }: ConfigField, value: Value): number =>
  field.oneOf?.findIndex((one) => one === value) ?? -1

const isCoarsening = ({ config, before, after }: FieldChange): boolean =>
  config.name === 'frequency' && coarseness(config, after) > coarseness(config, before)

/** Tells whether an update must wait for the others, which may end what needs the thing as it is. */
const isLate = ({ action, fields }: Change): boolean =>
  action === 'update' && fields.some((one) => CLOSING[one.config.name] === one.after || isCoarsening(one))

const rankOf = ({ thing }: Change): number => KIND_NAMES.indexOf(thing.kind.name)

const deleteRank = ({ thing }: Change): number => REMOVAL_ORDER.indexOf(thing.kind.name)

/** Returns changes in the order in which they can be done: what others need first, and deletes last. */
export const inOrder = (changes: readonly Change[]): Change[] => {
  const sorted = changes.toSorted((one, other) => rankOf(one) - rankOf(other))
  const deletes = sorted
    .filter(({ action }) => action === 'delete')
    .toReversed()
    .toSorted((one, other) => deleteRank(one) - deleteRank(other))
  const others = sorted.filter(({ action }) => action !== 'delete')
  const creates = (change: Change): boolean => change.action === 'create'
  const early = KIND_NAMES.flatMap((name) => {
    const own = others.filter((change) => change.thing.kind.name === name && !isLate(change))
    return [...own.filter(creates), ...own.filter((change) => !creates(change))]
  })
  return [...early, ...others.filter(isLate), ...deletes]
}

/** Defines a row of a plan: what is done to a field. */
export const planRow = resource({
  name: 'plan_row',
  plural: 'plan_rows',
  title: 'row of a plan',
  path: '',
  verbs: [],
  fields: {
    action: { kind: 'text', about: 'create, update or delete' },
    section: { kind: 'text', about: 'Section of the file' },
    name: { kind: 'text', about: 'What it is called' },
    field: { kind: 'text', about: 'Field that is set; nothing for a delete', nullable: true },
    old: { kind: 'text', about: 'Its value now', nullable: true },
    new: { kind: 'text', about: 'Its value afterwards', nullable: true },
  },
})

const textOf = ({ field }: ConfigField, value: Value): string | null => {
  if (value === null) return null
  if (isThing(value)) return labelOf(value)
  const at = field.oneOf?.indexOf(String(value)) ?? -1
  return field.words?.[at] ?? cellText(field, value)
}

/** Returns the texts of a value now and afterwards. A formula is shown as people write it, with names. */
const textsOf = (things: Things, thing: Thing, { config, before, after }: FieldChange): AnyRecord => {
  if (config.name !== 'formula') return { old: textOf(config, before), new: textOf(config, after) }
  return {
    old: typeof before === 'string' ? withNames(things, before) : null,
    new: thing.item?.values['formula'] ?? null,
  }
}

/** Returns changes as rows, one for each field; one alone for what has no fields but its name. */
export const rowsOf = (things: Things, changes: readonly Change[]): AnyRecord[] =>
  changes.flatMap(({ action, thing, fields }): AnyRecord[] => {
    const row = { action, section: sectionOf(thing.kind.name), name: labelOf(thing) }
    const isTold = ({ config }: FieldChange): boolean =>
      action === 'update' || !thing.kind.identity.includes(config.name)
    const told = fields.filter(isTold)
    if (told.length === 0) return [{ ...row, field: null, old: null, new: null }]
    return told.map((one) => ({ ...row, field: one.config.name, ...textsOf(things, thing, one) }))
  })

/** Counts the changes of a plan, and what stays as it is. */
export type Counts = Readonly<Record<'created' | 'updated' | 'deleted' | 'unchanged', number>>

export const countChanges = (changes: readonly Change[], unchanged: number): Counts => {
  const count = (wanted: Change['action']): number => changes.filter(({ action }) => action === wanted).length
  return { created: count('create'), updated: count('update'), deleted: count('delete'), unchanged }
}
