import { desiredLink, type LinkKind } from '../../../changes/from/links.ts'
import { type Plan, planChanges } from '../../../changes/plan/plan.ts'
import { readSnapshot } from '../../../changes/records/access.ts'
import type { Change } from '../../../changes/records/change.ts'
import type { Desired } from '../../../changes/records/desired.ts'
import { type Kind, kinds, sectionOf } from '../../../changes/records/kind-fields.ts'
import { type AccountRecord, labelOf, type Snapshot } from '../../../changes/records/snapshot.ts'
import type { EarlierChanges } from '../../../changes/send/continue-run.ts'
import type { Client } from '../../../client/client.ts'
import { pauseEvery } from '../../../client/next-turn.ts'
import { valueWord } from '../../../codec/cell-text.ts'
import { KpiError } from '../../../domain/errors.ts'
import { assignment } from '../../../domain/resources/assignment.ts'
import { userGroupItem } from '../../../domain/resources/groups.ts'
import { fullName, user } from '../../../domain/resources/user.ts'
import { type AnyRecord, asRecord, type FieldValue, printable } from '../../../domain/schema.ts'
import type { RunRecord } from '../../../runs/run-record.ts'
import { namedPlaces } from '../../args/names.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { CHANGED_FIELD, PLANNED, printDryRun, printPlan } from '../../output/plan.ts'
import type { Printed } from '../../output/printed.ts'
import { type Counts, dryRunCounts, printSummary, summary, toDoText } from '../../output/summary.ts'
import { learnAccount } from '../../target/service-of.ts'
import { makeChanges } from '../changes/make-changes.ts'
import { planRows } from '../changes/plan-rows.ts'
import { withRunRecord } from '../changes/recorded-run.ts'
import { startMeter } from '../entries/import/import-job.ts'
import { openTargetHistory } from '../targets/target-flags.ts'
import type { WayBack } from '../targets/target-history.ts'
import type { HandOverFlags } from './command.ts'

/** Defines a row of a hand-over: what is done to a field, or kept of the successor. */
const handOverRow = printable('hand_over_row', 'row of a hand-over', {
  action: { kind: 'text', about: 'create, update or delete; keep of what the successor has otherwise already' },
  section: { kind: 'text', about: 'assignments, user_group_items or users' },
  name: PLANNED.name,
  ...CHANGED_FIELD,
})

const COUNTED = ['added', 'removed', 'updated', 'skipped'] as const
const WHAT = 'Assignments, group items of users and users'

const handOverCounts = dryRunCounts('users_hand_over', WHAT, COUNTED)
const handOverSummary = summary('hand_over_summary', 'summary of a hand-over', WHAT, [...COUNTED, 'left'])

/** Lists what a hand-over may print. */
export const handOverPrints: readonly Printed[] = [
  { of: handOverSummary, isList: false },
  { of: handOverRow, isList: true },
  { of: handOverCounts, isList: false },
]

/** Names what a hand-over needs of the service: the newer interface has no assignments. */
const NEEDS = [
  { of: user, verb: 'list' },
  { of: assignment, verb: 'add' },
  { of: userGroupItem, verb: 'add' },
] as const

/** Describes who hands over to whom. */
type People = { readonly leaver: AccountRecord; readonly successor: AccountRecord }

/** Holds what a hand-over runs with. */
type HandOver = {
  readonly cli: Cli
  readonly client: Client
  readonly signal: AbortSignal
  readonly flags: HandOverFlags
  readonly ids: { readonly leaver: number; readonly successor: number }
}

/** Describes what the successor has already, and keeps: a field that differs, with its value and that of who leaves. */
type Kept = {
  readonly record: AccountRecord
  /** Holds the link of who leaves that it stands for. */
  readonly own: AccountRecord
  readonly differing: readonly AnyRecord[]
}

/** Describes a hand-over as it is planned. */
type Planned = People & { readonly snapshot: Snapshot; readonly plan: Plan; readonly kept: readonly Kept[] }

const LINKS = [
  { kind: 'assignment', of: 'kpi', fields: ['user_target', 'targets', 'sort_order'] },
  { kind: 'user_group_item', of: 'group_item', fields: [] },
] as const satisfies readonly { readonly kind: LinkKind; readonly of: string; readonly fields: readonly string[] }[]

/** Sets how many places an id has: for each kind of links one that is given, and one that is removed. */
const PLACES = 2 * LINKS.length

/** Holds the place of the lock, which no id has. */
const LOCK_PLACE = 1

/** Sets how many links are planned before signals and timers run. */
const LINKS_OF_TURN = 500

const idOf = ({ id = 0 }: AccountRecord): number => id

const nameOf = ({ stored, name }: AccountRecord): string => (stored ? fullName(asRecord(user, stored)) : '') || name

/** Returns the person with an id; throws where an earlier read has shown another account. */
const personIn = (snapshot: Snapshot, id: number): AccountRecord => {
  const found = snapshot.byId(['user'], id)
  if (!found) throw new KpiError('not_found', `there is no user ${id}`)
  return found
}

/** Refuses a successor who takes no KPIs. */
const requireActive = ({ successor }: People): void => {
  if (successor.stored?.['user_status_id'] !== 'L') return
  throw new KpiError(
    'conflict',
    `${nameOf(successor)} is locked, and can be nobody's successor; kpi users update ${idOf(successor)} --user-status active unlocks`,
  )
}

/** Returns a value of a record as a word; null where there is none. */
const wordOf = (kind: Kind, name: string, value: FieldValue): string | null => {
  const { field } = kind.fields.find((one) => one.as === name) ?? {}
  return field && value !== null ? valueWord(field, value) : null
}

const itemOf = ({ stored }: AccountRecord): string => String(stored?.['name'] ?? '')

/** Returns what the successor has of a link otherwise than who leaves. */
const differingFields = (
  { fields }: (typeof LINKS)[number],
  own: AccountRecord,
  theirs: AccountRecord,
): AnyRecord[] => {
  if (own.kind.name === 'user_group_item')
    return idOf(own) === idOf(theirs) ? [] : [{ field: 'group_item', old: itemOf(theirs), new: itemOf(own) }]
  return fields.flatMap((name) => {
    const [kept, left] = [theirs.stored?.[name] ?? null, own.stored?.[name] ?? null]
    const text = (value: FieldValue): string | null => wordOf(own.kind, name, value)
    // Places on a screen say nothing about what is expected of somebody.
    return kept === left || name === 'sort_order' ? [] : [{ field: name, old: text(kept), new: text(left) }]
  })
}

/** Returns what is asked for: each link of who leaves given to the successor, and removed; and the lock. */
const desiredOf = (
  { flags }: HandOver,
  snapshot: Snapshot,
  { leaver, successor }: People,
  run: { readonly earlier?: EarlierChanges; readonly record?: RunRecord },
): { readonly desired: readonly Desired[]; readonly kept: readonly Kept[] } => {
  const [desired, kept]: [Desired[], Kept[]] = [[], []]
  for (const [at, link] of LINKS.entries()) {
    const { kind, of, fields } = link
    const ofPerson = (person: AccountRecord): Map<number, AccountRecord> =>
      new Map(
        snapshot
          .ofKind(kind)
          .flatMap((one) => (one.stored && one.above['user'] === person ? [[idOf(one.above[of] ?? one), one]] : [])),
      )
    const [own, theirs] = [ofPerson(leaver), ofPerson(successor)]
    const placeOf = (id: number, isRemoved: boolean): number => PLACES * id + 2 * at + Number(isRemoved)
    const givenOf = (id: number, values = {}): Desired =>
      desiredLink(kind, { user: idOf(successor), id }, placeOf(id, false), values)
    // Keep the successor's own item of a group, so that no value counts in two; leave out what the run itself gave before.
    const ofGroup = new Map(
      [...theirs].flatMap(([id, one]) =>
        kind === 'assignment' || run.earlier?.isOurs(givenOf(id)) ? [] : [[one.stored?.['group_id'], one]],
      ),
    )
    for (const [id, record] of own) {
      const values = Object.fromEntries(fields.map((name) => [name, record.stored?.[name] ?? null]))
      const given = givenOf(id, values)
      const held = theirs.get(id) ?? ofGroup.get(record.stored?.['group_id'])
      // Give again what the run may have given before it was stopped.
      if (!held || run.earlier?.isOurs(given)) desired.push(given)
      else kept.push({ record: held, own: record, differing: differingFields(link, record, held) })
    }
    // Go on with removals of the run before it was stopped: their links may be gone, or not.
    const removing = (run.record?.changes() ?? []).flatMap(({ action, kind: name, outcome, place }) =>
      action === 'delete' && name === kind && outcome === undefined ? [Math.floor(place / PLACES)] : [],
    )
    if (flags.keep) continue
    for (const id of new Set([...own.keys(), ...removing]))
      desired.push({ ...desiredLink(kind, { user: idOf(leaver), id }, placeOf(id, true)), isAbsent: true })
  }
  if (flags.lockLeaver)
    desired.push({
      kind: kinds.user,
      line: LOCK_PLACE,
      id: idOf(leaver),
      isById: true,
      values: { user_status: 'L' },
      references: {},
    })
  return { desired, kept }
}

/** Plans a hand-over by what the account has now. */
const planHandOver = async (
  work: HandOver,
  run: { readonly earlier?: EarlierChanges; readonly record?: RunRecord } = {},
): Promise<Planned> => {
  const { client, ids, signal } = work
  const whose = new Set([ids.leaver, ids.successor])
  const snapshot = await readSnapshot({ client }, ['user', 'assignment', 'user_group_item'], ({ id }) =>
    whose.has(Number(id)),
  )
  const people = { leaver: personIn(snapshot, ids.leaver), successor: personIn(snapshot, ids.successor) }
  requireActive(people)
  const { desired, kept } = desiredOf(work, snapshot, people, run)
  const policy = { isMeant: () => true, takesName: () => '', ...(run.earlier && { isOurs: run.earlier.isOurs }) }
  const plan = await planChanges(snapshot, desired, policy, pauseEvery(LINKS_OF_TURN, signal))
  return { ...people, snapshot, plan, kept }
}

/** Counts changes by what is done, beside what the successor has already. */
const countDone = (changes: readonly Change[], kept: number): Counts => {
  const count = (wanted: Change['action']): number => changes.filter(({ action }) => action === wanted).length
  return { added: count('create'), removed: count('delete'), updated: count('update'), skipped: kept }
}

/** Returns the rows of a hand-over: what is done, and what the successor has otherwise and keeps. */
const rowsOf = ({ snapshot, plan, kept }: Planned): AnyRecord[] => [
  ...planRows(snapshot, plan.changes),
  ...kept.flatMap(({ record, differing }) =>
    differing.map((field) => ({
      action: 'keep',
      section: sectionOf(record.kind.name),
      name: labelOf(record),
      ...field,
    })),
  ),
]

/** Says what a hand-over would do: `Ann Lee to Bob Ray: 3 to add, 3 to remove`. */
const sayPlan = ({ leaver, successor, plan, kept }: Planned): string => {
  const counts = Object.entries(countDone(plan.changes, kept.length)).filter(([, count]) => count > 0)
  const words = {
    updated: 'to lock',
    skipped: `that ${nameOf(successor)} has already${kept.some(({ differing }) => differing.length > 0) ? ', or otherwise' : ''}`,
  }
  const text = toDoText(Object.fromEntries(counts), undefined, words)
  return `${nameOf(leaver)} to ${nameOf(successor)}: ${text === '' ? 'nothing to hand over' : text}`
}

/** Returns the target of an assignment as a sentence says it: `90, 60 from 2027-01-01`. */
const targetTextOf = ({ kind, stored }: AccountRecord): string => {
  const texts = ['user_target', 'targets'].map((name) => wordOf(kind, name, stored?.[name] ?? null))
  return texts.filter((text) => text !== null).join(', ') || 'that of the KPI'
}

/** Says in notes what the successor keeps where who leaves has it otherwise. */
const tellKept = async ({ note }: Cli, { leaver, successor, kept }: Planned): Promise<void> => {
  for (const { record, own, differing } of kept) {
    if (differing.length === 0) continue
    const what = labelOf(record.above['kpi'] ?? record.above['group_item'] ?? record)
    const [whose, from] = [nameOf(successor), nameOf(leaver)]
    await note(
      record.kind.name === 'assignment'
        ? `${whose} keeps the target of ${what}: ${targetTextOf(record)}, where ${from} has ${targetTextOf(own)}`
        : `${whose} keeps ${what} alone of its group, where ${from} has ${itemOf(own)}`,
    )
  }
}

/** Asks before anything is sent. */
const confirm = async ({ cli, flags }: HandOver, { leaver, successor, plan }: Planned): Promise<void> => {
  if (plan.changes.length === 0) return
  const { requireConfirmation } = await import('../../args/prompt.ts')
  await requireConfirmation(cli, flags.yes, `hand over from ${nameOf(leaver)} to ${nameOf(successor)}`, true)
}

/** Returns how past reports become what they were: the target of an assignment that is gone cannot be set. */
const wayBack: WayBack = (old) =>
  `to keep past reports ${old === undefined ? 'as they were' : `at ${old}`}, take it back with kpi undo, and hand over with --keep-history`

/** Makes a hand-over, with a record of the run, which the same line continues. */
const makeHandOver = async (work: HandOver): Promise<void> => {
  const { cli, client, signal, flags, ids } = work
  const { keep, lockLeaver } = flags
  const measure = startMeter(cli.io, client)
  const asked = { command: 'users hand-over', content: [ids, keep === true, lockLeaver === true] }
  await withRunRecord(cli, client, asked, async ({ run, earlier, end }) => {
    const planned = await planHandOver(work, { earlier, record: run })
    const { snapshot, plan, kept } = planned
    for (const one of plan.planned) earlier.settle(one)
    await cli.note(sayPlan(planned))
    await tellKept(cli, planned)
    const { changes } = plan
    const history = await openTargetHistory(cli, client, flags, signal)
    await history.requireKeepable(changes)
    if (changes.length > 0 && !flags.yes && cli.canAsk) {
      await printPlan(cli, handOverRow, [rowsOf(planned)])
      await history.foresee(changes)
    }
    await confirm(work, planned)
    const { done, left, isWhole, failure } = await makeChanges(cli, {
      account: { client },
      snapshot,
      plan,
      run,
      signal,
      before: (change, noteEntries) => history.before(change, noteEntries),
    })
    if (isWhole) end()
    await history.tell(wayBack)
    const counted = { ...countDone(done, kept.length), left, ...measure(), receipt: run.receipt }
    await printSummary(cli, handOverSummary, counted, failure ? 'stopped' : 'handed over')
    if (failure) throw failure
  })
}

/** Shows what a hand-over would do, of which nothing is sent. */
const foreseeHandOver = async (work: HandOver): Promise<void> => {
  const { cli, client, flags, signal } = work
  const planned = await planHandOver(work)
  const { plan, kept } = planned
  await tellKept(cli, planned)
  await (await openTargetHistory(cli, client, flags, signal)).foresee(plan.changes)
  const counts = countDone(plan.changes, kept.length)
  const counted = { what: sayPlan(planned), of: handOverCounts, counts, summaryOnly: flags.summaryOnly }
  await printDryRun(cli, counted, () => printPlan(cli, handOverRow, [rowsOf(planned)]))
}

/** Runs `kpi users hand-over`: gives what a user has to a successor. */
export const runHandOver = (cli: Cli, leaver: string, flags: HandOverFlags): Promise<void> =>
  cli.withClient(
    NEEDS,
    async (client, signal) => {
      const found = await namedPlaces(client, user, [leaver, flags.to], { parent: undefined, idAt: () => undefined })
      const [from = NaN, to = NaN] = found.map(({ id }) => id)
      if (from === to) throw new UsageError(`--to ${flags.to} is the same user; name the successor`)
      await learnAccount(client)
      const work = { cli, client, signal, flags, ids: { leaver: from, successor: to } }
      await (flags.dryRun ? foreseeHandOver(work) : makeHandOver(work))
    },
    { signal: cli.io.interruption() },
  )
