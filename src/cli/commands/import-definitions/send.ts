import { Aborted } from '../../../client/transport.ts'
import { KpiError } from '../../../domain/errors.ts'
import type { AnyRecord, Resource } from '../../../domain/schema.ts'
import { exitCodes, EXIT } from '../../exit.ts'
import { keyOf, type PlannedRow } from './plan.ts'

/** Describes the operations that an import needs, of a resource that is known only at run time. */
export type DefinitionClient = {
  list(): Promise<readonly AnyRecord[]>
  add(draft: object): Promise<AnyRecord>
  update(id: number, patch: object, before?: object): Promise<AnyRecord>
  addEach?(drafts: readonly object[]): AsyncGenerator<readonly AnyRecord[]>
}

/** Counts what was done. */
type SentCounts = { created: number; updated: number }

/** Describes how sending ended: what was done, how many rows are left, and why, where it ended early. */
type SentRows = { readonly counts: SentCounts; readonly left: number; readonly failure: Error | undefined }

type ToCreate = Extract<PlannedRow, { action: 'create' }>
type ToUpdate = Extract<PlannedRow, { action: 'update' }>

/** Describes an import of definitions. */
type Sending = {
  readonly of: Resource
  readonly collection: (parent?: number) => DefinitionClient
  /** Sets how many are created in one request. */
  readonly step: number
  readonly signal: AbortSignal
  /** Takes rows that the service refuses, with the reasons. */
  readonly onRefusal: (line: number, reason: string) => void
}

/** Returns why the service refuses a row; undefined where the error is not about the row. */
const refusalOf = (error: unknown): string | undefined => {
  if (!(error instanceof KpiError) || error.mayBeDone) return undefined
  if (exitCodes[error.code] !== EXIT.failed || error.code === 'not_acceptable') return undefined
  const reasons = error.issues.map(({ field, message }) => `${field} ${message}`)
  return reasons.length > 0 ? reasons.join('; ') : error.message
}

const isUnknown = (error: unknown): error is KpiError => error instanceof KpiError && error.mayBeDone

/** Creates one thing; where the answer was lost, looks whether it is there before it is sent again. */
const createOne = async ({ of, collection }: Sending, { draft, parent }: ToCreate): Promise<void> => {
  const own = collection(parent)
  try {
    await own.add(draft)
  } catch (error) {
    if (!isUnknown(error)) throw error
    const key = keyOf(of, { ...draft, ...(parent !== undefined && { group_id: parent }) })
    const isThere = (await own.list()).some((one) => keyOf(of, one) === key)
    if (!isThere) await own.add(draft)
  }
}

/** Changes one thing. To send a change again is safe: it sets the same values. */
const updateOne = async ({ collection }: Sending, { existing, patch }: ToUpdate): Promise<void> => {
  const change = (): Promise<unknown> => collection().update(Number(existing['id']), patch, existing)
  await change().catch((error: unknown) => {
    if (!isUnknown(error)) throw error
    return change()
  })
}

/** Groups rows that are created in the same place, in steps that the service takes at once. */
const stepsOf = (rows: readonly ToCreate[], step: number): ToCreate[][] => {
  const steps: ToCreate[][] = []
  for (const row of rows) {
    const last = steps.at(-1)
    if (last && last.length < step && last[0]?.parent === row.parent) last.push(row)
    else steps.push([row])
  }
  return steps
}

/** Creates the things of a step at once; false where one is refused, so that none of them was created. */
const createTogether = async ({ collection }: Sending, rows: readonly ToCreate[]): Promise<boolean> => {
  const own = collection(rows[0]?.parent)
  if (rows.length < 2 || !own.addEach) return false
  try {
    for await (const _ of own.addEach(rows.map(({ draft }) => draft)));
    return true
  } catch (error) {
    if (refusalOf(error) === undefined) throw error
    return false
  }
}

/**
 * Carries out what is planned: creates, then updates. A row that the service refuses is told of, and the others go on;
 * any other failure ends it, and what was done stays done.
 */
export const sendRows = async (sending: Sending, planned: readonly PlannedRow[]): Promise<SentRows> => {
  const creates = planned.filter((row) => row.action === 'create')
  const updates = planned.filter((row) => row.action === 'update')
  const counts: SentCounts = { created: 0, updated: 0 }
  let left = creates.length + updates.length
  const sendOne = async (row: ToCreate | ToUpdate): Promise<void> => {
    if (sending.signal.aborted) throw new Aborted('stopped')
    try {
      await (row.action === 'create' ? createOne(sending, row) : updateOne(sending, row))
      counts[row.action === 'create' ? 'created' : 'updated'] += 1
    } catch (error) {
      const reason = refusalOf(error)
      if (reason === undefined) throw error
      sending.onRefusal(row.line, reason)
    }
    left -= 1
  }
  try {
    for (const step of stepsOf(creates, sending.step)) {
      if (sending.signal.aborted) throw new Aborted('stopped')
      if (await createTogether(sending, step)) {
        counts.created += step.length
        left -= step.length
      } else for (const row of step) await sendOne(row)
    }
    for (const row of updates) await sendOne(row)
    return { counts, left, failure: undefined }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { counts, left, failure: error }
  }
}
