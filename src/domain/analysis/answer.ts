import type { ReportRow } from '../resources/report-row.ts'
import type { AnyRecord } from '../schema.ts'
import { withForecasts, withShares, withStates, withUnits } from './added-fields.ts'
import { aggregateRows, type ExactValues } from './aggregate.ts'
import { type AnswerRow, toAnswerRow } from './answer-row.ts'
import { withEarlier } from './earlier.ts'
import { inOrderAsked } from './order.ts'
import { pivotTable } from './pivot.ts'
import { answerColumns, type Facts, type Question } from './question.ts'
import type { ReportColumn } from './report-table.ts'

/** Holds the answer to a question: its columns and its rows. */
export type Answer = { readonly columns: readonly ReportColumn[]; readonly records: readonly AnyRecord[] }

/** Returns rows in the form and order that is asked for; `exact` holds their values before they were rounded. */
export const shapeAnswer = (
  rows: readonly AnswerRow[],
  question: Question,
  facts: Facts,
  exact: ExactValues = new WeakMap(),
): Answer => {
  const kept = inOrderAsked(rows, question, facts)
  const { pivot: dimension, by, totals, units } = question
  if (dimension !== undefined) return pivotTable(kept, { dimension, by, totals, units }, facts, exact)
  return { columns: answerColumns(question), records: kept }
}

/**
 * Answers a question from report rows, in exact decimals. The rows must hold all that lies in the range, and the periods
 * of `earlierDays`. Of a period that the range cuts, what lies in the range counts.
 */
export const answer = (read: readonly ReportRow[], question: Question, facts: Facts): Answer => {
  const { from, to } = facts.range
  const all = read.map(toAnswerRow)
  const asked = all.filter(({ entryDate }) => entryDate !== null && entryDate >= from && entryDate <= to)
  const exact: ExactValues = new WeakMap()
  const aggregated = aggregateRows(asked, question, facts, exact)
  const stated = withStates(withEarlier(aggregated, all, question, facts))
  const shared = question.share ? withShares(stated, facts) : stated
  const foreseen = question.pace ? withForecasts(shared, asked, facts) : shared
  const rows = question.units ? withUnits(foreseen, facts) : foreseen
  // Hand the exact values on to these copies of the aggregated rows, which have the same order.
  for (const [at, row] of rows.entries()) {
    const values = aggregated[at] && exact.get(aggregated[at])
    if (values) exact.set(row, values)
  }
  return shapeAnswer(rows, question, facts, exact)
}
