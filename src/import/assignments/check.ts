import type { Client } from '../../client/client.ts'
import { KpiError } from '../../domain/errors.ts'
import { rejectMisunderstoodColumns } from '../check.ts'
import { createColumnFormats, requireSettledFormats, settleFormats } from '../detect/column-formats.ts'
import { type ColumnFormats, surveyCells } from '../detect/survey.ts'
import { warningsOn } from '../notes.ts'
import type { ImportOptions } from '../options.ts'
import type { Row } from '../parse/rows.ts'
import { withoutMissing } from '../formats/missing-words.ts'
import { headerOf, type Table } from '../parse/table.ts'
import { fetchReference } from '../reference.ts'
import type { Rejects } from '../rejects/rejects.ts'
import { type AssignmentPlan, planAssignments } from './columns.ts'
import { type AssignReader, assignReader, type AssignmentRow } from './rows.ts'
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
}

/** Finds out what the columns mean, and from all target cells how numbers are written. */
const readerFor = async (client: Client, table: Table, asked: ImportOptions): Promise<RowChecking> => {
  const header = await headerOf(table)
  if (header.length === 0) throw new KpiError('malformed', `${table.name} is empty: there is not even a header`)
  const options = isOwnList(header, table) ? { ...asked, decimal: asked.decimal ?? '.' } : asked
  const plan = planAssignments(header, options)
  const reference = await fetchReference(client, { createAssignments: false, sources: false })
  const formats = createColumnFormats(plan, options, reference)
  await surveyCells(table, plan, formats, withoutMissing(options.missing), () => undefined)
  requireSettledFormats(formats)
  const withoutTarget = new Set<string>()
  const settled = settleFormats(formats, plan, options, reference)
  const readRow = assignReader(plan, options, reference, settled, (kpi) => withoutTarget.add(kpi))
  return { plan, readRow, withoutTarget, formats }
}

async function* rowsBelowHeader(table: Table, onProgress: () => void): AsyncGenerator<Row> {
  let isHeader = true
  for await (const rows of table.rows()) {
    for (const row of rows) {
      if (!isHeader) yield row
      isHeader = false
    }
    onProgress()
  }
}

/** Reads and checks a whole file, before anything is sent. */
export const checkAssignments = async (
  client: Client,
  table: Table,
  options: ImportOptions,
  { wanted, rejects, onProgress }: { wanted: RowCollection; rejects: Rejects; onProgress: () => void },
): Promise<CheckedRows> => {
  const { plan, readRow, formats, withoutTarget } = await readerFor(client, table, options)
  let [read, empty, misread, rounded] = [0, 0, 0, 0]
  for await (const row of rowsBelowHeader(table, onProgress)) {
    read += 1
    if (row.cells.every((cell) => cell.trim() === '')) {
      empty += 1
      continue
    }
    const one = readRow(row)
    if ('line' in one) {
      wanted.add(one)
      if (one.isRounded) rounded += 1
      continue
    }
    for (const reason of one.reasons) rejects.add(row.line, reason)
    if (one.isMisread) misread += 1
    rejectMisunderstoodColumns({ read, misread }, options, one.reasons)
  }
  const count = wanted.settle(rejects)
  const warnings = warningsOn(table, formats, read === 0)
  return { rows: wanted.rows, count, read, empty, rounded, warnings, withoutTarget, unused: plan.unused }
}
