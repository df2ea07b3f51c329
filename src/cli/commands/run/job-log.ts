import { PATH_VARIABLES } from '../../target/settings.ts'
import { resolve } from 'node:path'
import { AppendedFile } from '../../../files/appended-file.ts'
import { fileError } from '../../../files/file-error.ts'
import type { Cli } from '../../cli.ts'
import { type Io, withStdout } from '../../io.ts'
import type { Output } from '../../standard-output.ts'
import { bounded, oneLine } from '../../output/width.ts'

/** Writes what happens in a job, each line with its time: to the job's log, and as a note. */
export type JobLog = {
  readonly tell: (text: string) => Promise<void>
  /** Returns the last line that a step said. */
  readonly last: () => string
  /** Takes a warning of a step, which its log has already; under `--quiet` it is printed, the first time that it is heard. */
  readonly warn: (text: string) => Promise<void>
  /** Returns the warnings of the steps so far, each once. */
  readonly warnings: () => readonly string[]
  /** Returns why lines are missing in the file; undefined where it holds them all. */
  readonly fault: () => string | undefined
  /** Closes the file; a second time it does nothing. */
  readonly close: () => Promise<void>
}

/** Keeps nothing of what a command line prints. */
export const silentLog: JobLog = {
  tell: () => Promise.resolve(),
  last: () => '',
  warn: () => Promise.resolve(),
  warnings: () => [],
  fault: () => undefined,
  close: () => Promise.resolve(),
}

/** Bounds the warnings of a job that are told apart from its log. */
const MOST_WARNINGS = 100

const openFile = (path: string): AppendedFile => {
  try {
    return new AppendedFile(path, { isNamed: true })
  } catch (error) {
    throw fileError(error, 'write', path)
  }
}

/** Opens the log of a job; without a path there are notes alone. What `hide` removes is not in it. */
export const openJobLog = (
  { io, flags, note, log }: Cli,
  path: string | undefined,
  hide: (text: string) => string,
): JobLog => {
  let file = path === undefined ? undefined : openFile(path)
  let last = ''
  let fault: string | undefined
  const warnings = new Set<string>()
  /** Writes to the file; the first time that this fails, as on a full disk, it is said, and the job goes on. */
  const append = async (write: () => void): Promise<void> => {
    try {
      write()
    } catch (error) {
      if (fault !== undefined) return
      const known = fileError(error, 'write', path ?? '')
      fault = known instanceof Error ? known.message : String(known)
      await log.warn(`${fault}; the job goes on, and its log lacks lines`)
    }
  }
  return {
    tell: async (text) => {
      last = bounded(hide(text))
      const line = `${new Date(io.now()).toISOString()} ${oneLine(last)}`
      const open = file
      if (open !== undefined) await append(() => open.write(`${line}\n`))
      await note(line)
    },
    last: () => last,
    warn: async (text) => {
      const shown = bounded(hide(text))
      if (warnings.has(shown) || warnings.size >= MOST_WARNINGS) return
      warnings.add(shown)
      if (flags.quiet === true) await log.warn(shown)
    },
    warnings: () => [...warnings],
    fault: () => fault,
    close: async () => {
      const open = file
      file = undefined
      if (open !== undefined) await append(() => open.close())
    },
  }
}

/** Collects what a command line says of how it ended. */
type Said = {
  readonly onError: (line: string) => void
  readonly onOutput: (line: string) => void
  /** Returns the errors that it ended with; else its last word on standard error, or else the last line. */
  readonly message: () => string
}

const ERROR = /^kpi(?: [a-z-]+){0,4}: /
/** Matches what is no last word on how a line ended. */
const WARNING = /^warning: /

/** Creates what collects that. Errors begin with the name of the program, and go on in indented lines. */
export const createSaid = (): Said => {
  let errors: string[] = []
  let [told, printed] = ['', '']
  let isInError = false
  return {
    onError: (line) => {
      const isError = ERROR.test(line)
      if (isError) errors = isInError ? [...errors, line.replace(ERROR, '')] : [line.replace(ERROR, '')]
      else if (isInError && line.startsWith(' ')) errors.push(line.trim())
      isInError = isError || (isInError && line.startsWith(' '))
      if (!WARNING.test(line)) told = line
    },
    onOutput: (line) => {
      printed = line
    },
    message: () => (errors.length > 0 ? errors.join('; ') : told || printed),
  }
}

/** Returns an output whose lines go to a log. */
const toLog = (output: Output, log: JobLog, prefix: string, hear: (line: string) => void): Output => {
  let open = ''
  const write = async (text: string): Promise<void> => {
    const lines = (open + text).split('\n')
    open = lines.pop() ?? ''
    for (const line of lines.filter((one) => one.trim() !== '')) {
      hear(line)
      await log.tell(prefix + line)
    }
  }
  return { ...output, write, writeNow: undefined, isTerminal: false, columns: undefined, rows: undefined }
}

/** Returns the environment for another folder than that in which its paths were set. */
const movedEnv = ({ env, cwd }: Io): Io['env'] => ({
  ...env,
  ...Object.fromEntries(PATH_VARIABLES.flatMap((name) => (env[name] ? [[name, resolve(cwd, env[name])]] : []))),
})

/**
 * Returns the world of a step: nobody can be asked, its folder is the job's, days count from the moment at which the job
 * began, and what it prints goes to the log. A file that was found has to be a regular one.
 */
export const stepWorld = (
  {
    io,
    begun,
    isFound = false,
    longestOutageMs,
    tellDays,
  }: Pick<Io, 'longestOutageMs' | 'tellDays'> & { readonly io: Io; readonly begun: number; readonly isFound?: boolean },
  cwd: string,
  log: JobLog,
  prefix: string,
  said: Said,
): Io => {
  const world = withStdout(io, toLog(io.stdout, log, prefix, said.onOutput))
  const [stderr, env] = [toLog(io.stderr, log, prefix, said.onError), movedEnv(io)]
  return new Proxy(world, {
    get: (target, name: keyof Io) => {
      if (name === 'stderr') return stderr
      if (name === 'env') return env
      if (name === 'cwd') return cwd
      if (name === 'begun') return begun
      if (name === 'isStep') return true
      if (name === 'readsFound') return isFound
      if (name === 'longestOutageMs') return longestOutageMs
      if (name === 'tellDays') return tellDays
      if (name === 'onWarning') return log.warn
      return name === 'stdinIsTerminal' ? false : target[name]
    },
  })
}
