import manifest from '../../package.json' with { type: 'json' }
import type { Io } from './io.ts'

export { processIo } from './io.ts'

/** Runs a command line; returns its exit code. Throws nothing, and touches nothing but `io`. */
export const run = async (args: readonly string[], io: Io): Promise<number> => {
  if (args[0] !== '--version' && args[0] !== '-V') {
    const { runLine } = await import('./run-line.ts')
    return runLine(args, manifest.version, io)
  }
  try {
    await io.stdout.write(`${manifest.version}\n`)
    return 0
  } catch (error) {
    const { printFailure } = await import('./failure.ts')
    return printFailure(error, args, io)
  }
}
