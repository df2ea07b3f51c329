import { UsageError } from './exit.ts'
import { EventEmitter } from 'node:events'
import type { Argument, CommandUnknownOpts, Option } from '@commander-js/extra-typings'

/** Describes a flag for programs. */
type FlagHelp = {
  readonly flags: string
  readonly about: string
  readonly value: 'required' | 'optional' | 'none'
  readonly choices?: readonly string[]
  readonly default?: unknown
  readonly is_required: boolean
}

/** Describes an argument for programs. */
type ArgumentHelp = {
  readonly name: string
  readonly about: string
  readonly choices?: readonly string[]
  readonly is_required: boolean
  readonly is_list: boolean
}

/** Describes a command for programs, with the commands below it. */
export type CommandHelp = {
  readonly command: string
  readonly about: string
  readonly usage: string
  readonly arguments: readonly ArgumentHelp[]
  readonly flags: readonly FlagHelp[]
  readonly notes: string
  readonly examples: readonly string[]
  readonly commands: readonly CommandHelp[]
}

const flagHelp = ({
  flags,
  description,
  required,
  optional,
  argChoices,
  defaultValue,
  mandatory,
}: Option): FlagHelp => ({
  flags,
  about: description,
  value: required ? 'required' : optional ? 'optional' : 'none',
  ...(argChoices && { choices: argChoices }),
  ...(defaultValue !== undefined && { default: defaultValue }),
  is_required: mandatory,
})

const argumentHelp = (argument: Argument): ArgumentHelp => ({
  name: argument.name(),
  about: argument.description,
  ...(argument.argChoices && { choices: argument.argChoices }),
  is_required: argument.required,
  is_list: argument.variadic,
})

const EXAMPLES = /(?:^|\n)Examples:\n/

/** Returns what stands below the flags of a command: what else there is to know, and lines to type. */
const helpBelow = (command: CommandUnknownOpts): { readonly notes: string; readonly examples: string[] } => {
  let text = ''
  const emitter: unknown = command
  if (emitter instanceof EventEmitter) {
    emitter.emit('afterHelp', { command, error: false, write: (part: string) => (text += part) })
  }
  const [notes = '', ...examples] = text.split(EXAMPLES)
  const lines = examples
    .join('\n')
    .split('\n')
    .map((line) => line.trim())
  return { notes: notes.trim(), examples: lines.filter((line) => line !== '') }
}

/** Returns the help of a command, and of all below it, for programs. */
export const commandHelp = (command: CommandUnknownOpts, path: string): CommandHelp => ({
  command: path,
  about: command.description(),
  usage: `${path} ${command.usage()}`.trim(),
  arguments: command.registeredArguments.map(argumentHelp),
  flags: command.options.filter(({ hidden }) => !hidden).map(flagHelp),
  ...helpBelow(command),
  commands: command.commands.map((one) => commandHelp(one, `${path} ${one.name()}`)),
})

/** Returns the help of the command that words lead to, as JSON; refuses words that lead to none. */
export const helpJson = (program: CommandUnknownOpts, words: readonly string[]): string => {
  let command: CommandUnknownOpts | undefined = program
  for (const word of words) command = command?.commands.find((one) => one.name() === word)
  if (!command) throw new UsageError(`there is no command ${words.join(' ')}; kpi --help lists them`)
  return `${JSON.stringify(commandHelp(command, ['kpi', ...words].join(' ')), null, 2)}\n`
}
