import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { VERBS } from './aliases.ts'

/** Keeps a command from having flags, arguments and examples. */
const withoutFlags = (command: Command): Command => {
  const skip = (): Command => command
  return Object.assign(command, {
    option: skip,
    requiredOption: skip,
    addOption: skip,
    argument: skip,
    addArgument: skip,
    addHelpText: skip,
  })
}

/** Has a group only name and describe the commands that a word does not mean: making all their flags takes time. */
export const onlyNameOthers = (group: CommandUnknownOpts, word: string | undefined): void => {
  if (word === undefined) return
  const meant = new Set([word, ...(VERBS.get(word) ?? [])])
  group.createCommand = (name?: string) => {
    const command = new Command(name)
    return meant.has(command.name()) ? command : withoutFlags(command)
  }
}
