import type { Change as PlannedUpdate } from '../../../changes/records/change.ts'
import type { Planned } from '../../../changes/plan/plan.ts'
import { sentFields } from '../../../changes/send/note-change.ts'
import type { Client } from '../../../client/client.ts'
import { isForbidden, readIfAllowed } from '../../../client/operations/read-if-allowed.ts'
import { formatInstant } from '../../../domain/day.ts'
import { KpiError } from '../../../domain/errors.ts'
import { nameFieldsOf } from '../../../domain/kinds.ts'
import { type AnyRecord, asPatch, type Resource } from '../../../domain/schema.ts'
import type { FlagValues } from '../../args/flags.ts'
import { recordLabel } from '../../output/short-answer.ts'
import { failureOfPlan } from '../changes/make-changes.ts'
import { desiredOf, fromKind, snapshotOf } from './kind-records.ts'
import { type Command, type CommandRun, idBefore, learnAccount, makeListed, planList, withRun } from './make-listed.ts'
import { namedPlaces } from './named-places.ts'
import { printPlanned } from './planned-changes.ts'
import { type Change, readChanges } from './read-changes.ts'
import { requireNamedOnce } from './require-each-once.ts'
import { printSent } from './send-each.ts'
import type { TargetWatch } from '../targets/keep-history.ts'

/** Describes changes as a line gives them: by flags to all that it names, or by the objects of a file. */
type Given = {
  readonly names: readonly string[]
  readonly bodies: readonly object[] | undefined
  readonly flags: FlagValues
  readonly parent: number | undefined
  readonly collection: Records
  readonly watch: TargetWatch | undefined
}

/** Describes where records are read. */
type Records = {
  readonly list: () => Promise<readonly AnyRecord[]>
  readonly get: (id: number) => Promise<AnyRecord>
}

/** Bounds the records that are read one by one; more are read as a list. */
const MOST_READ = 5

/** Returns a record as it is, or its id alone where the key may not read it. */
const readRecord = async (client: Client, { get }: Records, id: number): Promise<AnyRecord | undefined> => {
  try {
    return await get(id)
  } catch (error) {
    // A service that may clear what it does not receive gets no change of what cannot be read.
    if (isForbidden(error) && client.variant === 'v1' && client.isBundled()) return undefined
    throw error
  }
}

const isGone = (error: unknown): error is KpiError => error instanceof KpiError && error.code === 'not_found'

/** Describes the records that changes are for: those that were read, the ids of the others, and which are not there. */
type Held = {
  readonly stored: readonly AnyRecord[]
  readonly unread: readonly AnyRecord[]
  readonly gone: ReadonlyMap<number, string>
}

/**
 * Reads the records that changes are for; all of the kind where names are compared. One that is not there is told by the
 * service when it is sent, unless `isLooked` says that nothing is sent without it.
 */
const readHeld = async (
  { client, of }: Command,
  { collection, parent }: Given,
  changes: readonly Change<Resource>[],
  isLooked: boolean,
): Promise<Held> => {
  const fields = nameFieldsOf(of)
  const isNamed = changes.some(({ patch }) => fields.some((field) => field in patch))
  const isListed = isNamed || changes.length > MOST_READ
  const stored = new Map<unknown, AnyRecord>()
  if (isListed) for (const one of (await readIfAllowed(client, collection.list())) ?? []) stored.set(one['id'], one)
  const unread: AnyRecord[] = []
  const gone = new Map<number, string>()
  for (const { id } of changes) {
    if (stored.has(id)) continue
    let record: AnyRecord | undefined
    try {
      record = await readRecord(client, collection, id)
    } catch (error) {
      if (isLooked || !isGone(error)) throw error
      gone.set(id, error.message)
    }
    if (record) stored.set(id, record)
    else unread.push({ id, ...(parent !== undefined && { group_id: parent }) })
  }
  return { stored: [...stored.values()], unread, gone }
}

/** Refuses changes to records that were changed after their JSON was read: all of them are named. */
const requireUnmoved = (of: Resource, changes: readonly Change<Resource>[], items: readonly Planned[]): void => {
  const readAt = new Map(changes.map((one) => [one.place, one.readAt]))
  const moved = items.flatMap(({ action, desired: { line }, record }) => {
    const [at, seen] = [record?.stored?.['updated_at'] ?? null, readAt.get(line)]
    return action === 'update' && record?.stored && seen !== undefined && at !== null && at !== seen
      ? [`${recordLabel(of, record.stored)} was changed at ${formatInstant(Number(at))} UTC`]
      : []
  })
  if (moved.length === 0) return
  throw new KpiError(
    'conflict',
    `${moved.join('; ')}: after the file was read; read it again, or --force overwrites what has changed`,
  )
}

/** Refuses what the service would, as it is not there. */
const refuseGone = (items: readonly Planned[], gone: Held['gone']): Planned[] =>
  items.map((one): Planned => {
    const message = gone.get(one.desired.id ?? NaN)
    if (message === undefined) return one
    return { ...one, action: 'refuse', changes: [], reasons: [{ field: 'name', message, isMissing: true }] }
  })

/** Says what changes would do, of which none is sent; then throws what is refused of them. */
const foresee = async (
  { cli, client, of }: Command,
  flags: FlagValues,
  items: readonly Planned[],
  fieldsOf: (update: PlannedUpdate) => AnyRecord,
): Promise<void> => {
  const failure = failureOfPlan(items, 'to update')
  const done = items.filter(({ action }) => action !== 'refuse')
  if (failure && done.length === 0) throw failure
  const planned = done.map(({ record, changes: [update] }) => ({
    change: { patch: asPatch(of, update ? fromKind(of, fieldsOf(update)) : {}) },
    held: fromKind(of, record?.stored ?? {}),
  }))
  await printPlanned(cli, client, of, planned, flags['summaryOnly'] === true)
  if (failure) throw failure
}

/** Changes records, or says in a dry run what that would do. */
export const updateListed = async (command: Command, given: Given): Promise<void> => {
  const { client } = command
  const { names, bodies, flags, parent } = given
  if (flags['dryRun'] === true) return updateBy(command, given, undefined)
  await learnAccount(client)
  await withRun(command, { names, bodies, flags, parent }, (run) => updateBy(command, given, run))
}

const updateBy = async (command: Command, given: Given, run: CommandRun | undefined): Promise<void> => {
  const { cli, client, of, signal } = command
  const { names, bodies, flags, parent, watch } = given
  const idAt = idBefore(run)
  const named = await namedPlaces(client, of, names, { parent, idAt })
  const ids = named.map(({ id }) => id)
  requireNamedOnce(of, names, ids)
  const changes = await readChanges(client, of, flags, { ids, idAt, parent, signal }, bodies)
  const isForced = flags['force'] === true
  const isLooked = !isForced && changes.some(({ readAt }) => readAt !== undefined)
  const { stored, unread, gone } = await readHeld(command, given, changes, isLooked)
  const desired = changes.map(({ place, id, patch }) => desiredOf(of, patch, { line: place, id, isById: true }))
  const total = changes.length
  const snapshot = snapshotOf(of, stored, desired, unread)
  const plan = await planList(command, snapshot, { desired, total }, flags, run?.earlier.isOurs)
  const all = plan.planned.toSorted((one, other) => one.desired.line - other.desired.line)
  await plan.require(all)
  const items = run ? all : refuseGone(all, gone)
  if (!isForced) requireUnmoved(of, changes, items)
  const history = await watch?.open(cli, client, flags, signal)
  const updates = items.flatMap((one) => one.changes)
  if (!run) {
    await history?.foresee(updates)
    return foresee(command, flags, items, (update) => sentFields(snapshot, update))
  }
  await history?.requireKeepable(updates)
  await history?.confirm(() => updates)
  const sent = await makeListed(command, {
    plan,
    items,
    total,
    run,
    ...(history && { before: (change, note) => history.before(change, note) }),
  })
  if (sent.records.length > 0) await history?.tell()
  await printSent(cli, client, of, sent, 'updated')
}
