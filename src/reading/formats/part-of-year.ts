/** Matches a day without its year, such as `1.2.` or `1/2`. */
export const DAY_WITHOUT_YEAR = /^(\d{1,2})([./])(\d{1,2})\.?$/

/** Returns a part of a year with the year behind it, as it is read. */
export const partWithYear = (part: string, year: string): string => {
  const [, one, sign, other] = DAY_WITHOUT_YEAR.exec(part) ?? []
  if (one !== undefined) return `${one}${sign}${other}${sign}${year}`
  return `${part
    .replace(/^T(?=[ -]?\d)/i, 'Q')
    .replace(/^CW/i, 'W')
    .replaceAll('-', '')} ${year}`
}
