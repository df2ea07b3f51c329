/** A word as it must be typed in a shell. */
export const shellWord = (word: string): string =>
  /^[\w./:@=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
