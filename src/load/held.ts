import type { EntryDraft } from '../domain/resources/entry.ts'
import { type EntryValues, mergeEntry, sameValues } from '../domain/rules.ts'
import type { Kpi } from '../domain/resources/kpi.ts'
import type { Reference } from './reference.ts'

type Kind = Pick<Kpi, 'target_default'>

/** A KPI without targets, which drops them, and one with. */
const KINDS: readonly Kind[] = [{ target_default: null }, { target_default: 0n }]

const isWhatBecomes = (
  kinds: readonly Kind[],
  stored: EntryValues,
  before: EntryValues | undefined,
  draft: EntryDraft,
): boolean => kinds.some((kind) => sameValues(stored, mergeEntry(before, draft, kind)))

/**
 * Whether an entry holds what a draft would make of it, as the service keeps values. Where the key may not read KPIs, it
 * may or may not drop the target.
 */
export const holds = ({ kpis }: Pick<Reference, 'kpis'>, stored: EntryValues, draft: EntryDraft): boolean => {
  const kpi = kpis.byId.get(draft.kpi_id)
  return isWhatBecomes(kpi ? [kpi] : KINDS, stored, stored, draft)
}

/** Whether an entry holds what a draft makes where there is nothing. */
export const isMadeOf = (stored: EntryValues, draft: EntryDraft): boolean =>
  isWhatBecomes(KINDS, stored, undefined, draft)
