import type { AnswerRow } from '../../../domain/analysis/answer-row.ts'
import { joinsPeriods, type Question } from '../../../domain/analysis/question.ts'
import {
  addingUp,
  formatByPattern,
  type NumberPattern,
  type NumberSigns,
  readNumberPattern,
  unrounded,
} from '../../../domain/number-pattern.ts'
import { reportRow } from '../../../domain/resources/report-row.ts'
import type { AnyRecord, NamedField } from '../../../domain/schema.ts'
import { signed } from './progress-text.ts'

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
  columns: readonly NamedField[],
  question: Question | undefined,
  isNoted: boolean,
): readonly NamedField[] => {
  if (!question) return reportRow.brief
  if (question.pivot !== undefined) return columns.filter(({ name }) => !['periodId', 'kpiId', 'itemId'].includes(name))
  const hidden = hiddenBy(question, isNoted)
  const added = columns.filter(({ name }) => !Object.hasOwn(reportRow.fields, name) && !hidden.has(name))
  return [
    ...added.filter(({ name }) => FIRST.has(name)),
    ...reportRow.brief.filter(({ name }) => !hidden.has(name)),
    ...added.filter(({ name }) => !FIRST.has(name)),
  ]
}

/** Lists the fields whose values are in the unit of the KPI. */
const IN_UNIT = [
  'actual',
  'target',
  'previous_actual',
  'difference',
  'rolling_average',
  'forecast',
] as const satisfies readonly (keyof AnswerRow)[]

const valuesByPattern = (row: AnyRecord, unit: NumberPattern, signs: NumberSigns | undefined): AnyRecord => {
  const { actual, previous_actual: previous } = row
  const pattern = typeof actual === 'bigint' && typeof previous === 'bigint' ? addingUp(unit, actual, previous) : unit
  const texts = IN_UNIT.flatMap((name) => {
    const value = row[name]
    if (typeof value !== 'bigint') return []
    const text = formatByPattern(value, pattern, signs)
    return [[name, name === 'difference' ? signed(text, value > 0n) : text] as const]
  })
  return { ...row, ...Object.fromEntries(texts) }
}

/**
 * Returns rows with their values as texts, by the display pattern of the unit. Rounds those of an answer by it, with more
 * decimals where a change would not add up; rows of the report keep all their decimals.
 */
export async function* byPattern(
  parts: AsyncIterable<readonly AnyRecord[]>,
  signs: NumberSigns | undefined,
  isAnswer: boolean,
): AsyncGenerator<AnyRecord[]> {
  for await (const rows of parts) {
    yield rows.map((row) => {
      const { labelFormat } = row
      if (typeof labelFormat !== 'string') return row
      const pattern = readNumberPattern(labelFormat)
      return valuesByPattern(row, isAnswer ? pattern : unrounded(pattern), signs)
    })
  }
}
