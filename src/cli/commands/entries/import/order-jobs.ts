import { KpiError } from '../../../../domain/errors.ts'
import { beginFiles } from '../../../../reading/entries/begin-file.ts'
import { ComparedFiles, type RestatedEntries, sayRestated } from '../../../../reading/entries/restated-entries.ts'
import { Aborted } from '../../../../client/transport.ts'
import { EXIT, IncompleteRun } from '../../../exit.ts'
import { headerFaultLines } from './explain.ts'
import { correctsByName, type FilePair, isLater, orderFiles, type OrderedFile } from './file-order.ts'
import type { CommandRun, Job } from './jobs.ts'

/** Refuses all files if any of them has a fault, and tells all that is known. */
const requireClear = (jobs: readonly Job[], faults: ReadonlyMap<number, KpiError>): void => {
  if (faults.size === 0) return
  const lines = [...faults]
    .toSorted(([one], [other]) => one - other)
    .flatMap(([at, fault]) => headerFaultLines(fault).map((line) => `${jobs[at]?.file}: ${line}`))
  throw new IncompleteRun(EXIT.failed, 'malformed', [...lines, 'nothing was sent of any file'])
}

/**
 * Reads several files before any of them is imported, and refuses all of them if a header or the meaning of cells is unclear.
 * Returns what compares their entries.
 */
const readFiles = async ({ cli, client, parsed: { options }, stops }: CommandRun, jobs: readonly Job[]) => {
  const onProgress = (): void => {
    if (stops.signal().aborted) throw new Aborted('stopped; nothing was sent')
    cli.io.limitMemory()
  }
  const faults = new Map<number, KpiError>()
  const places: number[] = []
  const files = (await beginFiles(jobs, client, options)).flatMap((begun, at) => {
    const job = jobs[at]
    if (begun instanceof KpiError) faults.set(at, begun)
    if (begun instanceof KpiError || !job) return []
    places.push(at)
    return [{ table: job.table, options: job.options, begun }]
  })
  const compared = new ComparedFiles(files, options, { folder: cli.io.tempDir, signal: stops.signal(), onProgress })
  try {
    for (const [file, doubt] of await compared.read()) faults.set(places[file] ?? 0, doubt)
    requireClear(jobs, faults)
    return compared
  } catch (error) {
    compared.close()
    throw error
  }
}

const orderedFile = ({ stem, table: { above } }: Job): OrderedFile => ({ stem, above })

/** Returns the pairs of files of which one corrects the other by its name. */
const pairsByName = (jobs: readonly Job[]): FilePair<Job>[] =>
  jobs.flatMap((one, at) =>
    jobs.slice(at + 1).flatMap((other) => {
      const later = correctsByName(orderedFile(one), orderedFile(other))
      return later ? [later.isOne ? { earlier: other, later: one } : { earlier: one, later: other }] : []
    }),
  )

/** Bounds the pairs of files that a message names. */
const SHOWN = 10

/**
 * Returns the pairs of files of which one comes after the other, as it gives other values of the same entries. Refuses all files if
 * nothing says which values are right.
 */
const pairsByValues = async (
  { parsed, cli }: CommandRun,
  jobs: readonly Job[],
  restated: readonly RestatedEntries[],
): Promise<FilePair<Job>[]> => {
  const pairs: FilePair<Job>[] = []
  const open: string[] = []
  for (const entries of restated) {
    const [one, other] = entries.files.map((at) => jobs[at])
    if (!one || !other) continue
    const said = sayRestated(entries, [one.file, other.file])
    const later = isLater(orderedFile(one), orderedFile(other))
    if (!later && parsed.onOverlap === undefined) {
      open.push(`${said}: --on-overlap later takes those of ${other.file}, which is named later`)
      continue
    }
    const isOne = later?.isOne ?? false
    const pair = isOne ? { earlier: other, later: one } : { earlier: one, later: other }
    pairs.push(pair)
    await cli.note(
      `${said}; ${pair.later.file} is imported after ${pair.earlier.file}, ${later?.why ?? 'as --on-overlap says'}`,
    )
  }
  if (open.length > 0)
    throw new IncompleteRun(EXIT.failed, 'malformed', [
      'several files give other values of the same entries, and nothing says which are right',
      ...open.slice(0, SHOWN),
      ...(open.length > SHOWN ? [`and so do ${open.length - SHOWN} more pairs of files`] : []),
      'nothing was sent of any file',
    ])
  return pairs
}

/**
 * Returns the files of a run in the order in which they are imported: what corrects another file comes after it, as names,
 * dates and times show. Of an entry that several files give, only the row of the last one is sent.
 */
export const orderJobs = async (run: CommandRun, jobs: readonly Job[]): Promise<readonly Job[]> => {
  if (!run.parsed.isSeveral || run.parsed.explain) return jobs
  const compared = await readFiles(run, jobs)
  try {
    // Where files are added to each other, none stands for another.
    const restated = run.parsed.options.onConflict === 'add' ? [] : await compared.findRestated()
    const byValues = await pairsByValues(run, jobs, restated)
    const ordered = orderFiles(jobs, [...pairsByName(jobs), ...byValues])
    const order = ordered.map((job) => jobs.indexOf(job))
    const restatements = await compared.restatements(order, (at) => jobs[at]?.file ?? '')
    return ordered.map((job) => ({ ...job, restatements: restatements.get(jobs.indexOf(job)) }))
  } finally {
    compared.close()
  }
}
