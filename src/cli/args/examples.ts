import type { CommandUnknownOpts } from '@commander-js/extra-typings'

/** Adds example command lines, without their `kpi`, to the help of a command. */
export const addExamples = <C extends CommandUnknownOpts>(command: C, ...lines: readonly string[]): C =>
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  kpi ${line}`).join('\n')}`)
