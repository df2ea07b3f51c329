import { KpiError } from '../../domain/errors.ts'
import type { Encoding } from '../options.ts'
import { findUndefined, findUtf8Letters, decodeWindows1252 } from './decode.ts'
import { type FileBytes, type Inspection, lineOfByte } from './inspect.ts'

/** Describes a word with characters beyond ASCII, and its line. */
type Word = { readonly line: number; readonly word: string }

const HIGH = 'À-ÖØ-öø-ÿŠšŒœŽžŸ'
const LETTER = `[A-Za-z${HIGH}]`
const LARGE = 'À-ÖØ-ÞŠŒŽŸ'
const SMALL = 'a-zß-öø-ÿšœž'

/**
 * Matches letter patterns of no language that Windows-1252 serves, as misread encodings have them: symbols inside
 * words, or words of accented letters alone.
 */
const STRANGE = new RegExp(
  [
    `${LETTER}[†‡‰ˆ˜™‹›ƒ¡¢£¤¥¦§¨©¬¯±³µ¶¸¹¼½¾¿÷“”€]+${LETTER}`,
    `${LETTER}[‚„]|¯${LETTER}|${LETTER}¯`,
    `(?<!${LETTER})[${HIGH}]{3,}(?!${LETTER})|[${HIGH}]{4,}`,
    `[${SMALL}][${LARGE}]|Ÿ[${SMALL}]|[A-Z][ŠŽŒ][a-z]`,
    `(?<!${LETTER})£[a-z]{3,}`,
  ].join('|'),
  'u',
)
const WORD = /[^\s,;|"]+/gu
const NOT_ASCII = /[^\s\x21-\x7e]/u

const WORD_END = /[\s,;|"]/

const EXAMPLES = 3
const LONGEST_WORD = 40
const LONGEST_REST = 1 << 16

const wordAround = (text: string, at: number): string => {
  const before =
    text
      .slice(Math.max(0, at - LONGEST_WORD), at)
      .split(WORD_END)
      .at(-1) ?? ''
  const [after = ''] = text.slice(at, at + LONGEST_WORD).split(WORD_END, 1)
  return before + after
}

const lineAt = (text: string, at: number, first: number): number => first + text.slice(0, at).split('\n').length - 1

/** Yields the text of a file as Windows-1252, in parts that do not cut words, with the line that each begins on. */
async function* textOf(content: FileBytes): AsyncGenerator<{ text: string; line: number }> {
  let [rest, line] = ['', 1]
  for await (const chunk of content) {
    const text = rest + decodeWindows1252(chunk)
    const end = text.lastIndexOf('\n') + 1
    const cut = end === 0 && text.length > LONGEST_REST ? text.length : end
    yield { text: text.slice(0, cut), line }
    line = lineAt(text, cut, line)
    rest = text.slice(cut)
  }
  yield { text: rest, line }
}

/**
 * Returns example words of a file that are not ASCII, read as Windows-1252, and the first word that is in no language.
 */
const lookAtWords = async (content: FileBytes): Promise<{ strange: Word | undefined; examples: Word[] }> => {
  const examples: Word[] = []
  for await (const { text, line } of textOf(content)) {
    const at = text.search(STRANGE)
    if (at >= 0) return { strange: { line: lineAt(text, at, line), word: wordAround(text, at) }, examples }
    if (examples.length === EXAMPLES) continue
    for (const { 0: word, index } of text.matchAll(WORD)) {
      if (examples.length === EXAMPLES) break
      if (NOT_ASCII.test(word) && examples.every((one) => one.word !== word)) {
        examples.push({ line: lineAt(text, index, line), word: word.slice(0, LONGEST_WORD) })
      }
    }
  }
  return { strange: undefined, examples }
}

const WORKBOOK = 'an Excel workbook'
const SAVE = 'save it as CSV'
const UNPACK = 'unpack it first'

/** Lists the first bytes of binary files; some kinds need a second piece of evidence. */
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

/** Lists how texts begin that are not tables. */
const OTHER_TEXT: readonly (readonly [begins: RegExp, what: string])[] = [
  [/^\s*<(?:!doctype html|html|table|head|body)\b/i, 'a web page'],
  [/^\s*<\?xml/, 'XML'],
  [/^\s*(?:\{\s*["}]|\[\s*[[{])/, 'JSON'],
]
const HEAD_BYTES = 4096
const UTF8_MARK = '\xef\xbb\xbf'

/** Returns what a file is if it is not a text table, and what to do about it; `undefined` if nothing shows that. */
const kindOf = (head: Buffer): string | undefined => {
  const start = head.toString('latin1', 0, HEAD_BYTES)
  const binary = BINARY.find(([begins, , , holds]) => start.startsWith(begins) && (holds?.test(start) ?? true))
  if (binary) return `it seems to be ${binary[1]}; ${binary[2]}`
  const text = start.startsWith(UTF8_MARK) ? start.slice(UTF8_MARK.length) : start
  const other = OTHER_TEXT.find(([begins]) => begins.test(text))
  return other && `it seems to be ${other[1]}; ${SAVE}`
}



/** Describes the character encoding of a file. */
type FoundEncoding = {
  readonly encoding: Encoding
  readonly hasMark: boolean
  readonly evidence: readonly string[]
  /** Says what was assumed, which is reported. */
  readonly assumed?: string
}

/** Describes a file while its encoding is detected; `reread` reads its content again. */
type Inspected = { readonly name: string; readonly seen: Inspection; readonly reread: () => FileBytes }

const MARKS: readonly (readonly [bytes: string, encoding: Encoding])[] = [
  ['\xef\xbb\xbf', 'utf-8'],
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
]

const unreadable = (name: string, why: string): KpiError => new KpiError('malformed', `cannot read ${name}: ${why}`)

/** Returns UTF-16 if many bytes are NUL, all in first or all in second places, as in text that is mostly ASCII. */
const nulEncoding = (head: Buffer): Encoding | undefined => {
  const [even, odd] = [0, 1].map((side) => head.filter((byte, at) => byte === 0 && at % 2 === side).length)
  const most = head.length / 4
  if (even === 0 && odd !== undefined && odd > most) return 'utf-16le'
  return odd === 0 && even !== undefined && even > most ? 'utf-16be' : undefined
}

const requireText = async ({ name, seen, reread }: Inspected): Promise<void> => {
  if (seen.nul === undefined) return
  const { line } = await lineOfByte(reread(), seen.nul)
  throw unreadable(name, `line ${line} holds a NUL byte, so it is no text; save it as CSV`)
}

const requireUtf8 = async ({ name, seen, reread }: Inspected, details: string): Promise<void> => {
  if (seen.notUtf8 === undefined) return
  const { line, byte } = await lineOfByte(reread(), seen.notUtf8)
  throw unreadable(name, `line ${line} holds byte ${byte}, which is not UTF-8, ${details}`)
}

const requireDefinedBytes = async ({ name, reread }: Inspected, but: string): Promise<void> => {
  const found = await findUndefined(reread())
  if (!found) return
  throw unreadable(name, `${but}line ${found.line} holds byte ${found.byte}, which is no character in windows-1252`)
}

/**
 * Returns Windows-1252 for a file that is not UTF-8; throws if other lines are UTF-8, or some bytes or words mean
 * nothing in Windows-1252.
 */
const findWindows = async (file: Inspected, place: number): Promise<FoundEncoding> => {
  const { line, byte } = await lineOfByte(file.reread(), place)
  const shown = `line ${line} holds byte ${byte}, which is not UTF-8`
  const utf8 = await findUtf8Letters(file.reread())
  if (utf8) {
    throw unreadable(
      file.name,
      `${shown}, but line ${utf8.line} has "${utf8.letter}" as UTF-8 has it ("${utf8.asWindows}" in windows-1252); fix the file, or use --encoding windows-1252`,
    )
  }
  if (file.seen.endsCut) {
    throw unreadable(
      file.name,
      `it ends in the middle of a UTF-8 character, as if it were cut off; get the complete file, or use --encoding windows-1252`,
    )
  }
  await requireDefinedBytes(file, `${shown}, and `)
  const { strange, examples } = await lookAtWords(file.reread())
  if (strange) {
    throw unreadable(
      file.name,
      `${shown}, and as windows-1252 line ${strange.line} says "${strange.word}", which is not a word in any language: save the file as CSV UTF-8, or use --encoding windows-1252 if it is right`,
    )
  }
  const evidence = [`encoding windows-1252: ${shown}`]
  // The only characters beyond ASCII are no-break spaces, which prove nothing and change nothing.
  if (examples.length === 0) return { encoding: 'windows-1252', hasMark: false, evidence }
  const details = examples.map((one) => `line ${one.line} says "${one.word}"`).join(', ')
  const assumed = `${file.name} is read as windows-1252: ${details}; if that is wrong, save it as CSV UTF-8; if it is right, use --encoding windows-1252`
  return { encoding: 'windows-1252', hasMark: false, evidence, assumed }
}

/** Returns the encoding that a byte order mark names; throws if `--encoding` contradicts it. */
const byMark = async (file: Inspected, asked: Encoding | undefined): Promise<FoundEncoding | undefined> => {
  const start = file.seen.head.toString('latin1', 0, 3)
  const [, encoding] = MARKS.find(([bytes]) => start.startsWith(bytes)) ?? []
  if (!encoding) return undefined
  const shown = `it begins with the byte order mark of ${encoding}`
  if (asked && asked !== encoding) throw unreadable(file.name, `${shown}, so it is not ${asked} (--encoding)`)
  if (encoding === 'utf-8') {
    await requireText(file)
    await requireUtf8(file, `though ${shown}`)
  }
  return { encoding, hasMark: true, evidence: asked ? [] : [`encoding ${encoding}: ${shown}`] }
}

const byRequest = async (file: Inspected, encoding: Encoding): Promise<FoundEncoding> => {
  if (encoding === 'utf-8' || encoding === 'windows-1252') await requireText(file)
  if (encoding === 'utf-8') await requireUtf8(file, 'as --encoding says')
  if (encoding === 'windows-1252') await requireDefinedBytes(file, '')
  return { encoding, hasMark: false, evidence: [] }
}

const byContent = async (file: Inspected): Promise<FoundEncoding> => {
  const { nul, head, notUtf8, isAscii } = file.seen
  const wide = nul === undefined ? undefined : nulEncoding(head)
  if (wide) {
    const side = wide === 'utf-16le' ? 'second' : 'first'
    return {
      encoding: wide,
      hasMark: false,
      evidence: [`encoding ${wide}: the ${side} byte of most pairs is NUL, and none of the others is`],
    }
  }
  await requireText(file)
  if (notUtf8 !== undefined) return findWindows(file, notUtf8)
  const shown = isAscii ? 'all of its characters are ASCII' : 'all of its bytes are UTF-8'
  return { encoding: 'utf-8', hasMark: false, evidence: [`encoding utf-8: ${shown}`] }
}

/** Detects the character encoding of a file: as asked, by its byte order mark, or by its bytes. */
export const detectEncoding = async (file: Inspected, asked: Encoding | undefined): Promise<FoundEncoding> => {
  const kind = kindOf(file.seen.head)
  if (kind !== undefined) throw unreadable(file.name, kind)
  return (await byMark(file, asked)) ?? (asked ? byRequest(file, asked) : byContent(file))
}
