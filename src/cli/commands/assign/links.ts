import { desiredLink, type LinkKind, linkPolicy, readLinks } from '../../../changes/from/links.ts'
import { type Plan, planChanges, type Planned } from '../../../changes/plan/plan.ts'
import type { Change } from '../../../changes/records/change.ts'
import type { Desired } from '../../../changes/records/desired.ts'
import type { AccountRecord, Snapshot } from '../../../changes/records/snapshot.ts'
import type { EarlierChanges } from '../../../changes/send/continue-run.ts'
import { sentFields } from '../../../changes/send/note-change.ts'
import { withToday } from '../../../changes/records/base-targets.ts'
import type { Outcome } from '../../../changes/send/send.ts'
import type { Client } from '../../../client/client.ts'
import type { Named } from '../../../client/directory.ts'
import { pauseEvery } from '../../../client/next-turn.ts'
import type { Day } from '../../../domain/day.ts'
import type { Decimal } from '../../../domain/decimal.ts'
import { assignment } from '../../../domain/resources/assignment.ts'
import { userGroupItem } from '../../../domain/resources/groups.ts'
import { type AnyRecord, type FieldValue, type Printable, printable } from '../../../domain/schema.ts'
import { type DatedChange, datedTargetOn, targetOn } from '../../../domain/targets/dated-targets.ts'
import { continuingText } from '../../../runs/entries/unfinished.ts'
import type { RunRecord } from '../../../runs/run-record.ts'
import type { Cli } from '../../cli.ts'
import type { Printed } from '../../output/printed.ts'
import { isPrintedAsData } from '../../output/short-answer.ts'
import { printDryRun } from '../../output/plan.ts'
import { type Counts, dryRunCounts, type Noun, toDoText } from '../../output/summary.ts'
import { countOf } from '../../output/text.ts'
import { failureOfPlan, makeChanges } from '../changes/make-changes.ts'
import { withRunRecord } from '../changes/recorded-run.ts'
import { openTargetHistory, type TargetFlags } from '../targets/target-flags.ts'
import type { TargetHistory, WayBack } from '../targets/target-history.ts'
import { nameRecords } from '../verbs/list-options.ts'

const { user_id, id: kpi_id, user_target, sort_order } = assignment.fields

/** Defines an assignment that a dry run would add. */
const plannedAssignment = printable('planned_assignment', 'assignment that would be added', {
  user_id,
  id: kpi_id,
  user_target,
  sort_order,
})

const targetField = (about: string) =>
  ({ kind: 'decimal', about, nullable: true, inUnitOf: user_target.inUnitOf }) as const

/** Defines an assignment that is removed, or that a dry run would change or remove. */
const plannedChange = printable(
  'planned_assignment_change',
  'assignment that is removed, or would be changed or removed',
  {
    user_id,
    id: kpi_id,
    old_target: targetField("The user's own target now"),
    new_target: targetField("The user's own target afterwards"),
  },
)

/** Defines a group item that a dry run would give to a user, or remove. */
const plannedGroupItem = printable('planned_user_group_item', 'group item of a user that would be added or removed', {
  user_id: userGroupItem.fields.user_id,
  id: userGroupItem.fields.id,
})

/** Lists the commands: what they do to which links, and the rows of their dry runs. */
const COMMANDS = {
  'assign add': { kind: 'assignment', verb: 'add', rows: plannedAssignment },
  'assign update': { kind: 'assignment', verb: 'update', rows: plannedChange },
  'assign remove': { kind: 'assignment', verb: 'remove', rows: plannedChange },
  'assign group-items add': { kind: 'user_group_item', verb: 'add', rows: plannedGroupItem },
  'assign group-items remove': { kind: 'user_group_item', verb: 'remove', rows: plannedGroupItem },
} as const

type LinkCommand = keyof typeof COMMANDS

const COUNTS = { add: ['added', 'users'], update: ['updated', 'unchanged'], remove: ['removed'] } as const

/** Returns the counts of the dry run of a command. */
const countsOf = (command: LinkCommand): Printable => {
  const { kind, verb } = COMMANDS[command]
  const what = kind === 'assignment' ? 'Assignments' : 'Group items of users'
  return dryRunCounts(command.replaceAll(/[ -]/g, '_'), what, COUNTS[verb])
}

/** Lists what the dry run of a command may print. */
export const plannedPrints = (command: LinkCommand): Printed[] => [
  { of: COMMANDS[command].rows, isList: true },
  { of: countsOf(command), isList: false },
]

const CALLED: Readonly<Record<LinkKind, Noun>> = {
  assignment: ['assignment', 'assignments'],
  user_group_item: ['group item of users', 'group items of users'],
}

/** Holds users, and the KPIs or group items that each of them gets, keeps or loses. */
export type SelectedLinks = { readonly users: readonly Named[]; readonly known: readonly Named[] }

/** Describes what a line asks for: links with their values, or that they are not there. */
type Asked = SelectedLinks & {
  readonly command: LinkCommand
  readonly values?: AnyRecord
  readonly datedTargets?: readonly DatedChange[] | undefined
  /** Takes links that are to be removed, and are not there, as they are. */
  readonly mayLack?: boolean
}

/** Holds what a line runs with. */
type LinkRun = {
  readonly cli: Cli
  readonly client: Client
  readonly signal: AbortSignal
  readonly flags: TargetFlags & { readonly dryRun?: true | undefined; readonly summaryOnly?: true | undefined }
}

/** Describes a link that is there, with the name of its user, and of what the user has. */
export type HeldLink = { readonly user: string; readonly what: string; readonly record: AccountRecord }

/** Describes the links of a line as they are now, or were before they were removed; some needed no change. */
export type MadeLinks = { readonly records: readonly AnyRecord[]; readonly unchanged: ReadonlySet<AnyRecord> }

/** Holds what is particular to a line. */
type Particulars = {
  /** Refuses links that are there and are not as the line says; `what` says what was left undone. */
  readonly requireSame?: (held: readonly HeldLink[], what: string) => Promise<void>
  /** Says of links that they are there already. */
  readonly tellAlready?: (held: readonly HeldLink[]) => Promise<void>
  /** Changes entries once the links are made, as a part of the run; `onto` tells the run from others. */
  readonly entries?: {
    readonly onto: unknown
    readonly foresee: () => Promise<void>
    readonly put: (record: RunRecord) => Promise<void>
  }
  /** Says more of what was made. */
  readonly offer?: (made: MadeLinks) => Promise<void>
  /** Asks whether to do it, in place of whether past reports may follow. */
  readonly question?: string | undefined
  readonly wayBack?: WayBack
  /** Prints what was made; where it was removed, only as data. */
  readonly print: (made: MadeLinks) => Promise<void>
}

/** Describes the plan of a line, with each of its links in order, but those that an earlier part of the run has settled. */
type LinkPlan = Pick<Plan, 'again' | 'changes'> & { readonly snapshot: Snapshot; readonly list: readonly Planned[] }

/** Sets how many links are planned before signals and timers run. */
const LINKS_OF_TURN = 500

/** Plans the links that a line asks for, without those that an earlier part of its run has settled. */
const planAsked = async (
  { client, signal }: LinkRun,
  { command, users, known, values, datedTargets, mayLack }: Asked,
  earlier?: EarlierChanges,
): Promise<LinkPlan> => {
  const { kind, verb } = COMMANDS[command]
  const pairs = users.flatMap(({ id: user }) => known.map(({ id }) => ({ user, id })))
  const all = pairs.map((pair, at): Desired => ({
    ...desiredLink(kind, pair, at + 1, values, datedTargets),
    ...(verb === 'remove' && { isAbsent: true }),
  }))
  // Send again what was refused: the service may accept it now.
  const isOpen = ({ line }: Desired): boolean =>
    earlier?.settledAt(line).every(({ outcome }) => outcome === 'refused') ?? true
  const open = all.filter(isOpen)
  const whose = new Set(open.map(({ references }) => references['user']))
  const policy = linkPolicy({
    ...(verb === 'add' && { existing: 'skip' }),
    ...(verb === 'update' && { onlyExisting: true }),
    ...(earlier && { isOurs: earlier.isOurs }),
    ...(mayLack && { isOurs: () => true }),
  })
  const own = users.filter(({ id }) => whose.has(`#${id}`))
  const snapshot = await readLinks({ client }, kind, own, known)
  if (datedTargets) (await import('../targets/from-day.ts')).requireFromDay(client, datedTargets)
  const { planned, again } = await planChanges(snapshot, open, policy, pauseEvery(LINKS_OF_TURN, signal))
  return { snapshot, list: planned, changes: planned.flatMap(({ changes }) => changes), again }
}

const textIn = (value: FieldValue | undefined): string | null => (typeof value === 'string' ? value : null)

/** Returns what a linked user, or what the user is linked to, is called. */
const calledIn = ({ above }: AccountRecord, field: 'user' | 'kpi' | 'group_item'): string => {
  const { id, stored } = above[field] ?? {}
  return String(stored?.['name'] || `#${id}`)
}

const heldLink = (record: AccountRecord): HeldLink => ({
  user: calledIn(record, 'user'),
  what: calledIn(record, 'kpi' in record.above ? 'kpi' : 'group_item'),
  record,
})

/** Refuses links that are there and should be otherwise, and says which are there already. */
const settleHeld = async ({ list }: LinkPlan, { requireSame, tellAlready }: Particulars): Promise<void> => {
  const held = list.flatMap(({ action, record }) => (record?.stored ? [{ action, ...heldLink(record) }] : []))
  await requireSame?.(held, 'nothing was assigned')
  await tellAlready?.(held.filter(({ action }) => action === 'skip'))
}

/** Tells whether an item of a plan is listed, and told by its place in errors. */
const isListed = ({ action }: Planned): boolean => action !== 'skip'

/** Describes the target that new assignments are to have, and the day on which it begins, if one is said. */
export type GivenTarget = { readonly target: Decimal | null; readonly from?: Day | undefined }

/** Returns the target that an assignment has where another is given: the one of that day, else its base. */
export const targetHeld = ({ record: { stored = {} } }: HeldLink, { from }: GivenTarget): Decimal | null => {
  const { user_target: base, targets } = stored
  const timeline = { base: typeof base === 'bigint' ? base : null, targets: textIn(targets) }
  return from === undefined ? timeline.base : targetOn(timeline, from)
}

/** Tells whether an assignment has the target that is given: as its base, on its day, or as the one that is shown today. */
export const hasTarget = (one: HeldLink, given: GivenTarget): boolean =>
  targetHeld(one, given) === given.target ||
  (given.from === undefined && withToday('assignment', one.record.stored ?? {})['user_target'] === given.target)

/** Returns an assignment that is changed or removed as a row, with the target that it gets. */
const changedRow = ({ user_id: user, id, user_target: from = null }: AnyRecord, to = from): AnyRecord => ({
  user_id: user ?? null,
  id: id ?? null,
  old_target: from,
  new_target: to,
})

/** Prints rows, in a table with the names of what they refer to. */
const printRows = async (cli: Cli, client: Client, of: Printable, rows: readonly AnyRecord[]): Promise<void> => {
  const { shown, records } = await nameRecords(client, of, rows, {}, cli.printing())
  await cli.printMany(shown, records)
}

/** Prints removed assignments, whose targets are gone. */
export const printRemoved = (cli: Cli, client: Client, removed: readonly AnyRecord[]): Promise<void> => {
  const rows = removed.map((one) => changedRow(one, null))
  return printRows(cli, client, plannedChange, rows)
}

const plannedRow = (snapshot: Snapshot, { command, values, datedTargets }: Asked, change: Change): AnyRecord => {
  const { kind, verb } = COMMANDS[command]
  const { above, stored = {} } = change.record
  if (kind === 'user_group_item') return { user_id: above['user']?.id ?? null, id: above['group_item']?.id ?? null }
  const [dated] = datedTargets ?? []
  if (verb === 'add') return { user_target: dated?.target ?? null, ...withToday(kind, sentFields(snapshot, change)) }
  if (dated) {
    const before = datedTargetOn(textIn(stored['targets']), dated.from)?.target ?? stored['user_target'] ?? null
    return changedRow({ ...stored, user_target: before }, dated.target)
  }
  return changedRow(stored, verb === 'remove' ? null : values?.['user_target'])
}

/** Returns the counts of what a line would do, and what they are of in words. */
const countPlanned = (
  { changes, list }: LinkPlan,
  { command }: Asked,
): { readonly noun: Noun; readonly counts: Counts } => {
  const { kind, verb } = COMMANDS[command]
  const noun = CALLED[kind]
  if (verb === 'remove') return { noun, counts: { removed: changes.length } }
  if (verb === 'update') {
    const unchanged = list.filter(({ action }) => action === 'unchanged').length
    return { noun, counts: { updated: changes.length, unchanged } }
  }
  const users = new Set(changes.map(({ record }) => record.above['user'])).size
  const [one, many] = noun.map((word) => `${word.replace(' of users', '')} of ${countOf(users, 'user')}`)
  return { noun: [one ?? '', many ?? ''], counts: { added: changes.length, users } }
}

/** Says what a line would do: how much, then its rows; then throws what is refused of it. */
const foresee = async ({ cli, client, flags }: LinkRun, asked: Asked, plan: LinkPlan): Promise<void> => {
  const { verb, rows: printed } = COMMANDS[asked.command]
  const listed = plan.list.filter(isListed)
  const failure = failureOfPlan(listed, `to ${verb}`)
  if (failure && listed.every(({ action }) => action === 'refuse')) throw failure
  const { noun, counts } = countPlanned(plan, asked)
  const counted = { what: toDoText(counts, noun), of: countsOf(asked.command), counts, summaryOnly: flags.summaryOnly }
  const rows = plan.changes.map((change) => plannedRow(plan.snapshot, asked, change))
  await printDryRun(cli, counted, () => printRows(cli, client, printed, rows))
  if (failure) throw failure
}

/** Asks what is to be asked before the first request that changes something. */
const confirm = async (
  { cli, flags: { yes } }: LinkRun,
  { changes }: LinkPlan,
  { question }: Particulars,
  targets: TargetHistory | undefined,
): Promise<void> => {
  if (question === undefined) return targets?.confirm(() => changes)
  if (!yes && cli.canAsk) await targets?.foresee(changes)
  const { requireConfirmation } = await import('../../args/prompt.ts')
  await requireConfirmation(cli, yes, question, true)
}

/**
 * Returns the links that are now as asked for, and those that were removed, as they were before (`held`); `own` are those
 * that an earlier part of the run made.
 */
const recordsOf = (
  held: ReadonlyMap<Planned, AnyRecord | undefined>,
  outcomes: readonly Outcome[],
  own: ReadonlySet<Planned>,
): MadeLinks => {
  const [records, unchanged]: [AnyRecord[], Set<AnyRecord>] = [[], new Set()]
  const sent = new Map(outcomes.map((one) => [one.change.record, one]))
  for (const [one, before] of held) {
    const { result, answer } = (one.record && sent.get(one.record)) ?? {}
    const isSame = one.action === 'unchanged' || result === 'unchanged'
    const held = isSame || result === 'done' ? (answer ?? one.record?.stored ?? before) : undefined
    if (!held) continue
    const record = withToday('assignment', held)
    records.push(record)
    if (isSame && !own.has(one)) unchanged.add(record)
  }
  return { records, unchanged }
}

/** Makes what a line asks for, with a record of the run, which the same line continues; then prints what was done. */
const makeLinks = async (
  run: LinkRun,
  asked: Asked,
  particulars: Particulars,
  targets: TargetHistory | undefined,
): Promise<void> => {
  const { cli, client, signal } = run
  const { command, users, known, values = {}, datedTargets } = asked
  const { tellAlready, requireSame, wayBack, print, entries, offer } = particulars
  const { kind, verb } = COMMANDS[command]
  const ids = [users, known].map((some) => some.map(({ id }) => id))
  await withRunRecord(
    cli,
    client,
    { command, content: [ids, values, ...(entries ? [entries.onto] : []), ...(datedTargets ? [datedTargets] : [])] },
    async ({ run: record, earlier, end }) => {
      const { doneBefore } = earlier
      if (doneBefore > 0) await cli.note(continuingText(record.head.beganAt, doneBefore, CALLED[kind], 'what'))
      const plan = await planAsked(run, asked, earlier)
      const own = new Set(plan.list.filter((one) => earlier.settle(one) !== undefined))
      await settleHeld(plan, particulars)
      await confirm(run, plan, particulars, targets)
      const items = plan.list.filter(isListed)
      const held = new Map(items.map((one) => [one, one.record?.stored]))
      const met: HeldLink[] = []
      const { outcomes, isWhole, failure } = await makeChanges(cli, {
        account: { client },
        snapshot: plan.snapshot,
        plan,
        list: { items, total: items.length },
        run: record,
        signal,
        before: async (change, noteEntries) => targets?.before(change, noteEntries),
        onOutcome: async ({ result, change }) => {
          const link = heldLink(change.record)
          if (result === 'skip') met.push(link)
          if (result === 'done' && verb === 'remove') await cli.note(`removed ${link.what} from ${link.user}`)
        },
      })
      if (isWhole && !failure) await entries?.put(record)
      if (isWhole) end()
      await targets?.tell(wayBack)
      const made = recordsOf(held, outcomes, own)
      if (verb !== 'remove' || (made.records.length > 0 && isPrintedAsData(cli))) await print(made)
      if (failure) throw failure
      // Another process has assigned them meanwhile.
      await requireSame?.(met, 'they were left as they are')
      await tellAlready?.(met)
      if (!entries) await offer?.(made)
    },
  )
}

/** Makes what a line asks for, or in a dry run says what that would do. */
export const runLinks = async (run: LinkRun, asked: Asked, particulars: Particulars): Promise<void> => {
  const { cli, client, signal, flags } = run
  const { kind } = COMMANDS[asked.command]
  const targets = kind === 'assignment' ? await openTargetHistory(cli, client, flags, signal) : undefined
  if (!flags.dryRun) return makeLinks(run, asked, particulars, targets)
  const plan = await planAsked(run, asked)
  await settleHeld(plan, particulars)
  await targets?.foresee(plan.changes)
  await foresee(run, asked, plan)
  await particulars.entries?.foresee()
}
