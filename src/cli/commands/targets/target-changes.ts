import { type Change, type FieldChange, isAccountRecord, type Value } from '../../../changes/records/change.ts'
import type { BeforeChange } from '../../../changes/send/send.ts'
import type { Client } from '../../../client/client.ts'
import type { Decimal } from '../../../domain/decimal.ts'
import type { TargetChange } from '../../../import/history/target-change.ts'
import type { Cli } from '../../cli.ts'
import { createChangeOfUser, openTargetHistory, type TargetFlags } from './keep-history.ts'
import type { TargetHistory, WayBack } from './target-history.ts'

const asDecimal = (value: Value | undefined): Decimal | null => (typeof value === 'bigint' ? value : null)

/** Returns the id that a field refers to; undefined if it is not known. */
const idOf = (field: FieldChange | undefined): number | undefined =>
  isAccountRecord(field?.after) ? field.after.id : undefined

/** Returns the user and the KPI of an assignment that is created, changed or removed. */
const pairOf = ({
  record: { stored },
  fields,
}: Change): readonly [user: number | undefined, kpi: number | undefined] => {
  if (stored) return [Number(stored['user_id']), Number(stored['id'])]
  const refers = (name: string): number | undefined => idOf(fields.find(({ config }) => config.as === name))
  return [refers('user_id'), refers('id')]
}

/** Tells whether a change takes an assignment away by itself, and not with the KPI or the user that it is of. */
const isRemoved = ({ action, record }: Change): boolean =>
  action === 'delete' && record.kind.name === 'assignment' && record.desired?.isAbsent === true

/** Creates what tells whether a change changes a target that past reports show. */
export const createTargetChanges = (client: Client): ((change: Change) => Promise<TargetChange | undefined>) => {
  const changeOfUser = createChangeOfUser(client)
  return async (change) => {
    const { action, record, fields } = change
    const [user, kpi] = pairOf(change)
    if (isRemoved(change) && user !== undefined && kpi !== undefined)
      return changeOfUser(user, kpi, asDecimal(record.stored?.['user_target']), null)
    const field = fields.find(({ config }) => config.as === 'target_default' || config.as === 'user_target')
    if (!field || action === 'delete') return undefined
    const to = asDecimal(field.after)
    if (record.kind.name === 'kpi' && action === 'update') {
      const id = Number(record.stored?.['id'])
      const from = record.isUnread ? (await client.kpis.get(id)).target_default : asDecimal(field.before)
      return { kpi: id, from, to }
    }
    if (record.kind.name === 'kpi') return undefined
    const from = asDecimal(field.before)
    return user === undefined || kpi === undefined ? undefined : changeOfUser(user, kpi, from, to)
  }
}

/** Looks after the past of targets that planned changes change. */
export type ChangedTargets = {
  readonly foresee: (changes: readonly Change[]) => Promise<void>
  readonly confirm: (changes: () => Promise<readonly Change[]>) => Promise<void>
  readonly before: BeforeChange
  readonly tell: (own?: WayBack) => Promise<void>
}

/** Opens what looks after the past of targets that planned changes change. */
export const openChangedTargets = async (
  cli: Cli,
  client: Client,
  flags: TargetFlags,
  signal: AbortSignal,
): Promise<ChangedTargets> => {
  const history: TargetHistory = await openTargetHistory(cli, client, flags, signal)
  const changeOf = createTargetChanges(client)
  const reads = (changes: readonly Change[]) => changes.map((change) => () => changeOf(change))
  return {
    foresee: (changes) => history.foresee(reads(changes)),
    confirm: (changes) => history.confirm(async () => reads(await changes())),
    before: (change, noteEntries) => history.before(() => changeOf(change), noteEntries),
    tell: history.tell,
  }
}
