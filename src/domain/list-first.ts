/** Returns what a message lists of many things: the texts of the first, and how many more there are. */
export const listFirst = <T>(
  list: readonly T[],
  most: number,
  textOf: (one: T, at: number) => string = String,
): string => {
  const more = list.length - most
  const first = list.slice(0, most).map(textOf).join(', ')
  return first + (more > 0 ? ` and ${more.toLocaleString('en-GB')} more` : '')
}
