import { withoutAccents } from '../../domain/name-form.ts'
import type { Frequency } from '../../domain/period.ts'

/** Names the parts of a date that may have a column each. */
export const DATE_PARTS = ['year', 'month', 'week', 'quarter', 'day'] as const
export type DatePart = (typeof DATE_PARTS)[number]

const list = (text: string): readonly string[] => text.split(', ')

/** Lists the names of columns for months, weeks and quarters, which also stand for their first day. */
export const PERIOD_WORDS: Readonly<Record<'month' | 'week' | 'quarter', readonly string[]>> = {
  month: list('month, monat, mois, mes, mese, mês, maand, månad, miesiąc'),
  week: list('week, calendar week, woche, kalenderwoche, kw, semaine, semana, settimana, vecka, tydzień'),
  quarter: list('quarter, quartal, trimestre, kwartaal, kvartal, kwartał'),
}

/** Lists the names of columns for days. */
export const DAY_WORDS = list('day, tag, jour, día, giorno, dia, dag, dzień')

/** Lists all names of columns for parts of a date; some are too short, or too rare, to be a date by themselves. */
export const PART_WORDS: Readonly<Record<DatePart, readonly string[]>> = {
  year: list('year, jahr, annee, an, ano, anno, jaar, ar, rok, год, 年, 年度, fiscal year, calendar year'),
  month: [...PERIOD_WORDS.month, ...list('month number, месяц, 月, 月份')],
  week: [...PERIOD_WORDS.week, ...list('w, wk, cw, week number, неделя, недели, 週, 周')],
  quarter: [...PERIOD_WORDS.quarter, ...list('q, qtr, trimester, квартал, 四半期, 季, 季度')],
  day: [...DAY_WORDS, ...list('day of month, день, 日')],
}

/** Lists the parts of a year whose numbers look alike: `2026-03` may be a month, a week or a quarter. */
const PARTS_OF_YEAR = ['month', 'week', 'quarter'] as const
export type PartOfYear = (typeof PARTS_OF_YEAR)[number]

const fold = (text: string): string => withoutAccents(text.toLowerCase()).replaceAll('_', ' ')

/** Sets how long a word of Latin letters is that may be a part of another, as in `Monatsende`; shorter ones stand alone. */
const LEAST_WITHIN = 4

/** Matches the words for a part of a year in the folded name of a column. */
const WORDS = PARTS_OF_YEAR.map((part) => {
  const words = PART_WORDS[part].map(fold).filter((word) => word.length > 1 || !/[a-z]/.test(word))
  const isWithin = (word: string): boolean => word.length >= LEAST_WITHIN || !/[a-z]/.test(word)
  const patterns = words.map((word) => (isWithin(word) ? word : String.raw`(?<!\p{L})${word}(?!\p{L})`))
  return [part, new RegExp(patterns.join('|'), 'u')] as const
})

const OF_FREQUENCY: Readonly<Partial<Record<Frequency, PartOfYear>>> = { W: 'week', M: 'month', Q: 'quarter' }

/** Says what numbers beside a year are: one part of it for sure, or what the evidence names. */
export type MeantParts = { readonly sure?: PartOfYear; readonly perhaps: ReadonlySet<PartOfYear> }

/** Returns what numbers beside a year are, by the name of their column and the frequency that the user gave. */
export const partsMeant = (name: string, frequency?: Frequency): MeantParts => {
  const folded = fold(name)
  const named = WORDS.flatMap(([part, words]) => (words.test(folded) ? [part] : []))
  const given = frequency && OF_FREQUENCY[frequency]
  const perhaps = new Set([...named, ...(given ? [given] : [])])
  const [sure] = perhaps
  // A frequency alone does not say how dates are written: months may stand for weeks or quarters.
  const isSure = perhaps.size === 1 && (named.length === 1 || sure === 'month')
  return sure !== undefined && isSure ? { sure, perhaps } : { perhaps }
}
