import { dirname, resolve } from 'node:path'
import { hideAddresses } from '../../../client/http/address.ts'
import { pauseEvery } from '../../../client/next-turn.ts'
import { readDeadline, readNamedText, untilDeadline } from '../../args/deadline.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, IncompleteRun, UsageError, type ExitCode } from '../../exit.ts'
import type { Io } from '../../io.ts'
import { countOf, shellWord } from '../../output/text.ts'
import { secretsRemover } from '../../stderr.ts'
import { requireLockName, withNamedLock } from '../../target/named-lock.ts'
import { findReach, requireFlags } from '../../target/network.ts'
import { serviceText } from '../../target/place.ts'
import { ALL_SETTINGS } from '../../target/settings.ts'
import { readJob } from './job.ts'
import { type Opened, printJobDryRun } from './dry-run-job.ts'
import { createSaid, openJobLog, silentLog, stepWorld } from './job-log.ts'
import { codeOf, endText, gravest, outcomeOf, rowOf, type StepResult } from './outcome.ts'
import { stepRow } from './run.ts'
import { runSteps, waitToTry } from './run-steps.ts'
import { faultsOfWebhook } from './send-outcome.ts'
import { dated } from './line-parts.ts'
import type { StepChecks } from './step.ts'
import { checkCommand } from './step-checks.ts'
import { faultOfOutput, filesMovedBy, warningsOfKept } from './step-places.ts'

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

/** Sets how many parts of a job are read before signals and timers run. */
const PARTS_OF_TURN = 1000

/** Reads a job, and checks all of it before anything runs. */
const openJob = async (cli: Cli, file: string, signal: AbortSignal): Promise<Opened> => {
  const path = resolve(cli.io.cwd, file)
  const cwd = dirname(path)
  const [begun, today] = [cli.io.now(), cli.today().day]
  const made: string[] = []
  const [moved, saved] = [new Set<string>(), new Set<unknown>()]
  const world = stepWorld({ io: cli.io, begun }, cwd, silentLog, '', createSaid())
  const place = { cli, world, cwd, signal, today, made, moved, saved }
  const check: StepChecks['check'] = async (given) => {
    if (given.kind === 'webhook') return { step: given, faults: faultsOfWebhook(cli.io, cwd, given) }
    const { step, faults } = await checkCommand(place, given)
    const { saveMapping } = step.command?.flags ?? {}
    if (saveMapping !== undefined) saved.add(saveMapping)
    if (step.moveTo !== undefined) made.push(resolve(cwd, step.moveTo))
    for (const file of await filesMovedBy(place, step)) moved.add(file)
    return { step, faults }
  }
  const text = await readNamedText(cli.io, cli.flags.deadline, path, file)
  let hide = hideAddresses
  const checks = {
    onAddresses: (texts: readonly string[]) => {
      // Standard error and the log hide what the job holds, whatever a message makes of it.
      cli.io.guard?.(texts)
      const withoutSecrets = secretsRemover(cli.io, texts)
      hide = (text) => withoutSecrets(hideAddresses(text))
      return hide
    },
    today,
    check,
    heldLock: cli.flags.lock,
    faultOfLock: (name: string) => faultOf(() => requireLockName(name)),
    faultOfDeadline: (text: string) => faultOf(() => readDeadline(text, begun)),
    faultOfLog: (file: string) => faultOfOutput(resolve(cwd, dated(file, today)), dated(file, today), []),
  }
  const job = await readJob(text, file, checks, pauseEvery(PARTS_OF_TURN, signal))
  for (const text of warningsOfKept(cwd, job.steps)) await cli.log.warn(hide(text))
  return { job, service: serviceText(cli.io, cli.flags), cwd, today, begun, hide }
}

/** Returns the exit code of a job: one that was asked to stop, and is not done, has work left. */
const codeAfter = (results: readonly StepResult[], isStopped: boolean): ExitCode => {
  const code = codeOf(results)
  return isStopped && code !== EXIT.done ? gravest([code, EXIT.workLeft]) : code
}

const STOPPED = 'was asked to stop, and has work left; the next run goes on'

/** Counts steps by what became of them: `5 steps: 3 done, 1 failed, 1 skipped`. */
const outcomesText = (results: readonly StepResult[]): string => {
  const counts = Map.groupBy(results, ({ code }) => outcomeOf(code))
  const parts = ['done', 'found', 'failed', 'skipped'].flatMap((outcome) => {
    const count = counts.get(outcome)?.length
    return count === undefined ? [] : [`${count} ${outcome === 'found' ? 'with findings' : outcome}`]
  })
  return `${countOf(results.length, 'step')}: ${parts.join(', ')}`
}

/** Says where the command lines of the log can be pasted: the folder, and the variables that they have but for secret ones. */
const pastingText = ({ env, cwd: started }: Io, cwd: string): string => {
  const set = ALL_SETTINGS.filter(({ isOfJob }) => !isOfJob).flatMap(({ sources: { variables = [] }, secret, path }) =>
    variables.flatMap((name) => {
      const value = env[name]
      if (!name.startsWith('KPI_') || value === undefined || value === '') return []
      return [{ name, isSecret: secret === 'all', text: path === undefined ? value : resolve(started, value) }]
    }),
  )
  const shown = set.flatMap(({ name, isSecret, text }) =>
    isSecret ? [] : [`${name}=${shellWord(hideAddresses(text))}`],
  )
  const secret = set.flatMap(({ name, isSecret }) => (isSecret ? [name] : []))
  const exports = shown.length === 0 ? '' : ` && export ${shown.join(' ')}`
  const rest = secret.length === 0 ? '' : ` (and ${secret.join(', ')}, which is secret)`
  return `to run a line of this log by itself: cd ${shellWord(cwd)}${exports}${rest}`
}

/** Says that no time was left to try failed steps again before the deadline of the job, where its work is not done. */
const timeUpOf = (failed: readonly StepResult[], left: number | undefined, spelling: string): readonly string[] => {
  const codes = new Set(failed.map(({ code }) => code))
  if (left !== undefined || !(codes.has(EXIT.unreachable) || codes.has(EXIT.workLeft))) return []
  const how = codes.has(EXIT.unreachable) ? ' while it waited for the service' : ''
  return [`the deadline of the job (${spelling}) came${how}`]
}

const runAll = async (cli: Cli, file: string, opened: Opened): Promise<void> => {
  const { job, service, cwd, today, begun, hide } = opened
  const { at: deadline, spelling } = readDeadline(cli.flags.deadline ?? job.deadline, begun)
  const path = job.log === undefined ? undefined : resolve(cwd, dated(job.log, today))
  const log = openJobLog(cli, path, hide)
  const interruption = cli.io.interruption()
  const tellStop = (): void => void log.tell('asked to stop: what was sent is finished, and nothing else is begun')
  interruption.addEventListener('abort', tellStop)
  try {
    await log.tell(`job ${file} begins`)
    if (service !== undefined) await log.tell(`service: ${service}`)
    await log.tell(pastingText(cli.io, cwd))
    const results = await runSteps({ ...opened, cli, log, deadline, rejects: new Set() })
    // A job without a whole log is not done, even if its steps are.
    const codeNow = (): ExitCode =>
      codeAfter(results, interruption.aborted) || (log.fault() === undefined ? EXIT.done : EXIT.failed)
    const failed = results.filter((one) => (one.code ?? EXIT.done) !== EXIT.done)
    const timeUp = interruption.aborted ? [] : timeUpOf(failed, waitToTry(deadline, 0, cli.io.now()), spelling)
    for (const line of timeUp) await log.tell(line)
    await log.tell(`job ${file} ended with ${codeNow()}: ${outcomesText(results)}`)
    await cli.printMany(cli.printing().format === 'table' ? stepRow.brief : stepRow.shown, results.map(rowOf))
    await log.close()
    if (codeNow() === EXIT.done) return
    const fault = log.fault()
    throw new IncompleteRun(codeNow(), 'job', [
      `the job ${file} ${interruption.aborted ? STOPPED : endText(codeNow(), failed.length)}`,
      ...timeUp,
      ...failed.map(
        (one) => `step ${results.indexOf(one) + 1}, ${one.step.kind}, ended with ${one.code}: ${one.message}`,
      ),
      ...(fault === undefined ? [] : [`${fault}; the log lacks lines`]),
    ])
  } finally {
    interruption.removeEventListener('abort', tellStop)
    await log.close()
  }
}

/** Runs `kpi run`: the steps of a job, under one lock and one deadline, with one log and one exit code. */
export const runJob = async (cli: Cli, file: string, isDryRun: boolean): Promise<void> => {
  const whileAllowed = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    untilDeadline(cli.io, cli.flags.deadline, ({ signal }) => work(signal))
  // Steps get these flags, too, and would be blamed for them.
  requireFlags(cli.io, cli.flags)
  const opened = await whileAllowed((signal) => openJob(cli, file, signal))
  readDeadline(cli.flags.deadline, opened.begun)
  // Reads the certificates and proxies, too: all steps need them.
  findReach(cli.io, cli.flags).network()
  if (isDryRun) return whileAllowed((signal) => printJobDryRun(cli, file, opened, signal))
  cli.io.stdout.outlast()
  const run = (): Promise<void> => runAll(cli, file, opened)
  const { lock } = opened.job
  // The command holds the lock of --lock already.
  if (lock === undefined || lock === cli.flags.lock) return run()
  return withNamedLock(cli.io, lock, run)
}
