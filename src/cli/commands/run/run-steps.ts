import { resolve } from 'node:path'
import type { Cli } from '../../cli.ts'
import { EXIT } from '../../exit.ts'
import { shellWord } from '../../output/text.ts'
import { placeFlags } from '../../target/settings.ts'
import { keepingJournals } from '../entries/import/kept-journals.ts'
import { stepWorld } from './job-log.ts'
import { makeFolder, moveDone } from './move-files.ts'
import { ends, gravest, type Running, type StepResult } from './outcome.ts'
import { sendOutcome } from './send-outcome.ts'
import type { Step } from './step.ts'
import { linesOf, type StepLine } from './step-lines.ts'

/** Lists exit codes after which another file would fare no better. */
const NO_BETTER: ReadonlySet<number> = new Set([
  EXIT.unauthorized,
  EXIT.unreachable,
  EXIT.workLeft,
  EXIT.locked,
  EXIT.interrupted,
])

const commandText = (lines: readonly StepLine[], step: Step): string => {
  const [only] = lines
  if (step.kind === 'import') return `entries import ${step.targets.join(' ')}`
  return only ? only.words.map(shellWord).join(' ') : step.kind
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

/** Runs a command line as if it was typed, within what is left of the deadline; returns its exit code. */
const runLine = async (running: Running, words: readonly string[], prefix: string): Promise<number> => {
  const { cli, cwd, log, deadline } = running
  const left = Math.floor((deadline - cli.io.now()) / MS_PER_SECOND)
  if (left <= 0) {
    await log.tell(`${prefix}not started: the deadline of the job has passed`)
    return EXIT.workLeft
  }
  const line = [...words, ...sharedFlags(cli), '--no-input', '--deadline', `${left}s`]
  const world = stepWorld({ io: cli.io, begun: running.begun }, cwd, log, prefix)
  try {
    return await cli.run(line, world)
  } catch (error) {
    const { printFailure } = await import('../../failure.ts')
    return printFailure(error, line, world)
  }
}

/** Describes how a step, or one of its lines, ended: its exit code, and what it said last. */
type StepEnd = { readonly code: number; readonly message: string }

/** Returns the end of a step: that of the gravest of its lines. */
const gravestEnd = (ends: readonly StepEnd[]): StepEnd => {
  const code = gravest(ends.map((one) => one.code))
  return ends.find((one) => one.code === code) ?? { code, message: '' }
}

/** Lists exit codes with which an import has loaded its file, but for its rejected rows. */
const LOADED: ReadonlySet<number> = new Set([EXIT.done, EXIT.partial])

/**
 * Imports a file and moves it; returns the exit code of the import, and tells `add` that of both. The journal goes once
 * the file has, so that no later run sends the file again.
 */
const loadAndMove = async (
  running: Running,
  moveTo: string,
  { words, file = '' }: StepLine,
  prefix: string,
  add: (code: number, file: string) => void,
): Promise<number> => {
  const { code, forget, forgetHarmless } = await keepingJournals(() => runLine(running, words, prefix))
  add(code, file)
  if (!LOADED.has(code)) {
    forgetHarmless()
    return code
  }
  const moved = await moveDone(running, file, moveTo, prefix)
  add(moved, file)
  if (moved === EXIT.done) forget()
  return code
}

/** Runs the command lines of a step; returns how it ended. */
const runLines = async (running: Running, step: Step, lines: readonly StepLine[], prefix: string): Promise<StepEnd> => {
  const { cli, log } = running
  const results: StepEnd[] = []
  const said = (): string =>
    log
      .last()
      .replace(prefix, '')
      .replace(/^kpi: /, '')
  const add = (code: number, file: string | undefined): void => {
    const last = said()
    const isNamed = file === undefined || lines.length === 1 || last.includes(file)
    results.push({ code, message: isNamed ? last : `${file}: ${last}` })
  }
  const runOne = async (line: StepLine): Promise<number> => {
    if (step.moveTo !== undefined) return loadAndMove(running, step.moveTo, line, prefix, add)
    const code = await runLine(running, line.words, prefix)
    add(code, line.file)
    return code
  }
  if (step.moveTo !== undefined && lines.length > 0) {
    const code = await makeFolder(running, step.moveTo, prefix)
    if (code !== EXIT.done) return { code, message: said() }
  }
  for (const line of lines) {
    const { words, file } = line
    if (cli.io.interruption().aborted) {
      await log.tell(`${prefix}not started: ${file ?? words.join(' ')}; the next run goes on with it`)
      add(EXIT.workLeft, file)
      break
    }
    if (file !== undefined && lines.length > 1) await log.tell(prefix + file)
    const code = await runOne(line)
    if (NO_BETTER.has(code)) break
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
  if (step.kind !== 'webhook') return runLines(running, step, lines, prefix)
  const code = await sendOutcome(running, step, done)
  return { code, message: running.log.last() }
}

const runStep = async (
  running: Running,
  step: Step,
  number: number,
  done: readonly StepResult[],
): Promise<StepResult> => {
  const { cli, cwd, today, log } = running
  const begun = cli.io.uptime()
  const prefix = `[${number} ${step.kind}] `
  const lines = linesOf(step, cwd, today)
  const command = commandText(lines, step)
  await log.tell(
    `${prefix}${lines.length === 0 ? `nothing to import: no file is ${step.targets.join(' ')}` : `${step.kind === 'webhook' ? '' : 'kpi '}${command}`}`,
  )
  const { code, message } = await runWork(running, step, lines, prefix, done)
  await log.tell(`${prefix}ended with ${code}`)
  const seconds = (cli.io.uptime() - begun) / MS_PER_SECOND
  return { step, command, code, seconds, message: code === EXIT.done ? undefined : message }
}

const skipped = (running: Running, step: Step): StepResult => ({
  step,
  command: commandText(linesOf(step, running.cwd, running.today), step),
  code: undefined,
  seconds: 0,
  message: undefined,
})

/** Runs the steps in their order; after one that ends the job, only webhooks. */
export const runSteps = async (running: Running): Promise<StepResult[]> => {
  const results: StepResult[] = []
  for (const [at, step] of running.job.steps.entries()) {
    const isOver = results.some(ends) || running.cli.io.interruption().aborted
    const isSkipped = isOver && step.kind !== 'webhook'
    results.push(isSkipped ? skipped(running, step) : await runStep(running, step, at + 1, results))
  }
  return results
}
