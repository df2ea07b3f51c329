/** Returns a word as it must be typed in a shell. */
export const shellWord = (word: string): string =>
  /^[\w./:@=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** Returns a count of things as people say it: `1 row`, `2 rows`. */
export const countOf = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`
