import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { VERBS } from './args/aliases.ts'
import { FOREIGN_COMMANDS, FOREIGN_FLAGS, FORMAT_FLAGS } from './foreign-words.ts'
import { MOST_SUGGESTED, nearWords } from './args/near-words.ts'

const own = <T>(table: Readonly<Record<string, T>>, word: string): T | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined

/** Returns the words of other programs for a command, in ours. */
const inOurs = (typed: string): string[] => [...(own(FOREIGN_COMMANDS, typed) ?? []), ...(VERBS.get(typed) ?? [])]

/** Returns what is meant among names: what other programs call so, or what is near. */
const meantAmong = (typed: string, names: readonly string[], ours: readonly string[]): string[] => {
  const known = ours.find((name) => names.includes(name))
  return known === undefined ? nearWords(typed, names) : [known]
}

/** Describes a command below others: its name, and the whole line. */
type Below = { readonly name: string; readonly line: string }

/** Returns all commands below one, as they are typed. */
const commandsBelow = ({ commands }: CommandUnknownOpts, before: string): Below[] =>
  commands.flatMap((command) => {
    const line = `${before} ${command.name()}`
    return [{ name: command.name(), line }, ...commandsBelow(command, line)]
  })

/** Returns the words for what a line is about that stand before a verb that many groups have. */
const aboutLines = (verb: string, lines: readonly string[]): string =>
  lines.map((line) => line.slice('kpi '.length, -verb.length - 1)).join(', ')

/** Returns what to say of commands that have a verb; undefined where there are none. */
const sayVerb = (typed: string, verb: string | undefined, all: readonly Below[]): string | undefined => {
  const lines = all.filter(({ name }) => name === verb).map(({ line }) => line)
  if (verb === undefined || lines.length === 0) return undefined
  if (lines.length <= MOST_SUGGESTED) return `Did you mean ${lines.join(' or ')}?`
  const about = `write before it what it is about: ${aboutLines(verb, lines)}`
  if (typed === verb) return about
  const [usual = ''] = lines.filter((line) => line.startsWith('kpi entries ')).concat(lines)
  return `Did you mean ${verb}, as in ${usual}? ${about.charAt(0).toUpperCase()}${about.slice(1)}`
}

/** Returns what to say of a first word that no group has: what ends in it, what is near it, or what others call so. */
const sayFirst = (typed: string, names: readonly string[], all: readonly Below[]): string | undefined => {
  const verbs = [...new Set(all.map(({ name }) => name))]
  const exact = verbs.includes(typed) ? typed : undefined
  const near = nearWords(typed, names)
  const isOurs = inOurs(typed).some((name) => names.includes(name))
  if (exact === undefined && (isOurs || near.length > 0)) return undefined
  const [meant, ...others] = meantAmong(typed, verbs, inOurs(typed))
  return sayVerb(typed, exact ?? (others.length === 0 ? meant : undefined), all)
}

const sayNames = (names: readonly string[]): string | undefined =>
  names.length === 0 || names.length > MOST_SUGGESTED ? undefined : `Did you mean ${names.join(' or ')}?`

/** Returns the command that the words of a line lead to. */
const reachedBy = (program: CommandUnknownOpts, words: readonly string[]): CommandUnknownOpts => {
  let command = program
  for (const word of words) command = command.commands.find((one) => one.name() === word) ?? command
  return command
}

const flagsOf = (program: CommandUnknownOpts, command: CommandUnknownOpts): string[] =>
  [...command.options, ...program.options].flatMap(({ long, hidden }) => (long && !hidden ? [long] : []))

/** Returns the flags that are meant by one that a command lacks. */
const meantFlags = (typed: string, flags: readonly string[]): string[] => {
  const format = own(FORMAT_FLAGS, typed)
  if (format !== undefined) return [format]
  const names = flags.map((flag) => flag.slice('--'.length))
  const ours = (own(FOREIGN_FLAGS, typed) ?? []).map((flag) => flag.slice('--'.length))
  return typed.startsWith('--') ? meantAmong(typed.slice('--'.length), names, ours).map((name) => `--${name}`) : []
}

const UNKNOWN = /unknown (command|option) '([^']*)'/

/** Returns an error about an unknown word with what was probably meant; never with what nobody can have meant. */
export const withSuggestion = async (
  error: unknown,
  program: CommandUnknownOpts,
  words: readonly string[],
  describe: () => Promise<CommandUnknownOpts>,
): Promise<unknown> => {
  if (!(error instanceof CommanderError)) return error
  const [, kind, typed] = UNKNOWN.exec(error.message) ?? []
  if (typed === undefined) return error
  const group = reachedBy(program, words)
  const names = group.commands.map((one) => one.name())
  const above = kind === 'command' && group === program
  const hint =
    kind === 'option'
      ? sayNames(meantFlags(typed, flagsOf(program, group)))
      : ((above ? sayFirst(typed, names, commandsBelow(await describe(), 'kpi')) : undefined) ??
        sayNames(meantAmong(typed, names, inOurs(typed))))
  return new CommanderError(error.exitCode, error.code, error.message + (hint === undefined ? '' : ` (${hint})`))
}
