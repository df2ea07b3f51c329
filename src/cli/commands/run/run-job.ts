import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Day } from '../../../domain/day.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { fileError } from '../../../import/parse/files.ts'
import { readDeadline } from '../../args/deadline.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, IncompleteRun } from '../../exit.ts'
import { countOf, shellWord } from '../../output/text.ts'
import { placeFlags } from '../../target/settings.ts'
import { type Job, optionsAt, readJob, type Step } from './job.ts'
import { openJobLog, stepWorld } from './job-log.ts'
import { codeOf, ends, gravest, outcomeOf, type Running, type StepResult } from './outcome.ts'
import { stepRow } from './run.ts'
import { stepKinds } from './step-kinds.ts'
import { dated, linesOf, moveFile, type StepLine } from './step-lines.ts'
import { sendOutcome } from './send-outcome.ts'

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

/** Runs a command line as if it was typed, within what is left of the deadline; returns its exit code. */
const runLine = async (
  { cli, cwd, log, deadline }: Running,
  words: readonly string[],
  prefix: string,
): Promise<number> => {
  const left = Math.floor((deadline - cli.io.now()) / MS_PER_SECOND)
  if (left <= 0) {
    await log.tell(`${prefix}not started: the deadline of the job has passed`)
    return EXIT.workLeft
  }
  const { logFormat: _, ...place } = cli.flags
  const line = [...words, ...placeFlags(place), '--no-input', '--deadline', `${left}s`]
  const world = stepWorld(cli.io, cwd, log, prefix)
  try {
    return await cli.run(line, world)
  } catch (error) {
    const { printFailure } = await import('../../failure.ts')
    return printFailure(error, line, world)
  }
}

/** Runs the command lines of a step; returns its exit code. */
const runLines = async (running: Running, step: Step, lines: readonly StepLine[], prefix: string): Promise<number> => {
  const { cwd, today, cli, log } = running
  const codes: number[] = []
  for (const { words, file } of lines) {
    if (cli.io.interruption().aborted) {
      await log.tell(`${prefix}not started: ${file ?? words.join(' ')}; the next run goes on with it`)
      codes.push(EXIT.workLeft)
      break
    }
    const code = await runLine(running, words, prefix)
    codes.push(code)
    if (file !== undefined && step.moveTo !== undefined && (code === EXIT.done || code === EXIT.partial)) {
      moveFile(cwd, file, dated(step.moveTo, today))
    }
    if (NO_BETTER.has(code)) break
  }
  return gravest(codes)
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
  const code =
    step.kind === 'webhook' ? await sendOutcome(running, step, done) : await runLines(running, step, lines, prefix)
  const message =
    code === EXIT.done
      ? undefined
      : log
          .last()
          .replace(prefix, '')
          .replace(/^kpi: /, '')
  await log.tell(`${prefix}ended with ${code}`)
  return { step, command, code, seconds: (cli.io.uptime() - begun) / MS_PER_SECOND, message }
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
  outcome: outcomeOf(result),
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

/** Reads a job, and checks all of it before anything runs. */
const openJob = async (cli: Cli, file: string): Promise<{ readonly job: Job; readonly cwd: string }> => {
  const path = resolve(cli.io.cwd, file)
  const program = await cli.describe()
  const job = readJob(readText(path, file), file, (kind) => optionsAt(program, stepKinds[kind].words))
  readDeadline(job.deadline ?? cli.flags.deadline, cli.io.now())
  return { job, cwd: dirname(path) }
}

const printDryRun = async (cli: Cli, { job, cwd }: Pick<Running, 'job' | 'cwd'>, today: Day): Promise<void> => {
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

const runAll = async (cli: Cli, file: string, opened: Pick<Running, 'job' | 'cwd'>, today: Day): Promise<void> => {
  const { job, cwd } = opened
  const { at: deadline } = readDeadline(job.deadline ?? cli.flags.deadline, cli.io.now())
  const log = openJobLog(cli, job.log === undefined ? undefined : resolve(cwd, dated(job.log, today)))
  cli.io.interruption()
  try {
    await log.tell(`job ${file} begins`)
    const results = await runSteps({ ...opened, cli, today, log, deadline })
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
  const today = cli.today().day
  if (isDryRun) return printDryRun(cli, opened, today)
  cli.io.stdout.outlast()
  const run = (): Promise<void> => runAll(cli, file, opened, today)
  const { lock } = opened.job
  if (lock === undefined) return run()
  const { withNamedLock } = await import('../../target/named-lock.ts')
  return withNamedLock(cli.io, lock, run)
}
