import type { Put } from '../../client/entries.ts'
import { KpiError } from '../../domain/errors.ts'
import type { EntryDraft } from '../../domain/resources/entry.ts'
import { type Doubt, mustAccount, notKnown, notStored, Unaccounted } from './doubt.ts'
import { holds, isOfKey, mayBeMadeOf } from './held.ts'
import { patiently } from './patience.ts'
import { isRefused, mayBeDone, reasonsOf } from './refusal.ts'
import { DoubleLeft, removeDouble } from './remove-double.ts'
import { LOST, type Sending } from './sending.ts'
import { type Before, fateOfAdded, fateOfOne, NO_ID } from './settle-one.ts'

/** What became of an entry that was sent by itself. */
export type OneOutcome = 'created' | 'updated' | 'unchanged' | 'sent' | { readonly refused: readonly string[] }

/** An entry to send by itself. */
export type OneToSend = {
  readonly draft: EntryDraft
  readonly name: string
  readonly before: Before
  /** Whether it was sent, and nobody knows what became of it. */
  isUnknown: boolean
}

/** Sends it, on what is known to be there. */
type Attempt = Omit<OneToSend, 'isUnknown'>

/** What is known to be there. */
type Found = Exclude<Before, null | undefined>

/** Sends an entry, and sees that the answer is about it. */
const post = async (sending: Sending, { draft, name }: Attempt): Promise<Put> => {
  const put = await sending.client.entries.put(draft, name)
  sending.touch()
  mustAccount(sending, put, draft)
  return put
}

const update = async (sending: Sending, id: number, draft: EntryDraft): Promise<void> => {
  const { actual, target, notes } = draft
  const put = await sending.client.entries.change(id, {
    ...(actual !== undefined && { actual }),
    ...(target !== undefined && { target }),
    ...(notes !== undefined && { notes }),
  })
  sending.touch()
  mustAccount(sending, put, draft)
}

/** Adds an entry, and answers its id; an answer that is not about it tells nothing of what was done. */
const add = async (sending: Sending, attempt: Attempt): Promise<number> => {
  const { draft } = attempt
  const { entry } = await post(sending, attempt)
  if (entry.id > NO_ID && isOfKey(entry, draft)) return entry.id
  throw new Unaccounted({ answered: 'something else than the entry', shape: 'another entry', isShort: false })
}

/** Adds an entry that is there already, to find out what the service makes of that, and changes it where it was not that. */
const probe = async (sending: Sending, attempt: Attempt, { id, ids }: Found): Promise<void> => {
  // What shows the old value left it as it was.
  const isLeft = (error: unknown): boolean => error instanceof Unaccounted && ids.includes(error.shown ?? NO_ID)
  const made = await add(sending, attempt).catch((error: unknown) => {
    if (isRefused(error)) return undefined
    if (isLeft(error)) return NO_ID
    throw error
  })
  if (made !== undefined && ids.includes(made)) {
    sending.knowledge.learn({ changesBy: 'post' })
    return
  }
  if (made !== undefined) {
    if (made !== NO_ID) await removeDouble(sending, made)
    sending.knowledge.learn({ changesBy: 'put' })
  }
  await update(sending, id, attempt.draft)
  sending.knowledge.learn({ changesBy: 'put' })
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
  else if (changesBy === 'put') await update(sending, found.id, attempt.draft)
  else await probe(sending, attempt, found)
}

/** What an entry becomes that is done on what was there. */
const doneOn = (
  { isAdding, reference }: Sending,
  { draft, before }: Pick<OneToSend, 'draft' | 'before'>,
): OneOutcome => {
  if (!before) return before === null ? 'created' : 'sent'
  return !isAdding && before.entry && holds(reference, before.entry, draft) ? 'unchanged' : 'updated'
}

const act = async (sending: Sending, attempt: Attempt): Promise<OneOutcome> => {
  const { before } = attempt
  if (before) {
    await change(sending, attempt, before)
    return doneOn(sending, attempt)
  }
  const { isCreated } = await post(sending, attempt)
  if (before === null || isCreated === true) return 'created'
  return isCreated === false ? 'updated' : 'sent'
}

/** Whether what was not there is there: something else has made it meanwhile, or something on the way sent it twice. */
const isThereNow = (sending: Sending, { before }: Attempt, error: unknown): boolean =>
  before === null && !sending.isAdding && isRefused(error) && error.code === 'conflict'

/** Acts on what is known to be there; what turns out to be there meanwhile is looked at, once. */
const actOnce = async (sending: Sending, attempt: Attempt): Promise<OneOutcome> => {
  try {
    return await act(sending, attempt)
  } catch (error) {
    if (!isThereNow(sending, attempt, error)) throw error
    const fate = await fateOfOne(sending, attempt.draft, undefined)
    if (fate === 'done') return 'created'
    if (fate === 'lost' || !fate.before) throw error
    return act(sending, { ...attempt, before: fate.before })
  }
}

/** Takes it that an answer means that an entry is stored; one that was there, and is not there twice, was changed by that. */
const believe = ({ beliefs, knowledge, isAdding }: Sending, { before }: OneToSend, { shape, isShort }: Doubt): void => {
  beliefs.add(shape)
  if (before && !isAdding && !isShort && knowledge.known().changesBy === undefined)
    knowledge.learn({ changesBy: 'post' })
}

/** What becomes of an entry of which it cannot be read back what was done. */
const unread = (sending: Sending, one: OneToSend, doubt: Doubt | undefined): OneOutcome => {
  if (!doubt || doubt.isShort) return { refused: [doubt ? notKnown(doubt) : LOST] }
  sending.beliefs.add(doubt.shape)
  return doneOn(sending, one)
}

/** Sends it until there is an answer that accounts for it; what is not there after two that do not is refused. */
const sendPatiently = async (sending: Sending, one: OneToSend): Promise<OneOutcome> => {
  let { before } = one
  let doubt: Doubt | undefined
  let doubts = 0
  return patiently(sending, async (tries) => {
    if (one.isUnknown) {
      const fate = await (doubt && sending.isAdding ? fateOfAdded : fateOfOne)(sending, one.draft, before)
      if (fate === 'lost') return unread(sending, one, doubt)
      if (fate === 'done') {
        if (doubt) believe(sending, one, doubt)
        return doneOn(sending, one)
      }
      if (doubt && (doubts > 1 || fate === 'open')) return { refused: [notStored(doubt)] }
      if (fate !== 'open') before = fate.before
      one.isUnknown = false
    }
    try {
      return await actOnce(sending, { draft: one.draft, before, name: tries === 0 ? one.name : `${one.name}-${tries}` })
    } catch (error) {
      one.isUnknown = mayBeDone(error)
      if (one.isUnknown) sending.touch()
      doubt = error instanceof Unaccounted ? error.doubt : undefined
      doubts += doubt ? 1 : 0
      throw error
    }
  })
}

/**
 * Sends an entry by itself. Where its answer was lost, it is found out first what became of it; where nobody can tell
 * that, it is not sent again.
 */
export const sendOne = async (sending: Sending, one: OneToSend): Promise<OneOutcome> => {
  try {
    return await sendPatiently(sending, one)
  } catch (error) {
    if (isRefused(error) && (!one.isUnknown || error instanceof DoubleLeft)) return { refused: reasonsOf(error) }
    throw error
  }
}
