import { foldedNames, foldName } from '../columns/header.ts'
import { hasBreaks, nameForm } from '../../domain/name-form.ts'
import { isPartOfYear, isWholeDate } from '../formats/known-formats.ts'
import { memoize } from '../formats/date-format.ts'
import { stripAffixes } from '../../domain/numbers/affixed-number.ts'
import type { LeftOutRows, Row, Table } from '../../tabular/source/table.ts'
import { listFlag } from '../options/flag-text.ts'
import { countText } from '../../domain/count-text.ts'
import { KpiError } from '../../domain/errors.ts'
import { isWords } from './table-body.ts'

/** Stands for the wish to leave no other row out: all that are not named are meant, totals as well. */
export const NO_ROWS = 'none'

/** Lists what rows with totals are called, in the languages in which files are read. */
const TOTALS = foldedNames(
  'total, totals, grand total, sum, subtotal, sub total, subtotals, overall, overall total, all, sum total, total general',
  'total sum, total général, totaal, subtotaal, eindtotaal, summe, gesamt, gesamtsumme, gesamtergebnis, insgesamt, alle, alles',
  'zwischensumme, teilsumme, endsumme, somme, sous total, ensemble, tous, toutes, suma, suma total, total parcial, todos',
  'todas, totale, subtotale, totale generale, tutti, tutte, total geral, soma, razem, ogółem, łącznie, suma końcowa, totalt',
  'summa, slutsumma, delsumma, delsum, mellansumma, i alt, yhteensä, välisumma, celkem, celkom, spolu, mezisoučet, ukupno',
  'skupaj, összesen, mindösszesen, részösszeg, toplam, genel toplam, ara toplam, iš viso, viso, kopā, kokku, tổng, tổng cộng',
  'итого, всего, общий итог, подытог, промежуточный итог, все, всього, разом, усього, общо, Σ, σύνολο, γενικό σύνολο',
  'μερικό σύνολο, סך הכל, סה"כ, المجموع, الإجمالي, รวม, รวมทั้งหมด, 合計, 総計, 小計, 総合計, 全体, 计, 合计, 总计, 总和, 小计, 全部',
  '總計, 合計額, 합계, 총계, 소계, 총합계, 전체',
)

/** Bounds how many names are remembered: each row has one, and few are different. */
const MOST_NAMES = 10_000

/** Tells whether a name is one that rows or columns with totals have. */
export const isNameOfTotal = memoize((name) => TOTALS.has(foldName(name).replace(/ ?:$/, '')), MOST_NAMES)

/** Tells whether the user said that rows that are not left out are meant, whatever they are called. */
export const areOthersMeant = (texts: readonly string[] | undefined): boolean =>
  texts?.some((text) => text.trim().toLowerCase() === NO_ROWS) === true

/**
 * Returns a function that tells whether a text begins with one of some others. Of these, sorted and without those that
 * begin with another one, only the last that is not behind the text can be its beginning: a search by halves finds it.
 */
const createPrefixTest = (beginnings: readonly string[]): ((text: string) => boolean) => {
  const sorted: string[] = []
  for (const one of beginnings.toSorted((left, right) => (left < right ? -1 : 1))) {
    const last = sorted.at(-1)
    if (last === undefined || !one.startsWith(last)) sorted.push(one)
  }
  return (text) => {
    let [start, end] = [0, sorted.length]
    while (start < end) {
      const middle = (start + end) >> 1
      if ((sorted[middle] ?? '') <= text) start = middle + 1
      else end = middle
    }
    const found = sorted[start - 1]
    return found !== undefined && text.startsWith(found)
  }
}

/** Returns a function that tells whether a text is one of some others, or begins with one that has a `*` behind it. */
const createTextTest = (texts: readonly string[]): ((text: string) => boolean) => {
  const whole = new Set(texts.filter((text) => !text.endsWith('*')))
  const hasBeginning = createPrefixTest(texts.filter((text) => text.endsWith('*')).map((text) => text.slice(0, -1)))
  return (text) => whole.has(text) || hasBeginning(text)
}

/** Returns a function that tells whether a row is left out: one of its cells is a text, or begins with it before a `*`. */
export const ignoresRow = (texts: readonly string[]): ((cells: readonly string[]) => boolean) => {
  const folded = texts.map((text) => text.trim().toLowerCase()).filter((text) => text !== NO_ROWS && text !== '')
  const isNamed = createTextTest(folded)
  // A cell of several lines is also known as a message shows it.
  const isShown = createTextTest(folded.map(nameForm))
  return (cells) =>
    cells.some((cell) => {
      const text = cell.trim().toLowerCase()
      return isNamed(text) || (hasBreaks(text) && isShown(nameForm(text)))
    })
}

/** Returns the row of units below the header, unless the user leaves it out. */
export const unitRowOf = (
  { units }: Pick<Table, 'units'>,
  { ignoreRows = [] }: { readonly ignoreRows?: readonly string[] | undefined },
): Row | undefined => (units && ignoresRow(ignoreRows)(units.cells) ? undefined : units)

const MOST_SHOWN = 3

/** Tells whether a row holds a date, and a number in another cell. */
const holdsValue = (cells: readonly string[]): boolean => {
  const texts = cells.map((cell) => cell.trim()).filter((text) => text !== '')
  const date = texts.findIndex(isWholeDate)
  return date >= 0 && texts.some((text, at) => at !== date && stripAffixes(text) !== undefined)
}

/** Yields the header and the rows that are not left out; `onLeftOut` is called for each other row. */
async function* withoutIgnored(
  chunks: AsyncGenerator<readonly Row[]>,
  isIgnored: (cells: readonly string[]) => boolean,
  onLeftOut: (row: Row) => void,
): AsyncGenerator<readonly Row[]> {
  let isBegun = false
  for await (const rows of chunks) {
    const start = isBegun ? 0 : 1
    isBegun ||= rows.length > 0
    yield rows.filter((row, at) => {
      const isLeftOut = at >= start && isIgnored(row.cells)
      if (isLeftOut) onLeftOut(row)
      return !isLeftOut
    })
  }
}

/** Leaves rows out of a table, as `--ignore-rows` says, and keeps count of those that look like data. */
export const leaveOutRows = (table: Table, texts: readonly string[] | undefined): Table => {
  if (texts === undefined) return table
  const isIgnored = ignoresRow(texts)
  let found: { count: number; first: Row[] } = { count: 0, first: [] }
  const rows = (): AsyncGenerator<readonly Row[]> => {
    // Count anew each time, as the rows may be read several times.
    const seen: typeof found = { count: 0, first: [] }
    found = seen
    return withoutIgnored(table.rows(), isIgnored, (row) => {
      if (!holdsValue(row.cells)) return
      seen.count += 1
      if (seen.first.length < MOST_SHOWN) seen.first.push(row)
    })
  }
  return { ...table, rows, leftOut: () => found }
}

/** Describes rows that are hardly data: totals of the rows above, or what stands below the table. */
export type SuspectRows = {
  readonly kind: 'total' | 'footer'
  /** Holds the texts that they are known by; of many, the first. */
  readonly texts: readonly string[]
  /** Counts the rows, and names the lines of the first and the last. */
  readonly count: number
  readonly first: number
  readonly last: number
  /** Holds the texts by which `--ignore-rows` leaves them out, and which other rows these leave out, too. */
  readonly patterns?: readonly string[]
  readonly others?: { readonly count: number; readonly first: number } | undefined
}

const MOST_TEXTS = 3
/** Sets how many columns a table has whose rows of one cell are hardly data. */
const FOOTER_COLUMNS = 3

/** Returns the only cell of a row; undefined if it has none or several. */
const onlyCell = (cells: readonly string[]): string | undefined => {
  let only: string | undefined
  for (const cell of cells) {
    const text = cell.trim()
    if (text === '') continue
    if (only !== undefined) return undefined
    only = text
  }
  return only
}

const LETTER = /\p{L}/u

const [ZERO, NINE] = [0x30, 0x39]
const BETWEEN_FIGURES = new Set([0x2e, 0x2c, 0x2d])

/** Tells whether a cell has nothing but figures and what stands between them, as most cells of most rows. */
const isFigures = (cell: string): boolean => {
  for (let at = 0; at < cell.length; at += 1) {
    const code = cell.charCodeAt(at)
    if (!(code >= ZERO && code <= NINE) && !BETWEEN_FIGURES.has(code)) return false
  }
  return true
}

/** Returns the first cell of a row that is neither a number nor a date. */
const firstWords = (cells: readonly string[]): string | undefined => {
  for (const cell of cells) {
    if (isFigures(cell) || !LETTER.test(cell)) continue
    const text = cell.trim()
    if (isWords(text) && !isPartOfYear(text)) return text
  }
  return undefined
}

/** Tells whether a row is called a total, alone or before a colon. */
const isTotal = (text: string): boolean => isNameOfTotal(text) || isNameOfTotal(text.split(':', 1)[0] ?? '')

const add = (before: SuspectRows | undefined, kind: SuspectRows['kind'], text: string, line: number): SuspectRows => {
  const texts = before?.texts ?? []
  const isNew = texts.length < MOST_TEXTS && !texts.includes(text)
  return {
    kind,
    texts: isNew ? [...texts, text] : texts,
    count: (before?.count ?? 0) + 1,
    first: before?.first ?? line,
    last: line,
  }
}

/** Collects such rows of a table with so many columns while it is read, in constant memory. */
export const createSuspectCollector = (columns: number) => {
  let [totals, footers]: (SuspectRows | undefined)[] = []
  let hasOthers = false
  const noteFooter = ({ line, cells }: Row, words: string | undefined, isRejected: boolean): void => {
    // A total that is rejected, because it has no date, is a footer, too.
    const only = isRejected
      ? (onlyCell(cells) ?? (words !== undefined && isTotal(words) ? words : undefined))
      : undefined
    if (only !== undefined) footers = add(footers, 'footer', only, line)
    else if (footers !== undefined && cells.some((cell) => cell.trim() !== '')) footers = undefined
  }
  return {
    /** Looks at the next row, and whether it was rejected: a total that is rejected does no harm. */
    note: (row: Row, isRejected: boolean): void => {
      const words = firstWords(row.cells)
      if (columns >= FOOTER_COLUMNS) noteFooter(row, words, isRejected)
      if (words === undefined || !isTotal(words)) hasOthers = true
      else if (hasOthers && !isRejected) totals = add(totals, 'total', words, row.line)
    },
    /** Returns what was found; call it once all rows were seen. */
    found: (): SuspectRows[] => [totals, footers].filter((one) => one !== undefined),
  }
}

const LONGEST_TEXT = 20

/** Returns the text by which `--ignore-rows` leaves a footer out: up to its colon, else whole or its beginning. */
const ignoredText = (text: string): string => {
  const colon = text.indexOf(':')
  if (colon > 0 && colon < LONGEST_TEXT) return `${text.slice(0, colon + 1)}*`
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT).trim()}*` : text
}

/** Returns the flag that leaves rows out, as it is typed in a shell. */
const ignoreFlag = (texts: readonly string[]): string => listFlag('--ignore-rows', texts)

const linesOf = ({ count, first, last }: SuspectRows): string =>
  count === 1
    ? `line ${first}`
    : count === last - first + 1
      ? `lines ${first} to ${last}`
      : `${count} lines from ${first} to ${last}`

const shownTexts = (texts: readonly string[]): string => texts.map((text) => `"${text}"`).join(', ')

/** Counts the rows beside the meant ones that texts leave out, and finds the first of them. */
const countOthers = async (
  table: Pick<Table, 'rows'>,
  texts: readonly string[],
  isMeant: (row: Row) => boolean,
): Promise<SuspectRows['others']> => {
  const isIgnored = ignoresRow(texts)
  let [count, first, isHeader] = [0, 0, true]
  for await (const rows of table.rows()) {
    for (const row of rows) {
      const isOther = !isHeader && isIgnored(row.cells) && !isMeant(row)
      isHeader = false
      if (!isOther) continue
      if (count === 0) first = row.line
      count += 1
    }
  }
  return count === 0 ? undefined : { count, first }
}

/** Finds texts with which `--ignore-rows` leaves rows out and no others, as far as there are such texts. */
const withPatterns = async (table: Pick<Table, 'rows'>, found: SuspectRows): Promise<SuspectRows> => {
  const { kind, texts } = found
  if (kind === 'total') {
    const others = await countOthers(table, texts, ({ cells }) => isTotal(firstWords(cells) ?? ''))
    return { ...found, patterns: texts, others }
  }
  const isMeant = ({ line }: Row): boolean => line >= found.first
  const patterns = texts.map(ignoredText)
  const others = await countOthers(table, patterns, isMeant)
  const isWhole = others !== undefined && (await countOthers(table, texts, isMeant)) === undefined
  return isWhole ? { ...found, patterns: texts } : { ...found, patterns, others }
}

/** Finds how to leave out rows that look like totals or footers; the rows are read again only if there are some. */
export const findPatterns = async (
  table: Pick<Table, 'rows'>,
  found: readonly SuspectRows[],
): Promise<readonly SuspectRows[]> => {
  const all: SuspectRows[] = []
  for (const one of found) all.push(await withPatterns(table, one))
  return all
}

const countOfOthers = ({ count, first }: NonNullable<SuspectRows['others']>): string =>
  count === 1 ? `line ${first}, too` : `${countText(count)} other rows, too, the first on line ${first}`

/**
 * Returns the flags that leave all rows with some texts out, that import all, and of several texts one that leaves out
 * the first alone; each keeps what is left out already.
 */
const waysOfTotals = ({ texts, patterns, count, others }: SuspectRows, ignored: readonly string[] = []): string => {
  const them = count === 1 ? 'it' : 'them'
  const more = others ? `, and ${countOfOthers(others)};` : ','
  const some = texts
    .slice(0, texts.length > 1 ? 1 : 0)
    .map((text) => `, ${ignoreFlag([...ignored, text, NO_ROWS])} leaves out "${text}" and imports the rest`)
  return `${ignoreFlag([...ignored, ...(patterns ?? texts)])} leaves ${them} out${more} ${ignoreFlag([...ignored, NO_ROWS])} imports ${them}${some.join('')}`
}

/**
 * Refuses rows that look like totals and would be imported, unless the user said that they are meant: they would count
 * everything twice. `ignored` are the texts of rows that are left out.
 */
export const requireNoTotals = (found: readonly SuspectRows[], ignored: readonly string[] | undefined): void => {
  const issues = areOthersMeant(ignored)
    ? []
    : found
        .filter(({ kind }) => kind === 'total')
        .map((rows) => ({
          field: linesOf(rows),
          message: `${shownTexts(rows.texts)} ${rows.count === 1 ? 'looks like a total' : 'look like totals'} of the rows above: ${waysOfTotals(rows, ignored)}`,
        }))
  if (issues.length > 0) {
    throw new KpiError('malformed', 'some rows look like totals; nothing was sent', { issues })
  }
}

/** Returns how to leave rejected rows below the table out, without losing others. */
const wayOutOfFooter = (rows: SuspectRows): string => {
  const them = rows.count === 1 ? 'it' : 'them'
  const flag = ignoreFlag(rows.patterns ?? rows.texts)
  if (rows.others) return `delete ${them} in the file, as ${flag} leaves out ${countOfOthers(rows.others)}`
  // A number or a date is a value of other rows sooner or later.
  return rows.texts.every((text) => LETTER.test(text))
    ? `${flag} leaves ${them} out`
    : `delete ${them} in the file, as no text tells ${them} from other rows`
}

/** Returns notes on rejected rows below the table, and how to leave them out. */
export const notesOnFooters = (found: readonly SuspectRows[]): string[] =>
  found
    .filter(({ kind }) => kind === 'footer')
    .map((rows) => {
      const looks = rows.count === 1 ? 'looks' : 'look'
      return `${linesOf(rows)} ${looks} like a footer (${shownTexts(rows.texts.slice(0, 1))}): ${wayOutOfFooter(rows)}`
    })

/** Returns notes on rows that `--ignore-rows` left out although they look like data. */
export const notesOnLeftOut = (leftOut: LeftOutRows | undefined): string[] => {
  if (!leftOut || leftOut.count === 0) return []
  const shown = leftOut.first.map(({ line, cells }) => `line ${line} (${cells.map((cell) => cell.trim()).join(', ')})`)
  const more = leftOut.count - shown.length
  return [
    `--ignore-rows leaves out ${countText(leftOut.count)} ${leftOut.count === 1 ? 'row' : 'rows'} with a date and a number: ${shown.join(', ')}${more > 0 ? ` and ${countText(more)} more` : ''}`,
  ]
}
