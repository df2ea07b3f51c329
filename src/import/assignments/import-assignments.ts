import type { Client } from '../../client/client.ts'
import { Aborted } from '../../client/transport.ts'
import { KpiError } from '../../domain/errors.ts'
import { reasonOf } from '../existing/planned-action.ts'
import { adviceOnTargets, notesOnHeading } from '../notes.ts'
import type { ImportOptions } from '../options.ts'
import type { Table } from '../parse/table.ts'
import { pauseEvery } from '../../client/next-turn.ts'
import { type CountedReasons, countReasons } from '../rejects/reason-counts.ts'
import type { RejectsFile } from '../rejects/rejects-file.ts'
import { createRejects, type Rejects } from '../rejects/rejects.ts'
import { checkAssignments, type CheckedRows } from './check.ts'
import { type AssignmentAction, planAssignmentActions, diffAssignment } from './planned-action.ts'
import { createRowCollection } from './wanted.ts'

/** Describes the outcome of a row: what was done, or why the service refused it. */
type SentRow = { readonly action: AssignmentAction['action'] } | { readonly reason: string }

/** Returns why the service refuses the row, in its words; undefined if the error is not about the row. */
const refusalOf = (error: unknown): string | undefined => {
  if (!(error instanceof KpiError) || !['invalid', 'not_found', 'conflict'].includes(error.code)) return undefined
  return error.issues.length > 0 ? reasonOf(error.issues) : error.message
}

const put = async ({ client, beforeChange }: SendingAssignments, plan: AssignmentAction): Promise<void> => {
  const { user, kpi } = plan.row
  if (plan.action !== 'unchanged') await beforeChange(plan)
  const assignments = client.assignments(user)
  if (plan.action === 'add') await assignments.add({ ...plan.values, id: kpi })
  if (plan.action === 'update') await assignments.update(kpi, plan.values, plan.held)
}

/** Sends what a row needs. If another run has just created the same assignment, the other fields are updated. */
const sendAssignment = async (work: SendingAssignments, plan: AssignmentAction): Promise<SentRow> => {
  const { action, row } = plan
  try {
    await put(work, plan)
    return { action }
  } catch (error) {
    if (action === 'add' && error instanceof KpiError && error.code === 'conflict') {
      return sendAssignment(work, diffAssignment(row, await work.client.assignments(row.user).get(row.kpi)))
    }
    const reason = refusalOf(error)
    if (reason === undefined) throw error
    return { reason }
  }
}

/** Describes an import of assignments. */
export type AssignmentImport = {
  readonly client: Client
  readonly table: Table
  readonly options: ImportOptions
  /** Names the folder for temporary files. */
  readonly folder: string
  readonly signal: AbortSignal
  readonly onNote: (note: string) => void
  /** Receives warnings, which are shown even with `--quiet`. */
  readonly onWarning: (warning: string) => void
  /** Reports progress between parts of the file. */
  readonly onProgress: () => void | Promise<void>
  /** Does what must be done before the first request; throws where nothing is to be sent. */
  readonly beforeSending: (plans: AsyncIterable<AssignmentAction>) => Promise<void>
  /** Does what must be done before an assignment is added or changed. */
  readonly beforeChange: (plan: AssignmentAction) => Promise<void>
}

type SendingAssignments = Pick<AssignmentImport, 'client' | 'beforeChange'>

/** Counts the results of a file of assignments. */
export type AssignSummary = {
  read: number
  added: number
  updated: number
  unchanged: number
  rejected: number
  /** Counts targets that had more than four decimals. */
  rounded: number
  empty: number
}

/** Describes how the import ended; rows are left if it was stopped, or the service failed during the run. */
type AssignEnding = {
  readonly summary: AssignSummary
  readonly left: number
  readonly failure: KpiError | undefined
  /** Holds further advice on rejected rows, a line each. */
  readonly advice: readonly string[]
  /** Holds why rows were rejected. */
  readonly reasons: CountedReasons
}

/** Describes a row of the file and its planned action. */
export type PlannedRow =
  AssignmentAction | { readonly action: 'reject'; readonly line: number; readonly reason: string }

/** Sets how many rows are planned before signals and timers run. */
const ROWS_OF_TURN = 500

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

/** Reads and checks the whole file, then runs the given work on it. */
const withChecked = async <T>(
  { client, table, options, folder, onNote, onWarning, onProgress }: AssignmentImport,
  goOn: (checked: CheckedRows, rejects: Rejects) => Promise<T>,
): Promise<T> => {
  const [rejects, wanted] = [createRejects(folder), createRowCollection(folder)]
  try {
    const checked = await checkAssignments(client, table, options, { wanted, rejects, onProgress })
    for (const warning of checked.warnings) onWarning(warning)
    for (const note of notesOnHeading(table)) onNote(note)
    if (checked.unused.length > 0) onNote(`columns left out: ${checked.unused.join(', ')}`)
    return await goOn(checked, rejects)
  } finally {
    rejects.close()
    wanted.close()
  }
}

/** Returns for each row what importing the file would do, and counts it. */
export const dryRunAssignments = (
  work: AssignmentImport,
  warnOfMovedFiles: (rows: AsyncIterable<readonly PlannedRow[]>) => Promise<void>,
): Promise<Pick<AssignEnding, 'summary' | 'advice' | 'reasons'>> =>
  withChecked(work, async (checked, rejects) => {
    const summary = summaryOf(checked)
    const pause = pauseEvery(ROWS_OF_TURN, work.signal)
    const judged = async function* (): AsyncGenerator<readonly PlannedRow[]> {
      for await (const plan of planAssignmentActions(work.client, checked.rows())) {
        const turn = pause()
        if (turn) await turn
        summary[COUNTS[plan.action]] += 1
        yield [plan]
      }
      for await (const lines of rejects.lines(work.signal)) {
        yield lines.map(({ line, reasons }) => ({ action: 'reject' as const, line, reason: reasons.join('; ') }))
      }
    }
    await warnOfMovedFiles(judged())
    summary.rejected = rejects.count()
    return {
      summary,
      advice: adviceOnTargets(checked.withoutTarget),
      reasons: await countReasons(rejects, work.signal),
    }
  })

const sendAll = async (
  work: AssignmentImport,
  checked: CheckedRows,
  rejects: Rejects,
): Promise<Omit<AssignEnding, 'reasons'>> => {
  const summary = summaryOf(checked)
  const advice = adviceOnTargets(checked.withoutTarget)
  let done = 0
  const ending = (failure?: KpiError): Omit<AssignEnding, 'reasons'> => ({
    summary,
    left: checked.count - done,
    failure,
    advice,
  })
  const throwIfAborted = (): void => {
    if (work.signal.aborted) throw new Aborted('stopped')
  }
  try {
    for await (const plan of planAssignmentActions(work.client, checked.rows())) {
      throwIfAborted()
      const sent = await sendAssignment(work, plan)
      if ('reason' in sent) rejects.add(plan.row.line, sent.reason)
      else summary[COUNTS[sent.action]] += 1
      done += 1
    }
    return ending()
  } catch (error) {
    if (error instanceof Aborted) return ending()
    if (!(error instanceof KpiError) || done === 0) throw error
    return ending(error)
  }
}

/**
 * Imports a file of assignments: all of it is checked first, then what differs from the existing assignments is sent,
 * row by row.
 */
export const importAssignments = (work: AssignmentImport, file: RejectsFile): Promise<AssignEnding> =>
  withChecked(work, async (checked, rejects) => {
    try {
      await work.beforeSending(planAssignmentActions(work.client, checked.rows()))
      await file.write(work.table, rejects, [], work.signal)
      const ending = await sendAll(work, checked, rejects)
      await file.write(work.table, rejects)
      ending.summary.rejected = rejects.count()
      return { ...ending, reasons: await countReasons(rejects) }
    } finally {
      file.warnOfMovedFiles()
    }
  })
