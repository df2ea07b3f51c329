import type { FieldValue } from '../schema.ts'
import type { AnswerRow } from './answer-row.ts'
import { unitOf } from './aggregate.ts'
import type { Facts, Question } from './question.ts'

const compareValues = (one: FieldValue, other: FieldValue): number => {
  if (typeof one === 'string' && typeof other === 'string') return one < other ? -1 : one > other ? 1 : 0
  return (one ?? 0) < (other ?? 0) ? -1 : (one ?? 0) > (other ?? 0) ? 1 : 0
}

const valueOf = (row: AnswerRow, field: string): FieldValue =>
  Object.entries(row).find(([name]) => name === field)?.[1] ?? null

/** Returns the rows in the order of a field; rows without a value come last, equal ones stay in their order. */
const sorted = (rows: readonly AnswerRow[], { field, isDescending }: NonNullable<Question['sort']>): AnswerRow[] => {
  const valued = rows.map((row) => ({ row, value: valueOf(row, field) }))
  const sign = isDescending ? -1 : 1
  return valued
    .toSorted(({ value: one }, { value: other }) => {
      if (one === null || other === null) return Number(one === null) - Number(other === null)
      return sign * compareValues(one, other)
    })
    .map(({ row }) => row)
}

/**
 * Returns the best rows of each KPI, the best first: the greatest actuals, or the least where down is better. Where a KPI
 * has a single row, and in categories, the best rows of each unit and direction.
 */
const bestOfEach = (rows: readonly AnswerRow[], count: number, question: Question, facts: Facts): AnswerRow[] => {
  const isByUnit = question.groupBy === 'kpi' || question.groupBy === 'category'
  const keyOf = (row: AnswerRow): string => (isByUnit ? `${unitOf(facts, row)} ${row.direction}` : `${row.kpiId}`)
  return [...Map.groupBy(rows, keyOf).values()].flatMap((group) =>
    sorted(group, { field: 'actual', isDescending: group[0]?.direction !== 'D' }).slice(0, count),
  )
}

/** Returns the rows that are asked for, in the order that is asked for. */
export const inOrderAsked = (rows: readonly AnswerRow[], question: Question, facts: Facts): AnswerRow[] => {
  const { onlyMissed, sort, top } = question
  const kept = onlyMissed ? rows.filter(({ state }) => state === 'near' || state === 'missed') : rows
  if (sort) return sorted(kept, sort).slice(0, top)
  return top === undefined ? [...kept] : bestOfEach(kept, top, question, facts)
}
