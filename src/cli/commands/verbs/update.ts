import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import type { ResourceClient } from '../../../client/operations/collection.ts'
import { readIfAllowed } from '../../../client/operations/read-if-allowed.ts'
import { Fault } from '../../../domain/errors.ts'
import { nameFieldsOf } from '../../../domain/kinds.ts'
import type { AnyRecord, Patch, Resource } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import { addFieldFlags, addFromJson, BY_NAME, type FieldFlag } from '../../args/flags.ts'
import { createRecordFinder, resolveRecords } from '../../args/names.ts'
import type { Act, Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { addOutput } from '../../output/printed.ts'
import { pluralOf } from '../../output/short-answer.ts'
import { requireDryRun, SUMMARY_ONLY } from '../../args/dry-run.ts'
import type { PlannedChange } from './planned-changes.ts'
import { type Change, readChangedObjects, readChanges } from './read-changes.ts'
import { requireNamedOnce } from './require-each-once.ts'
import { addParentFlag, commandName, parentId, type Samples } from './samples.ts'
import { printSent, sendEach } from './send-each.ts'

/** Looks after what follows from changes to records: its own flags, what to do before each change, and what to say. */
export type UpdateWatch<R extends Resource> = {
  readonly addFlags: (command: CommandUnknownOpts) => void
  readonly open: (cli: Cli, client: Client, flags: object, signal: AbortSignal) => Promise<OpenWatch<R>>
}

type OpenWatch<R extends Resource> = {
  /** Says what changes would do, of which none is sent. */
  readonly foresee: (changes: readonly Change<R>[]) => Promise<void>
  /** Refuses changes of which one cannot be made, or that are not confirmed, before any is sent. */
  readonly check: (changes: readonly Change<R>[]) => Promise<void>
  readonly before: (id: number, patch: Patch<R>) => Promise<void>
  readonly tell: () => Promise<void>
}

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

/** Returns the records that changes are for, as they are now. */
const planOf = async <R extends Resource>(
  { get }: Pick<ResourceClient<R>, 'get'>,
  changes: readonly Change<R>[],
): Promise<PlannedChange<R>[]> => {
  const planned: PlannedChange<R>[] = []
  for (const change of changes) planned.push({ change, held: await get(change.id) })
  return planned
}

/** Describes the flags that say which names are meant, and the signal that ends the reading of what exists. */
type NameOptions = {
  readonly allowDuplicate: boolean
  readonly byName: string[] | undefined
  readonly signal: AbortSignal
}

/** Holds whose names are read, and from where. */
type NameReading<R extends Resource> = {
  readonly cli: Cli
  readonly client: Client
  readonly of: R
  readonly list: ResourceClient<R>['list']
}

/** Returns changes with the names that they may give; refuses those that another record has, or that look like others. */
const withCheckedNames = async <R extends Resource>(
  { cli, client, of, list }: NameReading<R>,
  changes: readonly Change<R>[],
  { allowDuplicate, byName, signal }: NameOptions,
): Promise<readonly Change<R>[]> => {
  const fields = nameFieldsOf(of)
  if (!changes.some(({ patch }) => fields.some((field) => field in patch))) return changes
  const { requireNewNames, withNewNames } = await import('./require-new-names.ts')
  const existing = (await readIfAllowed(client, list())) ?? []
  const heldBy = new Map(existing.map((one) => [Number(one['id']), one]))
  const checked = changes.map((one) => ({ ...one, patch: withNewNames(of, one.patch, heldBy.get(one.id)) }))
  const records = checked.map(({ id, patch }) => ({ record: { ...heldBy.get(id), ...patch }, held: heldBy.get(id) }))
  if (!allowDuplicate) requireNewNames(of, records, existing)
  const { checkDoubtfulNames } = await import('./check-doubtful-names.ts')
  await checkDoubtfulNames(cli, of, records, { existing, byName, signal })
  return checked
}

/** Returns the ids of the records that a line names; refuses one that is named twice. */
const recordsOf = async (
  client: Client,
  of: Resource,
  names: readonly string[],
  parent?: number,
): Promise<number[]> => {
  const ids = (await resolveRecords(client, of, names, parent)).map(({ id }) => id)
  if (ids.length < names.length) {
    const find = createRecordFinder(client, of, parent)
    const each = await Promise.all(names.map(find))
    requireNamedOnce(
      of,
      names,
      each.map((found) => (found instanceof Fault ? NaN : found.id)),
    )
  }
  return ids
}

/** Adds `update`, which changes fields of the records that a line names, or of many from JSON. */
export const addUpdate = <R extends Resource>(
  group: Command,
  act: Act,
  of: R,
  collection: (client: Client, parent?: number) => Pick<ResourceClient<R>, 'list' | 'get' | 'update'>,
  { below, watch, ...samples }: Samples & { readonly watch?: UpdateWatch<R> },
): void => {
  const command = declareUpdate(group, of, below)
  watch?.addFlags(command)
  addExamples(
    command,
    `${commandName(of)} update ${samples.name} ${samples.update}`,
    `${commandName(of)} update --from-json changes.json --dry-run`,
  )
  addOutput(command, async () => [
    { of, isList: false },
    { of, isList: true },
    { of: (await import('./planned-changes.ts')).changeRow, isList: true },
    { of: (await import('../../output/dry-run-counts.ts')).updateCounts, isList: false },
  ])
  act(command, async (cli, [names], flags) => {
    const needs = { of, verb: 'update' } as const
    cli.requireCapabilities(needs)
    requireDryRun(flags)
    const path = flags.fromJson
    if (names.length === 0 && path === undefined) {
      throw new UsageError(`say which ${of.title} to change, by id or name`)
    }
    const bodies = path === undefined ? undefined : await readChangedObjects(cli, path, names)
    const isForced = flags.force === true
    const work = async (client: Client, signal: AbortSignal): Promise<void> => {
      const parent = await parentId(client, below, flags)
      const ids = await recordsOf(client, of, names, parent)
      const own = collection(client, parent)
      const changes = await withCheckedNames(
        { cli, client, of, list: own.list },
        await readChanges(client, of, flags, { ids, parent, signal }, bodies),
        { allowDuplicate: Reflect.get(flags, 'allowDuplicate') === true, byName: flags.byName, signal },
      )
      const isLooked = flags.dryRun === true || (!isForced && changes.some(({ readAt }) => readAt !== undefined))
      if (isLooked) {
        const { printPlanned, requireUnmoved } = await import('./planned-changes.ts')
        const planned = await planOf(own, changes)
        if (!isForced) requireUnmoved(of, planned)
        if (flags.dryRun) {
          await (await watch?.open(cli, client, flags, signal))?.foresee(changes)
          return printPlanned(cli, client, of, planned, flags.summaryOnly)
        }
      }
      const watching = await watch?.open(cli, client, flags, signal)
      await watching?.check(changes)
      const send = async ({ id, patch }: Change<R>): Promise<AnyRecord> => {
        await watching?.before(id, patch)
        return own.update(id, patch)
      }
      const sent = await sendEach(changes, send, { signal })
      if (sent.records.length > 0) await watching?.tell()
      await printSent(cli, client, of, sent, 'updated')
    }
    const isBulk = bodies !== undefined || names.length > 1 || watch !== undefined
    await cli.withClient(needs, work, isBulk ? { signal: cli.io.interruption() } : undefined)
  })
}
