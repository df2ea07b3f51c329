import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ErrorCode, KpiError } from '../../domain/errors.ts'
import type { Verified } from '../../load/verified.ts'
import { countOf } from '../count-of.ts'
import { EXIT, exitCodes } from '../exit.ts'
import type { Asked } from './asked.ts'
import type { Job } from './jobs.ts'
import { DONE, type Outcome } from './outcome.ts'
import { rejectedSummary } from './rejected.ts'
import { verifiedNote, verifiedOutcome } from './verified.ts'
import type { Run } from './work.ts'

const unwrittenSummary = (rejected: number, { message }: KpiError): string => {
  const rows = rejected === 1 ? '1 row was rejected' : `${rejected} rows were rejected`
  return `${rows}, but ${message}; once that is mended, the same command writes the rejects and sends nothing twice`
}

/** What is said of the rows that were rejected, where there are any. */
const saidOfRejects = (
  asked: Asked,
  rejectsPath: string,
  { summary: { rejected }, needed = [], advice = [], unwritten }: Concluded,
): readonly string[] => {
  if (rejected === 0) return []
  return unwritten
    ? [unwrittenSummary(rejected, unwritten)]
    : [rejectedSummary(rejected, rejectsPath, asked, needed), ...advice]
}

const leftSummary = (left: number, [one, many]: readonly [string, string], isRefused: boolean): string =>
  `stopped with ${countOf(left, one, many)} left; ` +
  (isRefused ? 'once that is mended, the same command continues' : 'run the same command to continue')

/** How the load of a file ended, whatever it held. */
type Concluded = {
  readonly summary: { readonly rejected: number }
  readonly left: number
  readonly failure: KpiError | undefined
  /** Whether any of it went to the service before it ended. */
  readonly hasSent?: boolean
  /** The flags with which the rows that were rejected are loaded, beside those that were given. */
  readonly needed?: readonly string[]
  /** What else there is to know to load the rows that were rejected, a line each. */
  readonly advice?: readonly string[]
  readonly unwritten?: KpiError | undefined
  readonly verified?: Verified | undefined
}

/** What is answered where the service has moved. */
const OF_PLACE: ReadonlySet<ErrorCode> = new Set(['not_acceptable', 'not_found'])

/** Tells a run that ended for a reason that time does not mend: the same command goes on once that is mended. */
const isRefusal = ({ failure, left, hasSent = false }: Concluded): boolean => {
  if (!failure) return false
  const exit = exitCodes[failure.code]
  // A service that took entries before is at the right address: a 404 now is its fault, unless no entry is left to send.
  const isOfPlace = exit === EXIT.unsupported || OF_PLACE.has(failure.code)
  return exit !== EXIT.unreachable && !(hasSent && left > 0 && isOfPlace)
}

/** What the load of a file came to: nothing more to say, or what was rejected and what is left to do. */
export const conclude = async (
  { cli, stops, asked }: Pick<Run, 'cli' | 'stops' | 'asked'>,
  { rejectsPath, verify }: Pick<Job, 'rejectsPath' | 'verify'>,
  concluded: Concluded,
  called: readonly [one: string, many: string] = ['entry', 'entries'],
): Promise<Outcome> => {
  const { left, failure, unwritten, verified } = concluded
  const { rejected } = concluded.summary
  if (rejected === 0 && existsSync(resolve(cli.io.cwd, rejectsPath))) {
    await cli.note(`nothing was rejected; ${rejectsPath} is that of an earlier run`)
  }
  const differs = verified && verifiedOutcome(verified, verify?.receiptFile ?? '')
  if (verified && !differs) await cli.note(verifiedNote(verified))
  const said = [
    ...saidOfRejects(asked, rejectsPath, concluded),
    ...(failure ? [failure.message] : []),
    ...(left > 0 ? [stops.explain(leftSummary(left, called, isRefusal(concluded)))] : []),
    ...(differs?.said ?? []),
  ]
  // All was sent: what could not be read back is work that is left.
  if (differs && !failure)
    return { ...differs, said, exit: differs.exit === EXIT.unreachable ? EXIT.workLeft : differs.exit }
  if (failure && isRefusal(concluded)) return { exit: exitCodes[failure.code], code: failure.code, said }
  if (unwritten) return { exit: exitCodes[unwritten.code], code: unwritten.code, said }
  if (left > 0) return { exit: EXIT.workLeft, code: 'work_left', said }
  return rejected > 0 ? { exit: EXIT.partial, code: 'rejected', said } : DONE
}
