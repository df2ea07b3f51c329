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

/** Returns the flags of the command that words name, and those of all commands. */
const flagsOf = (program: CommandUnknownOpts, words: readonly string[]): string[] => {
  let command = program
  for (const word of words) command = command.commands.find((one) => one.name() === word) ?? command
  return [...command.options, ...program.options].flatMap(({ long, hidden }) => (long && !hidden ? [long] : []))
}

/** Returns the names that may be suggested for a word that is none: commander's for a command, any near flag for a flag. */
const candidatesFor = (
  { code, message }: CommanderError,
  program: CommandUnknownOpts,
  words: readonly string[],
): string[] =>
  code === 'commander.unknownOption' ? flagsOf(program, words) : (SUGGESTION.exec(message)?.[1]?.split(', ') ?? [])

const UNKNOWN: ReadonlySet<string> = new Set(['commander.unknownCommand', 'commander.unknownOption'])

/** Returns an error about an unknown word without suggestions that nobody can have meant: `init` is not `units`. */
export const withoutNonsense = (error: unknown, program: CommandUnknownOpts, words: readonly string[]): unknown => {
  if (!(error instanceof CommanderError) || !UNKNOWN.has(error.code)) return error
  const [typed] = /(?<=unknown (?:command|option) ')[^']*/.exec(error.message) ?? []
  const near = candidatesFor(error, program, words).filter((name) => typed !== undefined && isNear(typed, name))
  const hint = near.length === 0 || near.length > MOST ? '' : `\n(Did you mean ${near.join(' or ')}?)`
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
