import { fieldNamed } from '../../../codec/field-names.ts'
import type { Json } from '../../../codec/json.ts'
import { formatDay } from '../../../domain/day.ts'
import { KpiError } from '../../../domain/errors.ts'
import { type ReportRow, reportRow } from '../../../domain/resources/report-row.ts'
import type { TransportResponse } from '../../transport.ts'
import type { ReportRequest } from '../queries.ts'

const unreadable = (message: string): KpiError => new KpiError('not_acceptable', message)

const LONGEST_QUOTE = 60

const quote = (raw: Json): string => (JSON.stringify(raw) ?? 'not there').slice(0, LONGEST_QUOTE)

/** Returns the fields of a row as the service sent it. */
const sentRow = ({ content }: TransportResponse, at: number): Readonly<Record<string, Json>> => {
  const list = 'json' in content && Array.isArray(content.json) ? (content.json as readonly object[]) : []
  return { ...list[at] }
}

const { periodId, direction } = reportRow.fields

/** Lists the values that a row cannot do without, or that must be one of a few. */
const READABLE: readonly (readonly [name: keyof ReportRow, isReadable: (row: ReportRow) => boolean])[] = [
  ['kpiId', ({ kpiId }) => Number.isSafeInteger(kpiId)],
  ['itemId', ({ itemId }) => Number.isSafeInteger(itemId)],
  ['entryDate', ({ entryDate }) => Number.isSafeInteger(entryDate)],
  ['periodId', (row) => periodId.oneOf.includes(row.periodId)],
  ['direction', (row) => direction.oneOf.includes(row.direction)],
  ['kpiName', ({ kpiName }) => kpiName !== ''],
  ['itemName', ({ itemName }) => itemName !== ''],
]

/** Refuses rows without KPI, item, date, period or direction: they would be lost, shown as blank, or judged wrongly. */
const requireReadable = (rows: readonly ReportRow[], received: TransportResponse): void => {
  const at = rows.findIndex((row) => READABLE.some(([, isReadable]) => !isReadable(row)))
  const row = rows[at]
  if (!row) return
  const sent = sentRow(received, at)
  const lacking = READABLE.filter(([, isReadable]) => !isReadable(row)).map(([name]) => name)
  const [first = 'kpiId'] = lacking
  const isThere = first in sent
  const values = isThere ? `${first} is ${quote(sent[first])}` : `its fields are ${Object.keys(sent).join(', ')}`
  throw unreadable(`the service answers report rows whose ${lacking.join(', ')} cannot be read: ${values}`)
}

/** Refuses rows none of which has a value by the name that it must have: all of them would be blank. */
const requireValues = (rows: readonly ReportRow[], received: TransportResponse): void => {
  const isNowhere = (name: string): boolean =>
    rows.every((_, at) => !Object.keys(sentRow(received, at)).some((one) => fieldNamed(reportRow, one) === name))
  const hasTargets = rows.some(({ hasTarget }) => hasTarget === 1)
  const lacking = isNowhere('actual') ? 'actual' : hasTargets && isNowhere('target') ? 'target' : undefined
  if (rows.length === 0 || lacking === undefined) return
  const names = Object.keys(sentRow(received, 0)).join(', ')
  throw unreadable(`the service answers report rows without ${lacking}: its fields are ${names}`)
}

/** Refuses rows outside of what was asked for: the service ignores a filter, so parts would have rows twice. */
const requireAsked = (rows: readonly ReportRow[], { from, to, kpiIds }: ReportRequest): void => {
  const outside = rows.find(({ entryDate }) => entryDate < from || entryDate > to)
  if (outside) {
    const range = `${formatDay(from)} to ${formatDay(to)}`
    throw unreadable(
      `the service answers report rows outside of what was asked: entryDate is ${formatDay(outside.entryDate)}, asked ${range}`,
    )
  }
  const asked = kpiIds && new Set(kpiIds)
  const other = asked && rows.find(({ kpiId }) => !asked.has(kpiId))
  if (!other) return
  throw unreadable(`the service answers report rows outside of what was asked: kpiId is ${other.kpiId}`)
}

/** Returns the first row that comes twice. */
const findTwin = (rows: readonly ReportRow[]): ReportRow | undefined => {
  const seen = new Map<string, Set<number>>()
  return rows.find(({ entryDate, kpiId, itemId }) => {
    const key = `${entryDate} ${kpiId}`
    const items = seen.get(key) ?? new Set()
    if (items.has(itemId)) return true
    seen.set(key, items.add(itemId))
    return false
  })
}

/** Refuses rows that come twice: no rule tells which of them holds, or whether they are to be summed. */
const requireSingle = (rows: readonly ReportRow[]): void => {
  const twin = findTwin(rows)
  if (!twin) return
  const { kpiId, itemId, entryDate } = twin
  throw unreadable(
    `the service answers a report row twice: KPI ${kpiId}, item ${itemId}, ${formatDay(entryDate)}; it must have one row for each`,
  )
}

const requireTotal = (rows: readonly ReportRow[], total: number | undefined): void => {
  if (total === undefined || total >= rows.length) return
  throw unreadable(`the service answers ${rows.length} report rows, and counts only ${total} in X-Total-Count`)
}

/** Refuses an answer whose rows cannot be relied on. */
export const requireSoundAnswer = (
  rows: readonly ReportRow[],
  received: TransportResponse,
  request: ReportRequest,
): void => {
  requireReadable(rows, received)
  requireValues(rows, received)
  requireAsked(rows, request)
  requireSingle(rows)
  requireTotal(rows, received.total)
}
