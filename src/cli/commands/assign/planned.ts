import type { Client } from '../../../client/client.ts'
import type { Decimal } from '../../../domain/decimal.ts'
import { type Assignment, assignment, type AssignmentPatch } from '../../../domain/resources/assignment.ts'
import { type AnyRecord, resource } from '../../../domain/schema.ts'
import type { Cli } from '../../cli.ts'
import { assignAddCounts, assignRemoveCounts, assignUpdateCounts, printDryRun } from '../../output/dry-run-counts.ts'
import { countOf } from '../../output/text.ts'
import { nameRecords } from '../verbs/list-options.ts'
import { sendEach } from '../verbs/send-each.ts'
import type { UserItem } from './group-items.ts'
import type { OpenPair } from './open-pairs.ts'

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
  pairs: readonly OpenPair[],
  values: AssignmentPatch,
  { summaryOnly }: SummaryOptions,
): Promise<void> => {
  const counts = { added: pairs.length, users: new Set(pairs.map(({ user }) => user)).size }
  const what = `${countOf(counts.added, 'assignment')} of ${countOf(counts.users, 'user')} to add`
  await printDryRun(cli, { what, of: assignAddCounts, counts, summaryOnly }, async () => {
    const records = pairs.map(({ user, id: kpi, place }) => ({
      user_id: user,
      id: kpi,
      user_target: values.user_target ?? null,
      sort_order: values.sort_order ?? place,
    }))
    const named = await nameRecords(client, plannedAssignment, records, {}, cli.printing())
    await cli.printMany(named.shown, named.records)
  })
}

/** Names what a dry run would do to assignments. */
type PlannedVerb = 'update' | 'remove'

/** Describes an assignment that is changed or removed, with the user's own target before and after. */
export type PlannedPair = {
  readonly user: number
  readonly id: number
  readonly from: Decimal | null
  readonly to: Decimal | null
}

/** Holds assignments that could be changed, how many are as they would be already, and why the others could not. */
export type PlannedPairs = {
  readonly planned: readonly PlannedPair[]
  readonly unchanged: number
  readonly failure: Error | undefined
}

/** Tells whether an assignment has the given target and place already. */
export const isAsGiven = (held: Assignment, { user_target, sort_order }: AssignmentPatch): boolean =>
  (user_target === undefined || user_target === held.user_target) &&
  (sort_order === undefined || sort_order === held.sort_order)

/** Returns assignments as they are, with the target that each would have; those that do not exist are refused together. */
export const readPlanned = async (
  client: Client,
  pairs: readonly UserItem[],
  values: AssignmentPatch,
  verb: PlannedVerb,
  signal: AbortSignal,
): Promise<PlannedPairs> => {
  const planned: PlannedPair[] = []
  let unchanged = 0
  const read = async ({ user, id }: UserItem): Promise<AnyRecord> => {
    const held = await client.assignments(user).get(id)
    const { user_target: from } = held
    if (verb === 'update' && isAsGiven(held, values)) unchanged += 1
    else planned.push({ user, id, from, to: values.user_target === undefined ? from : values.user_target })
    return {}
  }
  const { failure } = await sendEach(pairs, read, { signal, doneWords: `to ${verb}` })
  return { planned, unchanged, failure }
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

/** Says which assignments would be changed or removed: how many, then a row for each; then throws the failure. */
export const printPlannedChanges = async (
  cli: Cli,
  client: Client,
  verb: PlannedVerb,
  { planned, unchanged, failure }: PlannedPairs,
  { summaryOnly }: SummaryOptions,
): Promise<void> => {
  if (failure && planned.length + unchanged === 0) throw failure
  await printDryRun(cli, { ...COUNTS[verb](planned.length, unchanged), summaryOnly }, () =>
    printChanges(cli, client, planned),
  )
  if (failure) throw failure
}

/** Prints a row for each assignment that is changed or removed. */
export const printChanges = async (cli: Cli, client: Client, changes: readonly PlannedPair[]): Promise<void> => {
  const records = changes.map(({ user, id: kpi, from, to }) => ({
    user_id: user,
    id: kpi,
    old_target: from,
    new_target: to,
  }))
  const named = await nameRecords(client, plannedChange, records, {}, cli.printing())
  await cli.printMany(named.shown, named.records)
}
