import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { UsageError } from './exit.ts'
import { commandGroups } from './command-groups.ts'

/** Bounds the commands that are suggested: of more that share a name, none is likelier. */
const MOST = 3

/** Returns the commands of a name at any depth, as they are typed. */
const commandsCalled = (name: string, { commands }: CommandUnknownOpts, before: string): string[] =>
  commands.flatMap((command) => {
    const line = `${before} ${command.name()}`
    return [...(command.name() === name ? [line] : []), ...commandsCalled(name, command, line)]
  })

/** Extends the error about an unknown first word with the full commands that end in that word. */
export const suggestCommands = async (
  error: unknown,
  name: string | undefined,
  describe: () => Promise<CommandUnknownOpts>,
): Promise<unknown> => {
  const isUnknown = error instanceof CommanderError && error.code === 'commander.unknownCommand'
  if (!isUnknown || name === undefined || Object.hasOwn(commandGroups, name)) return error
  const lines = commandsCalled(name, await describe(), 'kpi')
  if (lines.length === 0 || lines.length > MOST) return error
  return new UsageError(`unknown command '${name}' (Did you mean ${lines.join(' or ')}?)`)
}
