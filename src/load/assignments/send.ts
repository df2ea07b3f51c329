import type { Client } from '../../client/client.ts'
import { KpiError } from '../../domain/errors.ts'
import { reasonOf } from '../standing/verdict.ts'
import { type AssignVerdict, judgeHeld } from './verdict.ts'

/** What became of a row: what was done, or why the service refused it. */
export type SentRow = { readonly action: AssignVerdict['action'] } | { readonly reason: string }

/** A refusal that is about the row alone, in the service's words. */
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

/** Does what a row comes to. Where another run has just made the same assignment, what still differs is changed. */
export const sendAssignment = async (client: Client, verdict: AssignVerdict): Promise<SentRow> => {
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
