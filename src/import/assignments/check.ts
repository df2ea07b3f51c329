import type { Client } from '../../client/client.ts'
import { KpiError } from '../../domain/errors.ts'
import { rejectMisunderstoodColumns } from '../check.ts'
import { createColumnFormats, requireSettledFormats, settleFormats } from '../detect/column-formats.ts'
import { warningsOnPercentSigns } from '../compare-definitions.ts'
import { type ColumnFormats, surveyCells } from '../detect/survey.ts'
import { warningsOn } from '../notes.ts'
import type { ImportOptions } from '../options.ts'
import type { Row } from '../parse/row/row.ts'
import { withoutMissing } from '../formats/missing-words.ts'
import { headerOf, rowsBelowHeader, type Table } from '../parse/table.ts'
import { fetchReference, type Reference } from '../reference.ts'
import { onLines } from '../rejects/on-lines.ts'
import type { Rejects } from '../rejects/rejects.ts'
import { type AssignmentPlan, planAssignments } from './columns.ts'
import { faultOfRow, findMatrix, listOfMatrix, type Matrix, reasonInMatrix, rowsOfList } from './matrix.ts'
import { type AssignReader, assignReader, type AssignmentRow, type RefusedRow } from './rows.ts'

/** Describes a file of assignments that has been read and checked. */
export type CheckedRows = {
  /** Lists the rows that can be sent, user by user, each user's in the order of the file. */
  readonly rows: readonly AssignmentRow[]
  readonly reference: Pick<Reference, 'users' | 'kpis'>
  /** Counts targets that had more than four decimals. */
  readonly rounded: number
  /** Lists warnings about how the file is read. */
  readonly warnings: readonly string[]
  readonly read: number
  readonly empty: number
  /** Lists columns without a meaning. */
  readonly unused: readonly string[]
  /** Lists KPIs without a target for which users are to get one. */
  readonly withoutTarget: ReadonlySet<string>
}

/** Tells whether a file has the names and the delimiter of `kpi assign list -o csv`, whose numbers have a point. */
const isOwnList = (header: readonly string[], { reading }: Table): boolean =>
  reading.separator === ',' && ['user_id', 'id', 'user_target'].every((name) => header.includes(name))

type RowChecking = Pick<CheckedRows, 'withoutTarget' | 'reference'> & {
  readonly formats: ColumnFormats
  readonly plan: AssignmentPlan
  readonly readRow: AssignReader
  /** Holds the matrix that the file is; undefined for a list. */
  readonly matrix: Matrix | undefined
  /** Lists warnings of numbers that do not suit the units of their KPIs. */
  readonly onUnits: readonly string[]
}

/** Returns the options of a matrix for the list that it stands for, whose columns have their own names. */
const optionsOfList = (options: ImportOptions): ImportOptions => ({
  ...options,
  map: new Map(),
  ignore: [],
  columns: undefined,
})

/** Reads the cells of a row of a matrix. */
const readMatrixRow = (
  matrix: Matrix,
  options: ImportOptions,
  readRow: AssignReader,
  row: Row,
): (AssignmentRow | RefusedRow)[] => {
  const fault = faultOfRow(matrix, row)
  if (fault !== undefined) return [{ reasons: [fault], isMisread: true }]
  return rowsOfList(matrix, options, row).map((cell) => {
    const one = readRow(cell)
    return 'line' in one ? one : { ...one, reasons: one.reasons.map((reason) => reasonInMatrix(cell, reason)) }
  })
}

/** Finds out what the columns mean, and from all target cells how numbers are written. */
const readerFor = async (
  client: Client,
  file: Table,
  asked: ImportOptions,
  onProgress: () => void | Promise<void>,
): Promise<RowChecking> => {
  const written = await headerOf(file)
  if (written.length === 0) throw new KpiError('malformed', `${file.name} is empty: there is not even a header`)
  const reference = await fetchReference(client, {
    createAssignments: false,
    sources: false,
    numbersAs: asked.numbersAs,
  })
  const matrix = findMatrix(written, asked, reference)
  const table = matrix ? listOfMatrix(file, matrix, asked) : file
  const header = await headerOf(table)
  const options = matrix
    ? optionsOfList(asked)
    : isOwnList(header, table)
      ? { ...asked, decimal: asked.decimal ?? '.' }
      : asked
  const plan = planAssignments(header, options)
  const formats = createColumnFormats(plan, options, reference)
  await surveyCells(table, plan, formats, withoutMissing(options.missing), onProgress)
  requireSettledFormats(formats)
  const withoutTarget = new Set<string>()
  const settled = settleFormats(formats, plan, options, reference)
  const readRow = assignReader(plan, options, reference, settled, (kpi) => withoutTarget.add(kpi))
  const onUnits = await warningsOnPercentSigns(client, formats, reference.kpis.byId.values())
  return { plan, readRow, withoutTarget, formats, matrix, onUnits, reference }
}

/** Rejects rows that ask for the same assignment, and returns the others, user by user. */
const rejectRepeated = (wanted: AssignmentRow[], rejects: Rejects): AssignmentRow[] => {
  const ofUsers = wanted.sort((one, other) => one.user - other.user || one.kpi - other.kpi || one.line - other.line)
  const isSame = (one: AssignmentRow | undefined, other: AssignmentRow): boolean =>
    one?.user === other.user && one.kpi === other.kpi
  const rows: AssignmentRow[] = []
  for (let at = 0, end = 0; at < ofUsers.length; at = end) {
    const row = ofUsers[at]
    if (!row) break
    while (isSame(ofUsers[end], row)) end += 1
    const lines = ofUsers.slice(at, end).map(({ line }) => line)
    if (lines.length === 1) rows.push(row)
    else for (const line of lines) rejects.add(line, `the same user and KPI${onLines(lines)}`)
  }
  return rows.sort((one, other) => one.user - other.user || one.line - other.line)
}

/** Reads and checks a whole file, before anything is sent. */
export const checkAssignments = async (
  client: Client,
  table: Table,
  options: ImportOptions,
  { rejects, onProgress }: { rejects: Rejects; onProgress: () => void | Promise<void> },
): Promise<CheckedRows> => {
  const checking = await readerFor(client, table, options, onProgress)
  const { plan, readRow, formats, withoutTarget, matrix, onUnits, reference } = checking
  const wanted: AssignmentRow[] = []
  const readAll = (row: Row): readonly (AssignmentRow | RefusedRow)[] =>
    matrix ? readMatrixRow(matrix, options, readRow, row) : [readRow(row)]
  let [read, empty, misread, rounded] = [0, 0, 0, 0]
  for await (const row of rowsBelowHeader(table, onProgress)) {
    read += 1
    if (row.cells.every((cell) => cell.trim() === '')) {
      empty += 1
      continue
    }
    const reasons = new Set<string>()
    let isMisread = false
    for (const one of readAll(row)) {
      if ('line' in one) {
        wanted.push(one)
        if (one.isRounded) rounded += 1
        continue
      }
      for (const reason of one.reasons) reasons.add(reason)
      isMisread ||= one.isMisread
    }
    if (reasons.size === 0) continue
    for (const reason of reasons) rejects.add(row.line, reason)
    if (isMisread) misread += 1
    rejectMisunderstoodColumns({ read, misread }, options, [...reasons])
  }
  const rows = rejectRepeated(wanted, rejects)
  const warnings = [...warningsOn(table, formats, read === 0), ...onUnits]
  return { rows, reference, read, empty, rounded, warnings, withoutTarget, unused: plan.unused }
}
