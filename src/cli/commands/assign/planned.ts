import { sentFields } from '../../../changes/send/note-change.ts'
import type { Client } from '../../../client/client.ts'
import { assignment } from '../../../domain/resources/assignment.ts'
import { type AnyRecord, resource } from '../../../domain/schema.ts'
import type { Cli } from '../../cli.ts'
import { assignAddCounts, assignRemoveCounts, assignUpdateCounts, printDryRun } from '../../output/dry-run-counts.ts'
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

/** Says what would be assigned: how much, then a row for each. */
export const printPlannedAssignments = async (
  cli: Cli,
  client: Client,
  plan: LinkPlan,
  { summaryOnly }: SummaryOptions,
): Promise<void> => {
  const added = changesOf(plan)
  const counts = { added: added.length, users: new Set(added.map(({ record }) => record.above['user'])).size }
  const what = `${countOf(counts.added, 'assignment')} of ${countOf(counts.users, 'user')} to add`
  await printDryRun(cli, { what, of: assignAddCounts, counts, summaryOnly }, async () => {
    const records = added.map((change) => ({ user_target: null, ...sentFields(plan.snapshot, change) }))
    const named = await nameRecords(client, plannedAssignment, records, {}, cli.printing())
    await cli.printMany(named.shown, named.records)
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
} as const

/** Names what a dry run would do to assignments. */
type PlannedVerb = keyof typeof COUNTS

/** Says which assignments would be changed or removed: how many, then a row for each; then throws the failure. */
export const printPlannedChanges = async (
  cli: Cli,
  client: Client,
  verb: PlannedVerb,
  plan: LinkPlan,
  values: AnyRecord,
  { summaryOnly }: SummaryOptions,
): Promise<void> => {
  const held = changesOf(plan).map(({ record }) => record.stored ?? {})
  const unchanged = plan.list.filter(({ action }) => action === 'unchanged').length
  const failure = failureOfPlan(plan.list, `to ${verb}`)
  if (failure && held.length + unchanged === 0) throw failure
  await printDryRun(cli, { ...COUNTS[verb](held.length, unchanged), summaryOnly }, () =>
    printChanges(cli, client, held, values),
  )
  if (failure) throw failure
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
  const named = await nameRecords(client, plannedChange, records, {}, cli.printing())
  await cli.printMany(named.shown, named.records)
}
