import { describe, expect, test } from 'vitest'
import { comparedDays, earlierDays } from '../../../src/domain/analysis/earlier.ts'
import type { Question } from '../../../src/domain/analysis/question.ts'
import { formatDay } from '../../../src/domain/day.ts'
import { ask, factsOf } from '../../support/analysis.ts'
import { day } from '../../support/calendar.ts'
import { kpiRecord } from '../../support/store.ts'

const range = (from: string, to: string) => ({ from: day(from), to: day(to) })

describe('what lies before the range', () => {
  const kpis = [
    kpiRecord({ id: 1, frequency_id: 'D' }),
    kpiRecord({ id: 2, frequency_id: 'M' }),
    kpiRecord({ id: 3, frequency_id: 'D' }),
  ]

  test.each<[string, Partial<Question>, string[]]>([
    ['is not read without need', { by: 'M', total: true, share: true, pace: true }, []],
    ['is one period of each frequency', { compare: 'previous' }, ['2026-11-14 1,3', '2026-10-01 2']],
    ['is a year', { compare: 'year' }, ['2025-11-15 1,3', '2025-11-01 2']],
    ['is as many periods as are averaged, less one', { rolling: 3 }, ['2026-11-13 1,3', '2026-09-01 2']],
    ['is what needs more', { rolling: 3, compare: 'previous' }, ['2026-11-13 1,3', '2026-09-01 2']],
    ['is whole longer periods', { compare: 'previous', by: 'M' }, ['2026-10-01 1,2,3']],
    [
      'ends where the years of the service begin',
      { compare: 'previous', rolling: 1000, by: 'Y' },
      ['1899-01-01 1,2,3'],
    ],
  ])('%s', (_, question, wanted) => {
    const reads = earlierDays(ask(question), factsOf(kpis, ['2026-11-15', '2026-11-21']))
    expect(reads.map(({ from, kpiIds }) => `${formatDay(from)} ${kpiIds.join(',')}`)).toEqual(wanted)
    expect(reads.every(({ to }) => to === day('2026-11-14'))).toBe(true)
  })

  test.each<[string, 'previous' | 'year', [string, string], [string, string]]>([
    ['as many days', 'previous', ['2026-11-01', '2026-11-21'], ['2026-10-11', '2026-10-31']],
    ['as many whole months', 'previous', ['2026-02-01', '2026-02-28'], ['2026-01-01', '2026-01-31']],
    ['whole months over a year', 'previous', ['2026-01-01', '2026-03-31'], ['2025-10-01', '2025-12-31']],
    ['the same days', 'year', ['2026-11-01', '2026-11-21'], ['2025-11-01', '2025-11-21']],
    ['the same whole months', 'year', ['2025-02-01', '2025-02-28'], ['2024-02-01', '2024-02-29']],
  ])('of collapsed periods is a range of %s', (_, compare, asked, wanted) => {
    const facts = { ...factsOf(kpis, asked), today: day(asked[1]) }
    expect(comparedDays(compare, 'D', facts).with).toEqual(range(...wanted))
    const [read] = earlierDays(ask({ groupBy: 'kpi', compare }), facts)
    expect(read).toEqual({ ...range(...wanted), kpiIds: [1, 3] })
  })
})
