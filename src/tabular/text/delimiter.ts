import { countOf, nounOf } from '../../domain/count-text.ts'
import { KpiError } from '../../domain/errors.ts'
import { type Delimiter, delimiterName, DELIMITERS } from '../source/text-format.ts'
import { createSplitter } from './rows.ts'
import type { Row, HeaderFinder } from '../source/table.ts'

/** Describes the delimiter of a file. */
type FoundDelimiter = {
  readonly separator: Delimiter
  readonly evidence: readonly string[]
}

/** Holds the first lines of a text, whether they are all of it, and how many of them are above the header, if given. */
type Beginning = { readonly text: string; readonly isAll: boolean; readonly skipLines?: number | undefined }

/** Finds where the header is, and known names in it. */
type NameFinder = Pick<HeaderFinder, 'probable' | 'isName'>

/** Describes the first lines as one delimiter splits them. */
type SplitLines = {
  readonly separator: Delimiter
  readonly cells: number
  /** Counts the lines, the header included, and those with as many cells as the header. */
  readonly lines: number
  readonly alike: number
  /** Counts the columns with a known name, plus those that hold only numbers and dates. */
  readonly clear: number
  readonly header: readonly string[]
}

/** Matches a first line such as `sep=;`, in which Excel names the delimiter. */
const SAID = /^"?sep=([^\r\n]+?)"?\r?(?:\n|$)/i
/** Matches a number or date in any format, or nothing. */
const PLAIN_CELL = /^[\s\d.,'’/:%€$£()+-]*$/

/** Yields the rows up to the first that cannot be read. */
const rowsBy = ({ text, isAll, skipLines = 0 }: Beginning, separator: string): Row[] => {
  const [splitter, rows] = [createSplitter(separator, 'it'), [] as Row[]]
  try {
    splitter.add(text, rows)
    if (isAll || rows.length === 0) splitter.end(rows)
  } catch (error) {
    // Faults of a row are reported when the file is read.
    if (!(error instanceof KpiError)) throw error
  }
  return rows.filter(({ line }) => line > skipLines)
}

const readBy = (beginning: Beginning, separator: Delimiter, finder: NameFinder): SplitLines => {
  const all = rowsBy(beginning, separator)
  const [header, ...rows] = all.slice(finder.probable(all)).map(({ cells }) => cells)
  const names = header ?? []
  const isPlain = (_: string, at: number): boolean => rows.every((cells) => PLAIN_CELL.test(cells[at] ?? ''))
  return {
    separator,
    cells: names.length,
    // A row below which there is none is hardly the header of the rows above it.
    lines: rows.length > 0 ? rows.length + 1 : all.length,
    alike: rows.filter((cells) => cells.length === names.length).length + 1,
    clear: names.filter(finder.isName).length + (rows.length === 0 ? 0 : names.filter(isPlain).length),
    header: names,
  }
}

const share = ({ lines, alike }: SplitLines): number => alike / lines

/**
 * Tells whether one delimiter is better in one respect and worse in none, or clearly gives more lines of the same
 * length.
 */
const beats = (one: SplitLines, other: SplitLines): boolean => {
  const [byShare, byClear] = [share(one) - share(other), one.clear - other.clear]
  if (byShare >= 0 && byClear >= 0) return byShare > 0 || byClear > 0
  return byClear > 0 ? false : share(one) > 0.9 && share(other) < 0.5
}

const SHOWN_NAMES = 5

const namesOf = (header: readonly string[]): string =>
  header
    .slice(0, SHOWN_NAMES)
    .map((name) => `"${name.trim()}"`)
    .join(', ') + (header.length > SHOWN_NAMES ? ', …' : '')

const shown = ({ separator, header, lines, alike }: SplitLines): string =>
  `${delimiterName(separator)} gives the columns ${namesOf(header)} (${alike} of ${countOf(lines, 'line')} ${nounOf(alike, 'has', 'have')} that many cells)`

const evidenceOf = ({ separator, cells, lines, alike }: SplitLines): string => {
  const name = `separator ${delimiterName(separator)}`
  if (lines === 1) return `${name}: the header has ${countOf(cells, 'cell')} with it, and contains no other`
  if (alike === lines) return `${name}: the first ${lines} lines all have ${countOf(cells, 'cell')}`
  return `${name}: ${alike} of the first ${lines} lines ${nounOf(alike, 'has', 'have')} the ${cells} cells of the header`
}

const oneColumn = ({ text }: Beginning): FoundDelimiter => ({
  separator: DELIMITERS.find((one) => !text.includes(one)) ?? ',',
  evidence: ['separator: there is only one column'],
})

const choose = (readings: readonly SplitLines[]): SplitLines => {
  const best = readings.find((one) => readings.every((other) => one === other || beats(one, other)))
  if (best) return best
  throw new KpiError(
    'malformed',
    `cells can be separated in more than one way: ${readings.map(shown).join('; ')}; say which: --separator`,
  )
}

/** Tells whether the first line only names the delimiter. */
export const namesDelimiter = (text: string): boolean => SAID.test(text)

/** Detects the delimiter of a file from its first lines. */
export const detectDelimiter = (beginning: Beginning, finder: NameFinder): FoundDelimiter => {
  const named = SAID.exec(beginning.text)?.[1]
  if (named !== undefined) {
    const separator = DELIMITERS.find((one) => one === named)
    const evidence = `separator ${delimiterName(named)}: line 1 says so (sep=${named})`
    if (separator) return { separator, evidence: [evidence] }
    throw new KpiError(
      'malformed',
      `line 1 says that cells are separated by "${named}"; save the file with , ; tab or |`,
    )
  }
  const found = DELIMITERS.filter((one) => beginning.text.includes(one))
  const readings = found.map((one) => readBy(beginning, one, finder)).filter(({ cells }) => cells > 1)
  if (readings.length === 0) return oneColumn(beginning)
  const best = choose(readings)
  return { separator: best.separator, evidence: [evidenceOf(best)] }
}
