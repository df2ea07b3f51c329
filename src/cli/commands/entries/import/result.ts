import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Client } from '../../../../client/client.ts'
import { Aborted } from '../../../../client/transport.ts'
import { type ErrorCode, isTransient, KpiError } from '../../../../domain/errors.ts'
import { type CountedReasons, reasonLines } from '../../../../reading/rejects/reason-counts.ts'
import { waysOut } from '../../../../reading/rejects/max-errors.ts'
import type { Verification } from '../../../../loading/verify/verified.ts'
import { Declined, EXIT, exitOf, IncompleteRun, type ExitCode } from '../../../exit.ts'
import { countOf } from '../../../output/text.ts'
import type { CommandRun, Job } from './jobs.ts'
import type { ParsedOptions } from './parsed-options.ts'
import type { StopSignals } from './signals.ts'
import { verificationNote, verificationOutcome } from './verified.ts'

/** Returns the flags that the import of rejects needs as well: what rows mean, and what becomes of them. */
const needsFlags = ({ options, reading, mapping }: ParsedOptions): boolean => {
  const { map, ignore, numbersAs, layout, user, source, kpi, date, year, decimal, dateFormat, periodDates } = options
  const { columns, mapKpi, as, upperRow, booleans, missing, time, percent, create } = options
  const { separator, skipLines, ignoreRows, rowNames } = reading
  const means = [numbersAs, layout, user, source, kpi, date, year, decimal, dateFormat, periodDates]
  const more = [columns, mapKpi, as, upperRow, booleans, missing, time, percent, create]
  const lines = [separator, skipLines, ignoreRows, rowNames?.name, mapping]
  return (
    [means, more, lines].flat().some((one) => one !== undefined) ||
    map.size + ignore.length > 0 ||
    options.clearEmpty ||
    options.strict ||
    options.createAssignments ||
    options.onDuplicate !== 'error' ||
    options.onConflict !== 'update'
  )
}

/** Returns the flags for importing corrected rejects: they are UTF-8, whatever the file was. */
const wayBack = (parsed: ParsedOptions, more: readonly string[], hasOwnFlags: boolean): string => {
  const { encoding = 'utf-8' } = parsed.reading
  const same = encoding === 'utf-8' ? ' with the same flags' : ' with the same flags, but --encoding utf-8'
  const added = more.join(' ')
  if (!hasOwnFlags && !needsFlags(parsed)) return added === '' ? '' : ` with ${added}`
  return added === '' ? same : `${same}${encoding === 'utf-8' ? '' : ','} and ${added}`
}

/** Tells where rejected rows are, and the flags to import them with once they are corrected. */
const rejectedSummary = (
  parsed: ParsedOptions,
  path: string,
  { summary: { rejected }, needed = [], hasOwnFlags = false }: Concluded,
): string => {
  const [rows, are, them] =
    rejected === 1 ? ['1 row was', 'it is', 'it'] : [`${rejected} rows were`, 'they are', 'them']
  return `${rows} rejected; ${are} in ${path} with the reasons: fix ${them} there and import that file${wayBack(parsed, needed, hasOwnFlags)}`
}

/** Tells whether --create-assignments would help: it is not given yet, and the newer variant has no assignments. */
export const mayCreateAssignments = ({ variant }: Client, { options }: ParsedOptions): boolean =>
  variant === 'classic' && !options.createAssignments

/** Says below the end of an import what to do about missing assignments, which no correction of rows helps. */
export const ASSIGNING_ADVICE =
  'rows whose KPI is not assigned to its user need no fix: --create-assignments creates the missing assignments'

/** Says in the line of such rows what to do about them. */
const CREATES_ASSIGNMENTS = '; --create-assignments creates what is missing'

/** Describes how the work on a file ended: an exit code, a word for it, and what is left, a line each. */
export type FileOutcome = {
  readonly exit: ExitCode
  readonly code: string
  readonly lines: readonly string[]
  /** Tells that somebody said no, so that the same command goes on as it is. */
  readonly isDeclined?: true
}

/** Describes the outcome of a file of which all is done. */
export const DONE: FileOutcome = { exit: EXIT.done, code: 'done', lines: [] }

/** Collects the outcomes of the files of a run, and the run's own. */
export type RunResult = {
  /** Takes the order in which the files are imported. */
  readonly order: (files: readonly string[]) => void
  /** Takes what came of the next file; `hasSent` where any of it went to the service. */
  readonly add: (outcome: FileOutcome, hasSent: boolean) => void
  /** Tells whether the next file may be imported. */
  readonly goesOn: () => boolean
  /** Returns the error to report where the run ended in the middle of a file. */
  readonly errorOf: (error: unknown) => unknown
  /** Returns the exit code of a run that came to its end; throws where something is left. */
  readonly exit: () => ExitCode
}

/** Lists outcomes after which the next file is imported. */
const HARMLESS: ReadonlySet<number> = new Set([EXIT.done, EXIT.partial])

const STOPPED: FileOutcome = { exit: EXIT.workLeft, code: 'work_left', lines: [] }

/**
 * Returns the outcome of a file that an error ended; once something was sent, an unavailable service leaves work to
 * continue.
 */
const outcomeOf = (error: unknown, hasSent: boolean): FileOutcome | undefined => {
  if (error instanceof Aborted) return { ...STOPPED, code: 'stopped', lines: [error.message] }
  if (error instanceof Declined) return { exit: error.exit, code: error.code, lines: [error.message], isDeclined: true }
  if (!(error instanceof KpiError)) return undefined
  const lines = [error.message, ...error.issues.map(({ field, message }) => `${field}: ${message}`)]
  return hasSent && isTransient(error) ? { ...STOPPED, lines } : { exit: exitOf(error), code: error.code, lines }
}

/** Says how to go on; what was refused is refused again, as long as nothing changes. */
const howToGoOn = (isLasting: boolean, done: 'fixed' | 'settled'): string =>
  isLasting ? `once that is ${done}, the same command continues` : 'run the same command to continue'

/** Combines the outcomes of all files into one. */
export const createRunResult = (
  named: readonly string[],
  { signal, explain, withStopReason }: StopSignals,
): RunResult => {
  let files = named
  const outcomes: FileOutcome[] = []
  let hasSentAny = false
  const isOne = files.length === 1
  const linesOf = ({ lines }: FileOutcome, at: number): readonly string[] =>
    isOne ? lines : lines.map((line) => `${files[at]}: ${line}`)
  const whole = (): FileOutcome => {
    const rest = files.slice(outcomes.length)
    const lines = outcomes.flatMap(linesOf)
    const ender = outcomes.find(({ exit }) => !HARMLESS.has(exit))
    if (rest.length === 0) return { ...(ender ?? outcomes.find(({ exit }) => exit !== EXIT.done) ?? DONE), lines }
    const isOver = ender === undefined || ender.isDeclined === true
    const isLasting = !isOver && ender.exit !== EXIT.workLeft && ender.exit !== EXIT.unreachable
    const notBegun = explain(`not started: ${rest.join(', ')}; ${howToGoOn(isLasting, 'settled')}`)
    return { ...(ender ?? STOPPED), lines: [...lines, notBegun] }
  }
  return {
    order: (ordered) => {
      files = ordered
    },
    add: (outcome, hasSent) => {
      outcomes.push(outcome)
      hasSentAny ||= hasSent
    },
    // The first file says by itself that nothing was sent.
    goesOn: () => (outcomes.length === 0 || !signal().aborted) && outcomes.every(({ exit }) => HARMLESS.has(exit)),
    errorOf: (error) => {
      const outcome = outcomeOf(withStopReason(error), hasSentAny)
      if (isOne || !outcome) return withStopReason(error)
      outcomes.push(outcome)
      const { exit, code, lines } = whole()
      return new IncompleteRun(exit, code, lines)
    },
    exit: () => {
      const { exit, code, lines } = whole()
      if (lines.length > 0) throw new IncompleteRun(exit, code, lines)
      return exit
    },
  }
}

const unwrittenSummary = (rejected: number, { code, message }: KpiError): string => {
  const rows = rejected === 1 ? '1 row was rejected' : `${rejected} rows were rejected`
  const first = code === 'unavailable' ? '' : 'once that is fixed, '
  return `${rows}, but ${message}; ${first}the same command writes the rejects file and sends nothing twice`
}

/** Returns the note on rejected rows, where there are any. */
const saidOfRejects = (parsed: ParsedOptions, rejectsPath: string, concluded: Concluded): readonly string[] => {
  const { advice = [], unwritten } = concluded
  const { rejected } = concluded.summary
  if (rejected === 0) return []
  return unwritten
    ? [unwrittenSummary(rejected, unwritten)]
    : [rejectedSummary(parsed, rejectsPath, concluded), ...advice]
}

const leftSummary = (concluded: Concluded, [one, many]: readonly [string, string]): string => {
  const { left, tried } = concluded
  const goOn = howToGoOn(isLastingFailure(concluded), 'fixed')
  return [`stopped with ${countOf(left, one, many)} left`, goOn, ...(tried === undefined ? [] : [tried])].join('; ')
}

/** Returns the reasons for rejects and the flags that settle them, a line each; the file is named if there are several. */
export const linesOfReasons = (
  { parsed, client }: Pick<CommandRun, 'parsed' | 'client'>,
  { file }: Pick<Job, 'file'>,
  reasons: CountedReasons,
): string[] => {
  const ways = waysOut(reasons, parsed.options, client.variant)
  const assigning = mayCreateAssignments(client, parsed) ? CREATES_ASSIGNMENTS : ''
  const lines = [...reasonLines(reasons, assigning), ...ways.map(({ field, message }) => `${field} ${message}`)]
  return parsed.isSeveral ? lines.map((line) => `${file}: ${line}`) : lines
}

/** Describes how the import of a file ended. */
type Concluded = {
  readonly summary: { readonly rejected: number }
  readonly left: number
  readonly failure: KpiError | undefined
  /** Says what was tried in vain until it was stopped. */
  readonly tried?: string | undefined
  /** Tells whether anything was sent before it ended. */
  readonly hasSent?: boolean
  /** Holds the flags that the import of the rejected rows needs beside those given. */
  readonly needed?: readonly string[]
  /** Tells whether it needs the same flags for another reason than the options of an import of entries. */
  readonly hasOwnFlags?: boolean
  /** Holds further advice for importing the rejected rows, a line each. */
  readonly advice?: readonly string[]
  readonly unwritten?: KpiError | undefined
  readonly verified?: Verification | undefined
}

/** Lists the errors that mean that the service has moved. */
const OF_PLACE: ReadonlySet<ErrorCode> = new Set(['not_acceptable', 'not_found'])

/** Tells a run that ended for a reason that does not pass with time: the same command goes on once that is mended. */
const isLastingFailure = ({ failure, left, hasSent = false }: Concluded): boolean => {
  if (!failure) return false
  // A service that took entries before is at the right address: a 404 now is its fault, unless no entry is left to send.
  const isOfPlace = failure.class === 'unsupported' || OF_PLACE.has(failure.code)
  return !isTransient(failure) && !(hasSent && left > 0 && isOfPlace)
}

/** Returns the outcome of a file's import: done, rejected rows, or what is left to do. */
export const concludeFile = async (
  { cli, stops, parsed }: Pick<CommandRun, 'cli' | 'stops' | 'parsed'>,
  { rejectsPath, verify }: Pick<Job, 'rejectsPath' | 'verify'>,
  concluded: Concluded,
  called: readonly [one: string, many: string] = ['entry', 'entries'],
): Promise<FileOutcome> => {
  const { left, failure, unwritten, verified } = concluded
  const { rejected } = concluded.summary
  if (rejected === 0 && existsSync(resolve(cli.io.cwd, rejectsPath))) {
    await cli.note(`nothing was rejected; ${rejectsPath} is from an earlier run`)
  }
  const differs = verified && verificationOutcome(verified, verify?.receiptFile ?? '')
  if (verified && !differs) await cli.note(verificationNote(verified))
  const lines = [
    ...saidOfRejects(parsed, rejectsPath, concluded),
    ...(failure ? [failure.message] : []),
    ...(left > 0 ? [stops.explain(leftSummary(concluded, called))] : []),
    ...(differs?.lines ?? []),
  ]
  // All was sent: what could not be read back is work that is left.
  if (differs && !failure)
    return { ...differs, lines, exit: differs.exit === EXIT.unreachable ? EXIT.workLeft : differs.exit }
  if (failure && isLastingFailure(concluded)) return { exit: exitOf(failure), code: failure.code, lines }
  if (unwritten?.code === 'unavailable') return { exit: EXIT.workLeft, code: 'work_left', lines }
  if (unwritten) return { exit: exitOf(unwritten), code: unwritten.code, lines }
  if (left > 0) return { exit: EXIT.workLeft, code: 'work_left', lines }
  return rejected > 0 ? { exit: EXIT.partial, code: 'rejected', lines } : DONE
}
