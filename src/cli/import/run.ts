import type { Client } from '../../client/client.ts'
import type { Cli } from '../cli.ts'
import type { FlagValues } from '../flags.ts'
import { warnOfEnd } from '../key-end.ts'
import { type Asked, readAsked } from './asked.ts'
import { conclude } from './conclude.ts'
import { rehearseJob } from './dry-run.ts'
import { closeJobs, type Job, openJobs } from './jobs.ts'
import { loadJob } from './load.ts'
import { needsOfFile, needsOfFlags } from './needs.ts'
import { importSummary } from './output.ts'
import { createProgress } from './progress.ts'
import { type Stops, watchStops } from './stops.ts'
import { startMeter, summaryRecord } from './summary.ts'
import type { Run } from './work.ts'

/** Loads a file, then says what became of it. */
const load = async (run: Run, job: Job): Promise<void> => {
  const { cli, client } = run
  const measure = startMeter(cli.io, client)
  const ending = await loadJob(run, job)
  await cli.printOne(importSummary, summaryRecord(ending, measure()))
  return conclude(cli, ending, job)
}

/** Does what is asked with a file, through a client. */
const runJob = async (cli: Cli, client: Client, asked: Asked, stops: Stops, job: Job): Promise<number | void> => {
  const progress = await createProgress(cli)
  const run: Run = { cli, client, asked, stops, progress }
  try {
    return await (asked.isDryRun ? rehearseJob(run, job) : load(run, job))
  } finally {
    progress.stop()
    await warnOfEnd(cli.io, client.keySaid())
  }
}

/** `kpi entries import`: reads, checks and sends a file, or only says what that would do. */
export const runImport = async (cli: Cli, file: string, flags: FlagValues): Promise<number | void> => {
  const asked = readAsked(cli, [file], flags)
  cli.printing()
  cli.mustHave(needsOfFlags(asked.options))
  const stops = watchStops(cli.io)
  const jobs = await openJobs(cli, [file], asked, stops.signal)
  try {
    for (const job of jobs) {
      const needs = await needsOfFile(job.table, asked.options)
      return await cli.withClient(needs, (client) => runJob(cli, client, asked, stops, job))
    }
  } finally {
    closeJobs(jobs)
  }
}
