import type { TargetTimeline } from '../../domain/targets/dated-targets.ts'
import type { Decimal } from '../../domain/decimal.ts'
import { storedAssignment } from '../../domain/resources/assignment.ts'
import type { Reader, SqlList } from '../db.ts'
import { IN_LIST, listOf, partsOfIds, partsOfPairs } from './id-list.ts'
import { nestedTable } from './table.ts'

/** Holds a user's own target; with its dated ones only where there are any, as there are very many assignments. */
type OwnTarget = Decimal | null | TargetTimeline

/** Maps each user to their KPIs, and each of these to the user's own target. */
export type AssignedKpis = ReadonlyMap<number, ReadonlyMap<number, OwnTarget>>

const OF_USERS = `select user_id, id, user_target, targets from assignments where account_id = ? and user_id ${IN_LIST}`
const AMONG = `${OF_USERS} and id ${IN_LIST}`
/** Sets how many users are read at a time with all their assignments. */
const USERS_PER_QUERY = 500

/** Collects rows of assignments by user. */
const collecting = () => {
  const found = new Map<number, Map<number, OwnTarget>>()
  const take = ([userId, kpiId, target, targets]: SqlList): void => {
    const user = Number(userId)
    const ofUser = found.get(user) ?? new Map<number, OwnTarget>()
    const base = target as Decimal | null
    found.set(user, ofUser.set(Number(kpiId), typeof targets === 'string' ? { base, targets } : base))
  }
  return { found, take }
}

type FindAmong = (tx: Reader, account: number, users: Iterable<number>, kpis: Iterable<number>) => Promise<AssignedKpis>

/** Finds the assignments of some users to some KPIs. */
const finding: { readonly among: FindAmong; readonly amongMany: FindAmong } = {
  /** Finds the assignments of a few users and KPIs. */
  among: async (tx, account, users, kpis) => {
    const { found, take } = collecting()
    const rows = await tx.all(AMONG, [account, listOf(users), listOf(kpis)])
    for (const row of rows)
      take([row['user_id'] ?? null, row['id'] ?? null, row['user_target'] ?? null, row['targets'] ?? null])
    return found
  },

  /** Finds the assignments of any number of users and KPIs; other requests run in between. */
  amongMany: async (tx, account, users, kpis) => {
    const { found, take } = collecting()
    const ids = new Set(kpis)
    if (ids.size <= tx.keysPerQuery) {
      for await (const [some, few] of partsOfPairs(tx, users, ids)) await tx.each(AMONG, [account, some, few], take)
      return found
    }
    // With so many KPIs, read all assignments of the users: there are far fewer of them than pairs.
    for await (const some of partsOfIds(users, USERS_PER_QUERY)) {
      await tx.each(OF_USERS, [account, some], (row) => {
        if (ids.has(Number(row[1]))) take(row)
      })
    }
    return found
  },
}

/** Reads and writes the KPIs of users. */
export const assignments = { ...nestedTable('assignments', storedAssignment, 'user_id'), ...finding }
