import { storedKey } from '../../../domain/entry-key.ts'
import type { CreatedRecord } from '../../../domain/kinds.ts'
import type { Client } from '../../../client/client.ts'
import { formatDay } from '../../../domain/day.ts'
import { formatDecimal } from '../../../domain/decimal.ts'
import { BATCH_LIMIT } from '../../../domain/resources/entry.ts'
import type { EntryValues } from '../../../domain/rules.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import type { EntryChange } from '../../../domain/entry-changes.ts'
import { type EntryOutcome, type Foreseen, judgeChanges, type Since } from '../../../loading/undo/judge-changes.ts'
import { putBack } from '../../../loading/undo/put-back.ts'
import type { Undoing } from '../../../changes/send/remove-created.ts'
import { changesByPart, type UndoneRun } from '../../../loading/undo/undone-run.ts'
import type { KeptBatch } from '../../../loading/undo/undo-kept.ts'
import type { UndoReceipt } from '../../../runs/entries/receipt.ts'
import type { UndoRest } from '../../../loading/undo/undo-rest.ts'
import { createNames, type Names } from '../verbs/reference-names.ts'

const keysOf = ({ key: [owner, kpi] }: EntryChange): string[] => [
  `kpi ${kpi}`,
  owner < 0 ? `item ${-owner}` : `user ${owner}`,
  `assignment ${kpi} ${owner}`,
]

const raise = <K>(map: Map<K, number>, key: K, by = 1): unknown => map.set(key, (map.get(key) ?? 0) + by)

/**
 * Counts what becomes of the entries of an import, each once: all of them, by their KPIs, and by KPIs and owners where
 * they are removed. Its memory is bounded by the number of KPIs and owners.
 */
export class EntryCounts {
  readonly #actions = new Map<EntryOutcome['action'], number>()
  readonly #removed = new Map<string, number>()
  readonly #ofKpis = new Map<string, number>()

  add({ action, change }: EntryOutcome): void {
    raise(this.#actions, action)
    raise(this.#ofKpis, `${change.key[1]} ${action === 'done' ? 'done' : 'remove'}`)
    if (action === 'remove') for (const key of keysOf(change)) raise(this.#removed, key)
  }

  /** Counts what becomes of entries of a batch that the service keeps, which it takes back whatever becomes of their KPIs. */
  addKept({ restored, removed, unchanged, left, outcomes }: KeptBatch): void {
    const counts = { restore: restored, remove: removed, done: unchanged, leave: left }
    for (const action of ['restore', 'remove', 'done', 'leave'] as const) raise(this.#actions, action, counts[action])
    for (const { action, change } of outcomes)
      if (action === 'remove') for (const key of keysOf(change)) raise(this.#removed, key)
  }

  /** Counts the entries that were removed with their KPI, or were gone already, from the counts of the plan. */
  addWithKpi(kpi: number, plan: EntryCounts): void {
    for (const action of ['remove', 'done'] as const)
      raise(this.#actions, action, plan.#ofKpis.get(`${kpi} ${action}`) ?? 0)
  }

  of(action: EntryOutcome['action']): number {
    return this.#actions.get(action) ?? 0
  }

  /** Returns how many entries of something are removed. */
  removedOf({ kind, id, user_id }: CreatedRecord): number {
    return this.#removed.get(kind === 'assignment' ? `assignment ${id} ${user_id}` : `${kind} ${id}`) ?? 0
  }
}

const textOf = (value: bigint | string | null | undefined): string =>
  typeof value === 'bigint' ? formatDecimal(value) : (value ?? 'none')

/** Says how the values of an entry change when it is put back: `actual 5 → 3`. */
const changeText = ({ before = {}, after }: EntryChange): string =>
  (['actual', 'target', 'notes'] as const satisfies readonly (keyof EntryValues)[])
    .filter((name) => before[name] !== undefined)
    .map((name) => `${name} ${textOf(after[name])} → ${textOf(before[name])}`)
    .join(', ')

/** Names an entry: `Visits of Ann Lee, 2026-03-02`. */
const nameOf = async (names: Names, { key: [owner, kpi, day] }: EntryChange): Promise<string> => {
  const [what, whose] = await Promise.all([
    names.nameOf('kpi', kpi),
    owner < 0 ? names.nameOf('breakdown_item', -owner) : names.nameOf('user', owner),
  ])
  return `${what} of ${whose}, ${formatDay(day)}`
}

const recordOf = async (names: Names, outcome: EntryOutcome): Promise<AnyRecord> => ({
  action: outcome.action,
  kind: 'entry',
  id: outcome.id,
  name: await nameOf(names, outcome.change),
  entries: null,
  reason: outcome.reason ?? null,
  change: outcome.action === 'restore' ? changeText(outcome.change) : null,
})

/** Returns the function that makes records of entries and what becomes of them; those that are as before are left out. */
export const entryRecords = (client: Client): ((outcomes: readonly EntryOutcome[]) => Promise<AnyRecord[]>) => {
  const names = createNames(client)
  return (outcomes) =>
    Promise.all(outcomes.filter(({ action }) => action !== 'done').map((outcome) => recordOf(names, outcome)))
}

/** Sets by how many seconds a run that was cut off may have stored something after it last noted the time. */
const LATEST = 300

const sinceRun = ({ ended, served, sent }: UndoReceipt, { storedAnew }: UndoneRun): Since => {
  const last = served ?? (ended === undefined ? sent : undefined)
  if (last === undefined) return { served: undefined, storedAnew }
  return { served: Math.ceil(Date.parse(last) / 1000) + (served === undefined ? LATEST : 0), storedAnew }
}

/**
 * Creates a check for entries that were reported before: the part of a run that was cut off and the part that continued it
 * may both hold an entry, which counts once.
 */
const createRepeatCheck = (): ((outcome: EntryOutcome) => boolean) => {
  const known = new Map<string, EntryOutcome['action']>()
  return ({ action, change: { key } }) => {
    const before = known.get(storedKey(...key))
    known.set(storedKey(...key), action)
    return before !== undefined && (action === 'done' || (action === 'leave' && before === 'leave'))
  }
}

/** Yields what would become of the entries of an import, each once. */
export async function* planEntries(client: Client, undone: UndoneRun): AsyncGenerator<EntryOutcome[]> {
  // An earlier part of a run finds what the later ones leave.
  const foreseen: Foreseen = new Map()
  const isRepeated = createRepeatCheck()
  for await (const { part, changes, isShared } of changesByPart(undone, BATCH_LIMIT)) {
    const outcomes = await judgeChanges(client, changes, sinceRun(part, undone), isShared ? foreseen : undefined)
    yield isShared ? outcomes.filter((outcome) => !isRepeated(outcome)) : outcomes
  }
}

/** Sets how many entries are reported at a time. */
const SOME = 100

/**
 * Takes back what an import made of its entries, and yields what became of each once, also before an error; `isWanted` tells for
 * each KPI whether its entries are meant.
 */
export async function* undoEntries(
  client: Client,
  undone: UndoneRun,
  rest: UndoRest,
  isWanted: (kpi: number) => boolean,
  undoing: Undoing,
): AsyncGenerator<EntryOutcome[]> {
  let done: EntryOutcome[] = []
  const isRepeated = createRepeatCheck()
  try {
    for await (const { part, changes, isShared } of changesByPart(undone, BATCH_LIMIT)) {
      const wanted = changes.filter(({ key: [, kpi] }) => isWanted(kpi))
      for await (const outcomes of putBack(client, wanted, sinceRun(part, undone), undoing)) {
        for (const outcome of outcomes) {
          if (!isShared || !isRepeated(outcome)) done.push(outcome)
          if (outcome.action === 'leave') rest.add(part, outcome.change)
          else rest.settle(part)
          if (outcome.action === 'done' && outcome.change.before) rest.meet(outcome.change)
        }
        rest.progress()
        if (done.length < SOME) continue
        yield done
        done = []
      }
    }
  } catch (error) {
    yield done
    throw error
  }
  yield done
}
