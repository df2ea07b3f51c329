/** A count of things as people say it: `1 row`, `2 rows`. */
export const countOf = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`
