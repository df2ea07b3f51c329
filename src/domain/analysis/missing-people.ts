import type { Day } from '../day.ts'
import { type Calendar, nextPeriod, periodName } from '../period.ts'
import type { ReportRow } from '../resources/report-row.ts'
import { printable, type Stored } from '../schema.ts'
import type { AnswerRow } from './answer-row.ts'
import type { Expected } from './missing.ts'

/** Defines a person who has not reported all that was due, as it is printed. */
export const missingPerson = printable('missing_person', 'person with missing values', {
  user_id: { kind: 'integer', about: 'Id of the user' },
  user: { kind: 'text', about: 'Name of the user' },
  email: { kind: 'text', about: 'E-mail address of the user' },
  missing: { kind: 'integer', about: 'How many values are missing' },
  since: { kind: 'date', about: 'First day of the first period of the range that has no value' },
  latest_date: {
    kind: 'date',
    about:
      'First day of the latest period with a value of these KPIs; null if there is none up to a year before the range',
    nullable: true,
  },
  latest_kpi: { kind: 'text', about: 'KPI of that value', nullable: true },
  latest_actual: { kind: 'decimal', about: 'That value', nullable: true },
  latest_label_format: { kind: 'text', about: 'Display number format pattern of that value', nullable: true },
  kpi_count: { kind: 'integer', about: 'How many KPIs lack values' },
  kpis: { kind: 'text', about: 'Names of these KPIs' },
})

/** Describes a person who has not reported all that was due. */
type MissingPerson = Stored<typeof missingPerson>

/** Describes the missing values of a person, in the report's order. */
export type MissingOfPerson = { readonly user: Expected['user']; readonly rows: readonly AnswerRow[] }

/** Groups missing values by person: who lacks most comes first. */
export const byPerson = (missing: readonly AnswerRow[], expected: readonly Expected[]): MissingOfPerson[] => {
  const users = new Map(expected.map(({ user }) => [user.id, user]))
  const found = [...Map.groupBy(missing, ({ itemId }) => itemId)].flatMap(([id, rows]) => {
    const user = id === null ? undefined : users.get(id)
    return user ? [{ user, rows }] : []
  })
  return found.toSorted(
    (one, other) => other.rows.length - one.rows.length || one.user.name.localeCompare(other.user.name, 'en'),
  )
}

/** Returns the latest value of each user in rows of a report; what formulas come to is no value that anybody reported. */
export const latestValues = (
  rows: readonly ReportRow[],
  isCalculated: (kpiId: number) => boolean,
): Map<number, ReportRow> => {
  const latest = new Map<number, ReportRow>()
  for (const row of rows) {
    const before = latest.get(row.itemId)
    if (row.actual === null || isCalculated(row.kpiId) || (before && before.entryDate >= row.entryDate)) continue
    latest.set(row.itemId, row)
  }
  return latest
}

const dayOf = ({ entryDate }: AnswerRow): Day => entryDate ?? 0

const namesOf = (rows: readonly AnswerRow[]): string[] => [...new Set(rows.map(({ kpiName }) => kpiName ?? ''))]

/** Returns a person with missing values as a record. */
export const missingPersonRecord = (
  { user, rows }: MissingOfPerson,
  latest: ReadonlyMap<number, ReportRow>,
): MissingPerson => {
  const last = latest.get(user.id)
  const kpis = namesOf(rows)
  return {
    user_id: user.id,
    user: user.name,
    email: user.email,
    missing: rows.length,
    since: rows.map(dayOf).reduce((one, other) => Math.min(one, other)),
    latest_date: last?.entryDate ?? null,
    latest_kpi: last?.kpiName ?? null,
    latest_actual: last?.actual ?? null,
    latest_label_format: last?.labelFormat ?? null,
    kpi_count: kpis.length,
    kpis: kpis.join(', '),
  }
}

/** Describes the missing periods of a KPI: their names, where several follow each other from the first to the last. */
type MissingPeriods = {
  readonly kpi: string
  readonly frequency: string
  readonly count: number
  readonly periods: readonly string[]
}

/** Returns the missing periods of a person by KPI, in the order of their rows. */
export const missingPeriods = ({ rows }: MissingOfPerson, calendar: Calendar): MissingPeriods[] =>
  [...Map.groupBy(rows, ({ kpiId }) => kpiId).values()].map((own) => {
    const frequency = own[0]?.periodId ?? 'D'
    const runs: [first: Day, last: Day][] = []
    for (const start of own.map(dayOf).toSorted((one, other) => one - other)) {
      const run = runs.at(-1)
      if (run && nextPeriod(frequency, run[1]) === start) run[1] = start
      else runs.push([start, start])
    }
    const name = (start: Day): string => periodName(frequency, start, calendar)
    return {
      kpi: own[0]?.kpiName ?? '',
      frequency: own[0]?.period ?? '',
      count: own.length,
      periods: runs.map(([first, last]) => {
        const week = frequency === 'W' ? `week${first === last ? '' : 's'} of ` : ''
        return `${week}${name(first)}${first === last ? '' : ` to ${name(last)}`}`
      }),
    }
  })
