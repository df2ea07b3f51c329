import type { Client } from '../client/client.ts'
import { createDirectory, type Directory } from '../client/directory.ts'
import type { Fault } from '../domain/errors.ts'
import type { Kpi } from '../domain/resources/kpi.ts'
import { fullName, type User } from '../domain/resources/user.ts'
import { faultOfAssignment, faultsOfKpi, faultsOfUser } from '../domain/rules.ts'
import { remember } from './values.ts'

type NamedUser = User & { readonly name: string }

/** A user and a KPI that are not assigned to each other, and may become so. */
export type Pair = { readonly user: User; readonly kpi: Kpi }

/** What a file's rows refer to, fetched once. */
export type Reference = {
  readonly kpis: Directory<Kpi>
  readonly users: Directory<NamedUser>
  readonly findKpi: (text: string) => Kpi | Fault
  readonly findUser: (text: string) => NamedUser | Fault
  /** Fetches the assignments of users, where that has not happened yet. */
  readonly fetchAssignments: (userIds: Iterable<number>) => Promise<void>
  /** Why a user may not enter values for a KPI, in the service's own words; empty when they may. */
  readonly faultsOf: (userId: number, kpiId: number) => readonly string[]
  /** The assignments that rows need and that do not exist. */
  readonly missing: () => readonly Pair[]
}

/** Fetches all KPIs and users. Assignments that are missing are faults, or are noted where they are to be created. */
export const fetchReference = async (client: Client, createAssignments: boolean): Promise<Reference> => {
  const [kpiList, userList] = await Promise.all([client.kpis.list(), client.users.list()])
  const kpis = createDirectory('KPI', kpiList)
  const users = createDirectory(
    'user',
    userList.map((user) => ({ ...user, name: fullName(user) })),
  )
  const assigned = new Map<number, Set<number>>()
  const missing: Pair[] = []

  const faultsOfPair = (user: User, kpi: Kpi): string[] => {
    const faults = [...faultsOfUser(user), ...faultsOfKpi(kpi)]
    if (assigned.get(user.id)?.has(kpi.id)) return faults.map(({ message }) => message)
    if (!createAssignments) faults.push(faultOfAssignment(kpi, user))
    else if (faults.length === 0) missing.push({ user, kpi })
    return faults.map(({ message }) => message)
  }
  const judged = new Map<number, Map<number, readonly string[]>>()
  return {
    kpis,
    users,
    findKpi: remember(kpis.find),
    findUser: remember(users.find),
    fetchAssignments: async (userIds) => {
      for (const id of new Set(userIds)) {
        if (assigned.has(id)) continue
        const list = await client.assignments(id).list()
        assigned.set(id, new Set(list.map((one) => one.id)))
      }
    },
    faultsOf: (userId, kpiId) => {
      const ofUser = judged.get(userId) ?? new Map<number, readonly string[]>()
      if (ofUser.size === 0) judged.set(userId, ofUser)
      const known = ofUser.get(kpiId)
      if (known) return known
      const [user, kpi] = [users.byId.get(userId), kpis.byId.get(kpiId)]
      const faults = user && kpi ? faultsOfPair(user, kpi) : []
      ofUser.set(kpiId, faults)
      return faults
    },
    missing: () => missing,
  }
}
