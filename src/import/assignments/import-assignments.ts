import type { Client } from '../../client/client.ts'
import { Stopped } from '../../client/transport.ts'
import { KpiError } from '../../domain/errors.ts'
import { reasonOf } from '../existing/planned-action.ts'
import { adviceOnTargets } from '../notes.ts'
import type { ImportOptions } from '../options.ts'
import type { Table } from '../parse/table.ts'
import type { RejectsFile } from '../rejects/rejects-file.ts'
import { createRejects, type Rejects } from '../rejects/rejects.ts'
import { checkAssignments, type CheckedRows } from './check.ts'
import { type AssignVerdict, judgeAssignments, judgeHeld } from './planned-action.ts'
import { createWanted } from './wanted.ts'

/** Describes the outcome of a row: what was done, or why the service refused it. */
type SentRow = { readonly action: AssignVerdict['action'] } | { readonly reason: string }

/** Returns a refusal of the row alone, in the service's words. */
const refusalOf = (error: unknown): string | undefined => {
  if (!(error instanceof KpiError) || !['invalid', 'not_found', 'conflict'].includes(error.code)) return undefined
  return error.issues.length > 0 ? reasonOf(error.issues) : error.message
}

const put = async (client: Client, verdict: AssignVerdict): Promise<void> => {
  const { user, kpi } = verdict.row
  const assignments = client.assignments(user)
  if (verdict.action === 'add') await assignments.add({ ...verdict.values, id: kpi })
  if (verdict.action === 'update') await assignments.update(kpi, verdict.values)
}

/** Sends what a row needs. Where another run has just created the same assignment, the rest is updated. */
const sendAssignment = async (client: Client, verdict: AssignVerdict): Promise<SentRow> => {
  const { action, row } = verdict
  try {
    await put(client, verdict)
    return { action }
  } catch (error) {
    if (action === 'add' && error instanceof KpiError && error.code === 'conflict') {
      return sendAssignment(client, judgeHeld(row, await client.assignments(row.user).get(row.kpi)))
    }
    const reason = refusalOf(error)
    if (reason === undefined) throw error
    return { reason }
  }
}

/** Describes an import of assignments. */
export type AssignWork = {
  readonly client: Client
  readonly table: Table
  readonly options: ImportOptions
  /** Names a folder for what does not fit in memory. */
  readonly folder: string
  readonly signal: AbortSignal
  readonly onNote: (note: string) => void
  /** Takes warnings, even under `--quiet`. */
  readonly onWarning: (warning: string) => void
  /** Takes progress between parts of the file. */
  readonly onProgress: () => void
}

/** Counts what became of a file of assignments. */
type AssignSummary = {
  read: number
  added: number
  updated: number
  unchanged: number
  rejected: number
  /** Counts targets that had more than four decimals. */
  rounded: number
  empty: number
}

/** Describes how it ended: with rows left where it was stopped, or the service failed in mid-run. */
type AssignEnding = {
  readonly summary: AssignSummary
  readonly left: number
  readonly failure: KpiError | undefined
  /** Holds further advice on rejected rows, a line each. */
  readonly advice: readonly string[]
}

/** Describes a row of the file and its planned action. */
export type JudgedRow = AssignVerdict | { readonly action: 'reject'; readonly line: number; readonly reason: string }

const COUNTS = { add: 'added', update: 'updated', unchanged: 'unchanged' } as const

const summaryOf = ({ read, empty, rounded }: CheckedRows): AssignSummary => ({
  read,
  added: 0,
  updated: 0,
  unchanged: 0,
  rejected: 0,
  rounded,
  empty,
})

/** Reads and checks the whole file, then goes on with it. */
const withChecked = async <T>(
  { client, table, options, folder, onNote, onWarning, onProgress }: AssignWork,
  goOn: (checked: CheckedRows, rejects: Rejects) => Promise<T>,
): Promise<T> => {
  const [rejects, wanted] = [createRejects(folder), createWanted(folder)]
  try {
    const checked = await checkAssignments(client, table, options, { wanted, rejects, onProgress })
    for (const warning of checked.warnings) onWarning(warning)
    if (checked.unused.length > 0) onNote(`columns left out: ${checked.unused.join(', ')}`)
    return await goOn(checked, rejects)
  } finally {
    rejects.close()
    wanted.close()
  }
}

/** Says of each row what loading the file would do, and counts it. */
export const rehearseAssignments = (
  work: AssignWork,
  tell: (rows: AsyncIterable<readonly JudgedRow[]>) => Promise<void>,
): Promise<Pick<AssignEnding, 'summary' | 'advice'>> =>
  withChecked(work, async (checked, rejects) => {
    const summary = summaryOf(checked)
    const judged = async function* (): AsyncGenerator<readonly JudgedRow[]> {
      for await (const verdict of judgeAssignments(work.client, checked.rows())) {
        summary[COUNTS[verdict.action]] += 1
        yield [verdict]
      }
      for (const { line, reasons } of rejects.lines()) {
        summary.rejected += 1
        yield [{ action: 'reject', line, reason: reasons.join('; ') }]
      }
    }
    await tell(judged())
    return { summary, advice: adviceOnTargets(checked.withoutTarget) }
  })

const layDown = async ({ table }: AssignWork, file: RejectsFile, rejects: Rejects): Promise<number> => {
  let count = 0
  for (const _ of rejects.lines()) count += 1
  if (count > 0) await file.write(table, rejects)
  return count
}

const sendAll = async (work: AssignWork, checked: CheckedRows, rejects: Rejects): Promise<AssignEnding> => {
  const summary = summaryOf(checked)
  const advice = adviceOnTargets(checked.withoutTarget)
  let done = 0
  const ending = (failure?: KpiError): AssignEnding => ({ summary, left: checked.count - done, failure, advice })
  const mustGoOn = (): void => {
    if (work.signal.aborted) throw new Stopped('stopped')
  }
  try {
    for await (const verdict of judgeAssignments(work.client, checked.rows())) {
      mustGoOn()
      const sent = await sendAssignment(work.client, verdict)
      if ('reason' in sent) rejects.add(verdict.row.line, sent.reason)
      else summary[COUNTS[sent.action]] += 1
      done += 1
    }
    return ending()
  } catch (error) {
    if (error instanceof Stopped) return ending()
    if (!(error instanceof KpiError) || done === 0) throw error
    return ending(error)
  }
}

/**
 * Imports a file of assignments: all of it is checked first, then what differs from the existing assignments is sent,
 * row by row.
 */
export const importAssignments = (work: AssignWork, file: RejectsFile): Promise<AssignEnding> =>
  withChecked(work, async (checked, rejects) => {
    try {
      await layDown(work, file, rejects)
      const ending = await sendAll(work, checked, rejects)
      ending.summary.rejected = await layDown(work, file, rejects)
      return ending
    } finally {
      file.tell()
    }
  })
