import type { Day } from '../../domain/day.ts'
import { Fault } from '../../domain/errors.ts'
import { keyOf } from '../../domain/kinds.ts'
import type { Pause } from '../../domain/pause.ts'
import { isNoName } from '../../domain/no-value-words.ts'
import { NO_VALUE } from '../names/doubtful-names.ts'
import { type Desired, desiredName } from '../records/desired.ts'
import { type Kind, KIND_NAMES, type KindName, kinds, kindsBeside, sectionOf } from '../records/kind-fields.ts'
import type { AccountRecord, Snapshot } from '../records/snapshot.ts'

/** Says what a plan may do, and how its reasons name the way out. */
export type Policy = {
  /** Says what becomes of a record that exists already; it is updated by default. */
  readonly existing?: 'update' | 'skip' | 'refuse' | undefined
  /** Names the only kind that `existing` and `onlyExisting` are about, where an input has others beside it. */
  readonly about?: KindName
  /** Tells that nothing is created. */
  readonly onlyExisting?: true | undefined
  /** Tells that the input is a whole configuration, which lists calculated KPIs in a section of their own. */
  readonly isConfiguration?: true
  /** Tells that the interface shows the ids of groups alone. */
  readonly isByIdAlone?: boolean
  /** Tells whether the user says that names in a field are meant, whatever they could stand for. */
  readonly isMeant: (kind: Kind, field: string) => boolean
  /** Returns the flag that says so: `--by-name kpis`. */
  readonly takesName: (kind: Kind, field: string) => string
  /** Tells whether an earlier part of the run may have made what an item says, so that it is no conflict. */
  readonly isOurs?: (desired: Desired) => boolean
  /**
   * Words the refusal of a name that another record or an earlier item has. Without it, two records may get names of the
   * same form.
   */
  readonly tellTaken?: (holder: AccountRecord, isNew: boolean) => string
  /** Holds today, of which targets are shown: where it is not known, a target that is shown stays so. */
  readonly today?: Day
  /** Tells that a name that may stand for no value is warned of, and not refused. */
  readonly takesNoValue?: true
}

/** Describes an item of an input whose references are found, and the record that it is about. */
export type Matched = {
  readonly desired: Desired
  readonly record: AccountRecord
  readonly references: Readonly<Record<string, AccountRecord>>
  /** Says which of its references are not found. */
  readonly reasons: readonly Reason[]
}

/** Says why an item cannot be used, and which of its fields is wrong; `isMissing` where its record is not there. */
export type Reason = { readonly field: string; readonly message: string; readonly isMissing?: true }

/** Describes an item for which no record could be determined, with the reasons. */
export type Unmatched = { readonly desired: Desired; readonly record?: undefined; readonly reasons: readonly Reason[] }

const ID = /^#?([1-9]\d{0,14})$/

/** Resolves a reference. The newer interface shows a breakdown without items by its id alone. */
const referenceOf = (
  snapshot: Snapshot,
  refers: readonly KindName[],
  text: string,
  within: AccountRecord | undefined,
  { isByIdAlone }: Policy,
): AccountRecord | Fault => {
  const found = snapshot.find(refers, text, within)
  const [, digits] = ID.exec(text) ?? []
  if (!(found instanceof Fault) || !isByIdAlone || refers[0] !== 'group' || digits === undefined) return found
  const id = Number(digits)
  return snapshot.add({
    kind: kinds.group,
    stored: { id, name: digits },
    name: digits,
    above: {},
    desired: undefined,
    id,
  })
}

const OTHER_KPIS: Readonly<Partial<Record<KindName, KindName>>> = {
  kpi: 'calculated_kpi',
  calculated_kpi: 'kpi',
}

/** Describes an item whose references are found; `above` holds the records that its own belongs to. */
type Resolved = Omit<Matched, 'record'> & { readonly above: AccountRecord['above'] | undefined }

/** Describes an item whose parent records are all found. */
type Placed = Resolved & { readonly above: AccountRecord['above'] }

const isPlaced = (one: Resolved): one is Placed => one.above !== undefined

const sameAs = (snapshot: Snapshot, { desired, above }: Placed): readonly AccountRecord[] =>
  snapshot.same(desired.kind, above, desiredName(desired))

/** Returns the record of an id, which alone says what is meant. */
const findById = (snapshot: Snapshot, { kind, id = 0 }: Desired): AccountRecord | Fault =>
  snapshot.byId([kind.name], id) ?? new Fault(`there is no ${kind.of.title} ${id}`)

/** Returns the calculated KPI, or the other one, that has a name; a configuration lists each in a section of its own. */
const findOther = (
  snapshot: Snapshot,
  { kind }: Desired,
  name: string,
  policy: Policy,
): AccountRecord | Fault | undefined => {
  const other = OTHER_KPIS[kind.name]
  const found = other && snapshot.same(kinds[other], {}, name).find((one) => one.stored && !one.desired)
  if (!found || !policy.isConfiguration) return found
  const what = other === 'calculated_kpi' ? 'is calculated' : 'is not calculated'
  return new Fault(`"${name}" ${what}: it belongs under ${sectionOf(found.kind.name)}`)
}

/** Returns what renames a record, as a line to paste. */
export const renameLine = ({ kind, id }: AccountRecord, name: string): string => {
  const flag = kind.identity.includes('email') ? '--email' : '--name'
  const noun = kind.name === 'calculated_kpi' ? 'service calculated' : kind.of.plural.replaceAll('_', '-')
  return `kpi ${noun} update ${id} ${flag} '${name.replaceAll("'", String.raw`'\''`)}'`
}

/**
 * Finds the record that an item is about, or makes it. An exact name wins; otherwise it is what has a name of the same
 * form and is not named exactly by another item; a word for no value means only what has exactly that name, unless the
 * user says that it is a name.
 */
const matchRecord = (
  snapshot: Snapshot,
  resolved: Placed,
  exact: ReadonlySet<AccountRecord>,
  policy: Policy,
): AccountRecord | Fault => {
  const { desired, above } = resolved
  const { kind } = desired
  const add = (): AccountRecord =>
    snapshot.add({ kind, stored: undefined, name: desiredName(desired), above, desired: undefined, id: undefined })
  if (desired.isById) return findById(snapshot, desired)
  const name = desiredName(desired)
  const isOurs = policy.isOurs?.(desired) === true
  if (isOurs || (policy.tellTaken && !desired.isNew)) {
    // Take the newest of that name: a part of the run that was cut off may have created it.
    const holder = snapshot.alike(kind, above, name).at(isOurs ? -1 : 0)
    if (isOurs && holder?.stored && !holder.desired) return holder
    const taken = holder ?? kindsBeside(kind.name).flatMap((one) => snapshot.alike(kinds[one], above, name))[0]
    if (policy.tellTaken && taken && !desired.isNew) return new Fault(policy.tellTaken(taken, true))
    if (policy.tellTaken) return add()
  }
  if (desired.isNew) return add()
  const same = sameAs(snapshot, resolved)
  const ofForm = same.length === 0 ? snapshot.alike(kind, above, name).filter((one) => one.stored) : []
  const isBeside = ofForm.some((one) => exact.has(one))
  if (isBeside && ofForm.length > 1) {
    const names = ofForm.map((one) => `"${one.name}" (${one.id})`).join(', ')
    return new Fault(
      `"${name}" is another spelling of more than one ${kind.of.title}: ${names}; write the name of the one that is meant`,
    )
  }
  const alike = same.length > 0 ? same : isBeside ? [] : ofForm
  const existing = alike.filter(({ stored, id }) => stored && (desired.id === undefined || id === desired.id))
  const [first, ...others] = existing
  const key = keyOf(kind.name)
  if (first && same.length === 0 && isNoName(name, kind.name === 'kpi') && !policy.isMeant(kind, key))
    return new Fault(
      `${key} "${name}" ${NO_VALUE}, and is not exactly "${first.name}": ${policy.takesName(kind, key)} takes "${first.name}" for it`,
    )
  if (desired.id !== undefined && !first) {
    const other = snapshot.byId([kind.name], desired.id)
    const way = other?.stored ? `to rename it: ${renameLine(other, name)}; or leave` : 'leave'
    return new Fault(`there is no ${kind.of.title} ${desired.id} named "${name}"; ${way} out the id to go by the name`)
  }
  if (others.length > 0) {
    const ids = existing.map(({ id }) => id).join(', ')
    const way = policy.isConfiguration ? `; say which one, as id: ${first?.id}` : ''
    return new Fault(`"${name}" is the name of more than one ${kind.of.title}: ${ids}${way}`)
  }
  const record = first ?? alike.find(({ stored }) => !stored)
  if (record?.desired) return new Fault(`this is the same ${kind.of.title} as in line ${record.desired.line}`)
  return record ?? findOther(snapshot, desired, name, policy) ?? add()
}

/** Resolves the references of an item; `above` is undefined if a parent record is not found. */
const resolve = (snapshot: Snapshot, desired: Desired, policy: Policy): Resolved => {
  const { kind } = desired
  const [references, reasons]: [Record<string, AccountRecord>, Reason[]] = [{}, []]
  let above: Record<string, AccountRecord> | undefined = {}
  for (const { name, refers, isHint } of kind.fields) {
    const text = desired.references[name]
    if (!refers || text === undefined) continue
    const within = name === 'group_item' ? references['group'] : undefined
    const found = referenceOf(snapshot, refers, text, within, policy)
    const isAbove = kind.identity.includes(name)
    if (found instanceof Fault) {
      reasons.push({ field: name, message: found.message })
      if (isAbove) above = undefined
      continue
    }
    references[name] = found
    if (!isHint && isAbove && above) above[name] = found
  }
  return { desired, references, above, reasons }
}

/** Matches the items of an input with what there is, and with each other. */
export const matchDesired = async (
  snapshot: Snapshot,
  all: readonly Desired[],
  policy: Policy,
  pause: Pause,
): Promise<readonly (Matched | Unmatched)[]> => {
  const found: (Matched | Unmatched)[] = []
  const byKind = Map.groupBy(all, ({ kind }) => kind.name)
  for (const kind of KIND_NAMES) {
    const resolved: Placed[] = []
    for (const desired of byKind.get(kind) ?? []) {
      const turn = pause()
      if (turn) await turn
      const one = resolve(snapshot, desired, policy)
      if (isPlaced(one)) resolved.push(one)
      else found.push({ desired, reasons: one.reasons })
    }
    const exact = new Set(resolved.flatMap((one) => sameAs(snapshot, one)))
    for (const one of resolved) {
      const turn = pause()
      if (turn) await turn
      const { desired, references, reasons } = one
      const record = matchRecord(snapshot, one, exact, policy)
      if (record instanceof Fault)
        found.push({ desired, reasons: [...reasons, { field: 'name', message: record.message }] })
      else {
        record.desired = desired
        found.push({ desired, record, references, reasons })
      }
    }
  }
  return found
}
