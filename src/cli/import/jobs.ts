import { openTable, type Table } from '../../load/reading/table.ts'
import type { Verifying } from '../../load/verified.ts'
import type { Cli } from '../cli.ts'
import type { Asked } from './asked.ts'
import { findRejectsPaths } from './rejects-path.ts'
import { openSource } from './source.ts'
import { verifyingOf } from './verified.ts'
import type { Stops } from './stops.ts'

/** A file that is to be loaded: opened, with a place for what is rejected. */
export type Job = {
  /** As it was named, `-` for standard input. */
  readonly file: string
  readonly table: Table
  /** As people are told of it, from the working directory. */
  readonly rejectsPath: string
  readonly verify: Verifying | undefined
}

/** Opens all files before the first is loaded, so that a name that is wrong is told in time. */
export const openJobs = async (
  cli: Cli,
  files: readonly string[],
  { rejects, reading, verify, receipt }: Asked,
  { signal, told }: Stops,
): Promise<Job[]> => {
  const paths = findRejectsPaths(cli.io, files, rejects)
  const verifying = files.map((file, at) => (verify ? verifyingOf(cli, file, paths[at] ?? '', receipt) : undefined))
  const jobs: Job[] = []
  try {
    for (const [at, file] of files.entries()) {
      const table = await openTable(await openSource(cli, file, signal), reading)
      jobs.push({ file, table, rejectsPath: paths[at] ?? '', verify: verifying[at] })
    }
    return jobs
  } catch (error) {
    closeJobs(jobs)
    throw told(error)
  }
}

/** Closes the files, and removes what was laid down of them. */
export const closeJobs = (jobs: readonly Job[]): void => {
  for (const { table } of jobs) table.close()
}
