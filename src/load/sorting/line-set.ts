/** Lines of a file, a bit each. */
export type LineSet = { readonly has: (line: number) => boolean }

/** The lines among some that are given. */
export const createLineSet = (lines: Iterable<{ readonly line: number }>): LineSet => {
  let bits = new Uint8Array(1024)
  for (const { line } of lines) {
    const at = line >>> 3
    if (at >= bits.length) {
      const grown = new Uint8Array(Math.max(at + 1, bits.length * 2))
      grown.set(bits)
      bits = grown
    }
    bits[at] = (bits[at] ?? 0) | (1 << (line & 7))
  }
  return { has: (line) => ((bits[line >>> 3] ?? 0) & (1 << (line & 7))) !== 0 }
}
