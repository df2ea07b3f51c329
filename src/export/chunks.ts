import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { Entry } from '../domain/resources/entry.ts'
import type { LeftOut, Sheet } from './sheet.ts'
import { beginningOf, type Form, lineOf } from './text-format.ts'

/** Describes the result of an export. */
export type Written = LeftOut & { entries: number }

/** Yields the text of a file as its entries come; counts what is written and what is not. */
export async function* sheetText(
  sheet: Sheet,
  form: Form,
  days: AsyncIterable<readonly Entry[]>,
  written: Written,
): AsyncGenerator<string> {
  yield beginningOf(form) + lineOf(form, sheet.header)
  for await (const day of days) {
    written.entries += day.length
    let text = ''
    for (const cells of sheet.rows(day, written)) text += lineOf(form, cells)
    if (text !== '') yield text
  }
}

/** Yields the same text compressed. Errors are thrown where it is read. */
export const gzipped = (text: AsyncIterable<string>): AsyncIterable<Uint8Array> => {
  const gzip = createGzip()
  pipeline(Readable.from(text), gzip, () => undefined)
  return gzip
}
