import { FUNCTIONS } from './functions.ts'
import { reportRow, type ReportRow } from '../resources/report-row.ts'
import { printable, type Stored } from '../schema.ts'

const { fields } = reportRow

/**
 * Defines a row of an answer: a report row, whose fields are null where a question puts several rows together, and
 * beside them what the question adds.
 */
export const answerRow = printable('answer_row', 'row of an answer', {
  ...fields,
  kpiId: { ...fields.kpiId, nullable: true },
  kpiName: { ...fields.kpiName, nullable: true },
  itemId: { ...fields.itemId, nullable: true },
  itemName: { ...fields.itemName, nullable: true },
  periodId: { ...fields.periodId, nullable: true },
  period: { ...fields.period, nullable: true },
  entryDate: { ...fields.entryDate, nullable: true },
  category_id: { kind: 'integer', about: 'Id of the category, with --group-by category', nullable: true },
  category: { kind: 'text', about: 'Name of the category, with --group-by category', nullable: true },
  unit_id: { kind: 'integer', about: 'Id of the unit of its KPIs, with --group-by category', nullable: true },
  unit: { kind: 'text', about: 'Name of the unit of its KPIs, with --units or --group-by category', nullable: true },
  aggregate_function: {
    kind: 'choice',
    about: 'Function of its KPIs, with --group-by category',
    oneOf: ['AVG', 'SUM'],
    nullable: true,
  },
  function: {
    kind: 'choice',
    about: 'How the values of several periods are put together, with --function or functions of the project file',
    oneOf: FUNCTIONS,
    nullable: true,
  },
  first_date: { kind: 'date', about: 'First day of the first period in the row, with --group-by', nullable: true },
  last_date: { kind: 'date', about: 'First day of the last period in the row, with --group-by', nullable: true },
  values: { kind: 'integer', about: 'How many values the row is made of, with --group-by', nullable: true },
  previous_actual: {
    kind: 'decimal',
    about: 'Actual of the period before, or of the year before, with --compare',
    nullable: true,
  },
  previous_from: {
    kind: 'date',
    about: 'First of the days that previous_actual is of, with --compare',
    nullable: true,
  },
  previous_to: { kind: 'date', about: 'Last of the days that previous_actual is of, with --compare', nullable: true },
  difference: { kind: 'decimal', about: 'Actual less previous_actual, with --compare', nullable: true },
  difference_percent: {
    kind: 'decimal',
    about: 'Difference in percent of the size of previous_actual, with --compare',
    nullable: true,
  },
  rolling_average: {
    kind: 'decimal',
    about: 'Average of the values in the last periods, this one included, with --rolling',
    nullable: true,
  },
  rolling_sum: {
    kind: 'decimal',
    about: 'Sum of the values in the last periods, this one included, with --rolling-sum',
    nullable: true,
  },
  share_percent: {
    kind: 'decimal',
    about: 'Actual in percent of the sum over all items, with --share; over KPIs of a unit if items are put together',
    nullable: true,
  },
  forecast: {
    kind: 'decimal',
    about: 'Where a period under way ends if it goes on as it did, with --pace',
    nullable: true,
  },
  progress_percent: {
    kind: 'decimal',
    about: 'How much of the target is reached, by the direction of the KPI',
    nullable: true,
  },
  state: {
    kind: 'text',
    about: 'met, near (missed by at most ten percent of the target), missed or no target',
    nullable: true,
  },
})

export type AnswerRow = Stored<typeof answerRow>

/** Holds what a row has that no question was asked of. */
const NOTHING_ADDED = {
  category_id: null,
  category: null,
  unit_id: null,
  unit: null,
  aggregate_function: null,
  function: null,
  first_date: null,
  last_date: null,
  values: null,
  previous_actual: null,
  previous_from: null,
  previous_to: null,
  difference: null,
  difference_percent: null,
  rolling_average: null,
  rolling_sum: null,
  share_percent: null,
  forecast: null,
  progress_percent: null,
  state: null,
} as const

/** Returns a report row as a row of an answer. */
export const toAnswerRow = (row: ReportRow): AnswerRow => ({ ...row, ...NOTHING_ADDED })
