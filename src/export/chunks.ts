import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { Entry } from '../domain/resources/entry.ts'
import type { OmittedCounts, Sheet } from './sheet.ts'
import { fileHeading, type SheetFormat, formatLine } from './text-format.ts'

/** Describes the result of an export. */
export type ExportCounts = OmittedCounts & { entries: number }

/** Yields the text of a file as its entries come; counts what is written and what is not. */
export async function* sheetText(
  sheet: Sheet,
  form: SheetFormat,
  days: AsyncIterable<readonly Entry[]>,
  written: ExportCounts,
): AsyncGenerator<string> {
  yield fileHeading(form) + formatLine(form, sheet.header)
  for await (const day of days) {
    written.entries += day.length
    let text = ''
    for (const cells of sheet.rows(day, written)) text += formatLine(form, cells)
    if (text !== '') yield text
  }
}

/** Yields the same text compressed. Errors are thrown where it is read. */
export const gzipped = (text: AsyncIterable<string> | Iterable<string>): AsyncIterable<Uint8Array> => {
  const gzip = createGzip()
  pipeline(Readable.from(text), gzip, () => undefined)
  return gzip
}
