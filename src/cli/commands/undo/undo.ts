import type { Capability } from '../../../client/capabilities.ts'
import type { Client } from '../../../client/client.ts'
import { breakdownItem } from '../../../domain/resources/breakdowns.ts'
import { entry } from '../../../domain/resources/entry.ts'
import { kpi } from '../../../domain/resources/kpi.ts'
import type { AnyRecord } from '../../../domain/schema.ts'
import { requireWhole } from '../../../import/undo/noted-changes.ts'
import { listUndoReceipts, markTakenBack, type UndoReceipt } from '../../../import/undo/undo-receipt.ts'
import { runOf, type UndoneRun } from '../../../import/undo/undone-run.ts'
import { createUndoRest, findStoredAnew, type UndoRest } from '../../../import/undo/undo-rest.ts'
import {
  type Clients,
  judgeCreatedRecords,
  type RemovalOutcome,
  takeBack,
  type Undoing,
} from '../../../changes/send/remove-created.ts'
import { requireDryRun } from '../../args/dry-run.ts'
import { askForYes } from '../../args/prompt.ts'
import { type Cli, PACED } from '../../cli.ts'
import { EXIT, UsageError } from '../../exit.ts'
import { printDryRunCounts, undoCounts } from '../../output/dry-run-counts.ts'
import { isForPeople, printRecords } from '../../output/print.ts'
import type { Printed } from '../../output/printed.ts'
import { receiptsFolder } from '../../target/folders.ts'
import { beforeChanges, createUndoProgress, cutOff, undoCost } from './undo-course.ts'
import { requireAccount, undoAlone } from './undo-guards.ts'
import { withClassic } from '../../target/service-of.ts'
import type { UndoFlags } from './undo-command.ts'
import { createEntryCounts, type EntryCounts, entryRecords, planEntries, undoEntries } from './undo-entries.ts'
import { countsIn, isNothing, isRemoved, leavesAny, type Plan, removedKpis, restText, sayWhat } from './undo-plan.ts'
import { historyRow } from './history-row.ts'
import { printHistory } from './print-history.ts'
import { outcomeRow } from './undo-row.ts'
import { findReceipt, findRun, printReceipts, receiptRow, tellLater, tellLeftOut, tellParts } from './undo-receipts.ts'

/** Describes a command that takes back what a receipt tells of, and how receipts are listed. */
type UndoWay = {
  /** Names what is taken back, and the command that lists the receipts. */
  readonly what: string
  readonly listedBy: string
  readonly listed: Printed['of']
  readonly list: (cli: Cli) => Promise<void>
}

/** Takes back what any command changed. */
export const ANY_RUN: UndoWay = {
  what: 'what',
  listedBy: 'kpi history',
  listed: historyRow,
  list: (cli) => printHistory(cli, {}),
}

/** Takes back imports of entries. */
export const IMPORTS: UndoWay = {
  what: 'which import',
  listedBy: 'kpi entries undo',
  listed: receiptRow,
  list: printReceipts,
}

/** Lists what an undo may print. */
export const undoPrints = ({ listed }: UndoWay): readonly Printed[] => [
  ...[listed, outcomeRow].map((of) => ({ of, isList: true })),
  { of: undoCounts, isList: false },
]

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

/** Asks for a yes, unless the flags give it; says how long it will take. */
const confirm = async (cli: Cli, client: Client, plan: Plan, { yes }: UndoFlags): Promise<void> => {
  const what = sayWhat(plan, ['put back', 'remove'])
  const cost = undoCost(client, plan.counts)
  if (cost !== undefined) await cli.note(`to ${what} takes ${cost}`)
  if (yes === true) return
  if (!cli.canAsk)
    throw new UsageError(`to ${what} needs --yes where nobody can be asked; --dry-run shows what would be done`)
  await askForYes(cli, what)
}

type Records = AsyncGenerator<readonly AnyRecord[]>

/** Plans what becomes of entries and things, and yields a record of each; returns the plan. */
async function* planned(
  clients: Clients,
  run: UndoneRun,
  withEntries: boolean,
): AsyncGenerator<readonly AnyRecord[], Plan> {
  const counts = createEntryCounts()
  const recordsOf = entryRecords(clients.client)
  for await (const some of planEntries(clients.client, run)) {
    for (const outcome of some) counts.add(outcome)
    yield await recordsOf(some)
  }
  const outcomes = await judgeCreatedRecords(clients, { ...run, withEntries, removedOf: counts.removedOf })
  yield outcomes.map(outcomeRecord)
  return { counts, outcomes }
}

/** Holds what is done so far, and the entries that are left alone. */
type Done = {
  readonly counts: EntryCounts
  readonly outcomes: RemovalOutcome[]
  others: number
  readonly rest: UndoRest
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
  return { counts, outcomes }
}

/** Prints records as they come; for people nothing is printed where there are none. */
const print = async (cli: Cli, records: Records): Promise<void> => {
  const printing = cli.printing()
  let first = await records.next()
  while (first.done !== true && first.value.length === 0) first = await records.next()
  if (first.done === true && isForPeople(printing.format)) return
  async function* all(): Records {
    if (first.done !== true) yield first.value
    yield* records
  }
  await printRecords(cli.io, printing, outcomeRow.shown, all())
}

/** Runs through records, and prints them unless they are not wanted; returns what they come to. */
const runThrough = async (
  cli: Cli,
  records: AsyncGenerator<readonly AnyRecord[], Plan>,
  isPrinted: boolean,
): Promise<Plan> => {
  let plan: Plan | undefined
  async function* rows(): Records {
    plan = yield* records
  }
  if (isPrinted) await print(cli, rows())
  else for await (const _ of rows());
  if (!plan) throw new Error('the output ended before the work did')
  return plan
}

/** Yields records, and calls a function behind each that came. */
async function* following<T, R>(records: AsyncGenerator<T, R>, then: () => Promise<void>): AsyncGenerator<T, R> {
  for (;;) {
    const next = await records.next()
    if (next.done === true) return next.value
    await then()
    yield next.value
  }
}

/** Says how a run that changed things ended, and notes it in its receipts; returns 3 if something was left alone. */
const conclude = async (cli: Cli, run: UndoneRun, done: Plan, rest: UndoRest): Promise<number> => {
  const said = sayWhat(done, ['put back', 'removed'])
  await cli.note(`${said === '' ? 'nothing was changed' : said}${restText(done)}`)
  if (leavesAny(done)) rest.keep()
  const isOfLater = await tellLater(cli, run, rest)
  if ((await tellLeftOut(cli, run)) || leavesAny(done)) return EXIT.partial
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
): Promise<number> => {
  const { withEntries = false, dryRun = false, summaryOnly = false } = flags
  const plan = await beforeChanges(runThrough(cli, planned(clients, run, withEntries), dryRun && !summaryOnly))
  if (dryRun) {
    const cost = undoCost(clients.client, plan.counts)
    const takes = cost === undefined ? '' : `, which takes ${cost}`
    const what = isNothing(plan) ? 'nothing to take back' : `would ${sayWhat(plan, ['put back', 'remove'])}${takes}`
    await cli.note(`dry run, nothing was changed: ${what}${restText(plan)}`)
    if (summaryOnly) await printDryRunCounts(cli, undoCounts, countsIn(plan))
    return (await tellLeftOut(cli, run)) || leavesAny(plan) ? EXIT.partial : EXIT.done
  }
  const done: Done = { counts: createEntryCounts(), outcomes: [], others: 0, rest: createUndoRest(run) }
  if (!isNothing(plan)) await confirm(cli, clients.client, plan, flags)
  let begun: Promise<void> | undefined
  const begin = (): Promise<void> => {
    if (!begun) onChange()
    return (begun ??= done.rest.begin(new Date(cli.io.now()).toISOString()))
  }
  cli.io.stdout.outlast()
  const tell = createUndoProgress(cli, plan.counts)
  const undoing = { clock: cli.io, signal, begin, withEntries }
  const records = following(undone(clients, run, plan, done, undoing), () => tell(done.counts))
  const through = async (): Promise<Plan> => {
    try {
      return await runThrough(cli, records, true)
    } catch (error) {
      const gone = removedKpis(done.outcomes)
      // Where that cannot be noted, the list of receipts does not tell of it.
      await done.rest.stop((kpi) => gone.has(kpi)).catch(() => undefined)
      throw error instanceof Error ? cutOff(error, plan, done) : error
    }
  }
  return conclude(cli, run, await through(), done.rest)
}

async function* noRecords(): Records {}

/** Says that an import was taken back already, and when. */
const tellTakenBack = async (
  cli: Cli,
  { head }: UndoReceipt,
  at: string,
  { dryRun, summaryOnly }: UndoFlags,
): Promise<number> => {
  if (dryRun && summaryOnly)
    await printDryRunCounts(cli, undoCounts, countsIn({ counts: createEntryCounts(), outcomes: [] }))
  else await print(cli, noRecords())
  const when = `on ${at.slice(0, 10)} at ${at.slice(11, 16)} UTC`
  await cli.note(`the import of ${head.file} was taken back already, ${when}; nothing was changed`)
  return EXIT.done
}

/** Runs an undo: lists the receipts, or takes back what the run of one changed. */
export const runUndo = async (
  cli: Cli,
  asked: string | undefined,
  flags: UndoFlags,
  { what, listedBy, list }: UndoWay,
): Promise<number | void> => {
  requireDryRun(flags)
  if (asked === undefined && flags.yes !== true && flags.dryRun !== true) return list(cli)
  if (asked === undefined || asked.trim() === '')
    throw new UsageError(`say ${what} to take back, by its receipt; ${listedBy} lists the receipts`)
  const path = findRun(cli, asked)
  if (path !== undefined) return (await import('./undo-run.ts')).undoRun(cli, path, flags)
  const receipt = findReceipt(cli, asked, listedBy)
  if (receipt.takenBack !== undefined) return tellTakenBack(cli, receipt, receipt.takenBack, flags)
  const { receipts } = listUndoReceipts(receiptsFolder(cli.io))
  const alone = runOf(receipt, receipts)
  const run = { ...alone, storedAnew: await findStoredAnew(alone, receipts) }
  const work = (client: Client, signal: AbortSignal): Promise<number> =>
    withClassic(cli, client, async (classic) => {
      await beforeChanges(requireAccount(client, receipt))
      for (const part of run.parts) await requireWhole(part)
      await tellParts(cli, run)
      const take = (onChange: () => void): Promise<number> =>
        undo(cli, { client, classic }, run, flags, { signal, onChange })
      return flags.dryRun ? take(() => undefined) : undoAlone(run, take)
    })
  return cli.withClient(needsOf(run), work, { ...PACED, signal: cli.io.interruption() })
}
