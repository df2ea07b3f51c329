import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Client } from '../../../client/client.ts'
import { readCalendar } from '../../../client/operations/calendar.ts'
import type { ReportRequest } from '../../../client/operations/queries.ts'
import { type Day, formatDay } from '../../../domain/day.ts'
import { type DayRange, periodBefore, periodStart } from '../../../domain/period.ts'
import { reportRow } from '../../../domain/resources/report-row.ts'
import { type EarlierFile, type EarlierRange, readEarlier } from '../../../export/report/earlier-file.ts'
import { formatOfName } from '../../../export/report/formats.ts'
import { type Origin, readOrigin } from '../../../export/report/manifest.ts'
import type { Continued, FileLook } from '../../../export/report/report-file.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
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
  readonly request: Pick<ReportRequest, 'kpiIds'>
  /** Holds the days that were asked for. */
  readonly asked: DayRange
}

/**
 * Returns the day from which on a file is read again: its last one, and for KPIs that are measured less often, the
 * period before the one of that day, as its value mostly comes when it is over.
 */
const againFrom = async ({ client, request }: Added, { last, frequencies }: EarlierRange, first: Day): Promise<Day> => {
  const longer = (await readLonger(client, request)) ?? []
  const calendar = await readCalendar(client)
  const all = new Set([...frequencies, ...longer.map(({ frequency_id }) => frequency_id)])
  all.delete('D')
  const starts = [...all].map((one) => periodBefore(one, periodStart(one, last, calendar)))
  return Math.max(first, Math.min(last, ...starts))
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
  return { range: { ...range, from }, kept: { earlier, again: await againFrom(added, held, from) } }
}
