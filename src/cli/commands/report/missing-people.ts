import type { Client } from '../../../client/client.ts'
import { completeReport } from '../../../client/operations/complete-report.ts'
import type { ReportRequest } from '../../../client/operations/queries.ts'
import type { Answer } from '../../../domain/analysis/answer.ts'
import type { AnswerRow } from '../../../domain/analysis/answer-row.ts'
import type { Expected } from '../../../domain/analysis/missing.ts'
import {
  byPerson,
  latestValues,
  type MissingOfPerson,
  missingPerson,
  missingPersonRecord,
} from '../../../domain/analysis/missing-people.ts'
import type { Facts } from '../../../domain/analysis/question.ts'
import { FIRST_QUERY_DAY, formatDay } from '../../../domain/day.ts'
import { formatByPattern, type NumberSigns, readNumberPattern } from '../../../domain/number-pattern.ts'
import type { DayRange } from '../../../domain/period.ts'
import type { ReportRow } from '../../../domain/resources/report-row.ts'
import type { AnyRecord, NamedField } from '../../../domain/schema.ts'
import { numberFormat } from '../../../export/report/number-format.ts'

/** Describes people with missing values, and the latest value of each. */
export type MissingPeople = {
  readonly people: readonly MissingOfPerson[]
  readonly latest: ReadonlyMap<number, ReportRow>
}

/** Holds how many days before a range people are looked at who have no value in it, in steps. */
const LOOK_BACK = [31, 122, 366] as const

/** Yields days in which the latest values may be: those behind the range first, then ever earlier ones before it. */
function* daysOfLatest({ range, today }: Facts): Generator<DayRange | 'range'> {
  if (range.to < today) yield { from: range.to + 1, to: today }
  yield 'range'
  let to = range.from - 1
  for (const days of LOOK_BACK) {
    const from = Math.max(range.from - days, FIRST_QUERY_DAY)
    if (from <= to) yield { from, to }
    to = from - 1
  }
}

/** Returns the missing values by person; reads the latest value of each, up to a year before the range. */
export const readMissingPeople = async (
  client: Client,
  request: ReportRequest,
  facts: Facts,
  read: {
    readonly rows: readonly ReportRow[]
    readonly missing: readonly AnswerRow[]
    readonly expected: readonly Expected[]
  },
): Promise<MissingPeople> => {
  const people = byPerson(read.missing, read.expected)
  const latest = new Map<number, ReportRow>()
  const isCalculated = (id: number): boolean => facts.kpis.get(id)?.is_calculated === true
  for (const days of daysOfLatest(facts)) {
    const left = people.flatMap(({ user: { id } }) => (latest.has(id) ? [] : [id]))
    if (left.length === 0) break
    const rows =
      days === 'range'
        ? read.rows
        : (await Array.fromAsync(completeReport(client, { ...request, ...days, userIds: left }))).flat()
    const wanted = new Set(left)
    for (const [id, row] of latestValues(rows, isCalculated)) if (wanted.has(id)) latest.set(id, row)
  }
  return { people, latest }
}

/** Returns the number format in which a workbook shows the latest value of a person. */
const latestFormat = ({ latest_actual: actual, latest_label_format: pattern }: AnyRecord): string | undefined =>
  typeof actual === 'bigint'
    ? numberFormat(actual, { ...readNumberPattern(String(pattern)), isGrouped: true })
    : undefined

/** Returns people with missing values as records, in columns for programs. */
export const peopleAnswer = ({ people, latest }: MissingPeople): Answer => ({
  columns: missingPerson.shown.map((one) =>
    one.name === 'latest_actual' ? { ...one, sheetFormat: latestFormat } : one,
  ),
  records: people.map((one) => missingPersonRecord(one, latest)),
})

/** Returns the latest value of a person with its day and KPI, as people read it. */
export const latestText = (person: AnyRecord, signs?: NumberSigns): string => {
  const { latest_date: day, latest_kpi: kpi, latest_actual: actual, latest_label_format: pattern } = person
  if (typeof day !== 'number' || typeof actual !== 'bigint') return 'none in a year'
  return `${formatDay(day)}, ${String(kpi)} ${formatByPattern(actual, readNumberPattern(String(pattern)), signs)}`
}

/** Sets up to how many KPIs a table names. */
const FEW_KPIS = 3

/** Returns the columns of people with missing values in a table: who, how much, since when, and the latest value. */
export const peopleColumns = (signs?: NumberSigns): NamedField[] => {
  const { user, missing, since, kpis } = missingPerson.fields
  return [
    { name: 'user', field: user },
    { name: 'missing', field: missing },
    { name: 'since', field: since },
    { name: 'latest', field: { kind: 'text', about: 'Latest value' }, textOf: (person) => latestText(person, signs) },
    {
      name: 'kpis',
      field: kpis,
      textOf: ({ kpi_count: count, kpis: names }) =>
        Number(count) > FEW_KPIS ? `${String(count)} KPIs` : String(names),
    },
  ]
}
