import { formatDecimal } from '../../domain/decimal.ts'
import type { AnyRecord, FieldValue } from '../../domain/schema.ts'
import type { NotedChange } from '../../runs/run-record.ts'
import type { Desired } from '../records/desired.ts'
import { type Kind, type KindField, KIND_NAMES, type KindName, kinds } from '../records/kind-fields.ts'
import type { AccountRecord, Snapshot } from '../records/snapshot.ts'

/**
 * Describes what becomes of a change that is taken back: what it created is removed, what it changed gets back what it
 * had, and what it deleted is created again; it is `done` if all is as before, and left alone with a reason otherwise.
 */
export type UndoStep = {
  readonly note: NotedChange
  readonly kind: Kind
  readonly action: 'remove' | 'restore' | 'create' | 'done' | 'leave'
  readonly reason?: string
  /** Holds the id of the record now; undefined for one that is not there. */
  readonly id: number | undefined
  /** Says how fields change: `target_default 5 → 3`. */
  readonly change?: string
  /** Holds what should be there; undefined where nothing is to be done. */
  readonly desired?: Desired
}

const kindOf = ({ kind }: NotedChange): Kind | undefined => {
  const name = KIND_NAMES.find((one) => one === kind)
  return name && kinds[name]
}

const valueText = (value: FieldValue | undefined): string => {
  if (value === null || value === undefined) return 'none'
  if (typeof value === 'bigint') return formatDecimal(value)
  return typeof value === 'string' ? `"${value}"` : String(value)
}

/** Returns a text as the service keeps it, so that two that differ in nothing else are the same. */
const normal = (value: FieldValue | undefined): FieldValue =>
  typeof value === 'string' ? value.normalize().trim() || null : (value ?? null)

const isSame = (one: FieldValue | undefined, other: FieldValue | undefined): boolean => normal(one) === normal(other)

/** Says how a record differs from what the run left: `name is "B", not "A"`; undefined if it does not. */
const differenceOf = (now: AnyRecord, left: AnyRecord, fields: readonly KindField[]): string | undefined => {
  const differing = fields.filter(({ as, field }) => !field.secret && as in left && !isSame(now[as], left[as]))
  if (differing.length === 0) return undefined
  return differing.map(({ as }) => `${as} is ${valueText(now[as])}, not ${valueText(left[as])}`).join(', ')
}

const [GONE, DELETED] = ['is gone already', 'was deleted since']
const UNKNOWN_BEFORE = 'what it was before is not known'

/** Returns the fields of a record but those that nobody may read, whose earlier values no run knows. */
const readable = (record: AnyRecord, { fields }: Kind): AnyRecord => {
  const secrets = new Set(fields.flatMap(({ as, field }) => (field.secret ? as : [])))
  return Object.fromEntries(Object.entries(record).filter(([name]) => !secrets.has(name)))
}

/** Plans the steps that take back a run, by what the account has now. */
class UndoPlanner {
  readonly #snapshot: Snapshot
  /** Holds the records that the run deleted and that are created again, by their kinds and earlier ids. */
  readonly #again = new Map<string, NotedChange>()
  /** Holds what earlier steps will have made of records. */
  readonly #foreseen = new Map<AccountRecord, AnyRecord>()

  constructor(snapshot: Snapshot, notes: readonly NotedChange[]) {
    this.#snapshot = snapshot
    for (const note of notes)
      if (note.action === 'delete' && note.recordId !== undefined)
        this.#again.set(`${note.kind} ${note.recordId}`, note)
  }

  plan(note: NotedChange): UndoStep | undefined {
    const kind = kindOf(note)
    if (!kind) return undefined
    if (note.action === 'delete') return this.#recreate(note, kind)
    const record = this.#find(note, kind)
    const now = record && (this.#foreseen.get(record) ?? record.stored)
    if (!record || !now) {
      return note.action === 'create'
        ? { note, kind, action: 'done', id: undefined, reason: GONE }
        : { note, kind, action: 'leave', id: note.recordId, reason: DELETED }
    }
    const { id } = record
    const { after = {} } = note
    const difference = differenceOf(now, after, kind.fields)
    if (note.action === 'create') {
      if (difference !== undefined)
        return { note, kind, action: 'leave', id, reason: `was changed since: ${difference}` }
      return { note, kind, action: 'remove', id, desired: this.#absent(note, kind, record) }
    }
    const before = readable(note.before ?? {}, kind)
    if (Object.keys(before).length === 0) return { note, kind, action: 'leave', id, reason: UNKNOWN_BEFORE }
    if (differenceOf(now, before, kind.fields) === undefined) return { note, kind, action: 'done', id }
    if (difference !== undefined) return { note, kind, action: 'leave', id, reason: `was changed since: ${difference}` }
    this.#foreseen.set(record, { ...now, ...before })
    const change = Object.keys(before)
      .map((name) => `${name} ${valueText(now[name])} → ${valueText(before[name])}`)
      .join(', ')
    return { note, kind, action: 'restore', id, change, desired: this.#restored(note, kind, record) }
  }

  /** Finds the record of a change: by its id, or by its name where the answer to its creation was lost. */
  #find({ recordId, parents, after = {} }: NotedChange, kind: Kind): AccountRecord | undefined {
    const above: Record<string, AccountRecord> = {}
    for (const { name, as, refers } of kind.fields) {
      const parent = refers && this.#snapshot.byId(refers, parents[as] ?? 0)
      if (parent && kind.identity.includes(name)) above[name] = parent
    }
    const key = kind.identity.find((name) => name === 'name' || name === 'email')
    if (key === undefined) return this.#snapshot.same(kind, above, '').find(({ stored }) => stored)
    if (recordId !== undefined) return this.#snapshot.byId([kind.name], recordId)
    return this.#snapshot.same(kind, above, String(after[key] ?? '')).find(({ stored }) => stored)
  }

  /** Says which record is meant: by its id, or by what it belongs to where it has no name. */
  #meant({ place: line, parents }: NotedChange, kind: Kind, { id, name }: AccountRecord): Omit<Desired, 'values'> {
    if (name !== '') return { kind, line, id, isById: true, references: {} }
    return { kind, line, references: this.#given(kind, parents).references }
  }

  #absent(note: NotedChange, kind: Kind, record: AccountRecord): Desired {
    return { ...this.#meant(note, kind, record), isAbsent: true, values: {} }
  }

  #restored(note: NotedChange, kind: Kind, record: AccountRecord): Desired {
    const [meant, given] = [this.#meant(note, kind, record), this.#given(kind, note.before ?? {})]
    return { ...meant, values: given.values, references: { ...meant.references, ...given.references } }
  }

  #recreate(note: NotedChange, kind: Kind): UndoStep {
    const { before, parents, place: line } = note
    if (!before) return { note, kind, action: 'leave', id: note.recordId, reason: UNKNOWN_BEFORE }
    const there = this.#find({ ...note, recordId: undefined, after: before }, kind)
    if (there?.stored) {
      const difference = differenceOf(there.stored, before, kind.fields)
      if (difference === undefined) return { note, kind, action: 'done', id: there.id }
      return { note, kind, action: 'leave', id: there.id, reason: `there is another one of that name: ${difference}` }
    }
    const given = this.#given(kind, { ...before, ...parents })
    return { note, kind, action: 'create', id: undefined, desired: { kind, line, ...given } }
  }

  /** Returns the fields of a record as an input gives them; those that refer to what is created again by its name. */
  #given(kind: Kind, record: AnyRecord): Pick<Desired, 'values' | 'references'> {
    const values: Record<string, FieldValue> = {}
    const references: Record<string, string> = {}
    for (const { name, as, field, refers } of kind.fields) {
      const value = record[as]
      if (value === undefined || field.secret) continue
      if (!refers) values[name] = name === 'formula' ? this.#formula(String(value)) : value
      else if (value !== null) references[name] = this.#reference(refers, Number(value))
    }
    return { values, references }
  }

  #reference(refers: readonly KindName[], id: number): string {
    const again = refers.map((kind) => this.#again.get(`${kind} ${id}`)).find((one) => one !== undefined)
    const name = again?.before?.['email'] ?? again?.before?.['name']
    return typeof name === 'string' ? name.replace(/^(?='*#\d+$)/, "'") : `#${id}`
  }

  #formula(formula: string): string {
    return formula.replaceAll(/\[(\d+)\]/g, (whole, id: string) => {
      const name = (this.#again.get(`kpi ${id}`) ?? this.#again.get(`calculated_kpi ${id}`))?.before?.['name']
      return typeof name === 'string' ? `[${name}]` : whole
    })
  }
}

/** Tells whether a change of a run is to be taken back: it is done, or may be. */
const isDone = ({ outcome }: NotedChange): boolean => outcome === 'done' || outcome === undefined || outcome === 'left'

/** Plans what takes back the changes of a run, the last first. */
export const planUndo = (snapshot: Snapshot, notes: readonly NotedChange[]): UndoStep[] => {
  const done = notes.filter(isDone)
  const planner = new UndoPlanner(snapshot, done)
  return done.toReversed().flatMap((note) => planner.plan(note) ?? [])
}
