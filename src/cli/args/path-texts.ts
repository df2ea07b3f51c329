import { resolve } from 'node:path'
import type { Argument, CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { isAddress } from '../../client/http/address.ts'
import { faultOfPath } from '../../files/place.ts'
import { UsageError } from '../exit.ts'
import type { Io } from '../io.ts'

/** Lists the names of arguments that are paths. */
const PATHS: ReadonlySet<string> = new Set(['file', 'job'])

/** Lists variables of the system that name a folder; without a cache a command works as well. */
const FOLDERS = ['HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME']

/** Tells whether the value of a flag is the path of a file or a folder. */
const takesPath = ({ flags }: Option): boolean => /<(?:file|folder)>/.test(flags)

const isPathArgument = (argument: Argument): boolean => PATHS.has(argument.name())

/** Returns the flags of a command, and those of every command above it. */
export const optionsOf = (command: CommandUnknownOpts | null): readonly Option[] =>
  command === null ? [] : [...command.options, ...optionsOf(command.parent)]

/**
 * Refuses texts that cannot be paths, such as too long ones, where a flag, an argument or a variable of a command names a
 * file or a folder, as `variables` do. They are not shown.
 */
export const requirePaths = ({ cwd, env }: Io, command: CommandUnknownOpts, variables: readonly string[]): void => {
  const flags = command.optsWithGlobals()
  const named = [
    ...optionsOf(command)
      .filter(takesPath)
      .map((option) => [option.long ?? '', flags[option.attributeName()]] as const),
    ...command.registeredArguments.flatMap((argument, at) =>
      isPathArgument(argument)
        ? [command.processedArgs[at]].flat().map((text) => [argument.name(), text] as const)
        : [],
    ),
    ...[...variables, ...FOLDERS].map((name) => [name, env[name]] as const),
  ]
  for (const [name, text] of named) {
    if (typeof text !== 'string' || isAddress(text)) continue
    const why = faultOfPath(resolve(cwd, text))
    if (why !== undefined) throw new UsageError(`${name} cannot be a path: ${why}`)
  }
}
