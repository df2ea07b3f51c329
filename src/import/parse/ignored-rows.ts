/** Stands for the wish to leave no other row out: all that are not named are meant, totals as well. */
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

/** Tells whether the user said that rows that are not left out are meant, whatever they are called. */
export const areOthersMeant = (texts: readonly string[] | undefined): boolean =>
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
