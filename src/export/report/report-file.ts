import { createHash } from 'node:crypto'
import type { ReportTable } from '../../domain/analysis/report-table.ts'
import type { DayRange } from '../../domain/period.ts'
import { reportRow, type ReportRow } from '../../domain/resources/report-row.ts'
import { asRecord } from '../../domain/schema.ts'
import { gzipped } from '../chunks.ts'
import type { PageAbout } from '../page/page.ts'
import type { SheetFormat } from '../text-format.ts'
import type { FileFormat } from './formats.ts'
import { type EarlierFile, earlierText } from './earlier-file.ts'
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

/** Yields a report as one HTML file; its rows have a KPI and a period each. */
async function* pageFile({ parts }: ReportTable, about: PageAbout): AsyncGenerator<string> {
  const { reportPage } = await import('../page/page.ts')
  const rows = async function* (): AsyncGenerator<readonly ReportRow[]> {
    for await (const part of parts) yield part.map((record) => asRecord(reportRow, record))
  }
  yield* reportPage(rows(), about)
}

/** Describes what a workbook says of itself: the name of its sheets, and when it was made. */
type WorkbookAbout = { readonly title: string; readonly made: Date }

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
    const text = reportText(table, look)
    yield* look.isGzip ? gzipped(text) : text
  }
}

/** Yields what a report file holds; `about` is what a page says of itself. */
export async function* reportChunks(
  table: ReportTable,
  look: FileLook,
  about: PageAbout,
): AsyncGenerator<string | Uint8Array> {
  if (look.format === 'html') yield* pageFile(table, about)
  else yield* tableChunks(table, look, { title: 'Report', made: new Date(about.madeAt * 1000) })
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
