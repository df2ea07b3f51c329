import { formatDecimal } from '../../domain/decimal.ts'
import { hasNames, keyOf } from '../../domain/kinds.ts'
import type { AnyRecord, FieldValue } from '../../domain/schema.ts'
import type { NotedChange } from '../../runs/run-record.ts'
import { targetFieldOf } from '../records/base-targets.ts'
import type { Desired } from '../records/desired.ts'
import { type Kind, type KindField, kindNamed, type KindName, nameIn } from '../records/kind-fields.ts'
import { type AccountRecord, nounOf, type Snapshot } from '../records/snapshot.ts'
import { GONE } from '../send/remove-created.ts'

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
  /** Counts the entries that go with it. */
  readonly entries?: number
  /** Says how fields change: `target_default 5 → 3`. */
  readonly change?: string
  /** Holds what should be there; undefined where nothing is to be done. */
  readonly desired?: Desired
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
  // A service without dated targets does not show them: they stand on entries.
  const isShown = ({ as, field }: KindField): boolean => !field.secret && (field.kind !== 'targets' || as in now)
  const differing = fields.filter((one) => isShown(one) && one.as in left && !isSame(now[one.as], left[one.as]))
  if (differing.length === 0) return undefined
  return differing.map(({ as }) => `${as} is ${valueText(now[as])}, not ${valueText(left[as])}`).join(', ')
}

const DELETED = 'was deleted since'

/** Creates a KPI as an active one, so that its entries can be stored again before it is closed. */
const opened = ({ name }: Kind): AnyRecord => (name === 'kpi' ? { is_active: true } : {})

const nameTaken = (holder: AccountRecord): string => `${nounOf(holder)} (id ${holder.id}) has the name now`

const UNKNOWN_BEFORE = 'what it was before is not known'

/** Tells whether a change of a run is to be taken back: it is done, or may be. */
const isDone = ({ outcome }: NotedChange): boolean => outcome === 'done' || outcome === undefined || outcome === 'left'

/** Maps records that were deleted to the ids that undos gave them, by kind and earlier id; undefined if an answer was lost. */
export type MadeAgain = ReadonlyMap<string, number | undefined>

/** Tells whether a record has an id of its own: assignments and links have that of what they assign. */
const hasOwnId = ({ kind }: NotedChange): boolean => {
  const name = kindNamed(kind)?.name
  return name !== undefined && hasNames(name)
}

/** Returns the records that undos created again, from the changes that they noted, the oldest first. */
export const madeAgain = (changes: readonly NotedChange[]): MadeAgain =>
  new Map(
    changes.flatMap((one) =>
      one.action === 'create' && one.before && (isDone(one) || one.outcome === 'taken_back') && hasOwnId(one)
        ? [[`${one.kind} ${String(one.before['id'])}`, one.recordId] as const]
        : [],
    ),
  )

/** Returns the id of a record now: another one if undos created it again, undefined if that one is not known. */
export const idNow = (again: MadeAgain, of: readonly string[], id: number): number | undefined => {
  const seen = new Set<number>()
  for (let now = id; ;) {
    const key = of.map((kind) => `${kind} ${now}`).find((one) => again.has(one))
    // A receipt that was edited may lead back to where it began.
    if (key === undefined || seen.has(now)) return now
    seen.add(now)
    const next = again.get(key)
    if (next === undefined) return undefined
    now = next
  }
}

/** Returns a noted change with the ids that its record, and those that it refers to, have now. */
const withIdsNow = (note: NotedChange, again: MadeAgain): NotedChange => {
  const kind = kindNamed(note.kind)
  if (!kind) return note
  const refersOf = new Map(kind.fields.map(({ as, refers }) => [as, refers]))
  const withReferences = <T>(record: Readonly<Record<string, T>>): Record<string, T | number> =>
    Object.fromEntries(
      Object.entries(record).map(([name, value]) => {
        const refers = refersOf.get(name)
        return [name, refers && typeof value === 'number' ? (idNow(again, refers, value) ?? value) : value]
      }),
    )
  const { recordId, action, before, after } = note
  const parents = withReferences(note.parents)
  // Assignments and links have the ids of what they assign.
  const isNamed = hasNames(kind.name)
  const ownId = (): number | undefined => {
    if (!isNamed) return parents['id'] ?? recordId
    return recordId === undefined || action === 'delete' ? recordId : idNow(again, [kind.name], recordId)
  }
  return {
    ...note,
    parents,
    recordId: ownId(),
    before: before && withReferences(before),
    after: after && withReferences(after),
  }
}

/** Holds the account as it is, and what is known of the run and of earlier undos. */
type Known = {
  readonly snapshot: Snapshot
  readonly notes: readonly NotedChange[]
  readonly again: MadeAgain
  /** Lists the changes of all undos: a record that was last changed by one counts as unchanged. */
  readonly putBack: readonly NotedChange[]
  /** Holds when the run began, in seconds: a record that had the same name before that is no conflict. */
  readonly beganAt: number
}

/** Plans the steps that take back a run, by what the account has now. */
class UndoPlanner {
  readonly #known: Known
  readonly #snapshot: Snapshot
  /** Holds the records that earlier steps remove. */
  readonly #going = new Set<AccountRecord>()
  /** Holds when the run itself changed records last, in seconds. */
  readonly #changedAt = new Map<string, number>()
  /** Holds the deletes of the run, by the kinds and ids of their records. */
  readonly #again = new Map<string, NotedChange>()
  /** Holds the fields of records after the steps planned so far. */
  readonly #foreseen = new Map<AccountRecord, AnyRecord>()

  constructor(known: Known) {
    this.#known = known
    this.#snapshot = known.snapshot
    for (const note of known.notes) if (note.action === 'delete') this.#again.set(`${note.kind} ${note.recordId}`, note)
    for (const { kind, recordId, changedAt = 0 } of [...known.notes, ...known.putBack]) {
      const key = `${kind} ${recordId}`
      this.#changedAt.set(key, Math.max(changedAt, this.#changedAt.get(key) ?? 0))
    }
  }

  plan(note: NotedChange): UndoStep | undefined {
    const kind = kindNamed(note.kind)
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
      if (this.#isChangedSince(record)) return { note, kind, action: 'leave', id, reason: 'was changed since' }
      this.#going.add(record)
      return { note, kind, action: 'remove', id, desired: this.#absent(note, kind, record) }
    }
    const { before = {} } = note
    if (Object.keys(before).length === 0) return { note, kind, action: 'leave', id, reason: UNKNOWN_BEFORE }
    if (differenceOf(now, before, kind.fields) === undefined) return { note, kind, action: 'done', id }
    if (difference !== undefined) return { note, kind, action: 'leave', id, reason: `was changed since: ${difference}` }
    const name = before[keyOf(kind.name)]
    const holder = typeof name === 'string' ? this.#holderOf(kind, record.above, name, record) : undefined
    if (holder) return { note, kind, action: 'leave', id, reason: nameTaken(holder) }
    this.#foreseen.set(record, { ...now, ...before })
    const change = Object.keys(before)
      .map((name) => `${name} ${valueText(now[name])} → ${valueText(before[name])}`)
      .join(', ')
    return { note, kind, action: 'restore', id, change, desired: this.#restored(note, kind, record) }
  }

  /** Tells, by the times of the service, whether a record was changed after the run changed it. */
  #isChangedSince({ kind, id, stored }: AccountRecord): boolean {
    const ours = Math.max(this.#changedAt.get(`${kind.name} ${id}`) ?? 0, Number(stored?.['created_at'] ?? 0))
    return Number(stored?.['updated_at'] ?? 0) > ours
  }

  /** Finds a record that took a name, or one of the same form, after the run began. */
  #holderOf(kind: Kind, above: AccountRecord['above'], name: string, own?: AccountRecord): AccountRecord | undefined {
    const key = keyOf(kind.name)
    return this.#snapshot.alike(kind, above, name).find((one) => {
      const { stored } = one
      if (!stored || one === own || this.#going.has(one)) return false
      const foreseen = this.#foreseen.get(one)?.[key]
      if (foreseen !== undefined && !isSame(foreseen, stored[key])) return false
      const since = Math.max(Number(stored['updated_at'] ?? 0), Number(stored['created_at'] ?? 0))
      return since >= this.#known.beganAt
    })
  }

  /** Returns the parents of a record, under the ids that they have now. */
  #aboveOf({ parents }: NotedChange, kind: Kind): AccountRecord['above'] {
    return this.#snapshot.aboveOf(kind, parents) ?? {}
  }

  /** Finds the record of a change: by its id, or by its name where the answer to its creation was lost. */
  #find(note: NotedChange, kind: Kind): AccountRecord | undefined {
    const { recordId, after = {} } = note
    const above = this.#aboveOf(note, kind)
    if (!hasNames(kind.name)) return this.#snapshot.same(kind, above, '').find(({ stored }) => stored)
    if (recordId !== undefined) return this.#snapshot.byId([kind.name], recordId)
    return this.#snapshot.same(kind, above, nameIn(kind, after)).find(({ stored }) => stored)
  }

  /** Identifies a record by its id; an assignment or link by its user and what that has. */
  #meant({ place: line, parents }: NotedChange, kind: Kind, { id, name }: AccountRecord): Omit<Desired, 'values'> {
    if (name !== '') return { kind, line, id, isById: true, references: {} }
    return { kind, line, references: this.#given(kind, parents).references }
  }

  #absent(note: NotedChange, kind: Kind, record: AccountRecord): Desired {
    return { ...this.#meant(note, kind, record), isAbsent: true, values: {} }
  }

  #restored(note: NotedChange, kind: Kind, record: AccountRecord): Desired {
    const [meant, given] = [this.#meant(note, kind, record), this.#given(kind, note.before ?? {})]
    // No target would end the dated ones, too, which the change has left alone.
    const isOfTarget = (targetFieldOf(kind.name) ?? '') in given.values
    const dated = isOfTarget ? { targets: record.stored?.['targets'] ?? null } : {}
    return {
      ...meant,
      values: { ...dated, ...given.values },
      references: { ...meant.references, ...given.references },
    }
  }

  #recreate(note: NotedChange, kind: Kind): UndoStep {
    const { before, parents, place: line } = note
    if (!before) return { note, kind, action: 'leave', id: note.recordId, reason: UNKNOWN_BEFORE }
    const { again } = this.#known
    const key = `${note.kind} ${note.recordId}`
    const made = this.#snapshot.byId([kind.name], idNow(again, [kind.name], again.get(key) ?? 0) ?? 0)
    if (made?.stored) return { note, kind, action: 'done', id: made.id }
    const there = this.#find({ ...note, recordId: undefined, after: before }, kind)
    const isNamed = there !== undefined && there.name !== ''
    const difference = there?.stored && differenceOf(there.stored, before, kind.fields)
    if (there?.stored && difference === undefined && (!isNamed || again.has(key)))
      return { note, kind, action: 'done', id: there.id }
    if (there?.stored && difference !== undefined && !isNamed)
      return { note, kind, action: 'leave', id: there.id, reason: `is there again: ${difference}` }
    const holder = this.#holderOf(kind, this.#aboveOf(note, kind), nameIn(kind, before))
    if (holder) return { note, kind, action: 'leave', id: undefined, reason: nameTaken(holder) }
    const given = this.#given(kind, { ...before, ...parents, ...opened(kind) })
    const isNew = isNamed || !there ? ({ isNew: true } as const) : {}
    const replaces =
      note.recordId === undefined || !('name' in before || 'email' in before) ? {} : { replaces: note.recordId }
    return { note, kind, action: 'create', id: undefined, desired: { kind, line, ...given, ...isNew, ...replaces } }
  }

  /** Returns the noted fields of a record as input fields; deleted records that are created again are referred to by name. */
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
    const made = idNow(this.#known.again, refers, id)
    if (made !== undefined && this.#snapshot.byId(refers, made)?.stored) return `#${made}`
    const name = again?.before?.['email'] ?? again?.before?.['name']
    return typeof name === 'string' ? name.replace(/^(?='*#\d+$)/, "'") : `#${id}`
  }

  #formula(formula: string): string {
    return formula.replaceAll(/\[(\d+)\]/g, (whole, id: string) => {
      const name = (this.#again.get(`kpi ${id}`) ?? this.#again.get(`calculated_kpi ${id}`))?.before?.['name']
      const now = idNow(this.#known.again, ['kpi', 'calculated_kpi'], Number(id))
      if (now !== undefined && now !== Number(id)) return `[${now}]`
      return typeof name === 'string' ? `[${name}]` : whole
    })
  }
}

/** Plans what takes back the changes of a run, the last first. */
export const planUndo = (known: Known): UndoStep[] => {
  const done = known.notes.filter(isDone).map((note) => withIdsNow(note, known.again))
  const planner = new UndoPlanner({ ...known, notes: done })
  return done.toReversed().flatMap((note) => planner.plan(note) ?? [])
}
