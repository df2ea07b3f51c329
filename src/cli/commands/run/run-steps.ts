import { resolve } from 'node:path'
import { shownSource } from '../../../client/http/address.ts'
import type { Day } from '../../../domain/day.ts'
import { Aborted } from '../../../client/transport.ts'
import { alarmAt } from '../../args/deadline.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, UsageError, type ExitCode } from '../../exit.ts'
import { shellWord } from '../../output/text.ts'
import { placeFlags } from '../../target/settings.ts'
import { keepingJournals } from '../entries/import/kept-journals.ts'
import { createSaid, stepWorld } from './job-log.ts'
import { makeFolder, moveDone } from './move-files.ts'
import { codeAfterFiles, ends, gravest, LOADED, type Running, type StepResult } from './outcome.ts'
import { sendOutcome } from './send-outcome.ts'
import type { Step } from './step.ts'
import { argumentOf, dated, flagWords, isPattern, lineText, linesOf, type StepLine } from './step-lines.ts'
import { tellWaitingRejects } from './waiting-rejects.ts'

/** Lists exit codes after which another file would fare no better. */
const NO_BETTER: ReadonlySet<number> = new Set([
  EXIT.unauthorized,
  EXIT.unreachable,
  EXIT.workLeft,
  EXIT.locked,
  EXIT.interrupted,
])

/** Returns what a step imports as it was given, with patterns unquoted, but for the secrets of addresses. */
const shownTargets = ({ targets }: Step, today: Day): string =>
  targets
    .map((target) => shownSource(dated(target, today)))
    .map((target) => (isPattern(target) ? target : shellWord(argumentOf(target))))
    .join(' ')

/** Says that a step finds no file now. */
export const nothingToImport = (step: Step, today: Day): string =>
  `nothing to import: no file is ${shownTargets(step, today)}`

/** Says that patterns found nothing where files stay once they are imported, so that the patterns are wrong. */
export const noFile = (step: Step, today: Day): string =>
  `no file is ${shownTargets(step, today)}; name files that are there, or add move_to: a step that moves its files may find none`

/** Returns the command line that a step stands for; patterns stay, as each file that they find is told by itself. */
const commandText = (lines: readonly StepLine[], step: Step, today: Day): string => {
  const [only] = lines
  if (step.targets.length > 0 && step.kind === 'import' && (lines.length !== 1 || only?.isFound)) {
    const flags = lineText(step, flagWords(step.flags, today))
    return `entries import ${shownTargets(step, today)}${flags === '' ? '' : ` ${flags}`}`
  }
  return only ? lineText(step, only.words) : step.kind
}

const MS_PER_SECOND = 1000

/** Returns the flags of the job's own line that hold for each of its steps. */
const sharedFlags = ({ io, flags }: Cli): string[] => {
  const { profile, dataDir, timeout, caFile, timeZone, verbose, debug } = flags
  // Steps run in the folder of the job, and the line was typed in another one.
  const path = (given: string): string => (given === '' ? '' : resolve(io.cwd, given))
  return [
    ...placeFlags({
      ...(profile !== undefined && { profile }),
      ...(dataDir !== undefined && { dataDir: path(dataDir) }),
    }),
    ...(timeout === undefined ? [] : ['--timeout', timeout]),
    ...(caFile === undefined ? [] : ['--ca-file', path(caFile)]),
    ...(timeZone === undefined ? [] : ['--time-zone', timeZone]),
    ...(verbose ? ['--verbose'] : []),
    ...(debug ? ['--debug'] : []),
  ]
}

/** Describes how a step, or one of its lines, ended: its exit code, and what it said of that. */
type StepEnd = { readonly code: ExitCode; readonly message: string }

/** Runs a command line as if it was typed, within what is left of the deadline. */
export const runLine = async (
  running: Omit<Running, 'rejects'>,
  { words, isFound = false }: StepLine,
  prefix: string,
): Promise<StepEnd> => {
  const { cli, cwd, log, deadline, job } = running
  const left = Math.floor((deadline - cli.io.now()) / MS_PER_SECOND)
  if (left <= 0) {
    const message = 'not started: the deadline of the job has passed'
    await log.tell(prefix + message)
    return { code: EXIT.workLeft, message }
  }
  const said = createSaid()
  const line = [...words, ...sharedFlags(cli), '--no-input', '--deadline', `${left}s`]
  const hasUsualDeadline = (cli.flags.deadline ?? job.deadline) === undefined
  const world = stepWorld({ io: cli.io, begun: running.begun, isFound, hasUsualDeadline }, cwd, log, prefix, said)
  try {
    return { code: await cli.run(line, world), message: said.message() }
  } catch (error) {
    const { printFailure } = await import('../../failure.ts')
    return { code: await printFailure(error, line, world), message: said.message() }
  }
}

/** Returns the end of a step: the gravest code of its lines, and what each said that is not done. */
const gravestEnd = (ends: readonly StepEnd[]): StepEnd => ({
  code: codeAfterFiles(
    gravest(ends.map(({ code }) => code)),
    ends.map(({ code }) => code),
  ),
  message: ends.flatMap(({ code, message }) => (code === EXIT.done ? [] : [message])).join('; '),
})

/**
 * Imports a file and moves it; returns the exit code of the import, and tells `add` how both ended. The journal goes once
 * the file has, so that no later run sends the file again.
 */
const loadAndMove = async (
  running: Running,
  moveTo: string,
  line: StepLine,
  prefix: string,
  add: (end: StepEnd, file: string) => void,
): Promise<ExitCode> => {
  const { file = '' } = line
  let message = ''
  const load = async (): Promise<ExitCode> => {
    const end = await runLine(running, line, prefix)
    message = end.message
    return end.code
  }
  const { code, forget, forgetHarmless } = await keepingJournals(load)
  add({ code, message }, file)
  if (!LOADED.has(code)) {
    forgetHarmless()
    return code
  }
  const moved = await moveDone(running, file, moveTo, prefix)
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
  const add = ({ code, message }: StepEnd, file: string | undefined): void => {
    const shown = file === undefined ? '' : shownSource(file)
    const isNamed = lines.length === 1 || message.includes(shown)
    results.push({ code, message: isNamed ? message : `${shown}: ${message}` })
  }
  const runOne = async (line: StepLine): Promise<ExitCode> => {
    if (step.moveTo !== undefined) return loadAndMove(running, step.moveTo, line, prefix, add)
    const end = await runLine(running, line, prefix)
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
      await log.tell(`${prefix}kpi ${lineText(step, line.words)}`)
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
  if (lines.length === 0 && step.moveTo === undefined)
    return { code: EXIT.failed, message: noFile(step, running.today) }
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
  const { cli, cwd, today, log } = running
  const interruption = cli.io.interruption()
  // Only the files of an import are looked for.
  const signal =
    step.kind === 'import' ? AbortSignal.any([interruption, alarmAt(cli.io, running.deadline)]) : interruption
  const place = { cwd, today, tempDir: cli.io.tempDir, signal }
  const lines = await linesOf(step, place, running.rejects)
  const command = commandText(lines, step, today)
  const work = step.kind === 'webhook' ? command : `kpi ${command}`
  await log.tell(prefix + (lines.length === 0 ? nothingToImport(step, today) : work))
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
  const { command, code, message } = await findAndRun(running, step, prefix, done).catch(async (error: unknown) => {
    if (!(error instanceof Aborted || error instanceof UsageError)) throw error
    await log.tell(prefix + error.message)
    const code = error instanceof Aborted ? EXIT.workLeft : EXIT.failed
    return { command: commandText([], step, running.today), code, message: error.message }
  })
  await log.tell(`${prefix}ended with ${code}`)
  const seconds = (cli.io.uptime() - begun) / MS_PER_SECOND
  return { step, command: hide(command), code, seconds, message: code === EXIT.done ? undefined : hide(message) }
}

/** Returns a step that does not run; the files of an import are not looked for. */
const skipped = async ({ cwd, today, cli, hide }: Running, step: Step): Promise<StepResult> => {
  const signal = cli.io.watchedInterruption()
  const lines = step.kind === 'import' && step.targets.length > 0 ? [] : await linesOf(step, { cwd, today, signal })
  return { step, command: hide(commandText(lines, step, today)), code: undefined, seconds: 0, message: undefined }
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
