import type { Change } from '../../../changes/records/change.ts'
import type { Plan } from '../../../changes/plan/plan.ts'
import { type Outcome, sendChanges, type Sending } from '../../../changes/send/send.ts'
import type { RunRecord } from '../../../runs/run-record.ts'
import type { Cli } from '../../cli.ts'
import { countOf, shellWord } from '../../output/text.ts'
import { placeFlags } from '../../target/settings.ts'
import { createListErrors } from './list-errors.ts'

/** Says before records are deleted what an undo cannot bring back; at a terminal, as a job asks nobody. */
const tellLosses = async ({ io, note }: Cli, changes: readonly Change[]): Promise<void> => {
  const deleted = changes.filter(({ action }) => action === 'delete')
  if (deleted.length === 0 || !io.stderr.isTerminal) return
  const people = deleted.some(({ record }) => record.kind.name === 'user')
  await note(
    `kpi undo can create what is deleted again, with other ids${people ? ', and people without their password and keys' : ''}`,
  )
}

/** Says at a terminal how to take back what was done. */
export const tellReceipt = async (
  { io, flags, note }: Cli,
  { head, isKept }: Pick<RunRecord, 'head' | 'isKept'>,
): Promise<void> => {
  if (!io.stderr.isTerminal || !isKept) return
  const place = placeFlags(flags).map((one) => ` ${shellWord(one)}`)
  await note(`to take this back: kpi undo ${shellWord(head.name)}${place.join('')}`)
}

/** Sets how often it is noted how far many changes are. */
const PROGRESS_MS = 30_000

/** Holds what making planned changes needs. */
type Making = Omit<Sending, 'again' | 'clock' | 'onOutcome' | 'onWarning' | 'onRemoved' | 'run'> & {
  readonly run: RunRecord
  readonly plan: Pick<Plan, 'changes' | 'again'>
  /** Receives what became of each change. */
  readonly onOutcome?: (outcome: Outcome) => void | Promise<void>
  readonly onRemoved?: (change: Change) => Promise<void>
  /** Says how many items the input has, of which some need no change, and at which place the item of a change stands. */
  readonly places?: { readonly total: number; readonly of: (change: Change) => number }
  /** Says how to continue, if not by the same command. */
  readonly goOn?: (number: number) => string
}

/** Describes what making changes came to. */
type Made = {
  readonly done: readonly Change[]
  readonly outcomes: readonly Outcome[]
  /** Counts what needed no change any more when it was to be sent. */
  readonly unchanged: number
  /** Counts the changes that were not made. */
  readonly left: number
  readonly failure: Error | undefined
}

/**
 * Makes planned changes one after another, and notes from time to time how far it is. A refusal of one does not keep the
 * others from being made; the failure says what was refused, or what is left and how to continue.
 */
export const makeChanges = async (
  cli: Cli,
  { plan, onOutcome, onRemoved, places, goOn, ...sending }: Making,
): Promise<Made> => {
  const { changes, again } = plan
  const total = places?.total ?? changes.length
  const placeOf = (change: Change | undefined, number: number): number =>
    places && change ? places.of(change) : number
  const errors = createListErrors(total, goOn && { goOn })
  const outcomes: Outcome[] = []
  const removed = new Set<Change>()
  let [number, toldAt] = [0, cli.io.uptime()]
  const take = async (outcome: Outcome): Promise<void> => {
    number += 1
    if (outcome.refusal) errors.refuse(placeOf(outcome.change, number), outcome.refusal)
    outcomes.push(outcome)
    await onOutcome?.(outcome)
    if (cli.io.uptime() - toldAt < PROGRESS_MS) return
    toldAt = cli.io.uptime()
    const done = outcomes.length
    await cli.log.note(`${done} of ${countOf(changes.length, 'change')} made`, 'progress', {
      done,
      total: changes.length,
    })
  }
  const countDone = (): number => outcomes.filter(({ result }) => result === 'done').length
  const madeOf = async (failure: Error | undefined): Promise<Made> => {
    const made = outcomes.filter(({ result, change }) => result === 'done' && !removed.has(change))
    const refused = outcomes.filter(({ result }) => result === 'refused').length
    if (made.length > 0) await tellReceipt(cli, sending.run)
    const settled = outcomes.filter(({ result }) => result === 'unchanged' || result === 'skip').length
    return {
      done: made.map(({ change }) => change),
      outcomes,
      unchanged: settled + removed.size,
      left: Math.max(0, changes.length - outcomes.length + refused),
      failure,
    }
  }
  await tellLosses(cli, changes)
  try {
    await sendChanges(
      {
        ...sending,
        again,
        clock: cli.io,
        onOutcome: take,
        onWarning: (text) => void cli.log.warn(text),
        onRemoved: async (change) => {
          removed.add(change)
          await onRemoved?.(change)
        },
      },
      changes,
    )
    return await madeOf(errors.refused(countDone()))
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // What is looked at behind the last change is no change of its own.
    if (number >= changes.length) return await madeOf(errors.refused(countDone()) ?? error)
    const place = placeOf(changes[number], number + 1)
    return await madeOf(errors.ended(place, error, countDone()))
  }
}
