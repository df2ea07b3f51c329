import { nextTurn } from '../client/next-turn.ts'
import { hasAnyTarget } from '../domain/targets/dated-targets.ts'
import type { EntryDraft } from '../domain/resources/entry.ts'
import { neededAssignments } from './needed-assignments.ts'
import {
  type ActionName,
  chooseEntries,
  createPlanner,
  isSent,
  type PlannedAction,
  readsFirst,
  type ValueChange,
} from './existing/planned-action.ts'
import type { Summary } from '../reading/entries/summary.ts'
import { isProvisional } from '../reading/directory/lookup.ts'
import type { Prepared } from './prepare/prepare.ts'
import { type Pair, tellUnchecked } from '../reading/directory/reference.ts'
import type { Batch } from '../reading/rows/batches.ts'
import type { Restatements } from '../reading/rows/restatements.ts'
import { createLineSet, type LineSet } from '../reading/rejects/rejects.ts'
import { lineOf } from '../blocks/packed-row.ts'

/** Describes the outcome of a dry run for an entry, or a rejected row. */
export type DryRunOutcome = {
  readonly line: number
  readonly action: ActionName | 'restated'
  readonly draft?: EntryDraft
  readonly reason: string
  /** Holds the values before and after, where something stored would change. */
  readonly change?: ValueChange | undefined
}

/** Counts an entry that would be sent, as the service would. */
const count = (summary: Summary, action: PlannedAction['action']): void => {
  if (action === 'create') summary.created += 1
  if (action === 'update' || action === 'add') summary.updated += 1
  if (action === 'unchanged') summary.unchanged += 1
  if (action === 'send') summary.unknown += 1
}

/** Returns what of an entry would be created first. */
const newThings = (
  { kpi_id, user_id, source_id }: EntryDraft,
  { kpis, users, sources }: Prepared['reference'],
): string[] => [
  ...(isProvisional(kpi_id) ? [`new KPI "${kpis.byId.get(kpi_id)?.name}"`] : []),
  ...(isProvisional(user_id ?? 0) ? [`new user "${users.byId.get(user_id ?? 0)?.name}"`] : []),
  ...(isProvisional(source_id ?? 0) ? [`new item "${sources?.byId.get(source_id ?? 0)?.name}"`] : []),
]

/** Sets how many outcomes are yielded at a time: an entry may come from millions of rows. */
const OUTCOMES = 5000

/**
 * Yields the outcomes of a batch. Entries that the service would refuse become rejects, which are printed at the end.
 */
async function* rehearseBatch(
  batch: Batch,
  prepared: Pick<Prepared, 'reference' | 'summary' | 'options' | 'decide' | 'rejects'>,
  signal: AbortSignal,
): AsyncGenerator<readonly DryRunOutcome[]> {
  const { reference, summary, options } = prepared
  const { plans } = await chooseEntries(batch, prepared)
  let outcomes: DryRunOutcome[] = []
  for (const [at, plan] of plans.entries()) {
    const { action, reason, change } = plan
    if (isSent(plan, options)) count(summary, action)
    const draft = batch.drafts[at]
    if (action === 'reject' || action === 'nothing' || !draft) continue
    const kpi = reference.kpis.byId.get(draft.kpi_id)
    const isTargetDropped = kpi !== undefined && !hasAnyTarget(kpi)
    const kept = isTargetDropped ? { ...draft, target: null } : draft
    const said = [reason, ...newThings(draft, reference)].filter((part) => part !== '').join('; ')
    const places = batch.lines[at] ?? 0
    for (const place of typeof places === 'number' ? [places] : places) {
      outcomes.push({ line: lineOf(place), draft: kept, action, reason: said, change })
      if (outcomes.length < OUTCOMES) continue
      await nextTurn(signal)
      yield outcomes
      outcomes = []
    }
  }
  yield outcomes
}

/** Yields the lines that are not sent, as a later file gives their entries again; those that are rejected as well go to a set. */
async function* listRestated(
  restatements: Restatements,
  {
    rejects,
    signal,
    alsoRejected,
  }: Pick<Prepared, 'rejects'> & {
    readonly signal: AbortSignal
    readonly alsoRejected: LineSet
  },
): AsyncGenerator<readonly DryRunOutcome[]> {
  const reason = restatements.reason()
  let outcomes: DryRunOutcome[] = []
  for (const line of restatements.lines()) {
    if (rejects.has(line)) {
      alsoRejected.add(line)
      continue
    }
    outcomes.push({ line, action: 'restated', reason })
    if (outcomes.length < OUTCOMES) continue
    await nextTurn(signal)
    yield outcomes
    outcomes = []
  }
  yield outcomes
}

/**
 * Does everything of an import except sending: yields the outcome of every entry, by key, then every row that a later file
 * gives again, and every one that would be rejected, by line. The summary is complete at the end; `onAssignments` receives the assignments that a run would create.
 */
export async function* dryRun(
  prepared: Prepared,
  signal: AbortSignal,
  onAssignments: (needed: readonly Pair[]) => void = () => undefined,
): AsyncGenerator<readonly DryRunOutcome[]> {
  const { summary, rejects, reference, options, restatements } = prepared
  const existing = readsFirst(options) ? prepared.existing : prepared.readAhead()
  const rehearsed = { ...prepared, existing, decide: createPlanner(existing, reference, options, true) }
  for (const batch of prepared.batches()) {
    await nextTurn(signal)
    if (batch.size > 0) yield* rehearseBatch(batch, rehearsed, signal)
  }
  summary.rejected = rejects.count()
  summary.unchecked = tellUnchecked(reference)
  const needed = await neededAssignments(rehearsed, signal)
  summary.assigned = needed.length
  onAssignments(needed)
  const alsoRejected = createLineSet()
  if (restatements) yield* listRestated(restatements, { rejects, signal, alsoRejected })
  const reasonOf = (line: number, reasons: readonly string[]): string =>
    [...reasons, ...(restatements && alsoRejected.has(line) ? [restatements.reason()] : [])].join('; ')
  for await (const lines of rejects.lines(signal)) {
    yield lines.map(({ line, reasons }) => ({ line, action: 'reject' as const, reason: reasonOf(line, reasons) }))
  }
}
