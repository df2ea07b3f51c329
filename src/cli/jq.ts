import { Worker } from 'node:worker_threads'
import { Aborted } from '../client/transport.ts'
import { KpiError } from '../domain/errors.ts'
import { untilDeadline } from './args/deadline.ts'
import { IncompleteRun, UsageError, type ExitCode } from './exit.ts'
import { type Io, withStdout } from './io.ts'
import type { Output } from './standard-output.ts'
import type { JqCall, JqResult } from './jq-thread.ts'
import { visible } from './output/width.ts'
import type { GlobalFlags } from './target/settings.ts'

/** Names the file that the thread runs: beside this one, or in the bundle. */
const SCRIPT = new URL(import.meta.url.endsWith('.ts') ? './jq-thread.ts' : './jq-thread.js', import.meta.url)

/** Matches what the program puts before its messages. */
const PREFIX = /^jq: (?:error(?: \(at [^)]*\))?: )?/
const COMPILE_ERROR = 3

/** Returns the first line of a message of the program, without its name, and without the colon before its next lines. */
const reasonOf = (stderr: string): string => (stderr.split('\n', 1)[0] ?? '').replace(PREFIX, '').replace(/:$/, '')

/** Runs a filter on JSON texts. */
type RunFilter = (input: string) => Promise<JqResult>

/** Matches what the program says when it finds no more memory. */
const OUT_OF_MEMORY = /^Aborted\(/

/** Returns an error of the thread in words. */
const inWords = (error: unknown): unknown =>
  error instanceof Error && OUT_OF_MEMORY.test(error.message)
    ? new KpiError('malformed', '--jq: the filter needs more memory than there is for it', { cause: error })
    : error

/** Returns what runs a filter in a thread until the deadline: a filter may go on for ever. */
const filterIn =
  (worker: Worker, io: Io, { deadline }: GlobalFlags, filter: string): RunFilter =>
  (input) =>
    untilDeadline(io, deadline, async ({ signal }) => {
      worker.postMessage({ input, filter } satisfies JqCall)
      try {
        signal.throwIfAborted()
        return await new Promise((resolve, reject) => {
          worker.once('message', resolve).once('error', reject)
          signal.addEventListener('abort', () => reject(signal.reason))
        })
      } catch (error) {
        if (signal.aborted) throw new Aborted('the filter of --jq had not ended')
        throw inWords(error)
      }
    })

/** Refuses a filter that is not one, before the command does anything. */
const requireFilter = async (run: RunFilter, filter: string): Promise<void> => {
  const { exitCode, stderr } = await run('')
  if (exitCode === COMPILE_ERROR) throw new UsageError(`--jq ${filter} is not a filter: ${reasonOf(stderr)}`)
}

/** Returns an output that keeps what is written to it. */
const createBuffer = (stdout: Output): { readonly output: Output; readonly text: () => string } => {
  const parts: string[] = []
  const write = async (text: string): Promise<void> => void parts.push(text)
  return { output: { ...stdout, write, isTerminal: false, columns: undefined }, text: () => parts.join('') }
}

/** Returns the flags of a command whose JSON is filtered; refuses a format that is no JSON. */
const asJson = (flags: GlobalFlags): GlobalFlags => {
  const { output = 'json' } = flags
  if (output === 'json' || output === 'ndjson') return { ...flags, output }
  throw new UsageError(`--jq filters JSON: leave out -o ${output}, or write -o json or -o ndjson`)
}

const printFiltered = async (io: Io, run: RunFilter, input: string): Promise<void> => {
  if (input === '') return
  const { stdout, stderr, exitCode } = await run(input)
  if (stdout !== '') await io.stdout.write(`${io.stdout.isTerminal ? visible(stdout) : stdout}\n`)
  if (exitCode !== 0) throw new KpiError('malformed', `--jq: ${reasonOf(stderr)}`)
}

/** Describes the flags of a command that has a filter. */
type JqFlags = GlobalFlags & { readonly jq: string }

/** Does work with a filter that was checked. */
const withFilter = async <T>(io: Io, flags: JqFlags, work: (run: RunFilter) => Promise<T>): Promise<T> => {
  // Keep the thread's own messages from the terminal.
  const worker = new Worker(SCRIPT, { stderr: true })
  worker.stderr.resume()
  try {
    const run = filterIn(worker, io, flags, flags.jq)
    await requireFilter(run, flags.jq)
    return await work(run)
  } finally {
    await worker.terminate()
  }
}

/**
 * Runs a command, and a filter of the language of jq on the JSON that it prints. Texts are printed without quotes. The
 * filter is checked before the command does anything.
 */
export const withJq = async (
  io: Io,
  flags: JqFlags,
  command: (io: Io, flags: GlobalFlags) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const asked = asJson(flags)
  return withFilter(io, flags, async (run) => {
    const buffer = createBuffer(io.stdout)
    const code = await command(withStdout(io, buffer.output), asked).catch(async (error: unknown) => {
      // What a run that is done in part has printed is complete.
      if (error instanceof IncompleteRun) await printFiltered(io, run, buffer.text())
      throw error
    })
    await printFiltered(io, run, buffer.text())
    return code
  })
}

/** Refuses a filter that is not one, or goes with a format that is no JSON, for a command that runs later. */
export const requireJq = async (io: Io, flags: JqFlags): Promise<void> => {
  asJson(flags)
  await withFilter(io, flags, () => Promise.resolve())
}
