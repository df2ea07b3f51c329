import { isForbidden } from '../../../../client/operations/read-if-allowed.ts'
import { Aborted } from '../../../../client/transport.ts'
import { KpiError } from '../../../../domain/errors.ts'
import { type AnyRecord, printable } from '../../../../domain/schema.ts'
import { explainFile } from '../../../../reading/entries/explain.ts'
import { withPrepared } from '../../../../loading/prepare/prepare.ts'
import { EXIT } from '../../../exit.ts'
import { beginRun, type CommandRun, type Job } from './jobs.ts'
import { saveMapping } from './mapping.ts'
import { DONE, type RunResult, type FileOutcome } from './result.ts'

/** Defines a finding of `--explain`: how a file is read. */
export const finding = printable('finding', 'finding', {
  topic: { kind: 'text', about: 'Aspect of the file' },
  found: { kind: 'text', about: 'What was detected or given', isSentence: true },
  evidence: { kind: 'text', about: 'What shows that', isSentence: true },
})

const IN_DOUBT: FileOutcome = {
  exit: EXIT.failed,
  code: 'malformed',
  lines: ['it is not clear how to read all of the file'],
}

/** Returns the faults of a header, a line each. */
export const headerFaultLines = ({ message, issues }: KpiError): string[] => [
  message,
  ...issues.map((issue) => `${issue.field}: ${issue.message}`),
]

/** Returns what an import would ask once it has read all rows, such as what week a date means. */
const questionsOfRows = async (run: CommandRun, job: Job): Promise<AnyRecord[]> => {
  const silent = { onNote: () => undefined, onWarning: () => undefined, onChecked: () => undefined }
  try {
    await withPrepared({ ...beginRun(run, job), ...silent }, () => Promise.resolve())
    return []
  } catch (error) {
    // A key that may only read still learns how the file is read.
    if (isForbidden(error)) return []
    if (!(error instanceof KpiError) || error.code !== 'malformed') throw error
    const { issues, message } = error
    const asked = issues.length > 0 ? issues : [{ field: 'rows', message }]
    return asked.map(({ field, message: evidence }) => ({ topic: field, found: 'in doubt', evidence }))
  }
}

/** Yields how a file is read, with the evidence. */
export async function* explainJob(run: CommandRun, job: Job, ends: RunResult): AsyncGenerator<readonly AnyRecord[]> {
  const { cli, client, parsed, progress, stops } = run
  const seen = await explainFile(job.table, client, job.options, () => {
    if (stops.signal().aborted) throw new Aborted('stopped; nothing was sent')
    cli.io.limitMemory()
  })
  const shown = new Set(seen.findings.map(({ evidence }) => evidence))
  const questions = seen.unclear
    ? []
    : (await questionsOfRows(run, job)).filter(({ evidence }) => !shown.has(String(evidence)))
  progress.stop()
  yield seen.findings.map(({ topic, found, evidence }) => ({ topic, found, evidence }))
  yield questions
  if (seen.unclear)
    return ends.add({ exit: EXIT.failed, code: seen.unclear.code, lines: headerFaultLines(seen.unclear) }, false)
  if (!seen.isInDoubt) saveMapping(cli, parsed, { ...seen, reading: job.table.reading })
  ends.add(seen.isInDoubt || questions.length > 0 ? IN_DOUBT : DONE, false)
}
