import type { Client } from '../../../client/client.ts'
import type { ReportRequest } from '../../../client/operations/queries.ts'
import type { Expected } from '../../../domain/analysis/missing.ts'
import type { Facts } from '../../../domain/analysis/question.ts'
import { timelineOf } from '../../../domain/targets/dated-targets.ts'
import type { Day } from '../../../domain/day.ts'
import type { Decimal } from '../../../domain/decimal.ts'
import { effectiveTarget } from '../../../domain/report.ts'
import type { Assignment } from '../../../domain/resources/assignment.ts'
import { fullName, type User } from '../../../domain/resources/user.ts'

/** Bounds the requests in flight. */
const AT_ONCE = 4

/** Reads the assignments of users, a few users at a time. */
const readAssignments = async (client: Client, users: readonly User[]): Promise<Map<User, readonly Assignment[]>> => {
  const found = new Map<User, readonly Assignment[]>()
  const left = users.values()
  const readNext = async (): Promise<void> => {
    for (const user of left) found.set(user, await client.assignments(user.id).list())
  }
  await Promise.all(Array.from({ length: AT_ONCE }, readNext))
  return found
}

/**
 * Returns who has to report what: active users, with the KPIs assigned to them that take entries. Sends a request for
 * each user.
 */
export const readExpected = async (client: Client, request: ReportRequest, { kpis }: Facts): Promise<Expected[]> => {
  const units = new Map((await client.units.list()).map((unit) => [unit.id, unit]))
  const isAsked = (ids: readonly number[] | undefined, id: number): boolean => !ids || ids.includes(id)
  const users = (await client.users.list()).filter(
    ({ id, user_status_id }) => user_status_id !== 'L' && isAsked(request.userIds, id),
  )
  const assigned = await readAssignments(client, users)
  return users.flatMap((user) =>
    (assigned.get(user) ?? []).flatMap((one) => {
      const { id, user_target } = one
      const kpi = kpis.get(id)
      if (!kpi || !kpi.is_active || kpi.is_calculated || !isAsked(request.kpiIds, id)) return []
      const own = timelineOf(one, user_target)
      const { base: target_default, targets } = timelineOf(kpi, kpi.target_default)
      const targetIn = (start: Day): Decimal | null => effectiveTarget(null, own, { target_default, targets }, start)
      return [
        { kpi, unit: units.get(kpi.unit_id), user: { id: user.id, name: fullName(user), email: user.email }, targetIn },
      ]
    }),
  )
}
