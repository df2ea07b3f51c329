import { lineOf, placeOf } from './place.ts'

/** Places of a file, a bit for each line that is meant as a whole, a number for each cell. */
export type PlaceSet = { readonly has: (place: number) => boolean }

/** A line, or of a wide one the columns of the cells that are meant. */
type Part = { readonly line: number; readonly columns: ReadonlySet<number> | undefined }

/** Whether a number is among sorted ones. */
const isAmong = (sorted: readonly number[], wanted: number): boolean => {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((sorted[middle] ?? 0) < wanted) from = middle + 1
    else to = middle
  }
  return sorted[from] === wanted
}

/** The places of parts of a file, which are given in the order of their lines. */
export const createPlaceSet = (parts: Iterable<Part>): PlaceSet => {
  let bits = new Uint8Array(1024)
  const cells: number[] = []
  for (const { line, columns } of parts) {
    if (columns) {
      const ordered = [...columns].toSorted((left, right) => left - right)
      for (const column of ordered) cells.push(placeOf(line, column))
      continue
    }
    const at = line >>> 3
    if (at >= bits.length) {
      const grown = new Uint8Array(Math.max(at + 1, bits.length * 2))
      grown.set(bits)
      bits = grown
    }
    bits[at] = (bits[at] ?? 0) | (1 << (line & 7))
  }
  const hasLine = (line: number): boolean => ((bits[line >>> 3] ?? 0) & (1 << (line & 7))) !== 0
  return { has: (place) => hasLine(lineOf(place)) || isAmong(cells, place) }
}
