import { cellText } from '../../../codec/cell-text.ts'
import { type AnswerRow, answerRow } from '../../../domain/analysis/answer-row.ts'
import type { ReportColumn } from '../../../domain/analysis/report-table.ts'
import {
  formatByPattern,
  readNumberPattern,
  type NumberPattern,
  type NumberSigns,
} from '../../../domain/number-pattern.ts'
import { type Calendar, periodName } from '../../../domain/period.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { fixedFormat, numberFormat, periodFormat } from '../../../export/report/number-format.ts'
import { patternsOfRows } from './answer-table.ts'
import { headOf } from './heads.ts'
import {
  changeText,
  progressText,
  shareText,
  signed,
  STATE_SIGNS,
  TENTHS_OF_PERCENT,
  WHOLE_PERCENT,
} from './progress-text.ts'

const { oneOf: FREQUENCIES } = answerRow.fields.periodId

/** Describes how a column is read: the text of a cell, and how a workbook shows the same. */
type Shown = Pick<ReportColumn, 'sheetValue' | 'sheetFormat'> & {
  readonly textOf: (record: AnyRecord) => string | null
}

const decimalIn = (record: AnyRecord, name: string): bigint | null => {
  const value = record[name]
  return typeof value === 'bigint' ? value : null
}

/** Returns a column of percentages, by the text of one. */
const percentColumn = (
  name: keyof AnswerRow,
  pattern: NumberPattern,
  textOf: (percent: bigint | null, record: AnyRecord) => string | null,
  isSigned = false,
): Shown => ({
  textOf: (record) => textOf(decimalIn(record, name), record),
  sheetFormat: (record) => {
    const percent = decimalIn(record, name)
    if (percent === null) return undefined
    const [text, plain] = [textOf(percent, record), formatByPattern(percent, pattern)]
    // Write a text where a pattern would round what is nearly reached up to the whole.
    return isSigned || text === plain ? numberFormat(percent, pattern, isSigned) : fixedFormat(text ?? '')
  },
})

/** Returns how columns are read that people do not read as they are. */
const shownBy = (calendar: () => Calendar): ReadonlyMap<string, (column: ReportColumn) => Shown> => {
  const periodOf = ({ entryDate, periodId }: AnyRecord) =>
    typeof entryDate === 'number'
      ? ([FREQUENCIES.find((one) => one === periodId) ?? 'D', entryDate, calendar()] as const)
      : undefined
  const stateOf = ({ state }: AnyRecord): string | null =>
    Object.entries(STATE_SIGNS).find(([one]) => one === state)?.[1] ?? null
  const special: Readonly<Partial<Record<keyof AnswerRow, (column: ReportColumn) => Shown>>> = {
    entryDate: ({ blank }) => ({
      textOf: (record) => {
        const period = periodOf(record)
        return period ? periodName(...period) : (blank ?? null)
      },
      sheetValue: ({ entryDate }) => entryDate ?? blank ?? null,
      sheetFormat: (record) => {
        const period = periodOf(record)
        return period && periodFormat(...period)
      },
    }),
    difference_percent: () => percentColumn('difference_percent', TENTHS_OF_PERCENT, changeText, true),
    share_percent: () => percentColumn('share_percent', TENTHS_OF_PERCENT, shareText),
    progress_percent: () =>
      percentColumn('progress_percent', WHOLE_PERCENT, (percent, { state }) => progressText(percent, state === 'met')),
    state: () => ({ textOf: stateOf, sheetValue: stateOf }),
  }
  return new Map(Object.entries(special))
}

/** Shows values of several units, as those of a pivot are: none is rounded. */
const ALL_DECIMALS = readNumberPattern('#.####')

/** Describes how people read a table: the signs of their numbers, and whether values are rounded by the pattern of their unit. */
type Reading = {
  readonly calendar: () => Calendar
  readonly signs?: NumberSigns | undefined
  readonly rounds: boolean
}

/**
 * Returns columns of a report as people read them: under the heads of the overview, or of `heads` by field, periods by their
 * names, values by the pattern of their unit and percents as in the overview. The calendar is asked for when a row is shown,
 * as a service tells it with its answers.
 */
export const withHeads = (
  columns: readonly ReportColumn[],
  { calendar, signs, rounds }: Reading,
  heads: ReadonlyMap<string, string> = new Map(),
): ReportColumn[] => {
  const shown = shownBy(calendar)
  const patternOf = patternsOfRows(rounds)
  const readColumn = (column: ReportColumn): Shown => {
    const { name, field } = column
    const special = shown.get(name)
    if (special) return special(column)
    const isMore = (value: bigint): boolean => name === 'difference' && value > 0n
    const inUnit = (record: AnyRecord) => {
      const value = field.kind === 'decimal' ? decimalIn(record, name) : null
      if (value === null) return undefined
      const pattern = patternOf(column.labelFormat, record) ?? (rounds ? ALL_DECIMALS : undefined)
      return pattern && { value, pattern }
    }
    return {
      textOf: (record) => {
        const one = inUnit(record)
        if (!one) return cellText(field, record[name] ?? null)
        return signed(formatByPattern(one.value, one.pattern, signs), isMore(one.value))
      },
      ...(field.kind === 'decimal'
        ? {
            sheetFormat: (record: AnyRecord) => {
              const one = inUnit(record)
              // A spreadsheet has its own signs for the groups.
              const pattern = one && signs ? { ...one.pattern, isGrouped: true } : one?.pattern
              return one && pattern && numberFormat(one.value, pattern, name === 'difference')
            },
          }
        : {}),
    }
  }
  return columns.map((column) => {
    const { textOf, ...sheet } = readColumn(column)
    const { name, field } = column
    return {
      name: heads.get(name) ?? headOf(name),
      field,
      textOf: (record) => textOf(record) ?? '',
      sheetValue: (record) => record[name] ?? null,
      ...sheet,
    }
  })
}
