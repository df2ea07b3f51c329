import { createHash } from 'node:crypto'
import type { ReportTable } from '../../domain/analysis/report-table.ts'
import { markdownTitle } from '../../codec/markdown.ts'
import { formatDay } from '../../domain/day.ts'
import type { DayRange } from '../../domain/period.ts'
import { reportRow, type ReportRow } from '../../domain/resources/report-row.ts'
import { asRecord } from '../../domain/schema.ts'
import { gzipped } from '../chunks.ts'
import type { PageAbout } from '../page/page.ts'
import type { SheetFormat } from '../text-format.ts'
import type { FileFormat } from './formats.ts'
import { type EarlierFile, earlierText } from './earlier-file.ts'
import type { WorkbookAbout } from './workbook.ts'
import { addedLines, csvFile, jsonFile, markdownFile, ndjsonFile, sheetFile, yamlFile } from './text-file.ts'

/** Describes how a report file is written. */
export type FileLook = {
  readonly format: FileFormat
  readonly isGzip: boolean
  /** Holds how CSV is written for spreadsheets; undefined for programs. */
  readonly sheet: SheetFormat | undefined
}

/** Describes what was written. */
export type Written = { rows: number; bytes: number; sha256: string }

/** Yields the text of a report in a text format. */
export const reportText = (table: ReportTable, { format, sheet }: FileLook): AsyncIterable<string> => {
  if (format === 'json') return jsonFile(table)
  if (format === 'ndjson') return ndjsonFile(table)
  if (format === 'yaml') return yamlFile(table)
  if (format === 'markdown') return markdownFile(table)
  return sheet ? sheetFile(table, sheet) : csvFile(table)
}

/** Describes what a report file says of itself. */
export type FileAbout = Omit<PageAbout, 'title'> & { readonly title: string | undefined }

/** Describes what a page shows: charts of each KPI by period, a table of the rows as they are asked for, or both. */
type PageParts = { readonly charts: boolean; readonly table: boolean }

/** Yields a report as one HTML file. The rows of one with charts have a KPI and a period each. */
async function* pageFile({ columns, parts }: ReportTable, about: PageAbout, shows: PageParts): AsyncGenerator<string> {
  const { reportPage } = await import('../page/page.ts')
  const held = shows.table ? await Array.fromAsync(parts) : undefined
  const charted = async function* (): AsyncGenerator<readonly ReportRow[]> {
    for await (const part of held ?? parts) yield part.map((record) => asRecord(reportRow, record))
  }
  yield* reportPage(about, {
    ...(shows.charts ? { charts: charted() } : {}),
    ...(held ? { table: { columns, records: held.flat() } } : {}),
  })
}

/** Yields a text below its title; only Markdown has a place for one. */
async function* titled(
  text: AsyncIterable<string>,
  { format }: FileLook,
  { title: [title, below = ''] = [] }: Pick<WorkbookAbout, 'title'>,
): AsyncGenerator<string> {
  if (title !== undefined && format === 'markdown') yield markdownTitle(title, below)
  yield* text
}

/** Yields what a file of a table holds, in any format but that of a page. */
export async function* tableChunks(
  table: ReportTable,
  look: FileLook,
  about: WorkbookAbout,
): AsyncGenerator<string | Uint8Array> {
  if (look.format === 'xlsx') {
    const { workbookFile } = await import('./workbook.ts')
    yield* workbookFile(table, about)
  } else {
    const text = titled(reportText(table, look), look, about)
    yield* look.isGzip ? gzipped(text) : text
  }
}

/** Yields what a report file holds; `about` is what it says of itself, and what a page of it shows. */
export async function* reportChunks(
  table: ReportTable,
  look: FileLook,
  { title, shows, ...about }: FileAbout & { readonly shows: PageParts },
): AsyncGenerator<string | Uint8Array> {
  if (look.format === 'html') return yield* pageFile(table, { title: title ?? 'KPI report', ...about }, shows)
  const days = `${formatDay(about.range.from)} to ${formatDay(about.range.to)}`
  const made = new Date(about.madeAt * 1000)
  const lines = title === undefined ? {} : { title: [title, days] }
  yield* tableChunks(table, look, { sheetName: title ?? 'Report', made, ...lines })
}

/** Describes what a file goes on from: an earlier file, and the ranges of days that are read again, in order. */
export type Continued = { readonly earlier: EarlierFile; readonly again: readonly DayRange[] }

/** Yields an earlier file's rows, with those of a report in the days that are read again. */
export const continuedChunks = (
  read: (range: DayRange) => Promise<ReportTable>,
  { format, isGzip }: FileLook,
  { earlier, again }: Continued,
  written: Written,
): AsyncIterable<string | Uint8Array> => {
  const added = async function* (range: DayRange): AsyncGenerator<string> {
    yield* addedLines(await read(range), format)
  }
  const text = earlierText(earlier, again, added, written)
  return isGzip ? gzipped(text) : text
}

/** Yields the same chunks; sets how many bytes they had, and their SHA-256, once all were read. */
export async function* measured(
  chunks: AsyncIterable<string | Uint8Array>,
  written: Written,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  for await (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    hash.update(bytes)
    written.bytes += bytes.length
    yield bytes
  }
  written.sha256 = hash.digest('hex')
}
