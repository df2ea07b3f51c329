import { type Desired, desiredName } from '../../changes/records/desired.ts'
import { looseName } from '../../client/directory.ts'
import { Fault } from '../../domain/errors.ts'
import { checkText } from '../../domain/field-value.ts'
import type { AnyRecord, FieldValue } from '../../domain/schema.ts'
import { splitName } from '../columns/person-text.ts'
import { hasSurplusCells } from '../parse/rows.ts'
import type { Row } from '../parse/row/row.ts'
import { type Cells, faultOfRole } from './cells.ts'
import type { DefinitionPlan } from './columns.ts'
import { type DefinitionKind, fieldOf } from './kinds.ts'
import { type DefinitionRole, FULL_NAME } from './roles.ts'

/** Describes a definition that a row gives. */
export type DefinitionRow = {
  readonly desired: Desired
  /** Holds the id of what it lies in; 0 if there is nothing. */
  readonly parent: number
  /** Counts the numbers that had more than four decimals. */
  readonly rounded: number
}

/** Returns the text by which two rows are the same. */
export const identityOf = ({ parent, desired }: DefinitionRow): string => `${parent}/${looseName(desiredName(desired))}`

/** Returns what should be there as the fields of a row say it. */
const desiredOf = (kind: DefinitionKind, line: number, given: AnyRecord): Desired => {
  const [values, references]: [Record<string, FieldValue>, Record<string, string>] = [{}, {}]
  for (const [name, value] of Object.entries(given)) {
    const field = fieldOf(kind, name)
    if (field?.refers && value !== null) references[field.name] = `#${Number(value)}`
    else if (field && value !== undefined) values[field.name] = value
  }
  return { kind: kind.kind, line, values, references }
}

/** Describes a row that is being read; `clears` tells that an empty cell clears its field. */
type Reading = {
  readonly row: Row
  readonly clears: boolean
  readonly values: Record<string, FieldValue>
  readonly reasons: string[]
  rounded: number
}

/** Adds the first and the last name of a person. */
const addPerson = ({ values, reasons }: Reading, { of }: DefinitionKind, text: string): void => {
  for (const [name, part] of Object.entries(splitName(text))) {
    const field = of.fields[name]
    const value = field ? checkText(field, part ?? '') : null
    if (value instanceof Fault) reasons.push(faultOfRole(name, part ?? '', value))
    else values[name] = value
  }
}

/** Reads a role of a row into its values, or the reasons why it cannot be read. */
const readRole = (reading: Reading, kind: DefinitionKind, cells: Cells, role: DefinitionRole): void => {
  const { row, clears } = reading
  const read = cells.read(role, row)
  if (read instanceof Fault) reading.reasons.push(faultOfRole(role.role, cells.textOf(role, row), read))
  else if (read === undefined) {
    if (clears && role.field.nullable && !role.field.secret && cells.has(role)) reading.values[role.name] = null
  } else if (role.name === FULL_NAME && !(FULL_NAME in kind.of.fields)) addPerson(reading, kind, String(read.value))
  else {
    reading.values[role.name] = read.value
    if (read.isRounded) reading.rounded += 1
  }
}

/** Reads the rows of a file. */
export type DefinitionReader = {
  /** Reads a row, or returns all that is wrong with it. */
  readonly read: (row: Row) => DefinitionRow | { readonly reasons: readonly string[] }
  /** Returns the name or e-mail address that a row gives, as it is written; undefined if there is none. */
  readonly nameOf: (row: Row) => string | undefined
}

/** Creates the reader of the rows of a file. */
export const definitionReader = (
  kind: DefinitionKind,
  roles: readonly DefinitionRole[],
  { header }: DefinitionPlan,
  cells: Cells,
  clearEmpty: boolean,
): DefinitionReader => {
  const { key, within } = kind
  const named = (name: string | undefined): DefinitionRole | undefined => roles.find((one) => one.name === name)
  const needed = [named(key), named(within)].filter((one) => one !== undefined)
  const names = [named(key), named(FULL_NAME), named('first_name')].filter((one) => one !== undefined)
  const read: DefinitionReader['read'] = (row) => {
    if (hasSurplusCells(row.cells, header)) {
      return { reasons: [`the row has ${row.cells.length} cells, the header has ${header.length}`] }
    }
    const reading: Reading = { row, clears: clearEmpty, values: {}, reasons: [], rounded: 0 }
    for (const role of roles) readRole(reading, kind, cells, role)
    for (const { role } of needed.filter((one) => cells.textOf(one, row) === '')) {
      reading.reasons.push(`the ${role} is empty`)
    }
    const { values, reasons, rounded } = reading
    if (reasons.length > 0) return { reasons }
    return { desired: desiredOf(kind, row.line, values), parent: Number(values[within ?? ''] ?? 0), rounded }
  }
  return { read, nameOf: (row) => names.map((one) => cells.textOf(one, row)).find((text) => text !== '') }
}
