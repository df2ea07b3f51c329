import type { Client } from '../../client/client.ts'
import { readCalendar } from '../../client/operations/calendar.ts'
import type { Day } from '../../domain/day.ts'
import {
  type Calendar,
  CIVIL_CALENDAR,
  type DayRange,
  isKnownFrequency,
  nextPeriod,
  periodStart,
} from '../../domain/period.ts'
import { frequencyNames } from '../../domain/resources/catalog.ts'
import type { Kpi } from '../../domain/resources/kpi.ts'
import { shellWord } from '../output/text.ts'
import { daysOf, type DayTelling } from './day-range.ts'
import { dependsOnCalendar, isPlainDate, parseRelativeDays } from './relative-dates.ts'

/** Describes the days that `--date` names: one, or those of a period, whose value has its first day. */
export type DateDays = DayRange & { readonly isPeriod: boolean; readonly calendar: Calendar }

/** Returns the days of `--date`; asks when weeks and years begin only where its word depends on it. */
export const readDateDays = async (client: Client, word: string, today: Day): Promise<DateDays> => {
  const calendar = dependsOnCalendar(word) ? await readCalendar(client) : CIVIL_CALENDAR
  return { ...parseRelativeDays(word, { today, calendar }), calendar }
}

/** Tells whether some days are one period of a KPI; a day is one of every KPI. */
export const isPeriodOf = ({ frequency_id: own }: Pick<Kpi, 'frequency_id'>, days: DateDays): boolean => {
  if (!days.isPeriod) return true
  if (own === 'D' || !isKnownFrequency(own)) return false
  return periodStart(own, days.from, days.calendar) === days.from && nextPeriod(own, days.from) - 1 === days.to
}

const SAMPLES: Readonly<Record<string, string>> = {
  W: ', or a week such as 2026-W07',
  M: ', or a month such as 2026-10',
  Q: ', or a quarter such as 2026-Q3',
  Y: ', or a year such as 2026',
}

/** Says why a KPI has no value of a period. */
export const notItsPeriod = (word: string, days: DayRange, { name, frequency_id: own }: Kpi): string => {
  const is = isKnownFrequency(own) ? frequencyNames[own].toLowerCase() : `of frequency ${own}`
  return `--date ${shellWord(word)} is ${daysOf(days)}, and ${name} is ${is}; write a day${SAMPLES[own] ?? ''}`
}

/** Notes which day a word stands for. */
export const tellDay = async (
  cli: DayTelling,
  word: string | undefined,
  day: string,
  flag = '--date',
): Promise<void> => {
  if (word === undefined || !isPlainDate(word)) await cli.io?.tellDays?.({ [flag]: day })
  if (word === undefined || isPlainDate(word)) return
  await cli.note(`${flag} ${shellWord(word)} is ${day} in ${cli.today().zone}`)
}
