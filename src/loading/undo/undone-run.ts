import type { EntryChange } from '../../domain/entry-changes.ts'
import type { CreatedAgain } from '../../domain/resources/entry-run.ts'
import { compareKeys, type EntryKey } from '../../domain/entry-key.ts'
import { readChanges } from '../../runs/entries/receipt-changes.ts'
import type { KeptRun } from './undo-kept.ts'
import { type UndoReceipt } from '../../runs/entries/receipt.ts'

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
type SomeChanges = {
  readonly part: UndoReceipt
  readonly changes: readonly EntryChange[]
  /** Tells that another part may hold some of them, too: a run goes on with what it may have sent before it was cut off. */
  readonly isShared: boolean
}

/** Holds the first and the last key of some changes of a part. */
type Extent = { readonly part: UndoReceipt; readonly first: EntryKey; readonly last: EntryKey }

const NO_KEY: EntryKey = [0, 0, 0]

const extentOf = (part: UndoReceipt, changes: readonly EntryChange[]): Extent => {
  let [first, last] = [changes[0]?.key ?? NO_KEY, changes[0]?.key ?? NO_KEY]
  for (const { key } of changes) {
    if (compareKeys(key, first) < 0) first = key
    if (compareKeys(key, last) > 0) last = key
  }
  return { part, first, last }
}

/** Yields what an import made of entries, some at a time: the parts from the last to the first, each as it was sent. */
async function* eachPart(
  { parts }: Pick<UndoneRun, 'parts'>,
  most: number,
): AsyncGenerator<Omit<SomeChanges, 'isShared'>> {
  for (const part of parts.toReversed()) for await (const changes of readChanges(part, most)) yield { part, changes }
}

/** Tells of each extent whether one of another part meets it. */
const meetings = (extents: readonly Extent[]): boolean[] => {
  const isShared = extents.map(() => false)
  const sorted = [...extents.keys()].toSorted((one, other) =>
    compareKeys(extents[one]?.first ?? NO_KEY, extents[other]?.first ?? NO_KEY),
  )
  let open: number[] = []
  for (const at of sorted) {
    const { part, first } = extents[at] ?? { part: undefined, first: NO_KEY }
    open = open.filter((one) => compareKeys(extents[one]?.last ?? NO_KEY, first) >= 0)
    for (const one of open) if (extents[one]?.part !== part) [isShared[at], isShared[one]] = [true, true]
    open.push(at)
  }
  return isShared
}

/**
 * Yields what an import made of entries, some at a time: the parts from the last to the first, each as it was sent. Parts have
 * few entries in common, so that what has to be remembered of these does not grow with the import.
 */
export async function* changesByPart(undone: UndoneRun, most: number): AsyncGenerator<SomeChanges> {
  const extents: Extent[] = []
  if (undone.parts.length > 1)
    for await (const { part, changes } of eachPart(undone, most)) extents.push(extentOf(part, changes))
  const isShared = meetings(extents)
  let at = 0
  for await (const some of eachPart(undone, most)) yield { ...some, isShared: isShared[at++] === true }
}
