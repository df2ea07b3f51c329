import type { Change } from '../../../changes/records/change.ts'
import type { Plan, Planned } from '../../../changes/plan/plan.ts'
import { type Outcome, sendChanges, type Sending } from '../../../changes/send/send.ts'
import { KpiError } from '../../../domain/errors.ts'
import type { RunRecord } from '../../../runs/run-record.ts'
import type { Cli } from '../../cli.ts'
import { countOf } from '../../output/text.ts'
import { ListErrors } from './list-errors.ts'

/** Tells people at a terminal, before records are deleted, what an undo cannot restore. */
const tellLosses = async ({ io, note }: Cli, changes: readonly Change[]): Promise<void> => {
  // Leave out assignments and links, which have no ids of their own.
  const deleted = changes.filter(({ action, record }) => action === 'delete' && record.name !== '')
  if (deleted.length === 0 || !io.stderr.isTerminal) return
  const people = deleted.some(({ record }) => record.kind.name === 'user')
  await note(
    `kpi undo can create what is deleted again, with new ids${people ? ', and people without their password and keys' : ''}`,
  )
}

/** Sets how often progress is noted. */
const PROGRESS_MS = 30_000

/** Describes the last items of a list: those that are not done before. */
type ItemList = { readonly items: readonly Planned[]; readonly total: number }

/** Holds what making planned changes needs. */
type Making = Omit<Sending, 'again' | 'clock' | 'onOutcome' | 'onWarning' | 'onRemoved' | 'run'> & {
  readonly run: RunRecord
  readonly plan: Pick<Plan, 'changes' | 'again'>
  /** Lists the planned items, by whose places errors name them; the changes by default. */
  readonly list?: ItemList
  /** Receives what became of each change. */
  readonly onOutcome?: ((outcome: Outcome) => void | Promise<void>) | undefined
  readonly onRemoved?: (change: Change) => Promise<void>
  /** Says how to continue, if not by the same command. */
  readonly goOn?: (number: number) => string
}

/** Describes what making changes came to. */
type Made = {
  readonly done: readonly Change[]
  readonly outcomes: readonly Outcome[]
  /** Counts the changes that turned out to be unnecessary when they were to be sent. */
  readonly unchanged: number
  /** Counts the changes that were not made. */
  readonly left: number
  /** Tells that it came to its end, whatever was refused. */
  readonly isWhole: boolean
  readonly failure: Error | undefined
}

/** Returns the refusal of an item by a plan. */
const refusalOf = ({ reasons }: Planned): KpiError => {
  const text = reasons.map(({ field, message }) => (field === 'name' ? message : `${field}: ${message}`)).join('; ')
  return new KpiError(reasons.some(({ isMissing }) => isMissing) ? 'not_found' : 'invalid', text)
}

/** Tells of the items of a list that a plan refuses; returns how many of the others need no change. */
const refusePlanned = (errors: ListErrors, { items, total }: ItemList): number => {
  for (const [at, one] of items.entries())
    if (one.action === 'refuse') errors.refuse(total - items.length + at + 1, refusalOf(one))
  return items.filter(({ action }) => action === 'unchanged').length
}

/** Returns the error of a list of which nothing is sent: what the plan refuses, behind how many could be done. */
export const failureOfPlan = (items: readonly Planned[], doneWords: string): Error | undefined => {
  const total = items.length
  const errors = new ListErrors(total, { doneWords })
  const unchanged = refusePlanned(errors, { items, total })
  return errors.refused(unchanged + items.filter(({ changes }) => changes.length > 0).length)
}

/**
 * Makes planned changes one after another, and notes from time to time how far it is. A refusal of one does not keep the
 * others from being made; the failure says what was refused, or what is left and how to continue.
 */
export const makeChanges = async (
  cli: Cli,
  { plan, list, onOutcome, onRemoved, goOn, ...sending }: Making,
): Promise<Made> => {
  const { changes, again } = plan
  const { items, total } = list ?? { items: [], total: changes.length }
  const errors = new ListErrors(total, goOn && { goOn })
  const inPlace = refusePlanned(errors, { items, total })
  const places = new Map(items.map(({ record }, at) => [record, total - items.length + at + 1]))
  /** Returns the place of the change that comes after some. */
  const placeAfter = (done: number): number => places.get(changes[done]?.record) ?? done + 1
  const outcomes: Outcome[] = []
  const removed = new Set<Change>()
  let toldAt = cli.io.uptime()
  const take = async (outcome: Outcome): Promise<void> => {
    if (outcome.refusal) errors.refuse(placeAfter(outcomes.length), outcome.refusal)
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
  const countDone = (): number => inPlace + outcomes.filter(({ result }) => result === 'done').length
  const madeOf = async (isWhole: boolean, failure: Error | undefined): Promise<Made> => {
    const made = outcomes.filter(({ result, change }) => result === 'done' && !removed.has(change))
    const refused = outcomes.filter(({ result }) => result === 'refused').length
    const settled = outcomes.filter(({ result }) => result === 'unchanged' || result === 'skip').length
    return {
      done: made.map(({ change }) => change),
      outcomes,
      unchanged: settled + removed.size,
      left: Math.max(0, changes.length - outcomes.length + refused),
      isWhole,
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
    return await madeOf(true, errors.refused(countDone()))
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // Name no change where all were sent, and only the look for doubles failed.
    const isBehind = outcomes.length >= changes.length
    if (isBehind) return await madeOf(false, errors.refused(countDone()) ?? error)
    return await madeOf(false, errors.ended(placeAfter(outcomes.length), error, countDone()))
  }
}
