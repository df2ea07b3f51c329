import { Stopped } from '../../../../client/transport.ts'
import type { KpiError } from '../../../../domain/errors.ts'
import { type AnyRecord, resource } from '../../../../domain/schema.ts'
import { explainFile } from '../../../../import/explain.ts'
import { EXIT } from '../../../exit.ts'
import type { Job, Run } from './jobs.ts'
import { keepMapping } from './mapping.ts'
import { DONE, type Ends, type Outcome } from './result.ts'

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

const IN_DOUBT: Outcome = {
  exit: EXIT.failed,
  code: 'malformed',
  said: ['it is not clear how to read all of the file'],
}

/** Returns the faults of a header, a line each. */
export const linesOf = ({ message, issues }: KpiError): string[] => [
  message,
  ...issues.map((issue) => `${issue.field}: ${issue.message}`),
]

/** Says how a file is read, and what shows that. */
export async function* explainJob(run: Run, job: Job, ends: Ends): AsyncGenerator<readonly AnyRecord[]> {
  const { cli, client, asked, progress, stops } = run
  const seen = await explainFile(job.table, client, asked.options, () => {
    if (stops.signal().aborted) throw new Stopped('stopped; nothing was sent')
    cli.io.limitMemory()
  })
  progress.stop()
  yield seen.findings.map(({ topic, found, evidence }) => ({ topic, found, evidence }))
  if (seen.unclear) return ends.add({ exit: EXIT.failed, code: seen.unclear.code, said: linesOf(seen.unclear) }, false)
  if (!seen.isInDoubt) keepMapping(cli, asked, { ...seen, reading: job.table.reading })
  ends.add(seen.isInDoubt ? IN_DOUBT : DONE, false)
}
