import type { Command } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import type { ResourceClient } from '../../../client/operations/collection.ts'
import type { Resource } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import { addFieldFlags, addFromJson, BY_NAME, type FieldFlag } from '../../args/flags.ts'
import type { Act, Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { addOutput } from '../../output/printed.ts'
import { pluralOf } from '../../output/short-answer.ts'
import { requireDryRun, SUMMARY_ONLY } from '../../args/dry-run.ts'
import type { TargetWatch } from '../targets/target-flags.ts'
import { addParentFlag, commandName, parentId, type Samples } from './samples.ts'

const declareUpdate = (group: Command, of: Resource, below: FieldFlag | undefined) => {
  const bare = group
    .command('update')
    .description(`change one or more ${pluralOf(of)}; an empty value clears a field`)
    .argument('[names...]', 'ids or names; leave them out if --from-json gives ids')
  addParentFlag(bare, below)
  const command = addFromJson(addFieldFlags(bare, of, 'update'), of)
    .option('--dry-run', 'send nothing, and show the old and new values')
    .option(...SUMMARY_ONLY)
    .option('--force', 'with --from-json: overwrite what has changed after the file was read')
    .option(...BY_NAME)
  if ('name' in of.fields) command.option('--allow-duplicate', 'give it the name even if another one has it')
  return command
}

/** Reads the objects of a file of changes; only one may change what the line names. */
const readChangedObjects = async (cli: Cli, path: string, names: readonly string[]): Promise<readonly object[]> => {
  const { readObjects } = await import('../../args/json-input.ts')
  const bodies = await readObjects(cli, path)
  if (names.length > 0 && bodies.length !== 1) {
    throw new UsageError(
      `${bodies.length} objects cannot all change ${names.join(', ')}; leave the name out and give each its id`,
    )
  }
  return bodies
}

/** Adds `update`, which changes fields of the records that a line names, or of many from JSON. */
export const addUpdate = <R extends Resource>(
  group: Command,
  act: Act,
  of: R,
  collection: (client: Client, parent?: number) => Pick<ResourceClient<R>, 'list' | 'get'>,
  { below, watch, ...samples }: Samples & { readonly watch?: TargetWatch },
): void => {
  const command = declareUpdate(group, of, below)
  watch?.addFlags(command)
  addExamples(
    command,
    `${commandName(of)} update ${samples.name} ${samples.update}`,
    `${commandName(of)} update --from-json changes.json --dry-run`,
  )
  addOutput(command, async () => (await import('./dry-run-rows.ts')).printsOf(of, 'update'))
  act(command, async (cli, [names], flags) => {
    const needs = { of, verb: 'update' } as const
    cli.requireCapabilities(needs)
    requireDryRun(flags)
    const path = flags.fromJson
    if (names.length === 0 && path === undefined) {
      throw new UsageError(`say which ${of.title} to change, by id or name`)
    }
    const bodies = path === undefined ? undefined : await readChangedObjects(cli, path, names)
    const work = async (client: Client, signal: AbortSignal): Promise<void> => {
      const parent = await parentId(client, below, flags)
      const { updateListed } = await import('./update-listed.ts')
      await updateListed(
        { cli, client, of, verb: 'update', signal },
        { names, bodies, flags, parent, collection: collection(client, parent), watch },
      )
    }
    const isBulk = bodies !== undefined || names.length > 1 || watch !== undefined
    await cli.withClient(needs, work, isBulk ? { signal: cli.io.interruption() } : undefined)
  })
}
