import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Client } from '../../../client/client.ts'
import { readCalendar } from '../../../client/operations/calendar.ts'
import type { ReportRequest } from '../../../client/operations/queries.ts'
import { readReportDays } from '../../../client/operations/report-days.ts'
import { type Day, formatDay } from '../../../domain/day.ts'
import { CIVIL_CALENDAR, type DayRange, periodBefore, periodStart } from '../../../domain/period.ts'
import { type ReportDay, reportRow } from '../../../domain/resources/report-row.ts'
import { type EarlierFile, type EarlierRange, readEarlier } from '../../../export/report/earlier-file.ts'
import { formatOfName } from '../../../export/report/formats.ts'
import { type Origin, readOrigin } from '../../../export/report/manifest.ts'
import type { Continued, FileLook } from '../../../export/report/report-file.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { shellWord } from '../../output/text.ts'
import { parseRelativeDays } from '../../args/relative-dates.ts'
import { readLonger } from './under-way.ts'

/** Describes how a file goes on: the days that it will hold, and what it keeps of the earlier one; all is new without that. */
type Continuation = { readonly range: DayRange; readonly kept?: Continued }

/** Describes what is added to a file. */
type Added = {
  readonly cli: Cli
  readonly client: Client
  readonly look: FileLook
  /** Names the service and the filters. */
  readonly origin: Pick<Origin, 'service' | 'filters'>
  readonly request: ReportRequest
  /** Holds the day from which on a service that cannot tell what has changed is read again, if one was named. */
  readonly lookBack: Day | undefined
  /** Holds the days that were asked for. */
  readonly asked: DayRange
}

/**
 * Returns the day from which on a file is read again where the service cannot tell what has changed: its last one, and
 * for KPIs that are measured less often, the period before the one of that day, as its value mostly comes when it is
 * over; or the periods of an earlier day from which on to look.
 */
const againFrom = async ({ client, request, lookBack }: Added, held: EarlierRange): Promise<Day> => {
  const longer = (await readLonger(client, request)) ?? []
  const calendar = await readCalendar(client)
  const all = new Set([...held.frequencies, ...longer.map(({ frequency_id }) => frequency_id)])
  all.delete('D')
  const back = lookBack ?? held.last
  const starts = [...all].flatMap((one) => [
    periodBefore(one, periodStart(one, held.last, calendar)),
    periodStart(one, back, calendar),
  ])
  return Math.min(held.last, back, ...starts)
}

/** Sets how many rows that are as they were are read again to save a request. */
const MOST_BETWEEN = 2000

/** Returns the days whose rows differ, as few ranges. */
const changedRanges = (before: ReadonlyMap<Day, ReportDay>, now: ReadonlyMap<Day, ReportDay>): readonly DayRange[] => {
  const ranges: { from: Day; to: Day }[] = []
  let between = 0
  for (const day of [...new Set([...before.keys(), ...now.keys()])].toSorted((one, other) => one - other)) {
    const [held, found] = [before.get(day), now.get(day)]
    if (held?.digest === found?.digest) {
      between += held?.rows ?? 0
      continue
    }
    const last = ranges.at(-1)
    if (last && between <= MOST_BETWEEN) last.to = day
    else ranges.push({ from: day, to: day })
    between = 0
  }
  return ranges
}

/** Returns which days of a file are read again: those that have changed, or the last ones if the service cannot tell. */
const findAgain = async (added: Added, held: EarlierRange, range: DayRange): Promise<readonly DayRange[]> => {
  const { cli, client, request } = added
  const days = await readReportDays(client, { ...request, ...range })
  if (days) return changedRanges(held.days, days)
  const from = Math.max(range.from, await againFrom(added, held))
  if (from > held.first) {
    await cli.note(
      `rows before ${formatDay(from)} stay as they were: this service does not tell what has changed there; --look-back 90d and the like read them again`,
    )
  }
  return [{ from, to: range.to }]
}

/** Returns a range; refuses one that ends before it begins. */
const inOrder = (range: DayRange): DayRange => {
  if (range.from <= range.to) return range
  throw new UsageError(`--from ${formatDay(range.from)} is after --to ${formatDay(range.to)}`)
}

const requireLater = (name: string, last: Day, { to }: DayRange): void => {
  if (last <= to) return
  throw new UsageError(
    `${name} has days up to ${formatDay(last)}, and --to ${formatDay(to)} is before that; give a later --to, or write the file again with --to-file`,
  )
}

const LOOK_BACK = /^\d{1,5}[dwmy]$/

/** Returns the day so long ago as `--look-back` says. */
export const readLookBack = (cli: Cli, text: string | undefined): Day | undefined => {
  if (text === undefined) return undefined
  if (!LOOK_BACK.test(text)) throw new UsageError(`--look-back ${shellWord(text)} is no time; write 90d, 12w, 3m or 1y`)
  return parseRelativeDays(`-${text}`, { today: cli.today().day, calendar: CIVIL_CALENDAR }).from
}

/** Returns how a file goes on, `name` for people; it is written as a whole if it is not there, or not as it was written. */
export const continueFile = async (added: Added, name: string): Promise<Continuation> => {
  const { cli, look, origin, asked } = added
  const path = resolve(cli.io.cwd, name)
  if (!existsSync(path)) return { range: inOrder(asked) }
  const known = await readOrigin(path, name, origin)
  const range = { from: known?.from ?? asked.from, to: asked.to }
  if (known && !known.isAsWritten) {
    await cli.note(`${name} is not what its manifest says; all of it is read again, from ${formatDay(range.from)}`)
    return { range: inOrder(range) }
  }
  const { isGzip } = formatOfName(name)
  const earlier: EarlierFile = { path, name, format: look.format, isGzip, columns: reportRow.shown }
  const held = await readEarlier(earlier)
  if (!held) return { range: inOrder(range) }
  requireLater(name, held.last, asked)
  const from = Math.min(known?.from ?? held.first, held.first)
  const all = { ...range, from }
  return { range: all, kept: { earlier, again: await findAgain(added, held, all) } }
}
