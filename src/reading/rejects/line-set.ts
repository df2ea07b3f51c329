/** Holds numbers of lines, a bit for each line up to the last. */
type LineSet = {
  /** Adds a line; returns false where it is there already. */
  readonly add: (line: number) => boolean
  readonly has: (line: number) => boolean
}

const FIRST_BYTES = 1024

/** Creates an empty set. */
export const createLineSet = (): LineSet => {
  let bits = new Uint8Array(FIRST_BYTES)
  const has = (line: number): boolean => ((bits[line >>> 3] ?? 0) & (1 << (line & 7))) !== 0
  return {
    has,
    add: (line) => {
      if (has(line)) return false
      const at = line >>> 3
      if (at >= bits.length) {
        const grown = new Uint8Array(Math.max(at + 1, bits.length * 2))
        grown.set(bits)
        bits = grown
      }
      bits[at] = (bits[at] ?? 0) | (1 << (line & 7))
      return true
    },
  }
}
