import { markdownHead, markdownRows } from '../../codec/markdown.ts'
import { csvHeader, csvWriter } from '../../codec/csv.ts'
import { jsonLineWriter } from '../../codec/json-lines.ts'
import { inBlocks } from '../../codec/record-blocks.ts'
import type { ReportTable } from '../../domain/analysis/report-table.ts'
import type { AnyRecord, NamedField } from '../../domain/schema.ts'
import type { FileFormat } from './formats.ts'
import { sheetHeader, sheetWriter } from '../sheet-records.ts'
import type { SheetFormat } from '../text-format.ts'

/** Creates a function that returns the text of a part of a report with these columns. */
type PartWriter = (columns: readonly NamedField[]) => (rows: readonly AnyRecord[]) => string

/** Yields what a file begins with, and the text of each part of a report. */
async function* textOf({ columns, parts }: ReportTable, heading: string, writer: PartWriter): AsyncGenerator<string> {
  if (heading !== '') yield heading
  const write = writer(columns)
  for await (const rows of inBlocks(parts)) yield write(rows)
}

const jsonLines: PartWriter = (columns) => {
  const lineOf = jsonLineWriter(columns, JSON.stringify)
  return (rows) => rows.map((row) => `${lineOf(row)}\n`).join('')
}

/** Yields a report as CSV for programs (RFC 4180). */
export const csvFile = (table: ReportTable): AsyncGenerator<string> =>
  textOf(table, csvHeader(table.columns), csvWriter)

/** Yields the rows of a report as they stand below those of an earlier file. */
export const addedLines = (table: ReportTable, format: FileFormat): AsyncGenerator<string> =>
  textOf(table, '', format === 'csv' ? csvWriter : jsonLines)

/** Yields a report as CSV for spreadsheets of a locale. */
export const sheetFile = (table: ReportTable, form: SheetFormat): AsyncGenerator<string> =>
  textOf(table, sheetHeader(form, table.columns), (columns) => sheetWriter(form, columns))

/** Yields a report as a JSON object on each line. */
export const ndjsonFile = (table: ReportTable): AsyncGenerator<string> => textOf(table, '', jsonLines)

/** Yields a report as a JSON array, with an object on each line. */
export async function* jsonFile(table: ReportTable): AsyncGenerator<string> {
  let before = '[\n'
  for await (const text of ndjsonFile(table)) {
    yield before + text.trimEnd().replaceAll('\n', ',\n')
    before = ',\n'
  }
  yield before === '[\n' ? '[]\n' : '\n]\n'
}

/** Yields a report as a list in YAML. */
export async function* yamlFile({ columns, parts }: ReportTable): AsyncGenerator<string> {
  const { yamlList } = await import('../../codec/yaml.ts')
  yield* yamlList(columns, inBlocks(parts))
}

/** Yields a report as a table in GitHub's Markdown. */
export const markdownFile = (table: ReportTable): AsyncGenerator<string> =>
  textOf(table, markdownHead(table.columns), (columns) => (rows) => markdownRows(columns, rows))
