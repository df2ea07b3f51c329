import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { nearest } from '../client/nearest.ts'
import type { OurLine } from './args/aliases.ts'
import { HELP_TOPICS, pathOf } from './args/help-layout.ts'
import { faultOfDays } from './args/relative-dates.ts'
import { commandOfError } from './exit.ts'
import { commandHelp } from './help-json.ts'
import { countOf, shellWord } from './output/text.ts'

/** Matches the flags whose values may have blanks: a text, a day in words, or names. */
const MAY_HAVE_BLANKS = /<(?:text|day|kpi|user|item|list|id\|name[^>]*)>/

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
  return `${shellWord(stray[0] ?? '')} is too much: ${why} (${next})`
}

/** Matches an error about a word that is no command, or no flag. */
const UNKNOWN = /unknown (command|option) '(.*)'$/s

/** Returns the names that a command could have been called by, or that it and the program have for flags. */
const namesOf = (command: CommandUnknownOpts, kind: string): string[] => {
  if (kind === 'command') return command.commands.map((one) => one.name())
  const own = command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []))
  return command.parent ? [...own, ...namesOf(command.parent, kind)] : own
}

/** Returns the name that a typed one is near; the first letter is rarely wrong. */
const nearName = (typed: string, names: readonly string[]): string | undefined => {
  const dashes = typed.startsWith('--') ? '--' : ''
  const word = typed.slice(dashes.length)
  const start = dashes + word.charAt(0).toLowerCase()
  const near = nearest(
    word,
    names.flatMap((name) => (name.startsWith(start) ? [name.slice(dashes.length)] : [])),
  )
  return near && dashes + near
}

/** Returns how to show the help topic that a word in place of a command is near. */
const nearTopic = (kind: string, word: string, { parent }: CommandUnknownOpts): string | undefined => {
  const topic = kind === 'command' && parent === null ? nearName(word, [...HELP_TOPICS]) : undefined
  return topic && `kpi help ${topic}`
}

/** Says what is wrong with a word that is no command or flag, what is near, and where all are shown. */
const sayUnknown = (kind: string, word: string, command: CommandUnknownOpts): string => {
  const [typed = '', ...value] = word.split('=')
  const names = namesOf(command, kind)
  if (value.length > 0 && names.includes(typed)) return `option '${typed}' takes no value`
  const near = nearName(typed, names) ?? nearTopic(kind, typed, command)
  // A value may be a secret.
  const shown = value.length > 0 ? `${typed}=…` : typed
  const hint = near === undefined ? '' : ` (Did you mean ${near}?)`
  return `unknown ${kind} '${shown}'${hint}; ${pathOf(command)} --help shows what there is`
}

/** Notes of an error about a line that cannot be read which command it is of. */
export const withCommand = (error: unknown, { command }: OurLine): unknown => {
  // Keep the innermost command: one may run others.
  if (error instanceof Error && !commandOfError.has(error)) commandOfError.set(error, pathOf(command))
  return error
}

/** Returns an error about a line that the program refused, with the next step. */
export const withNextStep = (error: unknown, { command, words }: OurLine): unknown => {
  if (!(error instanceof CommanderError)) return error
  const { exitCode, code, message } = error
  const [, kind, word] = UNKNOWN.exec(message) ?? []
  if (kind !== undefined && word !== undefined)
    return new CommanderError(exitCode, code, sayUnknown(kind, word, command))
  if (code === 'commander.excessArguments') return new CommanderError(exitCode, code, strayWords(command, words))
  const usage = code === 'commander.missingArgument' ? ` (${usageOf(command)})` : ''
  return new CommanderError(exitCode, code, message + usage)
}
