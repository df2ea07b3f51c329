import { Fault, type Issue } from '../../domain/errors.ts'
import { type Calendar, CIVIL_CALENDAR } from '../../domain/period.ts'
import type { DatedTarget } from '../../domain/targets/dated-targets.ts'
import { valueOfText } from '../../domain/field-value.ts'
import { assignment } from '../../domain/resources/assignment.ts'
import { faultsOfUserTarget } from '../../domain/rules.ts'
import { namesUnits } from '../../domain/numbers/unit-words.ts'
import type { ColumnPlan } from '../columns/columns.ts'
import { faultsOfNeeded, namedColumns, recognizeColumns, requireClear, unassignedColumns } from '../columns/header.ts'
import type { RefusedRow } from '../entries/desired-rows.ts'
import { type ColumnFormats, nameFinder, unitIn } from '../detect/column-formats.ts'
import { Misread, withoutMissing } from '../formats/evidence.ts'
import type { ImportOptions, Role } from '../options/options.ts'
import { faultOfSurplus, type Row, type Table } from '../../tabular/source/table.ts'
import type { Reference } from '../directory/reference.ts'
import { cellReader } from '../rows/owner-reader.ts'
import { faultOfTargetDay, isFromName, readTargetDay, targetDayIn } from '../columns/target-days.ts'
import { readWide, type WideColumn } from '../columns/wide.ts'
import type { Sample } from '../columns/contents.ts'
import { recognizePersons } from '../columns/persons.ts'
import type { Lookup } from '../directory/lookup.ts'

/** Lists the roles that files of assignments and of entries share. */
export const ASSIGN_ROLES: readonly Role[] = ['user', 'kpi', 'target']

/** Lists the roles that every row needs. */
const NEEDED = ['user', 'kpi'] as const

/** Lists the interface's own names, so that a list can be imported. */
const OWN_NAMES: ReadonlyMap<string, Role> = new Map(Object.entries({ id: 'kpi', user_target: 'target' }))
const PLACE = /^\s*(?:sort[ _-]?order|place|position)\s*$/i

/** Describes the columns of a file of assignments. */
type AssignmentPlan = ColumnPlan & { readonly place: number | undefined; readonly from: number | undefined }

/** Finds out what each column means; everything that is unclear is one error. */
export const planAssignments = (
  header: readonly string[],
  options: ImportOptions,
  sample: Sample,
  users: Lookup,
): AssignmentPlan => {
  const found = namedColumns(header, options)
  if (options.user === undefined) recognizePersons(found, sample, users)
  recognizeColumns(found, ASSIGN_ROLES)
  for (const at of unassignedColumns(found)) {
    const role = OWN_NAMES.get(header[at]?.trim().toLowerCase() ?? '')
    if (role && !found.roles.has(role)) found.roles.set(role, at)
  }
  const [place, again] = unassignedColumns(found).filter((at) => PLACE.test(header[at] ?? ''))
  if (place !== undefined) found.ignored.add(place)
  if (again !== undefined)
    found.issues.push({
      field: 'sort_order',
      message: `is both "${header[place ?? 0]}" and "${header[again]}"; leave one out (--ignore)`,
    })
  const from = found.roles.has('target')
    ? unassignedColumns(found).find((at) => isFromName(header[at] ?? ''))
    : undefined
  if (from !== undefined) found.ignored.add(from)
  const constants = NEEDED.flatMap((role) => {
    const constant = options[role]
    return constant === undefined ? [] : [[role, constant] as const]
  })
  requireClear([...found.issues, ...faultsOfNeeded(found, NEEDED, new Map(constants))])
  const others = unassignedColumns(found)
  return {
    header,
    roles: found.roles,
    joined: found.joined,
    wide: undefined,
    unused: others.map((at) => header[at] ?? ''),
    units: others.filter((at) => namesUnits(header[at] ?? '')),
    place,
    from,
  }
}

/** Describes an assignment that a row asks for; an empty cell keeps the stored value. */
export type AssignmentRow = {
  readonly line: number
  readonly user: number
  readonly kpi: number
  readonly target: bigint | undefined
  /** Holds the targets that begin on a day. */
  readonly dated: readonly DatedTarget[]
  readonly place: number | undefined
  /** Tells whether the target had more than four decimals. */
  readonly isRounded: boolean
}

/** Reads a row, or returns all that is wrong with it. */
type AssignReader = (row: Row) => AssignmentRow | RefusedRow

const placeOf = (text: string): number | Fault => {
  const value = valueOfText(assignment.fields.sort_order, text)
  return value instanceof Fault ? value : Number(value)
}

/**
 * Creates a reader of the rows of a file by its plan. It collects KPIs without a target for which users are given one.
 */
export const assignReader = (
  plan: AssignmentPlan,
  options: ImportOptions,
  reference: Reference,
  formats: ColumnFormats,
  onNoTarget: (kpi: string) => void,
  calendar: Calendar = CIVIL_CALENDAR,
): AssignReader => {
  const userIn = cellReader(plan, 'user', options.user, nameFinder(formats, 'user'))
  const kpiIn = cellReader(plan, 'kpi', options.kpi, nameFinder(formats, 'kpi'))
  const textAt = (cells: readonly string[], at: number | undefined): string => cells[at ?? -1]?.trim() ?? ''
  const valueOf = withoutMissing(options.missing)
  const targetAt = plan.roles.get('target') ?? -1
  const targets = formats.numbers.get(targetAt)
  return ({ line, cells, numbers }) => {
    const { header, place: placeAt, from: fromAt } = plan
    const surplus = faultOfSurplus(cells, header)
    if (surplus !== undefined) return { reasons: [surplus], isMisread: true }
    const reasons: string[] = []
    let isMisread = false
    const accept = <T>(value: T | Fault, name = ''): T | undefined => {
      if (!(value instanceof Fault)) return value
      isMisread ||= value instanceof Misread
      reasons.push(name + value.message)
      return undefined
    }
    const [user, kpi] = [accept(userIn(cells))?.id, accept(kpiIn(cells))?.id]
    const [target, place] = [valueOf(textAt(cells, targetAt)), textAt(cells, placeAt)]
    const number =
      target === '' || !targets
        ? undefined
        : accept(targets.read(target, line, kpi, numbers?.[targetAt], unitIn(formats, cells, targetAt)), 'target ')
    const day = textAt(cells, fromAt)
    const from =
      day === '' ? undefined : accept(readTargetDay(day, calendar), `${header[fromAt ?? -1]?.trim()} "${day}" `)
    const wanted = {
      line,
      target: from === undefined ? number?.value : undefined,
      dated: from === undefined || number === undefined ? [] : [{ from, target: number.value }],
      isRounded: number?.rounded ?? false,
      place: place === '' ? undefined : accept(placeOf(place), 'sort_order '),
    }
    const known = kpi === undefined ? undefined : reference.kpis.byId.get(kpi)
    const faults = known ? faultsOfUserTarget(known, number?.value) : []
    if (known && faults.length > 0) onNoTarget(known.name)
    reasons.push(...faults.map(({ message }) => message))
    return user === undefined || kpi === undefined || reasons.length > 0
      ? { reasons, isMisread }
      : { ...wanted, user, kpi }
  }
}

/** Names the columns of the list that a matrix stands for. */
const LIST_HEADER = ['user', 'kpi', 'target'] as const

/** Describes a matrix of users by KPIs: the columns of the users, and those of KPIs. */
type Matrix = {
  readonly header: readonly string[]
  /** Holds the column of the users, or those of their first and last names. */
  readonly users: readonly number[]
  readonly kpis: readonly number[]
}

/** Matches a cell that assigns a KPI without a target of the user's own. */
const MARK = /^(?:x|yes|✓|✔)$/i

/** Returns the columns of the users: one or two that are called so, or else a first one without a name. */
const userColumnsOf = (
  header: readonly string[],
  options: ImportOptions,
  sample: Sample,
  users: Lookup,
): readonly number[] => {
  const found = namedColumns(header, options)
  recognizePersons(found, sample, users)
  recognizeColumns(found, ASSIGN_ROLES)
  if (found.roles.has('kpi') || found.roles.has('target')) return []
  const user = found.roles.get('user') ?? (header[0]?.trim() === '' ? 0 : undefined)
  return found.joined.get('user') ?? (user === undefined ? [] : [user])
}

/** Returns the faults of columns that are the same KPI, of which a user has one target. */
const faultsOfSame = (header: readonly string[], columns: readonly WideColumn[]): Issue[] =>
  [...Map.groupBy(columns, ({ kpi }) => kpi).values()].flatMap((same) => {
    const heads = same.map(({ at }) => `"${header[at]?.trim()}"`).join(' and ')
    const message = `${heads} are the same KPI; leave one of the columns out with --ignore, by its name, or by its place, as "#${(same.at(-1)?.at ?? 0) + 1}"`
    return same.length > 1 ? { field: 'header', message } : []
  })

/** Returns the matrix that a header is of; undefined for a list with a column of KPIs. */
const matrixOf = (
  header: readonly string[],
  options: ImportOptions,
  { kpis, users }: Pick<Reference, 'kpis' | 'users'>,
  sample: Sample,
): Matrix | undefined => {
  if (options.kpi !== undefined) return undefined
  const ofUsers = userColumnsOf(header, options, sample, users)
  if (ofUsers.length === 0) return undefined
  const found = namedColumns(header, options)
  const others = unassignedColumns(found).filter((at) => !ofUsers.includes(at))
  // Two targets cannot be made one as two values can, so no flag says what becomes of a second column.
  const read = readWide({
    of: 'kpi',
    found,
    directories: { kpi: kpis, user: users },
    options: { ...options, onDuplicate: 'last' },
    places: others,
  })
  const { columns, named, faults, doubt } = read
  if (columns.length === 0 && named === 0) return undefined
  const issues = [...faults.map(({ field, message }) => ({ field, message })), ...faultsOfSame(header, columns)]
  if (doubt !== undefined) issues.push({ field: 'header', message: doubt })
  requireClear(issues)
  return { header, users: ofUsers, kpis: others }
}

/** Returns the rows of the list that a row of a matrix stands for: one for each cell that is not empty, or that a flag takes as empty. */
const rowsOfList = (
  { header, users, kpis }: Matrix,
  { missing }: Pick<ImportOptions, 'missing'>,
  { line, cells, numbers }: Row,
): Row[] => {
  const valueOf = withoutMissing(missing)
  return kpis.flatMap((at): Row[] => {
    const cell = valueOf(cells[at]?.trim() ?? '')
    if (cell === '') return []
    const user = users.map((place) => cells[place]?.trim() ?? '').join(' ').trim() // prettier-ignore
    const row = { line, cells: [user, header[at] ?? '', MARK.test(cell) ? '' : cell] }
    const currency = numbers?.[at]
    return [currency === undefined ? row : { ...row, numbers: [undefined, undefined, currency] }]
  })
}

/** Returns the table of a list with another header, in which several rows stand for each row of a table. */
const listOf = (table: Table, header: readonly string[], rowsOf: (row: Row) => Row[]): Table => ({
  ...table,
  rows: async function* () {
    let isHeader = true
    for await (const rows of table.rows()) {
      const list = rows.flatMap((row) => {
        if (!isHeader) return rowsOf(row)
        isHeader = false
        return [{ ...row, cells: header }]
      })
      yield list
    }
  },
})

/** Reads the cells of a row of a matrix. A reason about a target names its KPI; one about the user is that of the whole row. */
const readMatrixRow = (
  matrix: Matrix,
  options: Pick<ImportOptions, 'missing'>,
  readRow: AssignReader,
  row: Row,
): (AssignmentRow | RefusedRow)[] => {
  const surplus = faultOfSurplus(row.cells, matrix.header)
  if (surplus !== undefined) return [{ reasons: [surplus], isMisread: true }]
  return rowsOfList(matrix, options, row).map((cell) => {
    const one = readRow(cell)
    if (!('reasons' in one)) return one
    const named = (reason: string): string => (reason.startsWith('target ') ? `${cell.cells[1]}: ${reason}` : reason)
    return { ...one, reasons: one.reasons.map(named) }
  })
}

/** Describes the list that a matrix stands for, which is read as any other, and reads the rows of the matrix by that. */
type ListOfMatrix = {
  readonly table: Table
  readonly header: readonly string[]
  readonly options: ImportOptions
  readonly rowReader: (readRow: AssignReader) => (row: Row) => (AssignmentRow | RefusedRow)[]
}

/**
 * Returns the list that the matrix of a file stands for; undefined for a file that is a list with a column of KPIs. Refuses
 * a matrix of whose columns only some are KPIs, or of which it is not clear which KPIs they are.
 */
export const findMatrix = (
  table: Table,
  header: readonly string[],
  options: ImportOptions,
  reference: Pick<Reference, 'kpis' | 'users'>,
  sample: Sample,
): ListOfMatrix | undefined => {
  const matrix = matrixOf(header, options, reference, sample)
  return (
    matrix && {
      table: listOf(table, LIST_HEADER, (row) => rowsOfList(matrix, options, row)),
      header: LIST_HEADER,
      // Leave out what is said of the columns of the matrix: those of the list have names of their own.
      options: { ...options, map: new Map(), ignore: [], columns: undefined },
      rowReader: (readRow) => (row) => readMatrixRow(matrix, options, readRow, row),
    }
  )
}

/** Describes a list of assignments with a column of targets for each of some days, and its other columns. */
type Timeline = {
  readonly header: readonly string[]
  readonly others: readonly number[]
  readonly days: readonly number[]
  /** Holds the column of the targets that begin on no such day, if there is one. */
  readonly target: number | undefined
  /** Holds the column of the first days of those targets, if there is one. */
  readonly from: number | undefined
}

const FROM_HEADING = 'valid from'

/** Returns the rows of a list with a row for each target that a row of the other has; without any, the assignment alone. */
const rowsOfTimeline = (
  { header, others, days, target, from }: Timeline,
  { missing }: Pick<ImportOptions, 'missing'>,
  { line, cells, numbers }: Row,
): Row[] => {
  const valueOf = withoutMissing(missing)
  const own = others.map((at) => cells[at] ?? '')
  const rowOf = (at: number, day: string): Row[] => {
    const cell = valueOf(cells[at]?.trim() ?? '')
    if (cell === '') return []
    const row = { line, cells: [...own, cell, day] }
    const currency = numbers?.[at]
    return [currency === undefined ? row : { ...row, numbers: [...own.map(() => undefined), currency] }]
  }
  const plain = target === undefined ? [] : rowOf(target, cells[from ?? -1] ?? '')
  const given = [...plain, ...days.flatMap((at) => rowOf(at, header[at] ?? ''))]
  return given.length > 0 ? given : [{ line, cells: [...own, '', ''] }]
}

/**
 * Returns the list with one target a row that a list with a column for each year or quarter stands for; undefined for any
 * other file.
 */
export const findTimeline = (
  table: Table,
  header: readonly string[],
  options: ImportOptions,
  calendar: Calendar,
): ListOfMatrix | undefined => {
  const found = namedColumns(header, options)
  recognizeColumns(found, ASSIGN_ROLES)
  const free = unassignedColumns(found)
  const days = free.filter((at) => targetDayIn(header[at] ?? '', calendar) !== undefined)
  if (days.length === 0) return undefined
  requireClear(
    days.flatMap((at) => faultOfTargetDay(header[at] ?? '', targetDayIn(header[at] ?? '', calendar) ?? NaN) ?? []),
  )
  const target =
    found.roles.get('target') ?? free.find((at) => OWN_NAMES.get(header[at]?.trim().toLowerCase() ?? '') === 'target')
  const from = target === undefined ? undefined : free.find((at) => isFromName(header[at] ?? ''))
  const others = header.flatMap((_, at) => (days.includes(at) || at === target || at === from ? [] : [at]))
  const timeline = { header, others, days, target, from }
  const list = [
    ...others.map((at) => header[at] ?? ''),
    header[target ?? -1] ?? 'target',
    header[from ?? -1] ?? FROM_HEADING,
  ]
  return {
    table: listOf(table, list, (row) => rowsOfTimeline(timeline, options, row)),
    header: list,
    options,
    rowReader: (readRow) => (row) => {
      const surplus = faultOfSurplus(row.cells, header)
      if (surplus !== undefined) return [{ reasons: [surplus], isMisread: true }]
      return rowsOfTimeline(timeline, options, row).map(readRow)
    },
  }
}
