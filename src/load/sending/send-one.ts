import { FIRST_ENTRY_DAY, LAST_ENTRY_DAY } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import { type Doubt, notKnown, notStored, Unaccounted } from './doubt.ts'
import { patiently } from './patience.ts'
import { act, type Attempt, doneOn, type OneOutcome } from './put-one.ts'
import { isRefused, mayBeDone, reasonsOf } from './refusal.ts'
import { DoubleLeft } from './remove-double.ts'
import { ENTERED_MEANWHILE, LOST, type Sending } from './sending.ts'
import { fateOfAdded, fateOfOne } from './settle-one.ts'

/** An entry to send by itself. */
export type OneToSend = Attempt & {
  /** Whether it was sent, and nobody knows what became of it. */
  isUnknown: boolean
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

/** Whether it is not known how an entry that was there is changed, and an answer that told of no fault shows it. */
const shows = ({ knowledge, isAdding }: Sending, { before }: OneToSend, { isShort }: Doubt): boolean =>
  before?.entry !== undefined && !isAdding && !isShort && knowledge.known().changesBy === undefined

/** Takes it that an answer means that an entry is stored; one that was there, and is not there twice, was changed by that. */
const believe = (sending: Sending, one: OneToSend, doubt: Doubt): void => {
  sending.beliefs.add(doubt.shape)
  if (shows(sending, one, doubt)) sending.knowledge.learn({ changesBy: 'post' })
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
  /** What is to be sent on once more is found out first; answers what became of it where that is not to be sent again. */
  const settle = async (): Promise<OneOutcome | undefined> => {
    const fate =
      doubt && sending.isAdding
        ? await fateOfAdded(sending, one.draft, before)
        : await fateOfOne(sending, one.draft, before, doubt !== undefined)
    if (fate === 'lost') return unread(sending, one, doubt)
    if (fate === 'done') {
      if (doubt) believe(sending, one, doubt)
      return doneOn(sending, one)
    }
    if (fate === 'open') return doubt && { refused: [notStored(doubt)] }
    if (sending.keepsOthers && one.before === null && fate.before) return { refused: [ENTERED_MEANWHILE] }
    // What is there was left as it was by what was posted.
    if (doubt && fate.before && shows(sending, one, doubt)) sending.knowledge.learn({ changesBy: 'put' })
    else if (doubt && doubts > 1) return { refused: [notStored(doubt)] }
    before = fate.before
    one.isUnknown = false
    return undefined
  }
  return patiently(sending, async (tries) => {
    for (;;) {
      const outcome = one.isUnknown ? await settle() : undefined
      if (outcome) return outcome
      const sends = tries + doubts
      try {
        return await actOnce(sending, {
          draft: one.draft,
          before,
          name: sends === 0 ? one.name : `${one.name}-${sends}`,
        })
      } catch (error) {
        one.isUnknown = mayBeDone(error)
        if (one.isUnknown) sending.touch()
        doubt = error instanceof Unaccounted ? error.doubt : undefined
        // What was answered needs no pause.
        if (!doubt) throw error
        doubts += 1
      }
    }
  })
}

/**
 * Refuses to take the answer that nothing is there for one about an entry: where the list of all entries is not there,
 * either, it is the service that is gone, and whatever is sent next would be answered so, too.
 */
const mustBeOfEntry = async ({ client }: Sending, error: KpiError): Promise<void> => {
  if (error.code !== 'not_found') return
  try {
    await client.entries.page({ from: FIRST_ENTRY_DAY, to: LAST_ENTRY_DAY })
  } catch (failure) {
    if (!(failure instanceof KpiError) || failure.code !== 'not_found') return
    throw new KpiError('unavailable', `${error.message}: there is no list of entries any more`, { cause: error })
  }
}

/**
 * Sends an entry by itself. Where its answer was lost, it is found out first what became of it; where nobody can tell
 * that, it is not sent again.
 */
export const sendOne = async (sending: Sending, one: OneToSend): Promise<OneOutcome> => {
  try {
    return await sendPatiently(sending, one)
  } catch (error) {
    if (!isRefused(error) || (one.isUnknown && !(error instanceof DoubleLeft))) throw error
    await mustBeOfEntry(sending, error)
    return { refused: reasonsOf(error) }
  }
}
