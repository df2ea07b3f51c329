const FIRST = Date.parse('2026-03-01T00:00:00Z')
const MS_A_DAY = 86_400_000

/** The date of a day of a simulation, counted from 0. */
export const dateOf = (day: number): string => new Date(FIRST + day * MS_A_DAY).toISOString().slice(0, 10)
