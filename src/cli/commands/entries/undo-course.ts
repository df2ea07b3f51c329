import type { Client } from '../../../client/client.ts'
import { BATCH_LIMIT } from '../../../domain/resources/entry.ts'
import { requestsText } from '../../../import/requests-text.ts'
import { type Cli } from '../../cli.ts'
import { EXIT, IncompleteRun } from '../../exit.ts'
import { countOf } from '../../output/text.ts'
import { isCutOff } from '../verbs/send-each.ts'
import { type EntryCounts, entriesText } from './undo-entries.ts'

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
    await log.note(`${changed(counts)} of ${total} are taken back`)
  }
}

/** Returns the error of an undo that was cut off: it says what was done, what is left, and how to continue. */
export const cutOff = (error: Error, plan: EntryCounts, counts: EntryCounts): Error => {
  if (!isCutOff(error) || changed(counts) === 0) return error
  const left = countOf(changed(plan) - changed(counts), 'entry', 'entries')
  const done = entriesText(counts, ['put back', 'removed']) ?? ''
  return new IncompleteRun(EXIT.workLeft, 'work_left', [
    error.message,
    `${done}; ${left} left; run the same command to continue`,
  ])
}
