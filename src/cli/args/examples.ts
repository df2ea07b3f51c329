import type { Command } from 'commander'

/** Adds example command lines, without their `kpi`, to the help of a command. */
export const addExamples = (command: Command, ...lines: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  kpi ${line}`).join('\n')}`)
