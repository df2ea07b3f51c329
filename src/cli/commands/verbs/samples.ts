import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import type { Resource } from '../../../domain/schema.ts'
import { type FieldFlag, type FlagValues, requireNoFaults, readFlags } from '../../args/flags.ts'

/** Adds the flag that names the parent of records, if they have one; `create` requires it. */
export const addParentFlag = (command: CommandUnknownOpts, below: FieldFlag | undefined, isNeeded = false): void => {
  if (!below) return
  const about = isNeeded ? `${below.field.about} (required)` : `only in this ${below.flag}`
  command.addOption(new Option(`--${below.flag} <id|name>`, about))
}

/** Returns the id that the parent's flag names, where it is given. */
export const parentId = async (
  client: Client,
  below: FieldFlag | undefined,
  flags: FlagValues,
): Promise<number | undefined> => {
  if (!below) return undefined
  const { [below.name]: id } = requireNoFaults(await readFlags(client, [below], flags))
  return typeof id === 'number' ? id : undefined
}

/** Returns the command of a resource: `group_items` is `kpi group-items`. */
export const commandName = ({ plural }: Resource): string => plural.replaceAll('_', '-')

/** Describes the commands of a resource: the sample values in their help, and how they name a parent. */
export type Samples = {
  /** Names a sample record. */
  readonly name: string
  /** Holds the ids of two samples, if those are not 1 and 2. */
  readonly ids?: readonly [number, number]
  /** Defines the flag that names the parent of records, if they have one. */
  readonly below?: FieldFlag
  /** Holds that flag with a sample and a space; empty if there is no parent. */
  readonly under?: string
  /** Holds the flags that create the sample. */
  readonly create: string
  /** Holds the flags that change it. */
  readonly update: string
  /** Holds the options of a sample list. */
  readonly list: string
}

/** Describes one record, with its name and id, and how its parent is named. */
export type SampleRecord = Pick<Samples, 'name' | 'ids' | 'below'>
