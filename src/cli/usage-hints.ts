import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { faultOfDays } from './args/relative-dates.ts'
import { commandHelp } from './help-json.ts'
import { countOf, shellWord } from './output/text.ts'

/** Matches the flags whose values may have blanks: a text, a day in words, or names. */
const MAY_HAVE_BLANKS = /<(?:text|day|kpi|user|item|list|id\|name[^>]*)>/

/** Returns the command that the words of a line lead to. */
const reachedBy = (program: CommandUnknownOpts, words: readonly string[]): CommandUnknownOpts => {
  let command = program
  for (const word of words) command = command.commands.find((one) => one.name() === word) ?? command
  return command
}

/** Returns a command as it is typed. */
const pathOf = (command: CommandUnknownOpts): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()

/** Returns how a command is written, with an example. */
const usageOf = (command: CommandUnknownOpts): string => {
  const path = pathOf(command)
  const [example] = commandHelp(command, path).examples
  const wanted = command.registeredArguments.map((one) => ` <${one.name()}${one.variadic ? '...' : ''}>`).join('')
  if (wanted === '') return example === undefined ? `${path} --help shows what there is` : `an example: ${example}`
  return `write ${path}${wanted}${example === undefined ? '' : `, such as ${example}`}`
}

/** Returns the value before stray words and these as one, quoted, where a flag or a name takes blanks; otherwise undefined. */
const inQuotes = (
  { options, registeredArguments, args }: CommandUnknownOpts,
  line: readonly string[],
  { at, text }: { readonly at: number; readonly text: string },
): string | undefined => {
  const before = line[at - 1] ?? ''
  const [, joined, behind] = /^(--[\w-]+)=(.*)$/s.exec(before) ?? []
  const [flag, value] = [joined ?? line[at - 2], `${behind ?? before} ${text}`]
  const option = options.find(
    ({ short, long, hidden }) => !hidden && flag !== undefined && [short, long].includes(flag),
  )
  if (option?.required && MAY_HAVE_BLANKS.test(option.flags)) {
    const isMeant = !option.flags.includes('<day>') || faultOfDays(value) === undefined
    return isMeant ? `${option.long} ${shellWord(value)}` : undefined
  }
  const isName = registeredArguments.at(-1)?.name() === 'name' && args[registeredArguments.length - 1] === before
  return isName ? shellWord(value) : undefined
}

/** Says which word of a line is too much for a command, and how it is written. */
const strayWords = (command: CommandUnknownOpts, line: readonly string[]): string => {
  const count = command.registeredArguments.length
  const stray = command.args.slice(count)
  const at = line.indexOf(stray[0] ?? '')
  const end = stray.findIndex((word, place) => line[at + place] !== word)
  const text = stray.slice(0, end < 0 ? undefined : end).join(' ')
  const why = count === 0 ? 'no flag stands before it' : `it takes ${countOf(count, 'word')}`
  const quoted = inQuotes(command, line, { at, text })
  const next = quoted === undefined ? usageOf(command) : `Did you mean ${quoted}?`
  return `${pathOf(command)}: ${shellWord(stray[0] ?? '')} is too much: ${why} (${next})`
}

/** Returns the next step after a line that lacks a word, or has one that is unknown: commander's own guess may be wrong. */
const nextStep = ({ code }: CommanderError, command: CommandUnknownOpts): string => {
  if (code === 'commander.missingArgument') return ` (${usageOf(command)})`
  const isUnknown = ['commander.unknownOption', 'commander.unknownCommand'].includes(code)
  return isUnknown ? `; ${pathOf(command)} --help shows what there is` : ''
}

/** Returns an error about a line that commander refused with the next step; `words` are those that it was given. */
export const withNextStep = (error: unknown, program: CommandUnknownOpts, words: readonly string[]): unknown => {
  if (!(error instanceof CommanderError)) return error
  const { exitCode, code, message } = error
  const command = reachedBy(program, words)
  const isStray = code === 'commander.excessArguments'
  return new CommanderError(exitCode, code, isStray ? strayWords(command, words) : message + nextStep(error, command))
}
