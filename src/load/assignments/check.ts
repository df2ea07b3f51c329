import type { Client } from '../../client/client.ts'
import { KpiError } from '../../domain/errors.ts'
import { createForms, mustBeSettled, settledBy } from '../forms/forms.ts'
import { survey } from '../forms/survey.ts'
import type { ImportOptions } from '../options.ts'
import { someOf } from '../prepare.ts'
import { fetchReference } from '../reference.ts'
import type { Rejects } from '../rejects.ts'
import type { Row } from '../rows.ts'
import { headerOf, type Table } from '../table.ts'
import { type AssignPlan, planAssignments } from './columns.ts'
import { type AssignReader, assignReader, type WantedRow } from './rows.ts'

/** A file of assignments that has been read and checked. There are at most as many as users times KPIs. */
export type CheckedRows = {
  readonly rows: readonly WantedRow[]
  readonly read: number
  readonly empty: number
  /** Columns that mean nothing to us. */
  readonly unused: readonly string[]
}

/** The rows that ask for an assignment alone; those that ask for the same are all rejected. */
const withoutDuplicates = (rows: readonly WantedRow[], rejects: Rejects): WantedRow[] =>
  [...Map.groupBy(rows, ({ user, kpi }) => `${user}/${kpi}`).values()].flatMap((same) => {
    if (same.length === 1) return same
    const reason = `the same user and KPI stand on lines ${someOf(same.map(({ line }) => line))}`
    for (const { line } of same) rejects.add(line, reason)
    return []
  })

/** Settles what the columns are, and by all cells of the targets how these are written. */
const readerFor = async (client: Client, table: Table, options: ImportOptions): Promise<[AssignPlan, AssignReader]> => {
  const header = await headerOf(table)
  if (header.length === 0) throw new KpiError('malformed', `${table.name} is empty: there is not even a header`)
  const plan = planAssignments(header, options)
  const forms = createForms(plan, options)
  await survey(table, plan, forms, () => undefined)
  mustBeSettled(forms)
  const reference = await fetchReference(client, { createAssignments: false, sources: false })
  return [plan, assignReader(plan, options, reference, settledBy(forms, plan, options))]
}

async function* rowsBelowHeader(table: Table): AsyncGenerator<Row> {
  let isHeader = true
  for await (const rows of table.rows()) {
    for (const row of rows) {
      if (!isHeader) yield row
      isHeader = false
    }
  }
}

/** Reads and checks a whole file, before anything is sent. */
export const checkAssignments = async (
  client: Client,
  table: Table,
  options: ImportOptions,
  rejects: Rejects,
): Promise<CheckedRows> => {
  const [{ unused }, readRow] = await readerFor(client, table, options)
  const wanted: WantedRow[] = []
  let [read, empty] = [0, 0]
  for await (const row of rowsBelowHeader(table)) {
    read += 1
    if (row.cells.every((cell) => cell.trim() === '')) {
      empty += 1
      continue
    }
    const one = readRow(row)
    if ('line' in one) wanted.push(one)
    else for (const reason of one) rejects.add(row.line, reason)
  }
  return { rows: withoutDuplicates(wanted, rejects), read, empty, unused }
}
