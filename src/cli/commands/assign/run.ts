import { resolve } from 'node:path'
import type { Client } from '../../../client/client.ts'
import { assignment } from '../../../domain/resources/assignment.ts'
import { type AnyRecord, resource } from '../../../domain/schema.ts'
import { ASSIGN_ROLES } from '../../../import/assignments/columns.ts'
import {
  type AssignWork,
  importAssignments,
  type JudgedRow,
  rehearseAssignments,
} from '../../../import/assignments/import-assignments.ts'
import { createRejectsFile } from '../../../import/rejects/rejects-file.ts'
import type { FlagValues } from '../../args/flags.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, Unfinished, UsageError } from '../../exit.ts'
import { printRecords } from '../../output/print.ts'
import { countOf } from '../../output/text.ts'
import { closeJobs, type Job, openJobs, type Run } from '../entries/import/jobs.ts'
import { startMeter } from '../entries/import/load.ts'
import { type Asked, readAsked } from '../entries/import/parsed-options.ts'
import { conclude } from '../entries/import/result.ts'
import { type Stops, watchStops } from '../entries/import/signals.ts'

/** Defines the summary of an import of assignments, as it is printed. */
const assignSummary = resource({
  name: 'assign_summary',
  plural: 'assign_summaries',
  title: 'summary of an import of assignments',
  path: '',
  verbs: [],
  fields: {
    read: { kind: 'integer', about: 'Rows of the file' },
    added: { kind: 'integer', about: 'Assignments that were created' },
    updated: { kind: 'integer', about: 'Assignments that were changed' },
    unchanged: { kind: 'integer', about: 'Assignments that existed already' },
    rejected: { kind: 'integer', about: 'Rows that were not imported' },
    rounded: { kind: 'integer', about: 'Targets that had more than four decimals' },
    empty: { kind: 'integer', about: 'Rows without any cell' },
    left: { kind: 'integer', about: 'Rows that were not sent because the run was stopped' },
    requests: { kind: 'integer', about: 'Requests that were answered' },
    refused: { kind: 'integer', about: 'Requests that were refused because of the rate limit, and sent again' },
    waited: { kind: 'decimal', about: 'Seconds that requests waited for the rate limit' },
    seconds: { kind: 'decimal', about: 'How long it took' },
  },
})

/** Defines a row of a dry run of assignments. */
const assignDryRunRow = resource({
  name: 'assign_dry_run_row',
  plural: 'assign_dry_run_rows',
  title: 'row of a dry run of assignments',
  path: '',
  verbs: [],
  fields: {
    line: { kind: 'integer', about: 'Line of the file' },
    action: { kind: 'text', about: 'add, update, unchanged or reject' },
    user_id: { kind: 'integer', about: 'User', nullable: true },
    kpi_id: { kind: 'integer', about: 'KPI', nullable: true },
    user_target: { kind: 'decimal', about: 'Target to be sent', nullable: true },
    sort_order: { kind: 'int16', about: 'Place to be sent', nullable: true },
    reason: { kind: 'text', about: 'Why it would be rejected', nullable: true, isSentence: true },
  },
})

/** Returns a row of a dry run as a record. */
const dryRunRecord = (judged: JudgedRow): AnyRecord => {
  if (judged.action === 'reject') return { line: judged.line, action: judged.action, reason: judged.reason }
  const { action, row, values } = judged
  return {
    line: row.line,
    action,
    user_id: row.user,
    kpi_id: row.kpi,
    user_target: values.user_target ?? null,
    sort_order: values.sort_order ?? null,
  }
}

const NEEDS = [
  { of: assignment, verb: 'add' },
  { of: assignment, verb: 'update' },
] as const

const mustBeOfAssignments = ({ options: { map } }: Asked): void => {
  const other = [...map.keys()].find((role) => !ASSIGN_ROLES.includes(role))
  if (other !== undefined)
    throw new UsageError(`--map ${other}: an assignment has ${ASSIGN_ROLES.join(', ')} and sort_order`)
}

async function* asRecords(chunks: AsyncIterable<readonly JudgedRow[]>): AsyncGenerator<readonly AnyRecord[]> {
  for await (const rows of chunks) yield rows.map(dryRunRecord)
}

/** Says what loading the file would do, a row an assignment. */
const rehearse = async (cli: Cli, work: AssignWork): Promise<number> => {
  const { summary, advice } = await rehearseAssignments(work, (rows) =>
    printRecords(cli.io, cli.printing(), assignDryRunRow.shown, asRecords(rows)),
  )
  const { added, updated, unchanged, rejected, rounded } = summary
  await cli.note(
    `dry run, nothing was sent: ${added} to add, ${updated} to update, ${unchanged} unchanged, ${countOf(rejected, 'row')} to reject` +
      (rounded > 0 ? `, ${countOf(rounded, 'value')} to round` : ''),
  )
  for (const line of advice) await cli.note(line)
  return rejected > 0 ? EXIT.partial : EXIT.done
}

const load = async (run: Pick<Run, 'cli' | 'stops' | 'asked'>, work: AssignWork, job: Job): Promise<void> => {
  const { cli } = run
  const measure = startMeter(cli.io, work.client)
  const file = createRejectsFile(resolve(cli.io.cwd, job.rejectsPath), job.rejectsPath, work.onWarning)
  const ending = await importAssignments(work, file)
  await cli.printOne(assignSummary, { ...ending.summary, left: ending.left, ...measure() })
  const { exit, code, said } = await conclude(run, job, ending, ['assignment', 'assignments'])
  if (said.length > 0) throw new Unfinished(exit, code, said)
}

const workOf = (cli: Cli, client: Client, asked: Asked, stops: Stops, { table }: Job): AssignWork => ({
  client,
  table,
  options: asked.options,
  folder: cli.io.tempDir,
  signal: stops.signal(),
  onNote: (text) => void cli.note(text),
  onWarning: (text) => void cli.log.warn(text),
  onProgress: () => cli.io.limitMemory(),
})

/** Runs `kpi assign import`: reads, checks and sends a file of assignments, or only says what that would do. */
export const runAssignImport = async (cli: Cli, file: string, flags: FlagValues): Promise<number | void> => {
  const asked = readAsked(cli, [file], flags)
  mustBeOfAssignments(asked)
  cli.printing()
  cli.mustHave(NEEDS)
  if (!asked.isDryRun) cli.io.stdout.outlast()
  const stops = watchStops(cli.io, asked.deadline)
  const jobs = await openJobs(cli, [file], asked, stops)
  try {
    const [job] = jobs
    if (!job) return
    const work = async (client: Client): Promise<number | void> => {
      const one = workOf(cli, client, asked, stops, job)
      return asked.isDryRun ? rehearse(cli, one) : load({ cli, stops, asked }, one, job)
    }
    return await cli.withClient(NEEDS, work, { signal: stops.signal(), late: stops.late })
  } catch (error) {
    throw stops.told(error)
  } finally {
    closeJobs(jobs)
  }
}
