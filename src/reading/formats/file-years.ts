import { basename } from 'node:path'
import { listFirst } from '../../domain/count-text.ts'
import type { Row, Table } from '../../tabular/source/table.ts'
import { memoize } from './date-format.ts'
import { isWholeDate } from './known-formats.ts'
import { partWithYear } from './part-of-year.ts'
import type { DatePart } from './period-words.ts'

/** Describes a year that is named beside the rows of a file: in its name, that of its sheet, or in a line above the header. */
export type FoundYear = { readonly year: string; readonly where: string }

/** Matches the years of entries that stand alone among digits. */
const YEARS = /(?<!\d)(?:19|20|21)\d{2}(?!\d)/g
/** Bounds the characters of a text that are looked through, and those that a message shows. */
const LONGEST_TEXT = 400
const SHOWN_TEXT = 60

const yearsIn = (text: string): readonly string[] => [...new Set(text.slice(0, LONGEST_TEXT).match(YEARS) ?? [])]

/** Returns the years in the lines above the header. */
const yearsAbove = (above: readonly Row[]): FoundYear[] =>
  above.flatMap(({ line, cells }) =>
    cells.flatMap((cell) => {
      const text = cell.trim()
      const shown = text.length > SHOWN_TEXT ? `${text.slice(0, SHOWN_TEXT)}…` : text
      return yearsIn(text).map((year) => ({ year, where: `line ${line} says "${shown}"` }))
    }),
  )

/** Returns the years that are named beside the rows of a file, in the order in which they are likely those of its dates. */
export const findYears = ({ name, above, reading: { sheet } }: Table): readonly FoundYear[] => [
  ...yearsIn(sheet ?? '').map((year) => ({ year, where: `the sheet is called "${sheet}"` })),
  ...yearsAbove(above),
  ...yearsIn(basename(name)).map((year) => ({ year, where: `the file is called "${basename(name)}"` })),
]

/** Sets how many places a message names for a year, and how many years. */
const SHOWN_PLACES = 2
const SHOWN_YEARS = 3

/** Says which year dates without one may be of, as a file names it, with the flag that settles it. */
export const yearFlags = (found: readonly FoundYear[]): string => {
  const years = [...Map.groupBy(found, ({ year }) => year)].slice(0, SHOWN_YEARS)
  if (years.length === 0) return ': --year YYYY says which'
  const ways = years.map(([year, places]) => {
    const where = listFirst([...new Set(places.map((one) => one.where))], SHOWN_PLACES, (text) => text)
    return `${year}, as ${where}: --year ${year}`
  })
  return `; it may be ${ways.join('; or ')}`
}

/** Stands for any year: it has a February 29th and 53 weeks. */
const SOME_YEAR = '2004'
const FEW_DIGITS = /^\d{1,2}$/
/** Sets how long a part of a year is at most. */
const LONGEST_PART = 40

/** Returns a number of a month, week or quarter as its column is named for. */
const numberedPart = (number: string, year: string, named: DatePart | undefined): string | undefined => {
  if (named === 'month') return `${year}-${number.padStart(2, '0')}`
  if (named === 'quarter') return `${year}-Q${Number(number)}`
  return named === 'week' ? `${year}-W${number.padStart(2, '0')}` : undefined
}

/** Creates a function that completes parts of a year, such as `Jan`, by the year; `named` is the part that their column is named for. */
export const completeBy = (year: string, named: DatePart | undefined): ((text: string) => string | undefined) =>
  memoize((text) => {
    if (text === '' || text.length > LONGEST_PART) return undefined
    if (FEW_DIGITS.test(text)) return numberedPart(text, year, named)
    if (isWholeDate(text)) return undefined
    return [partWithYear(text, year), `${text}-${year}`].find(isWholeDate)
  }, 10_000)

/** Creates a function that tells whether a text is a part of a year without the year. */
export const createPartTest = (named: DatePart | undefined): ((text: string) => boolean) => {
  const complete = completeBy(SOME_YEAR, named)
  return (text) => complete(text) !== undefined
}
