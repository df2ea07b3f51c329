import { shownSource } from '../../../client/http/address.ts'
import { backoff, waitUntil } from '../../../client/retry.ts'
import { Aborted } from '../../../client/transport.ts'
import { KpiError } from '../../../domain/errors.ts'
import type { Verb } from '../../../domain/schema.ts'
import { alarmAt, LONGEST_OUTAGE_MS, readDeadline } from '../../args/deadline.ts'
import { givenIn } from '../../args/raw-options.ts'
import { EXIT, type ExitCode, UsageError } from '../../exit.ts'
import type { Io } from '../../io.ts'
import { shellWord } from '../../output/text.ts'
import { bounded } from '../../output/width.ts'
import { hearingProblems, type ToldProblems } from '../report/told-problems.ts'
import { keepingJournals } from '../entries/import/kept-journals.ts'
import { createSaid, stepWorld } from './job-log.ts'
import { makeFolder, moveDone } from './move-files.ts'
import { codeAfterFiles, ends, gravest, LOADED, type Running, type StepResult } from './outcome.ts'
import { lackOfFiles } from './required-files.ts'
import { sendOutcome } from './send-outcome.ts'
import { argumentsOf, isImport, type Step } from './step.ts'
import {
  commandWords,
  flagWords,
  isPattern,
  lineText,
  linesOf,
  pastedLine,
  type StepLine,
  wholeLine,
  withDays,
} from './step-lines.ts'
import { tellWaitingRejects } from './waiting-rejects.ts'

/** Lists exit codes after which another file would fare no better. */
const NO_BETTER: ReadonlySet<number> = new Set([
  EXIT.unauthorized,
  EXIT.unreachable,
  EXIT.workLeft,
  EXIT.locked,
  EXIT.interrupted,
])

/** Matches what a shell would read in a pattern as something else than a wildcard or a character of a name. */
const NO_WILDCARD = /[\s'"\\$&;|<>()`!#~]/g

/** Returns what a step imports as it was given, with patterns unquoted, but for the secrets of addresses. */
const shownTargets = (step: Step): string =>
  argumentsOf(step)
    .map(shownSource)
    .map((target) => (isPattern(target) ? target.replaceAll(NO_WILDCARD, String.raw`\$&`) : shellWord(target)))
    .join(' ')

/** Says that a step finds no file now. */
export const nothingToImport = (step: Step): string => `nothing to import: no file is ${shownTargets(step)}`

/** Says that patterns found nothing where files stay once they are imported, so that the patterns are wrong. */
export const noFile = (step: Step): string =>
  `no file is ${shownTargets(step)}; name files that are there, or add move_to: a step that moves its files may find none`

/** Returns the command line that a step stands for; patterns stay, as each file that they find is told by itself. */
export const commandText = (lines: readonly StepLine[], step: Step): string => {
  const [only] = lines
  if (isImport(step) && argumentsOf(step).length > 0 && (lines.length !== 1 || only?.isFound)) {
    const flags = lineText(step, flagWords(step))
    return `${commandWords(step).join(' ')} ${shownTargets(step)}${flags === '' ? '' : ` ${flags}`}`
  }
  return only ? lineText(step, only.words) : step.kind
}

const MS_PER_SECOND = 1000

/** Describes how a step, or one of its lines, ended: its exit code, what it said of that and found, and the error that ended it. */
type StepEnd = Pick<StepResult, 'problems'> & {
  readonly code: ExitCode
  readonly message: string
  readonly error?: unknown
}

/** Returns when a line ends at the latest that begins now: at the deadline of the job, or at its own. */
const endOfLine = ({ cli, deadline }: LineRunning, own: string | undefined): number =>
  own === undefined ? deadline : Math.min(deadline, readDeadline(own, cli.io.now()).at)

type LineRunning = Omit<Running, 'rejects'> & Pick<Io, 'tellDays'>

/** Runs a command line as if it was typed, within what is left of the deadline. */
export const runLine = async (
  running: LineRunning,
  { words, isFound = false }: StepLine,
  prefix: string,
  end = endOfLine(running, givenIn(words, '--deadline')),
): Promise<StepEnd> => {
  const { cli, cwd, log, job } = running
  const own = givenIn(words, '--deadline')
  const left = Math.floor((end - cli.io.now()) / MS_PER_SECOND)
  if (left <= 0) {
    const message = 'not started: the deadline of the job has passed'
    await log.tell(prefix + message)
    return { code: EXIT.workLeft, message }
  }
  const said = createSaid()
  const whole = wholeLine(cli, words)
  // Behind -- it would be an argument.
  const line = whole.toSpliced([...whole, '--'].indexOf('--'), 0, '--deadline', `${left}s`)
  const hasDeadline = (own ?? cli.flags.deadline ?? job.deadline) !== undefined
  const { begun, tellDays, longestOutageMs = hasDeadline ? undefined : LONGEST_OUTAGE_MS } = running
  const world = stepWorld({ io: cli.io, begun, isFound, longestOutageMs, tellDays }, cwd, log, prefix, said)
  try {
    const { result: code, problems } = await hearingProblems(() => cli.run(line, world))
    return { code, message: withProblems(said.message(), problems), problems }
  } catch (error) {
    const { printFailure } = await import('../../failure.ts')
    return { code: await printFailure(error, line, world), message: said.message(), error }
  }
}

/** Tells whether a step changes nothing twice if it is done once more, although nobody knows what became of a request. */
const isRepeatable = (step: Step): boolean =>
  step.kind !== 'run' || isImport(step) || step.command?.needs?.every(({ verb }) => READING.has(verb)) === true

const READING: ReadonlySet<string> = new Set<Verb>(['list', 'get'])

/** Tells whether a line may be run again: its service failed, was not reached, or had no room for it. */
const isTriedAgain = (step: Step, { code, error }: StepEnd): boolean => {
  if (code !== EXIT.unreachable && code !== EXIT.workLeft) return false
  return !(error instanceof KpiError) || !error.mayBeDone || isRepeatable(step)
}

/** Sets how many shorter waits of a request the first wait of a step skips, as the request has had them. */
const SKIPPED_WAITS = 5

/** Returns how long to wait before a line is run again; undefined where it would have less than a second by then. */
export const waitToTry = (until: number, pause: number, now: number): number | undefined =>
  waitUntil(until - MS_PER_SECOND, pause, now)

/** Runs a command line, and again while its service fails, as often as its step or the job says, until the deadline. */
const runLineAgain = async (running: Running, step: Step, line: StepLine, prefix: string): Promise<StepEnd> => {
  const { cli, job, log } = running
  const { io } = cli
  const tellDays: Io['tellDays'] = (days) =>
    log.tell(`${prefix}for the same days: ${pastedLine(cli, step, lineText(step, withDays(line.words, days)))}`)
  const most = step.retries ?? job.retries
  const until = endOfLine(running, givenIn(line.words, '--deadline'))
  for (let tries = 1; ; tries += 1) {
    const end = await runLine({ ...running, tellDays }, line, prefix, until)
    if (tries > most || !isTriedAgain(step, end)) return end
    const failure = end.error instanceof KpiError ? end.error : {}
    const pause = backoff(failure, tries + SKIPPED_WAITS, (io.random(1)[0] ?? 0) / MOST_OF_BYTE)
    const wait = waitToTry(until, pause, io.now())
    if (wait === undefined || io.interruption().aborted) return end
    const count = most === Infinity ? '' : ` of ${most}`
    await log.tell(
      `${prefix}ended with ${end.code}; trying again in ${Math.ceil(wait / MS_PER_SECOND)} s (${tries}${count})`,
    )
    await io.sleep(wait, io.interruption())
    if (io.interruption().aborted) return end
  }
}

const MOST_OF_BYTE = 255

/** Bounds how many problems a message names. */
const MOST_NAMED = 10
/** Bounds what is shown of a problem, in characters. */
const MOST_OF_PROBLEM = 200

/** Returns a message with what a check found, one by one. */
const withProblems = (message: string, problems: ToldProblems | undefined): string => {
  if (!problems || problems.count === 0) return message
  const named = problems.first.slice(0, MOST_NAMED).map(({ words }) => bounded(words, MOST_OF_PROBLEM))
  const more = problems.count - named.length
  return `${message}; ${[...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')}`
}

/** Returns the end of a step: the gravest code of its lines, and what each said that is not done. */
const gravestEnd = (ends: readonly StepEnd[]): StepEnd => ({
  code: codeAfterFiles(
    gravest(ends.map(({ code }) => code)),
    ends.map(({ code }) => code),
  ),
  message: ends.flatMap(({ code, message }) => (code === EXIT.done ? [] : [message])).join('; '),
  problems: ends.find(({ problems }) => problems !== undefined)?.problems,
})

/**
 * Imports a file and moves it; returns the exit code of the import, and tells `add` how both ended. The journal goes once
 * the file has, so that no later run sends the file again.
 */
const loadAndMove = async (
  running: Running,
  step: Step,
  line: StepLine,
  prefix: string,
  add: (end: StepEnd, file: string) => void,
): Promise<ExitCode> => {
  const { file = '' } = line
  let message = ''
  const load = async (): Promise<ExitCode> => {
    const end = await runLineAgain(running, step, line, prefix)
    message = end.message
    return end.code
  }
  const { code, forget, forgetHarmless } = await keepingJournals(load)
  add({ code, message }, file)
  if (!LOADED.has(code)) {
    forgetHarmless()
    return code
  }
  const moved = await moveDone(running, file, step.moveTo ?? '', prefix)
  add({ code: moved, message: lastOf(running, prefix) }, file)
  if (moved === EXIT.done) forget()
  return code
}

/** Returns the last line of the log, without what every line of a step begins with. */
const lastOf = ({ log }: Running, prefix: string): string =>
  log
    .last()
    .replace(prefix, '')
    .replace(/^kpi: /, '')

/** Runs the command lines of a step; returns how it ended. */
const runLines = async (running: Running, step: Step, lines: readonly StepLine[], prefix: string): Promise<StepEnd> => {
  const { cli, log } = running
  const results: StepEnd[] = []
  const add = ({ code, message, problems }: StepEnd, file: string | undefined): void => {
    const shown = file === undefined ? '' : shownSource(file)
    const isNamed = lines.length === 1 || message.includes(shown)
    results.push({ code, message: isNamed ? message : `${shown}: ${message}`, problems })
  }
  const runOne = async (line: StepLine): Promise<ExitCode> => {
    if (step.moveTo !== undefined) return loadAndMove(running, step, line, prefix, add)
    const end = await runLineAgain(running, step, line, prefix)
    add(end, line.file)
    return end.code
  }
  if (step.moveTo !== undefined && lines.length > 0) {
    const code = await makeFolder(running, step.moveTo, prefix)
    if (code !== EXIT.done) return { code, message: lastOf(running, prefix) }
  }
  /** Tells which lines are not started, and why: the code of the one before, or that of a job that is stopped. */
  const leave = async (rest: readonly StepLine[], code: ExitCode): Promise<void> => {
    if (rest.length === 0) return
    const names = rest.map(({ file, words }) => (file === undefined ? words.join(' ') : shownSource(file))).join(', ')
    const message = `not started: ${names}; the next run goes on with ${rest.length === 1 ? 'it' : 'them'}`
    await log.tell(prefix + message)
    add({ code, message }, undefined)
  }
  for (const [at, line] of lines.entries()) {
    if (cli.io.interruption().aborted) {
      await leave(lines.slice(at), EXIT.workLeft)
      break
    }
    if (line.isFound || (line.file !== undefined && lines.length > 1))
      await log.tell(prefix + pastedLine(cli, step, lineText(step, line.words)))
    const code = await runOne(line)
    if (!NO_BETTER.has(code)) continue
    await leave(lines.slice(at + 1), code)
    break
  }
  return gravestEnd(results)
}

/** Runs a step of which the log knows already what it does; returns how it ended. */
const runWork = async (
  running: Running,
  step: Step,
  lines: readonly StepLine[],
  prefix: string,
  done: readonly StepResult[],
): Promise<StepEnd> => {
  const lack = lackOfFiles(running, step, lines)
  if (lack !== undefined) {
    await running.log.tell(prefix + lack)
    const ends = lines.length === 0 ? [] : [await runLines(running, step, lines, prefix)]
    return gravestEnd([...ends, { code: EXIT.failed, message: lack }])
  }
  if (lines.length === 0 && step.moveTo === undefined) return { code: EXIT.failed, message: noFile(step) }
  if (step.kind !== 'webhook') return runLines(running, step, lines, prefix)
  const code = await sendOutcome(running, step, done)
  return { code, message: running.log.last() }
}

/** Finds the command lines of a step, and runs them; returns the step as it is shown, and how it ended. */
const findAndRun = async (
  running: Running,
  step: Step,
  prefix: string,
  done: readonly StepResult[],
): Promise<StepEnd & Pick<StepResult, 'command'>> => {
  const { cli, cwd, log } = running
  const interruption = cli.io.interruption()
  // Only the files of an import are looked for.
  const signal = isImport(step) ? AbortSignal.any([interruption, alarmAt(cli.io, running.deadline)]) : interruption
  const place = { cwd, tempDir: cli.io.tempDir, signal }
  const lines = await linesOf(step, place, running.rejects)
  const command = commandText(lines, step)
  const work = step.kind === 'webhook' ? command : pastedLine(cli, step, command)
  await log.tell(prefix + (lines.length === 0 ? nothingToImport(step) : work))
  await tellWaitingRejects(place, step, (text) => log.tell(prefix + text))
  return { command, ...(await runWork(running, step, lines, prefix, done)) }
}

const runStep = async (
  running: Running,
  step: Step,
  number: number,
  done: readonly StepResult[],
): Promise<StepResult> => {
  const { cli, log, hide } = running
  const begun = cli.io.uptime()
  const prefix = `[${number} ${step.kind}] `
  const { command, code, message, problems } = await findAndRun(running, step, prefix, done).catch(
    async (error: unknown) => {
      if (!(error instanceof Aborted || error instanceof UsageError)) throw error
      await log.tell(prefix + error.message)
      const code = error instanceof Aborted ? EXIT.workLeft : EXIT.failed
      return { command: commandText([], step), code, message: error.message, problems: undefined }
    },
  )
  await log.tell(`${prefix}ended with ${code}`)
  const seconds = (cli.io.uptime() - begun) / MS_PER_SECOND
  return {
    step,
    command: hide(command),
    code,
    seconds,
    message: code === EXIT.done ? undefined : hide(message),
    problems,
  }
}

/** Returns a step that does not run; the files of an import are not looked for. */
const skipped = async ({ cwd, cli, hide }: Running, step: Step): Promise<StepResult> => {
  const signal = cli.io.watchedInterruption()
  const lines = isImport(step) && argumentsOf(step).length > 0 ? [] : await linesOf(step, { cwd, signal })
  return { step, command: hide(commandText(lines, step)), code: undefined, seconds: 0, message: undefined }
}

/** Runs the steps in their order; after one that ends the job, only webhooks. */
export const runSteps = async (running: Running): Promise<StepResult[]> => {
  const results: StepResult[] = []
  for (const [at, step] of running.job.steps.entries()) {
    const isOver = results.some(ends) || running.cli.io.interruption().aborted
    const isSkipped = isOver && step.kind !== 'webhook'
    results.push(isSkipped ? await skipped(running, step) : await runStep(running, step, at + 1, results))
  }
  return results
}
