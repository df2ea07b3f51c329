import { listFirst } from '../../../domain/count-text.ts'
import { type Day, formatDay } from '../../../domain/day.ts'
import { functionOf } from '../../../domain/analysis/aggregate.ts'
import { type ComparedDays, comparedDays, comparedParts, comparedPeriod } from '../../../domain/analysis/earlier.ts'
import { answeredFrequency, type Facts, joinsPeriods, type Question } from '../../../domain/analysis/question.ts'
import {
  asCoarseAs,
  type Calendar,
  type DayRange,
  daysOfPeriodsIn,
  type Frequency,
  nextPeriod,
  periodStart,
  periodTitle,
} from '../../../domain/period.ts'
import { frequencyNames } from '../../../domain/resources/catalog.ts'
import type { ReportRow } from '../../../domain/resources/report-row.ts'
import type { Cli } from '../../cli.ts'
import { countOf } from '../../output/text.ts'

type Comparison = NonNullable<Question['compare']>

/** Describes a question that compares, and the rows of its range. */
type Compared = {
  readonly compare: Comparison
  readonly question: Question
  readonly facts: Facts
  readonly rows: readonly ReportRow[]
}

const rangeText = ({ from, to }: DayRange): string =>
  from === to ? formatDay(from) : `${formatDay(from)} to ${formatDay(to)}`

const comparedText = ({ days, with: others }: ComparedDays): string =>
  `${rangeText(days)} is compared with ${rangeText(others)}`

/** Says also how many days there are on each side, where one has more. */
const partText = (part: ComparedDays): string => {
  const [own, other] = [part.days, part.with].map(({ from, to }) => to - from + 1)
  return own === other ? comparedText(part) : `${comparedText(part)} (${countOf(own ?? 0, 'day')} with ${other})`
}

/** Says the same of weeks, each of which counts in the part in which it begins. */
const weeksText = ({ days, with: others }: ComparedDays): string => {
  const [own, other] = [days, others].map((range) => `${range.from === range.to ? 'on' : 'from'} ${rangeText(range)}`)
  return `the weeks that begin ${own} are compared with those ${other}`
}

/** Says that what a period under way has so far is compared with another period that is over. */
export const underWayText = (frequency: Frequency, start: Day, calendar: Calendar, other: string): string =>
  `${periodTitle(frequency, start, calendar)} is under way: what it has so far is compared with ${other}`

/** Returns the frequencies of rows, the finest first. */
export const frequenciesIn = (rows: readonly ReportRow[]): Frequency[] => {
  const found = new Set(rows.map(({ periodId }) => periodId))
  return asCoarseAs('D').filter((frequency) => found.has(frequency))
}

/** Names the values of some frequencies: `daily and monthly values`. */
export const valuesText = (frequencies: readonly Frequency[]): string =>
  `${frequencies.map((frequency) => frequencyNames[frequency].toLowerCase()).join(' and ')} values`

/** Returns how a note on the values of some frequencies begins, where there are others as well. */
const ofValues = (frequencies: readonly Frequency[], rows: readonly ReportRow[]): string =>
  frequencies.length === frequenciesIn(rows).length ? '' : `${valuesText(frequencies)}: `

/** Says which days rows of the whole range are compared with; of each frequency, where they differ. */
const rangeNotes = ({ compare, facts, rows }: Compared): string[] => {
  const texts = Map.groupBy(frequenciesIn(rows), (frequency) => comparedText(comparedDays(compare, frequency, facts)))
  return [...texts].map(([text, frequencies]) => ofValues(frequencies, rows) + text)
}

/** Says which parts of periods that finer values make are compared with which. */
const partNotes = ({ compare, question, facts, rows }: Compared): string[] => {
  const { by } = question
  if (by === undefined) return []
  const finer = frequenciesIn(rows).filter((own) => answeredFrequency(question, own) !== own)
  // All but weeks have the same parts.
  return [...Map.groupBy(finer, (own) => own === 'W')].flatMap(([areWeeks, [own = by, ...others]]) =>
    comparedParts(compare, by, facts, own).map((part) => {
      const state = part.days.to === facts.today ? 'under way' : 'not whole'
      const title = `${periodTitle(by, part.start, facts.calendar)} is ${state}`
      return areWeeks
        ? `${title}: ${weeksText(part)}`
        : `${ofValues([own, ...others], rows)}${title}: ${partText(part)}`
    }),
  )
}

/** Says which values of a period that is under way are compared with those of a period that is over. */
const underWayNotes = ({ compare, question, facts, rows }: Compared): string[] =>
  frequenciesIn(rows).flatMap((own) => {
    if (own === 'D' || (!joinsPeriods(question) && answeredFrequency(question, own) !== own)) return []
    const { calendar, today } = facts
    const start = periodStart(own, today, calendar)
    const isThere = rows.some(
      ({ periodId, entryDate, actual }) => periodId === own && entryDate === start && actual !== null,
    )
    if (!isThere || nextPeriod(own, start) - 1 === today) return []
    const other = joinsPeriods(question)
      ? 'a whole one'
      : `all of ${periodTitle(own, comparedPeriod(compare, own, start), calendar)}`
    return [ofValues([own], rows) + underWayText(own, start, calendar, other)]
  })

/** Says that values of days to come count in what is compared, though nothing of the earlier time counts against them. */
const laterNotes = ({ question, facts, rows }: Compared): string[] => {
  const { today, calendar, range } = facts
  const { by } = question
  if (range.from > today || (by === undefined && !joinsPeriods(question))) return []
  const end =
    joinsPeriods(question) || by === undefined ? range.to : nextPeriod(by, periodStart(by, today, calendar)) - 1
  const isLater = rows.some(({ entryDate, actual }) => actual !== null && entryDate > today && entryDate <= end)
  return isLater
    ? [
        'values of days after today count, but what they are compared with ends with today: end the range with --to today',
      ]
    : []
}

/** Counts the weeks that begin in some days. */
const weeksIn = (range: DayRange, { calendar }: Facts): number => {
  const { from, to } = daysOfPeriodsIn('W', range, calendar)
  return (to - from + 1) / 7
}

const MOST_SHOWN = 2

/** Says where sums of more weeks are compared with those of fewer, as months, quarters and years have not always as many. */
const weekNotes = ({ compare, question, facts, rows }: Compared): string[] => {
  const { by } = question
  if (by === undefined || by === 'W' || joinsPeriods(question)) return []
  const { calendar, kpis } = facts
  const summed = rows.filter(({ kpiId, periodId }) => {
    const of = periodId === 'W' ? kpis.get(kpiId) : undefined
    return of !== undefined && functionOf(facts, of) === 'sum'
  })
  const parts = comparedParts(compare, by, facts, 'W')
  const starts = new Set(summed.map(({ entryDate }) => periodStart(by, entryDate, calendar)))
  const uneven = [...starts].flatMap((start) => {
    const before = comparedPeriod(compare, by, start)
    const whole = {
      days: { from: start, to: nextPeriod(by, start) - 1 },
      with: { from: before, to: nextPeriod(by, before) - 1 },
    }
    const { days, with: others } = parts.find((part) => part.start === start) ?? whole
    const [own, other] = [weeksIn(days, facts), weeksIn(others, facts)]
    return own === other ? [] : [`${countOf(own, 'week')} of ${periodTitle(by, start, calendar)} with ${other}`]
  })
  const more = listFirst(uneven, MOST_SHOWN)
  return uneven.length === 0 ? [] : [`sums of more and of fewer weeks are compared: ${more}`]
}

/** Notes which days are compared with which, where that is not each period with a whole one. */
export const noteComparedDays = async (
  cli: Cli,
  question: Question,
  facts: Facts,
  rows: readonly ReportRow[],
): Promise<void> => {
  const { compare } = question
  if (compare === undefined) return
  const compared = { compare, question, facts, rows }
  const days = joinsPeriods(question) ? rangeNotes(compared) : partNotes(compared)
  for (const note of [...days, ...underWayNotes(compared), ...laterNotes(compared), ...weekNotes(compared)])
    await cli.note(note)
}
