import type { Day } from '../day.ts'
import { type Calendar, type DayRange, type Frequency, isCoarser } from '../period.ts'
import type { Kpi } from '../resources/kpi.ts'
import { reportRow } from '../resources/report-row.ts'
import type { NamedField } from '../schema.ts'
import { type AnswerRow, answerRow } from './answer-row.ts'
import type { TimeFunction } from './functions.ts'

/** Names what an answer can have one row of. */
export const GROUPINGS = ['kpi', 'item', 'category', 'period'] as const
type Grouping = (typeof GROUPINGS)[number]

/** Names what an answer can have a column for each of. */
export const PIVOTS = ['period', 'kpi', 'item'] as const

/** Names the periods that finer values are aggregated to. */
export const AGGREGATED_PERIODS = ['W', 'M', 'Q', 'Y'] as const

/** Names the earlier values that an answer can compare with. */
export const COMPARISONS = ['previous', 'year'] as const

/** Describes what is asked of a report. The steps are done in this order. */
export type Question = {
  readonly by?: (typeof AGGREGATED_PERIODS)[number] | undefined
  /** Puts all items together. */
  readonly total: boolean
  readonly groupBy?: Grouping | undefined
  readonly compare?: (typeof COMPARISONS)[number] | undefined
  /** Says how periods are put together, instead of by the functions of KPIs. */
  readonly function?: TimeFunction | undefined
  /** Tells that some KPIs have functions of their own for that, beside those of the interface. */
  readonly hasFunctions?: boolean | undefined
  /** Counts the periods of a rolling average, and those of a rolling sum. */
  readonly rolling?: number | undefined
  readonly rollingSum?: number | undefined
  readonly share: boolean
  readonly pace: boolean
  readonly onlyMissed: boolean
  /** Asks for what has no value, instead of values. */
  readonly onlyMissing: boolean
  /** Asks for the people who lack values, instead of each value that is missing. */
  readonly perPerson?: boolean
  /** Names a field of the answer. */
  readonly sort?: { readonly field: string; readonly isDescending: boolean } | undefined
  readonly top?: number | undefined
  readonly pivot?: (typeof PIVOTS)[number] | undefined
  /** Adds the totals of a pivot's rows and columns. */
  readonly totals: boolean
  /** Adds the names of units. */
  readonly units: boolean
}

/** Holds what must be known beside the rows: definitions, the account's calendar, the user's day, the range asked for. */
export type Facts = {
  readonly kpis: ReadonlyMap<number, Kpi>
  /** Maps the ids of KPIs to how their periods are put together, where that is not their own function. */
  readonly functions?: ReadonlyMap<number, TimeFunction>
  /** Maps the ids of categories and units to their names; only groups by category, and names of units, need them. */
  readonly categories: ReadonlyMap<number, string>
  readonly units: ReadonlyMap<number, string>
  readonly calendar: Calendar
  readonly today: Day
  readonly range: DayRange
}

/** Tells whether a question needs to know the KPIs, because report rows do not say enough. */
export const needsKpis = (question: Question): boolean => {
  const { by, total, groupBy, compare, rolling, rollingSum, pace, onlyMissing, totals, units } = question
  return [by, total, groupBy, compare, rolling, rollingSum, pace, onlyMissing, totals, units].some(Boolean)
}

/** Tells whether a question needs to know the names of units. */
export const needsUnits = ({ groupBy, units }: Question): boolean => groupBy === 'category' || units

/** Tells whether a question puts the periods of a row together. */
export const joinsPeriods = ({ groupBy }: Question): boolean => groupBy !== undefined && groupBy !== 'period'

/** Tells whether a question puts values of several periods together: in a row, in the periods of `by`, or in totals. */
export const joinsTimes = (question: Question): boolean =>
  question.by !== undefined || question.totals || joinsPeriods(question)

/** Returns the frequency of a KPI's rows in an answer: its own, or the coarser one that was asked for. */
export const answeredFrequency = ({ by }: Question, own: Frequency): Frequency =>
  by !== undefined && isCoarser(by, own) ? by : own

const OF_CATEGORY = ['category_id', 'category', 'unit_id', 'unit', 'aggregate_function'] as const

/** Names the fields that `--compare` adds. */
export const OF_EARLIER = [
  'previous_actual',
  'previous_from',
  'previous_to',
  'difference',
  'difference_percent',
] as const

const addedFields = (question: Question): readonly (keyof AnswerRow)[] => [
  ...(question.units ? (['unit'] as const) : []),
  ...(question.groupBy === 'category' ? OF_CATEGORY : []),
  ...(question.function !== undefined || question.hasFunctions ? (['function'] as const) : []),
  ...(question.groupBy === undefined ? [] : (['first_date', 'last_date', 'values'] as const)),
  ...(question.compare === undefined ? [] : OF_EARLIER),
  ...(question.rolling === undefined ? [] : (['rolling_average'] as const)),
  ...(question.rollingSum === undefined ? [] : (['rolling_sum'] as const)),
  ...(question.share ? (['share_percent'] as const) : []),
  ...(question.pace ? (['forecast'] as const) : []),
  ...(question.onlyMissing ? [] : (['progress_percent', 'state'] as const)),
]

/** Lists the columns of an answer: the report's own, and those that the question adds. */
export const answerColumns = (question: Question): readonly NamedField[] => {
  const added: readonly string[] = addedFields(question)
  const own = new Set(reportRow.shown.map(({ name }) => name))
  return answerRow.shown.filter(({ name }) => own.has(name) || added.includes(name))
}
