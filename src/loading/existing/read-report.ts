import type { Client } from '../../client/client.ts'
import { completeReport } from '../../client/operations/complete-report.ts'
import { readIfAllowed } from '../../client/operations/read-if-allowed.ts'
import { type ErrorCode, KpiError } from '../../domain/errors.ts'
import { REPORT_LIMIT, type ReportRow } from '../../domain/resources/report-row.ts'
import type { EntryValues } from '../../domain/rules.ts'
import type { EntryKey } from '../../domain/entry-key.ts'
import type { ReadWith, ExistingEntry } from './existing-entries.ts'
import type { DayRangeExtent, KeyRanges } from './key-ranges.ts'

/** Receives what a report shows of a key. */
type ReportedSink = (key: EntryKey, entry: Omit<ExistingEntry, 'ids'>) => void

/** Sets how many rows to aim at in an answer, if more may be stored than expected. */
const AIM = REPORT_LIMIT * 0.8

/** Returns the owner of a report's item; undefined if it has none. */
type OwnerOf = (item: number) => number | undefined

/**
 * Returns the function that finds the owner of a report's item: in the classic interface the item is the user.
 * Undefined if not all owners can be found.
 */
const ownersOfItems = async (
  client: Client,
  { sources }: ReadWith,
  owners: Iterable<number>,
): Promise<OwnerOf | undefined> => {
  if (client.variant === 'classic') return (item) => item
  const { list } = client.breakdownItems
  const listed = async (): Promise<Awaited<ReturnType<typeof list>>> =>
    [await list({ archived: false }), await list({ archived: true })].flat()
  const items =
    sources && sources.unread === undefined ? [...sources.byId.values()] : await readIfAllowed(client, listed())
  const known = new Map((items ?? []).map(({ id, user_id }) => [id, user_id ?? -id]))
  const found = new Set(known.values())
  return [...owners].every((owner) => found.has(owner)) ? (item) => known.get(item) : undefined
}

/** Cuts days into parts whose rows fit one answer each, estimated from the rows of the parts before. */
const partsOf = function* (
  { owners, kpis, days, count }: KeyRanges,
  rowsADraft: () => number,
): Generator<DayRangeExtent> {
  const byDay = [...days].toSorted(([left], [right]) => left - right)
  const aDay = count / Math.max(1, days.size)
  const most = owners.size * kpis.size
  let part: DayRangeExtent | undefined
  for (const [day, drafts] of byDay) {
    const isSure = part && (day - part.from + 1) * most < REPORT_LIMIT
    const gap = part ? (day - part.to - 1) * aDay : 0
    if (part && (isSure || (part.count + drafts + gap) * rowsADraft() <= AIM)) {
      part.to = day
      part.count += drafts
      continue
    }
    if (part) yield part
    part = { from: day, to: day, count: drafts }
  }
  if (part) yield part
}

/** Returns how many requests a report takes if nothing but the wanted entries is stored. */
export const requestsForReport = (ranges: KeyRanges): number => [...partsOf(ranges, () => 1)].length

/**
 * Returns the values that a row shows of its one entry. Its target is the entry's own or the default of its user or
 * KPI; if it equals the default, it cannot be told which.
 */
const entryOf = (
  { actual, target, notes }: ReportRow,
  defaults: readonly (bigint | null)[] | undefined,
): EntryValues & Pick<ExistingEntry, 'isTargetOpen'> => ({
  actual,
  target,
  notes,
  isTargetOpen: target !== null && (defaults === undefined || defaults.includes(target)),
})

/** Lists the errors after which entries may be readable in another way: the report is refused, or cannot be trusted. */
const WAYOUTS: ReadonlySet<ErrorCode> = new Set([
  'forbidden',
  'not_found',
  'method_not_allowed',
  'unsupported',
  'malformed',
  'invalid',
  'too_long',
  'not_acceptable',
])

const isWayout = (error: unknown): boolean => error instanceof KpiError && WAYOUTS.has(error.code)

const read = async (client: Client, ranges: KeyRanges, reference: ReadWith, visit: ReportedSink): Promise<boolean> => {
  const { owners, kpis, days } = ranges
  const ownerOf = await ownersOfItems(client, reference, owners.keys())
  if (!ownerOf) return false
  const users = [...owners.keys()]
  const narrow = { kpiIds: [...kpis.keys()], ...(users.every((one) => one > 0) && { userIds: users }) }
  /** Returns the target that the report shows for an entry without one; undefined if it is not known. */
  const defaultsOf = (owner: number, kpi: number): (bigint | null)[] | undefined => {
    const ofUser = owner < 0 ? null : reference.userTarget(owner, kpi)
    // Leave targets that begin on a day to the report, which shows them by the day.
    const isDated = (reference.kpis.byId.get(kpi)?.targets ?? null) !== null
    return ofUser === undefined || isDated
      ? undefined
      : [ofUser ?? reference.kpis.byId.get(kpi)?.target_default ?? null]
  }
  let rowsADraft = 1
  for (const { from, to, count } of partsOf(ranges, () => rowsADraft)) {
    let rows = 0
    for await (const answered of completeReport(client, { from, to, ...narrow })) {
      rows += answered.length
      for (const row of answered) {
        const { kpiId, entryDate, periodId } = row
        const owner = ownerOf(row.itemId)
        const isWanted = owner !== undefined && owners.has(owner) && kpis.has(kpiId) && days.has(entryDate)
        if (isWanted && periodId === 'D') visit([owner, kpiId, entryDate], entryOf(row, defaultsOf(owner, kpiId)))
      }
    }
    rowsADraft = Math.max(rows / count, rowsADraft / 2)
  }
  return true
}

/**
 * Reads the existing entries of daily KPIs from the report, which returns twenty times as many per request as the list
 * of entries. Returns false if the report cannot be read or trusted, or does not show the owners of its rows.
 */
export const readReport = async (...of: Parameters<typeof read>): Promise<boolean> => {
  try {
    return await read(...of)
  } catch (error) {
    if (isWayout(error)) return false
    throw error
  }
}
