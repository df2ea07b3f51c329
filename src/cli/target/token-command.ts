import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { KpiError } from '../../domain/errors.ts'
import { type Deadline, DeadlinePassed } from '../args/deadline.ts'
import type { Io } from '../io.ts'
import { type CommandEnd, MOST_PRINTED, tokenCommandFailure } from './token-command-failure.ts'

/** Bounds a token command: it may take as long as an answer, and no longer than until the deadline. */
export type CommandBounds = {
  readonly timeoutMs: number
  readonly deadline?: Deadline | undefined
  /** Tells whether a person can be asked, who then sees what the command says beside the secret. */
  readonly canAsk: () => boolean
}

/** Returns the error of a token command that was cut off: by the deadline, or because it took too long. */
const cutOff = (timeoutMs: number, deadline: Deadline | undefined): Error =>
  deadline
    ? new DeadlinePassed(deadline, "the profile's token command had not ended")
    : new KpiError(
        'unauthorized',
        `the profile's token command had not ended after ${timeoutMs / 1000} seconds and was cut off; --timeout allows it more`,
      )

/** Collects what a stream prints, and calls `onTooMuch` once that is more than a token command may print. */
const collect = (stream: Readable | null, onTooMuch: () => void): (() => string) => {
  const parts: Buffer[] = []
  let size = 0
  stream?.on('data', (part: Buffer) => {
    size += part.length
    if (size > MOST_PRINTED) onTooMuch()
    else parts.push(part)
  })
  return () => Buffer.concat(parts).toString()
}

/** Ends a command that may ignore other signals, and lets go of what it has started, which may still hold its output. */
const cut = ({
  kill,
  stdout,
  stderr,
}: Pick<ChildProcess, 'stdout' | 'stderr'> & { readonly kill: () => void }): void => {
  kill()
  stdout?.destroy()
  stderr?.destroy()
}

/**
 * Runs a command that prints a secret, and returns what it prints. Signals are heeded meanwhile: whoever waits for a
 * password manager may think better of it.
 */
export const printSecret = async (io: Io, command: string, bounds: CommandBounds): Promise<string> => {
  const { timeoutMs, deadline, canAsk } = bounds
  const left = deadline ? Math.max(1, deadline.at - io.now()) : Infinity
  const { env, cwd } = io
  const child = spawn(command, { shell: true, env, cwd, stdio: ['ignore', 'pipe', canAsk() ? 'inherit' : 'pipe'] })
  let [isTooMuch, isCut] = [false, false]
  const end = (): void => cut({ kill: () => child.kill('SIGKILL'), stdout: child.stdout, stderr: child.stderr })
  const endTooMuch = (): void => {
    isTooMuch = true
    end()
  }
  const [printed, said] = [collect(child.stdout, endTooMuch), collect(child.stderr, endTooMuch)]
  const timer = setTimeout(
    () => {
      isCut = true
      end()
    },
    Math.min(left, timeoutMs),
  )
  const ended = await new Promise<Omit<CommandEnd, 'stdout' | 'stderr' | 'isTooMuch'>>((resolve) => {
    child.once('error', () => resolve({ status: null, signal: null }))
    child.once('close', (status, signal) => resolve({ status, signal }))
  })
  clearTimeout(timer)
  if (isCut) throw cutOff(timeoutMs, left <= timeoutMs ? deadline : undefined)
  if (ended.status === 0 && !isTooMuch) return printed().trim()
  throw tokenCommandFailure({ ...ended, isTooMuch, stdout: printed(), stderr: said() })
}
