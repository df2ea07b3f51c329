import type { Day } from '../day.ts'
import { type Decimal, divideRounded } from '../decimal.ts'
import { isCoarser, nextPeriod } from '../period.ts'
import { functionOf, kpiOf, unitName, unitOf } from './aggregate.ts'
import type { AnswerRow } from './answer-row.ts'
import type { Facts } from './question.ts'
import { percentOf, progressOf, stateOf } from './state.ts'

/** Returns the rows with their part in the sum over all items; over KPIs of a unit where items are put together. */
export const withShares = (rows: readonly AnswerRow[], facts: Facts): AnswerRow[] => {
  const keyOf = (row: AnswerRow): string => {
    const period = row.entryDate === null ? '' : `${row.periodId} ${row.entryDate}`
    return row.itemId === null ? `unit ${unitOf(facts, row)} ${period}` : `${row.kpiId} ${period}`
  }
  const sums = new Map<string, Decimal>()
  for (const row of rows) sums.set(keyOf(row), (sums.get(keyOf(row)) ?? 0n) + (row.actual ?? 0n))
  return rows.map((row) => ({
    ...row,
    share_percent: row.actual === null ? null : percentOf(row.actual, sums.get(keyOf(row)) ?? 0n),
  }))
}

/** Returns the last day with a value of each KPI. */
const lastDays = (read: readonly AnswerRow[]): Map<number | null, Day> => {
  const last = new Map<number | null, Day>()
  for (const { kpiId, entryDate, periodId, actual } of read) {
    if (actual === null || entryDate === null || periodId === null) continue
    last.set(kpiId, Math.max(last.get(kpiId) ?? entryDate, nextPeriod(periodId, entryDate) - 1))
  }
  return last
}

/**
 * Returns the rows with a forecast for periods that are under way: where they end if they go on as they did. Days count
 * to the last one with a value where finer values were put together, else to the user's current day.
 */
export const withForecasts = (rows: readonly AnswerRow[], read: readonly AnswerRow[], facts: Facts): AnswerRow[] => {
  const { today, range } = facts
  const last = lastDays(read.filter(({ entryDate }) => entryDate !== null && entryDate <= range.to))
  const forecastOf = (row: AnswerRow): Decimal | null => {
    const { entryDate: start, periodId, actual, kpiId } = row
    if (start === null || periodId === null || actual === null) return null
    const end = nextPeriod(periodId, start)
    if (today < start || today >= end) return null
    const kpi = kpiOf(facts, row)
    if (functionOf(facts, kpi) !== 'sum') return actual
    const upTo = isCoarser(periodId, kpi.frequency_id) ? Math.min(last.get(kpiId) ?? today, end - 1) : today
    const days = upTo - Math.max(start, isCoarser(periodId, kpi.frequency_id) ? range.from : start) + 1
    return days < 1 ? null : divideRounded(actual * BigInt(end - start), BigInt(days))
  }
  return rows.map((row) => ({ ...row, forecast: forecastOf(row) }))
}

/** Returns the rows with their progress and state. */
export const withStates = (rows: readonly AnswerRow[]): AnswerRow[] =>
  rows.map((row) => ({ ...row, progress_percent: progressOf(row), state: stateOf(row) }))

/** Returns the rows with the names of their units. */
export const withUnits = (rows: readonly AnswerRow[], facts: Facts): AnswerRow[] =>
  rows.map((row) => ({ ...row, unit: row.unit ?? unitName(facts, unitOf(facts, row)) }))
