import { desiredLink, type LinkKind, linkPolicy, readLinks } from '../../../changes/from/links.ts'
import { type Plan, planChanges, type Planned } from '../../../changes/plan/plan.ts'
import type { Policy } from '../../../changes/plan/policy.ts'
import type { Change } from '../../../changes/records/change.ts'
import type { Desired } from '../../../changes/records/desired.ts'
import type { AccountRecord, Snapshot } from '../../../changes/records/snapshot.ts'
import type { EarlierChanges } from '../../../changes/send/continue-run.ts'
import type { Outcome } from '../../../changes/send/send.ts'
import type { Client } from '../../../client/client.ts'
import type { Named } from '../../../client/directory.ts'
import { pauseEvery } from '../../../client/next-turn.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import type { Cli } from '../../cli.ts'
import { makeChanges } from '../changes/make-changes.ts'
import { withRunRecord } from '../changes/recorded-run.ts'
import type { ChangedTargets } from '../targets/target-changes.ts'
import type { WayBack } from '../targets/target-history.ts'

/** Holds users, and the KPIs or group items that each of them gets, keeps or loses. */
export type SelectedLinks = {
  readonly kind: LinkKind
  readonly users: readonly Named[]
  readonly known: readonly Named[]
}

/** Describes what a line asks for: the values of links, or that they are not there. */
type Asked = SelectedLinks & {
  readonly command: string
  readonly values?: AnyRecord
  readonly isAbsent?: true
  readonly policy?: Pick<Policy, 'existing' | 'onlyExisting'>
}

/** Describes the plan of a line, with each of its links in order, but those that an earlier part of the run has settled. */
export type LinkPlan = {
  readonly snapshot: Snapshot
  readonly list: readonly Planned[]
  readonly again: Plan['again']
}

/** Sets how many links are planned before signals and timers run. */
const LINKS_OF_TURN = 500

/** Plans the links that a command asks for, without those that an earlier part of its run has settled. */
export const planAsked = async (
  client: Client,
  { kind, users, known, values, isAbsent, policy }: Asked,
  signal: AbortSignal,
  earlier?: EarlierChanges,
): Promise<LinkPlan> => {
  const pairs = users.flatMap(({ id: user }) => known.map(({ id }) => ({ user, id })))
  const all = pairs.map((pair, at): Desired => ({
    ...desiredLink(kind, pair, at + 1, values),
    ...(isAbsent && { isAbsent }),
  }))
  // Send again what was refused: the service may accept it now.
  const isOpen = ({ line }: Desired): boolean =>
    earlier?.settledAt(line).every(({ outcome }) => outcome === 'refused') ?? true
  const open = all.filter(isOpen)
  const whose = new Set(open.map(({ references }) => references['user']))
  const asked = linkPolicy({ ...policy, ...(earlier && { isOurs: earlier.isOurs }) })
  const own = users.filter(({ id }) => whose.has(`#${id}`))
  const snapshot = await readLinks({ client }, kind, own, known)
  const { planned, again } = await planChanges(snapshot, open, asked, pauseEvery(LINKS_OF_TURN, signal))
  return { snapshot, list: planned, again }
}

/** Returns the changes of a plan in the order of its list. */
export const changesOf = ({ list }: LinkPlan): readonly Change[] => list.flatMap(({ changes }) => changes)

/** Returns what a linked user, or what the user is linked to, is called. */
const calledIn = ({ above }: AccountRecord, field: 'user' | 'kpi' | 'group_item'): string => {
  const { id, stored } = above[field] ?? {}
  return String(stored?.['name'] || `#${id}`)
}

/** Returns what a link is of: the name of the user, and that of what the user is given. */
export const namesOfLink = (record: AccountRecord): { readonly user: string; readonly what: string } => ({
  user: calledIn(record, 'user'),
  what: calledIn(record, 'kpi' in record.above ? 'kpi' : 'group_item'),
})

/** Holds what a line runs with. */
export type LinkRun = { readonly cli: Cli; readonly client: Client; readonly signal: AbortSignal }

/** Describes what became of the links of a line: the records that were sent or need no change, and why others were not. */
export type MadeLinks = {
  readonly records: readonly AnyRecord[]
  readonly unchanged: ReadonlySet<AnyRecord>
  readonly failure: Error | undefined
}

/** Holds how the links of a line are made. */
type MakingLinks = {
  readonly targets?: ChangedTargets
  readonly wayBack?: WayBack
  /** Does what must be done before the first request; throws where nothing is to be sent. */
  readonly confirm?: (plan: LinkPlan) => Promise<void>
  /** Tells which are listed, and told by their places in errors; all of them by default. */
  readonly isListed?: (planned: Planned) => boolean
  readonly onOutcome?: (outcome: Outcome) => Promise<void>
  readonly print: (made: MadeLinks) => Promise<void>
}

const CALLED = {
  assignment: ['assignment', 'assignments'],
  user_group_item: ['group item of users', 'group items of users'],
} as const

/**
 * Returns the links that are now as asked for, and those that were removed, as they were before (`held`); `own` are those
 * that an earlier part of the run made.
 */
const recordsOf = (
  list: readonly Planned[],
  outcomes: readonly Outcome[],
  own: ReadonlySet<Planned>,
  held: ReadonlyMap<Planned, AnyRecord | undefined>,
): Omit<MadeLinks, 'failure'> => {
  const [records, unchanged]: [AnyRecord[], Set<AnyRecord>] = [[], new Set()]
  const sent = new Map(outcomes.map((one) => [one.change.record, one]))
  for (const one of list) {
    const { result, answer } = (one.record && sent.get(one.record)) ?? {}
    const isSame = one.action === 'unchanged' || result === 'unchanged'
    const record = isSame || result === 'done' ? (answer ?? one.record?.stored ?? held.get(one)) : undefined
    if (!record) continue
    records.push(record)
    if (isSame && !own.has(one)) unchanged.add(record)
  }
  return { records, unchanged }
}

/** Makes what a line asks for, with a record of the run, which the same line continues; then prints what was done. */
export const makeLinks = async (
  { cli, client, signal }: LinkRun,
  asked: Asked,
  { targets, wayBack, confirm, isListed = () => true, onOutcome, print }: MakingLinks,
): Promise<void> => {
  const { kind, users, known, values = {}, command } = asked
  const ids = [users, known].map((some) => some.map(({ id }) => id))
  const begun = { command, source: '', content: [ids, values], called: CALLED[kind] }
  await withRunRecord(cli, client, begun, async (run, earlier, end) => {
    const plan = await planAsked(client, asked, signal, earlier)
    const own = new Set(plan.list.filter((one) => earlier.settle(one) !== undefined))
    await confirm?.(plan)
    const list = plan.list.filter(isListed)
    const held = new Map(list.map((one) => [one, one.record?.stored]))
    const { outcomes, isWhole, failure } = await makeChanges(cli, {
      account: { client },
      snapshot: plan.snapshot,
      plan: { changes: changesOf(plan), again: plan.again },
      list: { items: list, total: list.length },
      run,
      signal,
      before: async (change, noteEntries) => targets?.before(change, noteEntries),
      onOutcome,
    })
    if (isWhole) end()
    await targets?.tell(wayBack)
    await print({ ...recordsOf(list, outcomes, own, held), failure })
  })
}
