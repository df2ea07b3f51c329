import { Contents } from '../../src/reading/columns/contents.ts'
import type { Heading } from '../../src/reading/columns/layout.ts'

/** The header of a file and its first rows, which begin on line 2. */
export const headingWith = (
  header: readonly string[],
  rows: readonly (readonly string[])[],
  more: Omit<Heading, 'header' | 'contents'> = {},
): Heading => {
  const sample = rows.map((cells, at) => ({ line: at + 2, cells }))
  return { header, contents: new Contents(header, sample, {}), ...more }
}
