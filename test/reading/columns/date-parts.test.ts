import { describe, expect, test } from 'vitest'
import { createDirectory } from '../../../src/client/directory.ts'
import { planColumns, UnclearHeader } from '../../../src/reading/columns/columns.ts'
import type { Directories } from '../../../src/reading/columns/wide.ts'
import type { ImportOptions } from '../../../src/reading/options/options.ts'
import { headingWith } from '../../support/heading.ts'
import { optionsOf } from '../../support/import.ts'

const directories: Directories = {
  kpi: createDirectory('KPI', [{ id: 1, name: 'Sales' }]),
  user: createDirectory('user', [{ id: 2, name: 'Ann', email: 'ann@example.com' }]),
}

const OF_ANN = { user: 'Ann', kpi: 'Sales' }

/** Plans a file with a column of sales behind some others. */
const plan = (header: string, rows: readonly string[], given: Partial<ImportOptions> = {}) =>
  planColumns(
    headingWith(
      [...header.split(','), 'value'],
      rows.map((row, at) => [...row.split(','), String(at + 0.5)]),
    ),
    optionsOf({ ...OF_ANN, ...given }),
    directories,
  )

/** The faults of a header. */
const faults = (header: string, rows: readonly string[], given: Partial<ImportOptions> = {}): string[] => {
  try {
    plan(header, rows, given)
    return []
  } catch (error) {
    if (!(error instanceof UnclearHeader)) throw error
    return error.issues.map(({ field, message }) => `${field}: ${message}`)
  }
}

describe('a date in several columns', () => {
  test.each<[header: string, rows: string[], says: string]>([
    ['year,month,day', ['2026,1,31', '2026,2,1'], 'is made up of "year", "month" and "day": --map date=year+month+day'],
    ['day,month,year', ['31,1,2026'], 'is made up of "year", "month" and "day": --map date=year+month+day'],
    ['Year,Month', ['2026,1', '2026,12'], 'is made up of "Year" and "Month": --map date=Year+Month'],
    ['Jahr,Monat', ['2026,Januar', '2026,März'], 'is made up of "Jahr" and "Monat": --map date=Jahr+Monat'],
    ['año,mes,día', ['2026,1,31'], 'is made up of "año", "mes" and "día": --map date=año+mes+día'],
    ['Année,Semaine', ['2026,1', '2026,31'], 'is made up of "Année" and "Semaine": --map date=Année+Semaine'],
    ['Year,Quarter', ['2026,1', '2026,4'], 'is made up of "Year" and "Quarter": --map date=Year+Quarter'],
    ['Year,Quarter', ['2026,Q1', '2026,Q4'], 'is made up of "Year" and "Quarter": --map date=Year+Quarter'],
    ['年,月', ['2026,1', '2026,12'], 'is made up of "年" and "月": --map date=年+月'],
    [
      'Fiscal Year,Calendar Week',
      ['2026,31'],
      'is made up of "Fiscal Year" and "Calendar Week": --map "date=Fiscal Year+Calendar Week"',
    ],
    // What is called date is no date, but the day of the month.
    ['year,month,date', ['2026,1,31'], 'is made up of "year", "month" and "date": --map date=year+month+date'],
    // A quarter says no more than a month does.
    ['year,quarter,month', ['2026,1,1', '2026,2,4'], 'is made up of "year" and "month": --map date=year+month'],
    [
      'year,month,week',
      ['2026,1,2', '2026,2,6'],
      'is in several columns; say in which: --map date=year+month or --map date=year+week',
    ],
    // A row for the whole year does not change what the others are.
    ['year,month', ['2026,1', '2026,2', '2026,Total'], 'is made up of "year" and "month": --map date=year+month'],
  ])('of %s as in %j names the flag that joins them', (header, rows, says) => {
    expect(faults(header, rows)).toEqual([`date: ${says}`])
    const [, flag = ''] = /--map "?date=([^" ]+(?: [^" ]+)*?)"?(?: or |$)/.exec(says) ?? []
    expect(faults(header, rows, { map: new Map([['date', flag]]) })).toEqual([])
  })

  test.each<[why: string, header: string, rows: string[]]>([
    ['there is a date beside them', 'date,year,month', ['2026-01-31,2026,1']],
    ['the day is a whole date', 'year,month,day', ['2026,1,2026-01-31']],
    ['the month is one of a year', 'year,month', ['2026,2026-01']],
    ['there is only a year', 'month', ['2026-01']],
  ])('is not asked about where %s', (_, header, rows) => {
    expect(faults(header, rows)).toEqual([])
  })

  test('is not asked about where a flag gives the date', () => {
    expect(faults('year,month', ['2026,1'], { date: '2026-01-01' })).toEqual([])
  })
})
