import { isExactly, isMeantName, NO_VALUE } from '../../changes/names/doubtful-names.ts'
import { DID_YOU_MEAN, type Named, unknownName } from '../../client/directory.ts'
import { Fault } from '../../domain/errors.ts'
import { INT16_MAX } from '../../domain/field-value.ts'
import { nameFieldsOf } from '../../domain/kinds.ts'
import { newName } from '../../domain/name-form.ts'
import { isNoName } from '../../domain/no-value-words.ts'
import { kpi } from '../../domain/resources/kpi.ts'
import { type AnyRecord, type FieldValue, type Resource, usualWith } from '../../domain/schema.ts'
import { faultOfRole, type Lookups } from './cells.ts'
import type { DefinitionOptions } from './columns.ts'
import type { ExistingDefinitions } from './existing.ts'
import type { DefinitionKind } from './kinds.ts'
import type { DefinitionRole } from './roles.ts'
import type { DefinitionRow } from './rows.ts'

/** Describes what is sent for a row: a new record, or the fields in which an existing one differs. */
export type SentDefinition =
  | { readonly action: 'create'; readonly row: DefinitionRow; readonly values: AnyRecord }
  | { readonly action: 'update'; readonly row: DefinitionRow; readonly values: AnyRecord; readonly held: AnyRecord }

/** Describes the planned action for a row. */
export type DefinitionAction =
  | SentDefinition
  | { readonly action: 'unchanged' | 'skip'; readonly row: DefinitionRow; readonly held: AnyRecord }
  | { readonly action: 'reject'; readonly row: DefinitionRow; readonly reasons: readonly string[] }

/** Plans a row; `isOurs` tells that an earlier request for it may have been done, so that it is no conflict. */
export type Planner = (existing: ExistingDefinitions, row: DefinitionRow, isOurs: boolean) => DefinitionAction

/** Holds what planning needs. */
type Planning = Pick<DefinitionOptions, 'onConflict' | 'onlyExisting' | 'numbersAs'> & {
  readonly kind: DefinitionKind
  readonly roles: readonly DefinitionRole[]
  readonly lookups: Lookups
}

/** Returns what the command line gives a required field that a new record leaves out; undefined if nothing. */
const usualValue = (
  { role, field }: DefinitionRole,
  lookups: Lookups,
  nextPlace: () => number,
  referred: object | undefined,
): FieldValue | Fault | undefined => {
  const { refers } = field
  const usual = usualWith(field, referred)
  if (usual === undefined) return undefined
  if (usual === 'next') return nextPlace()
  if (typeof usual !== 'string' || refers === undefined) return usual
  const found = lookups.get(role)?.find(usual)
  return found instanceof Fault ? new Fault(`${found.message}; give one with --${role}`) : found?.id
}

/** Returns why nothing of a record may be changed here; undefined if it may. */
const faultOfChange = (of: Resource, held: AnyRecord): string | undefined => {
  if (held['is_calculated'] === true)
    return 'is calculated, and only its operator changes it: kpi service calculated update'
  if (of.newer && held['user_id'] !== null) return 'stands for a person, whose name and status it follows'
  return undefined
}

const isGiven = (value: FieldValue | undefined): value is FieldValue => value !== undefined && value !== null

/** Tells whether a field says what a record is, and so never differs between a row and its record. */
const isIdentity = ({ key, within }: DefinitionKind, name: string): boolean => name === key || name === within

/** Returns the fields in which a row differs from the record that the service has. */
const differences = (
  kind: DefinitionKind,
  roles: readonly DefinitionRole[],
  row: DefinitionRow,
  held: AnyRecord,
): AnyRecord =>
  Object.fromEntries(
    roles.flatMap(({ name, field }) => {
      const value = row.values[name]
      const isChange = value !== undefined && !field.secret && !isIdentity(kind, name) && value !== held[name]
      return isChange ? [[name, value]] : []
    }),
  )

const existsText = ({ of, key }: DefinitionKind): string =>
  `there is a ${of.title} of that ${key === 'email' ? 'e-mail address' : key} already`

/** Creates the planner of rows. */
export const createPlanner = ({ kind, roles, lookups, onConflict, onlyExisting, numbersAs }: Planning): Planner => {
  const { of, key } = kind
  const names = new Set(nameFieldsOf(of))
  let lastPlace: number | undefined
  const roleOf = new Map(roles.map(({ name, role }) => [name, role]))
  const referredBy = ({ field: { unless } }: DefinitionRole, values: AnyRecord): Named | undefined =>
    unless && lookups.get(roleOf.get(unless.field) ?? '')?.byId.get(Number(values[unless.field]))
  const meantBy = (existing: ExistingDefinitions, row: DefinitionRow): string => {
    const near = existing.near(row)
    return near === undefined ? '' : `; ${DID_YOU_MEAN}"${near}"?`
  }
  const planNew = (existing: ExistingDefinitions, row: DefinitionRow): DefinitionAction => {
    const nextPlace = (): number =>
      (lastPlace = Math.min(Math.max(lastPlace ?? 0, existing.lastPlace()) + 1, INT16_MAX))
    const [values, reasons]: [Record<string, FieldValue>, string[]] = [{}, []]
    const lacking: string[] = []
    for (const one of roles) {
      const given = row.values[one.name]
      const value =
        isGiven(given) || !one.field.required ? given : usualValue(one, lookups, nextPlace, referredBy(one, values))
      if (value instanceof Fault) reasons.push(faultOfRole(one.role, '', value))
      else if (names.has(one.name) && typeof value === 'string') values[one.name] = newName(value)
      else if (isGiven(value)) values[one.name] = value
      else if (one.field.required) lacking.push(one.role)
    }
    if (lacking.length > 0) {
      reasons.push(`the new ${of.title} "${row.key}" needs ${lacking.join(', ')}${meantBy(existing, row)}`)
    }
    return reasons.length > 0 ? { action: 'reject', row, reasons } : { action: 'create', row, values }
  }
  const planHeld = (row: DefinitionRow, held: AnyRecord, isOurs: boolean): DefinitionAction => {
    const values = differences(kind, roles, row, held)
    const isSame = Object.keys(values).length === 0
    if (isOurs && isSame) return { action: 'unchanged', row, held }
    if (onConflict === 'skip') return { action: 'skip', row, held }
    if (onConflict === 'error') return { action: 'reject', row, reasons: [existsText(kind)] }
    if (isSame) return { action: 'unchanged', row, held }
    const fault = faultOfChange(of, held)
    return fault === undefined
      ? { action: 'update', row, values, held }
      : { action: 'reject', row, reasons: [`${of.title} ${String(held['id'])} ${fault}`] }
  }
  return (existing, row, isOurs) => {
    const held = existing.find(row)
    if (held instanceof Fault) return { action: 'reject', row, reasons: [held.message] }
    const name = String(held?.[key] ?? '')
    if (held && isNoName(row.key, of.name === kpi.name) && !isExactly(name, row.key) && !isMeantName(numbersAs, key)) {
      const way = `--by-name ${key} takes "${name}" for it`
      return {
        action: 'reject',
        row,
        reasons: [`${key} "${row.key}" ${NO_VALUE}, and is not exactly "${name}": ${way}`],
      }
    }
    if (held) return planHeld(row, held, isOurs)
    if (!onlyExisting) return planNew(existing, row)
    return { action: 'reject', row, reasons: [`${unknownName(of.title)}${row.key}"${meantBy(existing, row)}`] }
  }
}
