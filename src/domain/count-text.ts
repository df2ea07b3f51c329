/** Bounds how many things of one name a fault lists. */
export const MOST_LISTED = 10

/** Returns a number with its thousands separated, the same in every locale: `12,000`. */
export const countText = (value: number): string => value.toLocaleString('en-GB')

/** Returns what a message lists of many things: the texts of the first, and how many more there are. */
export const listFirst = <T>(
  list: readonly T[],
  most: number,
  textOf: (one: T, at: number) => string = String,
): string => {
  const more = list.length - most
  return list.slice(0, most).map(textOf).join(', ') + (more > 0 ? ` and ${countText(more)} more` : '')
}
