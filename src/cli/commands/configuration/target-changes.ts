import type { Client } from '../../../client/client.ts'
import type { Decimal } from '../../../domain/decimal.ts'
import type { TargetChange } from '../../../import/history/target-change.ts'
import { createChangeOfUser } from '../targets/keep-history.ts'
import { type Change, type FieldChange, isThing, type Value } from './planning/changes.ts'

const asDecimal = (value: Value): Decimal | null => (typeof value === 'bigint' ? value : null)

/** Returns the id that a field refers to; undefined if it is not known. */
const idOf = (field: FieldChange | undefined): number | undefined =>
  isThing(field?.after) ? field.after.id : undefined

/** Returns the user and the KPI of an assignment that is created or changed. */
const placeOf = ({
  thing: { record },
  fields,
}: Change): readonly [user: number | undefined, kpi: number | undefined] => {
  if (record) return [Number(record['user_id']), Number(record['id'])]
  const refers = (name: string): number | undefined => idOf(fields.find(({ config }) => config.as === name))
  return [refers('user_id'), refers('id')]
}

/** Creates what tells whether a change of a configuration changes a target that past reports show. */
export const createTargetChanges = (client: Client): ((change: Change) => Promise<TargetChange | undefined>) => {
  const changeOfUser = createChangeOfUser(client)
  return async (change) => {
    const { action, thing, fields } = change
    const field = fields.find(({ config }) => config.as === 'target_default' || config.as === 'user_target')
    if (!field || action === 'delete') return undefined
    const [from, to] = [asDecimal(field.before), asDecimal(field.after)]
    if (thing.kind.name === 'kpi')
      return action === 'update' ? { kpi: Number(thing.record?.['id']), from, to } : undefined
    const [user, kpi] = placeOf(change)
    return user === undefined || kpi === undefined ? undefined : changeOfUser(user, kpi, from, to)
  }
}
