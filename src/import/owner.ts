import type { EntryDraft } from '../domain/resources/entry.ts'

/** Whom an entry belongs to, as one number that rows are sorted by: a user, or, below 0, another breakdown item. */
export const ownerOf = ({ user_id, source_id }: Pick<EntryDraft, 'user_id' | 'source_id'>): number =>
  typeof user_id === 'number' ? user_id : -(source_id ?? 0)

/** The number of a breakdown item that stands for no user. */
export const ownerOfItem = (id: number): number => -id

/** The breakdown items that rows give beside users, by the users, where the service has to tell whether they are the same. */
export type SourcesOfUsers = ReadonlyMap<number, number>

/** Gives drafts of users the breakdown items that the file names beside them, so that the service compares the two. */
export const nameSources = (drafts: readonly EntryDraft[], sourcesOfUsers: SourcesOfUsers): void => {
  for (const draft of drafts) {
    const item = typeof draft.user_id === 'number' ? sourcesOfUsers.get(draft.user_id) : undefined
    if (item !== undefined) draft.source_id = item
  }
}
