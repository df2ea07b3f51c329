import { type Argument, type CommandUnknownOpts, InvalidArgumentError, type Option } from '@commander-js/extra-typings'
import { didYouMean, nearest } from '../../client/nearest.ts'
import { UsageError } from '../exit.ts'

const HELP = ['-h', '--help'] as const

const flagsOf = ({ options }: CommandUnknownOpts): string[] =>
  options.flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined))

/** Returns the flags of a command and of all commands below it. */
const allFlagsOf = (command: CommandUnknownOpts): string[] => [
  ...flagsOf(command),
  ...command.commands.flatMap(allFlagsOf),
]

/** Refuses a value that is none of the choices, and says which is near. */
const requireChoice = ({ argChoices }: Option | Argument, value: string): void => {
  if (!argChoices || argChoices.includes(value)) return
  throw new InvalidArgumentError(
    `Allowed choices are ${argChoices.join(', ')}${didYouMean(nearest(value, argChoices), '.')}`,
  )
}

/** Parses a value; says the choices where it is refused. A flag may take other words than its choices, as `--encoding` does. */
const parseChoice = <T>(option: Option, value: string, parse: () => T): T => {
  try {
    return parse()
  } catch (error) {
    if (error instanceof InvalidArgumentError) requireChoice(option, value)
    throw error
  }
}

/** Makes each argument with choices say which is near. */
const guardArguments = ({ registeredArguments }: CommandUnknownOpts): void => {
  for (const argument of registeredArguments.filter(({ argChoices }) => argChoices)) {
    argument.argParser((value: string) => {
      requireChoice(argument, value)
      return value
    })
  }
}

/** Makes each option with a value refuse one that is a flag, as then its own value was left out. */
const guardOptions = (
  command: CommandUnknownOpts,
  isFlag: (value: string) => boolean,
  args: readonly string[],
): void => {
  for (const option of command.options.filter(({ required }) => required)) {
    const parse = option.parseArg
    const names = [option.long, option.short].filter((name) => name !== undefined)
    option.argParser((value: string, before: unknown) => {
      // An equals sign before the value says that it is meant.
      const isMeant = names.some((name) => args.includes(`${name}=${value}`))
      if (!isMeant && isFlag(value))
        throw new UsageError(
          `${names[0]} takes ${value} for its value, and that is a flag: write the value between them, or ${names[0]}=${value} if it is meant`,
        )
      return parse ? parseChoice(option, value, () => parse(value, before)) : value
    })
  }
}

/**
 * Makes options refuse flags as their values: those of their own command and of the ones above it. An option of the
 * program may stand before the flags of any command.
 */
export const refuseFlagsAsValues = (
  command: CommandUnknownOpts,
  args: readonly string[],
  above: readonly string[] = [],
): void => {
  const own = [...above, ...flagsOf(command)]
  // Only a value that looks like a flag has all flags looked through.
  const isFlag = (value: string): boolean =>
    value.startsWith('-') &&
    [...own, ...HELP, ...(above.length === 0 ? allFlagsOf(command) : [])].includes(value.split('=', 1)[0] ?? '')
  guardArguments(command)
  guardOptions(command, isFlag, args)
  for (const below of command.commands) refuseFlagsAsValues(below, args, own)
}
