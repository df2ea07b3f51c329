import type { Client } from '../client/client.ts'
import { nextTurn } from '../client/next-turn.ts'
import { fits } from '../domain/decimal.ts'
import type { EntryDraft } from '../domain/resources/entry.ts'
import { createPlanner, isSent, readsFirst, UNDECIDED } from './existing/planned-action.ts'
import type { Prepared } from './prepare/prepare.ts'
import type { Pair } from '../reading/directory/reference.ts'

/** Tells whether there is surely an entry after a draft is sent, whatever was stored. */
const isSure = ({ actual, notes }: EntryDraft): boolean =>
  typeof actual === 'bigint' ? fits(actual) : typeof notes === 'string'

/** Holds the parts of a prepared file that finding needed assignments uses. */
export type NeedingAssignments = Pick<Prepared, 'reference' | 'batches' | 'existing' | 'options'>

/**
 * Returns the missing assignments of entries that the service will store: not of rejects, of empty cells with nothing
 * to clear, or of entries that are not sent.
 */
export const neededAssignments = async (
  { reference, batches, existing, options }: NeedingAssignments,
  signal: AbortSignal,
): Promise<Pair[]> => {
  const missing = reference.missing()
  if (missing.length === 0) return []
  const decide = createPlanner(existing, reference, options, true)
  const keyOf = (user: number | null | undefined, kpi: number): string => `${user}/${kpi}`
  const open = new Set(missing.map(({ user, kpi }) => keyOf(user.id, kpi.id)))
  const isOpen = ({ user_id, kpi_id }: EntryDraft): boolean => open.has(keyOf(user_id, kpi_id))
  const settle = ({ user_id, kpi_id }: EntryDraft): boolean => open.delete(keyOf(user_id, kpi_id))
  for (const { drafts } of batches()) {
    await nextTurn(signal)
    if (!readsFirst(options)) for (const draft of drafts) if (isSure(draft)) settle(draft)
    const unsure = drafts.filter(isOpen)
    const plans = unsure.length > 0 ? await decide.plan(unsure) : []
    unsure.filter((_, at) => isSent(plans[at] ?? UNDECIDED, options)).forEach(settle)
  }
  return missing.filter(({ user, kpi }) => !open.has(keyOf(user.id, kpi.id)))
}

/** Counts assignments and the requests that creating them takes. */
export type AssignmentCost = { readonly assignments: number; readonly requests: number }

/** Returns how many requests it takes to create assignments: those of a user go together as far as the service allows. */
export const costOfAssignments = (pairs: readonly Pair[], { addStep }: Pick<Client, 'addStep'>): AssignmentCost => {
  const byUser = new Map<number, number>()
  for (const { user } of pairs) byUser.set(user.id, (byUser.get(user.id) ?? 0) + 1)
  const requests = [...byUser.values()].reduce((sum, count) => sum + Math.ceil(count / addStep), 0)
  return { assignments: pairs.length, requests }
}
