import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { isWithin } from '../client/directory.ts'
import { UsageError } from './exit.ts'
import { commandGroups } from './command-groups.ts'

/** Bounds the commands that are suggested in full: of more that share a name, none is likelier. */
const MOST = 3

/** Returns the commands of a name at any depth, as they are typed. */
const commandsCalled = (name: string, { commands }: CommandUnknownOpts, before: string): string[] =>
  commands.flatMap((command) => {
    const line = `${before} ${command.name()}`
    return [...(command.name() === name ? [line] : []), ...commandsCalled(name, command, line)]
  })

const SUGGESTION = /\n\(Did you mean (?:one of )?([^?]+)\?\)/

const lettersOf = (word: string): string => word.split('').toSorted().join('')

/** Tells whether one word may be a slip of the other: at most a third differs, letters are swapped, or it begins so. */
const isNear = (typed: string, name: string): boolean =>
  name.startsWith(typed) ||
  lettersOf(typed) === lettersOf(name) ||
  isWithin(Math.max(1, Math.floor(Math.min(typed.length, name.length) / 3)), typed, name)

/** Returns an error about an unknown command without suggestions that nobody can have meant: `init` is not `units`. */
export const withoutNonsense = (error: unknown): unknown => {
  if (!(error instanceof CommanderError) || error.code !== 'commander.unknownCommand') return error
  const [typed] = /(?<=unknown command ')[^']*/.exec(error.message) ?? []
  const names = SUGGESTION.exec(error.message)?.[1]?.split(', ') ?? []
  const near = names.filter((name) => typed !== undefined && isNear(typed, name))
  const hint = near.length === 0 ? '' : `\n(Did you mean ${near.join(' or ')}?)`
  return new CommanderError(error.exitCode, error.code, error.message.replace(SUGGESTION, '') + hint)
}

/** Says what to write before a word that ends many commands. */
const severalOf = (name: string, lines: readonly string[]): string => {
  const before = lines.map((line) => line.slice('kpi '.length, -name.length - 1))
  return `write before it what it is about: ${before.join(', ')}`
}

/** Extends the error about an unknown first word with the full commands that end in that word. */
export const suggestCommands = async (
  error: unknown,
  name: string | undefined,
  describe: () => Promise<CommandUnknownOpts>,
): Promise<unknown> => {
  const isUnknown = error instanceof CommanderError && error.code === 'commander.unknownCommand'
  if (!isUnknown || name === undefined || Object.hasOwn(commandGroups, name)) return error
  const lines = commandsCalled(name, await describe(), 'kpi')
  if (lines.length === 0) return error
  return new UsageError(
    `unknown command '${name}' (${lines.length > MOST ? severalOf(name, lines) : `Did you mean ${lines.join(' or ')}?`})`,
  )
}
