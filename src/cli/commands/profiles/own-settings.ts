import { resolve } from 'node:path'
import type { Command, OptionValues } from '@commander-js/extra-typings'
import { Fault } from '../../../domain/errors.ts'
import { settingFault } from '../../args/setting-fault.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { requireSettings } from '../../target/network.ts'
import { flagName, optionOf, PROFILE_SETTINGS, type SettingTexts } from '../../target/settings.ts'

/** Adds the flags of what a profile says besides its service that are not flags of every command. */
export const addOwnSettings = <Arguments extends unknown[], Flags extends OptionValues>(
  command: Command<Arguments, Flags>,
): Command<Arguments, Flags> => {
  for (const one of PROFILE_SETTINGS) if (one.sources.profileFlag !== undefined) command.option(...optionOf(one))
  return command
}

/** Reads what flags say of a profile besides its service; only what is given is there. */
export const readOwnSettings = ({ io, flags }: Cli): SettingTexts => {
  const given: Readonly<Record<string, unknown>> = flags
  const faults: string[] = []
  const texts = PROFILE_SETTINGS.flatMap((setting) => {
    const text = given[setting.key]
    if (typeof text !== 'string') return []
    const value = setting.read(text, io)
    if (value instanceof Fault) faults.push(settingFault(`--${flagName(setting)}`, text, value).message)
    return [[setting.key, setting.path === undefined ? text : resolve(io.cwd, text)]]
  })
  if (faults.length > 0) throw new UsageError(faults.join('; '))
  requireSettings(io, flags)
  return Object.fromEntries(texts)
}
