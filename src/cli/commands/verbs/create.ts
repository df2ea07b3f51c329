import type { Command } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import type { Resource } from '../../../domain/schema.ts'
import type { ResourceClient } from '../../../client/operations/collection.ts'
import { addExamples } from '../../args/examples.ts'
import {
  addFieldFlags,
  BY_NAME,
  addFromJson,
  type FieldFlag,
  fieldFlags,
  type FlagValues,
  missingFlags,
} from '../../args/flags.ts'
import type { Act, Cli } from '../../cli.ts'
import { tellLine } from '../../args/tell-line.ts'
import { UsageError } from '../../exit.ts'
import { addOutput } from '../../output/printed.ts'
import { requireDryRun, SUMMARY_ONLY } from '../../args/dry-run.ts'
import { addParentFlag, commandName, parentId, type Samples } from './samples.ts'

const readObjectsOf = async (cli: Cli, path: string): Promise<readonly object[]> => {
  const { readObjects } = await import('../../args/json-input.ts')
  return readObjects(cli, path)
}

/** Returns what a line lacks and is asked for at the terminal. */
const askedFor = async (
  cli: Cli,
  client: Client,
  needed: readonly FieldFlag[],
  flags: FlagValues,
): Promise<FlagValues> => {
  // Looking at standard input opens it, so do that only where something is missing.
  if (missingFlags(needed, flags).length === 0) return {}
  const { askMissing } = await import('../../args/ask-fields.ts')
  return askMissing(cli, client, needed, flags)
}

/** Refuses a line without the parent of a new record, and names what else it lacks. */
const requireParent = (
  { title }: Resource,
  parent: readonly FieldFlag[],
  needed: readonly FieldFlag[],
  flags: FlagValues,
): void => {
  if (missingFlags(parent, flags).length === 0) return
  throw new UsageError(`a ${title} needs ${missingFlags(needed, flags).join(', ')}`)
}

/** Returns the place in a list to continue from, counted from 1. */
const startOf = (start: string | undefined, total: number | undefined): number => {
  if (start === undefined) return 1
  if (total === undefined) throw new UsageError('--start goes with --from-json')
  const number = /^[1-9]\d{0,8}$/.test(start) ? Number(start) : NaN
  if (number <= total) return number
  throw new UsageError(`--start ${start} is not in the list, which has 1 to ${total}`)
}

/**
 * Adds `create`, which creates one record from flags, or many from JSON, all of which is read before the first is sent.
 */
export const addCreate = <R extends Resource>(
  group: Command,
  act: Act,
  of: R,
  collection: (client: Client, parent?: number) => Pick<ResourceClient<R>, 'list'>,
  samples: Samples,
): void => {
  const { below } = samples
  const bare = group.command('create').description(`create a ${of.title}`)
  addParentFlag(bare, below, true)
  const command = addFromJson(addFieldFlags(bare, of, 'add'), of)
    .option('--start <n>', 'with --from-json: start at this position of the list, if those before it exist already')
    .option('--dry-run', 'send nothing, and show what would be created')
    .option(...SUMMARY_ONLY)
    .option(...BY_NAME)
  if ('name' in of.fields) command.option('--allow-duplicate', 'create it even if there is one of that name')
  addExamples(
    command,
    ...[samples.create, `${samples.under ?? ''}--from-json new.json`, `${samples.create} --dry-run`].map(
      (line) => `${commandName(of)} create ${line}`,
    ),
  )
  addOutput(command, async () => (await import('./dry-run-rows.ts')).printsOf(of, 'create'))
  act(command, async (cli, _, flags) => {
    const needs = { of, verb: 'add' } as const
    cli.requireCapabilities(needs)
    requireDryRun(flags)
    const path = flags.fromJson
    const bodies = path === undefined ? undefined : await readObjectsOf(cli, path)
    const start = startOf(flags.start, bodies?.length)
    const parent = below ? [{ ...below, field: { ...below.field, required: true as const } }] : []
    const work = async (client: Client, signal: AbortSignal): Promise<void> => {
      const needed = [...parent, ...(bodies ? [] : fieldFlags(of))]
      const answers = await askedFor(cli, client, needed, flags)
      const answered: FlagValues = { ...flags, ...answers }
      requireParent(of, parent, needed, answered)
      const parentOfAll = await parentId(client, below, answered)
      const { createListed } = await import('./create-listed.ts')
      await createListed(
        { cli, client, of, verb: 'create', signal },
        {
          bodies,
          flags: answered,
          start,
          collection: collection(client, parentOfAll),
          parent: parentOfAll === undefined || !below ? {} : { [below.name]: parentOfAll },
        },
      )
      await tellLine(cli, command, answers)
    }
    await cli.withClient(needs, work, bodies && { signal: cli.io.interruption() })
  })
}
