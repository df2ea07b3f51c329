/** Names the ways in which the values of several periods are put together. */
export const FUNCTIONS = ['sum', 'avg', 'last', 'min', 'max'] as const
export type TimeFunction = (typeof FUNCTIONS)[number]
