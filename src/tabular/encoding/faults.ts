import { createTableDecoder, decodeBytes, type LegacyEncoding } from './table-decoder.ts'

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
