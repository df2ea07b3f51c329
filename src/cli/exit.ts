import { CommanderError } from '@commander-js/extra-typings'
import { Aborted } from '../client/transport.ts'
import { type ErrorClass, type Issue, KpiError } from '../domain/errors.ts'

/** Lists the exit codes (README.md, "Exit codes"). */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  partial: 3,
  unauthorized: 4,
  unreachable: 5,
  workLeft: 6,
  unsupported: 7,
  locked: 8,
  differences: 9,
  problems: 10,
  interrupted: 130,
} as const

/** Describes an exit code of a command. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

const EXIT_OF: Readonly<Record<ErrorClass, ExitCode>> = {
  rejected: EXIT.failed,
  conflict: EXIT.failed,
  'not understood': EXIT.failed,
  'own machine': EXIT.failed,
  unauthorized: EXIT.unauthorized,
  unsupported: EXIT.unsupported,
  locked: EXIT.locked,
  limited: EXIT.unreachable,
  unreachable: EXIT.unreachable,
  failing: EXIT.unreachable,
}

/** Thrown for a command line, or a job, that is wrong or incomplete; of a job with all of its faults. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly issues: readonly Issue[]

  constructor(message: string, issues: readonly Issue[] = []) {
    super(message)
    this.issues = issues
  }
}

/** Thrown where a person answers no, or ends a question: nothing is done of what was asked. */
export class Declined extends Error {
  override readonly name = 'Declined'
  readonly exit: ExitCode
  readonly code: string

  constructor({ isInterrupted }: { readonly isInterrupted: boolean }) {
    super(isInterrupted ? 'interrupted; nothing was done' : 'nothing was done')
    this.exit = isInterrupted ? EXIT.interrupted : EXIT.failed
    this.code = isInterrupted ? 'interrupted' : 'failed'
  }
}

/** Thrown by a command that is done in part: its exit code, and a line for each thing that is left. */
export class IncompleteRun extends Error {
  override readonly name = 'IncompleteRun'
  readonly exit: ExitCode
  readonly code: string
  readonly lines: readonly string[]

  constructor(exit: ExitCode, code: string, lines: readonly string[]) {
    super(lines.join('; '))
    this.exit = exit
    this.code = code
    this.lines = lines
  }
}

/** Describes how much of a report was printed before it failed: its rows, and the last day of which all are there. */
export type PrintedPart = { readonly rows: number; readonly wholeTo: string | null; readonly text: string }

/** Thrown if rows that are printed as they come end early: why, and how many of them are there. */
export class IncompleteOutput extends Error {
  override readonly name = 'IncompleteOutput'
  override readonly cause: unknown
  readonly printed: PrintedPart

  constructor(cause: unknown, printed: PrintedPart) {
    super(printed.text)
    this.cause = cause
    this.printed = printed
  }
}

/** Holds the commands, as they are typed, of errors about lines that cannot be read. */
export const commandOfError = new WeakMap<Error, string>()

/** Returns the exit code of a command that an error ends. */
export const exitOf = (error: unknown): ExitCode => {
  if (error instanceof KpiError) return EXIT_OF[error.class]
  if (error instanceof IncompleteRun || error instanceof Declined) return error.exit
  if (error instanceof IncompleteOutput) return exitOf(error.cause)
  if (error instanceof Aborted) return EXIT.workLeft
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  return error instanceof UsageError ? EXIT.usage : EXIT.failed
}
