import { shownKind } from '../../domain/kinds.ts'
import { everyGroupItem } from '../../client/operations/group-items.ts'
import { entryPages } from '../../client/operations/entry-pages.ts'
import { operationsOn } from '../../client/operations/kind-operations.ts'
import { Aborted, type Clock } from '../../client/transport.ts'
import { FIRST_ENTRY_DAY, LAST_ENTRY_DAY } from '../../domain/day.ts'
import { isNotFound, isRefused } from '../../domain/errors.ts'
import type { CreatedRecord } from '../records/created-record.ts'
import { type Clients, type RemovalOutcome, GONE, ofEntries, servedBy } from './judge-created.ts'

/** Describes an undo under way: what ends it, and `begin`, which notes that it changes something, once. */
export type Undoing = {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly begin?: () => Promise<void>
}

/** Ends an undo that somebody has asked to stop, before its next change; notes that it has begun. */
export const beforeChange = async ({ signal, begin }: Omit<Undoing, 'clock'>): Promise<void> => {
  if (signal.aborted) throw new Aborted('it was interrupted')
  await begin?.()
}

/** Describes how created things are removed. */
type RemovalOptions = Omit<Undoing, 'clock'> & {
  readonly withEntries: boolean
  /** Is called for each entry that is removed before its thing. */
  readonly onEntry: () => void
}

/** Removes the entries of a record that cannot be deleted while it has any. */
export const removeEntries = async (
  { client }: Clients,
  thing: CreatedRecord,
  options: RemovalOptions,
): Promise<void> => {
  const query = ofEntries(thing)
  if (!query || thing.kind === 'kpi') return
  const ids: number[] = []
  for await (const page of entryPages(client, { from: FIRST_ENTRY_DAY, to: LAST_ENTRY_DAY, ...query })) {
    for (const { id } of page) ids.push(id)
  }
  for (const id of ids) {
    await beforeChange(options)
    await client.entries.remove(id)
    options.onEntry()
  }
}

const removeOne = async (clients: Clients, { kind, id, user_id = 0 }: CreatedRecord): Promise<void> => {
  if (kind === 'assignment') return (clients.classic ?? clients.client).assignments(user_id).remove(id)
  const client = servedBy(clients, kind)
  if (!client) return
  const shown = shownKind(kind, client.variant)
  await (shown === 'group_item' ? everyGroupItem(client) : operationsOn(client, shown)).remove(id)
}

/** Returns why the service does not remove something, mostly in its own words; throws what is no refusal. */
const refusal = (error: unknown): string => {
  if (isNotFound(error)) return GONE
  if (isRefused(error)) return error.message
  throw error
}

/**
 * Removes what is not left alone, one after another, and yields each with what became of it: something that other
 * things use is left alone, with the service's reason.
 */
export async function* takeBack(
  clients: Clients,
  outcomes: readonly RemovalOutcome[],
  options: RemovalOptions,
): AsyncGenerator<RemovalOutcome> {
  for (const outcome of outcomes) {
    if (outcome.left === undefined) {
      await beforeChange(options)
      try {
        if (options.withEntries && outcome.entries > 0) await removeEntries(clients, outcome.thing, options)
        await removeOne(clients, outcome.thing)
        yield outcome
      } catch (error) {
        yield { ...outcome, left: refusal(error) }
      }
    } else yield outcome
  }
}
