const WORKBOOK = 'an Excel workbook'
const SAVE = 'save it as CSV'
const UNPACK = 'unpack it first'

/** What begins like this is no text; where it also holds something, what that shows. */
const BINARY: readonly (readonly [begins: string, what: string, advice: string, holds?: RegExp])[] = [
  ['PK\x03\x04', 'an OpenDocument spreadsheet', SAVE, /mimetypeapplication\/vnd\.oasis/],
  ['PK\x03\x04', WORKBOOK, SAVE, /\[Content_Types\]\.xml|xl\/|_rels\//],
  ['PK\x03\x04', 'a zip archive', UNPACK],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', WORKBOOK, SAVE],
  ['%PDF-', 'a PDF', 'export the table as CSV'],
  ['BZh', 'compressed with bzip2', UNPACK, /^....1AY/],
  ['\xfd7zXZ\0', 'compressed with xz', UNPACK],
  ['\x28\xb5\x2f\xfd', 'compressed with zstd', UNPACK],
  ['7z\xbc\xaf', 'a 7z archive', UNPACK],
  ['SQLite format 3\0', 'an SQLite database', 'export the table as CSV'],
  ['PAR1', 'a Parquet file', 'export it as CSV'],
  ['\xff\xfe\0\0', 'UTF-32', 'save it as CSV UTF-8'],
  ['\0\0\xfe\xff', 'UTF-32', 'save it as CSV UTF-8'],
  ['', 'a tar archive', UNPACK, /^.{257}ustar/s],
]

/** Text that is no table. */
const OTHER_TEXT: readonly (readonly [begins: RegExp, what: string])[] = [
  [/^\s*<(?:!doctype html|html|table|head|body)\b/i, 'a web page'],
  [/^\s*<\?xml/, 'XML'],
  [/^\s*(?:\{\s*["}]|\[\s*[[{])/, 'JSON'],
]
const HEAD_BYTES = 4096
const UTF8_MARK = '\xef\xbb\xbf'

/** What a file seems to be that is no table of text, with what to do about it; `undefined` where nothing shows that. */
export const kindOf = (head: Buffer): string | undefined => {
  const start = head.toString('latin1', 0, HEAD_BYTES)
  const binary = BINARY.find(([begins, , , holds]) => start.startsWith(begins) && (holds?.test(start) ?? true))
  if (binary) return `it seems to be ${binary[1]}; ${binary[2]}`
  const text = start.startsWith(UTF8_MARK) ? start.slice(UTF8_MARK.length) : start
  const other = OTHER_TEXT.find(([begins]) => begins.test(text))
  return other && `it seems to be ${other[1]}; ${SAVE}`
}
