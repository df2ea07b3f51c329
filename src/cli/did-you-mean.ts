import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { MOST_SUGGESTED, nearWords } from './args/near-words.ts'
import { commandHelp } from './help-json.ts'
import { type Line, sayFlag } from './meant-flags.ts'
import { inOurs, meantAmong, onlyMeant, sayNames } from './meant-words.ts'
import { sayStray } from './stray-words.ts'

/** Describes a command below others: its name, that of its group, and the whole line. */
type Below = { readonly name: string; readonly within: string; readonly line: string }

/** Returns all commands below one, as they are typed. */
const commandsBelow = (group: CommandUnknownOpts, before: string): Below[] =>
  group.commands.flatMap((command) => {
    const line = `${before} ${command.name()}`
    return [{ name: command.name(), within: group.name(), line }, ...commandsBelow(command, line)]
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

/** Returns the line of the command that a word for a verb means in the group that another word means. */
const lineOf = (noun: string, verb: string, all: readonly Below[]): string | undefined => {
  const groups = new Set(all.map(({ within }) => within))
  groups.delete('kpi')
  const group = onlyMeant(noun, [...groups])
  const inGroup = all.filter(({ within }) => within === group)
  const name = onlyMeant(
    verb,
    inGroup.map((one) => one.name),
  )
  return inGroup.find((one) => one.name === name)?.line
}

/** Returns what to say of two first words that are a command in other words, or the other way round. */
const sayBoth = (typed: string, next: string | undefined, all: readonly Below[]): string | undefined => {
  if (next === undefined || next.startsWith('-')) return undefined
  const line = lineOf(typed, next, all) ?? lineOf(next, typed, all)
  return line && `Did you mean ${line}?`
}

/** Returns the command that the words of a line lead to. */
const reachedBy = (program: CommandUnknownOpts, words: readonly string[]): CommandUnknownOpts => {
  let command = program
  for (const word of words) command = command.commands.find((one) => one.name() === word) ?? command
  return command
}

/** Returns a command as it is typed. */
const pathOf = (command: CommandUnknownOpts): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()

/** Returns what to say of a word that is no command where it stands. */
const sayCommand = async (typed: string, { program, words, describe }: Line): Promise<string | undefined> => {
  const at = words.indexOf(typed)
  const group = reachedBy(program, words.slice(0, Math.max(at, 0)))
  const names = group.commands.map((one) => one.name())
  const near = (): string | undefined => sayNames(meantAmong(typed, names, inOurs(typed)))
  if (group !== program) return near()
  const all = commandsBelow(await describe(), 'kpi')
  return sayBoth(typed, words[at + 1], all) ?? sayFirst(typed, names, all) ?? near()
}

/** Returns how a command is written that lacks an argument. */
const sayUsage = (command: CommandUnknownOpts): string => {
  const path = pathOf(command)
  const [example] = commandHelp(command, path).examples
  const wanted = command.registeredArguments.map((one) => `<${one.name()}${one.variadic ? '...' : ''}>`).join(' ')
  return `write ${path} ${wanted}${example === undefined ? '' : `, such as ${example}`}`
}

const UNKNOWN = /unknown (command|option) '([^']*)'/

/** Returns what helps with an error; undefined if nothing is likely. */
const hintFor = async ({ code, message }: CommanderError, line: Line): Promise<string | undefined> => {
  const command = reachedBy(line.program, line.words)
  if (code === 'commander.missingArgument') return sayUsage(command)
  const [, kind, typed] = UNKNOWN.exec(message) ?? []
  if (typed === undefined) return undefined
  return kind === 'command' ? sayCommand(typed, line) : sayFlag(typed, pathOf(command), command, line)
}

/** Returns an error about a wrong word with what was probably meant; never with what nobody can have meant. */
export const withSuggestion = async (error: unknown, line: Line): Promise<unknown> => {
  if (!(error instanceof CommanderError)) return error
  const { exitCode, code, message } = error
  if (code === 'commander.excessArguments') {
    const command = reachedBy(line.program, line.words)
    return new CommanderError(exitCode, code, sayStray(command, pathOf(command), line.words))
  }
  const hint = await hintFor(error, line)
  return new CommanderError(exitCode, code, message + (hint === undefined ? '' : ` (${hint})`))
}
