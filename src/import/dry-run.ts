import type { EntryDraft } from '../domain/resources/entry.ts'
import { neededAssignments } from './assignments/needed.ts'
import { type Action, chooseFrom, decideBy, isSent, readsFirst, type Verdict } from './existing/planned-action.ts'
import type { Summary } from './import-types.ts'
import type { Prepared } from './prepare.ts'
import { tellUnchecked } from './reference.ts'
import type { Batch } from './rows/batches.ts'
import { lineOf } from './rows/packed-row.ts'

/** Describes the outcome of a dry run for an entry, or a rejected row. */
export type Rehearsed = {
  readonly line: number
  readonly action: Action
  readonly draft?: EntryDraft
  readonly reason: string
}

/** Counts what would be sent, as the service would. */
const count = (summary: Summary, action: Verdict['action']): void => {
  if (action === 'create') summary.created += 1
  if (action === 'update' || action === 'add') summary.updated += 1
  if (action === 'unchanged') summary.unchanged += 1
  if (action === 'send') summary.unknown += 1
}

/** Returns what a batch would do. Entries that the service would refuse become rejects, printed at the end. */
const rehearseBatch = async (batch: Batch, prepared: Prepared): Promise<Rehearsed[]> => {
  const { reference, summary, options } = prepared
  const { verdicts } = await chooseFrom(batch, prepared)
  return verdicts.flatMap((verdict, at) => {
    const { action, reason } = verdict
    if (isSent(verdict, options)) count(summary, action)
    const draft = batch.drafts[at]
    if (action === 'reject' || action === 'nothing' || !draft) return []
    const isTargetDropped = reference.kpis.byId.get(draft.kpi_id)?.target_default === null
    const kept = isTargetDropped ? { ...draft, target: null } : draft
    return [batch.lines[at] ?? 0].flat().map((place) => ({ line: lineOf(place), draft: kept, action, reason }))
  })
}

/**
 * Does all of an import but send: yields what would become of every entry, by key, then every row that would be
 * rejected, by line. The summary is complete at the end.
 */
export async function* rehearse(prepared: Prepared): AsyncGenerator<readonly Rehearsed[]> {
  const { summary, rejects, reference, options } = prepared
  const standing = readsFirst(options) ? prepared.standing : prepared.readAhead()
  const rehearsed = { ...prepared, standing, decide: decideBy(standing, reference, options, true) }
  for (const batch of prepared.batches()) yield await rehearseBatch(batch, rehearsed)
  summary.rejected = 0
  summary.unchecked = tellUnchecked(reference)
  summary.assigned = (await neededAssignments(rehearsed)).length
  for (const { line, reasons } of rejects.lines()) {
    summary.rejected += 1
    yield [{ line, action: 'reject', reason: reasons.join('; ') }]
  }
}
