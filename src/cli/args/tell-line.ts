import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Cli } from '../cli.ts'
import type { FlagValues } from './flags.ts'

/**
 * Says the line that would have done the same without questions, if any was asked; a typed secret comes from a file there.
 * `answers` holds what the line needs beside what was given.
 */
export const tellLine = async (
  cli: Cli,
  command: CommandUnknownOpts,
  asked: FlagValues,
  answers: FlagValues = asked,
): Promise<void> => {
  if (Object.keys(asked).length === 0 || !cli.canAsk) return
  const { equivalentLine } = await import('./equivalent-line.ts')
  const line = equivalentLine(command, answers)
  const [how, from] = asked['tokenStdin'] === true ? [', with the secret in FILE', ' < FILE'] : ['', '']
  await cli.note(`the same without questions${how}: ${line}${from}`)
}
