import { KpiError } from '../../domain/errors.ts'
import type { ENCODINGS } from '../options.ts'
import { type Content, type Inspection, lineOfByte } from './inspect.ts'
import { kindOf } from './kinds.ts'
import { findUndefined, findUtf8Letters } from './windows-1252.ts'
import { lookAtWords } from './words.ts'

export type Encoding = (typeof ENCODINGS)[number]

/** How the letters of a file are written. */
export type FoundEncoding = {
  readonly encoding: Encoding
  readonly hasMark: boolean
  readonly evidence: readonly string[]
  /** What was taken for granted and has to be told. */
  readonly assumed?: string
}

/** A file while that is found out: its content can be read again. */
export type Inspected = { readonly name: string; readonly seen: Inspection; readonly reread: () => Content }

const MARKS: readonly (readonly [bytes: string, encoding: Encoding])[] = [
  ['\xef\xbb\xbf', 'utf-8'],
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
]

const unreadable = (name: string, why: string): KpiError => new KpiError('malformed', `cannot read ${name}: ${why}`)

/** Text that is mostly ASCII has a NUL in every other byte of UTF-16, on the same side. */
const nulEncoding = (head: Buffer): Encoding | undefined => {
  const [even, odd] = [0, 1].map((side) => head.filter((byte, at) => byte === 0 && at % 2 === side).length)
  const most = head.length / 4
  if (even === 0 && odd !== undefined && odd > most) return 'utf-16le'
  return odd === 0 && even !== undefined && even > most ? 'utf-16be' : undefined
}

const mustBeText = async ({ name, seen, reread }: Inspected): Promise<void> => {
  if (seen.nul === undefined) return
  const { line } = await lineOfByte(reread(), seen.nul)
  throw unreadable(name, `line ${line} holds a NUL byte, so it is no text; save it as CSV`)
}

const mustBeUtf8 = async ({ name, seen, reread }: Inspected, said: string): Promise<void> => {
  if (seen.notUtf8 === undefined) return
  const { line, byte } = await lineOfByte(reread(), seen.notUtf8)
  throw unreadable(name, `line ${line} holds byte ${byte}, which is not UTF-8, ${said}`)
}

const mustBeDefined = async ({ name, reread }: Inspected, but: string): Promise<void> => {
  const found = await findUndefined(reread())
  if (!found) return
  throw unreadable(name, `${but}line ${found.line} holds byte ${found.byte}, which is no letter in windows-1252`)
}

/** A file that is not UTF-8: Windows-1252, unless other lines are UTF-8 or bytes are left that mean nothing there. */
const findWindows = async (file: Inspected, place: number): Promise<FoundEncoding> => {
  const { line, byte } = await lineOfByte(file.reread(), place)
  const shown = `line ${line} holds byte ${byte}, which is not UTF-8`
  const utf8 = await findUtf8Letters(file.reread())
  if (utf8) {
    throw unreadable(
      file.name,
      `${shown}, but line ${utf8.line} has "${utf8.letter}" as UTF-8 has it ("${utf8.asWindows}" in windows-1252); mend the file, or say --encoding windows-1252`,
    )
  }
  if (file.seen.endsCut) {
    throw unreadable(
      file.name,
      `it ends in the middle of a letter of UTF-8, as if it were cut off; get all of it, or say --encoding windows-1252`,
    )
  }
  await mustBeDefined(file, `${shown}, and `)
  const { strange, examples } = await lookAtWords(file.reread())
  if (strange) {
    throw unreadable(
      file.name,
      `${shown}, and as windows-1252 line ${strange.line} says "${strange.word}", which is no way to write: save the file as CSV UTF-8, or say --encoding windows-1252 if that is what it says`,
    )
  }
  const evidence = [`encoding windows-1252: ${shown}`]
  // Spaces that do not break say nothing.
  if (examples.length === 0) return { encoding: 'windows-1252', hasMark: false, evidence }
  const said = examples.map((one) => `line ${one.line} says "${one.word}"`).join(', ')
  const assumed = `${file.name} is read as windows-1252: ${said}; if that is wrong, save it as CSV UTF-8, else --encoding windows-1252 says so`
  return { encoding: 'windows-1252', hasMark: false, evidence, assumed }
}

/** What the byte order mark says, which what was asked may not contradict. */
const byMark = async (file: Inspected, asked: Encoding | undefined): Promise<FoundEncoding | undefined> => {
  const start = file.seen.head.toString('latin1', 0, 3)
  const [, encoding] = MARKS.find(([bytes]) => start.startsWith(bytes)) ?? []
  if (!encoding) return undefined
  const shown = `it begins with the byte order mark of ${encoding}`
  if (asked && asked !== encoding) throw unreadable(file.name, `${shown}, so it is not ${asked} (--encoding)`)
  if (encoding === 'utf-8') {
    await mustBeText(file)
    await mustBeUtf8(file, `though ${shown}`)
  }
  return { encoding, hasMark: true, evidence: asked ? [] : [`encoding ${encoding}: ${shown}`] }
}

const byRequest = async (file: Inspected, encoding: Encoding): Promise<FoundEncoding> => {
  if (encoding === 'utf-8' || encoding === 'windows-1252') await mustBeText(file)
  if (encoding === 'utf-8') await mustBeUtf8(file, 'as --encoding says')
  if (encoding === 'windows-1252') await mustBeDefined(file, '')
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
  await mustBeText(file)
  if (notUtf8 !== undefined) return findWindows(file, notUtf8)
  const shown = isAscii ? 'all of its letters are ASCII' : 'all of its bytes are UTF-8'
  return { encoding: 'utf-8', hasMark: false, evidence: [`encoding utf-8: ${shown}`] }
}

/** Finds out how the letters of a file are written: as asked, by its byte order mark, or by its bytes. */
export const findEncoding = async (file: Inspected, asked: Encoding | undefined): Promise<FoundEncoding> => {
  const kind = kindOf(file.seen.head)
  if (kind !== undefined) throw unreadable(file.name, kind)
  return (await byMark(file, asked)) ?? (asked ? byRequest(file, asked) : byContent(file))
}
