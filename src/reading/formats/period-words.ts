import { withoutAccents } from '../../domain/name-form.ts'
import type { Frequency } from '../../domain/period.ts'
import { PART_WORDS } from './date-words.ts'

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
