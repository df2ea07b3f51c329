import { isObject } from '../../../codec/json.ts'
import { KpiError } from '../../../domain/errors.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import type { PlannedDelete } from './deletes.ts'

/** Describes a plan as it is saved: what it is for, what it was made from, and its rows. */
export type SavedPlan = {
  readonly service: string
  readonly account: string
  /** Holds the path of the file, to which the record of what was applied belongs. */
  readonly file: string
  readonly prune: boolean
  /** Lists the sections whose new names are meant; older plans say nothing of them. */
  readonly byName?: readonly string[]
  readonly configuration: string
  readonly rows: readonly AnyRecord[]
  readonly deletes: readonly PlannedDelete[]
}

/** Numbers the form of saved plans. */
const VERSION = 1

/** Returns the text of a saved plan. */
export const writePlan = (plan: SavedPlan): string =>
  `${JSON.stringify({ kpi_plan: VERSION, ...plan }, undefined, 2)}\n`

const isSavedPlan = (value: object): value is SavedPlan => {
  const texts = ['service', 'account', 'file', 'configuration']
  const plan: Readonly<Record<string, unknown>> = { ...value }
  return (
    texts.every((name) => typeof plan[name] === 'string') &&
    Array.isArray(plan['rows']) &&
    Array.isArray(plan['byName'] ?? []) &&
    Array.isArray(plan['deletes'])
  )
}

/** Reads a saved plan; undefined if the text is a configuration. */
export const readPlan = (text: string, name: string): SavedPlan | undefined => {
  if (!text.trimStart().startsWith('{')) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(value) || !('kpi_plan' in value)) return undefined
  if (value['kpi_plan'] === VERSION && isSavedPlan(value)) return value
  throw new KpiError('malformed', `${name} is a plan of another version of kpi; make it again with kpi plan`)
}

const rowKey = (row: AnyRecord): string =>
  JSON.stringify(['action', 'section', 'name', 'field', 'old', 'new'].map((name) => row[name] ?? null))

const rowText = ({ action, field, old, new: value }: AnyRecord): string =>
  field === null ? `${action}` : `${action} ${field}: ${old ?? 'nothing'} → ${value ?? 'nothing'}`

/**
 * Refuses a saved plan if the service is not as it was: whatever is to be done now must be in it. What is done already
 * need not be, so that a run that was stopped can be continued.
 */
export const requireUnmoved = (saved: SavedPlan, rows: readonly AnyRecord[]): void => {
  const planned = new Set(saved.rows.map(rowKey))
  const moved = rows.filter((row) => !planned.has(rowKey(row)))
  if (moved.length === 0) return
  const issues = moved.map((row) => ({ field: `${row['section']} ${row['name']}`, message: rowText(row) }))
  throw new KpiError(
    'conflict',
    'something has changed since the plan was made; make it again with kpi plan. It would now be:',
    { issues },
  )
}

/** Refuses a saved plan for another service or account. */
export const requireSameAccount = (saved: SavedPlan, service: string, account: string): void => {
  if (saved.service === service && saved.account === account) return
  throw new KpiError(
    'conflict',
    `the plan is for ${saved.account} at ${saved.service}, not for ${account} at ${service}`,
  )
}
