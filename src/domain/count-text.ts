/** Bounds how many things of one name a fault lists. */
export const MOST_LISTED = 10

/** Returns a number with its thousands separated, the same in every locale: `12,000`. */
export const countText = (value: number): string => value.toLocaleString('en-GB')

/** Returns the word for a count of things: `row` for 1, else `rows`. */
export const nounOf = (count: number, one: string, many = `${one}s`): string => (count === 1 ? one : many)

/** Returns a count of things as people say it: `1 row`, `2 rows`. */
export const countOf = (count: number, one: string, many?: string): string => `${count} ${nounOf(count, one, many)}`

/** Returns the same with thousands separated: `1 row`, `12,000 rows`. */
export const countedText = (count: number, one: string, many?: string): string =>
  `${countText(count)} ${nounOf(count, one, many)}`

/** Returns what a message lists of many things: the texts of the first, and how many more there are. */
export const listFirst = <T>(
  list: readonly T[],
  most: number,
  textOf: (one: T, at: number) => string = String,
): string => {
  const more = list.length - most
  return list.slice(0, most).map(textOf).join(', ') + (more > 0 ? ` and ${countText(more)} more` : '')
}
