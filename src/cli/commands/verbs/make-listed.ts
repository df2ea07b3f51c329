import { type Account, fromNewerItem, toNewerItem } from '../../../changes/records/access.ts'
import { withBase, withToday } from '../../../changes/records/base-targets.ts'
import type { Desired } from '../../../changes/records/desired.ts'
import { type Kind, KIND_NAMES, type KindName, kinds, KPIS } from '../../../changes/records/kind-fields.ts'
import { type AccountRecord, Snapshot } from '../../../changes/records/snapshot.ts'
import { warningsOnNames } from '../../../changes/plan/new-names.ts'
import { type Planned, type PlanAgain, planChanges } from '../../../changes/plan/plan.ts'
import type { Policy } from '../../../changes/plan/match.ts'
import { withoutWritten } from '../../../changes/send/dated-outside.ts'
import type { HeldByUsers } from '../../../changes/send/dependents.ts'
import type { BeforeChange, Outcome } from '../../../changes/send/send.ts'
import type { Client } from '../../../client/client.ts'
import { pauseEvery } from '../../../client/next-turn.ts'
import { listFirst, MOST_LISTED } from '../../../domain/count-text.ts'
import { invalid, type Issue, KpiError } from '../../../domain/errors.ts'
import { nameFieldsOf } from '../../../domain/kinds.ts'
import { askedKpi, kpi } from '../../../domain/resources/kpi.ts'
import { breakdown, breakdownItem } from '../../../domain/resources/breakdowns.ts'
import type { AnyRecord, FieldValue, Resource } from '../../../domain/schema.ts'
import type { RunRecord } from '../../../runs/run-record.ts'
import { RunFileFault, UnwritableRunFile } from '../../../runs/file/sealed-file.ts'
import { namesIn } from '../../args/names.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { recordLabel } from '../../output/short-answer.ts'
import { folderVariable } from '../../target/folders.ts'
import { beginRun, beginUnkeptRun, type BegunRun } from '../../target/runs.ts'
import { makeChanges } from '../changes/make-changes.ts'
import { type RecordedRun, withRunRecord } from '../changes/recorded-run.ts'
import { commandName } from './samples.ts'
import type { ListResult } from './send-each.ts'

/** Sets how many items are planned in one turn. */
const ITEMS_OF_TURN = 500

/** Describes a command that changes the records of a resource. */
export type Command = {
  readonly cli: Cli
  readonly client: Client
  /** Holds the other ways to the account, as far as there are any beside the client of the command. */
  readonly ways?: Omit<Account, 'client'>
  readonly of: Resource
  readonly verb: Verb
  readonly signal: AbortSignal
  /** Says that the operator of the bundled service asks for it; by default it is a command of the interface. */
  readonly operated?: Operated
  /** Holds records of other kinds that concern those of the resource. */
  readonly others?: ReadonlyMap<KindName, readonly AnyRecord[]> | undefined
}

type Verb = 'create' | 'update' | 'delete'

/** Describes a command that only the operator of the bundled service has. */
type Operated = {
  /** Names the store and the account. */
  readonly service: string
  readonly account: string
  /** Names the commands that change records of the resource. */
  readonly commands: Readonly<Record<Verb, string>>
  /** Holds records of other kinds that those of the resource may name. */
  readonly others?: ReadonlyMap<KindName, readonly AnyRecord[]>
  /** Returns what is shown of a record that is created or changed; by default what the interface answers. */
  readonly shownOf?: (record: AnyRecord) => Promise<AnyRecord>
}

/** Returns the command that does something with the records of a resource: `kpis update`. */
const commandOf = ({ of, operated }: Pick<Command, 'of' | 'operated'>, verb: Verb): string =>
  operated?.commands[verb] ?? `${commandName(of)} ${verb}`

/** Names the flags that say how something is done, and not what. */
const NO_CONTENT = ['start', 'yes', 'force', 'fromJson', 'dryRun', 'summaryOnly', 'byName']

/** Tells whether the record of a run cannot be written; one that is in use or damaged says something about the run. */
const isUnwritable = (error: unknown): error is KpiError | UsageError => {
  if (error instanceof UsageError || error instanceof UnwritableRunFile) return true
  return error instanceof KpiError && error.code === 'unusable' && !(error instanceof RunFileFault)
}

/** Returns the refusal to delete what no record could bring back. */
const unrecordedError = ({ io }: Cli, error: KpiError | UsageError): Error => {
  if (error instanceof UsageError) return error
  const variable = folderVariable(io, 'state')
  const other = variable === undefined ? '' : `, or set ${variable} to another folder`
  const text = `${error.message}; nothing is deleted, as kpi undo could not bring it back: make room for it there${other}`
  return new KpiError('unusable', text, { cause: error })
}

/**
 * Runs work with the record of its run, which the same command continues where it was cut off; `content` is all that tells
 * it from others. To be called once the service has answered, and so has said whose account it is. Without a place for the
 * record a command goes on that takes nothing away.
 */
export const withRun = async <T>(
  command: Command,
  content: unknown,
  work: (run: RecordedRun) => Promise<T>,
): Promise<T> => {
  const { cli, client, of, verb, operated } = command
  const secrets = of.writable.flatMap(({ name, field }) => (field.secret ? name : []))
  const asked = {
    command: commandOf(command, verb),
    content,
    leftOut: new Set([...NO_CONTENT, ...secrets]),
    begin: async (asked: BegunRun): Promise<RunRecord> => {
      const begun = operated ? { ...asked, service: operated.service, account: operated.account } : asked
      try {
        return beginRun(cli.io, begun)
      } catch (error) {
        if (!isUnwritable(error)) throw error
        if (verb === 'delete') throw unrecordedError(cli, error)
        await cli.log.warn(`${error.message}; kpi undo cannot take this back`)
        return beginUnkeptRun(cli.io, begun)
      }
    },
  }
  return withRunRecord(cli, client, asked, work)
}

/** Returns the kind of the records of a resource: breakdowns are groups, and their items group items. */
const kindOf = ({ name }: Resource): Kind => {
  const same: Readonly<Record<string, KindName>> = { [breakdown.name]: 'group', [breakdownItem.name]: 'group_item' }
  const kind = KIND_NAMES.find((one) => one === (same[name] ?? name))
  if (kind === undefined) throw new TypeError(`${name} is no kind of definitions`)
  return kinds[kind]
}

/** Returns a record of a resource as its kind has it, with the group of a breakdown item. */
const toKind = ({ name }: Resource, record: AnyRecord): AnyRecord =>
  name === breakdownItem.name ? fromNewerItem(record) : name === kpi.name ? withBase('kpi', record) : record

/** Returns a record of a kind as the resource shows it. */
export const fromKind = ({ name }: Resource, record: AnyRecord): AnyRecord =>
  name === breakdownItem.name ? toNewerItem(record) : name === kpi.name ? withToday('kpi', record) : record

/** Holds values by field; undefined where nothing is said. */
export type Values = Readonly<Record<string, FieldValue | undefined>>

/** Says how an item is meant: its place in the list, its record, and whether that is new or is to go. */
type Meaning = Pick<Desired, 'line' | 'id' | 'isById' | 'isAbsent' | 'isNew' | 'datedTargets'>

/** Returns what an item asks for, by the values of its fields; other records stand in it by id. */
export const desiredOf = (of: Resource, given: Values, meaning: Meaning): Desired => {
  const kind = kindOf(of)
  const said = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  const fields = Object.fromEntries(said)
  const own = of.name === breakdownItem.name ? fromNewerItem(fields) : fields
  const [values, references]: [Record<string, FieldValue>, Record<string, string>] = [{}, {}]
  for (const { name, as, refers } of kind.fields) {
    const value = own[as]
    if (value === undefined) continue
    if (refers && value !== null) references[name] = `#${String(value)}`
    else values[name] = value
  }
  const { target_base } = own
  return { kind, values: { ...values, ...(target_base !== undefined && { target_base }) }, references, ...meaning }
}

/** Returns the resource with the fields that bodies may hold: those that answers show on request, too. */
export const bodyOf = (of: Resource): Resource => (of.name === kpi.name ? askedKpi : of)

/** Returns a snapshot of records of a resource, with what items refer to, of which the ids alone are known. */
export const snapshotOf = (
  { of, operated, others = operated?.others }: Pick<Command, 'of' | 'operated' | 'others'>,
  stored: readonly AnyRecord[],
  desired: readonly Desired[],
  unread: readonly AnyRecord[] = [],
): Snapshot => {
  const kind = kindOf(of)
  const snapshot = new Snapshot(others)
  for (const { name, as, refers: [refers] = [] } of kind.fields) {
    if (!refers) continue
    const given = desired.flatMap(({ references }) => references[name]?.slice(1) ?? [])
    const held = [...stored, ...unread].flatMap((record) => toKind(of, record)[as] ?? [])
    snapshot.takeUnread(
      refers,
      [...new Set([...given, ...held].map(Number))].map((id) => ({ id })),
    )
  }
  snapshot.take(
    kind.name,
    stored.map((record) => toKind(of, record)),
  )
  snapshot.takeUnread(
    kind.name,
    unread.map((record) => toKind(of, record)),
  )
  return snapshot
}

/** Returns the id of the record that the item at a place is about, where an earlier part of the run worked on it. */
export const idBefore =
  (run: RecordedRun | undefined) =>
  (place: number): number | undefined =>
    run?.earlier.begunAt(place).findLast(({ recordId }) => recordId !== undefined)?.recordId

/** Says which names are meant. */
type NameFlags = { readonly byName?: string[] | undefined; readonly allowDuplicate?: unknown }

/** Holds what the items of a list ask for, how many the whole list has, and the records that are there. */
type ListOfItems = {
  readonly desired: readonly Desired[]
  readonly total: number
  readonly stored: readonly AnyRecord[]
  /** Holds the ids of records that cannot be read. */
  readonly unread?: readonly AnyRecord[]
}

/** Describes the items of a list as they are planned. */
export type ListPlan = {
  readonly snapshot: Snapshot
  readonly planned: readonly Planned[]
  readonly again: PlanAgain
  /** Returns what is wrong with the names of items that others have. */
  readonly takenNames: (items: readonly Planned[]) => Issue[]
  /** Refuses all items that cannot be done, before any is sent; warns of names that may not be meant. */
  readonly require: (items: readonly Planned[]) => Promise<void>
}

/** Returns the fields that `--by-name` names. */
const meantFields = (of: Resource, given: readonly string[] = []): string[] => {
  const [fields, known] = [namesIn('--by-name', ...given).map((field) => field.trim()), nameFieldsOf(of)]
  const unknown = fields.find((field) => !known.includes(field))
  if (unknown === undefined) return fields
  throw new UsageError(`--by-name ${unknown} is not one of ${known.join(', ')}`)
}

const describeKey = (field: string): string => (field === 'name' ? 'name' : 'e-mail address')

/** Says how a name is given to two records on purpose; people are told apart by their e-mail addresses. */
const wayOut = (field: string, does: string): string => (field === 'name' ? `; --allow-duplicate ${does}` : '')

/** Says what is wrong with a name that another record has, or that an item before gives to one. */
const tellTaken =
  (command: Pick<Command, 'of' | 'operated'>, field: string) =>
  ({ kind, stored, desired }: AccountRecord, isNew: boolean): string => {
    if (!stored)
      return `is that of no. ${desired?.line}, too${wayOut(field, isNew ? 'creates both' : 'gives it to both')}`
    const isOwn = kind === kindOf(command.of)
    const label = recordLabel(isOwn ? command.of : kind.of, stored)
    if (!isNew) return `is the ${describeKey(field)} of ${label} already${wayOut(field, 'gives it to both')}`
    const update = commandOf(isOwn ? command : { of: kind.of }, 'update')
    const change = `kpi ${update} ${String(stored['id'])} changes it`
    return `is that of ${label}: ${change}${wayOut(field, 'creates another')}`
  }

/** Returns a field of a kind as the resource names it: `frequency` is `frequency_id`; undefined for one that it lacks. */
const fieldIn = (of: Resource, name: string): string | undefined =>
  [name, kindOf(of).fields.find((one) => one.name === name)?.as].find((one) => one !== undefined && one in of.fields)

/** Returns a reason without the field at its front, which an issue names by itself. */
const withoutField = (field: string, message: string): string => {
  if (message.startsWith(`${field} "`)) return message.slice(field.length + 1)
  return message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message
}

/** Plans the items of a list. */
export const planList = async (
  command: Command,
  { desired, total, stored, unread }: ListOfItems,
  flags: NameFlags = {},
  isOurs?: Policy['isOurs'],
): Promise<ListPlan> => {
  const { cli, client, of, verb, signal } = command
  const key = kindOf(of).identity.at(-1) ?? 'name'
  const meant = new Set(meantFields(of, flags.byName))
  const tell = tellTaken(command, key)
  const taken = new Set<string>()
  const policy: Policy = {
    existing: verb === 'create' ? 'refuse' : 'update',
    isMeant: (_, field) => meant.has(field),
    takesName: (_, field) => `--by-name ${field}`,
    takesNoValue: true,
    today: cli.today().day,
    ...(isOurs && { isOurs }),
    ...(flags.allowDuplicate !== true && {
      tellTaken: (holder: AccountRecord, isNew: boolean) => {
        const message = tell(holder, isNew)
        taken.add(message)
        return message
      },
    }),
  }
  const pause = pauseEvery(ITEMS_OF_TURN, signal)
  const snapshot = snapshotOf(command, stored, desired, unread)
  const plan = await planChanges(snapshot, desired, policy, pause)
  const { planned, again } = await withoutWritten(client, plan, (text) => void cli.log.warn(text))
  const issuesOf = (items: readonly Planned[]): Issue[] =>
    items.flatMap(({ desired: { line }, reasons }) =>
      reasons.map(({ field, message }) => ({
        ...(total > 1 && { index: line - 1 }),
        field: fieldIn(of, field) ?? key,
        message: withoutField(field, message),
      })),
    )
  const takenNames = (items: readonly Planned[]): Issue[] => issuesOf(items).filter(({ message }) => taken.has(message))
  return {
    snapshot,
    planned,
    again,
    takenNames,
    require: async (items) => {
      const issues = issuesOf(items)
      const faults = issues.filter(({ field }) => !nameFieldsOf(of).includes(field))
      if (faults.length > 0) throw invalid(faults)
      const known = takenNames(items)
      const { title } = KPIS.includes(kindOf(of).name) ? kinds.kpi.of : of
      const message = `there is a ${title} of that ${describeKey(key)} already`
      if (known.length > 0) throw new KpiError('conflict', message, { issues: known })
      for (const text of await warningsOnNames(snapshot, items, policy, pause)) await cli.log.warn(text)
      if (issues.length > 0) throw new KpiError('conflict', `a ${of.title} would look like another one`, { issues })
    },
  }
}

/** Holds what sending the planned items of a list needs. */
type Making = {
  readonly plan: ListPlan
  readonly items: readonly Planned[]
  readonly total: number
  readonly run: RecordedRun
  readonly held?: HeldByUsers
  readonly before?: BeforeChange
  readonly onOutcome?: (outcome: Outcome) => Promise<void>
  readonly goOn?: (number: number) => string
}

/** Returns the error about what was removed again, as another machine had just created the same. */
const doublesError = (command: Command, removed: readonly AccountRecord[]): KpiError | undefined => {
  const [first] = removed
  if (!first) return undefined
  const texts = listFirst(removed, MOST_LISTED, ({ name, id }) => `"${name}" (${id})`)
  const message = `another machine created the same ${command.of.title} at the same moment, which stays: ${texts}; what this command created beside it is removed, and kpi ${commandOf(command, 'update')} ${first.id} changes the other`
  return new KpiError('conflict', message)
}

/** Makes what is planned for the items of a list, in its order; returns what the service has of each that is done. */
export const makeListed = async (
  command: Command,
  { plan, items, total, run: { run, earlier, end }, ...making }: Making,
): Promise<ListResult<Planned>> => {
  const { cli, client, ways, of, signal, operated } = command
  const { snapshot, again } = plan
  const answers = new Map<AccountRecord, AnyRecord | undefined>()
  const removed: AccountRecord[] = []
  for (const one of items) {
    earlier.settle(one)
    if (one.action === 'unchanged' && one.record) answers.set(one.record, one.record.stored)
  }
  const changes = items.flatMap((one) => one.changes)
  const { outcomes, failure } = await makeChanges(cli, {
    account: { client, ...ways },
    snapshot,
    plan: { changes, again },
    run,
    signal,
    list: { items, total },
    labelOf: () => '',
    ...making,
    onRemoved: async ({ record }) => void removed.push(record),
  })
  for (const { change, result, answer } of outcomes)
    if (result === 'done' || result === 'unchanged') answers.set(change.record, answer ?? change.record.stored)
  for (const record of removed) answers.delete(record)
  if (outcomes.length >= changes.length) end()
  const done = items.filter(({ record }) => record && answers.has(record))
  const answered = done.map(({ record }) => fromKind(of, (record && answers.get(record)) ?? {}))
  const records = operated?.shownOf ? await Promise.all(answered.map(operated.shownOf)) : answered
  return { records, done, total, failure: failure ?? doublesError(command, removed) }
}
