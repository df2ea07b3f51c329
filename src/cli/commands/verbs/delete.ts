import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings'
import type { HeldByUsers } from '../../../changes/send/dependents.ts'
import type { Client } from '../../../client/client.ts'
import { readIfAllowed } from '../../../client/operations/read-if-allowed.ts'
import { isNotFound, KpiError } from '../../../domain/errors.ts'
import type { CalculatedKpi } from '../../../domain/resources/calculated-kpi.ts'
import { kpi } from '../../../domain/resources/kpi.ts'
import { type AnyRecord, printable, type Resource } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import { type Act, type Cli, PACED } from '../../cli.ts'
import { addOutput } from '../../output/printed.ts'
import { isForPeople } from '../../output/print.ts'
import { isPrintedAsData, nameIn, pluralOf, recordLabel } from '../../output/short-answer.ts'
import { countOf } from '../../output/text.ts'
import { requireDryRun, SUMMARY_ONLY, YES } from '../../args/dry-run.ts'
import { type NamedPlace, namedPlaces } from '../../args/names.ts'
import type { DependentCounts } from './count-dependents.ts'
import { withBoth } from '../../target/service-of.ts'
import { addParentFlag, commandName, parentId, type SampleRecord } from './samples.ts'

/** Describes how records are looked at before they are deleted. */
type Looking = {
  readonly get: (id: number) => Promise<AnyRecord>
  /** Says what a record without a name is, in a few words. */
  readonly wordsFor?: (record: AnyRecord) => Promise<string>
  /** Holds what all of them lie in, where the line says it. */
  readonly parent?: number | undefined
}

/** Describes how records are deleted, and what an earlier part of the run did, which was cut off and goes on. */
export type Removal = {
  /** Returns the id of the record at a place of the line, where an earlier part worked on it. */
  readonly idAt: (place: number) => number | undefined
  /** Notes that a record is not there; tells whether an earlier part of the run deleted it. */
  readonly isDeleted: (place: number) => boolean
  /** Reads what users hold, which may be deleted with a record; once for the question and for the notes of the run. */
  readonly held?: HeldByUsers
  readonly removeAll: (
    doomed: readonly Doomed[],
    onDeleted: (one: Doomed) => Promise<void>,
  ) => Promise<{ readonly done: readonly Doomed[]; readonly failure: Error | undefined }>
}

/** Describes the flags of a delete. */
type DeleteFlags = {
  readonly yes?: true | undefined
  readonly dryRun?: true | undefined
  readonly summaryOnly?: true | undefined
}

/** Describes what a line deletes: ids or names, how these are looked at, and how they are deleted. */
type Deleting = {
  readonly names: readonly string[]
  readonly flags: DeleteFlags
  readonly from: (client: Client) => Promise<Looking>
  readonly removing: (
    client: Client,
    signal: AbortSignal,
    parent: number | undefined,
    work: (removal: Removal) => Promise<void>,
  ) => Promise<void>
}

/** Describes a record that is to be deleted, with what goes with it. */
export type Doomed = {
  readonly id: number
  readonly name: string
  readonly dependents: DependentCounts
  /** Holds its place in the line, counted from 1, and what it is where it can be read. */
  readonly place?: number
  readonly record?: AnyRecord | undefined
}

export const DRY_RUN = ['--dry-run', 'send nothing, and say what would be deleted'] as const

/** Defines what is printed of a record that is deleted, or that a dry run would delete. */
const deleteRow = printable(
  'delete_row',
  'record that is deleted, or that a dry run would delete',
  {
    action: { kind: 'text', about: 'delete' },
    id: { kind: 'integer', about: 'Record' },
    name: { kind: 'text', about: 'What it is called' },
    goes_with: { kind: 'text', about: 'What is deleted with it', nullable: true },
    assignments: {
      kind: 'integer',
      about: 'Assignments deleted with it; null if none can be or were counted',
      nullable: true,
    },
    entries: { kind: 'integer', about: 'Entries deleted with it; null if none can be or were counted', nullable: true },
    links: {
      kind: 'integer',
      about: 'Links between users and group items deleted with it; null if none can be or were counted',
      nullable: true,
    },
  },
  ['action', 'id', 'name', 'goes_with'],
)

/** Declares what a delete and its dry run print. */
export const addDeleteOutput = (command: CommandUnknownOpts): void => {
  addOutput(command, async () => [
    { of: deleteRow, isList: true },
    { of: (await import('../../output/plan.ts')).deleteCounts, isList: false },
  ])
}

const rowOf = ({ id, name, dependents: { text, assignments, entries, links } }: Doomed): AnyRecord => ({
  action: 'delete',
  id,
  name,
  goes_with: text || null,
  assignments: assignments ?? null,
  entries: entries ?? null,
  links: links ?? null,
})

/** Prints a row for each record; in a table only the columns that people read. */
const printDoomed = (cli: Cli, doomed: readonly Doomed[]): Promise<void> => {
  const columns = isForPeople(cli.printing().format) ? deleteRow.brief : deleteRow.shown
  return cli.printMany(columns, doomed.map(rowOf))
}

/** Says what a delete would do, then prints a row for each record, or how many they are. */
export const printPlannedDeletes = async (
  cli: Cli,
  { what, deleted }: { readonly what: string; readonly deleted: number },
  doomed: readonly Doomed[],
  { summaryOnly }: DeleteFlags,
): Promise<void> => {
  const { deleteCounts, printDryRun } = await import('../../output/plan.ts')
  await printDryRun(cli, { what, of: deleteCounts, counts: { deleted }, summaryOnly }, () => printDoomed(cli, doomed))
}

/** Prints what was deleted as data; people read it in notes. */
export const printDeleted = async (cli: Cli, deleted: readonly Doomed[]): Promise<void> => {
  if (isPrintedAsData(cli)) await printDoomed(cli, deleted)
}

const calculatedText = (id: number, name: string): string =>
  `KPI ${id} (${name}) is calculated and cannot be deleted here; the operator deletes it with kpi service calculated remove ${id}`

/** Bounds the records whose dependents is counted: each takes some requests. */
const MOST_COUNTED = 20

/** Looks at the records of a line: refuses all that are not there or must stay, before any is deleted. */
const foresee = async (
  client: Client,
  of: Resource,
  found: readonly NamedPlace[],
  { get, wordsFor, formulas }: Looking & { readonly formulas: readonly CalculatedKpi[] | undefined },
  removal: Omit<Removal, 'removeAll'>,
): Promise<Doomed[]> => {
  const [{ countDependents, keptBy, keptByFormulas, uncounted }, { HeldByUsers }] = await Promise.all([
    import('./count-dependents.ts'),
    import('../../../changes/send/dependents.ts'),
  ])
  const { isDeleted, held = new HeldByUsers({ client }) } = removal
  const [doomed, refusals]: [Doomed[], KpiError[]] = [[], []]
  for (const { id, place, name: given } of found) {
    try {
      const record = await readIfAllowed(client, get(id))
      const name = record ? ((await wordsFor?.(record)) ?? nameIn(record)) : given
      const kept = record && (keptByFormulas(of, { id, name }, formulas) ?? (await keptBy(client, of, { id, name })))
      if (kept !== undefined) refusals.push(new KpiError('conflict', kept))
      if (of.name === kpi.name && record?.['is_calculated'] === true && client.isBundled())
        refusals.push(new KpiError('forbidden', calculatedText(id, name)))
      const dependents = found.length > MOST_COUNTED ? uncounted(of) : await countDependents(held, of, id)
      doomed.push({ id, name, dependents, place, record })
    } catch (error) {
      if (!isNotFound(error)) throw error
      if (!isDeleted(place)) refusals.push(error)
    }
  }
  const [first] = refusals
  if (first) throw new KpiError(first.code, refusals.map(({ message }) => message).join('; '))
  return doomed
}

const textOf = (of: Resource, { dependents, id, name }: Doomed): string =>
  [recordLabel(of, { id, name }), dependents.text].filter(Boolean).join(' ')

/** Keeps no record of a run: each line is its own. */
export const PLAIN: Omit<Removal, 'removeAll'> = { idAt: () => undefined, isDeleted: () => false }

/** Returns what deletes the records that a line names, once that is confirmed. */
export const deletionOf = (
  cli: Cli,
  of: Resource,
  { names, flags, from, removing }: Deleting,
): ((client: Client, signal: AbortSignal) => Promise<void>) => {
  /** Says that nothing is left that new KPIs need, and how to make it. */
  const tellNoneLeft = async (client: Client, gone: readonly Doomed[], when: 'then' | 'now'): Promise<void> => {
    const { noneLeft } = await import('./count-dependents.ts')
    const text = await noneLeft(client, of, new Set(gone.map(({ id }) => id)))
    if (text !== undefined) await cli.note(`no ${of.title} is left ${when}, ${text}`)
  }
  const find = async (client: Client, looking: Looking, removal: Omit<Removal, 'removeAll'>): Promise<Doomed[]> => {
    const { parent } = looking
    const named = await namedPlaces(client, of, names, { parent, idAt: removal.idAt })
    const once = [...new Map(named.toReversed().map((one) => [one.id, one])).values()].toReversed()
    const formulas = of.name === kpi.name ? await client.formulas() : undefined
    return foresee(client, of, once, { ...looking, formulas }, removal)
  }
  return async (client, signal) => {
    const looking = await from(client)
    if (flags.dryRun) {
      const doomed = await find(client, looking, PLAIN)
      const what = `${countOf(doomed.length, of.title, pluralOf(of))} to delete`
      await tellNoneLeft(client, doomed, 'then')
      return printPlannedDeletes(cli, { what, deleted: doomed.length }, doomed, flags)
    }
    await removing(client, signal, looking.parent, async (removal) => {
      let doomed = await find(client, looking, removal)
      if (!flags.yes && doomed.length > 0) {
        const { requireConfirmation } = await import('../../args/prompt.ts')
        await requireConfirmation(cli, flags.yes, `delete ${doomed.map((one) => textOf(of, one)).join('; ')}`, true)
        // Others may have added to what goes with it while the question was open.
        removal.held?.forget()
        doomed = await find(client, looking, removal)
      }
      const { done, failure } = await removal.removeAll(doomed, (one) => cli.note(`deleted ${textOf(of, one)}`))
      if (done.length > 0 || !failure) await printDeleted(cli, done)
      await tellNoneLeft(client, done, 'now')
      if (failure) throw failure
    })
  }
}

/** Deletes the records that a line names, once that is confirmed. */
export const deleteNamed = async (cli: Cli, of: Resource, deleting: Deleting): Promise<void> => {
  const needs = { of, verb: 'remove' } as const
  cli.requireCapabilities(needs)
  requireDryRun(deleting.flags)
  const options = deleting.names.length > 1 ? { ...PACED, signal: cli.io.interruption() } : undefined
  await cli.withClient(needs, deletionOf(cli, of, deleting), options)
}

/** Adds `delete`, which removes records once that is confirmed. */
export const addDelete = (
  group: Command,
  act: Act,
  of: Resource,
  collection: (client: Client, parent?: number) => Pick<Looking, 'get'>,
  { name: sample, ids = [1, 2], below }: SampleRecord,
): void => {
  const command = group
    .command('delete')
    .description(['delete one or more, by id or name', of.removal].filter(Boolean).join(', '))
    .argument('<names...>', 'ids or names')
    .option(...DRY_RUN)
    .option(...SUMMARY_ONLY)
    .option(...YES)
  addParentFlag(command, below)
  addExamples(
    command,
    `${commandName(of)} delete ${sample}`,
    `${commandName(of)} delete ${ids.join(' ')} --dry-run`,
    `${commandName(of)} delete ${ids.join(' ')} --yes`,
  )
  addDeleteOutput(command)
  act(command, (cli, [names], flags) =>
    deleteNamed(cli, of, {
      names,
      flags,
      from: async (client) => {
        const parent = await parentId(client, below, flags)
        return { get: collection(client, parent).get, parent }
      },
      removing: async (client, signal, parent, work) => {
        const { deleteListed } = await import('./delete-listed.ts')
        await withBoth(cli, client, (ways) =>
          deleteListed({ cli, client, ways, of, verb: 'delete', signal }, { names, parent }, work),
        )
      },
    }),
  )
}
