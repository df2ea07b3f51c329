import type { EntryChange } from '../../domain/entry-changes.ts'
import type { CreatedAgain } from '../../domain/resources/entry-run.ts'
import { readChanges } from './noted-changes.ts'
import type { KeptRun } from './undo-kept.ts'
import { type UndoReceipt } from './undo-receipt.ts'

/** Describes all of a run that is taken back: the receipts of its parts, the oldest first. */
export type UndoneRun = Pick<UndoReceipt, 'head' | 'things' | 'unsure' | 'ended' | 'served' | 'journal'> & {
  readonly parts: readonly UndoReceipt[]
  /** Holds the entries that later imports found missing, and stored; only as far as times do not tell. */
  readonly storedAnew: ReadonlySet<string>
}

/**
 * Returns what tells which run a receipt is of. One that was cut off before it had an id, while it created things, is a part of
 * the next run of the same command.
 */
const identityOf = (receipt: UndoReceipt, receipts: readonly UndoReceipt[]): string => {
  const { name, journal, runId } = receipt
  if (runId !== undefined || journal === undefined) return runId ?? name
  const isNext = (one: UndoReceipt): boolean =>
    one.journal === journal && one.runId !== undefined && one.head.at >= receipt.head.at
  return receipts.find(isNext)?.runId ?? journal
}

/** Returns a run with all parts of it that are not taken back yet, as its receipt and others, the oldest first, say. */
export const runOf = (receipt: UndoReceipt, receipts: readonly UndoReceipt[]): Omit<UndoneRun, 'storedAnew'> => {
  const identity = identityOf(receipt, receipts)
  const isOther = (one: UndoReceipt): boolean =>
    one.name !== receipt.name &&
    one.takenBack === undefined &&
    one.head.service === receipt.head.service &&
    identityOf(one, receipts) === identity
  const parts = [...receipts.filter(isOther), receipt].toSorted((one, other) =>
    one.head.at.localeCompare(other.head.at),
  )
  const [first = receipt] = parts
  const { ended, served } = parts.at(-1) ?? receipt
  const [things, unsure] = [parts.flatMap((one) => one.things), parts.flatMap((one) => one.unsure)]
  const journal = parts.findLast((one) => one.journal !== undefined)?.journal
  return { head: first.head, journal, ended, served, things, unsure, parts }
}

/** Describes a run of which the service keeps what it replaced, by the receipt of its last part. */
export type KeptPart = KeptRun & { readonly part: UndoReceipt }

/** Returns those of some ids that are others now. */
const otherIds = (ids: readonly number[], now: (id: number) => number): ReadonlyMap<number, number> =>
  new Map(ids.flatMap((id) => (now(id) === id ? [] : [[Math.abs(id), Math.abs(now(id))]])))

/** Returns what was created again since of the KPIs and owners of which the service keeps something. */
const againOf = (parts: readonly UndoReceipt[]): CreatedAgain => {
  const idNow = parts.find((part) => part.idNow)?.idNow
  if (!idNow) return { kpis: new Map(), items: new Map() }
  const ownerNow = (id: number): number => (id < 0 ? -idNow('group_item', -id) : idNow('user', id))
  return {
    kpis: otherIds([...new Set(parts.flatMap(({ keptOf }) => keptOf.kpis))], (id) => idNow('kpi', id)),
    items: otherIds([...new Set(parts.flatMap(({ keptOf }) => keptOf.owners))], ownerNow),
  }
}

/** Returns the runs of which the service keeps what they replaced, the latest first: one with several parts is one run. */
export const keptParts = ({ parts }: Pick<UndoneRun, 'parts'>): readonly KeptPart[] => {
  const kept = parts.toReversed().filter(({ isKept, runId }) => isKept && runId !== undefined)
  return [...Map.groupBy(kept, ({ runId = '' }) => runId)].flatMap(([run, all]) =>
    all.slice(0, 1).map((part) => ({ run, part, again: againOf(all) })),
  )
}

/** Holds some of what an import made of entries, with the receipt of the run's part that says so. */
type SomeChanges = { readonly part: UndoReceipt; readonly changes: readonly EntryChange[] }

/** Yields what an import made of entries, some at a time: the parts from the last to the first, each as it was sent. */
export async function* changesByPart({ parts }: UndoneRun, most: number): AsyncGenerator<SomeChanges> {
  for (const part of parts.toReversed()) for await (const changes of readChanges(part, most)) yield { part, changes }
}
