import type { Put } from '../../client/entries.ts'
import { KpiError } from '../../domain/errors.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import { mustAccount, Unaccounted } from './doubt.ts'
import { holds, isOfKey, mayBeMadeOf } from './held.ts'
import { isRefused } from './refusal.ts'
import { removeDouble } from './remove-double.ts'
import type { Sending } from './sending.ts'
import { type Before, NO_ID } from './settle-one.ts'

/** What became of an entry that was sent by itself. */
export type OneOutcome = 'created' | 'updated' | 'unchanged' | 'sent' | { readonly refused: readonly string[] }

/** An entry to be put there by itself, on what is known to be there; `name` names the request. */
export type Attempt = { readonly draft: EntryDraft; readonly name: string; readonly before: Before }

/** What is known to be there. */
type Found = Exclude<Before, null | undefined>

/** Sends an entry, and sees that the answer is about it. */
const post = async (sending: Sending, { draft, name, before }: Attempt): Promise<Put> => {
  const put = await sending.client.entries.put(draft, name)
  sending.touch()
  mustAccount(sending, put, draft, before?.entry)
  return put
}

const update = async (sending: Sending, { id, entry }: Found, draft: EntryDraft): Promise<void> => {
  const { actual, target, notes } = draft
  const put = await sending.client.entries.change(id, {
    ...(actual !== undefined && { actual }),
    ...(target !== undefined && { target }),
    ...(notes !== undefined && { notes }),
  })
  sending.touch()
  mustAccount(sending, put, draft, entry)
}

/** What a POST of an entry that is there came to: it was refused, left it as it was, changed it, or made another one. */
type Made = 'refused' | 'left' | 'changed' | { readonly another: number }

/** Adds an entry that is there; an answer that is not about it tells nothing of what was done. */
const addAgain = async (sending: Sending, attempt: Attempt, { ids, entry: before }: Found): Promise<Made> => {
  const { draft } = attempt
  try {
    const { entry } = await post(sending, attempt)
    if (!(entry.id > NO_ID) || !isOfKey(entry, draft))
      throw new Unaccounted({ answered: 'something else than the entry', shape: 'another entry', isShort: false })
    if (!ids.includes(entry.id)) return { another: entry.id }
    const isAsBefore = typeof draft.actual === 'bigint' && entry.actual === before?.actual
    return isAsBefore && entry.actual !== draft.actual ? 'left' : 'changed'
  } catch (error) {
    if (isRefused(error)) return 'refused'
    if (error instanceof Unaccounted && ids.includes(error.shown ?? NO_ID)) return 'left'
    throw error
  }
}

/** Adds an entry that is there already, to find out what the service makes of that, and changes it where it was not that. */
const probe = async (sending: Sending, attempt: Attempt, found: Found): Promise<void> => {
  const { knowledge } = sending
  const made = await addAgain(sending, attempt, found)
  if (made === 'changed') return knowledge.learn({ changesBy: 'post' })
  if (typeof made === 'object') await removeDouble(sending, made.another)
  // What was refused may be so for what it holds, whichever way it is sent.
  if (made !== 'refused') knowledge.learn({ changesBy: 'put' })
  await update(sending, found, attempt.draft)
  if (made === 'refused') knowledge.learn({ changesBy: 'put' })
}

/** Adds to an entry that is there. A service that makes a second one of it cannot add, and is left as it was. */
const addTo = async (sending: Sending, attempt: Attempt, { id, ids }: Found): Promise<void> => {
  const { draft } = attempt
  const { entry } = await post(sending, attempt)
  if (ids.includes(entry.id)) sending.knowledge.learn({ changesBy: 'post' })
  if (ids.includes(entry.id) || id === NO_ID || !isOfKey(entry, draft) || !mayBeMadeOf(entry, draft)) return
  await removeDouble(sending, entry.id)
  throw new KpiError(
    'conflict',
    'the service makes a second entry instead of adding to the one that is there; add it up, and import the sum',
  )
}

/** Changes an entry that is there, in the way that the service is known for. */
const change = async (sending: Sending, attempt: Attempt, found: Found): Promise<void> => {
  const { changesBy } = sending.knowledge.known()
  if (sending.isAdding && changesBy !== 'post') await addTo(sending, attempt, found)
  else if (changesBy === 'post') await post(sending, attempt)
  else if (changesBy === 'put') await update(sending, found, attempt.draft)
  else await probe(sending, attempt, found)
}

/** What an entry becomes that is done on what was there. */
export const doneOn = (
  { isAdding, reference }: Sending,
  { draft, before }: Pick<Attempt, 'draft' | 'before'>,
): OneOutcome => {
  if (!before) return before === null ? 'created' : 'sent'
  return !isAdding && before.entry && holds(reference, before.entry, draft) ? 'unchanged' : 'updated'
}

/** Adds or changes an entry, by what is known of the service; finds that out where it is not known yet. */
export const act = async (sending: Sending, attempt: Attempt): Promise<OneOutcome> => {
  const { before } = attempt
  if (before) {
    const outcome = doneOn(sending, attempt)
    // Nothing is to be changed there, and many services do not tell what they have not changed.
    if (outcome !== 'unchanged' || sending.isOurs || before.id === NO_ID) await change(sending, attempt, before)
    return outcome
  }
  const { isCreated } = await post(sending, attempt)
  if (before === null || isCreated === true) return 'created'
  return isCreated === false ? 'updated' : 'sent'
}
