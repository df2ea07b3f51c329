import type { Client } from '../../../client/client.ts'
import { readIfAllowed } from '../../../client/operations/read-if-allowed.ts'
import { type Decimal, formatDecimal } from '../../../domain/decimal.ts'
import { INT16_MAX } from '../../../domain/field-value.ts'
import { KpiError } from '../../../domain/errors.ts'
import type { AssignmentPatch } from '../../../domain/resources/assignment.ts'
import type { Kpi } from '../../../domain/resources/kpi.ts'
import type { Cli } from '../../cli.ts'
import { createNames, type Names } from '../verbs/reference-names.ts'
import type { UserItem } from './group-items.ts'

/** Names a KPI and its user: `Revenue is assigned to Ann Lee`. */
const pairLabel = async (names: Names, user: number, kpi: number): Promise<string> =>
  `${await names.nameOf('kpi', kpi)} is assigned to ${await names.nameOf('user', user)}`

/** Describes a pair that is not assigned yet, with its place. */
export type OpenPair = UserItem & { readonly place: number }

/** Sets up to how many pairs are named one by one. */
const FEW = 5

/** Notes which pairs are assigned already, or how many. */
const tellAssignedAlready = async (cli: Cli, names: Names, pairs: readonly UserItem[]): Promise<void> => {
  if (pairs.length > FEW)
    return cli.note(`${pairs.length} are assigned already; kpi assign update changes their targets`)
  for (const { user, id } of pairs) {
    await cli.note(`${await pairLabel(names, user, id)} already; kpi assign update changes its target`)
  }
}

/** Describes a pair that is assigned with another target than is given; null is the target of the KPI. */
type OtherTarget = UserItem & { readonly before: Decimal | null; readonly after: Decimal | null }

/** Returns the KPIs of pairs that have no target, so that their users cannot have one. */
const withoutTarget = async (client: Client, pairs: readonly UserItem[]): Promise<Kpi[]> => {
  const kpis = (await readIfAllowed(client, client.kpis.list())) ?? []
  const ids = new Set(pairs.map(({ id }) => id))
  return kpis.filter((kpi) => kpi.target_default === null && ids.has(kpi.id))
}

/** Returns the error for pairs that are assigned with another target than is given: adding would not set it. */
const otherTargetError = async (client: Client, names: Names, pairs: readonly OtherTarget[]): Promise<KpiError> => {
  const lacking = await withoutTarget(client, pairs)
  const targetText = (target: Decimal | null, kpi: number): string => {
    if (target !== null) return formatDecimal(target)
    return lacking.some(({ id }) => id === kpi) ? 'none' : 'that of the KPI'
  }
  const labels = await Promise.all(
    pairs
      .slice(0, FEW)
      .map(
        async ({ user, id, before, after }) =>
          `${await pairLabel(names, user, id)} already with another target: ${targetText(before, id)} → ${targetText(after, id)}`,
      ),
  )
  const more = pairs.length > FEW ? ` (and ${pairs.length - FEW} more)` : ''
  const { adviceOnTargets } = await import('../../../import/notes.ts')
  const steps = [
    ...adviceOnTargets(lacking.map(({ name }) => name)),
    ...(pairs.some(({ id }) => lacking.every((kpi) => kpi.id !== id)) ? ['kpi assign update changes targets'] : []),
  ]
  return new KpiError('conflict', `${labels.join('; ')}${more}; nothing was assigned; ${steps.join('; ')}`)
}

/** Returns the pairs that are not assigned yet, each with the place after the last of its user. */
export const openPairs = async (
  cli: Cli,
  client: Client,
  pairs: readonly UserItem[],
  { user_target: target }: AssignmentPatch,
): Promise<OpenPair[]> => {
  const [open, already, other]: [OpenPair[], UserItem[], OtherTarget[]] = [[], [], []]
  for (const [user, own] of Map.groupBy(pairs, (pair) => pair.user)) {
    const held = await client.assignments(user).list()
    let place = Math.max(0, ...held.map((one) => one.sort_order))
    for (const { id: kpi } of own) {
      const before = held.find((one) => one.id === kpi)
      if (before && target !== undefined && target !== before.user_target)
        other.push({ user, id: kpi, before: before.user_target, after: target })
      else if (before) already.push({ user, id: kpi })
      else open.push({ user, id: kpi, place: (place = Math.min(place + 1, INT16_MAX)) })
    }
  }
  const names = createNames(client)
  if (other.length > 0) throw await otherTargetError(client, names, other)
  await tellAssignedAlready(cli, names, already)
  return open
}
