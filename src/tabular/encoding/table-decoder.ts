import { isAscii } from 'node:buffer'
import type { Encoding } from '../source/text-format.ts'

/** Names an encoding that is not of Unicode. */
export type LegacyEncoding = Exclude<Encoding, 'utf-8' | 'utf-16le' | 'utf-16be'>

/**
 * Decodes bytes, a chunk at a time; `undefined` is the end, as is `isEnd`. Returns `undefined` if some bytes stand for
 * no character.
 */
type TableDecode = (chunk: Buffer | undefined, isEnd?: boolean) => string | undefined

/** Lists the encodings whose characters have more than one byte. */
const MULTI_BYTE: ReadonlySet<Encoding> = new Set(['shift_jis', 'euc-jp', 'gb18030', 'big5', 'euc-kr'])
/** Matches what the platform returns for bytes without a character: control characters, and private use. */
const NO_CHARACTER = /[\u0080-\u009f\ue000-\uf8ff\ufffd]/
const HALF = 0x80

/** Returns the characters of the bytes from 80; empty where there is none. */
const createTable = (encoding: LegacyEncoding): readonly string[] =>
  Array.from({ length: HALF }, (_, at) => {
    try {
      const text = new TextDecoder(encoding, { fatal: true }).decode(Uint8Array.of(HALF + at))
      return NO_CHARACTER.test(text) ? '' : text
    } catch {
      return ''
    }
  })

const HIGH_BYTE = /[\u0080-\u00ff]/g

const singleByteDecoder = (table: readonly string[]): TableDecode => {
  const characterOf = (byte: string): string => table[byte.charCodeAt(0) - HALF] || '\ufffd'
  return (chunk) => {
    if (!chunk) return ''
    const text = chunk.toString('latin1')
    if (isAscii(chunk)) return text
    const decoded = text.replaceAll(HIGH_BYTE, characterOf)
    return decoded.includes('\ufffd') ? undefined : decoded
  }
}

const platformDecoder = (encoding: LegacyEncoding): TableDecode => {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
  return (chunk, isEnd = chunk === undefined) => {
    try {
      const text = decoder.decode(chunk, { stream: !isEnd })
      return NO_CHARACTER.test(text) ? undefined : text
    } catch {
      return undefined
    }
  }
}

const [FIRST_SYLLABLE, LAST_SYLLABLE] = [0xac_00, 0xd7_a3]
const [FIRST_LEAD, LAST_LEAD, FIRST_TRAIL, LAST_TRAIL] = [0x81, 0xfe, 0x41, 0xfe]
const FIRST_OLD = 0xa1

/** Returns the second bytes of the syllables that Windows added to EUC-KR. */
const addedTrails = (lead: number): number[] => {
  const last = lead < FIRST_OLD ? LAST_TRAIL : FIRST_OLD - 1
  const all = Array.from({ length: last - FIRST_TRAIL + 1 }, (_, at) => FIRST_TRAIL + at)
  return all.filter((byte) => byte <= 0x5a || (byte >= 0x61 && byte <= 0x7a) || byte >= 0x81)
}

/**
 * Returns the characters of EUC-KR by their two bytes. The platform knows 2,350 syllables; Windows added all others, in
 * their order, at the places that were free.
 */
const createKoreanTable = (): ReadonlyMap<number, string> => {
  const decoder = new TextDecoder('euc-kr')
  const table = new Map<number, string>()
  const old = new Set<string>()
  for (let lead = FIRST_OLD; lead <= LAST_LEAD; lead += 1) {
    for (let trail = FIRST_OLD; trail <= LAST_TRAIL; trail += 1) {
      const text = decoder.decode(Uint8Array.of(lead, trail))
      if (text.length !== 1 || NO_CHARACTER.test(text)) continue
      table.set((lead << 8) | trail, text)
      old.add(text)
    }
  }
  let syllable = FIRST_SYLLABLE
  for (let lead = FIRST_LEAD; syllable <= LAST_SYLLABLE; lead += 1) {
    for (const trail of addedTrails(lead)) {
      while (old.has(String.fromCharCode(syllable))) syllable += 1
      if (syllable > LAST_SYLLABLE) break
      table.set((lead << 8) | trail, String.fromCharCode(syllable++))
    }
  }
  return table
}

let korean: ReadonlyMap<number, string> | undefined

const koreanDecoder = (): TableDecode => {
  korean ??= createKoreanTable()
  const table = korean
  let lead = 0
  return (chunk, isEnd = chunk === undefined) => {
    let text = ''
    for (const byte of chunk ?? []) {
      const character = lead === 0 ? String.fromCharCode(byte) : table.get((lead << 8) | byte)
      if (lead === 0 && byte >= FIRST_LEAD && byte <= LAST_LEAD) lead = byte
      else if (character === undefined || (lead === 0 && byte >= HALF)) return undefined
      else {
        text += character
        lead = 0
      }
    }
    return isEnd && lead !== 0 ? undefined : text
  }
}

const tables = new Map<LegacyEncoding, readonly string[]>()

const tableOf = (encoding: LegacyEncoding): readonly string[] => {
  const table = tables.get(encoding) ?? createTable(encoding)
  tables.set(encoding, table)
  return table
}

/** Creates a decoder of an encoding that is not of Unicode. */
export const createTableDecoder = (encoding: LegacyEncoding): TableDecode => {
  if (encoding === 'euc-kr') return koreanDecoder()
  return MULTI_BYTE.has(encoding) ? platformDecoder(encoding) : singleByteDecoder(tableOf(encoding))
}

const decoders = new Map<LegacyEncoding, TableDecode>()

/** Returns the text of some bytes; `undefined` if some of them stand for no character in an encoding. */
export const decodeBytes = (bytes: Buffer, encoding: LegacyEncoding): string | undefined => {
  const decode = decoders.get(encoding) ?? createTableDecoder(encoding)
  const text = decode(bytes, true)
  // A decoder that has refused a word may be in the middle of it.
  if (text === undefined) decoders.delete(encoding)
  else decoders.set(encoding, decode)
  return text
}

const hexOf = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0')

/** Returns the first byte with which a word stands for no character, in hexadecimal. */
const faultOf = (bytes: Buffer, encoding: LegacyEncoding): string => {
  const decode = createTableDecoder(encoding)
  const fault = bytes.find((byte) => decode(Buffer.of(byte), false) === undefined)
  return hexOf(fault ?? bytes.at(-1) ?? 0)
}

const KEPT_WORDS = 10_000

/** Creates a function that returns the first byte of a word that stands for no character in an encoding, if any. */
export const createFaultFinder = (encoding: LegacyEncoding): ((bytes: string) => string | undefined) => {
  const good = new Set<string>()
  return (word) => {
    if (good.has(word)) return undefined
    const bytes = Buffer.from(word, 'latin1')
    if (decodeBytes(bytes, encoding) === undefined) return faultOf(bytes, encoding)
    if (good.size >= KEPT_WORDS) good.clear()
    good.add(word)
    return undefined
  }
}
