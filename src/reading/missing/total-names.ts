import { mapWithPauses } from '../../client/next-turn.ts'
import type { Pause } from '../../domain/pause.ts'
import { foldedNames, foldName } from '../columns/header.ts'
import { isItemWord, singularsOf } from '../columns/owners.ts'
import { isPartOfYear, isWholeDate } from '../formats/known-formats.ts'
import { isNameOfTotal } from '../heading/left-out-rows.ts'

/** Names what a new thing is, as messages call it. */
export type NewKind = 'KPI' | 'user' | 'breakdown item'

/** Lists what rows with averages and other summaries are called. */
const SUMMARIES = foldedNames(
  'average, averages, avg, mean, median, max, maximum, min, minimum, grand average, overall average, total average',
  'grand count, grand max, grand min, std dev, stdev, standard deviation, durchschnitt, mittelwert, gesamtmittelwert, ø',
  'gesamtdurchschnitt, maximal, minimal, moyenne, mediane, ecart type, promedio, mediana, maximo, minimo, massimo, minimo',
  'media total, media totale, media geral, gemiddelde, gemiddeld, mediaan, genomsnitt, medelvärde, gennemsnit, gjennomsnitt',
  'średnia, keskiarvo, průměr, průměrně, átlag, ortalama, prosjek, povprečje, medie, vidurkis, среднее, в среднем, среднее значение',
  'максимум, минимум, середнє, средно, μέσος όρος, μέγιστο, ελάχιστο, 平均, 平均値, 平均值, 最大, 最小, 最大値, 最小値',
  '最大值, 最小值, 中央値, 중앙값, 평균, 최대, 최소, 최댓값, 최솟값',
)
/** Lists words of summaries that are such only beside the name of something else. */
const BESIDE_NAMES = foldedNames(
  'media, média, medel, count, anzahl, ergebnis, resultat, nombre, recuento, conteggio, aantal',
)

/** Lists words of totals that a longer name has only if it is one. */
const SUBTOTALS = foldedNames(
  'subtotal, sub total, subtotals, grand total, zwischensumme, teilsumme, gesamtsumme, gesamtergebnis, sous total, subtotaal',
  'subtotale, sub totale, total parcial, podsuma, delsumma, delsum, mellansumma, välisumma, mezisoučet, részösszeg',
  'ara toplam, подытог, промежуточный итог, общий итог, μερικό σύνολο, 小計, 小计, 소계, 総計, 总计, 總計, 총계',
)
/** Lists words that are names of persons as well. */
const FIRST_NAMES = foldedNames('max, min, suma, soma, all')

const CONNECTORS = foldedNames(
  'of, for, in, the, von, vom, der, die, das, des, für, de, du, la, le, les, d, del, della, di, da, do, dos, das, los, las',
  'el, el, i, gli, e, van, voor, het, av, af, för, na, za, по, для',
)
const PERIODS = foldedNames(
  'day, daily, week, weekly, month, monthly, quarter, quarterly, year, yearly, annual, annually, ytd, mtd, qtd, period',
  'tag, täglich, woche, wöchentlich, monat, monatlich, quartal, jahr, jährlich, mois, mensuel, semaine, hebdomadaire, an',
  'annuel, année, trimestre, trimestriel, jour, journalier, mes, mensual, semana, semanal, año, anual, día, diario',
  'mese, mensile, settimana, settimanale, anno, annuale, giorno, mês, mensal, ano, maand, maandelijks, jaar, jaarlijks',
)
const YEARS = /^(?:fy ?)?\d{4}(?: \d{2,4})?$/
const LONGEST_WORD = 3
/** Matches the words of languages that write no blanks. */
const UNSPACED = /^[\p{sc=Han}\p{sc=Hangul}]{2,}$/u

const SIGNS = /[()[\]{}:;,.–—|/\\"'’*=+]+/gu

const plainName = (name: string): string => foldName(name.replaceAll(SIGNS, ' '))

/** Describes a name as a word, of a total or the like, and the rest. */
type SplitWord = { readonly word: string; readonly rest: string }

const withoutConnectors = (tokens: readonly string[]): string => {
  let [from, to] = [0, tokens.length]
  while (from < to && CONNECTORS.has(tokens[from] ?? '')) from += 1
  while (to > from && CONNECTORS.has(tokens[to - 1] ?? '')) to -= 1
  return tokens.slice(from, to).join(' ')
}

/** Returns the readings of a text without blanks that ends with a word, in languages that write none. */
const splitUnspaced = (text: string, isWord: (text: string) => boolean): SplitWord[] =>
  [2, 3].flatMap((length) => {
    const [rest, word] = [text.slice(0, -length), text.slice(-length)]
    return rest !== '' && UNSPACED.test(word) && isWord(word) ? [{ word, rest }] : []
  })

/** Returns the readings of a name as a word at its beginning or end, and a rest. */
export const splitWord = (name: string, isWord: (text: string) => boolean): SplitWord[] => {
  const plain = plainName(name)
  const tokens = plain.split(' ')
  if (tokens.length === 1) return splitUnspaced(plain, isWord)
  const lengths = Array.from({ length: Math.min(LONGEST_WORD, tokens.length - 1) }, (_, at) => at + 1)
  return lengths.flatMap((length) => {
    const [head, tail] = [tokens.slice(0, length).join(' '), tokens.slice(-length).join(' ')]
    return [
      ...(isWord(tail) ? [{ word: tail, rest: withoutConnectors(tokens.slice(0, -length)) }] : []),
      ...(isWord(head) ? [{ word: head, rest: withoutConnectors(tokens.slice(length)) }] : []),
    ]
  })
}

const isPeriod = (text: string): boolean =>
  PERIODS.has(text) || YEARS.test(text) || isPartOfYear(text) || isWholeDate(text)

/** Holds the names of a file of one kind. */
type NamesOfFile = {
  readonly kind: NewKind
  /** Lists all names of the kind, also of those that exist. */
  readonly names: readonly string[]
  /** Lists the names of the columns that hold them. */
  readonly columns: readonly string[]
}

/** Describes a name as that of a total, an average or the like; `of` names what it sums up, if that has a name. */
export type TotalName = { readonly of?: string | undefined }

/** Returns a function that tells whether a word is one of totals or summaries, in names of a kind. */
const wordsOf = (kind: NewKind) => {
  const isMeant = (word: string): boolean => kind !== 'user' || !FIRST_NAMES.has(word)
  const isTotal = (word: string): boolean => isMeant(word) && isNameOfTotal(word)
  const isSummary = (word: string): boolean => isMeant(word) && SUMMARIES.has(word)
  return { isTotal, isSummary, isAny: (word: string) => isTotal(word) || isSummary(word) || BESIDE_NAMES.has(word) }
}

/** Tells whether a text is a column's name or another word for things such as stores, mostly in the plural. */
const isNoun = (text: string, columns: readonly string[]): boolean =>
  singularsOf(text).some((one) => isItemWord(one) || columns.some((column) => plainName(column) === one))

/**
 * Returns a function that tells whether a name is probably that of a total or the like. A KPI such as "Average Price" or
 * "Cases - total" is one of its own, beside "Price" or "Cases" as well, and no KPI is added to another.
 */
export const createTotalReader = async (
  { kind, names, columns }: NamesOfFile,
  pause: Pause,
): Promise<(name: string) => TotalName | undefined> => {
  const { isTotal, isSummary, isAny } = wordsOf(kind)
  const known = new Map(await mapWithPauses(names, pause, (name) => [plainName(name), name] as const))
  const hasOthers = [...known.keys()].some((name) => !isTotal(name) && !isSummary(name))
  const isLikely = ({ word, rest }: SplitWord): boolean => {
    if (BESIDE_NAMES.has(word)) return false
    if (isPeriod(rest) || isTotal(rest)) return true
    return kind !== 'KPI' && isTotal(word) && (SUBTOTALS.has(word) || isNoun(rest, columns))
  }
  return (name) => {
    const plain = plainName(name)
    if (isTotal(plain) || (hasOthers && isSummary(plain))) return {}
    const splits = hasOthers ? splitWord(name, isAny) : []
    const ofOther = kind === 'KPI' ? undefined : splits.find(({ rest }) => known.has(rest) && rest !== plain)
    if (ofOther) return { of: known.get(ofOther.rest) }
    return splits.some(isLikely) ? {} : undefined
  }
}
