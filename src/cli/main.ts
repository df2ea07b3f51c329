import manifest from '../../package.json' with { type: 'json' }
import type { Io, Output } from './io.ts'

export { processIo } from './io.ts'

/** Loads what guards standard error when something is told there first. */
const guardedIo = (io: Io, args: readonly string[]): Io => {
  let stderr: Output | undefined
  const write = async (text: string): Promise<void> => {
    const { guardStderr } = await import('./stderr.ts')
    await guardStderr(io, args).write(text)
  }
  return new Proxy(io, {
    get: (world, name: keyof Io) => (name === 'stderr' ? (stderr ??= { ...io.stderr, write }) : world[name]),
  })
}

/** Runs a command line; answers its exit code. Nothing is thrown, and nothing but `io` is touched. */
export const run = async (args: readonly string[], world: Io): Promise<number> => {
  const io = guardedIo(world, args)
  try {
    if (args[0] === '--version' || args[0] === '-V') {
      await io.stdout.write(`${manifest.version}\n`)
      return 0
    }
    const { runProgram } = await import('./program.ts')
    return await runProgram(args, manifest.version, io)
  } catch (error) {
    const { tellFailure } = await import('./failure.ts')
    return tellFailure(error, args, io)
  }
}
