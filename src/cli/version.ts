import type { ExitCode } from './exit.ts'
import manifest from '../../package.json' with { type: 'json' }
import type { Io } from './io.ts'

export { processIo } from './io.ts'

/** Prints the version; returns the exit code. The program is not loaded for that. */
export const run = async (args: readonly string[], io: Io): Promise<ExitCode> => {
  try {
    await io.stdout.write(`${manifest.version}\n`)
    return 0
  } catch (error) {
    const { printFailure } = await import('./failure.ts')
    return printFailure(error, args, io)
  }
}
