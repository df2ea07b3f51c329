import { resolve } from 'node:path'
import { requireSafeWebhook, sendWebhook } from '../../../client/http/webhook.ts'
import { KpiError } from '../../../domain/errors.ts'
import { EXIT, UsageError, type ExitCode } from '../../exit.ts'
import type { Io } from '../../io.ts'
import { findReach } from '../../target/network.ts'
import { readSecretFile } from '../../target/secrets.ts'
import { stepKinds } from './job-definition.ts'
import { codeOf, outcomeOf, type Running, type StepResult } from './outcome.ts'
import type { SecretSource, Step, StepFault } from './step.ts'

/** Sets how long a webhook has at least, and at most once somebody has asked the job to stop. */
const LEAST_MS = 10_000

/** Refuses a secret that cannot be sent in a header; never quotes it. */
const requireSendable = (source: string, secret: string): string => {
  if (secret === '') throw new UsageError(`${source} is empty; it must hold the secret`)
  if (/^[!-~]+$/.test(secret)) return secret
  throw new UsageError(`${source} holds more than a secret: spaces, several lines or characters that are not ASCII`)
}

/** Returns the secret of a webhook, from the environment or a file; never from the job itself. */
const secretOf = (io: Io, cwd: string, { env, file }: SecretSource): string | undefined => {
  if (env !== undefined) {
    const secret = io.env[env]
    if (secret === undefined) throw new UsageError(`token_env: the variable ${env} is not set`)
    return requireSendable(`token_env: the variable ${env}`, secret)
  }
  if (file === undefined) return undefined
  return requireSendable(`token_file: ${file}`, readSecretFile(io, resolve(cwd, file)))
}

/** Refuses a text that is no address; never quotes it. */
const requireAddress = (source: string, text: string): URL => {
  if (!URL.canParse(text)) throw new UsageError(`${source} holds no address; write https://HOST/PATH`)
  return requireSafeWebhook(text)
}

/** Returns the address of a webhook that the environment or a file holds; undefined where the job has it. */
const namedAddress = (io: Io, cwd: string, { env, file }: SecretSource): URL | undefined => {
  if (env !== undefined) {
    const text = io.env[env]
    if (text === undefined) throw new UsageError(`url_env: the variable ${env} is not set`)
    return requireAddress(`url_env: the variable ${env}`, text.trim())
  }
  return file === undefined ? undefined : requireAddress(`url_file: ${file}`, readSecretFile(io, resolve(cwd, file)))
}

/** Returns what is wrong with the address and the secret of a webhook. */
export const faultsOfWebhook = (io: Io, cwd: string, { url, address, token }: Step): StepFault[] => {
  const faultsOf = (at: string, check: () => unknown): StepFault[] => {
    try {
      check()
      return []
    } catch (error) {
      if (error instanceof KpiError || error instanceof UsageError) return [{ at, message: error.message }]
      throw error
    }
  }
  const { env, file } = token
  const count = [url, address.env, address.file].filter((one) => one !== undefined).length
  return [
    ...(count > 1
      ? [{ at: 'url_env', message: 'webhook, url_env and url_file each name an address; leave only one of them' }]
      : []),
    ...(count === 0 ? [{ at: 'webhook', message: `webhook needs ${stepKinds.webhook.target}` }] : []),
    ...faultsOf('url_env', () => namedAddress(io, cwd, { env: address.env, file: undefined })),
    ...faultsOf('url_file', () => namedAddress(io, cwd, { env: undefined, file: address.file })),
    ...(url === undefined ? [] : faultsOf('webhook', () => requireSafeWebhook(url))),
    ...(env !== undefined && file !== undefined
      ? [{ at: 'token_file', message: 'token_env and token_file both name a secret; leave out one of them' }]
      : []),
    ...faultsOf('token_env', () => secretOf(io, cwd, { env, file: undefined })),
    ...faultsOf('token_file', () => secretOf(io, cwd, { env: undefined, file })),
  ]
}

/** Returns the problems that a check found, as its JSON has them, and how many more there are. */
const problemsIn = ({ problems }: StepResult): object => {
  if (!problems || problems.count === 0) return {}
  const more = problems.count - problems.first.length
  return { problems: problems.first.map(({ record }) => record), ...(more > 0 && { more_problems: more }) }
}

/** Returns what a webhook is told: how the job went so far, and each of its steps. */
const outcomeText = ({ cli: { io }, log, service, hide }: Running, results: readonly StepResult[]): string => {
  const warnings = log.warnings()
  const code = codeOf(results)
  return JSON.stringify({
    outcome: outcomeOf(code),
    exit_code: code,
    at: new Date(io.now()).toISOString(),
    ...(service !== undefined && { service: hide(service) }),
    ...(warnings.length > 0 && { warnings }),
    steps: results.map((one, index) => ({
      step: index + 1,
      kind: one.step.kind,
      command: one.command,
      outcome: outcomeOf(one.code),
      exit_code: one.code ?? null,
      message: one.message ?? null,
      ...problemsIn(one),
    })),
  })
}

const whenAborted = (signal: AbortSignal, listener: () => void): void => {
  if (signal.aborted) listener()
  else signal.addEventListener('abort', listener, { once: true })
}

/** Returns a signal that ends a webhook: at the deadline of the job, or a while after a stop or a deadline that is over. */
const timeOf = ({ cli: { io }, deadline }: Running): AbortSignal => {
  const time = new AbortController()
  const end = (): void => time.abort()
  whenAborted(io.alarm(Math.max(deadline - io.now(), LEAST_MS)), end)
  whenAborted(io.interruption(), () => whenAborted(io.alarm(LEAST_MS), end))
  return time.signal
}

/** Sends the outcome of a job so far to the address of a step; returns the step's exit code. */
export const sendOutcome = async (running: Running, step: Step, done: readonly StepResult[]): Promise<ExitCode> => {
  const { cli, cwd, log } = running
  const { io } = cli
  try {
    const { timeoutMs, network } = findReach(io, cli.flags)
    const address = namedAddress(io, cwd, step.address) ?? requireSafeWebhook(step.url ?? '')
    const token = secretOf(io, cwd, step.token)
    await sendWebhook({
      address,
      body: outcomeText(running, done),
      token,
      timeoutMs,
      network: network(),
      sleep: io.sleep,
      signal: timeOf(running),
    })
    return EXIT.done
  } catch (error) {
    if (!(error instanceof Error)) throw error
    await log.tell(error.message)
    return error instanceof UsageError ? EXIT.usage : EXIT.unreachable
  }
}
