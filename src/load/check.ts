import type { Client } from '../client/client.ts'
import { KpiError } from '../domain/errors.ts'
import { type Plan, planColumns } from './columns.ts'
import { createRowReader, type RowReader, type RowSink } from './entry.ts'
import type { ImportOptions } from './options.ts'
import { mayNameSources } from './header.ts'
import { mustBeFew } from './max-errors.ts'
import { mustMayWrite } from './readable.ts'
import type { SourcesOfUsers } from './owner.ts'
import { fetchReference, type Reference } from './reference.ts'
import type { Rejects } from './rejects.ts'
import type { Row } from './rows.ts'
import type { Sorter } from './sorter.ts'
import type { Summary } from './summary.ts'
import type { Table } from './table.ts'

/** So many bad rows at the start mean that the columns are not what they were taken for. */
const TRIAL_ROWS = 20

/** What is known of a file once its header has been read. */
type Begun = { readonly plan: Plan; readonly reference: Reference }

/** What is known of a file once all of it has been read and checked. */
export type Checked = Begun & { readonly sourcesOfUsers: SourcesOfUsers }

/** Where checking puts what it finds. */
export type CheckResults = {
  readonly sorter: Sorter
  readonly rejects: Rejects
  readonly summary: Summary
  /** Called between parts of the file; may throw to stop. */
  readonly onProgress: () => void
}

const mustMakeSense = ({ read, rejected }: Summary, reasons: readonly string[]): void => {
  if (read !== TRIAL_ROWS || rejected !== TRIAL_ROWS) return
  throw new KpiError(
    'malformed',
    `the first ${TRIAL_ROWS} rows are all bad, so the columns are not what they were taken for; nothing was sent. The last of them: ${reasons.join('; ')}`,
  )
}

/** Fetches what rows refer to, and settles what the columns mean. */
const beginWith = async (header: readonly string[], client: Client, options: ImportOptions): Promise<Begun> => {
  await mustMayWrite(client)
  const takesSources = client.variant === 'v1'
  const sources = takesSources && mayNameSources(header, options)
  const reference = await fetchReference(client, { createAssignments: options.createAssignments, sources })
  const { kpis, users } = reference
  const directories = { kpi: kpis, user: users, source: reference.sources, takesSources }
  return { reference, plan: planColumns(header, options, directories) }
}

/** Reads and checks a whole file, before anything is sent: good rows go to the sorter, the others to the rejects. */
export const checkFile = async (
  table: Table,
  client: Client,
  options: ImportOptions,
  results: CheckResults,
): Promise<Checked> => {
  const { sorter, rejects, summary, onProgress } = results
  let lastReasons: readonly string[] = []
  const sink: RowSink = {
    entry: sorter.add,
    reject: (line, reasons) => {
      summary.rejected += 1
      lastReasons = [...reasons]
      for (const reason of reasons) rejects.add(line, reason)
    },
    rounded: () => {
      summary.rounded += 1
    },
    empty: () => {
      summary.empty += 1
    },
  }
  let begun: Begun | undefined
  let reader: RowReader | undefined
  const begin = async ({ cells }: Row): Promise<RowReader> => {
    begun = await beginWith(cells, client, options)
    return createRowReader(begun.plan, options, begun.reference, sink)
  }
  for await (const chunk of table.rows()) {
    const [header] = chunk
    if (!header) continue
    const rows = reader ? chunk : chunk.slice(1)
    reader ??= await begin(header)
    await begun?.reference.fetchAssignments(reader.usersOf(rows))
    for (const row of rows) {
      summary.read += 1
      reader.read(row)
      mustMakeSense(summary, lastReasons)
      mustBeFew(summary, options.maxErrors, lastReasons)
    }
    onProgress()
  }
  if (!begun || !reader) throw new KpiError('malformed', `${table.name} is empty: there is not even a header`)
  reader.finish()
  mustBeFew(summary, options.maxErrors, lastReasons, true)
  return { ...begun, sourcesOfUsers: reader.sourcesOfUsers }
}
