import type { Client } from '../../client/client.ts'
import type { UnprovenAnswer } from '../../client/operations/batch-answer.ts'
import { isForbidden } from '../../client/operations/read-if-allowed.ts'
import { followUnknown } from '../../client/unknown-outcome.ts'
import { KpiError, isRefused } from '../../domain/errors.ts'
import { pollUntil } from '../third-party/reconcile.ts'
import { checkEntryAnswer, maySendAgain, notStored } from '../third-party/response-check.ts'
import type { EntryChange } from '../../domain/entry-changes.ts'
import { DELETED, type EntryOutcome, type Judged, judgeStored, keyDraft, type Since } from './judge-changes.ts'
import { beforeChange, type Undoing } from '../../changes/send/remove-created.ts'

/** Tells whether a service refuses one entry, so that it is left alone. */
const isLeftAlone = (error: unknown): error is KpiError => isRefused(error) || isForbidden(error)

/** Describes the outcome of writing one entry; `doubt` is there while it is not known whether it was done. */
type Written = { readonly outcome: EntryOutcome; readonly doubt?: Doubt | undefined }

/** Describes a write whose answer proves nothing: whether to send it again, and the reason to give if it was not done. */
type Doubt = { readonly mayTryAgain: (sent: number) => boolean; readonly reason: string }

const doubtOf = (unproven: UnprovenAnswer): Doubt => ({
  mayTryAgain: (sent) => maySendAgain(unproven, sent),
  reason: notStored(unproven),
})

/** Changes or removes one entry; throws what is no refusal, and returns what its answer proves nothing of. */
type Write = (judged: Judged, id: number) => Promise<UnprovenAnswer | undefined>

/** Writes one entry by its id; one that the service refuses is left alone, with its reason. */
const writeOne = async (write: Write, judged: Judged): Promise<Written> => {
  const { outcome } = judged
  try {
    const unproven = outcome.id === null ? undefined : await write(judged, outcome.id)
    return { outcome, doubt: unproven && doubtOf(unproven) }
  } catch (error) {
    if (error instanceof KpiError && error.code === 'not_found')
      return {
        outcome: { ...outcome, action: outcome.action === 'remove' ? 'done' : 'leave', id: null, reason: DELETED },
      }
    if (!isLeftAlone(error)) throw error
    // Behind a lost answer a refusal proves nothing: the first try may have been done.
    if (error.mayBeDone) return { outcome, doubt: { mayTryAgain: () => false, reason: error.message } }
    return { outcome: { ...outcome, action: 'leave', reason: error.message } }
  }
}

/** Holds what writing some entries needs. */
type Writing = { readonly client: Client; readonly since: Since; readonly undoing: Undoing }

/**
 * Writes entries one by one. Those whose answers prove nothing are looked at again, and sent again a few times where they
 * are not done. `isUnsure` tells that they may have been written before, by a request whose answer was lost.
 */
async function* writeEach(
  { client, since, undoing }: Writing,
  judged: readonly Judged[],
  write: Write,
  isUnsure = false,
): AsyncGenerator<readonly EntryOutcome[]> {
  let open = judged
  for (let sent = 1; open.length > 0; sent += 1) {
    const doubted: { readonly outcome: EntryOutcome; readonly doubt: Doubt }[] = []
    for (const one of open) {
      const next = async (): Promise<Written> => {
        await beforeChange(undoing)
        return writeOne(write, one)
      }
      const { outcome, doubt } = await followUnknown(isUnsure || doubted.length > 0, next)
      if (doubt) doubted.push({ outcome, doubt })
      else yield [outcome]
    }
    if (doubted.length === 0) return
    const look = (): Promise<readonly Judged[]> =>
      judgeStored(
        client,
        doubted.map(({ outcome: { change } }) => change),
        since,
      )
    const isOpen = ({ outcome: { action } }: Judged, at: number): boolean => action === doubted[at]?.outcome.action
    const seen = await followUnknown(true, () => pollUntil(undoing, look, (all) => !all.some(isOpen)))
    const outcomes: EntryOutcome[] = []
    open = seen.filter((one, at) => {
      const { outcome, doubt } = doubted[at] ?? {}
      if (!outcome || !doubt) return false
      if (isOpen(one, at) && doubt.mayTryAgain(sent)) return true
      if (one.outcome.action === 'done') outcomes.push(outcome)
      else outcomes.push(isOpen(one, at) ? { ...one.outcome, action: 'leave', reason: doubt.reason } : one.outcome)
      return false
    })
    if (outcomes.length > 0) yield outcomes
  }
}

/** Puts back one entry by its id, whoever is locked or no longer assigned, on the bundled service. */
const restoreOne =
  ({ entries }: Client): Write =>
  async ({ outcome: { change } }, id) => {
    const { kpi_id } = await entries.update(id, change.before ?? {})
    if (kpi_id === change.key[1]) return undefined
    throw new KpiError('unavailable', `the service answered something else than entry ${id}`, { mayBeDone: true })
  }

/** Puts back one entry on a third-party service, which is sent all of it as it may clear the rest. */
const restoreElsewhere =
  ({ entries }: Client): Write =>
  async ({ outcome: { change }, stored }, id) => {
    const { actual = null, target = null, notes = null } = stored ?? {}
    const draft = { ...keyDraft(change.key), actual, target, notes, ...change.before }
    return checkEntryAnswer(await entries.change(id, draft), draft, stored)
  }

/** Puts back entries in one request; returns the refusal where the service refuses one of them. */
const restoreTogether = async (
  { client, undoing }: Writing,
  judged: readonly Judged[],
): Promise<KpiError | undefined> => {
  await beforeChange(undoing)
  try {
    await client.entries.addMany(
      judged.map(({ outcome: { change } }) => ({ ...keyDraft(change.key), ...change.before })),
    )
    return undefined
  } catch (error) {
    if (isLeftAlone(error)) return error
    throw error
  }
}

/** Puts back entries: together where the service takes that, else one by one. */
async function* restore(writing: Writing, judged: readonly Judged[]): AsyncGenerator<readonly EntryOutcome[]> {
  const { client } = writing
  if (judged.length === 0) return
  if (!client.isBundled()) return yield* writeEach(writing, judged, restoreElsewhere(client))
  const refusal = await restoreTogether(writing, judged)
  if (refusal) yield* writeEach(writing, judged, restoreOne(client), refusal.mayBeDone)
  else yield judged.map(({ outcome }) => outcome)
}

/** Removes entries in one step; returns false if one of them is not removed. */
const removeTogether = async ({ client }: Writing, judged: readonly Judged[]): Promise<boolean> => {
  if (!client.entries.removeTogether || judged.length < 2) return false
  try {
    await client.entries.removeTogether(judged.flatMap(({ outcome: { id } }) => id ?? []))
    return true
  } catch (error) {
    if (isLeftAlone(error)) return false
    throw error
  }
}

/** Removes entries: some together where that is one step, else one by one. */
async function* remove(writing: Writing, judged: readonly Judged[]): AsyncGenerator<readonly EntryOutcome[]> {
  const { client, undoing } = writing
  const removeOne: Write = async (_, id) => {
    await client.entries.remove(id)
    return undefined
  }
  for (let at = 0; at < judged.length; at += client.addStep) {
    const some = judged.slice(at, at + client.addStep)
    await beforeChange(undoing)
    if (await removeTogether(writing, some)) yield some.map(({ outcome }) => outcome)
    else yield* writeEach(writing, some, removeOne)
  }
}

/**
 * Takes back what an import made of some entries, if they still are as it left them, and yields what became of them as soon
 * as it is done: the same once more changes nothing.
 */
export async function* putBack(
  client: Client,
  changes: readonly EntryChange[],
  since: Since,
  undoing: Undoing,
): AsyncGenerator<readonly EntryOutcome[]> {
  const writing = { client, since, undoing }
  const judged = await judgeStored(client, changes, since)
  const withAction = (action: EntryOutcome['action']): readonly Judged[] =>
    judged.filter(({ outcome }) => outcome.action === action)
  yield* restore(writing, withAction('restore'))
  yield* remove(writing, withAction('remove'))
  yield judged.map(({ outcome }) => outcome).filter(({ action }) => action === 'done' || action === 'leave')
}
