import { KpiError } from '../../domain/errors.ts'

/** Lists how texts, names and comments of SQL begin, and how each ends; within them nothing has a meaning. */
const QUOTES: readonly (readonly [begin: string, end: string])[] = [
  ["'", "'"],
  ['"', '"'],
  ['`', '`'],
  ['[', ']'],
  ['--', '\n'],
  ['/*', '*/'],
]

/** Returns a query without its comments, and with blanks instead of the texts and names in quotes. */
const withoutQuoted = (sql: string): string => {
  let [plain, at] = ['', 0]
  while (at < sql.length) {
    const quote = QUOTES.find(([begin]) => sql.startsWith(begin, at))
    if (quote) {
      const end = sql.indexOf(quote[1], at + quote[0].length)
      plain += ' '
      at = end < 0 ? sql.length : end + quote[1].length
    } else plain += sql[at++]
  }
  return plain
}

/** Refuses what is not one statement that only reads. */
export const requireOneSelect = (sql: string): void => {
  const [first = '', ...others] = withoutQuoted(sql).split(';')
  if (!/^\s*(?:select|with)\b/i.test(first)) {
    throw new KpiError('malformed', '--sql has to begin with SELECT or WITH: it only reads')
  }
  if (others.some((other) => other.trim() !== '')) {
    throw new KpiError('malformed', '--sql has several statements; give one SELECT')
  }
}
