import { type Day, formatDay } from '../domain/day.ts'
import { CIVIL_CALENDAR, type Frequency, periodStart } from '../domain/period.ts'
import type { EntryDraft } from '../domain/resources/entry.ts'
import type { Kpi } from '../domain/resources/kpi.ts'
import { ownerOf } from './entry-key.ts'

/** Names the period of each frequency. */
const PERIODS: Readonly<Record<Exclude<Frequency, 'D'>, readonly [adverb: string, noun: string]>> = {
  W: ['weekly', 'week'],
  M: ['monthly', 'month'],
  Q: ['quarterly', 'quarter'],
  Y: ['yearly', 'year'],
}

/** Describes a KPI's periods that have several entries: how many, and two days of the first of them. */
type Crowded = { periods: number; readonly first: readonly [Day, Day] }

const MADE_OF: Readonly<Record<string, string>> = { SUM: 'add them up', AVG: 'show their average' }

const tellOf = ({ name, frequency_id, aggregate_function }: Kpi, { periods, first }: Crowded): string => {
  if (frequency_id === 'D') return ''
  const [adverb, noun] = PERIODS[frequency_id]
  const [one, other] = first.map(formatDay)
  const [what, such] = periods === 1 ? [`one ${noun} has`, ''] : [`${periods} ${noun}s of users have`, 'such as ']
  const made = MADE_OF[aggregate_function] ?? 'combine them into one value'
  return `${name} is ${adverb}, and ${what} several entries, ${such}${one} and ${other}: reports ${made}`
}

/** Tells whether entries of a KPI may share a period. */
export const hasPeriods = (kpi: Kpi | undefined): boolean => kpi !== undefined && kpi.frequency_id !== 'D'

/**
 * Returns a note for each KPI with several entries of one owner in one period, which reports aggregate. Drafts must
 * come in the order of owners, KPIs and days. The default calendar has weeks that begin on Monday and years that begin
 * in January.
 */
export const notesOnPeriods = (
  drafts: Iterable<EntryDraft>,
  kpis: ReadonlyMap<number, Kpi>,
  calendar = CIVIL_CALENDAR,
): string[] => {
  const crowded = new Map<number, Crowded>()
  let before: { readonly owner: number; readonly kpi: number; readonly start: Day; readonly day: Day } | undefined
  let isCounted = false
  for (const draft of drafts) {
    const kpi = kpis.get(draft.kpi_id)
    if (!kpi || kpi.frequency_id === 'D') continue
    const [owner, day] = [ownerOf(draft), draft.entry_date]
    const start = periodStart(kpi.frequency_id, day, calendar)
    const isShared = before?.owner === owner && before.kpi === kpi.id && before.start === start
    if (before && isShared && !isCounted) {
      const known = crowded.get(kpi.id)
      if (known) known.periods += 1
      else crowded.set(kpi.id, { periods: 1, first: [before.day, day] })
    }
    isCounted = isShared
    before = { owner, kpi: kpi.id, start, day }
  }
  return [...crowded].flatMap(([id, found]) => {
    const kpi = kpis.get(id)
    return kpi ? [tellOf(kpi, found)] : []
  })
}
