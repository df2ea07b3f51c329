/** Returns a number with its thousands separated, the same in every locale: `12,000`. */
export const countText = (value: number): string => value.toLocaleString('en-GB')
