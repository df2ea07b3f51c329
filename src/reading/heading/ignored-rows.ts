import { foldName } from '../columns/header.ts'
import { hasBreaks, nameForm } from '../../domain/name-form.ts'
import { isWholeDate } from '../columns/unusual-headers.ts'
import { memoize } from '../formats/date-format.ts'
import { stripAffixes } from '../../tabular/cells/affixed-number.ts'
import type { Row, Table } from '../../tabular/source/table.ts'

/** Stands for the wish to leave no other row out: all that are not named are meant, totals as well. */
export const NO_ROWS = 'none'

/** Lists what rows with totals are called, in the languages in which files are read. */
const TOTALS = new Set(
  [
    'total, totals, grand total, sum, subtotal, sub total, subtotals, overall, overall total, all, sum total, total general',
    'total sum, total général, totaal, subtotaal, eindtotaal, summe, gesamt, gesamtsumme, gesamtergebnis, insgesamt, alle, alles',
    'zwischensumme, teilsumme, endsumme, somme, sous total, ensemble, tous, toutes, suma, suma total, total parcial, todos',
    'todas, totale, subtotale, totale generale, tutti, tutte, total geral, soma, razem, ogółem, łącznie, suma końcowa, totalt',
    'summa, slutsumma, delsumma, delsum, mellansumma, i alt, yhteensä, välisumma, celkem, celkom, spolu, mezisoučet, ukupno',
    'skupaj, összesen, mindösszesen, részösszeg, toplam, genel toplam, ara toplam, iš viso, viso, kopā, kokku, tổng, tổng cộng',
    'итого, всего, общий итог, подытог, промежуточный итог, все, всього, разом, усього, общо, Σ, σύνολο, γενικό σύνολο',
    'μερικό σύνολο, סך הכל, סה"כ, المجموع, الإجمالي, รวม, รวมทั้งหมด, 合計, 総計, 小計, 総合計, 全体, 计, 合计, 总计, 总和, 小计, 全部',
    '總計, 合計額, 합계, 총계, 소계, 총합계, 전체',
  ]
    .flatMap((line) => line.split(', '))
    .map(foldName),
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
