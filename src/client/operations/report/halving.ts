import { KpiError } from '../../../domain/errors.ts'
import { REPORT_LIMIT, type ReportRow } from '../../../domain/resources/report-row.ts'
import type { ReportAnswer } from '../../client.ts'
import type { ReportRequest } from '../queries.ts'
import { type Ids, isShort, isSortedByDay, isWhole, kpisOf, type Reading, tooLarge } from './asking.ts'

/** Sets the rows to aim at in an answer that must be whole. */
const AIM = REPORT_LIMIT * 0.85

/** Holds a part that was asked for, and its answer. */
export type Answered = { readonly part: ReportRequest; readonly answer: ReportAnswer | KpiError }

/** Takes each answer that counts as whole. */
type OnWhole = (part: ReportRequest, answer: ReportAnswer) => void

const halve = (ids: Ids): [Ids, Ids] => {
  const middle = Math.ceil(ids.length / 2)
  return [ids.slice(0, middle), ids.slice(middle)]
}

/** Splits a part of one day by KPI, then by user or group item; `answer` is what the service gave for it, if it was asked. */
const splitDay = async (
  reading: Reading,
  part: ReportRequest,
  answer: ReportAnswer | KpiError | undefined,
): Promise<readonly ReportRequest[]> => {
  const kpis = await kpisOf(reading, part.kpiIds)
  if (kpis.length > 1) return halve(kpis).map((ids) => ({ ...part, kpiIds: ids }))
  const { groupItemIds } = part
  if (groupItemIds && groupItemIds.length > 1) return halve(groupItemIds).map((ids) => ({ ...part, groupItemIds: ids }))
  // A list of users that was too long for the URL still applies.
  const owners = groupItemIds ? [] : await reading.owners.usersToSplit(part.userIds ?? reading.wanted.userIds)
  const users = owners?.map(({ user }) => user)
  if (users && users.length > 1) return halve(users).map((ids) => ({ ...part, userIds: ids }))
  throw answer instanceof KpiError ? answer : tooLarge(part, users !== undefined, answer)
}

/**
 * Returns the last day to ask for after a cut answer. Its last day is only a hint for how much fits: nothing tells that
 * the days before are whole.
 */
const lastDayAfter = (answer: ReportAnswer | KpiError, from: number, to: number): number => {
  const last = answer instanceof KpiError || !isSortedByDay(answer) ? undefined : answer.rows.at(-1)
  const middle = Math.floor((from + to) / 2)
  return last && last.entryDate > from ? Math.min(middle, last.entryDate - 1) : middle
}

const daysThatFit = (rows: number, days: number): number => Math.max(1, Math.floor((AIM * days) / Math.max(1, rows)))

/**
 * Reads a part, and takes only answers that are whole. A part that may be incomplete, or that the service refuses as too
 * large, is split by date, then by KPI, then by user or group item. If one day of one KPI and item is still too large,
 * it throws.
 */
export async function* readByHalves(
  reading: Reading,
  part: ReportRequest,
  onWhole?: OnWhole,
  first?: Answered,
): AsyncGenerator<readonly ReportRow[]> {
  let [known, from, end] = [first, part.from, part.to]
  while (from <= part.to) {
    const asked = { ...part, from, to: end }
    const fits = isShort(part.kpiIds) && isShort(part.userIds)
    const answer = known?.answer ?? (fits ? await reading.ask(asked) : undefined)
    known = undefined
    if (answer && !(answer instanceof KpiError) && isWhole(answer)) {
      onWhole?.(asked, answer)
      yield answer.rows
      const days = end - from + 1
      from = end + 1
      // Where all fitted at once, nothing is known of what more would do.
      end = Math.min(part.to, end + daysThatFit(answer.rows.length, days))
    } else if (answer && from < end) end = lastDayAfter(answer, from, end)
    else {
      for (const half of await splitDay(reading, asked, answer)) yield* readByHalves(reading, half, onWhole)
      from = end + 1
      end = Math.min(part.to, from)
    }
  }
}
