import type { StatementSync } from 'node:sqlite'
import type { Intent, Interval, SingleEntry } from './journal.ts'
import type { Tally } from './tally.ts'

/** Returns the values of an intent's row. */
export const valuesOf = ({ places, stage, ...intent }: Intent): (string | number | null)[] => [
  ...intent.first,
  ...intent.last,
  intent.count,
  intent.digest,
  intent.way,
  places ? JSON.stringify(places) : null,
  JSON.stringify(stage),
  intent.sentAt,
]

type Row = ReturnType<StatementSync['get']> & {}

const outcomeIn = ({ outcome }: Row): Tally | undefined =>
  typeof outcome === 'string' ? (JSON.parse(outcome) as Tally) : undefined

/** Returns the interval of a row. */
export const intervalOf = (row: Row): Interval => ({
  id: Number(row['id']),
  first: [Number(row['first_owner']), Number(row['first_kpi']), Number(row['first_day'])],
  last: [Number(row['last_owner']), Number(row['last_kpi']), Number(row['last_day'])],
  count: Number(row['count']),
  digest: String(row['digest']),
  way: row['way'] === 'one' ? 'one' : 'batch',
  places: typeof row['places'] === 'string' ? (JSON.parse(row['places']) as number[]) : undefined,
  stage: JSON.parse(String(row['stage'])) as Tally,
  sentAt: Number(row['sent_at']),
  run: String(row['run']),
  outcome: outcomeIn(row),
})

/**
 * Returns the ids that existed before an entry from a column: separated by commas, 0 for nothing, as ids count from 1.
 */
const knownOf = (value: Row[string] | undefined): number[] | null | undefined => {
  if (typeof value === 'string') return value.split(',').map(Number)
  return value === null ? undefined : Number(value) === 0 ? null : [Number(value)]
}

/** Returns the single entry of a row. */
export const oneOf = (row: Row): SingleEntry => ({
  key: [Number(row['owner']), Number(row['kpi']), Number(row['day'])],
  digest: String(row['digest']),
  known: knownOf(row['known']),
  sentAt: Number(row['sent_at']),
  outcome: outcomeIn(row),
})

/** Returns the value of the `known` column. */
export const knownToRow = (known: SingleEntry['known']): number | string | null =>
  known === undefined ? null : (known?.join(',') ?? 0)

const KEY_COLUMNS = 'first_owner, first_kpi, first_day, last_owner, last_kpi, last_day'
/** Lists the columns of an intent, in the order of its values. */
export const INTENT_COLUMNS = `${KEY_COLUMNS}, count, digest, way, places, stage, sent_at, run`
