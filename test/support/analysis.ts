import type { Facts, Question } from '../../src/domain/analysis/question.ts'
import { CIVIL_CALENDAR } from '../../src/domain/period.ts'
import type { Kpi } from '../../src/domain/resources/kpi.ts'
import { day } from './calendar.ts'

/** A question that asks nothing but what is given. */
export const ask = (question: Partial<Question>): Question => ({
  total: false,
  share: false,
  pace: false,
  onlyMissed: false,
  onlyMissing: false,
  totals: false,
  units: false,
  ...question,
})

/** What is known beside the rows of a report, on Saturday the 21st of November 2026. */
export const factsOf = (kpis: readonly Kpi[], range: readonly [from: string, to: string]): Facts => ({
  kpis: new Map(kpis.map((kpi) => [kpi.id, kpi])),
  categories: new Map(),
  units: new Map(),
  calendar: CIVIL_CALENDAR,
  range: { from: day(range[0]), to: day(range[1]) },
  today: day('2026-11-21'),
})
