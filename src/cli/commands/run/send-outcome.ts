import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { requireSafeWebhook, sendWebhook } from '../../../client/http/webhook.ts'
import { UsageError } from '../../exit.ts'
import { findReach } from '../../target/network.ts'
import type { Step } from './job.ts'
import { codeOf, outcomeOf, type Running, type StepResult } from './outcome.ts'

/** Returns the secret of a webhook, from the environment or a file; never from the job itself. */
const secretOf = ({ cli, cwd }: Running, { env, file }: Step['token']): string | undefined => {
  if (env !== undefined) {
    const secret = cli.io.env[env]
    if (!secret) throw new UsageError(`token_env: ${env} is not set`)
    return secret
  }
  if (file === undefined) return undefined
  try {
    return readFileSync(resolve(cwd, file), 'utf8').trim()
  } catch {
    throw new UsageError(`token_file: cannot read ${file}`)
  }
}

/** Returns what a webhook is told: how the job went so far, and each of its steps. */
const outcomeText = (results: readonly StepResult[], at: number): string => {
  const code = codeOf(results)
  return JSON.stringify({
    outcome: code === 0 ? 'done' : 'failed',
    exit_code: code,
    at: new Date(at).toISOString(),
    steps: results.map((one, index) => ({
      step: index + 1,
      kind: one.step.kind,
      command: one.command,
      outcome: outcomeOf(one),
      exit_code: one.code ?? null,
      message: one.message ?? null,
    })),
  })
}

/** Sends the outcome of a job so far to the address of a step; returns the step's exit code. */
export const sendOutcome = async (running: Running, step: Step, done: readonly StepResult[]): Promise<number> => {
  const { cli, log } = running
  const { timeoutMs, network } = findReach(cli.io, cli.flags)
  try {
    const address = requireSafeWebhook(step.targets[0] ?? '')
    const body = outcomeText(done, cli.io.now())
    const token = secretOf(running, step.token)
    await sendWebhook({ address, body, token, timeoutMs, network: network(), sleep: (time) => cli.io.sleep(time) })
    return 0
  } catch (error) {
    if (!(error instanceof Error)) throw error
    await log.tell(error.message)
    return error instanceof UsageError ? 2 : 5
  }
}
