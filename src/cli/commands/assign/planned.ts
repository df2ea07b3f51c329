import type { Client } from '../../../client/client.ts'
import { assignment, type AssignmentPatch } from '../../../domain/resources/assignment.ts'
import { resource } from '../../../domain/schema.ts'
import type { Cli } from '../../cli.ts'
import { isForPeople } from '../../output/print.ts'
import { countOf } from '../../output/text.ts'
import { nameRecords } from '../verbs/list-options.ts'
import type { OpenPair } from './assign.ts'

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

/** Says what would be assigned: how much, then a row for each. */
export const printPlannedAssignments = async (
  cli: Cli,
  client: Client,
  pairs: readonly OpenPair[],
  values: AssignmentPatch,
): Promise<void> => {
  const people = new Set(pairs.map(({ user }) => user)).size
  await cli.note(
    `dry run, nothing was sent: ${countOf(pairs.length, 'KPI', 'KPIs')} of ${countOf(people, 'user')} to assign`,
  )
  const records = pairs.map(({ user, id: kpi, place }) => ({
    user_id: user,
    id: kpi,
    user_target: values.user_target ?? null,
    sort_order: values.sort_order ?? place,
  }))
  const named = await nameRecords(client, plannedAssignment, records, {}, isForPeople(cli.printing().format))
  await cli.printMany(named.shown, named.records)
}
