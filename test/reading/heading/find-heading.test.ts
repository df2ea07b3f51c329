import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findHeading, headerRows } from '../../../src/reading/heading/find-heading.ts'
import { ignoresRow, isNameOfTotal } from '../../../src/reading/heading/left-out-rows.ts'
import { mergeLabels } from '../../../src/reading/heading/table-body.ts'
import type { Row } from '../../../src/tabular/source/table.ts'

const rowsOf = (text: string): Row[] =>
  text
    .split('\n')
    .map((line, at) => ({ line: at + 1, cells: line.split(';') }))
    .filter(({ cells }) => cells.length > 1 || cells[0] !== '')

const headingOf = (text: string, skipLines?: number): { line: number; upper: readonly string[] | undefined } => {
  const rows = rowsOf(text)
  const { at, upper } = findHeading(rows, skipLines)
  return { line: rows[at]?.line ?? 0, upper }
}

describe('the header is found', () => {
  test.each<[name: string, text: string, line: number]>([
    ['in the first row', 'user;kpi;date;actual\nAnn;Sales;2026-01-01;1', 1],
    ['in the first row, whose rows are longer', 'a;b\n1;2;3\n4;5;6', 1],
    [
      'in the first row of known names and years, above numbers with scales',
      'Mitarbeiter;Kennzahl;2027\nAnn Lee;Umsatz;5.500 €\nBob Ray;Umsatz;3,8 Mio. €\nAnn Lee;Besuche;12',
      1,
    ],
    ['in the first row of one column', 'actual\n1\n2', 1],
    ['in the first row, with a column without a name', ';2026-01;2026-02\nNorth;1;2\nSouth;3;4', 1],
    ['below a title', 'Sales report\nstore;date;value\nNorth;2026-01-01;1', 2],
    ['below a title and a blank line', 'Sales report\n\nstore;date;value\nNorth;2026-01-01;1', 3],
    ['below a title of a table of two columns', 'Sales report\ndate;value\n2026-01-01;1\n2026-01-02;2', 2],
    ['below a title with empty cells', 'Sales report;;;\n;;;\nstore;date;value;note\nNorth;2026-01-01;1;x', 3],
    [
      'below pairs of what the file is',
      'Source;World Bank\nUpdated;2026-01-05\nCountry;Code;Indicator;2020;2021;2022\nFrance;FRA;GDP;1;2;3',
      3,
    ],
    ['above rows with many empty cells', 'Country;2020;2021;2022;2023\nFrance;;;;1\nGermany;1;;;', 1],
    ['in a table of words', 'user;kpi;notes\nAnn;Sales;good\nBob;Sales;bad\nAnn;Goal;fair', 1],
    ['above a row with a bad number', 'user;date;actual\nAnn;soon;much\nAnn;2026-01-01;2\nBob;2026-01-01;3', 1],
  ])('%s', (_, text, line) => {
    expect(headingOf(text)).toEqual({ line, upper: undefined })
  })

  test('after the lines that are skipped', () => {
    expect(headingOf('a;b;c\n\nstore;date;value\nNorth;2026-01-01;1', 1).line).toBe(3)
    expect(() => headingOf('a;b\n1;2', 7)).toThrow('--skip-lines 7 skips all of the file')
  })

  test('or both rows are shown that may be it', () => {
    const text = 'Sales;all stores;in EUR\nStore;When;Revenue\nNorth;2026-01;1\nSouth;2026-01;2\nWest;2026-01;3'
    expect(() => headingOf(text)).toThrow(
      'line 1 (Sales, all stores, in EUR) or line 2 (Store, When, Revenue) may be the header: say which with --skip-lines 0 or --skip-lines 1',
    )
    expect(headingOf(text, 1).line).toBe(2)
  })
})

describe('a row of units is found below two header rows of', () => {
  const DATES = ';2026-01;2026-02;2026-01;2026-02'
  test.each<[name: string, text: string, line: number]>([
    ['KPIs above months', `Store;Sales;;Visits;\n${DATES}\n;EUR;EUR;pers.;pers.\nA;1;2;3;4`, 2],
    ['one row for months', `;Sales;;Visits;\nStore${DATES}\n;EUR;EUR;pers.;pers.\nA;1;2;3;4`, 2],
    [
      'years above quarters, with a title',
      'Revenue\nStore;2024;;2025;\n;Q1;Q2;Q1;Q2\n;EUR;EUR;EUR;EUR\nA;1;2;3;4\nB;1;2;3;4',
      3,
    ],
    [
      'years above KPIs',
      'Store;2024;;2025;\n;Sales;Visits;Sales;Visits\n;EUR;pers.;EUR;pers.\nA;1;2;3;4\nB;1;2;3;4',
      2,
    ],
  ])('%s', (_, text, line) => {
    const found = findHeading(rowsOf(text), undefined)
    expect(found).toMatchObject({ at: line - 1, units: line })
    expect(found.upper?.filter((label) => label !== '')).not.toEqual([])
    expect(findHeading(rowsOf(text), line - 2)).toEqual(found)
  })
})

describe('two header rows are', () => {
  test.each<[name: string, text: string, upper: string[]]>([
    [
      'KPIs above months',
      ';Revenue;;Visits;\nStore;2026-01;2026-02;2026-01;2026-02\nNorth;1;2;3;4',
      ['', 'Revenue', 'Revenue', 'Visits', 'Visits'],
    ],
    [
      'months above KPIs',
      ';2026-01;;2026-02;\nStore;Revenue;Visits;Revenue;Visits\nNorth;1;2;3;4',
      ['', '2026-01', '2026-01', '2026-02', '2026-02'],
    ],
    ['years above months', ';2025;;2026;\nStore;Nov;Dec;Jan;Feb\nNorth;1;2;3;4', ['', '2025', '2025', '2026', '2026']],
    [
      'one KPI above months',
      ';Revenue;;\nStore;2026-01;2026-02;2026-03\nNorth;1;2;3',
      ['', 'Revenue', 'Revenue', 'Revenue'],
    ],
    [
      'KPIs above months, and a title above both',
      'Report\n;Revenue;;Visits;\nStore;2026-01;2026-02;2026-01;2026-02\nNorth;1;2;3;4',
      ['', 'Revenue', 'Revenue', 'Visits', 'Visits'],
    ],
  ])('%s', (_, text, upper) => {
    expect(headingOf(text).upper).toEqual(upper)
  })

  test('named where either row has a label', () => {
    expect(mergeLabels(['', '2026-01'], ['Store', 'Revenue'])).toEqual(['Store', '2026-01'])
  })
})

test('a table without titles is never cut', () => {
  const word = fc.constantFrom('North', 'South', 'Ann Lee', 'Sales', 'x y')
  const number = fc.integer({ min: -999, max: 9999 }).map(String)
  const table = fc.integer({ min: 1, max: 6 }).chain((width) =>
    fc.record({
      header: fc.uniqueArray(
        fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h') }),
        {
          minLength: width + 1,
          maxLength: width + 1,
        },
      ),
      rows: fc.array(fc.tuple(word, ...Array.from({ length: width }, () => number)), { minLength: 1, maxLength: 30 }),
    }),
  )
  fc.assert(
    fc.property(table, ({ header, rows }) => {
      const lines = [header, ...rows].map((cells, at) => ({ line: at + 1, cells }))
      expect(findHeading(lines, undefined)).toMatchObject({ at: 0, upper: undefined })
    }),
  )
})

test('titles of one cell are cut off, however many there are', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1, maxLength: 30 }), { maxLength: 8 }),
      fc.integer({ min: 2, max: 9 }),
      (titles, width) => {
        const header = Array.from({ length: width }, (_, at) => `column ${at}`)
        const data = Array.from({ length: 5 }, () => header.map(() => '7'))
        const lines = [...titles.map((title) => [title]), header, ...data].map((cells, at) => ({ line: at + 1, cells }))
        expect(findHeading(lines, undefined)).toMatchObject({ at: titles.length, upper: undefined })
      },
    ),
  )
})

test('rows are left out by a cell, or by how it begins', () => {
  const isIgnored = ignoresRow(['Total', 'Source:*'])
  expect(
    [['total ', '1'], ['1', 'TOTAL'], ['Source: us'], ['Total Wine', '2'], ['a source: b']].map(isIgnored),
  ).toEqual([true, true, true, false, false])
  expect(ignoresRow(['none'])(['none'])).toBe(false)
})

test('rows are left out by one of many beginnings, some of which begin with others', () => {
  const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 4 }), { maxLength: 12 })
  fc.assert(
    fc.property(
      texts,
      fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 6 }),
      (some, cell) => {
        expect(ignoresRow(some.map((text) => `${text}*`))([cell])).toBe(some.some((text) => cell.startsWith(text)))
      },
    ),
  )
})

test('names of totals are known in many languages', () => {
  expect(['Total', 'Grand Total', 'Summe', 'Итого', '合計', 'total général', 'North'].map(isNameOfTotal)).toEqual([
    true,
    true,
    true,
    true,
    true,
    true,
    false,
  ])
})

test('of very long rows a few show where the header is', async () => {
  const row = (line: number): Row => ({ line, cells: Array.from({ length: 2 }, () => 'a'.repeat(1_000_000)) })
  const rows = async function* (): AsyncGenerator<readonly Row[]> {
    yield Array.from({ length: 40 }, (_, at) => row(at + 1))
  }
  expect((await headerRows(rows, undefined)).first).toHaveLength(3)
})
