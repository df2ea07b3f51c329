import type { AnyRecord } from '../../../../domain/schema.ts'
import { costOfAssignments } from '../../../../loading/needed-assignments.ts'
import { requestsText } from '../../../../loading/requests-text.ts'
import { dryRun } from '../../../../loading/dry-run.ts'
import type { Summary } from '../../../../reading/entries/summary.ts'
import type { MissingPlan } from '../../../../reading/missing/plan-missing.ts'
import { openPrepared } from '../../../../loading/prepare/prepare.ts'
import { countReasons } from '../../../../reading/rejects/reason-counts.ts'
import type { Pair } from '../../../../reading/directory/reference.ts'
import { EXIT } from '../../../exit.ts'
import { dryRunText } from '../../../output/plan.ts'
import { toDoText } from '../../../output/summary.ts'
import { startMeter, summaryRecord } from './import-job.ts'
import { beginRun, type CommandRun, type Job } from './jobs.ts'
import { missingLines, planBeside } from './missing.ts'
import { dryRunRecord, ENTRIES } from './output.ts'
import { tellPlanned, thingsOfPairs, thingsOfPlan } from './planned-things.ts'
import { DONE, linesOfReasons, type RunResult } from './result.ts'

/**
 * Returns the summary of a dry run; `unread` says what could not be read, so that the outcome of those rows is open, and
 * `cost` how many requests assignments take.
 */
const shortSummary = (summary: Summary, unread: string, cost: string): string => {
  const { unknown, unchecked, ...counts } = summary
  const words = { sent: `to send as ${unread} cannot be read`, assigned: `to create (${cost})` }
  const text = dryRunText(toDoText({ ...counts, sent: unknown }, ENTRIES, words))
  return unchecked === '' ? text : `${text}; not checked: ${unchecked}`
}

/** Receives the summary of a dry run: its lines, and its counts as a record; and holds what earlier files of the run create. */
type SummaryReader = {
  readonly tellBelow: (line: string) => void
  readonly onSummary: (record: AnyRecord) => void
  readonly created: Set<string>
}

/** Prints what an import of a file would do, a row for each entry, and a summary below. */
export async function* dryRunJob(
  run: CommandRun,
  job: Job,
  ends: RunResult,
  { tellBelow, onSummary, created }: SummaryReader,
): AsyncGenerator<readonly AnyRecord[]> {
  const { parsed, client, progress } = run
  const measure = startMeter(run.cli.io, client)
  const onMissing = (plan: MissingPlan): void => {
    tellPlanned(() => thingsOfPlan(plan))
    const fresh = planBeside(created, plan)
    for (const line of fresh ? missingLines(fresh) : []) progress.note(line)
  }
  const { prepared, close } = await openPrepared({ ...beginRun(run, job), onMissing })
  try {
    progress.stop()
    let cost = ''
    const onAssignments = (needed: readonly Pair[]): void => {
      tellPlanned(() => thingsOfPairs(needed))
      cost = requestsText(costOfAssignments(needed, client).requests, client, parsed.rate)
    }
    for await (const rows of dryRun(prepared, run.stops.signal(), onAssignments)) yield rows.map(dryRunRecord)
    const { summary, reference } = prepared
    const unread = reference.unchecked.has('entries') ? 'what is there' : 'the KPIs, which may have targets,'
    const name = parsed.isSeveral ? `${job.file}: ` : ''
    tellBelow(name + shortSummary(summary, unread, cost))
    onSummary(summaryRecord({ summary: { ...summary, sent: summary.unknown }, left: 0, receipt: null }, measure()))
    if (prepared.rejects.size() > 0) {
      for (const line of linesOfReasons(run, job, await countReasons(prepared.rejects, run.stops.signal())))
        tellBelow(line)
    }
    ends.add(summary.rejected > 0 ? { ...DONE, exit: EXIT.partial } : DONE, false)
  } finally {
    close()
  }
}
