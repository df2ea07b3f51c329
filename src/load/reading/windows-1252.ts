import type { Content } from './inspect.ts'

/** The letters of the bytes from 80 to 9F, which Latin-1 has no letters for; five bytes mean nothing here either. */
const LETTERS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'
const UNDEFINED = /[\x81\x8d\x8f\x90\x9d]/
const UTF8_LETTER = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/

/** Text of Windows-1252. */
export const windowsText = (bytes: Buffer): string =>
  bytes.toString('latin1').replaceAll(/[\x80-\x9f]/g, (byte) => LETTERS.charAt(byte.charCodeAt(0) - 0x80))

/** The first place that a pattern of bytes matches, by its line. A match may not span lines. */
const findBytes = async (content: Content, pattern: RegExp): Promise<{ line: number; bytes: string } | undefined> => {
  let [line, rest] = [1, '']
  for await (const chunk of content) {
    const text = rest + chunk.toString('latin1')
    const [bytes] = pattern.exec(text) ?? []
    const before = bytes === undefined ? text : text.slice(0, text.search(pattern))
    line += before.split('\n').length - 1
    if (bytes !== undefined) return { line, bytes }
    // What a match can begin with at the end of a chunk; its line has been counted.
    rest = /[^\n]{0,3}$/.exec(text)?.[0] ?? ''
  }
  return undefined
}

/** The first byte that is no letter. */
export const findUndefined = async (content: Content): Promise<{ line: number; byte: string } | undefined> => {
  const found = await findBytes(content, UNDEFINED)
  return found && { line: found.line, byte: found.bytes.charCodeAt(0).toString(16).toUpperCase() }
}

/** The first bytes that are a letter of UTF-8, and what they would be in Windows-1252. */
export const findUtf8Letters = async (
  content: Content,
): Promise<{ line: number; letter: string; asWindows: string } | undefined> => {
  const found = await findBytes(content, UTF8_LETTER)
  if (!found) return undefined
  const bytes = Buffer.from(found.bytes, 'latin1')
  return { line: found.line, letter: bytes.toString(), asWindows: windowsText(bytes) }
}
