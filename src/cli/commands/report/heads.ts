import { cellText } from '../../../codec/cell-text.ts'
import { type AnswerRow, answerRow } from '../../../domain/analysis/answer-row.ts'
import { type Calendar, periodName } from '../../../domain/period.ts'
import type { AnyRecord, NamedField } from '../../../domain/schema.ts'
import { changeText, progressText, shareText, STATE_SIGNS } from './progress-text.ts'

/** Maps fields to the heads that people read, which are those of the overview. */
const HEADS: Readonly<Partial<Record<keyof AnswerRow, string>>> = {
  entryDate: 'period',
  kpiName: 'kpi',
  itemName: 'item',
  previous_actual: 'before',
  previous_from: 'before_from',
  previous_to: 'before_to',
  difference: 'change',
  difference_percent: 'percent',
  share_percent: 'share',
  progress_percent: 'progress',
}

const { oneOf: FREQUENCIES } = answerRow.fields.periodId

/** Returns the field that a head stands for; a name that is no head stands for itself. */
export const fieldOfHead = (name: string): string =>
  Object.entries(HEADS).find(([, head]) => head === name)?.[0] ?? name

/** Returns the texts of fields that people do not read as they are. */
const textsBy = (calendar: () => Calendar): Readonly<Record<string, (record: AnyRecord) => string | null>> => {
  const percent = (record: AnyRecord, name: keyof AnswerRow): bigint | null => {
    const value = record[name]
    return typeof value === 'bigint' ? value : null
  }
  return {
    entryDate: ({ entryDate, periodId }) =>
      typeof entryDate !== 'number'
        ? null
        : periodName(FREQUENCIES.find((one) => one === periodId) ?? 'D', entryDate, calendar()),
    difference_percent: (record) => changeText(percent(record, 'difference_percent')),
    share_percent: (record) => shareText(percent(record, 'share_percent')),
    progress_percent: (record) => progressText(percent(record, 'progress_percent'), record['state'] === 'met'),
    state: ({ state }) => Object.entries(STATE_SIGNS).find(([one]) => one === state)?.[1] ?? null,
  }
}

/**
 * Returns columns of a report as people read them: under the heads of the overview, periods by their names and percents as
 * there. The calendar is asked for when a row is shown, as a service tells it with its answers.
 */
export const withHeads = (columns: readonly NamedField[], calendar: () => Calendar): NamedField[] => {
  const texts = textsBy(calendar)
  const heads: Readonly<Record<string, string>> = HEADS
  return columns.map(({ name, field }) => {
    const plain = (record: AnyRecord): string => cellText(field, record[name] ?? null)
    const text = texts[name]
    return { name: heads[name] ?? name, field, textOf: text ? (record) => text(record) ?? '' : plain }
  })
}
