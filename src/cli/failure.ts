import { CommanderError } from 'commander'
import { type Issue, KpiError } from '../domain/errors.ts'
import { EXIT, exitCodes, UsageError } from './exit.ts'
import { ClosedPipe, type Io } from './io.ts'

/** An error as it is told: its code, one line, and one more for each fault. */
type Failure = {
  readonly exit: number
  readonly code: string
  readonly message: string
  readonly issues: readonly Issue[]
}

const SHOWN_ISSUES = 20

const HELP_CODES: ReadonlySet<string> = new Set(['commander.helpDisplayed', 'commander.version'])

/** A disk that is full, an output that is gone: what the system says of our own output. */
const systemFailure = (error: NodeJS.ErrnoException): string =>
  error.code === 'ENOSPC' ? 'cannot write the output: the disk is full' : error.message

const describe = (error: unknown): Failure | undefined => {
  if (error instanceof ClosedPipe) return undefined
  if (error instanceof CommanderError) {
    if (HELP_CODES.has(error.code)) return undefined
    const message = error.code === 'commander.help' ? 'say which command; they are listed above' : error.message
    return {
      exit: EXIT.usage,
      code: 'usage',
      message: message.replace(/^error: /, '').replaceAll('\n', ' '),
      issues: [],
    }
  }
  if (error instanceof Error && error.name === 'Stopped') {
    return { exit: EXIT.workLeft, code: 'stopped', message: error.message, issues: [] }
  }
  // Ctrl-C at a prompt.
  if (error instanceof Error && error.name === 'ExitPromptError') {
    return { exit: EXIT.interrupted, code: 'interrupted', message: 'interrupted', issues: [] }
  }
  if (error instanceof UsageError) return { exit: EXIT.usage, code: 'usage', message: error.message, issues: [] }
  if (error instanceof KpiError) {
    return { exit: exitCodes[error.code], code: error.code, message: error.message, issues: error.issues }
  }
  const message = error instanceof Error ? systemFailure(error) : String(error)
  return { exit: EXIT.failed, code: 'failed', message, issues: [] }
}

const issueLine = ({ index, field, message }: Issue): string =>
  index === undefined ? `  ${field}: ${message}` : `  entry ${index + 1}, ${field}: ${message}`

const linesOf = ({ message, issues }: Failure): string[] => {
  if (issues.length === 1 && issues[0] && message.includes(issues[0].message)) return [`kpi: ${message}`]
  const more = issues.length - SHOWN_ISSUES
  return [
    `kpi: ${message}`,
    ...issues.slice(0, SHOWN_ISSUES).map(issueLine),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]
}

const wantsJson = (args: readonly string[], { env }: Io): boolean =>
  args.some((arg, at) => arg === '--output=json' || (['-o', '--output'].includes(arg) && args[at + 1] === 'json')) ||
  (env['KPI_OUTPUT'] === 'json' && !args.some((arg) => arg === '-o' || arg.startsWith('--output')))

/** Tells an error on standard error and answers the exit code (command line, section 5). */
export const tellFailure = async (error: unknown, args: readonly string[], io: Io): Promise<number> => {
  const failure = describe(error)
  if (!failure) return EXIT.done
  const { exit, code, message, issues } = failure
  const lines = linesOf(failure)
  if (wantsJson(args, io)) lines.push(JSON.stringify({ error: { code, message, exit_code: exit, issues } }))
  try {
    await io.stderr.write(`${lines.join('\n')}\n`)
  } catch {
    // There is nobody left to tell.
  }
  return exit
}
