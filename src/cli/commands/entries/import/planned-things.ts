import { looseName } from '../../../../domain/name-form.ts'
import { AsyncLocalStorage } from 'node:async_hooks'
import { fullName } from '../../../../domain/resources/user.ts'
import type { MissingPlan } from '../../../../reading/missing/plan-missing.ts'
import type { Creatable } from '../../../../reading/options/options.ts'
import { isProvisional } from '../../../../reading/directory/lookup.ts'
import type { Pair } from '../../../../reading/directory/reference.ts'

/** Describes something that an import creates: its kind, and all that it can be called. */
export type PlannedThing = {
  readonly kind: Creatable
  readonly names: readonly string[]
  /** Tells that an earlier import may know it by other names. */
  readonly isLoose?: boolean
}

const hearer = new AsyncLocalStorage<PlannedThing[]>()

/** Tells a job, of which this command line may be a part, what a dry run of an import would create. */
export const tellPlanned = (things: () => readonly PlannedThing[]): void => {
  const heard = hearer.getStore()
  if (heard) for (const thing of things()) heard.push(thing)
}

/** Runs a dry run of an import; returns its result, and what it would create. */
export const hearingPlans = async <T>(
  run: () => Promise<T>,
): Promise<{ readonly result: T; readonly planned: readonly PlannedThing[] }> => {
  const planned: PlannedThing[] = []
  const result = await hearer.run(planned, run)
  return { result, planned }
}

const thing = (kind: Creatable, ...names: readonly string[]): PlannedThing => ({ kind, names: names.map(looseName) })

/** Lists the things of a plan. */
export const thingsOfPlan = ({ kpis, users, items }: MissingPlan): PlannedThing[] => [
  ...kpis.map(({ name }) => thing('kpis', name)),
  ...users.map(({ name, email }) => thing('users', name, email)),
  ...items.map(({ name }) => thing('items', name)),
]

/** Lists assignments as things; those of what is not there yet have no ids to know them by. */
export const thingsOfPairs = (pairs: readonly Pair[]): PlannedThing[] =>
  pairs.map(({ user, kpi }) => ({
    kind: 'assignments',
    names: [fullName(user), user.email].map((name) => JSON.stringify([looseName(name), looseName(kpi.name)])),
    isLoose: isProvisional(user.id) || isProvisional(kpi.id),
  }))
