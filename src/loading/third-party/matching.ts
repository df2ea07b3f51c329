import type { TargetFacts } from '../../domain/targets/dated-targets.ts'
import { type Decimal, FRACTION_DIGITS } from '../../domain/decimal.ts'
import type { Entry, EntryDraft } from '../../domain/resources/entry.ts'
import { type EntryValues, mergeEntry, sameValues } from '../../domain/rules.ts'
import { ownerOf } from '../../domain/entry-key.ts'
import type { Reference } from '../../reading/directory/reference.ts'

type TargetRule = TargetFacts

/** Lists both kinds of KPIs: one that drops targets, and one that keeps them. */
const KINDS: readonly TargetRule[] = [{ target_default: null }, { target_default: 0n }]

const isWhatBecomes = (
  kinds: readonly TargetRule[],
  stored: EntryValues,
  before: EntryValues | undefined,
  draft: EntryDraft,
): boolean => kinds.some((kind) => sameValues(stored, mergeEntry(before, draft, kind)))

/**
 * Tells whether an entry already holds what a draft would make of it, by the service's rules. If the key may not read
 * KPIs, it is enough that the entry matches with the target kept or with the target dropped.
 */
export const holdsDraft = ({ kpis }: Pick<Reference, 'kpis'>, stored: EntryValues, draft: EntryDraft): boolean => {
  const kpi = kpis.byId.get(draft.kpi_id)
  return isWhatBecomes(kpi ? [kpi] : KINDS, stored, stored, draft)
}

/** Tells whether an entry has the owner, KPI and day of a draft: a service may ignore the filters of a query. */
export const hasKeyOf = (entry: Entry, draft: EntryDraft): boolean => {
  const owner = ownerOf(draft)
  const isOwners = ownerOf(entry) === owner || (owner < 0 && entry.source_id === -owner)
  return isOwners && entry.kpi_id === draft.kpi_id && entry.entry_date === draft.entry_date
}

/** Lists the units that services round to: whole numbers at the coarsest. */
const UNITS: readonly Decimal[] = Array.from({ length: FRACTION_DIGITS + 1 }, (_, digits) => 10n ** BigInt(digits))

const ONE = 10 ** FRACTION_DIGITS

/** Returns the value as a service stores it that keeps numbers in 32-bit floats. */
const inSingle = (value: Decimal): Decimal => BigInt(Math.round(Math.fround(Number(value) / ONE) * ONE))

/** Tells whether a stored value may be the one that was sent, after rounding by the service. */
export const isRounded = (stored: Decimal | null, sent: Decimal | null): boolean => {
  if (stored === null || sent === null) return stored === sent
  const apart = stored > sent ? stored - sent : sent - stored
  return UNITS.some((unit) => apart < unit && stored % unit === 0n) || stored === inSingle(sent)
}

/** Returns notes in lower case with only letters and digits: services trim, escape or collapse the rest. */
const bare = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

/**
 * Tells whether stored notes may be those that were sent: cut off, in another case, or with something added before or
 * after.
 */
export const areLikeNotes = (stored: string | null, sent: string | null): boolean => {
  const [one, other] = [bare(stored ?? ''), bare(sent ?? '')]
  return one === other || (one !== '' && other !== '' && (other.startsWith(one) || one.includes(other)))
}

/**
 * Tells whether a service that rounds, or changes notes, may have made an entry from a draft when nothing was stored
 * before. If no target was sent, the service may have filled in any.
 */
export const mayComeFrom = (stored: EntryValues, draft: EntryDraft): boolean =>
  isRounded(stored.actual, draft.actual ?? null) &&
  (draft.target === undefined || stored.target === null || isRounded(stored.target, draft.target)) &&
  areLikeNotes(stored.notes, draft.notes ?? null)

/** Tells whether the numbers of an entry may be those that were sent, as far as services round. */
export const hasNumbersOf = ({ actual, target }: EntryValues, draft: EntryDraft): boolean =>
  (draft.actual === undefined || isRounded(actual, draft.actual)) &&
  (draft.target === undefined || target === null || isRounded(target, draft.target))

/** Tells whether an entry may hold what was sent, if the service rounds numbers and changes notes. */
export const mayHold = (stored: EntryValues, draft: EntryDraft): boolean =>
  hasNumbersOf(stored, draft) && (draft.notes === undefined || areLikeNotes(stored.notes, draft.notes))
