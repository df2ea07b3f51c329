import type { Frequency } from '../../domain/period.ts'

/** Names the parts of a year whose numbers look alike: `2026-03` may be a month, a week or a quarter. */
export type PartOfYear = 'month' | 'week' | 'quarter'

/**
 * Lists the words for parts of a year, as they stand anywhere in a folded name of a column: in English, German, French,
 * Spanish, Italian, Portuguese, Dutch, Swedish, Polish, Russian, Japanese and Chinese. Short words have to stand alone.
 */
const WORDS: readonly (readonly [PartOfYear, RegExp])[] = [
  ['month', /month|monat|mois|mese|maand|manad|miesiac|месяц|月|(?<!\p{L})mes(?!\p{L})/u],
  ['week', /week|woche|semaine|semana|settimana|vecka|tydzien|недел|週|周|(?<!\p{L})(?:kw|cw|wk)(?!\p{L})/u],
  ['quarter', /quarter|quartal|trimest|kwarta|kvartal|квартал|四半期|季|(?<!\p{L})qtr(?!\p{L})/u],
]

const OF_FREQUENCY: Readonly<Partial<Record<Frequency, PartOfYear>>> = { W: 'week', M: 'month', Q: 'quarter' }

/** Says what numbers beside a year are: one part of it for sure, or what the evidence names. */
export type MeantParts = { readonly sure?: PartOfYear; readonly perhaps: ReadonlySet<PartOfYear> }

/** Returns what numbers beside a year are, by the name of their column and the frequency that the user gave. */
export const partsMeant = (name: string, frequency?: Frequency): MeantParts => {
  const folded = name.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('_', ' ')
  const named = WORDS.flatMap(([part, words]) => (words.test(folded) ? [part] : []))
  const given = frequency && OF_FREQUENCY[frequency]
  const perhaps = new Set([...named, ...(given ? [given] : [])])
  const [sure] = perhaps
  // A frequency alone does not say how dates are written: months may stand for weeks or quarters.
  const isSure = perhaps.size === 1 && (named.length === 1 || sure === 'month')
  return sure !== undefined && isSure ? { sure, perhaps } : { perhaps }
}
