import { KpiError } from '../../../../domain/errors.ts'
import { beginFiles, type Begun } from '../../../../reading/entries/begin-file.ts'
import { ComparedFiles, type RestatedEntries, sayRestated } from '../../../../reading/entries/restated-entries.ts'
import { Aborted } from '../../../../client/transport.ts'
import { EXIT, IncompleteRun } from '../../../exit.ts'
import { headerFaultLines } from './explain.ts'
import { correctsByName, type FilePair, isLater, orderFiles, type OrderedFile } from './file-order.ts'
import type { CommandRun, Job } from './jobs.ts'

/** Begins with several files, and refuses all of them if a header is unclear. */
const requireHeaders = async ({ client, parsed }: CommandRun, jobs: readonly Job[]): Promise<Begun[]> => {
  const all = await beginFiles(jobs, client, parsed.options)
  const faultLines = all.flatMap((one, at) =>
    one instanceof KpiError ? headerFaultLines(one).map((line) => `${jobs[at]?.file}: ${line}`) : [],
  )
  if (faultLines.length > 0)
    throw new IncompleteRun(EXIT.failed, 'malformed', [...faultLines, 'nothing was sent of any file'])
  return all.flatMap((one) => (one instanceof KpiError ? [] : [one]))
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

/** Returns what compares the entries of files; undefined where they are added to each other, so that none stands for another. */
const comparing = (
  { cli, parsed: { options }, stops }: CommandRun,
  jobs: readonly Job[],
  begun: readonly Begun[],
): ComparedFiles | undefined => {
  if (options.onConflict === 'add') return undefined
  const files = jobs.flatMap(({ table }, at) => {
    const one = begun[at]
    return one ? [{ table, begun: one }] : []
  })
  const onProgress = (): void => {
    if (stops.signal().aborted) throw new Aborted('stopped; nothing was sent')
    cli.io.limitMemory()
  }
  return new ComparedFiles(files, options, { folder: cli.io.tempDir, onProgress })
}

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
  const compared = comparing(run, jobs, await requireHeaders(run, jobs))
  try {
    const byValues = await pairsByValues(run, jobs, (await compared?.findRestated()) ?? [])
    const ordered = orderFiles(jobs, [...pairsByName(jobs), ...byValues])
    const order = ordered.map((job) => jobs.indexOf(job))
    const restatements = await compared?.restatements(order, (at) => jobs[at]?.file ?? '')
    return ordered.map((job) => ({ ...job, restatements: restatements?.get(jobs.indexOf(job)) }))
  } finally {
    compared?.close()
  }
}
