import { countServiceRun } from '../../../changes/send/continue-run.ts'
import type { Client } from '../../../client/client.ts'
import { Aborted, mayBeDone } from '../../../client/transport.ts'
import { isNotFound, isRefused, KpiError } from '../../../domain/errors.ts'
import { RUN_LIMIT } from '../../../domain/resources/entry-run.ts'
import { type EntriesChange, intendEntries, settleKept } from '../../../runs/entries-change.ts'
import type { RunRecord } from '../../../runs/run-record.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, IncompleteRun } from '../../exit.ts'
import { countOf } from '../../output/text.ts'
import { undoLine } from '../../target/service-of.ts'
import { isCutOff } from './list-errors.ts'

/** Sets how long is waited while an earlier try of a request goes on. */
const WAIT_MS = 1000

/** Holds what a command that changes many entries runs with: the record of its run, and what stops it. */
export type EntriesRun = {
  readonly cli: Cli
  readonly client: Client
  readonly run: RunRecord
  readonly signal: AbortSignal
}

/** Returns how many entries the service has changed under a run of its own; undefined where it does not say. */
const askServiceRun = (client: Client, serviceRun: string): Promise<number | undefined> =>
  countServiceRun(client, serviceRun).catch((error: unknown) => {
    // An earlier version of the service has nothing of this.
    if (isNotFound(error)) return 0
    if (error instanceof KpiError || error instanceof Aborted) return undefined
    throw error
  })

/**
 * Has the service change entries under a run of its own, request by request, as the record notes before, and tells how many it has
 * changed so far. Where an answer is lost, or the service refuses to go on, it asks what was done.
 */
export const changeByRun = async (
  { cli, client, run, signal }: EntriesRun,
  change: Omit<EntriesChange, 'serviceRun'>,
  send: (serviceRun: string) => Promise<{ readonly entries: number; readonly left: number }>,
  onDone: (count: number) => void,
): Promise<void> => {
  if (signal.aborted) throw new Aborted('it was interrupted')
  const serviceRun = Buffer.from(cli.io.random(16)).toString('hex')
  const id = intendEntries(run, { ...change, serviceRun })
  const settle = (count: number): void => {
    onDone(count)
    if (count > 0) settleKept(run, id, { ...change, count })
    else run.withdraw([id])
  }
  try {
    for (let before = 0; ;) {
      const { entries, left } = await send(serviceRun)
      if (left === 0) return settle(entries)
      onDone(entries)
      // An earlier try, whose answer was lost, is at it still.
      if (entries - before < RUN_LIMIT) await cli.io.sleep(WAIT_MS, signal)
      before = entries
      if (signal.aborted) throw new Aborted('it was interrupted')
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const done = await askServiceRun(client, serviceRun)
    if (!isCutOff(error) && done !== undefined) settle(done)
    else if (done === change.count) return settle(done)
    else if (done !== undefined) onDone(done)
    throw error
  }
}

/** Says how far a run that changes entries came: how many it has changed, what they have become, and how many are left. */
type Progress = { readonly done: number; readonly verb: string; readonly left?: number }

const entriesText = (count: number): string => countOf(count, 'entry', 'entries')

/** Says how far a run is that was cut off, and how it goes on. */
const leftText = (isUnknown: boolean, { done, verb, left }: Progress): string =>
  [
    ...(done > 0 ? [`${entriesText(done)} ${verb}`] : []),
    ...(isUnknown ? [`it is not known whether ${done > 0 ? 'more were' : 'any was'} ${verb}`] : []),
    ...(isUnknown || left === undefined ? [] : [`stopped with ${entriesText(left)} left`]),
    'run the same command to continue',
  ].join('; ')

/**
 * Returns the error that ends a run which has changed entries, or may have: how far it is, and how it goes on and is taken back. The
 * error stays as it is where nothing was changed.
 */
export const stoppedEntries = (
  { cli, run }: Pick<EntriesRun, 'cli' | 'run'>,
  error: Error,
  progress: Progress,
): Error => {
  const { done, verb } = progress
  const isNoted = run.changes().length > 0
  const back = isNoted ? [`to take back what was ${verb}: ${undoLine(cli.flags, 'undo', run.head.name)}`] : []
  const stopped = (lines: readonly string[]): Error =>
    new IncompleteRun(EXIT.workLeft, 'work_left', [...lines, ...back])
  if (error instanceof IncompleteRun) return error.exit === EXIT.workLeft ? stopped(error.lines) : error
  const isUnknown = mayBeDone(error)
  const isBegun = done > 0 || isUnknown || (isCutOff(error) && run.receipt !== null)
  if (!isBegun)
    return error instanceof Aborted ? new Aborted(`stopped before anything was ${verb}`, { cause: error }) : error
  if (isCutOff(error) || isRefused(error)) return stopped([error.message, leftText(isUnknown, progress)])
  if (!(error instanceof KpiError)) return error
  const said = [error.message, `${entriesText(done)} ${verb}`, ...back].join('; ')
  return new KpiError(error.code, said, { issues: error.issues, missingScope: error.missingScope, cause: error })
}
