/** Returns texts as a message lists them: the first, and how many more there are. */
export const listFirst = (texts: readonly string[], most: number): string => {
  const more = texts.length - most
  return texts.slice(0, most).join(', ') + (more > 0 ? ` and ${more.toLocaleString('en-GB')} more` : '')
}
