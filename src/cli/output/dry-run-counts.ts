import { type AnyRecord, type Field, resource, type Resource } from '../../domain/schema.ts'
import type { Cli } from '../cli.ts'
import { isPrintedAsData } from './short-answer.ts'
import { printCounts } from './summary.ts'

const count = (about: string): Field => ({ kind: 'integer', about })

/** Defines the counts of dry runs, under the names that summaries of imports use. */
const COUNTS = {
  created: count('Records that would be created'),
  updated: count('Records that would be changed'),
  unchanged: count('Records that are as they would be already'),
  deleted: count('Records that would be deleted'),
  added: count('Assignments, or group items of users, that would be added'),
  users: count('Users who would get them'),
  removed: count('Entries, assignments or group items of users that would be removed'),
  restored: count('Entries that would get back what they held'),
  things: count('Created things that would be removed: KPIs, users, assignments and the like'),
  skipped: count('Entries and things that would be left alone'),
} as const

type Count = keyof typeof COUNTS

const countsOf = (command: string, ...names: readonly [Count, ...Count[]]): Resource =>
  resource({
    name: `${command}_counts`,
    plural: `${command}_counts`,
    title: `counts of the dry run of ${command.replaceAll('_', ' ')}`,
    path: '',
    verbs: [],
    fields: Object.fromEntries(names.map((name) => [name, COUNTS[name]])),
  })

export const createCounts = countsOf('create', 'created')
export const updateCounts = countsOf('update', 'updated', 'unchanged')
export const deleteCounts = countsOf('delete', 'deleted')
export const assignAddCounts = countsOf('assign_add', 'added', 'users')
export const assignUpdateCounts = countsOf('assign_update', 'updated', 'unchanged')
export const assignRemoveCounts = countsOf('assign_remove', 'removed')
export const groupItemsAddCounts = countsOf('assign_group_items_add', 'added', 'users')
export const groupItemsRemoveCounts = countsOf('assign_group_items_remove', 'removed')
export const undoCounts = countsOf('undo', 'restored', 'removed', 'things', 'unchanged', 'skipped')
export const planCounts = countsOf('plan', 'created', 'updated', 'deleted', 'unchanged')

/** Prints the counts of a dry run as data; people read them in a note. */
export const printDryRunCounts = async (cli: Cli, of: Pick<Resource, 'shown'>, counts: AnyRecord): Promise<void> => {
  if (isPrintedAsData(cli)) await printCounts(cli, of, counts)
}

/** Describes what a dry run found: a sentence, and its counts. */
type DryRun = {
  readonly what: string
  readonly of: Pick<Resource, 'shown'>
  readonly counts: AnyRecord
  /** Tells whether the counts alone are printed. */
  readonly summaryOnly?: boolean | undefined
}

/** Says what a command would do, then prints its rows, or the counts alone. */
export const printDryRun = async (
  cli: Cli,
  { what, of, counts, summaryOnly }: DryRun,
  printRows: () => Promise<void>,
): Promise<void> => {
  await cli.note(`dry run, nothing was sent: ${what}`)
  await (summaryOnly ? printDryRunCounts(cli, of, counts) : printRows())
}
