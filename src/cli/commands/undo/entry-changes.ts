import { idNow, type MadeAgain } from '../../../changes/undo/plan-undo.ts'
import type { Client } from '../../../client/client.ts'
import { Aborted } from '../../../client/transport.ts'
import { type CreatedAgain, KEPT_DAYS } from '../../../domain/resources/entry-run.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { countKept, isOfEntries, serviceRunOf, tookOff } from '../../../runs/entries-change.ts'
import type { NotedChange, RunRecord } from '../../../runs/run-record.ts'
import type { Cli } from '../../cli.ts'
import { countOf } from '../../output/text.ts'
import type { Counts } from './undo-outcome.ts'

/** Describes what becomes of a change of entries of which the service keeps what they were. */
export type EntryStep = {
  readonly change: NotedChange
  /** Counts the entries that are stored again, or that a group item is taken off or put onto again. */
  readonly restored: number
  readonly unchanged: number
  readonly left: number
  /** Says why some are left alone. */
  readonly reasons: readonly string[]
}

/** Describes what an undo of entries runs with. */
type EntryUndo = {
  readonly client: Client
  readonly run: RunRecord
  readonly again: MadeAgain
  readonly signal: AbortSignal
  /** Is called once entries are as they were before. */
  readonly onRestored: () => void
}

/** Returns the ids that KPIs and items have now which undos created again. */
const createdAgain = (again: MadeAgain): CreatedAgain => {
  const idsOf = (...kinds: ('kpi' | 'user' | 'group_item')[]): ReadonlyMap<number, number> =>
    new Map(
      [...again.keys()].flatMap((key) => {
        const [kind = '', text = ''] = key.split(' ')
        const now = kinds.some((one) => one === kind) ? idNow(again, [kind], Number(text)) : undefined
        return now === undefined ? [] : [[Number(text), now] as const]
      }),
    )
  return { kpis: idsOf('kpi'), items: idsOf('user', 'group_item') }
}

const isOpen = ({ outcome }: NotedChange): boolean => outcome === undefined || outcome === 'done' || outcome === 'left'

/** Takes back one change of entries that the service keeps, batch by batch, or only counts what that would do. */
const undoChange = async (
  { client, again, signal, onRestored }: EntryUndo,
  change: NotedChange,
  serviceRun: string,
  isDry: boolean,
): Promise<EntryStep> => {
  let [restored, unchanged, left] = [0, 0, 0]
  const reasons: string[] = []
  for (let before: number | undefined; ;) {
    if (signal.aborted) throw new Aborted('it was interrupted')
    const batch = await client.entries.undoRun(serviceRun, { before, again: createdAgain(again), isDry })
    restored += batch.restored
    if (batch.restored > 0 && !isDry) onRestored()
    unchanged += batch.unchanged
    left += batch.left
    if (batch.reasons !== null) reasons.push(batch.reasons)
    if (!batch.is_kept && change.outcome !== undefined) {
      left += countKept(change)
      reasons.push(`the service does not keep any more what they were: it does for ${KEPT_DAYS} days, and only so much`)
    }
    if (batch.batches === 0) return { change, restored, unchanged, left, reasons }
    before = batch.revision
  }
}

/**
 * Takes back what a run made of entries, where the service keeps that, the last first, and notes what became of each change; or
 * only says what that would do.
 */
export const undoEntryChanges = async (undo: EntryUndo, isDry: boolean): Promise<readonly EntryStep[]> => {
  const steps: EntryStep[] = []
  for (const change of undo.run.changes().filter(isOpen).toReversed()) {
    const serviceRun = serviceRunOf(change)
    if (serviceRun === undefined) continue
    const step = await undoChange(undo, change, serviceRun, isDry)
    steps.push(step)
    if (!isDry) undo.run.settle(change.id, step.left > 0 ? 'left' : 'taken_back', { reason: step.reasons[0] })
  }
  return steps
}

/** Notes what became of the changes whose entries stand in the record, once these are stored again. */
export const settleNoted = (run: RunRecord, left: number): void => {
  for (const change of run.changes().filter((one) => isOpen(one) && isOfEntries(one)))
    if (serviceRunOf(change) === undefined) run.settle(change.id, left > 0 ? 'left' : 'taken_back')
}

const sum = (steps: readonly EntryStep[], name: 'restored' | 'unchanged' | 'left'): number =>
  steps.reduce((all, one) => all + one[name], 0)

/** Adds what becomes of entries to counts. */
export const withEntries = (counts: Counts, steps: readonly EntryStep[]): Counts => ({
  ...counts,
  restored: counts.restored + sum(steps, 'restored'),
  unchanged: counts.unchanged + sum(steps, 'unchanged'),
  skipped: counts.skipped + sum(steps, 'left'),
})

const WORDS = {
  will: {
    delete: (what: string) => `store ${what} again`,
    off: (what: string) => `take the group item off ${what}`,
    onto: (what: string) => `put the group item onto ${what} again`,
  },
  did: {
    delete: (what: string) => `stored ${what} again`,
    off: (what: string) => `took the group item off ${what}`,
    onto: (what: string) => `put the group item onto ${what} again`,
  },
} as const

const wayOf = ({ change }: EntryStep): keyof (typeof WORDS)['did'] =>
  change.action === 'delete' ? 'delete' : tookOff(change) ? 'onto' : 'off'

/** Says what becomes of entries: `store 3 entries again`; nothing where nothing does. */
export const sayEntries = (steps: readonly EntryStep[], time: keyof typeof WORDS): string[] =>
  (['delete', 'off', 'onto'] as const).flatMap((way) => {
    const count = sum(
      steps.filter((step) => wayOf(step) === way),
      'restored',
    )
    return count > 0 ? [WORDS[time][way](countOf(count, 'entry', 'entries'))] : []
  })

/** Says why entries are left alone. */
export const tellLeft = async (cli: Cli, steps: readonly EntryStep[]): Promise<void> => {
  for (const { change, left, reasons } of steps)
    if (left > 0)
      await cli.note(`${change.name}: ${countOf(left, 'entry', 'entries')} left alone: ${reasons.join('; ')}`)
}

/** Returns rows of what becomes of entries, one for each change. */
export const entryRows = (steps: readonly EntryStep[]): AnyRecord[] =>
  steps.flatMap(({ change: { name }, restored, left, reasons }) => {
    const row = { kind: 'entry', id: null, name, change: null }
    return [
      ...(restored > 0 ? [{ ...row, action: 'restore', entries: restored, reason: null }] : []),
      ...(left > 0 ? [{ ...row, action: 'leave', entries: left, reason: reasons.join('; ') }] : []),
    ]
  })
