import manifest from '../../package.json' with { type: 'json' }
import type { Io } from './io.ts'

export { processIo } from './io.ts'

/** Runs a command line; answers its exit code. Nothing is thrown, and nothing but `io` is touched. */
export const run = async (args: readonly string[], io: Io): Promise<number> => {
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
