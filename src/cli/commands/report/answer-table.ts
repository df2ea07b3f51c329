import type { AnswerRow } from '../../../domain/analysis/answer-row.ts'
import { joinsPeriods, type Question } from '../../../domain/analysis/question.ts'
import { addingUp, type NumberPattern, readNumberPattern, unrounded } from '../../../domain/number-pattern.ts'
import { reportRow } from '../../../domain/resources/report-row.ts'
import type { ReportColumn } from '../../../domain/analysis/report-table.ts'
import type { AnyRecord } from '../../../domain/schema.ts'

/** Lists the columns that a table shows first, as they say what a row is of. */
const FIRST: ReadonlySet<string> = new Set<keyof AnswerRow>(['category', 'unit', 'aggregate_function'])

/** Returns the names of columns that a table leaves out: ids, and what is blank in each row of an answer. */
const hiddenBy = (question: Question, isNoted: boolean): ReadonlySet<string> => {
  const hidden = new Set<keyof AnswerRow>(['category_id', 'unit_id'])
  const { by, total, groupBy } = question
  if (by !== undefined || total || groupBy !== undefined) hidden.add('notes')
  if (joinsPeriods(question)) hidden.add('entryDate')
  if (isNoted && !joinsPeriods(question)) hidden.add('previous_from').add('previous_to')
  if (groupBy === 'category') hidden.add('kpiName').add('itemName')
  return hidden
}

/**
 * Returns the columns that a table shows: the most important ones of the report, and what a question adds. Beside a table
 * that `isNoted`, notes say which days are compared.
 */
export const briefColumns = (
  columns: readonly ReportColumn[],
  question: Question | undefined,
  isNoted: boolean,
): readonly ReportColumn[] => {
  if (!question) return reportRow.brief
  if (question.pivot !== undefined) return columns.filter(({ name }) => !['periodId', 'kpiId', 'itemId'].includes(name))
  const { groupBy } = question
  const hidden = hiddenBy(question, isNoted)
  const added = columns.filter(({ name }) => !Object.hasOwn(reportRow.fields, name) && !hidden.has(name))
  const brief = reportRow.brief.filter(({ name }) => !hidden.has(name))
  const values = brief.findIndex(({ name }) => name === 'actual')
  const first = added.filter(({ name }) => FIRST.has(name))
  const said = brief.slice(0, values)
  return [
    // Put the unit of a category beside its name, as it tells them apart, and that of other rows beside the value.
    ...(groupBy === 'category' ? [...first, ...said] : [...said, ...first]),
    ...brief.slice(values),
    ...added.filter(({ name }) => !FIRST.has(name)),
  ]
}

/**
 * Returns what finds the pattern of a row's values: that of its column or of its KPI's unit; undefined if there is none.
 * One that `rounds` has more decimals where a change would not add up; otherwise values keep all their decimals.
 */
export const patternsOfRows = (
  rounds: boolean,
): ((ofColumn: string | undefined, record: AnyRecord) => NumberPattern | undefined) => {
  const known = new Map<string, NumberPattern>()
  const read = (text: string): NumberPattern => {
    const pattern = readNumberPattern(text)
    return rounds ? pattern : unrounded(pattern)
  }
  return (ofColumn, { labelFormat, actual, previous_actual: previous }) => {
    const text = ofColumn ?? labelFormat
    if (typeof text !== 'string') return undefined
    const pattern = known.get(text) ?? read(text)
    known.set(text, pattern)
    return typeof actual === 'bigint' && typeof previous === 'bigint' ? addingUp(pattern, actual, previous) : pattern
  }
}
