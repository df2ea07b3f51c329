import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { KpiError } from '../../domain/errors.ts'
import type { Verified } from '../../load/verify.ts'
import { countOf } from '../count-of.ts'
import { EXIT, exitCodes } from '../exit.ts'
import type { Job } from './jobs.ts'
import { verifiedNote, verifiedOutcome } from './verified.ts'
import type { Run } from './work.ts'

/** What the work on a file came to: an exit code, a word for it, and what is not done, a line each. */
export type Outcome = { readonly exit: number; readonly code: string; readonly said: readonly string[] }

/** All is done. */
export const DONE: Outcome = { exit: EXIT.done, code: 'done', said: [] }

const rejectedSummary = (rejected: number, path: string, unwritten: KpiError | undefined): string => {
  if (unwritten) {
    const rows = rejected === 1 ? '1 row was rejected' : `${rejected} rows were rejected`
    return `${rows}, but ${unwritten.message}; once that is mended, the same command writes the rejects and sends nothing twice`
  }
  return rejected === 1
    ? `1 row was rejected; it is in ${path} with the reasons: mend it there and import that file`
    : `${rejected} rows were rejected; they are in ${path} with the reasons: mend them there and import that file`
}

const leftSummary = (left: number, [one, many]: readonly [string, string], isRefused: boolean): string =>
  `stopped with ${countOf(left, one, many)} left; ` +
  (isRefused ? 'once that is mended, the same command continues' : 'run the same command to continue')

/** What ends a run that is not a matter of time: the same command goes on once that is mended. */
const isRefusal = (failure: KpiError | undefined): failure is KpiError =>
  failure !== undefined && exitCodes[failure.code] !== EXIT.unreachable

/** How the load of a file ended, whatever it held. */
type Concluded = {
  readonly summary: { readonly rejected: number }
  readonly left: number
  readonly failure: KpiError | undefined
  readonly advice?: string | undefined
  readonly unwritten?: KpiError | undefined
  readonly verified?: Verified | undefined
}

/** What the load of a file came to: nothing more to say, or what was rejected and what is left to do. */
export const conclude = async (
  { cli, stops }: Pick<Run, 'cli' | 'stops'>,
  { rejectsPath, verify }: Pick<Job, 'rejectsPath' | 'verify'>,
  { summary: { rejected }, left, failure, advice, unwritten, verified }: Concluded,
  called: readonly [one: string, many: string] = ['entry', 'entries'],
): Promise<Outcome> => {
  if (rejected === 0 && existsSync(resolve(cli.io.cwd, rejectsPath))) {
    await cli.note(`nothing was rejected; ${rejectsPath} is that of an earlier run`)
  }
  const differs = verified && verifiedOutcome(verified, verify?.receiptFile ?? '')
  if (verified && !differs) await cli.note(verifiedNote(verified))
  const said = [
    ...(rejected > 0 ? [rejectedSummary(rejected, rejectsPath, unwritten)] : []),
    ...(rejected > 0 && advice !== undefined && !unwritten ? [advice] : []),
    ...(failure ? [failure.message] : []),
    ...(left > 0 ? [stops.explain(leftSummary(left, called, isRefusal(failure)))] : []),
    ...(differs?.said ?? []),
  ]
  // All was sent: what could not be read back is work that is left.
  if (differs && !failure)
    return { ...differs, said, exit: differs.exit === EXIT.unreachable ? EXIT.workLeft : differs.exit }
  if (isRefusal(failure)) return { exit: exitCodes[failure.code], code: failure.code, said }
  if (unwritten) return { exit: exitCodes[unwritten.code], code: unwritten.code, said }
  if (left > 0) return { exit: EXIT.workLeft, code: 'work_left', said }
  return rejected > 0 ? { exit: EXIT.partial, code: 'rejected', said } : DONE
}
