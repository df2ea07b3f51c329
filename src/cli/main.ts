import type { ExitCode } from './exit.ts'
import manifest from '../../package.json' with { type: 'json' }
import { COMPLETE, isLogJson } from './args/raw-options.ts'
import type { Io } from './io.ts'
import { complete, runProgram } from './program.ts'
import type { Output } from './standard-output.ts'
import { isOutputJson } from './target/output-format.ts'
import { projectPaths } from './target/project.ts'

export { endSoon, processIo } from './io.ts'

/** Describes standard error of a command line, with the lines held back until its end. */
type Telling = { readonly io: Io; readonly release: () => string[] }

/**
 * Tells whether standard error may hold nothing but one JSON error: with JSON output and no terminal, except for `kpi
 * serve`, which logs as it runs.
 */
const isForProgram = (args: readonly string[], io: Io): boolean =>
  isOutputJson(args, io) && !isLogJson(args) && !args.includes('serve') && !io.stderr.isTerminal

/**
 * Returns standard error, guarded from the first write; holds lines back if only one JSON error may be printed there.
 */
const tellingOf = (io: Io, args: readonly string[], isProgram: boolean): Telling => {
  let [stderr, isHolding]: [Output | undefined, boolean] = [undefined, isProgram]
  const held: string[] = []
  let guarded = args
  let guardedStderr: Output | undefined
  const guard = (texts: readonly string[]): void => {
    guarded = [...guarded, ...texts]
    guardedStderr = undefined
  }
  const writeNow = async (text: string): Promise<void> => {
    const { guardStderr } = await import('./stderr.ts')
    guardedStderr ??= guardStderr(io, guarded)
    await guardedStderr.write(text)
  }
  const write = async (text: string): Promise<void> => {
    if (isHolding) held.push(text)
    else await writeNow(text)
  }
  const output = (): Output => ({ ...io.stderr, write, writeNow: isProgram ? writeNow : undefined })
  return {
    io: new Proxy(io, {
      get: (world, name: keyof Io) => {
        if (name === 'guard') return guard
        return name === 'stderr' ? (stderr ??= output()) : world[name]
      },
    }),
    release: () => {
      isHolding = false
      return held.splice(0)
    },
  }
}

/** Returns the world with its project file, if there is one: only then the reader of YAML is loaded. */
const withProject = async (world: Io): Promise<Io> => {
  if (projectPaths(world).length === 0) return world
  const { readProject } = await import('./target/read-project.ts')
  return Object.defineProperty(world, 'project', { value: readProject(world), enumerable: true, configurable: true })
}

const runWords = async (args: readonly string[], io: Io): Promise<ExitCode> => {
  if (args[0] !== COMPLETE) return runProgram(args, manifest.version, io)
  await complete(args.slice(1), io)
  return 0
}

/** Runs a command line; returns its exit code. Throws nothing, and touches nothing but `io`. */
export const run = async (args: readonly string[], outer: Io): Promise<ExitCode> => {
  const world = await withProject(outer)
  const isProgram = isForProgram(args, world)
  const { io, release } = tellingOf(world, args, isProgram)
  try {
    const code = await runWords(args, io)
    const heldBack = release()
    if (code !== 0 && isProgram) {
      const { printEnd } = await import('./failure.ts')
      return await printEnd(code, args, io, heldBack)
    }
    for (const text of heldBack) await io.stderr.write(text)
    return code
  } catch (error) {
    const { printFailure } = await import('./failure.ts')
    return printFailure(error, args, io, release())
  }
}
