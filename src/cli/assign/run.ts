import { resolve } from 'node:path'
import type { Client } from '../../client/client.ts'
import { assignment } from '../../domain/resources/assignment.ts'
import type { AnyRecord } from '../../domain/schema.ts'
import { ASSIGN_ROLES } from '../../load/assignments/columns.ts'
import { type AssignWork, importAssignments, type JudgedRow, rehearseAssignments } from '../../load/assignments/load.ts'
import { createRejectsFile } from '../../load/rejects-file.ts'
import type { Cli } from '../cli.ts'
import { countOf } from '../count-of.ts'
import { EXIT, Unfinished, UsageError } from '../exit.ts'
import type { FlagValues } from '../flags.ts'
import { type Asked, readAsked } from '../import/asked.ts'
import { conclude } from '../import/conclude.ts'
import { closeJobs, type Job, openJobs } from '../import/jobs.ts'
import { type Stops, watchStops } from '../import/stops.ts'
import { startMeter } from '../import/summary.ts'
import type { Run } from '../import/work.ts'
import { printRecords } from '../output/print.ts'
import { assignDryRunRow, assignSummary, dryRunRecord } from './output.ts'

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

/** `kpi assign import`: reads, checks and sends a file of assignments, or only says what that would do. */
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
