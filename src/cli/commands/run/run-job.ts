import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { AnyRecord } from '../../../domain/schema.ts'
import { fileError } from '../../../import/parse/files.ts'
import { readDeadline } from '../../args/deadline.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, IncompleteRun, UsageError } from '../../exit.ts'
import { countOf, shellWord } from '../../output/text.ts'
import { requireLockName, withNamedLock } from '../../target/named-lock.ts'
import { type GlobalFlags, placeFlags } from '../../target/settings.ts'
import { type Job, readJob } from './job.ts'
import { openJobLog, stepWorld } from './job-log.ts'
import { codeOf, ends, gravest, outcomeOf, type Running, type StepResult } from './outcome.ts'
import { stepRow } from './run.ts'
import { faultsOfWebhook, sendOutcome } from './send-outcome.ts'
import type { Step } from './step.ts'
import { commandIn, faultsOfCommand, optionsOfStep } from './step-checks.ts'
import { dated, linesOf, moveFile, type StepLine } from './step-lines.ts'

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
const sharedFlags = (flags: GlobalFlags): string[] => [
  ...placeFlags(flags),
  ...(flags.timeout === undefined ? [] : ['--timeout', flags.timeout]),
  ...(flags.caFile === undefined ? [] : ['--ca-file', flags.caFile]),
  ...(flags.timeZone === undefined ? [] : ['--time-zone', flags.timeZone]),
]

/** Runs a command line as if it was typed, within what is left of the deadline; returns its exit code. */
const runLine = async (running: Running, words: readonly string[], prefix: string): Promise<number> => {
  const { cli, cwd, log, deadline } = running
  const left = Math.floor((deadline - cli.io.now()) / MS_PER_SECOND)
  if (left <= 0) {
    await log.tell(`${prefix}not started: the deadline of the job has passed`)
    return EXIT.workLeft
  }
  const line = [...words, ...sharedFlags(cli.flags), '--no-input', '--deadline', `${left}s`]
  const world = stepWorld({ io: cli.io, begun: running.begun }, cwd, log, prefix)
  try {
    return await cli.run(line, world)
  } catch (error) {
    const { printFailure } = await import('../../failure.ts')
    return printFailure(error, line, world)
  }
}

/** Moves a file that was imported, if its step says so; returns the exit code. */
const moveDone = async ({ cwd, today, log }: Running, step: Step, file: string, prefix: string): Promise<number> => {
  if (step.moveTo === undefined) return EXIT.done
  const folder = dated(step.moveTo, today)
  try {
    moveFile(cwd, file, folder)
    return EXIT.done
  } catch (error) {
    const failure = fileError(error, 'write', folder)
    const why = failure instanceof Error ? failure.message : String(failure)
    await log.tell(`${prefix}${file} was imported, but could not be moved: ${why}; move it before the next run`)
    return EXIT.failed
  }
}

/** Describes how a step, or one of its lines, ended: its exit code, and what it said last. */
type StepEnd = { readonly code: number; readonly message: string }

/** Returns the end of a step: that of the gravest of its lines. */
const gravestEnd = (ends: readonly StepEnd[]): StepEnd => {
  const code = gravest(ends.map((one) => one.code))
  return ends.find((one) => one.code === code) ?? { code, message: '' }
}

/** Runs the command lines of a step; returns how it ended. */
const runLines = async (running: Running, step: Step, lines: readonly StepLine[], prefix: string): Promise<StepEnd> => {
  const { cli, log } = running
  const results: StepEnd[] = []
  const add = (code: number, file: string | undefined): void => {
    const said = log
      .last()
      .replace(prefix, '')
      .replace(/^kpi: /, '')
    const isNamed = file === undefined || lines.length === 1 || said.includes(file)
    results.push({ code, message: isNamed ? said : `${file}: ${said}` })
  }
  for (const { words, file } of lines) {
    if (cli.io.interruption().aborted) {
      await log.tell(`${prefix}not started: ${file ?? words.join(' ')}; the next run goes on with it`)
      add(EXIT.workLeft, file)
      break
    }
    if (file !== undefined && lines.length > 1) await log.tell(prefix + file)
    const code = await runLine(running, words, prefix)
    add(code, file)
    if (file !== undefined && (code === EXIT.done || code === EXIT.partial))
      add(await moveDone(running, step, file, prefix), file)
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
const runSteps = async (running: Running): Promise<StepResult[]> => {
  const results: StepResult[] = []
  for (const [at, step] of running.job.steps.entries()) {
    const isOver = results.some(ends) || running.cli.io.interruption().aborted
    const isSkipped = isOver && step.kind !== 'webhook'
    results.push(isSkipped ? skipped(running, step) : await runStep(running, step, at + 1, results))
  }
  return results
}

const TENTHOUSANDTHS = 10_000

const rowOf = (result: StepResult, at: number): AnyRecord => ({
  step: at + 1,
  kind: result.step.kind,
  command: result.command,
  outcome: outcomeOf(result.code),
  exit_code: result.code ?? null,
  seconds: result.code === undefined ? null : BigInt(Math.round(result.seconds * 10) * (TENTHOUSANDTHS / 10)),
  message: result.message ?? null,
})

const readText = (path: string, file: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw fileError(error, 'read', file)
  }
}

/** Returns what a check throws about a flag of the command line, as what is wrong with the part of the same name. */
const faultOf = (check: () => unknown): string | undefined => {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof UsageError) return error.message.replace(/^--/, '')
    throw error
  }
}

/** Describes a job that was read and checked: its folder, when it begins, and which day that is. */
type Opened = Pick<Running, 'job' | 'cwd' | 'today' | 'begun'>

/** Reads a job, and checks all of it before anything runs. */
const openJob = async (cli: Cli, file: string): Promise<Opened> => {
  const path = resolve(cli.io.cwd, file)
  const cwd = dirname(path)
  const [begun, today] = [cli.io.now(), cli.today().day]
  const commandAt = commandIn(await cli.describe())
  const place = { cli, cwd, today, commandAt }
  const job: Job = readJob(readText(path, file), file, {
    optionsOf: (kind) => optionsOfStep(commandAt, kind),
    faultsOf: (step) => (step.kind === 'webhook' ? faultsOfWebhook(cli.io, cwd, step) : faultsOfCommand(place, step)),
    faultOfLock: (name) => faultOf(() => requireLockName(name)),
    faultOfDeadline: (text) => faultOf(() => readDeadline(text, begun)),
  })
  return { job, cwd, today, begun }
}

const printDryRun = async (cli: Cli, { job, cwd, today }: Opened): Promise<void> => {
  const rows = job.steps.flatMap((step, at) =>
    linesOf(step, cwd, today).map(({ words }) => ({
      ...rowOf({ step, command: words.map(shellWord).join(' '), code: undefined, seconds: 0, message: undefined }, at),
      outcome: 'planned',
    })),
  )
  await cli.note(
    `dry run, nothing was done: ${countOf(rows.length, 'command')} of ${countOf(job.steps.length, 'step')}`,
  )
  await cli.printMany(stepRow.shown, rows)
}

const runAll = async (cli: Cli, file: string, opened: Opened): Promise<void> => {
  const { job, cwd, today, begun } = opened
  const { at: deadline } = readDeadline(cli.flags.deadline ?? job.deadline, begun)
  const log = openJobLog(cli, job.log === undefined ? undefined : resolve(cwd, dated(job.log, today)))
  cli.io.interruption()
  try {
    await log.tell(`job ${file} begins`)
    const results = await runSteps({ ...opened, cli, log, deadline })
    const code = codeOf(results)
    const failed = results.filter((one) => (one.code ?? EXIT.done) !== EXIT.done)
    await log.tell(
      `job ${file} ended with ${code}: ${results.length - failed.length} of ${countOf(results.length, 'step')} without a finding`,
    )
    await cli.printMany(cli.printing().format === 'table' ? stepRow.brief : stepRow.shown, results.map(rowOf))
    if (code === EXIT.done) return
    const lines = failed.map(
      (one) => `step ${results.indexOf(one) + 1}, ${one.step.kind}, ended with ${one.code}: ${one.message}`,
    )
    throw new IncompleteRun(code, 'job', [`the job ${file} did not end well`, ...lines])
  } finally {
    log.close()
  }
}

/** Runs `kpi run`: the steps of a job, under one lock and one deadline, with one log and one exit code. */
export const runJob = async (cli: Cli, file: string, isDryRun: boolean): Promise<void> => {
  const opened = await openJob(cli, file)
  readDeadline(cli.flags.deadline, opened.begun)
  if (isDryRun) return printDryRun(cli, opened)
  cli.io.stdout.outlast()
  const run = (): Promise<void> => runAll(cli, file, opened)
  const { lock } = opened.job
  // The command holds the lock of --lock already.
  if (lock === undefined || lock === cli.flags.lock) return run()
  return withNamedLock(cli.io, lock, run)
}
