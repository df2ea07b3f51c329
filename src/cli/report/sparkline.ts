const BARS = '▁▂▃▄▅▆▇█'

/** A line of bars, low for the least value and high for the greatest; a gap where there is none. */
export const sparkline = (values: readonly (number | null)[]): string => {
  const known = values.filter((value) => value !== null)
  const least = Math.min(...known)
  const spread = Math.max(...known) - least
  return values
    .map((value) => {
      if (value === null) return ' '
      return BARS[spread === 0 ? 3 : Math.round(((value - least) / spread) * (BARS.length - 1))] ?? ' '
    })
    .join('')
    .trimEnd()
}
