import type { Client } from '../../../client/client.ts'
import { Aborted } from '../../../client/transport.ts'
import { KpiError } from '../../../domain/errors.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { sendAssignment } from '../../../import/assignments/import-assignments.ts'
import { EXIT, IncompleteRun } from '../../exit.ts'
import { keyOf } from '../import-definitions/plan.ts'
import { sendRows } from '../import-definitions/send.ts'
import type { AppliedState, Deletion, MadeThing } from './applied-state.ts'
import { planLinks, planSection, type PlannedSection } from './plan-configuration.ts'
import type { Configuration } from './read-configuration.ts'
import { SECTIONS } from './sections.ts'

/** Describes a run that applies a configuration. */
type Applying = {
  readonly client: Client
  readonly wanted: Configuration
  readonly state: AppliedState
  readonly signal: AbortSignal
}

/** Counts what was done. */
type AppliedCounts = { created: number; updated: number; deleted: number }

const throwIfAborted = ({ signal }: Applying): void => {
  if (signal.aborted) throw new Aborted('stopped; run the same command to continue')
}

/** Returns what a section's new things became: their ids. */
const madeIn = async (client: Client, { section, rows }: PlannedSection): Promise<MadeThing[]> => {
  const creates = rows.filter((row) => row.action === 'create')
  if (creates.length === 0) return []
  const keys = new Set(
    creates.map(({ draft, parent }) =>
      keyOf(section.of, { ...draft, ...(parent !== undefined && { group_id: parent }) }),
    ),
  )
  const records: readonly AnyRecord[] = await section.collection(client).list()
  return records
    .filter((one) => keys.has(keyOf(section.of, one)))
    .map((one) => ({ section: section.name, id: Number(one['id']) }))
}

/** Sends what a section needs, planned anew: what it refers to exists by now. */
const applySection = async (
  run: Applying,
  section: (typeof SECTIONS)[number],
  counts: AppliedCounts,
): Promise<string[]> => {
  const { client, wanted, state, signal } = run
  const planned = await planSection(client, section, wanted)
  const refusals: string[] = planned.rows.flatMap((row) =>
    row.action === 'reject' ? row.reasons.map((reason) => `line ${row.line}: ${reason}`) : [],
  )
  const sent = await sendRows(
    {
      of: section.of,
      collection: (parent) => section.collection(client, parent),
      step: client.addStep,
      signal,
      onRefusal: (line, reason) => void refusals.push(`line ${line}: ${reason}`),
    },
    planned.rows,
  )
  counts.created += sent.counts.created
  counts.updated += sent.counts.updated
  if (sent.counts.created > 0) state.keep([...state.made(), ...(await madeIn(client, planned))])
  if (sent.failure) throw sent.failure
  return refusals
}

/** Sends the assignments and links of users. */
const applyLinks = async (run: Applying, counts: AppliedCounts): Promise<string[]> => {
  const refusals: string[] = []
  for (const { email, user, assignments, groupItems } of await planLinks(run.client, run.wanted)) {
    for (const plan of assignments) {
      throwIfAborted(run)
      const sent = await sendAssignment(run.client, plan)
      if ('reason' in sent) refusals.push(`line ${plan.row.line}: ${sent.reason}`)
      else if (sent.action === 'add') counts.created += 1
      else if (sent.action === 'update') counts.updated += 1
    }
    for (const [id, name] of groupItems) {
      throwIfAborted(run)
      try {
        await run.client.userGroupItems(user).add({ id })
        counts.created += 1
      } catch (error) {
        if (!(error instanceof KpiError) || error.code !== 'invalid') throw error
        refusals.push(`${email}: ${name}: ${error.message}`)
      }
    }
  }
  return refusals
}

const applyDeletions = async (run: Applying, deletions: readonly Deletion[], counts: AppliedCounts): Promise<void> => {
  for (const { section: name, id } of deletions) {
    throwIfAborted(run)
    const section = SECTIONS.find((one) => one.name === name)
    await section?.collection(run.client).remove(id)
    counts.deleted += 1
    run.state.keep(run.state.made().filter((one) => one.section !== name || one.id !== id))
  }
}

/**
 * Makes the account what a configuration says: sections in the order of their dependence, then links, then deletions.
 * What the service refuses is told of at the end, and the rest is done. After a failure the same command goes on.
 */
export const applyConfiguration = async (run: Applying, deletions: readonly Deletion[]): Promise<AppliedCounts> => {
  const counts: AppliedCounts = { created: 0, updated: 0, deleted: 0 }
  const refusals: string[] = []
  try {
    for (const section of SECTIONS) refusals.push(...(await applySection(run, section, counts)))
    refusals.push(...(await applyLinks(run, counts)))
    await applyDeletions(run, deletions, counts)
  } catch (error) {
    const isBegun = counts.created + counts.updated + counts.deleted > 0
    if (!isBegun || !(error instanceof KpiError)) throw error
    throw new IncompleteRun(EXIT.workLeft, 'work_left', [
      error.message,
      'stopped with work left; run the same command to continue',
    ])
  }
  if (refusals.length > 0) throw new IncompleteRun(EXIT.partial, 'rejected', refusals)
  return counts
}
