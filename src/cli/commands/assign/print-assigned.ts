import type { Client } from '../../../client/client.ts'
import { KpiError } from '../../../domain/errors.ts'
import { type Assignment, assignment } from '../../../domain/resources/assignment.ts'
import { asRecord } from '../../../domain/schema.ts'
import type { Cli } from '../../cli.ts'
import { isForPeople } from '../../output/print.ts'
import { isShort } from '../../output/short-answer.ts'
import { countOf } from '../../output/text.ts'
import { nameRecords } from '../verbs/list-options.ts'
import { createNames } from '../verbs/reference-names.ts'
import { shownAssignment, withTargets } from './effective-target.ts'
import type { MadeLinks } from './links.ts'

/** Sets how many assignments are told one by one. */
const TOLD_EACH = 10

/** Says in notes what was assigned: each assignment, or how many they are. */
const tellAssigned = async (
  cli: Cli,
  client: Client,
  assigned: readonly Assignment[],
  done: 'assigned' | 'updated',
): Promise<void> => {
  if (assigned.length === 0) return
  if (assigned.length > TOLD_EACH) return cli.note(`${done} ${countOf(assigned.length, 'KPI', 'KPIs')} of users`)
  const names = createNames(client)
  for (const { user_id, id } of assigned) {
    const [kpi, user] = [await names.nameOf('kpi', id), await names.nameOf('user', user_id)]
    await cli.note(done === 'assigned' ? `assigned ${kpi} to ${user}` : `updated ${kpi} of ${user}`)
  }
}

/**
 * Prints the assignments that were sent, and those that needed no change, with names and the targets that count in a
 * table, or at a terminal says what was done; then throws the failure, if there was one. What was sent is printed even if no names can be read.
 */
export const printAssigned = async (
  cli: Cli,
  client: Client,
  { records, unchanged, failure }: MadeLinks,
  done: 'assigned' | 'updated',
): Promise<void> => {
  const assigned = records.map((record) => asRecord(assignment, record))
  const isTable = isForPeople(cli.printing().format)
  const print = async (): Promise<void> => {
    if (isShort(cli)) {
      const changed = assigned.filter((_, at) => !unchanged.has(records[at] ?? {}))
      await tellAssigned(cli, client, changed, done)
      if (unchanged.size > 0) await cli.note(`${countOf(unchanged.size, 'assignment')} unchanged`)
      return
    }
    if (!isTable) return cli.printMany(assignment.shown, records)
    const named = await nameRecords(client, shownAssignment, await withTargets(client, assigned), {}, cli.printing())
    return cli.printMany(named.shown, named.records)
  }
  await print().catch((error: unknown) => {
    if (!(error instanceof KpiError)) throw error
    return cli.printMany(assignment.brief, records)
  })
  if (failure) throw failure
}
