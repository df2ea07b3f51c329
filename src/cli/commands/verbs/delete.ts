import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import { readIfAllowed } from '../../../client/operations/read-if-allowed.ts'
import { KpiError } from '../../../domain/errors.ts'
import { type AnyRecord, resource, type Resource } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import { resolveRecords } from '../../args/names.ts'
import { type Act, type Cli, PACED } from '../../cli.ts'
import { addOutput } from '../../output/printed.ts'
import { isForPeople } from '../../output/print.ts'
import { isPrintedAsData, nameIn, pluralOf, recordLabel } from '../../output/short-answer.ts'
import { countOf } from '../../output/text.ts'
import { requireDryRun, SUMMARY_ONLY } from '../../args/dry-run.ts'
import type { Company } from './goes-with.ts'
import { addParentFlag, commandName, parentId, type SampleRecord } from './samples.ts'
import { sendEach } from './send-each.ts'

/** Describes what records are deleted from. */
type Deletable = {
  readonly get: (id: number) => Promise<AnyRecord>
  readonly remove: (id: number) => Promise<void>
  /** Says what a record without a name is, in a few words. */
  readonly wordsFor?: (record: AnyRecord) => Promise<string>
}

/** Describes the flags of a delete. */
type DeleteFlags = {
  readonly yes?: true | undefined
  readonly dryRun?: true | undefined
  readonly summaryOnly?: true | undefined
}

/** Describes what a line deletes: ids or names, and of what collection. */
type Deleting = {
  readonly names: readonly string[]
  readonly flags: DeleteFlags
  readonly from: (client: Client) => Promise<{ readonly collection: Deletable; readonly parent?: number | undefined }>
}

/** Describes a record that is to be deleted, with what goes with it. */
export type Doomed = { readonly id: number; readonly name: string; readonly company: Company }

export const DRY_RUN = ['--dry-run', 'send nothing, and say what would be deleted'] as const

/** Defines what is printed of a record that is deleted, or that a dry run would delete. */
const deleteRow = resource({
  name: 'delete_row',
  plural: 'delete_rows',
  title: 'record that is deleted, or that a dry run would delete',
  path: '',
  verbs: [],
  brief: ['action', 'id', 'name', 'goes_with'],
  fields: {
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
})

/** Declares what a delete and its dry run print. */
export const addDeleteOutput = (command: CommandUnknownOpts): void => {
  addOutput(command, async () => [
    { of: deleteRow, isList: true },
    { of: (await import('../../output/dry-run-counts.ts')).deleteCounts, isList: false },
  ])
}

const rowOf = ({ id, name, company: { text, assignments, entries, links } }: Doomed): AnyRecord => ({
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
  const { deleteCounts, printDryRun } = await import('../../output/dry-run-counts.ts')
  await printDryRun(cli, { what, of: deleteCounts, counts: { deleted }, summaryOnly }, () => printDoomed(cli, doomed))
}

/** Prints what was deleted as data; people read it in notes. */
export const printDeleted = async (cli: Cli, deleted: readonly Doomed[]): Promise<void> => {
  if (isPrintedAsData(cli)) await printDoomed(cli, deleted)
}

/** Bounds the records whose company is counted: each takes some requests. */
const MOST_COUNTED = 20

const isGone = (error: unknown): error is KpiError => error instanceof KpiError && error.code === 'not_found'

/** Looks at the records of a line: refuses all that are not there or must stay, before any is deleted. */
const foresee = async (
  client: Client,
  of: Resource,
  found: readonly { readonly id: number; readonly name: string }[],
  { get, wordsFor }: Deletable,
): Promise<Doomed[]> => {
  const { companyOf, keptBy, uncounted } = await import('./goes-with.ts')
  const [doomed, refusals]: [Doomed[], KpiError[]] = [[], []]
  for (const { id, name: given } of found) {
    try {
      const record = await readIfAllowed(client, get(id))
      const name = record ? ((await wordsFor?.(record)) ?? nameIn(record)) : given
      const kept = record && (await keptBy(client, of, { id, name }))
      if (kept !== undefined) refusals.push(new KpiError('conflict', kept))
      const company = found.length > MOST_COUNTED ? uncounted(of) : await companyOf(client, of, id)
      doomed.push({ id, name, company })
    } catch (error) {
      if (!isGone(error)) throw error
      refusals.push(error)
    }
  }
  const [first] = refusals
  if (first) throw new KpiError(first.code, refusals.map(({ message }) => message).join('; '))
  return doomed
}

const textOf = (of: Resource, { company, ...record }: Doomed): string =>
  [recordLabel(of, record), company.text].filter(Boolean).join(' ')

/** Deletes the records that a line names, once that is confirmed. */
export const deleteNamed = async (cli: Cli, of: Resource, { names, flags, from }: Deleting): Promise<void> => {
  const needs = { of, verb: 'remove' } as const
  cli.requireCapabilities(needs)
  requireDryRun(flags)
  const work = async (client: Client, signal: AbortSignal): Promise<void> => {
    const { collection, parent } = await from(client)
    const doomed = await foresee(client, of, await resolveRecords(client, of, names, parent), collection)
    if (flags.dryRun) {
      const what = `${countOf(doomed.length, of.title, pluralOf(of))} to delete`
      return printPlannedDeletes(cli, { what, deleted: doomed.length }, doomed, flags)
    }
    if (!flags.yes) {
      const { requireConfirmation } = await import('../../args/prompt.ts')
      await requireConfirmation(cli, flags.yes, `delete ${doomed.map((one) => textOf(of, one)).join('; ')}`)
    }
    const remove = async (one: Doomed): Promise<AnyRecord> => {
      await collection.remove(one.id)
      await cli.note(`deleted ${textOf(of, one)}`)
      return {}
    }
    const { done, failure } = await sendEach(doomed, remove, { signal })
    if (done.length > 0 || !failure) await printDeleted(cli, done)
    if (failure) throw failure
  }
  await cli.withClient(needs, work, names.length > 1 ? { ...PACED, signal: cli.io.interruption() } : undefined)
}

/** Adds `delete`, which removes records once that is confirmed. */
export const addDelete = (
  group: Command,
  act: Act,
  of: Resource,
  collection: (client: Client, parent?: number) => Deletable,
  { name: sample, ids = [1, 2], below }: SampleRecord,
): void => {
  const command = group
    .command('delete')
    .description(['delete one or more, by id or name', of.removal].filter(Boolean).join(', '))
    .argument('<names...>', 'ids or names')
    .option(...DRY_RUN)
    .option(...SUMMARY_ONLY)
    .option('-y, --yes', 'do not ask')
  addParentFlag(command, below)
  addExamples(
    command,
    `${commandName(of)} delete ${sample}`,
    `${commandName(of)} delete ${ids.join(' ')} --dry-run`,
    `${commandName(of)} delete ${ids.join(' ')} --yes`,
  )
  addDeleteOutput(command)
  act(command, (cli, [names], flags) => {
    const from = async (client: Client) => {
      const parent = await parentId(client, below, flags)
      return { collection: collection(client, parent), parent }
    }
    return deleteNamed(cli, of, { names, flags, from })
  })
}
