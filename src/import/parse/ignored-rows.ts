import { isWholeDate } from '../columns/unusual-headers.ts'
import { stripAffixes } from '../formats/number.ts'
import type { Row } from './rows.ts'
import type { Table } from './table.ts'

/** Stands for the wish to leave no row out. */
export const NO_ROWS = 'none'

/** Lists what rows with totals are called, in the languages in which files are read. */
const TOTALS = new Set(
  [
    'total, totals, grand total, sum, subtotal, sub total, overall, all, sum total, total general, total général, totaal',
    'summe, gesamt, gesamtsumme, gesamtergebnis, insgesamt, zwischensumme, somme, ensemble, suma, suma total, totale',
    'totale generale, total geral, soma, razem, ogółem, łącznie, totalt, summa, i alt, yhteensä, celkem, összesen, toplam',
    'genel toplam, итого, всего, общий итог, 合計, 総計, 小計, 计, 合计, 总计, 总和, 小计, 總計, 합계, 총계, 소계',
  ].flatMap((line) => line.split(', ')),
)

/** Tells whether a name is one that rows or columns with totals have. */
export const isNameOfTotal = (name: string): boolean =>
  TOTALS.has(
    name
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, ' ')
      .replace(/ ?:$/, ''),
  )

/** Matches what stands between a word for totals and the name of whose they are. */
const OF = /^(?:for|of|für|von|de|du|des|di|del|per|van|voor)\s+/i

/** Returns the names that a text may be the total of, such as `North` in `North Total` or `Total for North`. */
export const namesOfSubtotal = (text: string): string[] => {
  const words = text.trim().split(/\s+/)
  const [first = '', last = ''] = [words[0], words.at(-1)]
  if (words.length < 2) return []
  const behind = words.slice(1).join(' ')
  return [
    ...(isNameOfTotal(first) ? [behind, behind.replace(OF, '')] : []),
    ...(isNameOfTotal(last) ? [words.slice(0, -1).join(' ')] : []),
  ]
}

/** Tells whether the user wishes to leave no row out, and so to import whatever is called a total. */
export const takesTotals = (texts: readonly string[] | undefined): boolean =>
  texts?.some((text) => text.trim().toLowerCase() === NO_ROWS) === true

/** Returns a function that tells whether a row is left out: one of its cells is a text, or begins with it before a `*`. */
export const ignoresRow = (texts: readonly string[]): ((cells: readonly string[]) => boolean) => {
  const folded = texts.map((text) => text.trim().toLowerCase()).filter((text) => text !== NO_ROWS && text !== '')
  const whole = new Set(folded.filter((text) => !text.endsWith('*')))
  const beginnings = folded.filter((text) => text.endsWith('*')).map((text) => text.slice(0, -1))
  return (cells) =>
    cells.some((cell) => {
      const text = cell.trim().toLowerCase()
      return whole.has(text) || beginnings.some((beginning) => text.startsWith(beginning))
    })
}

/** Describes rows that are left out although they hold a date and a number: how many, and the first of them. */
export type LeftOutRows = { readonly count: number; readonly first: readonly Row[] }

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
  return { ...table, rows, isRowsSettled: true, leftOut: () => found }
}
