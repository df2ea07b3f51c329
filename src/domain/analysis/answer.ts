import type { ReportRow } from '../resources/report-row.ts'
import type { AnyRecord, NamedField } from '../schema.ts'
import { withForecasts, withShares, withStates } from './added-fields.ts'
import { aggregateRows } from './aggregate.ts'
import { type AnswerRow, toAnswerRow } from './answer-row.ts'
import { withEarlier } from './earlier.ts'
import { inOrderAsked } from './order.ts'
import { pivotTable } from './pivot.ts'
import { answerColumns, type Facts, type Question } from './question.ts'

/** Holds the answer to a question: its columns and its rows. */
export type Answer = { readonly columns: readonly NamedField[]; readonly records: readonly AnyRecord[] }

/** Returns rows in the form and order that is asked for. */
export const shapeAnswer = (rows: readonly AnswerRow[], question: Question, facts: Facts): Answer => {
  const kept = inOrderAsked(rows, question, facts)
  if (question.pivot !== undefined) return pivotTable(kept, question.pivot, facts.calendar)
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
  const rows = withStates(withEarlier(aggregateRows(asked, question, facts), all, question, facts))
  const shared = question.share ? withShares(rows, facts) : rows
  return shapeAnswer(question.pace ? withForecasts(shared, asked, facts) : shared, question, facts)
}
