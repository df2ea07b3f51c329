import { resolve } from 'node:path'
import { type Ending, importFile } from '../../load/load.ts'
import type { Job } from './jobs.ts'
import { journalPlaceOf } from './journal.ts'
import { type Run, workOf } from './work.ts'

/** Loads a file. */
export const loadJob = async (run: Run, job: Job): Promise<Ending> => {
  const { cli, asked, progress } = run
  const at = (path: string): string => resolve(cli.io.cwd, path)
  try {
    return await importFile({
      ...workOf(run, job),
      rejectsPath: at(job.rejectsPath),
      journal: journalPlaceOf(run, job),
      verify: asked.verify ? { receiptPath: asked.receipt && at(asked.receipt) } : undefined,
    })
  } finally {
    progress.stop()
  }
}
