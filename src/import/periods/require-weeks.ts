import type { Client } from '../../client/client.ts'
import { type Day, FIRST_ENTRY_DAY, formatDay, LAST_ENTRY_DAY, weekday } from '../../domain/day.ts'
import type { Issue } from '../../domain/errors.ts'
import { type Calendar, nextPeriod, periodStart } from '../../domain/period.ts'
import { requireNoDoubts } from '../detect/column-formats.ts'
import { readOnce } from '../existing/existing-entries.ts'
import { entriesIn } from '../existing/entry-list.ts'
import type { Sorter } from '../external-sort/sorter.ts'
import { isProvisional } from '../provisional-id.ts'
import type { Reference } from '../reference.ts'
import { lineOf } from '../rows/packed-row.ts'
import type { PeriodKpi } from './kpi-periods.ts'
import type { PeriodRow } from './stored-periods.ts'

const DAY_NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const

/** Sets within how many days of those of the file a stored entry shows how the weeks of a KPI are written. */
const NEAR = 400

/** Describes the dates of a weekly KPI: the first of them in the file, their range, and the days of the week that they are. */
type WeekDates = {
  readonly kpi: PeriodKpi
  first: { day: Day; line: number }
  earliest: Day
  latest: Day
  readonly weekdays: Set<number>
}

/** Holds the dates of each weekly KPI. */
export type DatesOfWeeks = Map<number, WeekDates>

/** Notes the date of a row of a weekly KPI; a row may be noted again. */
export const noteWeek = (weeks: DatesOfWeeks, { draft, kpi, place }: PeriodRow): void => {
  if (kpi.frequency_id !== 'W') return
  const [day, line] = [draft.entry_date, lineOf(place)]
  const begun = { kpi, first: { day, line }, earliest: day, latest: day, weekdays: new Set<number>() }
  const dates = weeks.get(kpi.id) ?? begun
  if (line < dates.first.line) dates.first = { day, line }
  dates.earliest = Math.min(dates.earliest, day)
  dates.latest = Math.max(dates.latest, day)
  dates.weekdays.add(weekday(day))
  weeks.set(kpi.id, dates)
}

/** Tells whether a column is named for the last day of a week, and so says in which week that day lies. */
const namesEnd = (header: string): boolean => /^(?:week[ _-]?(?:end(?:ing|s|ed)?|to)|w[ _]?\/?e)\b/i.test(header.trim())

/** Tells whether entries of a KPI are stored on a day of the week, so that its weeks have been written so before. */
const isStored = async (
  client: Client,
  reference: Pick<Reference, 'unchecked'>,
  { kpi, first, earliest, latest }: WeekDates,
  stored: Sorter,
): Promise<boolean> => {
  if (isProvisional(kpi.id)) return false
  for (const { key } of entriesIn(stored)) if (key[1] === kpi.id && weekday(key[2]) === weekday(first.day)) return true
  const [from, to] = [Math.max(earliest - NEAR, FIRST_ENTRY_DAY), Math.min(latest + NEAR, LAST_ENTRY_DAY)]
  const entries = await readOnce(client, reference, () => client.entries.list({ kpiId: kpi.id, from, to }))
  return entries?.some(({ entry_date }) => weekday(entry_date) === weekday(first.day)) ?? false
}

const doubtOf = ({ kpi, first: { day, line } }: WeekDates, calendar: Calendar): Issue => {
  const start = periodStart('W', day, calendar)
  const [name, begins] = [DAY_NAMES[weekday(day)], DAY_NAMES[weekday(start)]]
  return {
    field: kpi.name,
    message:
      `is weekly, and all its dates are ${name}s, such as ${formatDay(day)} on line ${line}, while weeks of the account begin on ${begins}: ` +
      `--period-dates as-is takes the week in which the day lies, from ${formatDay(start)}; ` +
      `--period-dates next takes the one that begins after it, on ${formatDay(nextPeriod('W', start))}`,
  }
}

/** Holds the dates of a file's weekly KPIs, what is stored in their periods, the calendar of the account, and the name of the column of dates. */
type WeeksOfFile = {
  readonly weeks: DatesOfWeeks
  readonly stored: Sorter
  readonly calendar: Calendar
  readonly header: string
}

/** Sets how many KPIs are shown. */
const SHOWN = 10

/**
 * Refuses rows of weekly KPIs whose dates are all the same day of the week, and not the one with which weeks of the
 * account begin: they may begin weeks of their own, most of which lie in another week than the day does.
 */
export const requireWeeks = async (
  client: Client,
  reference: Pick<Reference, 'unchecked'>,
  { weeks, stored, calendar, header }: WeeksOfFile,
): Promise<void> => {
  const doubts: Issue[] = []
  for (const dates of weeks.values()) {
    const { day } = dates.first
    const start = periodStart('W', day, calendar)
    if (dates.weekdays.size > 1 || day === start || (namesEnd(header) && day === nextPeriod('W', start) - 1)) continue
    if (!(await isStored(client, reference, dates, stored))) doubts.push(doubtOf(dates, calendar))
  }
  const more = doubts.length - SHOWN
  requireNoDoubts([...doubts.slice(0, SHOWN), ...(more > 0 ? [{ field: 'others', message: `${more} more KPIs` }] : [])])
}
