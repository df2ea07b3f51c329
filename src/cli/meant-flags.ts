import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { FOREIGN_FLAGS, FORMAT_FLAGS, OFTEN_MEANT, SAME_VALUES } from './foreign-words.ts'
import { meantAmong, own, sayNames } from './meant-words.ts'
import { shellWord } from './output/text.ts'

/** Describes a line that was refused: in our words, with the program that read it, and all of the program. */
export type Line = {
  readonly program: CommandUnknownOpts
  readonly words: readonly string[]
  readonly describe: () => Promise<CommandUnknownOpts>
}

const flagsOf = ({ options }: CommandUnknownOpts): string[] =>
  options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []))

/** Returns the flags that are meant by one that a command lacks. */
const meantFlags = (typed: string, flags: readonly string[]): string[] => {
  const format = own(FORMAT_FLAGS, typed)
  if (format !== undefined) return [format]
  const names = flags.map((flag) => flag.slice('--'.length))
  const ours = (own(FOREIGN_FLAGS, typed) ?? []).map((flag) => flag.slice('--'.length))
  return typed.startsWith('--') ? meantAmong(typed.slice('--'.length), names, ours).map((name) => `--${name}`) : []
}

/** Returns the value that follows a flag on a line, behind a blank, if our flag takes it as it is. */
const valueAfter = (flag: string, words: readonly string[]): string => {
  const value = SAME_VALUES.has(flag) ? words[words.indexOf(flag) + 1] : undefined
  return value === undefined || value.startsWith('-') ? '' : ` ${shellWord(value)}`
}

/** Returns what to say of a flag that a command lacks, and the one has that is often meant in its place. */
const sayBeside = (flag: string, path: string, all: CommandUnknownOpts): string | undefined => {
  const words = path.split(' ').slice(1)
  const other = own(OFTEN_MEANT, words.at(-1) ?? '')
  const group = words
    .slice(0, -1)
    .reduce<CommandUnknownOpts | undefined>((above, word) => above?.commands.find((one) => one.name() === word), all)
  const command = group?.commands.find((one) => one.name() === other)
  if (!command || !flagsOf(command).includes(flag)) return undefined
  return `kpi ${[...words.slice(0, -1), command.name()].join(' ')} has it: ${command.description()}`
}

/** Returns what to say of a flag that a command lacks; undefined if nothing is likely. */
export const sayFlag = async (
  typed: string,
  path: string,
  command: CommandUnknownOpts,
  { program, words, describe }: Line,
): Promise<string | undefined> => {
  const [flag = '', ...values] = typed.split('=')
  const value = values.length === 0 ? valueAfter(flag, words) : valueAfter(flag, [flag, values.join('=')])
  const meant = meantFlags(flag, [...flagsOf(command), ...flagsOf(program)])
  return sayNames(meant.map((one) => one + value)) ?? sayBeside(flag, path, await describe())
}
