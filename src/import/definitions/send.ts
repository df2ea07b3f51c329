import { hash } from 'node:crypto'
import type { Client } from '../../client/client.ts'
import { Aborted, type Clock } from '../../client/transport.ts'
import { KpiError, isRefused } from '../../domain/errors.ts'
import type { AnyRecord } from '../../domain/schema.ts'
import { endIfAllRefused, mayBeDone, reasonsOf } from '../delivery/refusal.ts'
import type { Journal } from '../journal/journal.ts'
import { addTally, emptyTally, type Tally } from '../journal/tally.ts'
import { pollUntil } from '../third-party/reconcile.ts'
import type { ExistingDefinitions } from './existing.ts'
import { journalRows, refusedTally, tallyOf } from './journaled.ts'
import type { DefinitionKind } from './kinds.ts'
import type { DefinitionRow } from './rows.ts'
import type { DefinitionAction, Planner, SentDefinition } from './plan.ts'

/** Describes a row to send, and where the journal has it if an earlier part of the run was about to send it. */
export type OpenRow = { readonly plan: SentDefinition; readonly journaled: number | undefined }

/** Holds what sending rows needs. */
export type SendRun = {
  readonly client: Client
  readonly kind: DefinitionKind
  readonly journal: Journal
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly plan: Planner
  /** Reads what the service has now. */
  readonly look: () => Promise<ExistingDefinitions>
  /** Takes what became of a row; it may throw to end the run. */
  readonly onOutcome: (tally: Tally) => void
  /** Does what must be done before a record changes. */
  readonly beforeUpdate: BeforeUpdate
  /** Receives what was created for a row. */
  readonly onCreated: (row: DefinitionRow, created: AnyRecord) => void
}

/** Does what must be done before a record changes, of which the changed values are given. */
export type BeforeUpdate = (held: AnyRecord, values: AnyRecord) => Promise<void>

/** Sets how many rows are journaled together where each is sent by itself, because each write waits for the disk. */
const AHEAD = 20
/** Sets how often a row is sent whose answers are lost. */
const ATTEMPTS = 3

/** Says what became of a row by what was planned for it. */
export const OUTCOMES = { create: 'created', update: 'updated', unchanged: 'unchanged', skip: 'skipped' } as const

/** Returns what becomes of a row for which nothing is sent any more; undefined if something is. */
const settledBy = (next: DefinitionAction, sent: SentDefinition): Tally | undefined => {
  if (next.action === 'reject') return refusedTally(next.row, next.reasons)
  // It is as the row says, and was not before it was sent.
  if (next.action === 'unchanged') return tallyOf(OUTCOMES[sent.action])
  return next.action === 'skip' ? tallyOf('skipped') : undefined
}

/** Names a request to create a record: the same one for the same record, in all parts of a run. */
const requestName = ({ runId }: Journal, { row, values }: SentDefinition): string => {
  const text = JSON.stringify(values, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  return `${runId}-${row.line}-${hash('sha256', text, 'hex').slice(0, 16)}`
}

/** Describes a row that is journaled and about to be sent. */
type Journaled = {
  readonly plan: SentDefinition
  readonly id: number
  /** Tells whether it must stay in the journal if it gets no outcome: it may have been done. */
  isUnknown: boolean
}

/** Journals the ids of created records at once, as they tell a run that is continued which ones are its own. */
const noteCreated = ({ journal, onCreated }: SendRun, made: readonly (readonly [Journaled, AnyRecord])[]): void => {
  journal.noteCreated(new Map(made.map(([{ id }, created]) => [id, Number(created['id'])])))
  for (const [{ plan }, created] of made) onCreated(plan.row, created)
}

const put = async (run: SendRun, one: Journaled, plan: SentDefinition): Promise<void> => {
  const { client, kind, journal, beforeUpdate } = run
  const operations = kind.at(client, plan.row.parent)
  if (plan.action === 'create') noteCreated(run, [[one, await operations.add(plan.values, requestName(journal, plan))]])
  else {
    await beforeUpdate(plan.held, plan.values)
    await operations.update(Number(plan.held['id']), plan.values)
  }
}

/** Finds out after a lost answer what the service has; lists of other services may show a new record late. */
export const lookForRows = (
  run: Pick<SendRun, 'client' | 'clock' | 'signal' | 'look'>,
  plans: readonly SentDefinition[],
): Promise<ExistingDefinitions> => {
  const isThere = (existing: ExistingDefinitions): boolean =>
    plans.every(({ action, row }) => action === 'update' || existing.find(row) !== undefined)
  return run.client.isBundled() ? run.look() : pollUntil(run, run.look, isThere)
}

/** Plans a row anew, by what the service has after an answer was lost, or after somebody else has created it. */
const planAgain = async (run: SendRun, plan: SentDefinition, isOurs: boolean): Promise<DefinitionAction> => {
  const existing = isOurs ? await lookForRows(run, [plan]) : await run.look()
  const next = run.plan(existing, plan.row, isOurs)
  // A new record keeps the place that it was given.
  return next.action === 'create' ? plan : next
}

/** Sends a row until it has an outcome; after a lost answer, only once it is known that nothing was done. */
const sendRow = async (run: SendRun, one: Journaled): Promise<Tally> => {
  let { plan } = one
  for (let attempt = 1; ; attempt += 1) {
    try {
      await put(run, one, plan)
      return tallyOf(OUTCOMES[plan.action])
    } catch (error) {
      const isOurs = mayBeDone(error)
      one.isUnknown ||= isOurs
      const isTaken = error instanceof KpiError && error.code === 'conflict' && plan.action === 'create'
      if (!isOurs && !isTaken) {
        if (isRefused(error)) return refusedTally(plan.row, reasonsOf(error))
        throw error
      }
      if (attempt === ATTEMPTS) throw error
      const next = await planAgain(run, plan, isOurs)
      const settled = settledBy(next, plan)
      if (settled) return settled
      if (isTaken && next.action === 'create') return refusedTally(plan.row, reasonsOf(error))
      if (next.action === 'create' || next.action === 'update') plan = next
      one.isUnknown = false
    }
  }
}

/** Returns the first rows that can be created in one step, all or none; none if that is not possible. */
const togetherOf = ({ client }: SendRun, rows: readonly Journaled[]): Journaled[] => {
  const [first] = rows
  const end = rows.findIndex(({ plan }) => plan.action !== 'create' || plan.row.parent !== first?.plan.row.parent)
  const some = rows.slice(0, end < 0 ? rows.length : end)
  return client.addStep > 1 && some.length > 1 ? some : []
}

/** Creates rows in one step; tells whether they were, as one that is refused leaves all of them. */
const createTogether = async (run: SendRun, rows: readonly Journaled[]): Promise<boolean> => {
  const { client, kind } = run
  try {
    const parent = rows[0]?.plan.row.parent ?? 0
    let at = 0
    for await (const some of kind.at(client, parent).addEach(rows.map(({ plan }) => plan.values))) {
      noteCreated(
        run,
        some.flatMap((created) => {
          const one = rows[at++]
          return one ? [[one, created] as const] : []
        }),
      )
    }
    return true
  } catch (error) {
    if (isRefused(error)) return false
    throw error
  }
}

/** Sends journaled rows one after another, or many in one step; removes those from the journal that were surely not sent. */
const sendBlock = async (run: SendRun, rows: readonly Journaled[]): Promise<void> => {
  const { journal, signal } = run
  const open = [...rows]
  let isAlone = false
  const done = (count: number, tallies: (one: Journaled) => Tally): void => {
    for (const one of open.splice(0, count)) {
      const tally = tallies(one)
      journal.acknowledge(one.id, tally)
      run.onOutcome(tally)
    }
  }
  try {
    while (open[0]) {
      if (signal.aborted) throw new Aborted('stopped')
      const together: Journaled[] = isAlone ? [] : togetherOf(run, open)
      if (together.length > 0 && (await createTogether(run, together))) {
        done(together.length, () => tallyOf('created'))
        continue
      }
      isAlone = together.length > 0 || isAlone
      const tally = await sendRow(run, open[0])
      done(1, () => tally)
    }
  } catch (error) {
    journal.withdraw(open.filter(({ isUnknown }) => !isUnknown).map(({ id }) => id))
    throw error
  }
}

/** Ends a run whose service refuses one row after another. */
const watchRefusals = (onOutcome: SendRun['onOutcome']): SendRun['onOutcome'] => {
  const all = emptyTally()
  return (tally) => {
    addTally(all, tally)
    onOutcome(tally)
    const [refused] = tally.refused
    if (refused && all.created + all.updated + all.unchanged + all.skipped === 0) {
      endIfAllRefused(all, new KpiError('invalid', refused[1]), 'row')
    }
  }
}

/** Sends rows in the order of the file; each is journaled before it is sent, and has an outcome afterwards. */
export const sendDefinitions = async (given: SendRun, rows: readonly OpenRow[]): Promise<void> => {
  const run = { ...given, onOutcome: watchRefusals(given.onOutcome) }
  const ahead = run.client.addStep > 1 ? run.client.addStep : AHEAD
  for (let at = 0; at < rows.length; at += ahead) {
    if (run.signal.aborted) throw new Aborted('stopped')
    const block = rows.slice(at, at + ahead)
    const fresh = block.filter(({ journaled }) => journaled === undefined).map(({ plan }) => plan)
    const ids = journalRows(run.journal, fresh, run.clock.now())
    await sendBlock(
      run,
      block.map(({ plan, journaled }) => ({
        plan,
        id: journaled ?? ids.shift() ?? 0,
        isUnknown: journaled !== undefined,
      })),
    )
  }
}
