import { resolve } from 'node:path'
import type { AnyRecord } from '../../domain/schema.ts'
import { type Ending, importFile } from '../../load/load.ts'
import { createRejectsFile } from '../../load/rejects-file.ts'
import type { Summary } from '../../load/summary.ts'
import { conclude } from './conclude.ts'
import type { Ends } from './end.ts'
import { formNeeds } from './form-needs.ts'
import type { Job } from './jobs.ts'
import { journalPlace, learnedPath } from './journal-place.ts'
import { ASSIGNING_ADVICE, mayAssign } from './rejected.ts'
import { startMeter, summaryRecord } from './summary.ts'
import { type Run, beginWork } from './work.ts'

/** How the load of a file ended, and what to know to import the mended rejects. */
export type Loaded = Ending & { readonly needed: readonly string[]; readonly advice: readonly string[] }

const loadJob = async (run: Run, job: Job): Promise<Loaded> => {
  const { cli, client, asked, progress, finished } = run
  const at = (path: string): string => resolve(cli.io.cwd, path)
  try {
    const work = beginWork(run, job)
    let needed: readonly string[] = []
    const ending = await importFile({
      ...work,
      onChecked: (checked) => {
        work.onChecked?.(checked)
        needed = formNeeds(checked.forms, job.table.reading, asked)
      },
      rejectsFile: createRejectsFile(at(job.rejectsPath), job.rejectsPath, work.onWarning),
      journal: journalPlace(cli, client, job.file, asked.journal),
      learnedPath: learnedPath(cli, client),
      // Until all files are loaded, and what came of them is told, the same command comes to this one again.
      onFinished: (forget) => finished.push(forget),
      random: cli.io.random,
      verify: job.verify,
    })
    if (!ending.needsAssignments || !mayAssign(client, asked)) return { ...ending, needed, advice: [] }
    return { ...ending, needed: [...needed, '--create-assignments'], advice: [ASSIGNING_ADVICE] }
  } finally {
    progress.stop()
  }
}

const hasSent = ({ created, updated, sent, assigned }: Summary): boolean => created + updated + sent + assigned > 0

/** Loads a file; answers its summary. */
export const load = async (run: Run, job: Job, ends: Ends): Promise<AnyRecord> => {
  const measure = startMeter(run.cli.io, run.client)
  const ending = await loadJob(run, job)
  const isBegun = hasSent(ending.summary)
  ends.add(await conclude(run, job, { ...ending, hasSent: isBegun }), isBegun)
  return summaryRecord(ending, measure())
}
