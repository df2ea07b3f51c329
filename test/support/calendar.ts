const MS_A_DAY = 86_400_000

/** The day of a date as the platform's own calendar has it: days since 1970-01-01. */
export const day = (date: string): number => Date.parse(`${date}T00:00:00Z`) / MS_A_DAY

/** The platform's own date of a day. */
export const dateOf = (of: number): Date => new Date(of * MS_A_DAY)
