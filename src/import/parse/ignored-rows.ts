import { foldName } from '../columns/header.ts'

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

/** Tells whether a name is one that rows or columns with totals have. */
export const isNameOfTotal = (name: string): boolean => TOTALS.has(foldName(name).replace(/ ?:$/, ''))

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
