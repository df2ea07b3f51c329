/** The condition that a column's value is among those of a bound list; see `listOf`. */
export const IN_LIST = 'in (select value from json_each(?))'

/** Any number of ids as one bound value. */
export const listOf = (ids: Iterable<number>): string => JSON.stringify([...ids])
