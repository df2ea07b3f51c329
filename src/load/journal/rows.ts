import type { StatementSync } from 'node:sqlite'
import type { Intent, Interval, JournalHead, One } from './journal.ts'
import type { Tally } from '../sending/tally.ts'

/** An intent as the table has it, column by column. */
export const valuesOf = ({
  first,
  last,
  count,
  digest,
  way,
  places,
  stage,
  sentAt,
}: Intent): (string | number | null)[] => [
  ...first,
  ...last,
  count,
  digest,
  way,
  places ? JSON.stringify(places) : null,
  JSON.stringify(stage),
  sentAt,
]

type Row = ReturnType<StatementSync['get']> & {}

const outcomeIn = ({ outcome }: Row): Tally | undefined =>
  typeof outcome === 'string' ? (JSON.parse(outcome) as Tally) : undefined

/** An interval as it stands in the table. */
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

/** What was there before an entry: ids, with commas between where there are several; they count from 1, so that 0 is nothing. */
const knownOf = (value: Row[string] | undefined): number[] | null | undefined => {
  if (typeof value === 'string') return value.split(',').map(Number)
  return value === null ? undefined : Number(value) === 0 ? null : [Number(value)]
}

/** An entry that was sent by itself, as it stands in the table. */
export const oneOf = (row: Row): One => ({
  key: [Number(row['owner']), Number(row['kpi']), Number(row['day'])],
  digest: String(row['digest']),
  known: knownOf(row['known']),
  sentAt: Number(row['sent_at']),
  outcome: outcomeIn(row),
})

/** What a column holds for that. */
export const knownToRow = (known: One['known']): number | string | null =>
  known === undefined ? null : (known?.join(',') ?? 0)

/** The head of a journal as it stands there. */
export const headOf = (row: Row): JournalHead => JSON.parse(String(row['value'])) as JournalHead
