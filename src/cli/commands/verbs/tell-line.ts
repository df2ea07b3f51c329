import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { FlagValues } from '../../args/flags.ts'
import type { Cli } from '../../cli.ts'

/** Says the line that would have done the same without questions, if any was asked. */
export const tellLine = async (cli: Cli, command: CommandUnknownOpts, answers: FlagValues): Promise<void> => {
  if (Object.keys(answers).length === 0) return
  const { equivalentLine } = await import('../../args/equivalent-line.ts')
  await cli.note(`the same without questions: ${equivalentLine(command, answers)}`)
}
