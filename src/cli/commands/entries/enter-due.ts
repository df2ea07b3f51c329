import type { Client } from '../../../client/client.ts'
import { createDirectory } from '../../../client/directory.ts'
import { readCalendar } from '../../../client/operations/calendar.ts'
import { entryPages } from '../../../client/operations/entry-pages.ts'
import { effectiveTarget } from '../../../domain/report.ts'
import { timelineOf } from '../../../domain/targets/dated-targets.ts'
import { type Day, formatDay } from '../../../domain/day.ts'
import { type Decimal, formatDecimal } from '../../../domain/decimal.ts'
import { KpiError } from '../../../domain/errors.ts'
import { type Calendar, isKnownFrequency, nextPeriod, periodStart, periodTitle } from '../../../domain/period.ts'
import { frequencyNames } from '../../../domain/resources/catalog.ts'
import type { Entry } from '../../../domain/resources/entry.ts'
import type { Kpi } from '../../../domain/resources/kpi.ts'

/** Describes a KPI that a user enters: its unit, the target that counts, and the period that a day belongs to. */
export type EnteredKpi = {
  readonly kpi: Kpi
  readonly unit: string
  readonly target: Decimal | null
  readonly period: { readonly start: Day; readonly end: Day; readonly title: string | undefined }
}

/** Describes a KPI that is asked for: the day that its value gets, the entry that is there, and the one before. */
export type AskedKpi = EnteredKpi & {
  readonly day: Day
  readonly held: Entry | undefined
  readonly last: Entry | undefined
}

/** Returns the period of a day. One of a third-party service's own frequencies counts as a day. */
const periodOf = ({ frequency_id }: Kpi, day: Day, calendar: Calendar): EnteredKpi['period'] => {
  if (frequency_id === 'D' || !isKnownFrequency(frequency_id)) return { start: day, end: day, title: undefined }
  const start = periodStart(frequency_id, day, calendar)
  return { start, end: nextPeriod(frequency_id, start) - 1, title: periodTitle(frequency_id, start, calendar) }
}

/** Returns the KPIs whose values a user enters, in the order of the entry screen, and how many others the user has. */
export const readEntered = async (
  client: Client,
  userId: number,
  day: Day,
): Promise<{ readonly entered: readonly EnteredKpi[]; readonly others: number }> => {
  const assignments = await client.assignments(userId).list()
  const kpis = createDirectory('KPI', await client.kpis.list()).byId
  const units = createDirectory('unit', await client.units.list()).byId
  const calendar = await readCalendar(client)
  const entered = assignments
    .toSorted((one, other) => one.sort_order - other.sort_order)
    .flatMap((one) => {
      const { id, user_target } = one
      const kpi = kpis.get(id)
      if (!kpi || kpi.is_calculated || !kpi.is_active) return []
      const period = periodOf(kpi, day, calendar)
      const { base: target_default, targets } = timelineOf(kpi, kpi.target_default)
      const own = timelineOf(one, user_target)
      const target = effectiveTarget(null, own, { target_default, targets }, period.start)
      return [{ kpi, unit: units.get(kpi.unit_id ?? NaN)?.name ?? '', target, period }]
    })
  return { entered, others: assignments.length - entered.length }
}

/** Tells whether a KPI is due on a day: a daily one always is, any other on the first day of its period. */
export const isDue = ({ period }: EnteredKpi, day: Day): boolean => period.start === day

/** Names a KPI that is not due, with the day on which it is: `Churn (weekly, --date 2026-11-16)`. */
export const undueLabel = ({ kpi, period }: EnteredKpi): string =>
  `${kpi.name} (${frequencyNames[kpi.frequency_id].toLowerCase()}, --date ${formatDay(period.start)})`

/** Lists what a service answers that cannot list entries. */
const NO_LIST: ReadonlySet<string> = new Set(['not_found', 'method_not_allowed', 'unsupported', 'not_acceptable'])

/** Returns the user's entries of some days; none where a third-party service cannot list them. */
const readEntries = async (client: Client, userId: number, from: Day, to: Day): Promise<Entry[]> => {
  const found: Entry[] = []
  try {
    for await (const page of entryPages(client, { from, to, userId })) {
      for (const one of page) if (one.user_id === userId) found.push(one)
    }
  } catch (error) {
    if (client.isBundled() || !(error instanceof KpiError) || !NO_LIST.has(error.code)) throw error
  }
  return found
}

/** Set how many days are looked back for the last values: first the near ones, then the far ones if some lack there. */
const NEAR = 35
const FAR = 400

const lastBefore = (entries: readonly Entry[], { kpi, period }: EnteredKpi): Entry | undefined =>
  entries
    .filter((one) => one.kpi_id === kpi.id && one.entry_date < period.start && one.actual !== null)
    .toSorted((one, other) => other.entry_date - one.entry_date)[0]

/** Returns the entry of a KPI's period: that of its first day, or the latest. */
const heldIn = (entries: readonly Entry[], { kpi, period }: EnteredKpi): Entry | undefined => {
  const own = entries
    .filter((one) => one.kpi_id === kpi.id && one.entry_date >= period.start && one.entry_date <= period.end)
    .toSorted((one, other) => other.entry_date - one.entry_date)
  return own.find(({ entry_date }) => entry_date === period.start) ?? own[0]
}

/** Adds to KPIs what is stored of their period and before it. The value of a period replaces the one that is there. */
export const withStored = async (
  client: Client,
  userId: number,
  day: Day,
  due: readonly EnteredKpi[],
): Promise<AskedKpi[]> => {
  if (due.length === 0) return []
  const near = due.reduce((first, { period }) => Math.min(first, period.start), day - NEAR)
  const last = due.reduce((end, { period }) => Math.max(end, period.end), day)
  let entries = await readEntries(client, userId, near, last)
  if (due.some((one) => !lastBefore(entries, one)))
    entries = [...entries, ...(await readEntries(client, userId, Math.min(near, day - FAR), near - 1))]
  return due.map((one) => {
    const held = heldIn(entries, one)
    return { ...one, day: held?.entry_date ?? one.period.start, held, last: lastBefore(entries, one) }
  })
}

const isThere = (entry: Entry | undefined): entry is Entry & { readonly actual: Decimal } =>
  entry !== undefined && entry.actual !== null

/** Returns the question for a KPI: its unit, period and target, the last value, and the one that is there. */
export const questionOf = ({ kpi, unit, target, period, held, last }: AskedKpi): string => {
  const on = (entry: Entry): string =>
    period.title !== undefined && entry === held && entry.entry_date === period.start
      ? ''
      : ` on ${formatDay(entry.entry_date)}`
  const facts = [
    unit,
    period.title ?? '',
    target === null ? '' : `target ${formatDecimal(target)}`,
    isThere(last) ? `last ${formatDecimal(last.actual)}${on(last)}` : '',
    isThere(held) ? `now ${formatDecimal(held.actual)}${period.title === undefined ? '' : on(held)}` : '',
  ].filter((fact) => fact !== '')
  return `${kpi.name} (${[facts.join(', '), 'Enter leaves it'].filter((part) => part !== '').join('; ')})`
}
