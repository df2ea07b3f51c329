import { describe, expect, test } from 'vitest'
import { reportBuilder, type ReportItem, type ReportKpi } from '../../src/domain/report.ts'
import { REPORT_LIMIT } from '../../src/domain/resources/report-row.ts'
import { kpiRecord } from '../support/store.ts'

const MEBIBYTE = 1024 * 1024
const CALENDAR = { week_start: 'monday', fiscal_year_start: 1 } as const
const KPI: ReportKpi = { ...kpiRecord(), unit: { display_format: '#', is_percentage: false }, has_target: false }
const ANN: ReportItem = { id: 1, name: 'Ann' }
const BEN: ReportItem = { id: 2, name: 'Ben' }

/** A report that is made of notes: their items, days and lengths in MiB, a letter for each. */
const made = (entries: readonly (readonly [item: ReportItem, day: number, length: number])[], limit = REPORT_LIMIT) => {
  const builder = reportBuilder(CALENDAR, limit)
  for (const [of, day, length] of entries) {
    const notes = String.fromCharCode(97 + (day % 26)).repeat(length * MEBIBYTE)
    builder.add(KPI, of, { day, actual: null, target: null, notes })
  }
  return builder.finish()
}

describe('the notes of a report', () => {
  test('come whole up to 16 MiB, whatever else was looked at that is not among the first rows', () => {
    const days = Array.from({ length: 30 }, (_, at) => at)
    const { rows, total } = made(
      [...days.map((at) => [ANN, at, 4] as const), ...days.map((at) => [BEN, at, 4] as const)],
      4,
    )
    expect(total).toBe(60)
    expect(Array.from(rows, ({ itemId, entryDate, notes }) => [itemId, entryDate, notes?.[0], notes?.length])).toEqual(
      [0, 1].flatMap((day) => [1, 2].map((id) => [id, day, 'abcd'[day], 4 * MEBIBYTE])),
    )
  })

  test.each([
    [
      'in all',
      Array.from({ length: 9 }, (_, at) => [ANN, at, 4] as const),
      'the notes of this report are over 16 million',
    ],
    [
      'in one row',
      [[ANN, 5, 4] as const, [ANN, 5, 4] as const],
      'the notes of KPI 1 (Sales) for Ann on 1970-01-06 alone',
    ],
  ])('that are longer %s are refused, with what to ask for instead', (_, entries, why) => {
    expect(() => made(entries)).toThrow(
      expect.objectContaining({ code: 'too_large', message: expect.stringContaining(why) }),
    )
  })
})
