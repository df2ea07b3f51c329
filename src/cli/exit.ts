import type { ErrorCode, Issue } from '../domain/errors.ts'

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

/** Maps each error code to an exit code. */
export const exitCodes: Record<ErrorCode, number> = {
  malformed: EXIT.failed,
  invalid: EXIT.failed,
  unauthorized: EXIT.unauthorized,
  forbidden: EXIT.unauthorized,
  not_found: EXIT.failed,
  method_not_allowed: EXIT.unsupported,
  conflict: EXIT.failed,
  too_slow: EXIT.unreachable,
  too_large: EXIT.failed,
  too_long: EXIT.failed,
  head_too_large: EXIT.failed,
  media_type: EXIT.failed,
  not_acceptable: EXIT.failed,
  key_reused: EXIT.failed,
  locked: EXIT.locked,
  unsupported: EXIT.unsupported,
  rate_limited: EXIT.unreachable,
  unavailable: EXIT.unreachable,
  unusable: EXIT.failed,
  internal: EXIT.unreachable,
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
  readonly exit: number
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
  readonly exit: number
  readonly code: string
  readonly lines: readonly string[]

  constructor(exit: number, code: string, lines: readonly string[]) {
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
