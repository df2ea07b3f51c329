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
