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
import { fetchReference } from '../reference.ts'
import type { Rejects } from '../rejects/rejects.ts'
import { type AssignmentPlan, planAssignments } from './columns.ts'
import { faultOfRow, findMatrix, listOfMatrix, type Matrix, reasonInMatrix, rowsOfList } from './matrix.ts'
import { type AssignReader, assignReader, type AssignmentRow, type RefusedRow } from './rows.ts'
import type { RowCollection } from './wanted.ts'

/** Describes a file of assignments that has been read and checked. */
export type CheckedRows = {
  readonly rows: () => Generator<AssignmentRow>
  /** Counts the rows to send. */
  readonly count: number
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

type RowChecking = Pick<CheckedRows, 'withoutTarget'> & {
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
  return { plan, readRow, withoutTarget, formats, matrix, onUnits }
}

/** Reads and checks a whole file, before anything is sent. */
export const checkAssignments = async (
  client: Client,
  table: Table,
  options: ImportOptions,
  { wanted, rejects, onProgress }: { wanted: RowCollection; rejects: Rejects; onProgress: () => void | Promise<void> },
): Promise<CheckedRows> => {
  const { plan, readRow, formats, withoutTarget, matrix, onUnits } = await readerFor(client, table, options, onProgress)
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
        wanted.add(one)
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
  const count = wanted.settle(rejects)
  const warnings = [...warningsOn(table, formats, read === 0), ...onUnits]
  return { rows: wanted.rows, count, read, empty, rounded, warnings, withoutTarget, unused: plan.unused }
}
