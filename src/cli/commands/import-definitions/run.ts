import { resolve } from 'node:path'
import type { Client } from '../../../client/client.ts'
import { KpiError } from '../../../domain/errors.ts'
import { createRejectsFile } from '../../../import/rejects/rejects-file.ts'
import { createRejects, type Rejects } from '../../../import/rejects/rejects.ts'
import type { Cli } from '../../cli.ts'
import { IncompleteRun } from '../../exit.ts'
import type { ImportFlags } from '../entries/import-command.ts'
import { startMeter } from '../entries/import/import-job.ts'
import { closeJobs, openJobs } from '../entries/import/jobs.ts'
import { parseOptions } from '../entries/import/parsed-options.ts'
import { concludeFile } from '../entries/import/result.ts'
import { type StopSignals, watchStopSignals } from '../entries/import/signals.ts'
import { importSources } from '../entries/import/sources.ts'
import { countOfAction, printDone, printDryRun } from './print.ts'
import { type DefinitionImport, type DefinitionRun, planFile, type PlannedFile } from './read-file.ts'
import { sendRows } from './send.ts'

const countRejects = (rejects: Rejects): number => [...rejects.lines()].length

/** Sends what is planned; writes the rejects, and prints the summary. */
const sendFile = async (
  run: DefinitionRun,
  { of, collection }: DefinitionImport,
  planned: PlannedFile,
  stops: StopSignals,
): Promise<void> => {
  const { cli, client, job, parsed, rejects, measure } = run
  const warn = (text: string): void => void cli.log.warn(text)
  const file = createRejectsFile(resolve(cli.io.cwd, job.rejectsPath), job.rejectsPath, warn)
  const writeRejects = async (): Promise<void> => {
    if (countRejects(rejects) > 0) await file.write(job.table, rejects)
  }
  await writeRejects()
  const { counts, left, failure } = await sendRows(
    {
      of,
      collection: (parent) => collection(client, parent),
      step: client.addStep,
      signal: stops.signal(),
      onRefusal: (line, reason) => rejects.add(line, reason),
    },
    planned.rows,
  )
  await writeRejects()
  file.warnOfMovedFiles()
  if (failure && counts.created + counts.updated === 0) throw failure
  const [unchanged, skipped] = [countOfAction(planned, 'unchanged'), countOfAction(planned, 'skip')]
  const summary = { read: planned.read, ...counts, unchanged, skipped, rejected: countRejects(rejects), left }
  await printDone(run, { ...summary, ...measure() })
  const ended = { summary, left, failure: failure instanceof KpiError ? failure : undefined, hasSent: true }
  const { exit, code, lines } = await concludeFile({ cli, stops, parsed }, job, ended, ['row', 'rows'])
  if (lines.length > 0) throw new IncompleteRun(exit, code, lines)
}

/**
 * Runs `kpi kpis import` and the like: reads a file of definitions, plans what to create and what to change, and does
 * it, or only says it. The same command continues a run that was cut off, because what exists is found by its name.
 */
export const runDefinitionImport = async (
  cli: Cli,
  file: string,
  flags: ImportFlags & { readonly summaryOnly?: true },
  what: DefinitionImport,
): Promise<number | void> => {
  const parsed = parseOptions(cli, [file], flags)
  const needs = [
    { of: what.of, verb: 'add' },
    { of: what.of, verb: 'update' },
  ] as const
  cli.printing()
  cli.requireCapabilities(needs)
  if (!parsed.isDryRun) cli.io.stdout.outlast()
  const stops = watchStopSignals(cli.io, parsed.deadline)
  const jobs = await openJobs(cli, importSources(cli.io, [file], undefined), parsed, stops)
  const rejects = createRejects(cli.io.tempDir)
  try {
    const [job] = jobs
    if (!job) return
    const work = async (client: Client): Promise<number | void> => {
      const run = { cli, client, job, parsed, rejects, measure: startMeter(cli.io, client) }
      const planned = await planFile(run, what)
      if (parsed.isDryRun) return printDryRun(run, what.of, planned, flags.summaryOnly === true)
      return sendFile(run, what, planned, stops)
    }
    return await cli.withClient(needs, work, { signal: stops.signal(), late: stops.late })
  } catch (error) {
    throw stops.withStopReason(error)
  } finally {
    rejects.close()
    closeJobs(jobs)
  }
}
