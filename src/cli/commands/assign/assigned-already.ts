import type { Planned } from '../../../changes/plan/plan.ts'
import type { AccountRecord } from '../../../changes/records/snapshot.ts'
import { type Decimal, formatDecimal } from '../../../domain/decimal.ts'
import { KpiError } from '../../../domain/errors.ts'
import type { Cli } from '../../cli.ts'
import { type LinkPlan, namesOfLink } from './links.ts'

/** Sets up to how many assignments are named one by one. */
const FEW = 5

/** Names a KPI and its user: `Revenue is assigned to Ann Lee already`. */
const alreadyText = (record: AccountRecord): string => {
  const { what, user } = namesOfLink(record)
  return `${what} is assigned to ${user} already`
}

const hasNoTarget = ({ above }: AccountRecord): boolean => above['kpi']?.stored?.['target_default'] === null

/** Returns the error for assignments that have another target than is given: adding would not set it. */
const otherTargetError = async (records: readonly AccountRecord[], after: Decimal | null): Promise<KpiError> => {
  const targetText = (target: Decimal | null, record: AccountRecord): string => {
    if (target !== null) return formatDecimal(target)
    return hasNoTarget(record) ? 'none' : 'that of the KPI'
  }
  const labels = records.slice(0, FEW).map((one) => {
    const before = one.stored?.['user_target']
    const change = [typeof before === 'bigint' ? before : null, after].map((target) => targetText(target, one))
    return `${alreadyText(one)} with another target: ${change.join(' → ')}`
  })
  const more = records.length > FEW ? ` (and ${records.length - FEW} more)` : ''
  const { adviceOnTargets } = await import('../../../import/notes.ts')
  const lacking = new Set(records.filter(hasNoTarget).map((one) => namesOfLink(one).what))
  const steps = [
    ...adviceOnTargets([...lacking]),
    ...(records.every(hasNoTarget) ? [] : ['kpi assign update changes targets']),
  ]
  return new KpiError('conflict', `${labels.join('; ')}${more}; nothing was assigned; ${steps.join('; ')}`)
}

/** Tells whether an assignment was there before a line, so that the line does not add it. */
export const isThereAlready = ({ action }: Planned): boolean => action === 'skip'

/** Says of an assignment that it is there already. */
export const tellAlready = (cli: Cli, record: AccountRecord): Promise<void> =>
  cli.note(`${alreadyText(record)}; kpi assign update changes its target`)

/** Refuses assignments that are there with another target, and says which others are there already, or how many. */
export const settleAlready = async (
  cli: Cli,
  { list }: LinkPlan,
  target: Decimal | null | undefined,
): Promise<void> => {
  const held = list.flatMap(({ record }) => (record?.stored ? [record] : []))
  const others = held.filter(({ stored }) => target !== undefined && target !== stored?.['user_target'])
  if (others.length > 0) throw await otherTargetError(others, target ?? null)
  const already = list.filter(isThereAlready)
  if (already.length > FEW)
    return cli.note(`${already.length} are assigned already; kpi assign update changes their targets`)
  for (const { record } of already) if (record) await tellAlready(cli, record)
}
