const SAVE = 'save it as CSV'
const UNPACK = 'unpack it first'

/** Lists the first bytes of binary files; some kinds need a second piece of evidence. */
const BINARY: readonly (readonly [begins: string, what: string, advice: string, holds?: RegExp])[] = [
  ['%PDF-', 'a PDF', 'export the table as CSV'],
  ['BZh', 'compressed with bzip2', UNPACK, /^....1AY/],
  ['\xfd7zXZ\0', 'compressed with xz', UNPACK],
  ['7z\xbc\xaf', 'a 7z archive', UNPACK],
  ['PAR1', 'a Parquet file', 'export it as CSV'],
  ['\xff\xfe\0\0', 'UTF-32', 'save it as CSV UTF-8'],
  ['\0\0\xfe\xff', 'UTF-32', 'save it as CSV UTF-8'],
  ['', 'a tar archive', UNPACK, /^.{257}ustar/s],
]

/** Lists how texts begin that are not tables. */
const OTHER_TEXT: readonly (readonly [begins: RegExp, what: string])[] = [
  [/^\s*<(?:!doctype html|html|table|head|body)\b/i, 'a web page'],
  [/^\s*<\?xml/, 'XML'],
  [/^\s*(?:\{\s*["}]|\[\s*[[{])/, 'JSON'],
]
const HEAD_BYTES = 4096
const UTF8_MARK = '\xef\xbb\xbf'

/** Returns what a file is if it is not a text table, and what to do about it; `undefined` if nothing shows that. */
export const kindOfFile = (head: Buffer): string | undefined => {
  const start = head.toString('latin1', 0, HEAD_BYTES)
  const binary = BINARY.find(([begins, , , holds]) => start.startsWith(begins) && (holds?.test(start) ?? true))
  if (binary) return `it seems to be ${binary[1]}; ${binary[2]}`
  const text = start.startsWith(UTF8_MARK) ? start.slice(UTF8_MARK.length) : start
  const other = OTHER_TEXT.find(([begins]) => begins.test(text))
  return other && `it seems to be ${other[1]}; ${SAVE}`
}
