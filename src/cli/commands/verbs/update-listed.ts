import type { Change as PlannedUpdate } from '../../../changes/records/change.ts'
import type { Planned } from '../../../changes/plan/plan.ts'
import { sentFields } from '../../../changes/send/note-change.ts'
import type { Client } from '../../../client/client.ts'
import type { Named } from '../../../client/directory.ts'
import { isForbidden, readIfAllowed } from '../../../client/operations/read-if-allowed.ts'
import { expectObject, type Json, readJson, readPatch } from '../../../codec/json.ts'
import { formatDay, formatInstant } from '../../../domain/day.ts'
import { formatDecimal } from '../../../domain/decimal.ts'
import { Fault, isNotFound, KpiError } from '../../../domain/errors.ts'
import { nameFieldsOf } from '../../../domain/kinds.ts'
import { kpi } from '../../../domain/resources/kpi.ts'
import type { AnyRecord, Field, ParsedFields, Resource } from '../../../domain/schema.ts'
import { type DatedChange, datedTargetsIn, mergeDatedTargets } from '../../../domain/targets/dated-targets.ts'
import { fieldFlags, type FlagValues, readFlags, requireNoFaults } from '../../args/flags.ts'
import type { CompleteBody } from '../../args/json-input.ts'
import { createRecordFinder, namedPlaces, repeatedFaults, requireNamedOnce } from '../../args/names.ts'
import { UsageError } from '../../exit.ts'
import { pluralOf, recordLabel } from '../../output/short-answer.ts'
import { shellWord } from '../../output/text.ts'
import { learnAccount } from '../../target/service-of.ts'
import { failureOfPlan } from '../changes/make-changes.ts'
import type { RecordedRun } from '../changes/recorded-run.ts'
import {
  bodyOf,
  type Command,
  desiredOf,
  fromKind,
  idBefore,
  makeListed,
  planList,
  type Values,
  withRun,
} from './make-listed.ts'
import { printPlanned } from './dry-run-rows.ts'
import { createNames } from './reference-names.ts'
import { printSent } from './send-each.ts'
import type { TargetWatch } from '../targets/target-flags.ts'

/** Describes changes as a line gives them: by flags to all that it names, or by the objects of a file. */
type Given = {
  readonly names: readonly string[]
  readonly bodies: readonly object[] | undefined
  readonly flags: FlagValues
  readonly parent: number | undefined
  readonly collection: Records
  readonly watch: TargetWatch | undefined
}

/** Describes a change to one record. */
type Change = {
  /** Holds its place in the list, counted from 1. */
  readonly place: number
  readonly id: number
  readonly patch: Values
  /** Holds when the record was last changed as its JSON was read; undefined if that is not known. */
  readonly readAt: number | undefined
  /** Holds what becomes of the targets of some days. */
  readonly datedTargets?: readonly DatedChange[] | undefined
}

const ID: Field = { kind: 'integer', about: 'Which one it is' }
const READ_AT: Field = { kind: 'datetime', about: 'When it was last changed', nullable: true }

/** Describes a change in a list, where each says which record it changes; undefined where the line names that. */
type ListedChange = Pick<Change, 'patch' | 'readAt'> & { readonly id: number | undefined }

const readChange = (of: Resource, body: Json, isNamed: boolean): ParsedFields<ListedChange> => {
  const { values: patch, issues } = readPatch(bodyOf(of), body, true)
  const held = expectObject(body)
  const at = readJson(READ_AT, held['updated_at'] ?? null, true)
  const faults = at instanceof Fault ? [...issues, { field: 'updated_at', message: at.message }] : issues
  const change = { patch, readAt: typeof at === 'number' ? at : undefined }
  if (isNamed) return { values: change, issues: faults }
  const id = readJson(ID, held['id'] ?? null, true)
  if (typeof id === 'number') return { values: { id, ...change }, issues: faults }
  const message = id instanceof Fault ? id.message : `is required: it says which ${of.title} to change, by id or name`
  return { values: {}, issues: [{ field: 'id', message }, ...faults] }
}

/** Completes objects in which a name may stand where the id does; `known` holds the ids of those that are known already. */
const withIds =
  (
    complete: CompleteBody,
    find: (text: string) => Promise<Named | Fault>,
    known: ReadonlyMap<object, number>,
  ): CompleteBody =>
  async (given) => {
    const { body, issues } = await complete(given)
    const id: unknown = known.get(given) ?? ('id' in given ? given.id : null)
    if (known.has(given)) return { body: { ...body, id }, issues }
    if (typeof id !== 'string' || id.trim() === '') return { body, issues }
    const found = await find(id)
    if (!(found instanceof Fault)) return { body: { ...body, id: found.id }, issues }
    return { body, issues: [{ field: 'id', message: found.message }, ...issues] }
  }

/** Lists the fields that no two records should have alike. */
const UNIQUE = ['name', 'email'] as const

/** Gives the same to all records that a line names. */
const toAll = (of: Resource, ids: readonly number[], change: Omit<Change, 'place' | 'id'>): Change[] => {
  const alike = UNIQUE.find((name) => name in change.patch)
  if (ids.length > 1 && alike !== undefined)
    throw new UsageError(`--${alike} would give ${ids.length} ${pluralOf(of)} the same ${alike}`)
  return ids.map((id, at) => ({ ...change, place: at + 1, id }))
}

/** Returns the changes that a line asks for: those of its flags to all that it names, or those of a file. */
const readChanges = async (
  { cli, client, of, signal }: Command,
  { bodies, flags, parent }: Given,
  ids: readonly number[],
  idAt: (place: number) => number | undefined,
): Promise<readonly Change[]> => {
  if (!bodies) {
    const numbers = { kpis: () => ids, note: (text: string): unknown => cli.note(text) }
    const patch = requireNoFaults(await readFlags(client, fieldFlags(of), flags, numbers))
    if (Object.keys(patch).length === 0 && flags['from'] === undefined)
      throw new UsageError('nothing to change was given; --help shows the flags')
    if (flags['from'] === undefined) return toAll(of, ids, { patch, readAt: undefined })
    const { readDatedValues } = await import('../targets/from-day.ts')
    const target = { name: 'target_default', flag: '--target-default' }
    const { values, datedTargets } = await readDatedValues(cli, client, flags['from'], patch, target)
    return toAll(of, ids, { patch: values, readAt: undefined, datedTargets })
  }
  const [{ readBodies, refuseObjects }, { createCompletion }] = await Promise.all([
    import('../../args/json-input.ts'),
    import('./complete-body.ts'),
  ])
  const isNamed = ids.length > 0
  const completion = createCompletion(of, createNames(client))
  const known = new Map(bodies.flatMap((body, at) => (idAt(at + 1) === undefined ? [] : [[body, idAt(at + 1) ?? 0]])))
  const complete = isNamed ? completion : withIds(completion, createRecordFinder(client, of, parent), known)
  const read = (body: Json): ParsedFields<ListedChange> => readChange(of, body, isNamed)
  const listed = await readBodies(bodies, of, { complete, read, signal })
  const changes = listed.map(({ id = NaN, patch = {}, readAt }, at) => ({ place: at + 1, id, patch, readAt }))
  if (isNamed) return changes.flatMap((one) => toAll(of, ids, one))
  refuseObjects(repeatedFaults(of, changes.map(({ id }) => id))) // prettier-ignore
  return changes
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
  changes: readonly Change[],
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
      if (isLooked || !isNotFound(error)) throw error
      gone.set(id, error.message)
    }
    if (record) stored.set(id, record)
    else unread.push({ id, ...(parent !== undefined && { group_id: parent }) })
  }
  return { stored: [...stored.values()], unread, gone }
}

/** Refuses changes to records that were changed after their JSON was read: all of them are named. */
const requireUnmoved = (of: Resource, changes: readonly Change[], items: readonly Planned[]): void => {
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

/** Refuses what the bundled service would: calculated KPIs are the operator's. */
const refuseCalculated = ({ client, of }: Command, items: readonly Planned[]): readonly Planned[] =>
  items.map((one): Planned => {
    const { stored } = one.record ?? {}
    if (of.name !== kpi.name || stored?.['is_calculated'] !== true || !client.isBundled()) return one
    const message = `${recordLabel(of, stored)} is calculated: the operator changes it with kpi service calculated update`
    return { ...one, action: 'refuse', changes: [], reasons: [{ field: 'name', message }] }
  })

/** Refuses targets of calculated KPIs that begin on a day: only a configuration of the operator gives them. */
const rejectDatedCalculated = ({ client, of }: Command, items: readonly Planned[]): void => {
  const one = items.find(({ desired, record }) => desired.datedTargets && record?.stored?.['is_calculated'] === true)
  const { name = '', targets = null } = one?.record?.stored ?? {}
  if (!one || !client.isBundled()) return
  const merged = mergeDatedTargets(targets === null ? null : String(targets), one.desired.datedTargets ?? [])
  const list = datedTargetsIn(merged).map(
    ({ from, target }) => `{ from: ${formatDay(from)}, target: ${formatDecimal(target)} }`,
  )
  const file = `calculated: [ { name: ${JSON.stringify(name)}, targets: [ ${list.join(', ')} ] } ]`
  throw new KpiError(
    'forbidden',
    `${recordLabel(of, one.record?.stored ?? {})} is calculated: the operator gives it targets that begin on a day in a configuration, as in echo ${shellWord(file)} | kpi apply -; nothing was changed`,
  )
}

/** Says what changes would do, of which none is sent; then throws what is refused of them. */
const foresee = async (
  command: Command,
  flags: FlagValues,
  items: readonly Planned[],
  fieldsOf: (update: PlannedUpdate) => AnyRecord,
): Promise<void> => {
  const failure = failureOfPlan(items, 'to update')
  const done = items.filter(({ action }) => action !== 'refuse')
  if (failure && done.length === 0) throw failure
  const { of } = command
  const planned = done.map(({ record, changes: [update] }) => ({
    values: update ? fromKind(of, fieldsOf(update)) : {},
    held: fromKind(of, record?.stored ?? {}),
  }))
  await printPlanned(command, planned, flags['summaryOnly'] === true)
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

/** Reads the formulas that may forbid changes to KPIs, where there may be such and the account shows them. */
const formulasBeside = async (
  { client, of }: Command,
  changes: readonly Change[],
): Promise<Pick<Command, 'others'>> => {
  const mayClash = ({ patch }: Change): boolean => 'frequency_id' in patch || 'is_active' in patch
  if (of.name !== kpi.name || !changes.some(mayClash)) return {}
  const formulas = await client.formulas()
  return formulas ? { others: new Map([['calculated_kpi', formulas]]) } : {}
}

const updateBy = async (command: Command, given: Given, run: RecordedRun | undefined): Promise<void> => {
  const { cli, client, of, signal } = command
  const { names, flags, parent, watch } = given
  const idAt = idBefore(run)
  const named = await namedPlaces(client, of, names, { parent, idAt })
  const ids = named.map(({ id }) => id)
  requireNamedOnce(of, names, ids)
  const changes = await readChanges(command, given, ids, idAt)
  const isForced = flags['force'] === true
  const isLooked = !isForced && changes.some(({ readAt }) => readAt !== undefined)
  const { stored, unread, gone } = await readHeld(command, given, changes, isLooked)
  if (changes.some(({ datedTargets }) => datedTargets))
    (await import('../targets/from-day.ts')).requireFromDay(client, [])
  const desired = changes.map(({ place, id, patch, datedTargets }) =>
    desiredOf(of, patch, { line: place, id, isById: true, datedTargets }),
  )
  const total = changes.length
  const planning = { ...command, ...(await formulasBeside(command, changes)) }
  const plan = await planList(planning, { desired, total, stored, unread }, flags, run?.earlier.isOurs)
  const all = plan.planned.toSorted((one, other) => one.desired.line - other.desired.line)
  rejectDatedCalculated(command, all)
  await plan.require(all)
  const items = run ? all : refuseCalculated(command, refuseGone(all, gone))
  if (!isForced) requireUnmoved(of, changes, items)
  const history = await watch?.open(cli, client, flags, signal)
  const updates = items.flatMap((one) => one.changes)
  if (!run) {
    await history?.foresee(updates)
    return foresee(command, flags, items, (update) => sentFields(plan.snapshot, update))
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
