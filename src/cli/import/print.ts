import type { AnyRecord, NamedField, Resource } from '../../domain/schema.ts'
import { printRecords } from '../output/print.ts'
import { rehearseJob } from './dry-run.ts'
import type { Ends } from './end.ts'
import type { Job } from './jobs.ts'
import { load } from './load.ts'
import { importSummary, newerRehearsalRow, rehearsalRow } from './output.ts'
import type { Run } from './work.ts'

type Records = AsyncGenerator<readonly AnyRecord[]>

const FILE: NamedField = { name: 'file', field: { kind: 'text', about: 'File that was named, - for standard input' } }

const columnsOf = ({ asked }: Run, { shown }: Resource): readonly NamedField[] =>
  asked.isSeveral ? [FILE, ...shown] : shown

/** What there is to print of each file, with its name. */
async function* withNames(jobs: readonly Job[], ends: Ends, recordsOf: (job: Job) => Records): Records {
  for (const job of jobs) {
    if (!ends.goesOn()) return
    for await (const records of recordsOf(job)) yield records.map((record) => ({ file: job.file, ...record }))
  }
}

/** Lays an error aside, so that what is printed has an end. */
async function* untilFailure(records: Records, onFailure: (error: unknown) => void): Records {
  try {
    yield* records
  } catch (error) {
    onFailure(error)
  }
}

/** Says what loading files would do, as one list. */
export const printRehearsals = async (run: Run, jobs: readonly Job[], ends: Ends): Promise<void> => {
  const { cli, client } = run
  const row = client.variant === 'classic' ? rehearsalRow : newerRehearsalRow
  const records = withNames(jobs, ends, (job) => rehearseJob(run, job, ends))
  await printRecords(cli.io, cli.printing(), columnsOf(run, row), records)
}

/** Loads files, and prints a summary of each; that of a single file is no list. */
export const printLoads = async (run: Run, jobs: readonly Job[], ends: Ends): Promise<void> => {
  const { cli, asked } = run
  async function* loadOne(job: Job): Records {
    yield [await load(run, job, ends)]
  }
  let failure: { readonly error: unknown } | undefined
  const loads = untilFailure(withNames(jobs, ends, loadOne), (error) => {
    failure = { error }
  })
  if (asked.isSeveral) await printRecords(cli.io, cli.printing(), columnsOf(run, importSummary), loads)
  else for await (const [record] of loads) if (record) await cli.printOne(importSummary, record)
  if (failure) throw failure.error
}
