const inverses = new Map<string, ReadonlyMap<string, Buffer>>()

const MULTI_BYTE = new Set(['shift_jis', 'euc-jp', 'gb18030', 'big5', 'euc-kr'])

/** Adds a character, unless it has a place already. */
const add = (to: Map<string, Buffer>, decoder: InstanceType<typeof TextDecoder>, bytes: Buffer): void => {
  const text = decoder.decode(bytes)
  if (!text.includes('\ufffd') && Array.from(text).length === 1 && !to.has(text)) to.set(text, bytes)
}

const createInverse = (encoding: string): ReadonlyMap<string, Buffer> => {
  const [found, decoder] = [new Map<string, Buffer>(), new TextDecoder(encoding)]
  for (let byte = 0; byte < 256; byte += 1) add(found, decoder, Buffer.of(byte))
  if (!MULTI_BYTE.has(encoding)) return found
  for (let lead = 0x81; lead < 0xff; lead += 1) {
    for (let trail = 0x40; trail < 0xff; trail += 1) add(found, decoder, Buffer.of(lead, trail))
  }
  return found
}

/** Returns a text as bytes of an encoding, which the platform cannot write; `undefined` if it lacks a character. */
export const encode = (text: string, encoding: string): Buffer | undefined => {
  const inverse = inverses.get(encoding) ?? createInverse(encoding)
  inverses.set(encoding, inverse)
  const parts = Array.from(text, (character) => inverse.get(character))
  return parts.includes(undefined) ? undefined : Buffer.concat(parts.flatMap((part) => part ?? []))
}
