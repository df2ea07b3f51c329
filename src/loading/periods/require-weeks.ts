import type { Client } from '../../client/client.ts'
import { countText } from '../../domain/count-text.ts'
import { type Day, FIRST_ENTRY_DAY, formatDay, LAST_ENTRY_DAY, weekday } from '../../domain/day.ts'
import type { Issue } from '../../domain/errors.ts'
import { type Calendar, nextPeriod, periodStart } from '../../domain/period.ts'
import { requireNoDoubts } from '../../reading/detect/column-formats.ts'
import { ownerOf } from '../../domain/entry-key.ts'
import { readOnce } from '../existing/existing-entries.ts'
import { entriesIn } from '../existing/entry-list.ts'
import type { Sorter } from '../../blocks/sorter.ts'
import { isProvisional } from '../../reading/directory/lookup.ts'
import type { Reference } from '../../reading/directory/reference.ts'
import { lineOf } from '../../blocks/packed-row.ts'
import type { PeriodKpi } from '../../reading/directory/kpi-periods.ts'
import type { PeriodRow } from './stored-periods.ts'

const DAY_NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const

/** Sets within how many days of those of the file a stored entry shows how the weeks of a KPI are written. */
const NEAR = 400

/** Sets which share of dates has to be the same day of the week, so that the others are strays. */
const NEARLY_ALL = 0.75

/** Counts the dates of one owner by their day of the week; each is of another week. */
type Series = { readonly kpiId: number; readonly owner: number; readonly counts: number[] }

/**
 * Describes the dates of a weekly KPI: their range, and of each day of the week how many there are and the first in the
 * file. Of owners with several dates, it holds on which days most of theirs are, and how many dates that are, of all.
 */
type WeekDates = {
  readonly kpi: PeriodKpi
  earliest: Day
  latest: Day
  readonly counts: number[]
  readonly first: ({ readonly day: Day; readonly line: number } | undefined)[]
  readonly ofOwners: { dates: number; alike: number; readonly weekdays: Set<number> }
}

/** Watches the dates of weekly KPIs. */
type WeekWatcher = {
  /** Notes the date of a row, which has to come in the order of the keys. */
  readonly note: (row: PeriodRow) => void
  /** Returns what has been noted of each KPI. */
  readonly finish: () => readonly WeekDates[]
}

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

/** Returns the day of the week that most dates are, and how many of them. */
const mostOf = (counts: readonly number[]): readonly [weekday: number, count: number] => {
  const most = Math.max(...counts)
  return [counts.indexOf(most), most]
}

const noCounts = (): number[] => DAY_NAMES.map(() => 0)

/** Creates a watcher of the dates of weekly KPIs. */
export const createWeekWatcher = (): WeekWatcher => {
  const weeks = new Map<number, WeekDates>()
  let series: Series | undefined
  const endSeries = (): void => {
    const ofOwners = weeks.get(series?.kpiId ?? 0)?.ofOwners
    const counts = series?.counts ?? []
    const dates = sumOf(counts)
    // A single date shows nothing of how its owner writes weeks.
    if (!ofOwners || dates < 2) return
    const [day, most] = mostOf(counts)
    ofOwners.dates += dates
    ofOwners.alike += most
    if (most >= NEARLY_ALL * dates) ofOwners.weekdays.add(day)
  }
  return {
    note: ({ draft, kpi, place }) => {
      if (kpi.frequency_id !== 'W') return
      const [day, line, owner] = [draft.entry_date, lineOf(place), ownerOf(draft)]
      if (series?.kpiId !== kpi.id || series.owner !== owner) {
        endSeries()
        series = { kpiId: kpi.id, owner, counts: noCounts() }
      }
      const ofOwners = { dates: 0, alike: 0, weekdays: new Set<number>() }
      const begun = { kpi, earliest: day, latest: day, counts: noCounts(), first: [], ofOwners }
      const dates: WeekDates = weeks.get(kpi.id) ?? begun
      weeks.set(kpi.id, dates)
      const at = weekday(day)
      for (const counts of [dates.counts, series.counts]) counts[at] = (counts[at] ?? 0) + 1
      if (line < (dates.first[at]?.line ?? Infinity)) dates.first[at] = { day, line }
      dates.earliest = Math.min(dates.earliest, day)
      dates.latest = Math.max(dates.latest, day)
    },
    finish: () => {
      endSeries()
      series = undefined
      return [...weeks.values()]
    },
  }
}

/** Returns the days of the week on which weeks are written: by nearly all dates, or by those of nearly all owners. */
const weekdaysOf = ({ counts, ofOwners }: WeekDates): Set<number> => {
  const [day, most] = mostOf(counts)
  const { dates, alike, weekdays } = ofOwners
  return new Set([
    ...(most >= NEARLY_ALL * sumOf(counts) ? [day] : []),
    ...(dates > 0 && alike >= NEARLY_ALL * dates ? weekdays : []),
  ])
}

/** Tells whether a column is named for the last day of a week, and so says in which week that day lies. */
const namesEnd = (header: string): boolean => /^(?:week[ _-]?(?:end(?:ing|s|ed)?|to)|w[ _]?\/?e)\b/i.test(header.trim())

/** Returns on which of the days that are asked about, and others, entries of a KPI are stored: its weeks were written so before. */
const storedWeekdays = async (
  client: Client,
  reference: Pick<Reference, 'unchecked'>,
  { kpi, earliest, latest }: WeekDates,
  asked: readonly number[],
  stored: Sorter,
): Promise<ReadonlySet<number>> => {
  const found = new Set<number>()
  if (isProvisional(kpi.id)) return found
  for (const { key } of entriesIn(stored)) if (key[1] === kpi.id) found.add(weekday(key[2]))
  if (asked.every((at) => found.has(at))) return found
  const [from, to] = [Math.max(earliest - NEAR, FIRST_ENTRY_DAY), Math.min(latest + NEAR, LAST_ENTRY_DAY)]
  const entries = await readOnce(client, reference, () => client.entries.list({ kpiId: kpi.id, from, to }))
  for (const { entry_date } of entries ?? []) found.add(weekday(entry_date))
  return found
}

const doubtOf = ({ kpi, counts, first }: WeekDates, at: number, calendar: Calendar): Issue[] => {
  const example = first[at]
  if (!example) return []
  const { day, line } = example
  const start = periodStart('W', day, calendar)
  const begins = DAY_NAMES[weekday(start)]
  const [count, all] = [counts[at] ?? 0, sumOf(counts)]
  const dates = count === all ? 'all its dates' : `${countText(count)} of its ${countText(all)} dates`
  return [
    {
      field: kpi.name,
      message:
        `is weekly, and ${dates} are ${DAY_NAMES[at]}s, such as ${formatDay(day)} on line ${line}, while weeks of the account begin on ${begins}: ` +
        `--period-dates as-is takes the week in which the day lies, from ${formatDay(start)}; ` +
        `--period-dates next takes the one that begins after it, on ${formatDay(nextPeriod('W', start))}`,
    },
  ]
}

/** Holds the dates of a file's weekly KPIs, what is stored in their periods, the calendar of the account, and the name of the column of dates. */
type WeeksOfFile = {
  readonly weeks: readonly WeekDates[]
  readonly stored: Sorter
  readonly calendar: Calendar
  readonly header: string
}

/** Tells whether a date says in which week it lies: the first of its week, or in a column named so, the last. */
const saysWeek = (day: Day, { calendar, header }: WeeksOfFile): boolean => {
  const start = periodStart('W', day, calendar)
  return day === start || (namesEnd(header) && day === nextPeriod('W', start) - 1)
}

/** Sets how many faults are shown. */
const SHOWN = 10

/**
 * Refuses rows of weekly KPIs whose dates, or those of some owners, are nearly all the same day of the week, and not the
 * one with which weeks of the account begin: they may begin weeks of their own, most of which lie in another week than
 * the day does.
 */
export const requireWeeks = async (
  client: Client,
  reference: Pick<Reference, 'unchecked'>,
  file: WeeksOfFile,
): Promise<void> => {
  const doubts: Issue[] = []
  for (const dates of file.weeks) {
    const asked = [...weekdaysOf(dates)].filter((at) => !saysWeek(dates.first[at]?.day ?? 0, file))
    if (asked.length === 0) continue
    const known = await storedWeekdays(client, reference, dates, asked, file.stored)
    for (const at of asked) if (!known.has(at)) doubts.push(...doubtOf(dates, at, file.calendar))
  }
  const more = doubts.length - SHOWN
  requireNoDoubts([...doubts.slice(0, SHOWN), ...(more > 0 ? [{ field: 'others', message: `${more} more` }] : [])])
}
