import { countedText } from '../../domain/count-text.ts'
import type { Client } from '../../client/client.ts'
import { Aborted } from '../../client/transport.ts'
import { KpiError } from '../../domain/errors.ts'
import { INT16_MAX } from '../../domain/field-value.ts'
import type { assignment } from '../../domain/resources/assignment.ts'
import { fullName } from '../../domain/resources/user.ts'
import type { Draft } from '../../domain/schema.ts'
import type { ImportRun } from '../import-types.ts'
import type { Prepared } from '../prepare.ts'
import type { Pair } from '../reference.ts'
import { allowedPerMinute, requestsText } from '../requests-text.ts'
import { neededAssignments, type NeedingAssignments } from './needed.ts'

type AssignmentDraft = Draft<typeof assignment>
type UserAssignments = ReturnType<Client['assignments']>

/** Counts assignments and the requests that creating them takes. */
type AssignmentCost = { readonly assignments: number; readonly requests: number }

/** Returns how many requests it takes to create assignments: those of a user go together as far as the service allows. */
export const costOfAssignments = (pairs: readonly Pair[], { addStep }: Pick<Client, 'addStep'>): AssignmentCost => {
  const byUser = new Map<number, number>()
  for (const { user } of pairs) byUser.set(user.id, (byUser.get(user.id) ?? 0) + 1)
  const requests = [...byUser.values()].reduce((sum, count) => sum + Math.ceil(count / addStep), 0)
  return { assignments: pairs.length, requests }
}

/** Sets up to how many requests are made without a note, where no limit is known. */
const FEW_REQUESTS = 10

/** Tells whether it is worth knowing beforehand how many requests there will be. */
const mattersAhead = (
  { requests }: AssignmentCost,
  { usage }: Pick<Client, 'usage'>,
  rate: number | undefined,
): boolean => requests > FEW_REQUESTS || allowedPerMinute(usage(), rate) !== undefined

/** Returns the drafts of assignments of a user, each after the one before it. */
const draftsOf = (pairs: readonly Pair[], lastPlace: number): AssignmentDraft[] =>
  pairs.map(({ kpi }, at) => ({ id: kpi.id, sort_order: Math.min(lastPlace + at + 1, INT16_MAX) }))

const isConflict = (error: unknown): boolean => error instanceof KpiError && error.code === 'conflict'

/** Tells whether one was created; not if another run has created it at the same moment. */
const addOne = async (assignments: UserAssignments, draft: AssignmentDraft): Promise<boolean> => {
  try {
    await assignments.add(draft)
    return true
  } catch (error) {
    if (isConflict(error)) return false
    throw error
  }
}

/**
 * Creates the assignments of a user, as many in one request as the service takes; yields the KPIs of those that are
 * created, as soon as they are.
 */
async function* addAll(
  { addStep }: Pick<Client, 'addStep'>,
  assignments: UserAssignments,
  drafts: readonly AssignmentDraft[],
): AsyncGenerator<readonly number[]> {
  let done = 0
  try {
    for await (const made of addStep > 1 ? assignments.addEach(drafts) : []) {
      done += made.length
      yield made.map(({ id }) => id)
    }
  } catch (error) {
    if (!isConflict(error)) throw error
  }
  // One of the others may be there already, and it is not known which.
  for (const draft of drafts.slice(done)) if (await addOne(assignments, draft)) yield [draft.id]
}

const STOPPED = 'stopped before any entry was sent; run the same command to continue'

/** Creates the assignments of a user, and notes each. */
const createOfUser = async (
  { client, signal, created }: Pick<ImportRun, 'client' | 'signal' | 'created'>,
  pairs: readonly Pair[],
  lastPlace: number,
  onMade: (count: number) => void,
): Promise<void> => {
  const [user] = pairs.map((pair) => pair.user)
  if (!user) return
  const names = new Map(pairs.map(({ kpi }) => [kpi.id, kpi.name]))
  for await (const made of addAll(client, client.assignments(user.id), draftsOf(pairs, lastPlace))) {
    for (const id of made)
      created.add({ kind: 'assignment', id, name: `${names.get(id)} of ${fullName(user)}`, user_id: user.id })
    onMade(made.length)
    if (signal.aborted) throw new Aborted(STOPPED)
  }
}

/**
 * Creates the assignments that are needed, after a note on how many requests that takes if they are many; `assigned` of
 * the summary counts those that are there.
 */
export const createAssignments = async (
  work: ImportRun,
  { reference, summary, ...prepared }: NeedingAssignments & Pick<Prepared, 'summary'>,
): Promise<void> => {
  const { client, signal, rate, onNote, onProgress } = work
  const needed = await neededAssignments({ reference, ...prepared }, signal)
  if (needed.length === 0) return
  const cost = costOfAssignments(needed, client)
  if (mattersAhead(cost, client, rate))
    onNote(`creating ${countedText(cost.assignments, 'assignment')}: ${requestsText(cost.requests, client, rate)}`)
  if (signal.aborted) throw new Aborted(STOPPED)
  for (const [userId, pairs] of Map.groupBy(needed, ({ user }) => user.id)) {
    await createOfUser(work, pairs, reference.lastPlaceOf(userId), (count) => {
      summary.assigned += count
      onProgress({ phase: 'assign', done: summary.assigned, total: needed.length })
    })
  }
}
