import { CommanderError } from '@commander-js/extra-typings'
import { Aborted } from '../client/transport.ts'
import { type Issue, KpiError } from '../domain/errors.ts'
import { fileErrorReason, isOfNoPath } from '../files/file-error.ts'
import { isLogJson } from './args/raw-options.ts'
import {
  commandOfError,
  Declined,
  EXIT,
  exitOf,
  IncompleteOutput,
  IncompleteRun,
  type PrintedPart,
  UsageError,
  type ExitCode,
} from './exit.ts'
import type { Io } from './io.ts'
import { ClosedPipe } from './standard-output.ts'
import { logLine } from './output/log.ts'
import { bounded, oneLine, visibleJson } from './output/width.ts'
import { isOutputJson } from './target/output-format.ts'
import { inTypedFlags } from './typed-fields.ts'

/** Describes a printed error: its code, one line, and one more line for each fault. */
type Failure = {
  readonly exit: ExitCode
  readonly code: string
  /** Names the command that refuses its line, as it is typed. */
  readonly command?: string | undefined
  readonly message: string
  /** Holds the whole message, if it has more than one line. */
  readonly lines?: readonly string[]
  readonly issues: readonly Issue[]
  /** Counts the faults that are not among the issues. */
  readonly unlisted?: number
  readonly namesIssue?: boolean
  /** Describes what was printed before, if the output was printed as it came. */
  readonly printed?: PrintedPart
}

const SHOWN_ISSUES = 20
/** Bounds the name of a field that is at fault, in characters. */
const MOST_OF_FIELD = 200

/**
 * Returns the failure of our own output, such as a full disk or a closed pipe, in the system's words; where it is one of a
 * path, these may quote all of it.
 */
const systemFailure = (error: NodeJS.ErrnoException): string => {
  if (error.code === 'ENOSPC') return 'cannot write the output: the disk is full'
  return isOfNoPath(error) ? `cannot use a path: ${fileErrorReason(error)}` : error.message
}

const boundedIssue = ({ field, message, ...rest }: Issue): Issue => ({
  ...rest,
  field: bounded(field, MOST_OF_FIELD),
  message: bounded(message),
})

/** Describes an error with texts that are not too long to be shown. */
const describe = (error: unknown): Failure | undefined => {
  const failure = describeWhole(error)
  if (failure === undefined) return undefined
  const { message, lines, issues } = failure
  return {
    ...failure,
    message: bounded(message),
    ...(lines && { lines: lines.map((line) => bounded(line)) }),
    issues: issues.map(boundedIssue),
  }
}

const describeWhole = (error: unknown): Failure | undefined => {
  if (error instanceof ClosedPipe) return undefined
  if (error instanceof IncompleteOutput) {
    const failure = describeWhole(error.cause)
    return failure && { ...failure, printed: error.printed }
  }
  // Help and the version that were asked for.
  if (error instanceof CommanderError && error.exitCode === 0) return undefined
  return {
    exit: exitOf(error),
    issues: [],
    command: error instanceof Error ? commandOfError.get(error) : undefined,
    ...sayError(error),
  }
}

/** Returns the code and the words of an error. */
const sayError = (error: unknown): Omit<Failure, 'exit' | 'issues'> & Partial<Pick<Failure, 'issues'>> => {
  if (error instanceof CommanderError) {
    const message = error.code === 'commander.help' ? 'say which command; they are listed above' : error.message
    return { code: 'usage', message }
  }
  if (error instanceof Aborted) return { code: 'stopped', message: error.message }
  if (error instanceof UsageError) return { code: 'usage', message: error.message, issues: error.issues }
  if (error instanceof Declined) return { code: error.code, message: error.message }
  if (error instanceof IncompleteRun) return { code: error.code, message: error.message, lines: error.lines }
  if (error instanceof KpiError) {
    const { code, message, issues, unlisted, namesIssue } = error
    return { code, message, issues, unlisted, namesIssue }
  }
  return { code: 'failed', message: error instanceof Error ? systemFailure(error) : String(error) }
}

const issueLine = ({ index, field, message }: Issue): string =>
  index === undefined ? `  ${field}: ${message}` : `  no. ${index + 1}, ${field}: ${message}`

const reasonLines = (failure: Failure): string[] => {
  const { message, lines, issues, unlisted = 0, namesIssue, command = 'kpi' } = failure
  if (lines) return lines.map((line) => `kpi: ${line}`)
  if (namesIssue) return [`${command}: ${message}`]
  const more = issues.length + unlisted - SHOWN_ISSUES
  return [
    `${command}: ${message}`,
    ...issues.slice(0, SHOWN_ISSUES).map(issueLine),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]
}

const linesOf = (failure: Failure): string[] => [
  ...reasonLines(failure),
  ...(failure.printed ? [`incomplete: ${failure.printed.text}`] : []),
]

/** Splits the lines that were held back before an error into notes. */
const notesIn = (heldBack: readonly string[]): string[] => heldBack.flatMap((text) => text.trimEnd().split('\n'))

/**
 * Prints an error on standard error and returns the exit code. With JSON output, notes that were held back go with it.
 */
export const printFailure = async (
  error: unknown,
  args: readonly string[],
  io: Io,
  heldBack: readonly string[] = [],
): Promise<ExitCode> => {
  const failure = describe(error)
  if (!failure) {
    for (const text of heldBack) await io.stderr.write(text)
    return EXIT.done
  }
  const { exit, code, message, issues, unlisted = 0, printed } = failure
  const incomplete = printed && { rows_printed: printed.rows, whole_to: printed.wholeTo }
  const fields = {
    code,
    message,
    exit_code: exit,
    issues,
    ...(unlisted > 0 && { unlisted_issues: unlisted }),
    ...incomplete,
  }
  if (isLogJson(args)) {
    await io.stderr.write(logLine(io, 'error', 'failed', fields))
    return exit
  }
  // What a service says of itself must neither break the line nor steer the terminal.
  const notes = heldBack.length > 0 && { notes: notesIn(heldBack) }
  const lines = isOutputJson(args, io)
    ? [visibleJson({ error: fields, ...notes })]
    : linesOf(inTypedFlags(failure, args)).map(oneLine)
  await io.stderr.write(`${lines.join('\n')}\n`)
  return exit
}

/** Names the ends of commands that are no failures. */
const END_CODES: Readonly<Record<number, string>> = {
  [EXIT.partial]: 'rejected',
  [EXIT.differences]: 'differences',
  [EXIT.problems]: 'problems',
}

/** Prints, as an error, that a command ended with an exit code other than 0; its notes say why. */
export const printEnd = (
  exit: ExitCode,
  args: readonly string[],
  io: Io,
  heldBack: readonly string[],
): Promise<ExitCode> => {
  const lines = heldBack.length > 0 ? notesIn(heldBack) : ['it is partly done']
  return printFailure(new IncompleteRun(exit, END_CODES[exit] ?? 'failed', lines), args, io)
}
