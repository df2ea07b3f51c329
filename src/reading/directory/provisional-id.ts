import type { EntryDraft } from '../../domain/resources/entry.ts'

/** Holds the first id of things that do not exist yet; no service gives ids that large. */
export const PROVISIONAL_ID = 2 ** 40

/** Tells whether an id, or the number of an owner, is of something that does not exist yet. */
export const isProvisional = (id: number): boolean => Math.abs(id) >= PROVISIONAL_ID

/** Tells whether a draft belongs to something that does not exist yet. */
export const isProvisionalDraft = ({ user_id, source_id, kpi_id }: EntryDraft): boolean =>
  isProvisional(kpi_id) || isProvisional(user_id ?? 0) || isProvisional(source_id ?? 0)

/** Returns something as messages call it: without an id as long as it does not exist. */
export const withRealId = <T extends { readonly id: number }>(one: T): Omit<T, 'id'> & { id: number | undefined } => ({
  ...one,
  id: isProvisional(one.id) ? undefined : one.id,
})
