import type { Client } from '../../../client/client.ts'
import type { ReportRequest } from '../../../client/operations/queries.ts'
import type { Answer } from '../../../domain/analysis/answer.ts'
import type { Expected } from '../../../domain/analysis/missing.ts'
import { TOTAL_COLUMN } from '../../../domain/analysis/pivot.ts'
import type { Facts, Question } from '../../../domain/analysis/question.ts'
import { type Frequency, isCoarser, nextPeriod, periodStart, periodTitle } from '../../../domain/period.ts'
import type { ReportRow } from '../../../domain/resources/report-row.ts'
import type { Cli } from '../../cli.ts'
import { frequenciesIn, valuesText } from './compared-notes.ts'
import { tellWhereValuesLie } from './where-values-lie.ts'

/** Says which values of a period that the range cuts count: of finer ones those that begin in the range. */
const countedText = (finer: readonly Frequency[], whole: Frequency | undefined, also: string): string => {
  const isOne = finer.length === 1 && whole === undefined
  const parts = finer.map((own) => {
    if (own === 'D') return isOne ? 'its days in the range' : 'daily values in the range'
    return `${valuesText([own])} that begin in ${own === finer[0] ? 'the range' : 'it'}`
  })
  const counted = parts.length === 0 ? [] : [`only ${parts.join(' and ')} count${also}`]
  return [...counted, ...(whole === undefined ? [] : [`${valuesText([whole])} count whole`])].join('; ')
}

/** Notes which periods of an answer hold only a part of their values, as the range cuts them. */
export const noteCutPeriods = async (
  cli: Cli,
  question: Question,
  facts: Facts,
  rows: readonly ReportRow[],
): Promise<void> => {
  const { by, rolling, rollingSum } = question
  const what = [rolling === undefined ? [] : 'averages', rollingSum === undefined ? [] : 'sums'].flat().join(' and ')
  const { calendar, range, today } = facts
  if (by === undefined) return
  const [first, last] = [periodStart(by, range.from, calendar), periodStart(by, range.to, calendar)]
  const title = (start: number): string => periodTitle(by, start, calendar)
  const finer = frequenciesIn(rows).filter((own) => isCoarser(by, own))
  const also = what === '' ? '' : `, also in ${what} with whole periods`
  const isWhole = rows.some(
    ({ periodId, entryDate, actual }) => periodId === by && entryDate === last && actual !== null,
  )
  if (first < range.from && finer.length > 0)
    await cli.note(`${title(first)} begins before --from: ${countedText(finer, undefined, also)}`)
  if (range.to < Math.min(nextPeriod(by, last) - 1, today)) {
    // A value of the whole period belongs to its first day.
    const counted = countedText(finer, isWhole ? by : undefined, also)
    if (counted !== '') await cli.note(`${title(last)} ends after --to: ${counted}`)
  } else if (what !== '' && range.to >= today && today >= last && nextPeriod(by, last) - 1 > today)
    await cli.note(`${title(last)} is under way: what it has so far counts in ${what} with whole periods`)
}

/** Sets how many KPIs a note names. */
const FEW_KPIS = 3

/**
 * Notes of which KPIs the items are averaged, although their periods are put together by another function: whoever asks for the
 * last values may expect their sum.
 */
const noteAveragedItems = async (
  cli: Cli,
  { total, totals, groupBy }: Question,
  { functions, kpis }: Facts,
  rows: readonly ReportRow[],
): Promise<void> => {
  const joinsItems = total || totals || (groupBy !== undefined && groupBy !== 'item')
  if (!joinsItems) return
  const averaged = [...(functions?.keys() ?? [])].flatMap((id) => {
    const items = new Set(rows.flatMap(({ kpiId, itemId }) => (kpiId === id ? [itemId] : [])))
    const kpi = kpis.get(id)
    return items.size > 1 && kpi?.aggregate_function === 'AVG' ? [kpi.name] : []
  })
  if (averaged.length === 0) return
  const of = averaged.length > FEW_KPIS ? `${averaged.length} KPIs` : averaged.join(', ')
  await cli.note(
    `the items of ${of} are averaged, as KPIs that are averages are: a function over time is for periods alone`,
  )
}

/** Notes what a forecast needs to be understood: that there is none, or what its target is. */
const noteForecasts = async (cli: Cli, { records }: Answer, { by }: Question): Promise<void> => {
  const foreseen = records.filter(({ forecast }) => typeof forecast === 'bigint')
  if (foreseen.length === 0) return cli.note('no forecast: none of these periods is under way')
  if (by === undefined || !foreseen.some(({ target }) => typeof target === 'bigint')) return
  await cli.note('the target of a period under way is that of its values so far; its progress compares these two')
}

/** Notes why nothing is missing. */
export const noteNothingMissing = (
  { note }: Cli,
  expected: readonly Expected[],
  { range, today }: Facts,
): Promise<void> => {
  if (expected.length === 0) return note('nothing is missing: none of these KPIs is assigned to one of these users')
  if (range.from > today) return note('nothing is missing: the range lies ahead')
  return note('nothing is missing: each value that is due is there')
}

/** Describes an answer, and what it was made of: the rows in the range. */
type Answered = {
  readonly answer: Answer
  readonly question: Question
  readonly facts: Facts
  readonly rows: readonly ReportRow[]
}

/** Notes what an answer does not say itself: why it is empty, and what its forecasts are. */
export const noteAnswer = async (
  cli: Cli,
  client: Client,
  request: ReportRequest,
  { answer, question, facts, rows }: Answered,
): Promise<void> => {
  if (rows.length === 0) return tellWhereValuesLie(cli, client, request)
  await noteAveragedItems(cli, question, facts, rows)
  if (answer.records.length === 0 && question.onlyMissed) return cli.note('no value in the range misses its target')
  if (question.pace) await noteForecasts(cli, answer, question)
  if (question.totals && !answer.columns.some(({ name }) => name === TOTAL_COLUMN)) {
    await cli.note(
      'no column of totals: only KPIs that are sums in one unit, with one direction and function, are added up',
    )
  }
}
