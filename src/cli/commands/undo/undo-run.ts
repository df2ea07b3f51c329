import { readSnapshot } from '../../../changes/records/access.ts'
import { kindNamed } from '../../../changes/records/kind-fields.ts'
import { type AccountRecord, labelOf, type Snapshot } from '../../../changes/records/snapshot.ts'
import { type Plan, type PlanAgain, planChanges } from '../../../changes/plan/plan.ts'
import type { Policy } from '../../../changes/plan/match.ts'
import { requireConfirmation } from '../../args/prompt.ts'
import { type Clients, judgeCreatedRecords, removeEntries } from '../../../changes/send/remove-created.ts'
import type { Outcome } from '../../../changes/send/send.ts'
import { createDependents, HeldByUsers } from '../../../changes/send/dependents.ts'
import { idNow, madeAgain, planUndo, type UndoStep } from '../../../changes/undo/plan-undo.ts'
import { clearKeptTargets, restoreEntries } from '../../../changes/undo/restore-entries.ts'
import { mayBeDone } from '../../../client/transport.ts'
import { pauseEvery } from '../../../client/next-turn.ts'
import { createdKind, hasNames, type CreatedRecord } from '../../../domain/kinds.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { type NotedChange, openRunAt, type RunHead, type RunRecord } from '../../../runs/run-record.ts'
import { isOfEntries } from '../../../runs/entries-change.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, type ExitCode, IncompleteRun } from '../../exit.ts'
import { printPlan } from '../../output/plan.ts'
import { countOf } from '../../output/text.ts'
import { beginRun, changesOfUndos } from '../../target/runs.ts'
import { isCutOff } from '../changes/list-errors.ts'
import { makeChanges } from '../changes/make-changes.ts'
import { EVERYTHING, type Target, withTarget } from '../configuration/account.ts'
import { learnAccount } from '../../target/service-of.ts'
import {
  entryRows,
  type EntryStep,
  sayEntries,
  settleNoted,
  tellLeft,
  undoEntryChanges,
  withEntries,
} from './entry-changes.ts'
import {
  type Counts,
  ofOtherAccount,
  outcomeRow,
  requireOfService,
  tellDone,
  tellDryRun,
  tellTakenBack,
  type UndoFlags,
} from './undo-outcome.ts'

/** Sets how many changes are planned before signals and timers run. */
const CHANGES_OF_TURN = 1000

/** Returns the users whose assignments and links a run has changed. */
const usersOf = (notes: readonly NotedChange[]): ReadonlySet<number> =>
  new Set(
    notes.flatMap(({ kind, recordId, parents }) =>
      [parents['user_id'] ?? [], kind === 'user' ? (recordId ?? []) : []].flat(),
    ),
  )

const rowOf = ({ action, note, id, reason, change, entries }: UndoStep): AnyRecord => ({
  action: action === 'done' ? 'leave' : action,
  kind: note.kind,
  id: id ?? note.recordId ?? null,
  name: note.name,
  entries: entries ?? null,
  reason: reason ?? null,
  change: change ?? null,
})

const keyOf = ({ kind, id, user_id }: CreatedRecord): string => `${kind} ${id} ${user_id ?? ''}`

/** Returns the record that a step removes, as something that was created; undefined for a kind that is never judged. */
const createdBy = ({ kind, id = 0, note: { name, parents } }: UndoStep): CreatedRecord | undefined => {
  if (kind.name === 'assignment') return { kind: 'assignment', id, name, user_id: parents['user_id'] ?? 0 }
  const created = createdKind(kind.of)
  return created && { kind: created, id, name }
}

/** Returns the clients of both interfaces: the newer one shows the entries of group items. */
const clientsOf = ({ client, classic, operator }: Target): Clients => ({
  client: operator?.newer ?? client,
  classic: classic ?? (client.variant === 'classic' ? client : undefined),
})

/** Returns a step of which nothing is done, and why; the same step where there is no reason. */
const leftAlone = (step: UndoStep, reason: string | undefined): UndoStep =>
  reason === undefined ? step : { note: step.note, kind: step.kind, id: step.id, action: 'leave', reason }

/** Names the assignment or the link that a change is about. */
const attachmentOf = ({ kind, parents }: NotedChange, id: number | undefined): string =>
  `${kind} ${parents['user_id']} ${id}`

/** Tells whether a run stored entries of the records that it created: an undo of a delete does. */
const storesEntries = ({ command }: RunHead): boolean => command === 'undo'

/** Returns how long a run took, in seconds. */
const secondsOf = ({ beganAt, endedAt = beganAt }: RunHead): number => Math.ceil((endedAt - beganAt) / 1000)

/** Leaves alone what is used by something that stays, or has entries. */
const leaveUsed = async (
  target: Target,
  steps: readonly UndoStep[],
  notes: readonly NotedChange[],
  { head }: RunRecord,
  withEntries: boolean,
): Promise<UndoStep[]> => {
  const created = steps.filter(({ action }) => action === 'remove')
  const things = created.flatMap((step) => createdBy(step) ?? [])
  if (things.length === 0) return [...steps]
  const isOfKpi = ({ note }: UndoStep): boolean => note.kind === 'kpi' || note.kind === 'calculated_kpi'
  const moved = new Set(
    steps.flatMap((step) =>
      step.action === 'restore' && isOfKpi(step)
        ? Object.keys(step.note.before ?? {}).map((field) => `${step.id} ${field}`)
        : [],
    ),
  )
  const removed = new Set(created.filter(isOfKpi).map(({ id }) => id))
  const changed = Math.max(0, ...notes.map(({ changedAt }) => changedAt ?? 0))
  // An undo stores entries after the records that it creates again.
  const ended = changed === 0 || !storesEntries(head) ? changed : changed + secondsOf(head)
  const outcomes = await judgeCreatedRecords(clientsOf(target), {
    things,
    unsure: [],
    served: ended === 0 ? undefined : new Date(ended * 1000).toISOString(),
    withEntries,
    isChanged: () => false,
    isMoved: (kpi, field) => removed.has(kpi) || moved.has(`${kpi} ${field}`),
    removedOf: () => 0,
  })
  const judged = new Map(outcomes.map((one) => [keyOf(one.thing), one]))
  const staying = new Set(
    outcomes.flatMap(({ thing, left }) => (left !== undefined && thing.kind === 'kpi' ? thing.id : [])),
  )
  return steps.map((step) => {
    const thing = step.action === 'remove' ? createdBy(step) : undefined
    const { left: why, entries = 0 } = (thing && judged.get(keyOf(thing))) ?? {}
    const isOfStaying = thing?.kind === 'assignment' && staying.has(thing.id)
    const left = why ?? (isOfStaying ? 'its KPI stays' : undefined)
    return leftAlone(entries > 0 ? { ...step, entries } : step, left?.replace('the import', 'the run'))
  })
}

/** Takes what the run noted as it is, names and all. */
const POLICY: Policy = { isConfiguration: true, isMeant: () => true, takesName: () => '' }

/** Says how much becomes of the changes of a run. */
const sayCounts = (
  steps: readonly UndoStep[],
  words: Readonly<Record<'restore' | 'remove' | 'create', string>>,
): string =>
  (['restore', 'create', 'remove'] as const)
    .flatMap((action) => {
      const done = steps.filter((step) => step.action === action)
      const entries = done.reduce((sum, step) => sum + (step.entries ?? 0), 0)
      const along = entries > 0 ? ` with ${countOf(entries, 'entry', 'entries')}` : ''
      return done.length > 0 ? [`${words[action]} ${countOf(done.length, 'record')}${along}`] : []
    })
    .join(', ')

const WILL = { restore: 'put back', remove: 'remove', create: 'create again' } as const
const DID = { restore: 'put back', remove: 'removed', create: 'created again' } as const

/** Says what an undo cannot bring back of what was deleted. */
const tellLosses = async (cli: Cli, steps: readonly UndoStep[], entries: number): Promise<void> => {
  const again = steps.filter(({ action }) => action === 'create')
  const people = again.some(({ kind }) => kind.name === 'user')
  // Assignments and links have no ids of their own.
  if (again.some(({ kind }) => hasNames(kind.name)))
    await cli.note(`what is created again gets new ids${people ? '; people get no password and no API key back' : ''}`)
  if (entries > 0) await cli.note('entries that are stored again count for the group items that their people have now')
  for (const { note } of again) if (note.reason !== undefined) await cli.note(`${note.name}: ${note.reason}`)
}

/** Describes an undo under way. */
type Undo = {
  readonly cli: Cli
  readonly target: Target
  readonly run: RunRecord
  readonly flags: UndoFlags
  readonly signal: AbortSignal
}

/** Tells whether entries go with what is removed: those that the run stored do. */
const isWithEntries = ({ run, flags }: Undo): boolean => flags.withEntries === true || storesEntries(run.head)

type Prepared = { readonly steps: readonly UndoStep[]; readonly snapshot: Snapshot; readonly plan: Plan }

/** Leaves alone KPIs and items that were assigned or linked since; users who were assigned KPIs are judged one by one. */
const leaveAttached = async (
  { cli, target }: Undo,
  snapshot: Snapshot,
  steps: readonly UndoStep[],
): Promise<readonly UndoStep[]> => {
  // All users are asked, however many: what others have assigned would be lost.
  const dependentsOf = createDependents(target, snapshot, new HeldByUsers(target), Infinity)
  const unknown = new Set<string>()
  const going = new Set(steps.flatMap(({ action, note, id }) => (action === 'remove' ? attachmentOf(note, id) : [])))
  const judged: UndoStep[] = []
  for (const step of steps) {
    const isAttached = step.action === 'remove' && step.kind.name !== 'user'
    const record = isAttached ? snapshot.byId([step.kind.name], step.id ?? 0) : undefined
    const { records, leftOut } = record ? await dependentsOf(record) : { records: [], leftOut: undefined }
    const why = leftOut?.()
    if (why !== undefined) unknown.add(why)
    const since = records.find(
      ({ stored = {}, kind }) => !going.has(`${kind.name} ${stored['user_id']} ${stored['id']}`),
    )
    judged.push(leftAlone(step, since && `was assigned or linked since: ${labelOf(since)}`))
  }
  for (const why of unknown)
    await cli.log.warn(`what others have assigned or linked since goes with what is removed; ${why}`)
  return judged
}

/** Plans what takes back a run, by what the account has now. */
const prepareUndo = async (undo: Undo): Promise<Prepared> => {
  const { cli, target, run, signal } = undo
  const notes = run.changes()
  const kinds = new Set(notes.flatMap(({ kind }) => kindNamed(kind)?.name ?? []))
  const undone = changesOfUndos(cli.io, run.head)
  const again = madeAgain(undone)
  const users = new Set([...usersOf(notes)].map((id) => idNow(again, ['user'], id) ?? id))
  const snapshot = await readSnapshot(target, kinds, ({ id }) => users.has(Number(id)))
  const beganAt = Math.floor(run.head.beganAt / 1000)
  const first = planUndo({ snapshot, notes, again, putBack: undone, beganAt })
  const unattached = await leaveAttached(undo, snapshot, first)
  const planned = await leaveUsed(target, unattached, notes, run, isWithEntries(undo))
  const desired = planned.flatMap((step) => step.desired ?? [])
  const plan = await planChanges(snapshot, desired, POLICY, pauseEvery(CHANGES_OF_TURN, signal))
  const refused = new Map(
    plan.planned.flatMap((one) =>
      one.action === 'refuse' ? [[one.desired, one.reasons.map(({ message }) => message).join('; ')] as const] : [],
    ),
  )
  const steps = planned.map((step) => leftAlone(step, step.desired && refused.get(step.desired)))
  const planAgain: PlanAgain = (record) => {
    const next = plan.again(record)
    // Leave alone what somebody else changes meanwhile.
    return next?.action === 'update' ? undefined : next
  }
  return { steps, snapshot, plan: { ...plan, again: planAgain } }
}

const print = (cli: Cli, steps: readonly UndoStep[], entries: readonly EntryStep[]): Promise<void> =>
  printPlan(cli, outcomeRow, [
    [
      ...steps.filter(({ action, reason }) => action !== 'done' || reason !== undefined).map(rowOf),
      ...entryRows(entries),
    ],
  ])

const countsIn = (steps: readonly UndoStep[]): Counts => {
  const count = (...wanted: UndoStep['action'][]): number =>
    steps.filter(({ action }) => wanted.includes(action)).length
  return {
    restored: count('restore', 'create'),
    removed: 0,
    things: count('remove'),
    unchanged: count('done'),
    skipped: count('leave'),
  }
}

/** Takes back what is planned, and notes in the record of the run what became of each change; returns the steps as they ended. */
const takeBack = async (undo: Undo, { steps, snapshot, plan }: Prepared): Promise<UndoStep[]> => {
  const { cli, target, run, signal } = undo
  const own = beginRun(cli.io, {
    command: 'undo',
    service: target.service,
    account: target.accountName(),
    source: '',
    content: run.head.name,
  })
  const hasBegun = own.changes().length > 0
  const records = new Map(plan.planned.flatMap(({ desired, record }) => (record ? [[desired, record] as const] : [])))
  const [refused, done]: [Map<AccountRecord, string>, Set<AccountRecord>] = [new Map(), new Set()]
  const onOutcome = ({ change, result, refusal }: Outcome): void => {
    if (result === 'refused') refused.set(change.record, refusal?.message ?? 'the service refused it')
    else done.add(change.record)
  }
  let isWhole = false
  try {
    const clients = clientsOf(target)
    const { failure } = await makeChanges(cli, {
      account: target,
      snapshot,
      plan,
      run: own,
      signal,
      onOutcome,
      before: async ({ action, record }) => {
        const kind = createdKind(record.kind.of)
        if (action !== 'delete' || !isWithEntries(undo) || kind === undefined) return
        const thing = { kind, id: record.id ?? 0, name: record.name }
        await removeEntries(clients, thing, { signal, withEntries: true, onEntry: () => undefined })
      },
    })
    const recordOf = ({ desired }: UndoStep): AccountRecord | undefined => desired && records.get(desired)
    const ended = steps.map((step) => {
      const record = recordOf(step)
      return leftAlone(step, record && refused.get(record))
    })
    // Where nothing was left to take back, it may be there again later.
    const isChanging = hasBegun || done.size > 0 || run.countKept() > 0
    for (const step of ended) {
      const record = recordOf(step)
      if (isChanging && (step.action === 'done' || (record && done.has(record)))) run.settle(step.note.id, 'taken_back')
      else if (step.action === 'leave') {
        // Keep what the run itself noted of it.
        const { reason, changedAt } = step.note
        run.settle(step.note.id, 'left', { reason, changedAt })
      }
    }
    if (failure && !ended.some(({ action }) => action === 'leave')) throw failure
    isWhole = true
    return ended
  } finally {
    own.close({ isWhole, now: cli.io.now() })
  }
}

/** Says what becomes of records, and of the entries that the record of the run holds. */
const sayRecords = (said: string, run: RunRecord, entries: number): string => {
  const deletes = run.changes().some((one) => isOfEntries(one) && one.action === 'delete')
  if (said === '') return entries > 0 && deletes ? `store ${countOf(entries, 'entry', 'entries')} again` : ''
  return entries > 0 ? `${said} and ${countOf(entries, 'entry', 'entries')}` : said
}

/** Stores the entries again that the run deleted, or that went with what it did; returns how many, and how many are left out. */
const putEntriesBack = async (
  undo: Undo,
  onRestored: () => void,
): Promise<{ readonly stored: number; readonly left: number }> => {
  const { cli, target, run, signal } = undo
  if (run.countEntries() === 0) return { stored: 0, left: 0 }
  const again = madeAgain(changesOfUndos(cli.io, run.head))
  const newIdOf = (kind: string, id: number): number | undefined => idNow(again, [kind], id)
  const mayBeThere = run.changes().some(isOfEntries)
  const { stored, left, why } = await restoreEntries(target.operator?.newer ?? target.client, run, newIdOf, {
    signal,
    mayBeThere,
    onRestored,
  })
  await cli.note(
    `stored ${countOf(stored, 'entry', 'entries')} again${left > 0 ? `; ${left} could not be stored${why === undefined ? '' : `: ${why}`}` : ''}`,
  )
  return { stored, left }
}

/** Closes the KPIs that were inactive when they were deleted, once their entries are stored. */
const closeAgain = async (undo: Undo): Promise<void> => {
  const { cli, target, run } = undo
  const again = madeAgain(changesOfUndos(cli.io, run.head))
  for (const { action, kind, recordId = 0, before } of run.changes()) {
    const id = kind === 'kpi' && action === 'delete' ? idNow(again, [kind], recordId) : undefined
    if (id !== undefined && id !== recordId && before?.['is_active'] === false)
      await target.client.kpis.update(id, { is_active: false })
  }
}

/** Returns the error of an undo that was cut off once it had changed something, or may have: the same command goes on. */
const cutOff = (error: Error, isBegun: boolean): Error => {
  if (error instanceof IncompleteRun || !isCutOff(error) || !(isBegun || mayBeDone(error))) return error
  const said = mayBeDone(error)
    ? `it is not known whether ${isBegun ? 'more' : 'anything'} was taken back`
    : 'a part was taken back'
  return new IncompleteRun(EXIT.workLeft, 'work_left', [error.message, `${said}; run the same command to continue`])
}

const undoWith = async (undo: Undo): Promise<ExitCode> => {
  const { cli, target, run, flags, signal } = undo
  await learnAccount(target.client)
  const account = target.accountName()
  if (run.head.account.replace(/^account /, '') !== account.replace(/^account /, ''))
    throw ofOtherAccount(run.head.account, account)
  const prepared = await prepareUndo(undo)
  const { steps } = prepared
  const client = target.operator?.newer ?? target.client
  let isBegun = false
  const onRestored = (): void => void (isBegun = true)
  const entryUndo = { client, run, again: madeAgain(changesOfUndos(cli.io, run.head)), signal, onRestored }
  const foreseen = await undoEntryChanges(entryUndo, true)
  const entries = run.countEntries()
  const said = [sayRecords(sayCounts(steps, WILL), run, entries), ...sayEntries(foreseen, 'will')]
    .filter((part) => part !== '')
    .join(', ')
  const written = run.countKept()
  const isWrittenAlone = said === '' && written > 0 && steps.some(({ action }) => action === 'done')
  const what = isWrittenAlone ? `take the target off ${countOf(written, 'entry', 'entries')}` : said
  if (flags.dryRun) {
    await tellDryRun(cli, what, withEntries(countsIn(steps), foreseen), flags)
    await tellLosses(cli, steps, entries)
    await tellLeft(cli, foreseen)
    if (!flags.summaryOnly) await print(cli, steps, foreseen)
    const isPart = [...steps, ...foreseen].some((step) => ('left' in step ? step.left > 0 : step.action === 'leave'))
    return isPart ? EXIT.partial : EXIT.done
  }
  if (what !== '') {
    await tellLosses(cli, steps, entries)
    await requireConfirmation(cli, flags.yes, what, true)
  }
  cli.io.stdout.outlast()
  const changeBack = async () => {
    const kept = await undoEntryChanges(entryUndo, false)
    const ended = await takeBack(undo, prepared)
    isBegun ||= ended.some(({ action }) => action !== 'leave' && action !== 'done')
    const { stored, left: unstored } = await putEntriesBack(undo, onRestored)
    settleNoted(run, unstored)
    const left = unstored + kept.reduce((sum, one) => sum + one.left, 0)
    const cleared = await clearKeptTargets(client, run, signal)
    isBegun ||= cleared > 0
    if (cleared > 0) await cli.note(`took the target off ${countOf(cleared, 'entry', 'entries')} again`)
    await closeAgain(undo)
    return { kept, ended, restored: stored + cleared, left }
  }
  const { kept, ended, restored, left } = await changeBack().catch((error: unknown) => {
    throw error instanceof Error ? cutOff(error, isBegun) : error
  })
  await print(cli, ended, kept)
  await tellLeft(cli, kept)
  const did = [sayCounts(ended, DID), ...sayEntries(kept, 'did')].filter((part) => part !== '').join(', ')
  if (did !== '' || restored === 0) await tellDone(cli, did, withEntries(countsIn(ended), kept))
  if (left > 0 || ended.some(({ action }) => action === 'leave')) return EXIT.partial
  if (run.changes().some(({ outcome }) => outcome === 'taken_back')) run.noteTakenBack(cli.io.now())
  // Tell that some is missing: it could not be noted when its record was deleted.
  return ended.some(({ action, note }) => action === 'create' && note.reason !== undefined) ? EXIT.partial : EXIT.done
}

/** Takes back a run that changed definitions, or says what that would do; returns 3 if something is left alone. */
export const undoRun = async (cli: Cli, path: string, flags: UndoFlags): Promise<ExitCode> => {
  const run = openRunAt(path)
  try {
    const { head } = run
    if (head.takenBackAt !== undefined)
      return await tellTakenBack(cli, head.command, new Date(head.takenBackAt).toISOString())
    // Take the account from the record: the operator changes any account of the store.
    const isOperated = !/^https?:/.test(head.service) && !head.account.includes(' ')
    return await withTarget(
      cli,
      { account: isOperated ? head.account : undefined },
      EVERYTHING,
      cli.io.interruption(),
      (target, signal) => {
        requireOfService(cli, head.service, target.service)
        return undoWith({ cli, target, run, flags, signal })
      },
    )
  } finally {
    run.leave()
  }
}
