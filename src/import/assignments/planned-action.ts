import type { Client } from '../../client/client.ts'
import { INT16_MAX } from '../../domain/field-value.ts'
import type { Assignment, AssignmentPatch } from '../../domain/resources/assignment.ts'
import type { AssignmentRow } from './rows.ts'

/** Describes the planned action for a row, and what is sent for it. */
export type AssignmentAction =
  | {
      readonly action: 'add'
      readonly row: AssignmentRow
      readonly values: { readonly sort_order: number; readonly user_target?: bigint }
    }
  | {
      readonly action: 'update' | 'unchanged'
      readonly row: AssignmentRow
      readonly values: AssignmentPatch
      readonly held: Assignment
    }

/** Returns the fields that differ from the existing assignment; an empty cell differs from nothing. */
export const diffAssignment = (row: AssignmentRow, held: Assignment): AssignmentAction => {
  const { target, place } = row
  const values: AssignmentPatch = {
    ...(target !== undefined && target !== held.user_target && { user_target: target }),
    ...(place !== undefined && place !== held.sort_order && { sort_order: place }),
  }
  return { action: Object.keys(values).length > 0 ? 'update' : 'unchanged', row, values, held }
}

const judgeNew = (row: AssignmentRow, place: number): AssignmentAction => ({
  action: 'add',
  row,
  values: { sort_order: place, ...(row.target !== undefined && { user_target: row.target }) },
})

/**
 * Yields the planned action for each row; rows must come user by user. A new assignment without a place comes after the
 * user's last one.
 */
export async function* planAssignmentActions(
  client: Client,
  rows: Iterable<AssignmentRow>,
): AsyncGenerator<AssignmentAction> {
  let user: number | undefined
  let held: ReadonlyMap<number, Assignment> = new Map()
  let last = 0
  for (const row of rows) {
    if (row.user !== user) {
      user = row.user
      held = new Map((await client.assignments(user).list()).map((one) => [one.id, one]))
      last = Math.max(0, ...[...held.values()].map(({ sort_order }) => sort_order))
    }
    const before = held.get(row.kpi)
    if (before) {
      yield diffAssignment(row, before)
      continue
    }
    const place = row.place ?? Math.min(last + 1, INT16_MAX)
    last = Math.max(last, place)
    yield judgeNew(row, place)
  }
}
