import { Aborted } from '../../../../client/transport.ts'
import type { KpiError } from '../../../../domain/errors.ts'
import { type AnyRecord, resource } from '../../../../domain/schema.ts'
import { explainFile } from '../../../../import/explain.ts'
import { EXIT } from '../../../exit.ts'
import type { Job, CommandRun } from './jobs.ts'
import { saveMapping } from './mapping.ts'
import { DONE, type RunResult, type FileOutcome } from './result.ts'

/** Defines a finding of `--explain`: how a file is read. */
export const finding = resource({
  name: 'finding',
  plural: 'findings',
  title: 'finding',
  path: '',
  verbs: [],
  fields: {
    topic: { kind: 'text', about: 'Aspect of the file' },
    found: { kind: 'text', about: 'What was detected or given', isSentence: true },
    evidence: { kind: 'text', about: 'What shows that', isSentence: true },
  },
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

/** Yields how a file is read, with the evidence. */
export async function* explainJob(run: CommandRun, job: Job, ends: RunResult): AsyncGenerator<readonly AnyRecord[]> {
  const { cli, client, parsed, progress, stops } = run
  const seen = await explainFile(job.table, client, parsed.options, () => {
    if (stops.signal().aborted) throw new Aborted('stopped; nothing was sent')
    cli.io.limitMemory()
  })
  progress.stop()
  yield seen.findings.map(({ topic, found, evidence }) => ({ topic, found, evidence }))
  if (seen.unclear)
    return ends.add({ exit: EXIT.failed, code: seen.unclear.code, lines: headerFaultLines(seen.unclear) }, false)
  if (!seen.isInDoubt) saveMapping(cli, parsed, { ...seen, reading: job.table.reading })
  ends.add(seen.isInDoubt ? IN_DOUBT : DONE, false)
}
