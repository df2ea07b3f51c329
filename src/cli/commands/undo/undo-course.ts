import { nounOf } from '../../../domain/count-text.ts'
import type { Client } from '../../../client/client.ts'
import { Aborted } from '../../../client/transport.ts'
import { KpiError } from '../../../domain/errors.ts'
import { BATCH_LIMIT } from '../../../domain/resources/entry.ts'
import { requestsText } from '../../../import/requests-text.ts'
import { type Cli } from '../../cli.ts'
import { EXIT, IncompleteRun } from '../../exit.ts'
import { countOf } from '../../output/text.ts'
import { isCutOff } from '../changes/list-errors.ts'
import type { EntryCounts } from './undo-entries.ts'
import { isRemoved, type Plan, restText, sayWhat } from './undo-plan.ts'

/** Sets how often it is told how far an undo is. */
const EVERY_MS = 30_000

/** Sets how many requests are made without a word beforehand. */
const FEW_REQUESTS = 10

const changed = (counts: EntryCounts): number => counts.of('restore') + counts.of('remove')

/** Returns how many requests an undo takes: entries are put back together where the service takes that. */
const requestsOf = (client: Client, plan: EntryCounts): number =>
  plan.of('remove') + (client.isBundled() ? Math.ceil(plan.of('restore') / BATCH_LIMIT) : plan.of('restore'))

/** Returns the requests that an undo takes, and how long that will be; undefined where they cost nothing. */
export const undoCost = (client: Client, plan: EntryCounts): string | undefined => {
  const requests = requestsOf(client, plan)
  return client.isInProcess || requests <= FEW_REQUESTS ? undefined : requestsText(requests, client)
}

/** Creates what tells from time to time how many entries of a plan are done. */
export const createUndoProgress = ({ io, log }: Cli, plan: EntryCounts): ((counts: EntryCounts) => Promise<void>) => {
  const total = countOf(changed(plan), 'entry', 'entries')
  let toldAt = io.uptime()
  return async (counts) => {
    if (io.uptime() - toldAt < EVERY_MS) return
    toldAt = io.uptime()
    await log.note(`${changed(counts)} of ${total} ${nounOf(changed(counts), 'is', 'are')} taken back`)
  }
}

/** Describes what an undo has done so far. */
type DoneSoFar = Plan & {
  /** Counts the entries that were removed of a thing that is still there, because the import did not create them. */
  readonly others: number
}

/** Says how much of a plan is not done, and how to go on. */
const leftText = (plan: Plan, done: Plan): string => {
  const entries = changed(plan.counts) - changed(done.counts)
  const things = plan.outcomes.slice(done.outcomes.length).filter(isRemoved).length
  const left = [
    ...(entries > 0 ? [countOf(entries, 'entry', 'entries')] : []),
    ...(things > 0 ? [countOf(things, 'thing')] : []),
  ]
  return `${left.length > 0 ? `${left.join(' and ')} left; ` : ''}run the same command to continue`
}

/** Returns the error of an undo that was cut off: it says what was done, what is left, and how to continue. */
export const cutOff = (error: Error, plan: Plan, done: DoneSoFar): Error => {
  const others = done.others > 0 ? `removed ${countOf(done.others, 'other entry', 'other entries')}` : ''
  const said = [sayWhat(done, ['put back', 'removed']), others].filter((part) => part !== '').join(' and ')
  const left = leftText(plan, done)
  if (!isCutOff(error)) {
    const isRefused = error instanceof KpiError && said !== ''
    return isRefused ? new KpiError(error.code, `${error.message}; ${said}; ${left}`, { cause: error }) : error
  }
  const isUnsure = (error instanceof Aborted || error instanceof KpiError) && error.mayBeDone
  const unsure = isUnsure ? `it is not known whether ${said === '' ? 'anything' : 'more'} was changed` : ''
  if (said !== '') {
    const parts = [said, unsure, left].filter((part) => part !== '')
    return new IncompleteRun(EXIT.workLeft, 'work_left', [error.message, parts.join('; ')])
  }
  if (!(error instanceof Aborted)) return error
  const known = unsure === '' ? 'nothing was changed' : unsure
  return new Aborted(`${error.message}; ${known}${restText(done)}; ${left}`, {
    mayBeDone: error.mayBeDone,
    cause: error,
  })
}

/** Waits for work that an undo does before it changes anything; the error of work that was stopped says so. */
export const beforeChanges = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    if (!(error instanceof Aborted)) throw error
    throw new Aborted(`${error.message}; nothing was changed; run the same command again`, { cause: error })
  })
