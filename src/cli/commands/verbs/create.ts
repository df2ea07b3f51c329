import type { Command } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import { readIfAllowed } from '../../../client/operations/read-if-allowed.ts'
import type { ResourceClient } from '../../../client/operations/collection.ts'
import { readDraft } from '../../../codec/json.ts'
import type { Issue } from '../../../domain/errors.ts'
import { asDraft, type Draft, notesOnDefaults, type Resource } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import {
  addFieldFlags,
  BY_NAME,
  addFromJson,
  addUsualFields,
  camelCase,
  type FieldFlag,
  fieldFlags,
  flagName,
  type FlagValues,
  missingFlags,
  requireNoFaults,
  readFlags,
} from '../../args/flags.ts'
import type { Act, Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { addOutput } from '../../output/printed.ts'
import { requireDryRun, SUMMARY_ONLY } from '../../args/dry-run.ts'
import { createNames } from './reference-names.ts'
import type { NamedRecord } from './require-new-names.ts'
import { addParentFlag, commandName, parentId, type Samples } from './samples.ts'
import { printSent, sendEach } from './send-each.ts'
import { tellLine } from './tell-line.ts'

type Adding<R extends Resource> = Pick<ResourceClient<R>, 'list' | 'add'>

const draftFromFlags = async <R extends Resource>(
  client: Client,
  of: R,
  flags: FlagValues,
  collection: Adding<R>,
): Promise<Draft<R>> => {
  const given = await readFlags(client, fieldFlags(of), flags)
  await addUsualFields(client, of, flags, given, collection.list)
  return asDraft(of, requireNoFaults(given))
}

const readObjectsOf = async (cli: Cli, path: string): Promise<readonly object[]> => {
  const { readObjects } = await import('../../args/json-input.ts')
  return readObjects(cli, path)
}

const draftsFromJson = async <R extends Resource>(
  client: Client,
  of: R,
  bodies: readonly object[],
  { list }: Adding<R>,
  checking: {
    readonly check: (values: readonly object[]) => Promise<readonly Issue[]>
    readonly signal: AbortSignal
  },
): Promise<Draft<R>[]> => {
  const [{ readBodies }, { createCompletion }] = await Promise.all([
    import('../../args/json-input.ts'),
    import('./complete-body.ts'),
  ])
  const complete = createCompletion(of, createNames(client), list)
  const drafts = await readBodies(bodies, of, { complete, read: (body) => readDraft(of, body, true), ...checking })
  return drafts.map((values) => asDraft(of, values))
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

const isGiven = (flags: FlagValues, name: string): boolean => flags[name] === true

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
  collection: (client: Client, parent?: number) => Adding<R>,
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
  addOutput(command, async () => [
    { of, isList: false },
    { of, isList: true },
    { of: (await import('./planned-changes.ts')).changeRow, isList: true },
    { of: (await import('../../output/dry-run-counts.ts')).createCounts, isList: false },
  ])
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
      const { faultsOfNames, requireNewNames, withNewNames } = await import('./require-new-names.ts')
      const parentOfAll = await parentId(client, below, answered)
      const own = collection(client, parentOfAll)
      const isByName = 'name' in of.fields && !isGiven(flags, 'allowDuplicate')
      const placed = (values: readonly object[]): NamedRecord[] =>
        values.map((one) => ({ record: below ? { ...one, [below.name]: parentOfAll } : one }))
      const faultsOfAll = async (values: readonly object[]): Promise<readonly Issue[]> => {
        const existing = isByName ? await readIfAllowed(client, own.list()) : undefined
        return existing ? faultsOfNames(of, placed(values), existing, start) : []
      }
      const read = bodies
        ? await draftsFromJson(client, of, bodies, own, { check: faultsOfAll, signal })
        : [await draftFromFlags(client, of, answered, own)]
      const list = read.map((draft) => withNewNames(of, draft))
      const isDry = isGiven(flags, 'dryRun')
      const existing = await readIfAllowed(client, own.list())
      // Compare addresses in a dry run, as the service refuses one that another person has.
      const areCompared = isByName || (isDry && 'email' in of.fields)
      if (existing && areCompared) requireNewNames(of, placed(list), existing, start)
      const { checkDoubtfulNames } = await import('./check-doubtful-names.ts')
      await checkDoubtfulNames(cli, of, placed(list.slice(start - 1)), {
        existing: existing ?? [],
        byName: flags.byName,
        signal,
        before: start - 1,
      })
      const isSaid = (at: number, name: string): boolean =>
        (bodies ? Reflect.get(bodies[at] ?? {}, name) : answered[camelCase(flagName(name))]) !== undefined
      for (const note of notesOnDefaults(of, list, isSaid)) await cli.note(note)
      if (isDry) {
        const { printPlannedNew } = await import('./planned-changes.ts')
        await printPlannedNew(cli, client, of, list.slice(start - 1), {
          summaryOnly: isGiven(flags, 'summaryOnly'),
          signal,
        })
        return tellLine(cli, command, answers)
      }
      const sent = await sendEach(list, own.add, {
        start,
        signal,
        goOn: (number) => `continue with --start ${number}`,
      })
      const again = existing && isByName ? await import('./settle-created.ts') : undefined
      const settled = again ? await again.settleCreated(client, of, existing ?? [], sent, signal) : sent
      await printSent(cli, client, of, settled, 'created')
      await tellLine(cli, command, answers)
    }
    await cli.withClient(needs, work, bodies && { signal: cli.io.interruption() })
  })
}
