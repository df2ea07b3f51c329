import { planChanges, type Planned } from '../../changes/plan/plan.ts'
import type { Policy } from '../../changes/plan/match.ts'
import type { Account } from '../../changes/records/access.ts'
import { type Desired, desiredName } from '../../changes/records/desired.ts'
import type { AccountRecord, Snapshot } from '../../changes/records/snapshot.ts'
import { type Outcome, sendChanges, type Sending } from '../../changes/send/send.ts'
import { pauseEvery } from '../../client/next-turn.ts'
import { Aborted } from '../../client/transport.ts'
import { KpiError } from '../../domain/errors.ts'

/** Holds what creating needs; `onOutcome` receives what becomes of each that is not refused. */
export type Ensuring = Pick<Sending, 'account' | 'run' | 'clock' | 'signal' | 'onWarning'> & {
  readonly onOutcome?: (outcome: Outcome) => void
}

/** Describes something that is there now; `isOwn` tells whether this run has made it. */
export type Ensured = Pick<Planned, 'desired'> & { readonly record: AccountRecord; readonly isOwn: boolean }

/** Sets how many are planned in one turn. */
const PARTS_OF_TURN = 500

/** Uses what is there as it is; names have been judged before. */
const POLICY: Policy = { existing: 'skip', isMeant: () => true, takesName: () => '' }

/** Tells whether an account shows the ids of groups alone. */
export const isByIdAlone = ({ client, classic }: Account): boolean => client.variant === 'v1' && !classic

/** Says in the error of a run that is asked to stop how to continue. */
export const orStopped = (error: unknown): never => {
  if (!(error instanceof Aborted)) throw error
  throw new Aborted('stopped before any entry was sent; run the same command to continue', { tried: error.tried })
}

/** Returns the error of something that cannot be created, as the account has changed since the file was checked. */
const cannotCreate = ({ desired, reasons }: Planned): KpiError =>
  new KpiError(
    'conflict',
    `create ${desired.kind.of.title} "${desiredName(desired)}": ${reasons.map(({ message }) => message).join('; ')}; nothing was created, run the same command again`,
  )

/**
 * Creates what is desired and not there yet; what is there is used as it is. What another machine makes at the same moment
 * is used, too; a refusal ends it.
 */
export const ensure = async (
  { onOutcome, ...sending }: Ensuring,
  snapshot: Snapshot,
  desired: readonly Desired[],
): Promise<Ensured[]> => {
  const { account, signal } = sending
  const policy: Policy = { ...POLICY, isByIdAlone: isByIdAlone(account) }
  const { planned, changes, again } = await planChanges(snapshot, desired, policy, pauseEvery(PARTS_OF_TURN, signal))
  const fault = planned.find(({ action }) => action === 'refuse')
  if (fault) throw cannotCreate(fault)
  const own = new Set<AccountRecord>()
  await sendChanges(
    {
      ...sending,
      snapshot,
      again,
      onOutcome: (outcome) => {
        if (outcome.refusal) throw outcome.refusal
        if (outcome.result === 'done') own.add(outcome.change.record)
        onOutcome?.(outcome)
      },
      onRemoved: ({ record }) => void own.delete(record),
    },
    changes,
  )
  return planned.flatMap(({ desired: one, record }) => (record ? { desired: one, record, isOwn: own.has(record) } : []))
}
