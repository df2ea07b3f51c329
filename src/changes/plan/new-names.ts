import { looseName } from '../../domain/name-form.ts'
import { keyOf, nameFieldsOf } from '../../domain/kinds.ts'
import type { Pause } from '../../domain/pause.ts'
import { fullName } from '../../domain/resources/user.ts'
import { findDoubtfulNames, NO_VALUE } from '../names/doubtful-names.ts'
import { isAccountRecord } from '../records/change.ts'
import { type Kind, KIND_NAMES, type KindName, kindsBeside } from '../records/kind-fields.ts'
import type { AccountRecord, Snapshot } from '../records/snapshot.ts'
import type { Policy, Reason } from './match.ts'
import type { Planned } from './plan.ts'

/** Returns the name that an item would store in a field; undefined if none, or none that is new. */
const newNameIn = ({ changes }: Planned, field: string): string | undefined => {
  const after = changes.flatMap(({ fields }) => fields).find(({ config }) => config.name === field)?.after
  return typeof after === 'string' ? after : undefined
}

/** Names the whole name of a person, which no field holds. */
const WHOLE_NAME = 'full name'

const textOr = (value: unknown, other: unknown): string =>
  typeof value === 'string' ? value : typeof other === 'string' ? other : ''

/** Returns the whole name that an item gives a person; undefined if it is none that is new. */
const newWholeName = (one: Planned): string | undefined => {
  const [first, last] = [newNameIn(one, 'first_name'), newNameIn(one, 'last_name')]
  if (first === undefined && last === undefined) return undefined
  const stored = one.record?.stored
  return fullName({
    first_name: textOr(first, stored?.['first_name']),
    last_name: textOr(last, stored?.['last_name']) || null,
  })
}

const storedName = ({ stored }: AccountRecord, field: string): unknown =>
  field === WHOLE_NAME
    ? fullName({ first_name: textOr(stored?.['first_name'], ''), last_name: textOr(stored?.['last_name'], '') || null })
    : stored?.[field]

/** Holds what the names of a plan are looked at by. */
type Looking = { readonly snapshot: Snapshot; readonly policy: Policy; readonly pause: Pause }

/** Holds the new names of items, those beside them that the plan does not change, and why some of the new ones may not be meant. */
type NewNames = {
  readonly news: readonly { readonly one: Planned; readonly name: string }[]
  readonly known: readonly string[]
  readonly doubts: ReadonlyMap<string, string>
}

/** Returns the new names that items of a kind give in a field; only those by which records are told apart have others beside them. */
const newNamesIn = async (
  { snapshot, policy, pause }: Looking,
  items: readonly Planned[],
  { name: kind, identity }: Kind,
  field: string,
): Promise<NewNames> => {
  const news = items.flatMap((one) => {
    const name = field === WHOLE_NAME ? newWholeName(one) : newNameIn(one, field)
    return name === undefined ? [] : [{ one, name }]
  })
  const isKpi = kind === 'calculated_kpi' || kind === 'kpi'
  const sharing: readonly KindName[] = isKpi ? ['kpi', 'calculated_kpi'] : [kind]
  const groups = new Set(news.map(({ one }) => one.record?.above['group']))
  const changed = new Set(news.map(({ one }) => one.record))
  const isKey = identity.includes(field)
  const beside = isKey || field === WHOLE_NAME ? sharing.flatMap((of) => snapshot.ofKind(of)) : []
  const known = beside.flatMap((record) => {
    if (!record.stored || changed.has(record) || !groups.has(record.above['group'])) return []
    const name = storedName(record, field)
    return typeof name === 'string' && name !== '' ? [name] : []
  })
  const names = news.map(({ name }) => name)
  const areExact = field === WHOLE_NAME || (isKey && policy.isConfiguration === true)
  return { news, known, doubts: await findDoubtfulNames({ names, known, areKpis: isKpi, areExact }, pause) }
}

/**
 * Refuses the items whose names may stand for no value, or look like others with letters of another script or with signs
 * that nobody can tell apart, unless the user says that they are meant.
 */
export const refuseDoubtfulNames = async (
  snapshot: Snapshot,
  planned: readonly Planned[],
  policy: Policy,
  pause: Pause,
): Promise<readonly Planned[]> => {
  const reasons = new Map<Planned, Reason[]>()
  for (const kindName of KIND_NAMES) {
    const own = planned.filter(({ desired, changes }) => desired.kind.name === kindName && changes.length > 0)
    const [first] = own
    if (!first) continue
    const { kind } = first.desired
    for (const field of nameFieldsOf(kind.of).filter((name) => !policy.isMeant(kind, name))) {
      const { news, doubts } = await newNamesIn({ snapshot, policy, pause }, own, kind, field)
      for (const { one, name } of news) {
        const why = doubts.get(name)
        if (why === undefined || (why === NO_VALUE && policy.takesNoValue)) continue
        const message = `${field} "${name}" ${why}: correct it, or ${policy.takesName(kind, field)} takes it as it is`
        reasons.set(one, [...(reasons.get(one) ?? []), { field, message }])
      }
    }
  }
  return planned.map((one) => {
    const own = reasons.get(one)
    return own ? { ...one, action: 'refuse', changes: [], reasons: own } : one
  })
}

/**
 * Returns warnings about the names that the items of one kind give: of those that may stand for no value, of people whose
 * whole names look alike, and of new ones that nearly are those of what exists.
 */
export const warningsOnNames = async (
  snapshot: Snapshot,
  planned: readonly Planned[],
  policy: Policy,
  pause: Pause,
): Promise<string[]> => {
  const items = planned.filter(({ changes }) => changes.length > 0)
  const [first] = items
  if (!first) return []
  const { kind } = first.desired
  const { title } = kind.of
  const [fields, told, warnings] = [nameFieldsOf(kind.of), new Set<string>(), new Array<string>()]
  // People often have names that are nearly those of others; letters beyond ASCII may be mistaken ones.
  const mayBeMistyped = (name: string): boolean => !fields.includes('email') || /[^ -~]/.test(name)
  const { nearNames, warningsOnNearNames } = await import('../names/near-names.ts')
  for (const field of fields.includes('first_name') ? [...fields, WHOLE_NAME] : fields) {
    const { news, known, doubts } = await newNamesIn({ snapshot, policy, pause }, items, kind, field)
    const given = news.filter(({ name }) => name !== '')
    for (const { name } of given) {
      const why = doubts.get(name)
      if (why === undefined || policy.isMeant(kind, field)) continue
      if (!told.has(name)) warnings.push(`the ${field} "${name}" of the ${title} ${why}`)
      told.add(name)
    }
    const fresh = given.flatMap(({ one, name }) => (one.action === 'create' && mayBeMistyped(name) ? [name] : []))
    const near = (await nearNames(title, fresh, known, pause)).filter(
      (one) => !told.has(one.name) && looseName(one.name) !== looseName(one.known),
    )
    warnings.push(...warningsOnNearNames(near, 'correct the name'))
  }
  return warnings
}

/** Describes a rename: the comparable forms of the name before and after, each with the parent's. */
type Renaming = {
  readonly one: Planned
  readonly record: AccountRecord
  readonly before: string
  readonly after: string
}

const formOf = (parent: AccountRecord | undefined, name: string): string => `${parent?.serial ?? ''} ${looseName(name)}`

/** Returns the rename that an item asks for, unless the name keeps its form. */
const renamingOf = (one: Planned): Renaming | undefined => {
  const { desired, record, changes } = one
  const [update] = changes
  if (!record || update?.action !== 'update' || desired.isNew) return undefined
  const { group } = record.above
  const afterIn = (name: string) => update.fields.find(({ config }) => config.name === name)?.after
  const [name, parent] = [afterIn(keyOf(record.kind.name)), afterIn('group')]
  if (typeof name !== 'string' && !isAccountRecord(parent)) return undefined
  const before = formOf(group, record.name)
  const after = formOf(isAccountRecord(parent) ? parent : group, typeof name === 'string' ? name : record.name)
  return before === after ? undefined : { one, record, before, after }
}

/**
 * Refuses items that would give a record a name that another one has. Items are taken in order: a name is free once an
 * earlier item has renamed its record.
 */
export const refuseTakenNames = (
  snapshot: Snapshot,
  planned: readonly Planned[],
  tellTaken: NonNullable<Policy['tellTaken']>,
): readonly Planned[] => {
  const renamings = planned.flatMap((one) => renamingOf(one) ?? [])
  const holders = new Map<string, AccountRecord[]>()
  const hold = (form: string, record: AccountRecord): void => {
    const same = holders.get(form)
    if (same) same.push(record)
    else holders.set(form, [record])
  }
  for (const kind of new Set(renamings.flatMap(({ record }) => kindsBeside(record.kind.name))))
    for (const record of snapshot.ofKind(kind))
      if (record.stored) hold(formOf(record.above['group'], record.name), record)
  const refused = new Map<Planned, Planned>()
  const renamed = new Set<AccountRecord>()
  for (const { one, record, before, after } of renamings) {
    holders.set(before, holders.get(before)?.filter((other) => other !== record) ?? [])
    const other = holders.get(after)?.find((holder) => holder !== record)
    hold(after, record)
    // Name the item, and not the stored record, if an earlier item gives the name.
    const holder = other && renamed.has(other) ? { ...other, stored: undefined } : other
    renamed.add(record)
    if (!holder) continue
    const reasons = [{ field: keyOf(record.kind.name), message: tellTaken(holder, false) }]
    refused.set(one, { ...one, action: 'refuse', changes: [], reasons })
  }
  return planned.map((one) => refused.get(one) ?? one)
}
