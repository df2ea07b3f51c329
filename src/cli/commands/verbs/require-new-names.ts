import { looseName } from '../../../client/directory.ts'
import { type Issue, KpiError } from '../../../domain/errors.ts'
import { nameFieldsOf } from '../../../domain/kinds.ts'
import { newName } from '../../../domain/name-form.ts'
import type { AnyRecord, Resource } from '../../../domain/schema.ts'
import { definitionKind } from '../../../import/definitions/kinds.ts'
import { recordLabel } from '../../output/short-answer.ts'
import { commandName } from './samples.ts'

type Values = Readonly<Record<string, unknown>>

/** Describes a record as it is to be stored; `held` is how it is now, if it exists. */
export type NamedRecord = { readonly record: object; readonly held?: AnyRecord | undefined }

/** Returns fields with their names on one line, but those that are stored as they are. */
export const withNewNames = <T extends object>(of: Resource, fields: T, held?: AnyRecord): T => {
  const values: Values = Object.fromEntries(Object.entries(fields))
  const names = nameFieldsOf(of).flatMap((field) => {
    const text = values[field]
    return typeof text === 'string' && text !== held?.[field] ? [[field, newName(text)] as const] : []
  })
  return { ...fields, ...Object.fromEntries(names) }
}

/** Says how a name is given to two records on purpose; people are told apart by their e-mail addresses. */
const wayOut = (field: string, does: string): string => (field === 'name' ? `; --allow-duplicate ${does}` : '')

/** Describes a record that has a name: one that exists, or that at a place of the list. */
type Holder = { readonly record: AnyRecord } | { readonly place: number; readonly id: unknown }

const idOf = (holder: Holder): unknown => ('record' in holder ? holder.record['id'] : holder.id)

/** Returns what is wrong with the name of a record that another one has. */
const describeHolder = (of: Resource, field: string, other: Holder, isNew: boolean): string => {
  if (!('record' in other))
    return `is that of no. ${other.place}, too${wayOut(field, isNew ? 'creates both' : 'gives it to both')}`
  const label = recordLabel(of, other.record)
  if (!isNew) return `is the ${describeKey(field)} of ${label} already${wayOut(field, 'gives it to both')}`
  const change = `kpi ${commandName(of)} update ${String(other.record['id'])} changes it`
  return `is that of ${label}: ${change}${wayOut(field, 'creates another')}`
}

const describeKey = (field: string): string => (field === 'name' ? 'name' : 'e-mail address')

/**
 * Returns the faults of records that would be given a name, or people an e-mail address, that another one has as they are
 * written one after the other. `start` is the position of the first one, counted from 1.
 */
export const faultsOfNames = (
  of: Resource,
  list: readonly NamedRecord[],
  existing: readonly AnyRecord[],
  start = 1,
): Issue[] => {
  const { key: field, within } = definitionKind(of)
  const placedName = (record: object): string | undefined => {
    const values: Values = { ...record }
    const text = values[field]
    if (typeof text !== 'string') return undefined
    return within === undefined ? looseName(text) : `${String(values[within])} ${looseName(text)}`
  }
  const holders = new Map<string, Holder[]>()
  const hold = (name: string, holder: Holder): void => {
    const same = holders.get(name)
    if (same) same.push(holder)
    else holders.set(name, [holder])
  }
  for (const record of existing) hold(placedName(record) ?? '', { record })
  return list.flatMap(({ record, held }, at): Issue[] => {
    const [name, before] = [placedName(record), held && placedName(held)]
    if (name === undefined || name === before) return []
    if (before !== undefined)
      holders.set(before, holders.get(before)?.filter((one) => idOf(one) !== held?.['id']) ?? [])
    const other = holders.get(name)?.[0]
    hold(name, { place: at + 1, id: held?.['id'] })
    if (!other || at + 1 < start) return []
    const index = list.length === 1 ? {} : { index: at }
    return [{ ...index, field, message: describeHolder(of, field, other, held === undefined) }]
  })
}

/** Refuses records with a name that another one has: nobody could tell the two apart afterwards. */
export const requireNewNames = (...given: Parameters<typeof faultsOfNames>): void => {
  const [of] = given
  const issues = faultsOfNames(...given)
  const what = describeKey(definitionKind(of).key)
  if (issues.length > 0) throw new KpiError('conflict', `there is a ${of.title} of that ${what} already`, { issues })
}
