import type { Change } from '../../../changes/records/change.ts'
import { sentFields } from '../../../changes/send/note-change.ts'
import type { Client } from '../../../client/client.ts'
import { assignment } from '../../../domain/resources/assignment.ts'
import { userGroupItem } from '../../../domain/resources/groups.ts'
import { type AnyRecord, resource, type Resource } from '../../../domain/schema.ts'
import type { Cli } from '../../cli.ts'
import {
  assignAddCounts,
  assignRemoveCounts,
  assignUpdateCounts,
  groupItemsAddCounts,
  groupItemsRemoveCounts,
  printDryRun,
} from '../../output/dry-run-counts.ts'
import { countOf } from '../../output/text.ts'
import { failureOfPlan } from '../changes/make-changes.ts'
import { nameRecords } from '../verbs/list-options.ts'
import { changesOf, type LinkPlan } from './links.ts'

const { user_id, id, user_target, sort_order } = assignment.fields

/** Defines an assignment that a dry run would add. */
export const plannedAssignment = resource({
  name: 'planned_assignment',
  plural: 'planned_assignments',
  title: 'assignment that would be added',
  path: '',
  verbs: [],
  fields: { user_id, id, user_target, sort_order },
})

/** Tells whether a dry run shows the counts alone. */
export type SummaryOptions = { readonly summaryOnly?: true | undefined }

/** Describes what would be added: in words, and counted under the names of the counts. */
type Additions = { readonly of: Resource; readonly words: readonly [one: string, many: string] }

/** Says what would be given to users: how much, then its rows. */
const printAdditions = async (
  cli: Cli,
  plan: LinkPlan,
  { of, words }: Additions,
  summaryOnly: true | undefined,
  printRows: (added: readonly Change[]) => Promise<void>,
): Promise<void> => {
  const added = changesOf(plan)
  const counts = { added: added.length, users: new Set(added.map(({ record }) => record.above['user'])).size }
  const what = `${countOf(counts.added, ...words)} of ${countOf(counts.users, 'user')} to add`
  await printDryRun(cli, { what, of, counts, summaryOnly }, () => printRows(added))
}

/** Prints records, in a table with the names of what they refer to. */
const printNamed = async (cli: Cli, client: Client, of: Resource, records: readonly AnyRecord[]): Promise<void> => {
  const named = await nameRecords(client, of, records, {}, cli.printing())
  await cli.printMany(named.shown, named.records)
}

/** Says what would be assigned: how much, then a row for each. */
export const printPlannedAssignments = (
  cli: Cli,
  client: Client,
  plan: LinkPlan,
  { summaryOnly }: SummaryOptions,
): Promise<void> => {
  const counted = { of: assignAddCounts, words: ['assignment', 'assignments'] } as const
  return printAdditions(cli, plan, counted, summaryOnly, (added) => {
    const records = added.map((change) => ({ user_target: null, ...sentFields(plan.snapshot, change) }))
    return printNamed(cli, client, plannedAssignment, records)
  })
}

/** Defines an assignment that is removed, or that a dry run would change or remove. */
export const plannedChange = resource({
  name: 'planned_assignment_change',
  plural: 'planned_assignment_changes',
  title: 'assignment that is removed, or would be changed or removed',
  path: '',
  verbs: [],
  fields: {
    user_id,
    id,
    old_target: {
      kind: 'decimal',
      about: "The user's own target now",
      nullable: true,
      inUnitOf: user_target.inUnitOf,
    },
    new_target: {
      kind: 'decimal',
      about: "The user's own target afterwards",
      nullable: true,
      inUnitOf: user_target.inUnitOf,
    },
  },
})

/** Holds how the changes of each command are counted. */
const COUNTS = {
  update: (updated: number, unchanged: number) => ({
    what: `${countOf(updated, 'assignment')} to update, ${unchanged} unchanged`,
    of: assignUpdateCounts,
    counts: { updated, unchanged },
  }),
  remove: (removed: number) => ({
    what: `${countOf(removed, 'assignment')} to remove`,
    of: assignRemoveCounts,
    counts: { removed },
  }),
  removeItems: (removed: number) => ({
    what: `${countOf(removed, 'group item')} of users to remove`,
    of: groupItemsRemoveCounts,
    counts: { removed },
  }),
} as const

/** Says what would become of links that are there: how many, then their rows; then throws what is refused. */
const printHeld = async (
  cli: Cli,
  plan: LinkPlan,
  verb: keyof typeof COUNTS,
  summaryOnly: true | undefined,
  printRows: (changes: readonly Change[]) => Promise<void>,
): Promise<void> => {
  const changes = changesOf(plan)
  const unchanged = plan.list.filter(({ action }) => action === 'unchanged').length
  const failure = failureOfPlan(plan.list, verb === 'update' ? 'to update' : 'to remove')
  if (failure && changes.length + unchanged === 0) throw failure
  await printDryRun(cli, { ...COUNTS[verb](changes.length, unchanged), summaryOnly }, () => printRows(changes))
  if (failure) throw failure
}

/** Says which assignments would be changed or removed: how many, then a row for each; then throws the failure. */
export const printPlannedChanges = (
  cli: Cli,
  client: Client,
  plan: LinkPlan,
  { verb, values }: { readonly verb: 'update' | 'remove'; readonly values: AnyRecord },
  { summaryOnly }: SummaryOptions,
): Promise<void> =>
  printHeld(cli, plan, verb, summaryOnly, (changes) =>
    printChanges(
      cli,
      client,
      changes.map(({ record }) => record.stored ?? {}),
      values,
    ),
  )

/** Defines a group item that a dry run would give to a user, or remove. */
export const plannedGroupItem = resource({
  name: 'planned_user_group_item',
  plural: 'planned_user_group_items',
  title: 'group item of a user that would be added or removed',
  path: '',
  verbs: [],
  fields: { user_id: userGroupItem.fields.user_id, id: userGroupItem.fields.id },
})

/** Says which group items users would get or lose: how many, then a row for each; then throws the failure. */
export const printPlannedGroupItems = (
  cli: Cli,
  client: Client,
  verb: 'add' | 'remove',
  plan: LinkPlan,
  { summaryOnly }: SummaryOptions,
): Promise<void> => {
  const printRows = (changes: readonly Change[]): Promise<void> => {
    const records = changes.map(({ record: { above } }) => ({
      user_id: above['user']?.id ?? null,
      id: above['group_item']?.id ?? null,
    }))
    return printNamed(cli, client, plannedGroupItem, records)
  }
  if (verb === 'remove') return printHeld(cli, plan, 'removeItems', summaryOnly, printRows)
  const counted = { of: groupItemsAddCounts, words: ['group item', 'group items'] } as const
  return printAdditions(cli, plan, counted, summaryOnly, printRows)
}

/** Prints a row for each assignment that is changed or removed, with the values that it gets. */
export const printChanges = async (
  cli: Cli,
  client: Client,
  held: readonly AnyRecord[],
  { user_target: to }: AnyRecord,
): Promise<void> => {
  const records = held.map((one): AnyRecord => {
    const { user_id = null, id = null, user_target: from = null } = one
    return { user_id, id, old_target: from, new_target: to === undefined ? from : to }
  })
  await printNamed(cli, client, plannedChange, records)
}
