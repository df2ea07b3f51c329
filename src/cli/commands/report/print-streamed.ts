import type { Needs } from '../../../client/capabilities.ts'
import type { Client } from '../../../client/client.ts'
import { Aborted } from '../../../client/transport.ts'
import type { ReportTable } from '../../../domain/analysis/report-table.ts'
import { type Day, formatDay } from '../../../domain/day.ts'
import type { AnyRecord, NamedField } from '../../../domain/schema.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, IncompleteOutput, IncompleteRun, type PrintedPart, UsageError } from '../../exit.ts'
import { printRecords } from '../../output/print.ts'
import { countOf } from '../../output/text.ts'

/** Counts the rows that were printed, from the first day that was asked for. */
type Progress = {
  from: Day
  rows: number
  lastDay: Day
  /** Tells whether all rows before the last day are there: the bundled service promises it, others are checked at the end. */
  isOrdered: boolean
}

/** Returns the last day of which all rows were printed; undefined if there is none, or if it is not known. */
const wholeTo = ({ rows, from, lastDay, isOrdered }: Progress): Day | undefined =>
  isOrdered && rows > 0 && lastDay > from ? lastDay - 1 : undefined

const describeProgress = (progress: Progress): PrintedPart => {
  const { rows, lastDay, isOrdered } = progress
  const whole = wholeTo(progress)
  if (rows === 0) return { rows, wholeTo: null, text: 'no rows were printed' }
  const [count, were] = [countOf(rows, 'row', 'rows'), rows === 1 ? 'was' : 'were']
  if (whole !== undefined) {
    const day = formatDay(whole)
    return { rows, wholeTo: day, text: `${count} ${were} printed; they are whole up to ${day}` }
  }
  const why = isOrdered ? 'no day is whole' : 'whether any day is whole was not checked yet'
  return { rows, wholeTo: null, text: `${count} ${were} printed, up to ${formatDay(lastDay)}; ${why}` }
}

const interrupted = (): IncompleteRun => new IncompleteRun(EXIT.interrupted, 'interrupted', ['interrupted'])

/** Refuses formats whose output depends on all rows. */
export const requireStreamable = (isOverview: boolean, hasQuestion: boolean): void => {
  if (hasQuestion) throw new UsageError('--stream prints rows as they come; a question is answered when all are read')
  if (!isOverview) return
  throw new UsageError(
    '--stream prints rows as they come; the overview needs all: add --rows, or -o csv, json or ndjson',
  )
}

/** Returns the parts one after the other, and counts the rows of each once it was printed. */
async function* counted(
  parts: ReportTable['parts'],
  progress: Progress,
  { isBundled }: Client,
  signal: AbortSignal,
): AsyncGenerator<readonly AnyRecord[]> {
  for await (const rows of parts) {
    if (signal.aborted) throw interrupted()
    // Ask now: a later failure may be the page of a gateway, which tells nothing of the service.
    if (progress.rows === 0) progress.isOrdered = isBundled()
    yield rows
    progress.rows += rows.length
    progress.lastDay = rows.reduce((last, { entryDate }) => Math.max(last, Number(entryDate)), progress.lastDay)
  }
}

/** Prints rows; a table, which holds some back, ends properly before an error is thrown. */
const printParts = async (
  { io, printing }: Cli,
  columns: readonly NamedField[],
  parts: AsyncIterable<readonly AnyRecord[]>,
  progress: Progress,
): Promise<void> => {
  const failures: unknown[] = []
  const endBeforeFailure = async function* (): AsyncGenerator<readonly AnyRecord[]> {
    try {
      yield* parts
    } catch (error) {
      if (printing().format !== 'table' || progress.rows === 0) throw error
      failures.push(error)
    }
  }
  await printRecords(io, printing(), columns, endBeforeFailure())
  for (const failure of failures) throw failure
}

/** Describes what is printed: the columns of a format, the rows, and the first day that was asked for. */
type Streamed = ReportTable & { readonly from: Day }

/**
 * Prints the rows of a report as they come. If it fails, or is interrupted, the error says how many were printed, and up
 * to which day they are whole.
 */
export const printStreamed = async (
  cli: Cli,
  needs: Needs,
  read: (client: Client) => Promise<Streamed>,
): Promise<void> => {
  const signal = cli.io.interruption()
  const progress: Progress = { rows: 0, from: Infinity, lastDay: -Infinity, isOrdered: false }
  const work = async (client: Client): Promise<void> => {
    const { columns, parts, from } = await read(client)
    progress.from = from
    await printParts(cli, columns, counted(parts, progress, client, signal), progress)
  }
  try {
    await cli.withClient(needs, work, { signal })
  } catch (error) {
    if (error instanceof UsageError) throw error
    const cause = error instanceof Aborted && signal.aborted ? interrupted() : error
    throw new IncompleteOutput(cause, describeProgress(progress))
  }
}
