import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KpiError } from '../../../src/domain/errors.ts'
import { fileSource } from '../../../src/tabular/source/files.ts'
import { openTable } from '../../../src/reading/open-table.ts'
import { type Folder, temporaryFolder } from '../../support/folder.ts'
import { runs } from '../../support/soak/tests.ts'

type File = {
  readonly separator: string
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly titles: readonly string[]
  readonly isPadded: boolean
}

const WORDS = [
  'Sales',
  'all',
  'stores',
  'Umsatz',
  'région',
  'Report',
  '2026',
  '12.5',
  'as of',
  '2026-01-05',
  'EUR',
  'Source:',
]
const LABELS = ['Store', 'Laden', 'Revenue', 'Visits', 'Coût', 'Kunden', 'Returns', 'Lead time', 'Besuche']
const MONTHS = ['2026-01', '2026-02', '2026-03', '2026-04', '2026-05', '2026-06', '2026-07', '2026-08']
const NAMES = ['North', 'South', 'Berlin Mitte', 'Łódź', 'Store 1', 'Store 2']

/** Prose, which may have separators in it. */
const prose = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 7 })
  .chain((words) => fc.constantFrom(' ', ', ', '; ', ' | ').map((glue) => words.join(glue)))

const cell = (decimal: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: -99_999, max: 99_999 }).map(String) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 99_999 }).map((number) => `${number}${decimal}25`) },
    { weight: 1, arbitrary: fc.constant('') },
  )

const table = (separator: string): fc.Arbitrary<Pick<File, 'header' | 'rows'>> =>
  fc.integer({ min: 1, max: 7 }).chain((width) => {
    const labels = fc.oneof(
      fc.uniqueArray(fc.constantFrom(...LABELS), { minLength: width, maxLength: width }),
      fc.constant(MONTHS.slice(0, width)),
    )
    const value = cell(separator === ',' ? '.' : ',')
    const row = fc.tuple(
      fc.constantFrom(...NAMES),
      fc.integer({ min: 1, max: 99 }).map(String),
      ...Array.from({ length: width - 1 }, () => value),
    )
    return fc.record({
      header: fc.tuple(fc.constantFrom('Name', '', 'Ort'), labels).map(([key, others]) => [key, ...others]),
      rows: fc.array(row, { minLength: 1, maxLength: 25 }),
    })
  })

const anyFile = (titles: fc.Arbitrary<string[]>): fc.Arbitrary<File> =>
  fc.constantFrom(',', ';', '\t', '|').chain((separator) =>
    fc
      .record({
        separator: fc.constant(separator),
        titles,
        isPadded: fc.boolean(),
      })
      .chain((file) => table(separator).map((rows) => ({ ...file, ...rows }))),
  )

const quote = (text: string, separator: string): string => (text.includes(separator) ? `"${text}"` : text)

/** Writes a file: as a spreadsheet exports it, titles fill up the row and are quoted. */
const textOf = ({ separator, header, rows, titles, isPadded }: File): string => {
  const padded = (title: string): string => quote(title, separator) + separator.repeat(header.length - 1)
  const above = titles.map((title) => (isPadded && title !== '' ? padded(title) : title))
  return [...above, ...[header, ...rows].map((cells) => cells.join(separator)), ''].join('\n')
}

/** Returns the line of the header, or why the file was not read. */
const headerLine = async (folder: Folder, text: string): Promise<number | string> => {
  writeFileSync(folder.in('data.csv'), text)
  try {
    const opened = await openTable(fileSource(folder.in('data.csv'), 'data.csv'))
    try {
      for await (const [row] of opened.rows()) if (row) return row.line
      return 0
    } finally {
      opened.close()
    }
  } catch (error) {
    if (error instanceof KpiError) return error.message
    throw error
  }
}

/** Matches messages that show a line to be the header, or that the file's separator or quotes are not clear. */
const stopsAt = (line: number): RegExp =>
  new RegExp(`--skip-lines ${line - 1}(?!\\d)|say which: --separator|a quote is inside|a quoted cell`, 'u')

/** Returns the line that is meant if the file was stopped with it shown, and else what was found. */
const settled = (found: number | string, meant: number): number | string =>
  typeof found === 'string' && stopsAt(meant).test(found) ? meant : found

test('below titles, the header is found, or all rows are shown that may be it', async () => {
  using folder = temporaryFolder()
  const title = fc.oneof({ weight: 4, arbitrary: prose }, { weight: 1, arbitrary: fc.constant('') })
  await fc.assert(
    fc.asyncProperty(anyFile(fc.array(title, { maxLength: 6 })), async (file) => {
      const meant = file.titles.length + 1
      expect(settled(await headerLine(folder, textOf(file)), meant)).toBe(meant)
    }),
    { numRuns: runs(60, 3000) },
  )
})

test('a table without titles is never cut', async () => {
  using folder = temporaryFolder()
  await fc.assert(
    fc.asyncProperty(anyFile(fc.constant([])), async (file) => {
      expect(await headerLine(folder, textOf(file))).toBe(1)
    }),
    { numRuns: runs(60, 3000) },
  )
})
