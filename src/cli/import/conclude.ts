import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { KpiError } from '../../domain/errors.ts'
import type { Ending } from '../../load/load.ts'
import type { Cli } from '../cli.ts'
import { countOf } from '../count-of.ts'
import { EXIT, exitCodes, Unfinished } from '../exit.ts'
import type { Job } from './jobs.ts'

const rejectedSummary = (rejected: number, path: string): string =>
  `${countOf(rejected, 'row was', 'rows were')} rejected; ${rejected === 1 ? 'it is' : 'they are'} in ${path} with the reasons`

/** What ends a run that is not a matter of time: the same command goes on once that is mended. */
const isRefusal = (failure: KpiError | undefined): failure is KpiError =>
  failure !== undefined && exitCodes[failure.code] !== EXIT.unreachable

/** Ends the load of a file: with nothing left to say, or with what was rejected and what is left to do. */
export const conclude = async (cli: Cli, { summary, left, failure }: Ending, { rejectsPath }: Job): Promise<void> => {
  const { rejected } = summary
  if (rejected === 0 && existsSync(resolve(cli.io.cwd, rejectsPath))) {
    await cli.note(`nothing was rejected; ${rejectsPath} is that of an earlier run`)
  }
  const said = [
    ...(rejected > 0 ? [rejectedSummary(rejected, rejectsPath)] : []),
    ...(failure ? [failure.message] : []),
    ...(left > 0 ? [`stopped with ${countOf(left, 'entry', 'entries')} left; run the same command to continue`] : []),
  ]
  if (isRefusal(failure)) throw new Unfinished(exitCodes[failure.code], failure.code, said)
  if (left > 0) throw new Unfinished(EXIT.workLeft, 'work_left', said)
  if (rejected > 0) throw new Unfinished(EXIT.partial, 'rejected', said)
}
