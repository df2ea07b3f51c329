import { readSnapshot } from '../../changes/records/access.ts'
import { type Desired, desiredName } from '../../changes/records/desired.ts'
import type { KindName } from '../../changes/records/kind-fields.ts'
import type { Snapshot } from '../../changes/records/snapshot.ts'
import { createDirectory, DID_YOU_MEAN, type Directory, looseName, type Named } from '../../client/directory.ts'
import { Fault, KpiError } from '../../domain/errors.ts'
import { checkText, choiceOf, valueOfText } from '../../domain/field-value.ts'
import type { AnyRecord, FieldValue } from '../../domain/schema.ts'
import { foldName } from '../columns/header.ts'
import { createNameColumn, type NameColumn } from '../columns/name-column.ts'
import { splitName } from '../columns/person-text.ts'
import { asOwnList, type ReadingFile, type RefusedRow } from '../desired-rows.ts'
import { doubtsOf, requireNoDoubts } from '../detect/column-formats.ts'
import { createNumberColumn, type NumberColumn } from '../detect/number-column.ts'
import { createUnits } from '../detect/number-units.ts'
import { faultOfSurplus } from '../parse/rows.ts'
import type { Row } from '../parse/row/row.ts'
import { requireHeader, rowsBelowHeader } from '../parse/table.ts'
import type { Lookup } from '../permissions.ts'
import { choiceNearest, meantBoolean, meantChoice } from './choice-words.ts'
import {
  type DefinitionKind,
  type DefinitionOptions,
  type DefinitionPlan,
  fieldOf,
  planDefinitions,
} from './columns.ts'
import { type DefinitionRole, FULL_NAME, rolesOf } from './roles.ts'

/** Holds what rows may refer to, by role. */
type Lookups = ReadonlyMap<string, Lookup>

const ID = /^#?([1-9]\d{0,14})$/

/** Creates a lookup that takes any id, unchecked, as the interface does not list what they are of, and names if some are known. */
const anyId = (what: string, known: Lookup | undefined): Lookup => ({
  byId: known?.byId ?? new Map(),
  unread: what,
  find: (text) => {
    const [, id] = ID.exec(text.trim()) ?? []
    if (id !== undefined) return { id: Number(id), name: text }
    return known?.find(text) ?? new Fault(`${what} are given by id here; "${text}" is none`)
  },
})

const booleanIn = (text: string): boolean | Fault => meantBoolean(text) ?? Fault.must('be true or false, or yes or no')

/** Returns the value of a choice, by one of its words in any language of the heads. */
const choiceIn = ({ name, field }: DefinitionRole, text: string): FieldValue | Fault => {
  const value = valueOfText(field, meantChoice(name, text) ?? choiceOf(field, text))
  if (!(value instanceof Fault)) return value
  const near = choiceNearest(name, field, text)
  const words = field.words ? `, or ${field.words.join(', ')}` : ''
  return Fault.must(
    `be one of ${field.oneOf?.join(', ')}${words}${near === undefined ? '' : `; ${DID_YOU_MEAN}${near}?`}`,
  )
}

/** Returns the value of a cell that is neither a number with decimals nor a reference. */
const plainValue = (role: DefinitionRole, text: string): FieldValue | Fault => {
  if (role.field.kind === 'boolean') return booleanIn(text)
  return role.field.oneOf ? choiceIn(role, text) : valueOfText(role.field, text)
}

/** Describes a value that was read, and whether decimals beyond the fourth were rounded away. */
type ReadValue = { readonly value: FieldValue; readonly isRounded: boolean }

/** Reads the cells of a role. */
type CellReader = {
  readonly note: (text: string, line: number, stored: string | undefined) => void
  readonly read: (text: string, line: number, stored: string | undefined) => ReadValue | Fault
}

const exact = (value: FieldValue | Fault): ReadValue | Fault =>
  value instanceof Fault ? value : { value, isRounded: false }

const decimalReader = (column: NumberColumn): CellReader => ({
  note: (text, line, stored) => column.note(text, line, undefined, stored),
  read: (text, line, stored) => {
    const cell = column.read(text, line, undefined, stored)
    return cell instanceof Fault ? cell : { value: cell.value, isRounded: cell.rounded }
  },
})

const nameReader = ({ find }: NameColumn): CellReader => ({
  note: (text) => void find(text),
  read: (text) => {
    const found = find(text)
    return exact(found instanceof Fault ? found : found.id)
  },
})

/** Returns a fault as a sentence about a role, or about a flag that stands for its column. */
const faultOfRole = (role: string, text: string, { message, verb }: Fault): string => {
  if (verb === 'must') return `${role} "${text}" ${message}`
  return verb === 'is' ? `${role} "${text}" ${message}` : `${role}: ${message}`
}

/** Reads the cells of all roles. */
type Cells = {
  /** Lets columns record what a row shows of how they are written. */
  readonly note: (row: Row) => void
  /** Returns the readers in the formats that were recorded; throws where these can be read in two ways. */
  readonly settle: () => Cells
  /** Tells whether the file has a column for a role. */
  readonly has: (role: DefinitionRole) => boolean
  /** Returns the text of a role in a row, without the spaces around it. */
  readonly textOf: (role: DefinitionRole, row: Row) => string
  /** Returns the value of a role in a row, or why it cannot be read; undefined if the cell is empty. */
  readonly read: (role: DefinitionRole, row: Row) => ReadValue | Fault | undefined
}

/** Creates the readers of the cells of a file by its plan. */
const createCells = (
  plan: DefinitionPlan,
  roles: readonly DefinitionRole[],
  options: DefinitionOptions,
  lookups: Lookups,
  signs: ReadonlyMap<string, '.' | ','> = new Map(),
): Cells => {
  const { header, places } = plan
  const headerOf = (role: string): string => header[places.get(role) ?? -1]?.trim() ?? `--${role}`
  const numbers = new Map<string, NumberColumn>()
  const names = new Map<string, NameColumn>()
  const readers = new Map<string, CellReader>()
  for (const one of roles) {
    const { role, name, field } = one
    const lookup = lookups.get(role)
    if (field.kind === 'decimal') {
      const sign = options.decimal ?? signs.get(role) ?? '.'
      const column = createNumberColumn(headerOf(role), sign, options.decimal !== undefined, createUnits().watch(role))
      numbers.set(role, column)
      readers.set(role, decimalReader(column))
    } else if (lookup) {
      const as = options.numbersAs?.get(role) ?? (foldName(headerOf(role)) === foldName(name) ? 'ids' : undefined)
      const column = createNameColumn({ role, header: headerOf(role), as }, lookup)
      names.set(role, column)
      readers.set(role, nameReader(column))
    } else readers.set(role, { note: () => undefined, read: (text) => exact(plainValue(one, text)) })
  }
  const textOf = ({ role }: DefinitionRole, { cells }: Row): string =>
    (cells[places.get(role) ?? -1] ?? options.constants.get(role) ?? '').trim()
  const storedIn = ({ role }: DefinitionRole, row: Row): string | undefined => row.numbers?.[places.get(role) ?? -1]
  return {
    has: ({ role }) => places.has(role),
    textOf,
    note: (row) => {
      for (const one of roles) {
        const text = textOf(one, row)
        if (text !== '') readers.get(one.role)?.note(text, row.line, storedIn(one, row))
      }
    },
    settle: () => {
      requireNoDoubts(doubtsOf([...names.values(), ...numbers.values()]))
      const proven = [...numbers].map(([role, column]) => [role, column.proven() ?? '.'] as const)
      return createCells(plan, roles, options, lookups, new Map(proven))
    },
    read: (one, row) => {
      const text = textOf(one, row)
      return text === '' ? undefined : readers.get(one.role)?.read(text, row.line, storedIn(one, row))
    },
  }
}

/** Refuses flags for all rows that cannot be read, before any row is. */
const requireConstants = (
  cells: Cells,
  roles: readonly DefinitionRole[],
  constants: ReadonlyMap<string, string>,
): void => {
  const faults = roles.flatMap((one) => {
    const [text, value] = [constants.get(one.role), cells.read(one, { line: 0, cells: [] })]
    return text !== undefined && value instanceof Fault ? [`--${faultOfRole(one.role, text, value)}`] : []
  })
  if (faults.length > 0) throw new KpiError('malformed', faults.join('; '))
}

/** Describes a definition that a row gives. */
export type DefinitionRow = {
  readonly desired: Desired
  /** Holds the text by which two rows are the same. */
  readonly identity: string
  /** Counts the numbers that had more than four decimals. */
  readonly rounded: number
}

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
type DefinitionReader = {
  /** Reads a row, or returns all that is wrong with it. */
  readonly readRow: (row: Row) => DefinitionRow | RefusedRow
  /** Returns the name or e-mail address that a row gives, as it is written; undefined if there is none. */
  readonly nameOf: (row: Row) => string | undefined
}

/** Creates the reader of the rows of a file. */
const definitionReader = (
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
  const readRow: DefinitionReader['readRow'] = (row) => {
    const surplus = faultOfSurplus(row.cells, header)
    if (surplus !== undefined) return { reasons: [surplus], isMisread: true }
    const reading: Reading = { row, clears: clearEmpty, values: {}, reasons: [], rounded: 0 }
    for (const role of roles) readRole(reading, kind, cells, role)
    for (const { role } of needed.filter((one) => cells.textOf(one, row) === '')) {
      reading.reasons.push(`the ${role} is empty`)
    }
    const { values, reasons, rounded } = reading
    if (reasons.length > 0) return { reasons, isMisread: true }
    const desired = desiredOf(kind, row.line, values)
    return { desired, identity: `${Number(values[within ?? ''] ?? 0)}/${looseName(desiredName(desired))}`, rounded }
  }
  return { readRow, nameOf: (row) => names.map((one) => cells.textOf(one, row)).find((text) => text !== '') }
}

/** Describes what reading a file of definitions needs. */
export type ReadingDefinitions = ReadingFile & { readonly kind: DefinitionKind; readonly options: DefinitionOptions }

const directoryOf = (role: string, snapshot: Snapshot, kinds: readonly KindName[]): Directory<Named> =>
  createDirectory(
    role,
    kinds.flatMap((kind) => snapshot.ofKind(kind).map(({ id = 0, name }) => ({ id, name }))),
  )

/** Returns what the given roles may refer to. The newer interface does not list what breakdowns there are. */
const lookupsIn = (
  snapshot: Snapshot,
  { kind, account }: ReadingDefinitions,
  roles: readonly DefinitionRole[],
): Lookups =>
  new Map(
    roles.flatMap(({ role, name }) => {
      const { refers } = fieldOf(kind, name) ?? {}
      if (!refers) return []
      const isListed = name !== 'breakdown_id' || account.classic !== undefined
      const known = isListed ? directoryOf(role, snapshot, refers) : undefined
      return [[role, known && name !== 'breakdown_id' ? known : anyId('breakdowns', known)] as const]
    }),
  )

/** Describes how a file is read, and the account as it was read. */
type Begun = DefinitionReader & {
  readonly plan: DefinitionPlan
  readonly roles: readonly DefinitionRole[]
  readonly snapshot: Snapshot
  /** Reads the account again. */
  readonly look: () => Promise<Snapshot>
}

/** Finds out what the columns mean, and from all rows how their cells are written. */
export const beginReading = async (work: ReadingDefinitions): Promise<Begun> => {
  const { kind, table, onProgress } = work
  const header = await requireHeader(table)
  const brief = kind.of.brief.map(({ name }) => name)
  const options = asOwnList(work.options, header, table, brief)
  const plan = planDefinitions(header, kind, options)
  const roles = rolesOf(kind)
  const look = (): Promise<Snapshot> => readSnapshot(work.account, [kind.kind.name])
  const snapshot = await look()
  const seen = createCells(plan, roles, options, lookupsIn(snapshot, work, roles))
  for await (const row of rowsBelowHeader(table, onProgress)) if (row.cells.length <= header.length) seen.note(row)
  const cells = seen.settle()
  requireConstants(cells, roles, options.constants)
  return { plan, roles, snapshot, look, ...definitionReader(kind, roles, plan, cells, options.clearEmpty) }
}
