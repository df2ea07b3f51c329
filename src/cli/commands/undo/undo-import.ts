import type { CreatedRecord } from '../../../domain/kinds.ts'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  type Clients,
  GONE,
  judgeCreatedRecords,
  type RemovalOutcome,
  takeBack,
  type Undoing,
} from '../../../changes/send/remove-created.ts'
import { idNow, madeAgain } from '../../../changes/undo/plan-undo.ts'
import type { Capability } from '../../../client/capabilities.ts'
import type { Client } from '../../../client/client.ts'
import { readIfAllowed } from '../../../client/operations/read-if-allowed.ts'
import { Aborted, mayBeDone } from '../../../client/transport.ts'
import { nounOf } from '../../../domain/count-text.ts'
import { KpiError } from '../../../domain/errors.ts'
import { breakdownItem } from '../../../domain/resources/breakdowns.ts'
import { BATCH_LIMIT, entry } from '../../../domain/resources/entry.ts'
import { KEPT_DAYS } from '../../../domain/resources/entry-run.ts'
import { kpi } from '../../../domain/resources/kpi.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { requestsText } from '../../../loading/requests-text.ts'
import { requireWhole } from '../../../runs/entries/receipt-changes.ts'
import { listUndoReceipts, markTakenBack, type UndoReceipt } from '../../../runs/entries/receipt.ts'
import { leftOfKept, planKept, undoKept } from '../../../loading/undo/undo-kept.ts'
import { createUndoRest, findStoredAnew, laterImportsOf, type UndoRest } from '../../../loading/undo/undo-rest.ts'
import { type KeptPart, keptParts, runOf, type UndoneRun } from '../../../loading/undo/undone-run.ts'
import { requireConfirmation } from '../../args/prompt.ts'
import { type Cli, PACED } from '../../cli.ts'
import { EXIT, IncompleteRun, type ExitCode } from '../../exit.ts'
import { printDryRunCounts, printPlan } from '../../output/plan.ts'
import { countOf, shellWord } from '../../output/text.ts'
import { receiptsFolder } from '../../target/folders.ts'
import { changesOfUndos } from '../../target/runs.ts'
import { withClassic, undoLine } from '../../target/service-of.ts'
import { isCutOff } from '../changes/list-errors.ts'
import { EntryCounts, entryRecords, planEntries, undoEntries } from './undo-entries.ts'
import {
  type Counts,
  ofOtherAccount,
  outcomeRow,
  restText,
  tellDone,
  tellDryRun,
  tellTakenBack,
  undoCounts,
  type UndoFlags,
} from './undo-outcome.ts'

/** Describes what is planned with a run that the service keeps: how many entries it is of, and in how many batches. */
type KeptPlan = KeptPart & { readonly entries: number; readonly batches: number; readonly isLost: boolean }

/** Holds what is planned, or done: what becomes of entries, and of things. */
type Plan = {
  readonly counts: EntryCounts
  readonly outcomes: readonly RemovalOutcome[]
  readonly kept: readonly KeptPlan[]
}

/** Tells whether something that was created is removed. */
const isRemoved = ({ left }: RemovalOutcome): boolean => left === undefined

/** Returns the KPIs that are removed with all of their entries. */
const removedKpis = (outcomes: readonly RemovalOutcome[]): Set<number> =>
  new Set(outcomes.flatMap((outcome) => (isRemoved(outcome) && outcome.thing.kind === 'kpi' ? [outcome.thing.id] : [])))

/** Counts what becomes of entries and things. */
const countsIn = ({ counts, outcomes }: Plan): Counts => {
  const things = outcomes.filter(isRemoved).length
  const gone = outcomes.filter(({ left }) => left === GONE).length
  return {
    restored: counts.of('restore'),
    removed: counts.of('remove'),
    things,
    unchanged: counts.of('done') + gone,
    skipped: counts.of('leave') + outcomes.length - things - gone,
  }
}

const changed = (counts: EntryCounts): number => counts.of('restore') + counts.of('remove')

/** Says what becomes of entries and things, with the words for putting back and removing; empty if nothing does. */
const sayWhat = (plan: Plan, [restore, remove]: readonly [string, string]): string => {
  const { restored, removed, things } = countsIn(plan)
  const isWithEntries = plan.outcomes.some((outcome) => isRemoved(outcome) && outcome.entries > 0)
  return [
    ...(restored > 0 ? [`${restore} ${countOf(restored, 'entry', 'entries')}`] : []),
    ...(removed > 0 ? [`${remove} ${countOf(removed, 'entry', 'entries')}`] : []),
    ...(things > 0 ? [`${remove} ${countOf(things, 'thing')}${isWithEntries ? ' and the entries of them' : ''}`] : []),
  ].join(' and ')
}

const [WILL, DID] = [['put back', 'remove'] as const, ['put back', 'removed'] as const]

/** Sets how often it is told how far an undo is. */
const EVERY_MS = 30_000

/** Sets how many requests are made without a word beforehand. */
const FEW_REQUESTS = 10

/**
 * Returns how many requests an undo takes: one a batch that the service keeps; else entries are put back together where the
 * service takes that.
 */
const requestsOf = (client: Client, { counts, kept }: Pick<Plan, 'counts' | 'kept'>): number => {
  if (kept.length > 0) return kept.reduce((sum, { batches }) => sum + batches, 0)
  return (
    counts.of('remove') + (client.isBundled() ? Math.ceil(counts.of('restore') / BATCH_LIMIT) : counts.of('restore'))
  )
}

/** Returns the requests that an undo takes, and how long that will be; undefined where they cost nothing. */
const undoCost = (client: Client, plan: Plan): string | undefined => {
  const requests = requestsOf(client, plan)
  return client.isInProcess || requests <= FEW_REQUESTS ? undefined : requestsText(requests, client)
}

/** Creates what tells from time to time how many entries of a plan are done. */
const createUndoProgress = ({ io, log }: Cli, plan: EntryCounts): ((counts: EntryCounts) => Promise<void>) => {
  const total = countOf(changed(plan), 'entry', 'entries')
  let toldAt = io.uptime()
  return async (counts) => {
    if (io.uptime() - toldAt < EVERY_MS) return
    toldAt = io.uptime()
    await log.note(`${changed(counts)} of ${total} ${nounOf(changed(counts), 'is', 'are')} taken back`)
  }
}

/** Holds what is done so far, and the entries that are left alone. */
type Done = {
  readonly counts: EntryCounts
  readonly outcomes: RemovalOutcome[]
  /** Counts the entries that were removed of a thing that is still there, because the import did not create them. */
  others: number
  readonly rest: UndoRest
  readonly kept: readonly KeptPlan[]
  /** Holds the runs that have written since what is left alone. */
  readonly heldBy: Set<string>
  /** Holds why entries were left alone that this key may not read. */
  readonly unlisted: Set<string>
}

/** Says how much of a plan is not done, and how to go on. */
const leftText = (plan: Plan, done: Plan): string => {
  const entries = changed(plan.counts) - changed(done.counts)
  const things = plan.outcomes.slice(done.outcomes.length).filter(isRemoved).length
  const left = [
    ...(entries > 0 ? [countOf(entries, 'entry', 'entries')] : []),
    ...(things > 0 ? [countOf(things, 'thing')] : []),
  ]
  return `${left.length > 0 ? `${left.join(' and ')} left; ` : ''}run the same command to continue`
}

/** Returns the error of an undo that was cut off: it says what was done, what is left, and how to continue. */
const cutOff = (error: Error, plan: Plan, done: Done): Error => {
  const others = done.others > 0 ? `removed ${countOf(done.others, 'other entry', 'other entries')}` : ''
  const said = [sayWhat(done, DID), others].filter((part) => part !== '').join(' and ')
  const left = leftText(plan, done)
  if (!isCutOff(error)) {
    return error instanceof KpiError && said !== ''
      ? new KpiError(error.code, `${error.message}; ${said}; ${left}`, { cause: error })
      : error
  }
  const unsure = mayBeDone(error) ? `it is not known whether ${said === '' ? 'anything' : 'more'} was changed` : ''
  if (said !== '') {
    const parts = [said, unsure, left].filter((part) => part !== '')
    return new IncompleteRun(EXIT.workLeft, 'work_left', [error.message, parts.join('; ')])
  }
  if (!(error instanceof Aborted)) return error
  const known = unsure === '' ? 'nothing was changed' : unsure
  return new Aborted(`${error.message}; ${known}${restText(countsIn(done))}; ${left}`, {
    mayBeDone: error.mayBeDone,
    cause: error,
  })
}

/** Waits for work that an undo does before it changes anything; the error of work that was stopped says so. */
const beforeChanges = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    if (!(error instanceof Aborted)) throw error
    throw new Aborted(`${error.message}; nothing was changed; run the same command again`, { cause: error })
  })

/** Refuses a receipt of another account; what is known of an account is sure once the service has answered. */
const requireAccount = async (client: Client, { head }: UndoReceipt): Promise<void> => {
  // A refusal to a key that may only write tells the account as well.
  if (!client.identifyAccount().isSure) await readIfAllowed(client, client.kpis.list())
  const { for: account } = client.identifyAccount()
  if (head.account === undefined || head.account === account) return
  throw ofOtherAccount(head.account, account)
}

/**
 * Refuses an undo while the folder of the run's journal is away, as a share that is not mounted is: the journal would say
 * later that what was taken back is stored.
 */
const requireJournalFolder = (journal: string): void => {
  const folder = dirname(journal)
  if (existsSync(folder)) return
  throw new KpiError(
    'unusable',
    `the folder of the import's journal is not there: ${folder}; mount it, or if it is gone for good, make it with: mkdir -p ${shellWord(folder)}`,
  )
}

/**
 * Takes back what can be, while no run of the import goes on. `work` calls its argument before it changes anything: from
 * then on, the journal of a run that was stopped does not hold what is stored.
 */
const undoAlone = async (
  { journal }: Pick<UndoneRun, 'journal'>,
  work: (onChange: () => void) => Promise<ExitCode>,
): Promise<ExitCode> => {
  if (journal !== undefined) requireJournalFolder(journal)
  if (journal === undefined || !existsSync(journal)) return work(() => undefined)
  const { holdForUndo } = await import('../../../runs/entries/open-journal.ts')
  const held = holdForUndo(journal)
  let isAll = false
  try {
    const code = await work(held.noteTakenBack)
    isAll = code === EXIT.done
    return code
  } finally {
    held.end(isAll)
  }
}

/** Says that a run was cut off and continued, so that it has several receipts, which are taken back together. */
const tellParts = async (cli: Cli, { head, parts }: UndoneRun): Promise<void> => {
  if (parts.length === 1) return
  const names = parts.map(({ name }) => name).join(', ')
  await cli.note(`the import of ${head.file} was continued, and has ${parts.length} receipts: ${names}`)
}

/** Says which runs the service does not keep any more, so that their entries stay; tells whether that is so. */
const tellLost = async (cli: Cli, { kept }: Pick<Plan, 'kept'>): Promise<boolean> => {
  const lost = kept.filter(({ isLost, part }) => isLost && part.entries !== undefined)
  for (const { part } of lost)
    await cli.note(
      `the service does not keep any more what the import of receipt ${part.name} replaced, so its entries stay: that is kept for ${KEPT_DAYS} days, and only so much of it`,
    )
  return lost.length > 0
}

/** Says why some of what a run stored may not be in its receipts, and stays; tells whether that is so. */
const tellLeftOut = async (cli: Cli, { parts }: UndoneRun): Promise<boolean> => {
  const part = parts.find(({ leftOut }) => leftOut !== undefined)
  if (part)
    await cli.note(
      `some of what the import stored may not be in receipt ${part.name}; such entries stay: ${part.leftOut}`,
    )
  return part !== undefined
}

/** Sets how many later imports are named at a time. */
const MOST_NAMED = 3

/** Names the later imports that stored what was not changed, if any did; once these are taken back, it can be. */
const tellLater = async (cli: Cli, run: UndoneRun, { rest: { keys }, heldBy }: Done): Promise<boolean> => {
  const { receipts } = listUndoReceipts(receiptsFolder(cli.io))
  const later = await laterImportsOf(run, keys(), heldBy, receipts)
  if (later.length === 0) return false
  const named = later.slice(0, MOST_NAMED).map(({ name }) => undoLine(cli.flags, 'entries undo', name))
  const by = later.length === 1 ? 'a later import' : `${later.length} later imports`
  const others = later.length - named.length
  const rest = others > 0 ? `, which names the other ${others === 1 ? 'one' : others}` : ''
  await cli.note(
    `some of these entries were stored by ${by}, too; to take back all of them: ${named.join(', then ')}, then this command again${rest}`,
  )
  return true
}

const outcomeRecord = ({ thing: { kind, id, name }, entries, left }: RemovalOutcome): AnyRecord => ({
  action: left === undefined ? 'remove' : 'leave',
  kind,
  id,
  name,
  entries,
  reason: left ?? null,
  change: null,
})

/** Returns what the clients need: only the newer interface shows breakdown items and their entries. */
const needsOf = ({ things, unsure }: UndoneRun): Capability[] => [
  { of: kpi, verb: 'remove' },
  { of: entry, verb: 'remove' },
  ...([...things, ...unsure].some(({ kind }) => kind === 'item')
    ? [{ of: breakdownItem, verb: 'remove' } as const]
    : []),
]

type Records = AsyncGenerator<readonly AnyRecord[]>

/** Holds how an undo is planned: whether entries go with things, and whether each entry is to be listed. */
type Planning = { readonly withEntries: boolean; readonly isListed: boolean; readonly signal: AbortSignal }

/** Plans what becomes of entries and things, and yields a record of each; returns the plan. */
async function* planned(
  clients: Clients,
  run: UndoneRun,
  { withEntries, isListed, signal }: Planning,
): AsyncGenerator<readonly AnyRecord[], Plan> {
  const counts = new EntryCounts()
  const recordsOf = entryRecords(clients.client)
  const kept: KeptPlan[] = []
  // List entries for these as well, since records stay that other entries refer to.
  const hasThings = run.things.length + run.unsure.length > 0
  for (const one of keptParts(run)) {
    let [entries, batches, isLost] = [0, 0, false]
    for await (const batch of planKept(clients.client, one, isListed || hasThings, signal)) {
      const { restored, removed, unchanged, left } = batch
      counts.addKept(batch)
      entries += restored + removed + unchanged + left
      batches += 1
      isLost ||= batch.isLost === true
      yield await recordsOf(batch.outcomes)
    }
    kept.push({ ...one, entries, batches, isLost })
  }
  for await (const some of planEntries(clients.client, run)) {
    for (const outcome of some) counts.add(outcome)
    yield await recordsOf(some)
  }
  const outcomes = await judgeCreatedRecords(clients, {
    ...run,
    withEntries,
    removedOf: (thing) => counts.removedOf(thing),
  })
  yield outcomes.map(outcomeRecord)
  return { counts, outcomes, kept }
}

/** Takes back what the service keeps of runs, and counts it; yields a record of each entry that is left alone. */
async function* undoneRuns(client: Client, { counts, rest, kept, heldBy, unlisted }: Done, undoing: Undoing): Records {
  const recordsOf = entryRecords(client)
  for (const run of kept) {
    const { part } = run
    let isLeft = false
    const reasons = new Set<string>()
    for await (const batch of undoKept(client, run, undoing)) {
      counts.addKept(batch)
      rest.count(part, batch.restored + batch.removed + batch.unchanged, batch.left)
      rest.progress()
      for (const other of batch.heldBy) heldBy.add(other)
      isLeft ||= batch.left > 0
      if (batch.reasons !== null) reasons.add(batch.reasons)
      yield []
    }
    if (!isLeft) continue
    let isListed = false
    for await (const some of leftOfKept(client, run)) {
      isListed = true
      for (const { change } of some) rest.meet(change)
      yield await recordsOf(some)
    }
    if (!isListed) for (const one of reasons) unlisted.add(one)
  }
}

/** Takes back the entries of some KPIs and counts them; yields a record of each that is left alone. */
async function* undoneEntries(
  client: Client,
  run: UndoneRun,
  { counts, rest }: Done,
  isWanted: (kpi: number) => boolean,
  undoing: Undoing,
): Records {
  const recordsOf = entryRecords(client)
  for await (const some of undoEntries(client, run, rest, isWanted, undoing)) {
    for (const outcome of some) counts.add(outcome)
    yield await recordsOf(some.filter(({ action }) => action === 'leave'))
  }
}

/**
 * Takes back entries, which it counts, then things; yields a record of each that is left alone, and of each thing. Entries
 * of a KPI go with it, or one by one if the service does not remove it.
 */
async function* undone(
  { client, classic }: Clients,
  run: UndoneRun,
  plan: Plan,
  done: Done,
  undoing: Undoing & { readonly withEntries: boolean },
): AsyncGenerator<readonly AnyRecord[], Plan> {
  const removed = removedKpis(plan.outcomes)
  const { counts, outcomes } = done
  yield* undoneRuns(client, done, undoing)
  yield* undoneEntries(client, run, done, (kpi) => !removed.has(kpi), undoing)
  let othersOfKept = 0
  const onEntry = (): void => void (done.others += 1)
  for await (const outcome of takeBack({ client, classic }, plan.outcomes, { ...undoing, onEntry })) {
    outcomes.push(outcome)
    if (isRemoved(outcome)) done.others = othersOfKept
    else othersOfKept = done.others
    const { kind, id } = outcome.thing
    const isWithEntries = kind === 'kpi' && removed.has(id)
    if (isWithEntries && isRemoved(outcome)) counts.addWithKpi(id, plan.counts)
    yield [outcomeRecord(outcome)]
    if (isWithEntries && !isRemoved(outcome)) yield* undoneEntries(client, run, done, (kpi) => kpi === id, undoing)
  }
  return done
}

/** Runs through records, prints them where that is wanted, and calls a function behind each; returns what they come to. */
const runThrough = async (
  cli: Cli,
  records: AsyncGenerator<readonly AnyRecord[], Plan>,
  isPrinted: boolean,
  onRecords: () => Promise<void> = () => Promise.resolve(),
): Promise<Plan> => {
  let plan: Plan | undefined
  async function* rows(): Records {
    for (let next = await records.next(); ; next = await records.next()) {
      if (next.done === true) return void (plan = next.value)
      cli.io.limitMemory()
      await onRecords()
      yield next.value
    }
  }
  if (isPrinted) await printPlan(cli, outcomeRow, rows())
  else for await (const _ of rows());
  if (!plan) throw new Error('the output ended before the work did')
  return plan
}

/** Says how a run that changed things ended, and notes it in its receipts; returns 3 if something was left alone. */
const conclude = async (cli: Cli, run: UndoneRun, done: Done): Promise<ExitCode> => {
  const said = sayWhat(done, DID)
  const counts = countsIn(done)
  await tellDone(cli, said, counts)
  if (done.unlisted.size > 0)
    await cli.note(
      `left alone: ${[...done.unlisted].join('; ')}; a key that may read entries (entries:read) is shown which, by the same command`,
    )
  if (counts.skipped > 0) done.rest.keep()
  const isOfLater = await tellLater(cli, run, done)
  const isLost = await tellLost(cli, done)
  if ((await tellLeftOut(cli, run)) || isLost || counts.skipped > 0) return EXIT.partial
  // Keep a receipt open of which nothing was left to take back: the service may hide the entries at this moment.
  const hasBegun = said !== '' || run.parts.some(({ begun, left }) => begun !== undefined || left.length > 0)
  if (hasBegun && !isOfLater) for (const part of run.parts) markTakenBack(part, new Date(cli.io.now()).toISOString())
  return EXIT.done
}

/** Holds what stops an undo, and what is called before it changes anything. */
type Course = { readonly signal: AbortSignal; readonly onChange: () => void }

/** Shows what would be taken back, asks, and takes it back; returns 3 if something is left alone. */
const undo = async (
  cli: Cli,
  clients: Clients,
  run: UndoneRun,
  flags: UndoFlags,
  { signal, onChange }: Course,
): Promise<ExitCode> => {
  const { withEntries = false, dryRun = false, summaryOnly = false } = flags
  const isListed = dryRun && !summaryOnly
  const planning = planned(clients, run, { withEntries, isListed, signal })
  const plan = await beforeChanges(runThrough(cli, planning, isListed))
  const what = sayWhat(plan, WILL)
  const cost = undoCost(clients.client, plan)
  if (dryRun) {
    const counts = countsIn(plan)
    await tellDryRun(cli, what !== '' && cost !== undefined ? `${what}, which takes ${cost}` : what, counts, flags)
    const isLost = await tellLost(cli, plan)
    return (await tellLeftOut(cli, run)) || isLost || counts.skipped > 0 ? EXIT.partial : EXIT.done
  }
  if (what !== '' && cost !== undefined) await cli.note(`to ${what} takes ${cost}`)
  if (what !== '') await requireConfirmation(cli, flags.yes, what, true)
  const { kept } = plan
  const rest = createUndoRest(run, new Map(kept.map(({ part, entries }) => [part, entries])))
  const done: Done = {
    counts: new EntryCounts(),
    outcomes: [],
    others: 0,
    rest,
    kept,
    heldBy: new Set(),
    unlisted: new Set(),
  }
  let begun: Promise<void> | undefined
  const begin = (): Promise<void> => {
    if (!begun) onChange()
    return (begun ??= done.rest.begin(new Date(cli.io.now()).toISOString()))
  }
  cli.io.stdout.outlast()
  const tell = createUndoProgress(cli, plan.counts)
  const undoing = { clock: cli.io, signal, begin, withEntries }
  const records = undone(clients, run, plan, done, undoing)
  try {
    await runThrough(cli, records, true, () => tell(done.counts))
  } catch (error) {
    const gone = removedKpis(done.outcomes)
    // Where that cannot be noted, the list of receipts does not tell of it.
    await done.rest.stop((kpi) => gone.has(kpi)).catch(() => undefined)
    throw error instanceof Error ? cutOff(error, plan, done) : error
  }
  return conclude(cli, run, done)
}

/** Returns what follows records that undos created again since, so that a receipt speaks of them under the ids of now. */
const followerOf = (cli: Cli, { head: { service, account } }: UndoReceipt): ((receipt: UndoReceipt) => UndoReceipt) => {
  const again = madeAgain(account === undefined ? [] : changesOfUndos(cli.io, { service, account }))
  if (again.size === 0) return (receipt) => receipt
  const now = (kind: string, id: number): number => idNow(again, [kind], id) ?? id
  const thingNow = (thing: CreatedRecord): CreatedRecord => {
    const { kind, id, user_id } = thing
    if (kind !== 'assignment') return { ...thing, id: now(kind === 'item' ? 'group_item' : kind, id) }
    return { ...thing, id: now('kpi', id), ...(user_id !== undefined && { user_id: now('user', user_id) }) }
  }
  return (receipt) =>
    receipt.head.service === service && receipt.head.account === account
      ? { ...receipt, things: receipt.things.map(thingNow), idNow: now }
      : receipt
}

/** Takes back an import of entries, with all parts of its run. */
export const undoImport = async (cli: Cli, receipt: UndoReceipt, flags: UndoFlags): Promise<ExitCode> => {
  if (receipt.takenBack !== undefined) {
    if (flags.dryRun && flags.summaryOnly)
      await printDryRunCounts(cli, undoCounts, countsIn({ counts: new EntryCounts(), outcomes: [], kept: [] }))
    else await printPlan(cli, outcomeRow, [])
    return tellTakenBack(cli, `the import of ${receipt.head.file}`, receipt.takenBack)
  }
  const { receipts: listed } = listUndoReceipts(receiptsFolder(cli.io))
  const follow = followerOf(cli, receipt)
  const receipts = listed.map(follow)
  const alone = runOf(follow(receipt), receipts)
  const run = { ...alone, storedAnew: await findStoredAnew(alone, receipts) }
  const work = (client: Client, signal: AbortSignal): Promise<ExitCode> =>
    withClassic(cli, client, async (classic) => {
      await beforeChanges(requireAccount(client, receipt))
      for (const part of run.parts) await requireWhole(part)
      await tellParts(cli, run)
      const take = (onChange: () => void): Promise<ExitCode> =>
        undo(cli, { client, classic }, run, flags, { signal, onChange })
      return flags.dryRun ? take(() => undefined) : undoAlone(run, take)
    })
  return cli.withClient(needsOf(run), work, { ...PACED, signal: cli.io.interruption() })
}
