import { type Command, Option } from 'commander'
import type { Client } from '../../../client/client.ts'
import type { Resource } from '../../../domain/schema.ts'
import { type FieldFlag, type FlagValues, mustBeRight, readFlags } from '../../args/flags.ts'

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

/** The command of a resource: `group_items` is `kpi group-items`. */
export const commandOf = ({ plural }: Resource): string => plural.replaceAll('_', '-')

/** What the examples in the help of a resource's commands are made of. */
export type Samples = {
  /** One of them, as it is called. */
  readonly name: string
  /** The ids of two, where those are not 1 and 2. */
  readonly ids?: readonly [number, number]
  /** The flag that says where one is made, and a space, where one lies below another. */
  readonly under?: string
  /** The flags that make one. */
  readonly create: string
  /** The flags that change one. */
  readonly update: string
  /** The options of a list. */
  readonly list: string
}

/** One of a resource, as it is called, and ids. */
export type Called = Pick<Samples, 'name' | 'ids'>
