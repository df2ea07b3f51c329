import { type Assignment, assignment } from '../domain/resources/assignment.ts'
import type { Decimal } from '../domain/decimal.ts'
import type { Reader, Writer } from './db.ts'
import { IN_LIST, listOf } from './id-list.ts'
import { rowReader, rowWriter, selectFrom } from './table.ts'

const read = rowReader(assignment)
const SELECT = selectFrom('assignments', assignment)

/** Which KPIs each user has: users to KPIs to the user's own target. */
export type AssignedKpis = ReadonlyMap<number, ReadonlyMap<number, Decimal | null>>

/** KPIs of users. */
export const assignments = {
  listOfUser: async (tx: Reader, account: number, user: number): Promise<Assignment[]> =>
    (await tx.all(`${SELECT} and user_id = ? order by sort_order, id`, [account, user])).map(read),

  find: async (tx: Reader, account: number, user: number, kpi: number): Promise<Assignment | undefined> => {
    const [row] = await tx.all(`${SELECT} and user_id = ? and id = ?`, [account, user, kpi])
    return row && read(row)
  },
  /** The assignments of any of the users to any of the KPIs. */
  among: async (
    tx: Reader,
    account: number,
    users: Iterable<number>,
    kpis: Iterable<number>,
  ): Promise<AssignedKpis> => {
    const found = new Map<number, Map<number, Decimal | null>>()
    const sql = `select user_id, id, user_target from assignments
                 where account_id = ? and user_id ${IN_LIST} and id ${IN_LIST}`
    await tx.each(sql, [account, listOf(users), listOf(kpis)], ([userId, kpiId, target]) => {
      const user = Number(userId)
      const ofUser = found.get(user) ?? new Map<number, Decimal | null>()
      found.set(user, ofUser.set(Number(kpiId), target as Decimal | null))
    })
    return found
  },
  ...rowWriter('assignments', assignment, ['user_id', 'id']),

  remove: async (tx: Writer, account: number, user: number, kpi: number): Promise<boolean> =>
    (await tx.run('delete from assignments where account_id = ? and user_id = ? and id = ?', [account, user, kpi])) > 0,
}
