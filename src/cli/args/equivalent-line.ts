import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { shellWord } from '../output/text.ts'

/** Holds what was asked, by the names that commander gives to the flags. */
type Answers = Readonly<Record<string, unknown>>

/** Returns a flag with its value as words. An equals sign joins a value that begins with a dash, which reads like a flag. */
const flagWords = (flag: string, value: string): string[] =>
  value.startsWith('-') ? [`${flag}=${value}`] : [flag, value]

type Option = CommandUnknownOpts['options'][number]

/** Returns the words of a flag that has a value; a flag without one is there, or it is not. */
const optionWords = ({ long, negate }: Option, value: unknown): string[] => {
  if (long === undefined || long === null || value === undefined) return []
  if (typeof value === 'boolean') return value === negate ? [] : [long]
  return [value].flat().flatMap((one) => (typeof one === 'string' ? flagWords(long, one) : []))
}

/** Returns the flags of one command that were asked, or given on the line, in the order in which it declares them. */
const wordsOf = (command: CommandUnknownOpts, answers: Answers = {}): string[] =>
  command.options.flatMap((option) => {
    const name = option.attributeName()
    const given: unknown = command.getOptionValueSource(name) === 'cli' ? command.getOptionValue(name) : undefined
    return optionWords(option, answers[name] ?? given)
  })

const above = ({ parent }: CommandUnknownOpts): CommandUnknownOpts[] => (parent ? [...above(parent), parent] : [])

/** Returns the flags of every command that a line gave, such as `--profile acme`. */
const globalWords = (command: CommandUnknownOpts): string[] => above(command).flatMap((one) => wordsOf(one))

/**
 * Returns the line that does without questions what a command did: what was given, and what was asked. It holds no secret,
 * as no flag takes one.
 */
export const equivalentLine = (command: CommandUnknownOpts, answers: Answers): string =>
  [...above(command), command]
    .map((one) => one.name())
    .concat(command.args, wordsOf(command, answers), globalWords(command))
    .map(shellWord)
    .join(' ')

/** Returns the line of another command, with the flags of every command that this one was given. */
export const lineBeside = (
  command: CommandUnknownOpts,
  words: readonly string[],
  flags: readonly (readonly [flag: string, value: string])[],
): string =>
  ['kpi', ...words, ...flags.flatMap(([flag, value]) => flagWords(flag, value)), ...globalWords(command)]
    .map(shellWord)
    .join(' ')
