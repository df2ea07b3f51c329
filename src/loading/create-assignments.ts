import { desiredLink } from '../changes/from/links.ts'
import type { Desired } from '../changes/records/desired.ts'
import type { KindName } from '../changes/records/kind-fields.ts'
import { Snapshot } from '../changes/records/snapshot.ts'
import type { Outcome } from '../changes/send/send.ts'
import type { Client } from '../client/client.ts'
import { countedText } from '../domain/count-text.ts'
import { INT16_MAX } from '../domain/field-value.ts'
import { fullName } from '../domain/resources/user.ts'
import type { AnyRecord } from '../domain/schema.ts'
import type { ImportRun } from './prepare/import-types.ts'
import { ensure, orStopped } from './missing/ensure.ts'
import type { Prepared } from './prepare/prepare.ts'
import type { Pair } from '../reading/directory/reference.ts'
import { allowedPerMinute, requestsText } from './requests-text.ts'
import { noteCreated } from './undo/note-created.ts'
import {
  type AssignmentCost,
  costOfAssignments,
  neededAssignments,
  type NeedingAssignments,
} from './needed-assignments.ts'

/** Sets up to how many requests are made without a note, where no limit is known. */
const FEW_REQUESTS = 10

/** Tells whether it is worth knowing beforehand how many requests there will be. */
const mattersAhead = (
  { requests }: AssignmentCost,
  { usage }: Pick<Client, 'usage'>,
  rate: number | undefined,
): boolean => requests > FEW_REQUESTS || allowedPerMinute(usage(), rate) !== undefined

/** Returns the assignments that a user should have, each after the one before it. */
const desiredOf = (pairs: readonly Pair[], lastPlace: number): Desired[] =>
  pairs.map(({ user, kpi }, at) =>
    desiredLink('assignment', { user: user.id, id: kpi.id }, at, {
      sort_order: Math.min(lastPlace + at + 1, INT16_MAX),
    }),
  )

/**
 * Creates the assignments that are needed, after a note on how many requests that takes if they are many; `assigned` of
 * the summary counts those that are there.
 */
export const createAssignments = async (
  work: ImportRun,
  { reference, summary, ...prepared }: NeedingAssignments & Pick<Prepared, 'summary'>,
): Promise<void> => {
  const { client, clock, signal, rate, created, onNote, onProgress, onWarning } = work
  const needed = await neededAssignments({ reference, ...prepared }, signal)
  if (needed.length === 0) return
  const cost = costOfAssignments(needed, client)
  if (mattersAhead(cost, client, rate))
    onNote(`creating ${countedText(cost.assignments, 'assignment')}: ${requestsText(cost.requests, client, rate)}`)
  const onOutcome = ({ result }: Outcome): void => {
    if (result !== 'done') return
    summary.assigned += 1
    onProgress({ phase: 'assign', done: summary.assigned, total: needed.length })
  }
  const making = { account: { client }, clock, signal, onWarning, onOutcome }
  for (const [userId, pairs] of Map.groupBy(needed, ({ user }) => user.id)) {
    const kpis = new Map(pairs.map(({ kpi }) => [kpi.id, kpi]))
    const users = pairs.slice(0, 1).map(({ user }) => user)
    // Read no assignments: those that the user has are known, and none of them changes.
    const known = new Map<KindName, readonly AnyRecord[]>([['user', users], ['kpi', [...kpis.values()]]]) // prettier-ignore
    const run = noteCreated(created, (kpi) => `${kpis.get(kpi)?.name} of ${users.map(fullName).join('')}`)
    await ensure({ ...making, run }, new Snapshot(known), desiredOf(pairs, reference.lastPlaceOf(userId))).catch(
      orStopped,
    )
  }
}
