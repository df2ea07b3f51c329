import type { Client } from '../../client/client.ts'
import { nextTurn } from '../../client/next-turn.ts'
import { countedText, countText } from '../../domain/count-text.ts'
import { formatDay } from '../../domain/day.ts'
import { formatDecimal } from '../../domain/decimal.ts'
import { type Issue, KpiError } from '../../domain/errors.ts'
import { type Calendar, CIVIL_CALENDAR, periodTitle } from '../../domain/period.ts'
import type { CheckedFile } from '../../reading/entries/check.ts'
import { roleHeader } from '../../reading/columns/roles.ts'
import { createSorter } from '../../blocks/sorter.ts'
import type { ImportOptions, PeriodDates } from '../../reading/options/options.ts'
import { frequencyOfFormat } from '../../reading/missing/define-kpi.ts'
import { dateFormatOf } from '../../reading/missing/plan-missing.ts'
import type { Reference } from '../../reading/directory/reference.ts'
import type { Batch } from '../../reading/rows/batches.ts'
import { lineOf } from '../../blocks/packed-row.ts'
import { createPeriodFinder, PERIOD_WORDS, periodKpi } from '../../reading/directory/kpi-periods.ts'
import { createWeekWatcher, requireWeeks } from './require-weeks.ts'
import { findSharedPeriods, type PeriodEntry, type SharedPeriods } from './shared-periods.ts'
import { type PeriodRow, readStoredPeriods } from './stored-periods.ts'

const MADE_OF: Readonly<Record<string, string>> = { SUM: 'add them up (SUM)', AVG: 'show their average (AVG)' }

const valueText = ({ actual }: PeriodEntry): string =>
  typeof actual === 'bigint' ? `(${formatDecimal(actual)})` : '(no actual)'

const entryText = (one: PeriodEntry): string =>
  one.place === undefined
    ? `${formatDay(one.day)} ${valueText(one)} is stored`
    : `line ${lineOf(one.place)} has ${formatDay(one.day)} ${valueText(one)}`

const ownerText = (owner: number, { users, sources }: Reference): string =>
  owner > 0 ? (users.byId.get(owner)?.name ?? `user ${owner}`) : (sources?.byId.get(-owner)?.name ?? `item ${-owner}`)

/** Returns which dates the stored entries have, and the flag by which the rows meet them. */
const hintOf = ({ storedAt, kpi }: SharedPeriods, periodDates: PeriodDates | undefined): string => {
  const [at, ...others] = storedAt
  if (at === undefined) return ''
  const [, noun] = PERIOD_WORDS[kpi.frequency_id]
  if (at !== 'other' && others.length === 0) {
    return `; the stored entries are on the ${at} day of their ${noun}: --period-dates ${at}`
  }
  const where = `; the stored entries are not all on the first, or all on the last day of their ${noun}`
  return periodDates === undefined ? where : `${where}: delete those that are to go, or use --period-dates as-is`
}

/** Says that entries of a KPI would share periods, with the first of them. */
const issueOf = (shared: SharedPeriods, reference: Reference, calendar: Calendar, asked?: PeriodDates): Issue => {
  const { kpi, owner, period, entries, periods } = shared
  const { name, frequency_id, aggregate_function } = kpi
  const [adverb, noun] = PERIOD_WORDS[frequency_id]
  const many = periods === 1 ? `one ${noun} has` : `${countText(periods)} ${noun}s (counted by owner) have`
  const first = `${ownerText(owner, reference)}, ${periodTitle(frequency_id, period.start, calendar)}`
  const made = MADE_OF[aggregate_function] ?? 'combine them into one value'
  return {
    field: name,
    message:
      `is ${adverb}, and ${many} several entries, of which reports ${made}. ` +
      `${periods === 1 ? '' : 'First: '}${first}: ${entries.map(entryText).join(', ')}${hintOf(shared, asked)}`,
  }
}

const SETTLED_BY: Issue = {
  field: '--period-dates',
  message:
    'first or last moves dates to the first or last day of their period, where rows that meet are one entry (see --on-duplicate); as-is keeps them',
}

/** Sets how many KPIs are shown. */
const SHOWN_KPIS = 10

const refusal = (
  found: readonly SharedPeriods[],
  reference: Reference,
  calendar: Calendar,
  periodDates: PeriodDates | undefined,
): KpiError => {
  const shown = found.slice(0, SHOWN_KPIS).map((one) => issueOf(one, reference, calendar, periodDates))
  const more = found.length - SHOWN_KPIS
  return new KpiError('malformed', 'nothing was sent: a period is to have one entry, and some would have several', {
    issues: [...shown, ...(more > 0 ? [{ field: 'others', message: countedText(more, 'more KPI') }] : []), SETTLED_BY],
  })
}

/** Holds the parts of a checked file that the check of periods uses. */
type Checked = Pick<CheckedFile, 'plan' | 'formats' | 'reference'> & { readonly batches: () => Iterable<Batch> }

/** Tells whether days of the file may be those with which weeks of its own begin: neither a flag nor their format says weeks. */
const mayBeginWeeks = (checked: Checked, { periodDates, date }: ImportOptions): boolean =>
  periodDates === undefined && date === undefined && frequencyOfFormat(dateFormatOf(checked) ?? '') !== 'W'

/**
 * Returns a function that yields the rows of KPIs that are not daily, in the order of their keys, in turns; `onRow` receives
 * each of them.
 */
const periodRows = ({ reference: { kpis }, batches }: Checked, calendar: Calendar, onProgress: () => Promise<void>) =>
  async function* (onRow: (row: PeriodRow) => void = () => undefined): AsyncGenerator<PeriodRow> {
    const periodOf = createPeriodFinder(calendar)
    for (const { drafts, lines } of batches()) {
      await onProgress()
      for (const [at, draft] of drafts.entries()) {
        const kpi = periodKpi(kpis.byId.get(draft.kpi_id))
        if (!kpi) continue
        const places = lines[at] ?? 0
        const place = typeof places === 'number' ? places : (places[0] ?? 0)
        const row = { draft, place, kpi, period: periodOf(kpi.frequency_id, draft.entry_date) }
        onRow(row)
        yield row
      }
    }
  }

/** Describes an import whose periods are checked. */
type PeriodChecks = {
  readonly client: Client
  readonly options: ImportOptions
  readonly folder: string
  readonly signal: AbortSignal
  readonly onProgress: (progress: { readonly phase: 'stored'; readonly done: number }) => void
}

/**
 * Refuses a file whose dates may mean weeks that begin on another day than those of the account. Refuses one after whose
 * import an owner would have several entries of a KPI in one period, which reports aggregate: from two rows, or from a row
 * and an entry that is stored on another day. With `--period-dates as-is` nothing is checked or read.
 */
export const requireOneEntryPerPeriod = async (
  { client, options, folder, signal, onProgress: tell }: PeriodChecks,
  checked: Checked,
  onProgress: () => void,
): Promise<void> => {
  const { periodDates } = options
  if (periodDates === 'as-is') return
  const { plan, reference } = checked
  const calendar = client.calendar ?? CIVIL_CALENDAR
  const weeks = createWeekWatcher()
  const pause = async (): Promise<void> => {
    await nextTurn(signal)
    onProgress()
  }
  const rows = periodRows(checked, calendar, pause)
  const stored = createSorter(folder)
  try {
    tell({ phase: 'stored', done: 0 })
    await readStoredPeriods(client, reference, rows, stored)
    const found = await findSharedPeriods(rows(weeks.note), stored, periodDates !== undefined)
    if (found.length > 0) throw refusal(found, reference, calendar, periodDates)
    if (!mayBeginWeeks(checked, options)) return
    await requireWeeks(client, reference, { weeks: weeks.finish(), stored, calendar, header: roleHeader(plan, 'date') })
  } finally {
    stored.close()
  }
}
