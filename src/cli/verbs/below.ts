import { type Command, Option } from 'commander'
import type { Client } from '../../client/client.ts'
import { type FieldFlag, type FlagValues, mustBeRight, readFlags } from '../flags.ts'

/** Adds the flag that names what records lie below, where they do; what makes one needs it. */
export const addBelow = (command: Command, below: FieldFlag | undefined, isNeeded = false): Command => {
  if (!below) return command
  const about = isNeeded ? `${below.field.about} (required)` : `only in this ${below.flag}`
  const option = new Option(`--${below.flag} <id|name>`, about)
  return command.addOption(option.makeOptionMandatory(isNeeded))
}

/** The id of what that flag names, where it is given. */
export const parentOf = async (
  client: Client,
  below: FieldFlag | undefined,
  flags: FlagValues,
): Promise<number | undefined> => {
  if (!below) return undefined
  const { [below.name]: id } = mustBeRight(await readFlags(client, [below], flags))
  return typeof id === 'number' ? id : undefined
}
