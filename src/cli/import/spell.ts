/** A number as people read it: `12,000`. */
export const count = (value: number): string => value.toLocaleString('en-GB')

/** A time as people read it: `45 s`, `12 min`, `1 h 05 min`. */
export const timeText = (milliseconds: number): string => {
  const seconds = Math.ceil(milliseconds / 1000)
  if (seconds < 100) return `${Math.max(1, seconds)} s`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}
