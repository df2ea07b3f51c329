import type { Day } from '../../../domain/day.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, type ExitCode } from '../../exit.ts'
import { countOf } from '../../output/text.ts'
import type { ToldProblems } from '../report/told-problems.ts'
import type { Job } from './job.ts'
import type { JobLog } from './job-log.ts'
import { isImport, type Step } from './step.ts'

/** Lists exit codes from the gravest on: the job ends with the first that a step has ended with. */
export const GRAVITY: readonly ExitCode[] = [
  EXIT.interrupted,
  EXIT.workLeft,
  EXIT.unreachable,
  EXIT.unauthorized,
  EXIT.unsupported,
  EXIT.locked,
  EXIT.usage,
  EXIT.failed,
  EXIT.partial,
  EXIT.problems,
  EXIT.differences,
]

/** Lists exit codes that say what was found, and not that a step failed. */
const FOUND: ReadonlySet<ExitCode> = new Set([EXIT.partial, EXIT.problems, EXIT.differences])

/** Returns the gravest of some exit codes. */
export const gravest = (codes: readonly ExitCode[]): ExitCode =>
  GRAVITY.find((one) => codes.includes(one)) ?? codes.find((one) => one !== EXIT.done) ?? EXIT.done

/** Lists exit codes with which an import has loaded its file, but for its rejected rows. */
export const LOADED: ReadonlySet<ExitCode> = new Set([EXIT.done, EXIT.partial])

/** Returns how work on files ended: where some were loaded, a service that fails by then leaves work to continue. */
export const codeAfterFiles = (code: ExitCode, ofFiles: readonly (ExitCode | undefined)[]): ExitCode =>
  code === EXIT.unreachable && ofFiles.some((one) => one !== undefined && LOADED.has(one)) ? EXIT.workLeft : code

/** Describes a job that runs. */
export type Running = {
  readonly cli: Cli
  readonly job: Job
  /** Says which service its steps use that name none of their own; undefined where that cannot be found. */
  readonly service: string | undefined
  /** Names the folder of the job. */
  readonly cwd: string
  readonly today: Day
  /** Holds when the job began, in milliseconds since 1970. */
  readonly begun: number
  readonly log: JobLog
  /** Holds the rejects files of the imports so far. */
  readonly rejects: Set<string>
  /** Removes the secrets of addresses, as those in the job, from a text. */
  readonly hide: (text: string) => string
  /** Holds when the job must end, in milliseconds since 1970. */
  readonly deadline: number
  /** Sets how long its steps wait for a service that is down, where that is not as their deadlines say. */
  readonly longestOutageMs?: number
}

/** Describes what became of a step. */
export type StepResult = {
  readonly step: Step
  readonly command: string
  readonly code: ExitCode | undefined
  readonly seconds: number
  readonly message: string | undefined
  /** Holds what it found, where it is a check. */
  readonly problems?: ToldProblems | undefined
}

/** Tells whether a step ends the job. */
export const ends = ({ step, code = EXIT.done }: StepResult): boolean =>
  code !== EXIT.done && !FOUND.has(code) && !step.goesOn && step.kind !== 'webhook'

/** Returns the exit code of a job: that of the step that ended it, or the gravest. */
export const codeOf = (results: readonly StepResult[]): ExitCode => {
  const ending = results.find(ends)?.code
  const [webhooks, others] = [true, false].map((isWebhook) =>
    results
      .filter(({ step }) => (step.kind === 'webhook') === isWebhook)
      // Nothing but a stop leaves steps out where none has ended the job.
      .map(({ code = EXIT.workLeft }) => code),
  )
  const code = codeAfterFiles(
    ending ?? gravest(others ?? []),
    results.flatMap((result) => (isImport(result.step) ? [result.code] : [])),
  )
  return ending === undefined ? gravest([code, ...(webhooks ?? [])]) : code
}

/** Says how a job ended, or would end, that does not end with 0: `found` steps of it found something. */
export const endText = (code: ExitCode, found: number, isDryRun = false): string => {
  const steps = countOf(found, 'step')
  if (outcomeOf(code) !== 'found') return isDryRun ? 'would fail' : 'failed'
  return isDryRun
    ? `would do its work, and ${steps} would find something`
    : `did its work, and ${steps} found something`
}

/** Returns the word for the exit code of a job, or of a step; undefined is that of a step that was left out. */
export const outcomeOf = (code: ExitCode | undefined): string => {
  if (code === undefined) return 'skipped'
  if (code === EXIT.done) return 'done'
  return FOUND.has(code) ? 'found' : 'failed'
}

const TENTHOUSANDTHS = 10_000

/** Returns what became of a step as a row. */
export const rowOf = (result: StepResult, at: number): AnyRecord => ({
  step: at + 1,
  kind: result.step.kind,
  command: result.command,
  outcome: outcomeOf(result.code),
  exit_code: result.code ?? null,
  seconds: result.code === undefined ? null : BigInt(Math.round(result.seconds * 10) * (TENTHOUSANDTHS / 10)),
  message: result.message ?? null,
})
