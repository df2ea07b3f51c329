import { Aborted } from '../../client/transport.ts'
import { KpiError } from '../../domain/errors.ts'
import { mapFlag } from '../flag-text.ts'
import type { ImportRun } from '../import-types.ts'
import { beginJournal } from '../journal/begin-journal.ts'
import type { Journal } from '../journal/journal.ts'
import type { Tally } from '../journal/tally.ts'
import { pauseEvery } from '../../client/next-turn.ts'
import { requireFewBad, tooManyRejected } from '../max-errors.ts'
import { notesOnHeading } from '../notes.ts'
import { type CountedReasons, countReasons } from '../rejects/reason-counts.ts'
import type { RejectsFile } from '../rejects/rejects-file.ts'
import { createRejects, type Rejects } from '../rejects/rejects.ts'
import { type CheckedDefinitions, checkDefinitions, type Checking } from './check.ts'
import type { DefinitionOptions } from './columns.ts'
import { type ExistingDefinitions, indexDefinitions } from './existing.ts'
import { isUnseen, tallyOf } from './journaled.ts'
import { tellDefaults, tellPasswords, warnOfNearNames } from './note-plan.ts'
import { createPlanner, type DefinitionAction, type Planner, type SentDefinition } from './plan.ts'
import { rejectDoubtful } from './reject-doubtful.ts'
import { sendOnce, settleEarlier } from './send-once.ts'
import { type BeforeUpdate, lookForRows, OUTCOMES, type OpenRow, type SendRun } from './send.ts'

/** Describes a row that is to change a record. */
type PlannedUpdate = Extract<SentDefinition, { action: 'update' }>

/** Describes an import of definitions, or a dry run. */
export type DefinitionImport = Checking &
  Pick<ImportRun, 'clock' | 'folder' | 'signal' | 'journal' | 'random' | 'onNote' | 'onWarning'> & {
    readonly options: DefinitionOptions
    /** Reports how many of the rows to send have an outcome. */
    readonly onSent: (done: number, total: number) => void
    /** Does what must be done before the first request; throws where nothing is to be sent. */
    readonly beforeSending: (updates: readonly PlannedUpdate[]) => Promise<void>
    readonly beforeUpdate: BeforeUpdate
  }

/** Counts what became of the rows of a file. */
export type DefinitionSummary = {
  read: number
  created: number
  updated: number
  unchanged: number
  skipped: number
  rejected: number
  rounded: number
  empty: number
}

/** Describes how an import ended; rows are left if it was stopped, or the service failed during the run. */
type DefinitionEnding = {
  readonly summary: DefinitionSummary
  readonly left: number
  readonly failure: KpiError | undefined
  readonly reasons: CountedReasons
}

/** Describes a row of a dry run: what would be done, or why the row would be rejected. */
export type PlannedDefinition =
  | Exclude<DefinitionAction, { action: 'reject' }>
  | { readonly action: 'reject'; readonly line: number; readonly name: string | null; readonly reason: string }

const COUNTED = ['created', 'updated', 'unchanged', 'skipped'] as const

const count = (summary: DefinitionSummary, rejects: Rejects, tally: Tally): void => {
  for (const one of COUNTED) summary[one] += tally[one]
  for (const [line, reason] of tally.refused) rejects.add(line, reason)
}

const summaryOf = ({ read, rounded, empty }: CheckedDefinitions): DefinitionSummary => ({
  read,
  created: 0,
  updated: 0,
  unchanged: 0,
  skipped: 0,
  rejected: 0,
  rounded,
  empty,
})

/** Describes a file that has been read, and how its rows are planned. */
type Prepared = {
  readonly checked: CheckedDefinitions
  readonly rejects: Rejects
  readonly summary: DefinitionSummary
  readonly plan: Planner
  readonly look: () => Promise<ExistingDefinitions>
}

/** Lists words of which one holds: `category, icon or description`. */
const eitherOf = (words: readonly string[]): string =>
  [words.slice(0, -1).join(', '), words.at(-1)].filter((part) => part !== '').join(' or ')

/** Notes what is left out of what the file holds, and how to take it if it is something else that a row may give. */
const tellLeftOut = ({ table, onNote }: DefinitionImport, { unused, free }: CheckedDefinitions): void => {
  for (const note of notesOnHeading(table)) onNote(note)
  const [[column], [role]] = [unused, free]
  if (column === undefined) return
  const meant = role === undefined ? '' : `; if one is the ${eitherOf(free)}: ${mapFlag(role, column)}`
  onNote(`columns left out: ${unused.join(', ')}${meant}`)
}

/** Reads and checks the whole file, then runs the given work on it. */
const withChecked = async <T>(work: DefinitionImport, goOn: (prepared: Prepared) => Promise<T>): Promise<T> => {
  const { kind, client, table, options, folder, onWarning } = work
  const rejects = createRejects(folder)
  try {
    const checked = await checkDefinitions(work, rejects)
    if (checked.read === 0) onWarning(`${table.name} holds no rows`)
    if (table.reading.assumed !== undefined) onWarning(table.reading.assumed)
    tellLeftOut(work, checked)
    const plan = createPlanner({ ...checked, ...options, kind })
    const look = async (): Promise<ExistingDefinitions> => indexDefinitions(kind, await kind.list(client))
    return await goOn({ checked, rejects, summary: summaryOf(checked), plan, look })
  } finally {
    rejects.close()
  }
}

/** Sets how many rows are planned before signals and timers run. */
const ROWS_OF_TURN = 500

const lineOf = (one: PlannedDefinition): number => ('line' in one ? one.line : one.row.line)

const inOrder = (rows: readonly PlannedDefinition[]): PlannedDefinition[] =>
  rows.toSorted((one, other) => lineOf(one) - lineOf(other))

/** Returns for each row what importing the file would do, in the order of the file, and counts it. */
export const dryRunDefinitions = (
  work: DefinitionImport,
): Promise<DefinitionEnding & { readonly rows: readonly PlannedDefinition[]; readonly checked: CheckedDefinitions }> =>
  withChecked(work, async ({ checked, rejects, summary, plan, look }) => {
    const existing = await look()
    const planned: DefinitionAction[] = []
    const pause = pauseEvery(ROWS_OF_TURN, work.signal)
    for (const row of checked.rows) {
      const turn = pause()
      if (turn) await turn
      planned.push(plan(existing, row, false))
    }
    const plans = await rejectDoubtful(work, existing, planned)
    tellPasswords(work, plans)
    await warnOfNearNames(work, existing, plans)
    tellDefaults(work, plans)
    const good: PlannedDefinition[] = []
    for (const one of plans) {
      if (one.action === 'reject') for (const reason of one.reasons) rejects.add(one.row.line, reason)
      else {
        summary[OUTCOMES[one.action]] += 1
        good.push(one)
      }
    }
    const lines = await Array.fromAsync(rejects.lines(work.signal))
    const bad = lines.flat().map(({ line, reasons }): PlannedDefinition => ({
      action: 'reject',
      line,
      name: checked.names.get(line) ?? null,
      reason: reasons.join('; '),
    }))
    summary.rejected = rejects.count()
    const reasons = await countReasons(rejects, work.signal)
    return { summary, left: 0, failure: undefined, reasons, rows: inOrder([...good, ...bad]), checked }
  })

/** Describes the rows of a run that are to be sent, and those of which nothing is to be sent any more. */
type Division = { readonly open: OpenRow[]; readonly plans: DefinitionAction[] }

/**
 * Plans all rows, and counts what needs no request. What an earlier part of the run has done is counted as it was; of
 * what it may have done, the service tells.
 */
const divide = async (work: DefinitionImport, prepared: Prepared, journal: Journal): Promise<Division> => {
  const { checked, rejects, summary, plan, look } = prepared
  const [earlier, first] = await settleEarlier(work, journal, checked.rows, look)
  const rows = checked.rows.filter(({ line }) => earlier.get(line)?.outcome === undefined)
  const planAll = (existing: ExistingDefinitions): Promise<DefinitionAction[]> => {
    const planned = rows.map((row) => plan(existing, row, earlier.has(row.line)))
    return rejectDoubtful(work, existing, planned)
  }
  let plans = await planAll(first)
  const unseen = plans.filter(isUnseen(first, earlier)).filter((one): one is SentDefinition => one.action === 'create')
  if (earlier.size === 0) {
    await warnOfNearNames(work, first, plans)
    tellDefaults(work, plans)
  }
  if (unseen.length > 0 && !work.client.isBundled()) plans = await planAll(await lookForRows({ ...work, look }, unseen))
  for (const { outcome } of earlier.values()) if (outcome) count(summary, rejects, outcome)
  const open: OpenRow[] = []
  for (const one of plans) {
    const known = earlier.get(one.row.line)
    if (one.action === 'create' || one.action === 'update') open.push({ plan: one, journaled: known?.id })
    else if (one.action === 'reject') for (const reason of one.reasons) rejects.add(one.row.line, reason)
    else {
      const tally = tallyOf(one.action === 'unchanged' && known ? OUTCOMES[known.action] : OUTCOMES[one.action])
      count(summary, rejects, tally)
      if (known) journal.acknowledge(known.id, tally)
    }
  }
  return { open, plans }
}

/** Sends the rows that are open, and returns how many are left, and why. */
const sendOpen = async (
  work: DefinitionImport,
  { rejects, summary, plan, look }: Prepared,
  journal: Journal,
  open: readonly OpenRow[],
): Promise<Pick<DefinitionEnding, 'left' | 'failure'>> => {
  const { client, kind, clock, signal, options, onSent, beforeUpdate, onWarning } = work
  let done = 0
  const onOutcome: SendRun['onOutcome'] = (tally) => {
    count(summary, rejects, tally)
    done += 1
    onSent(done, open.length)
    const tooMany = tooManyRejected(rejects, summary, options.maxErrors)
    if (tooMany) throw tooMany
  }
  let unsettled = 0
  const onUnsettled = (created: number): void => void (unsettled = created)
  const left = (): number => open.length - done + unsettled
  const onRemoved = (removed: number): void => {
    summary.created -= removed
    done -= removed
  }
  const run = {
    client,
    kind,
    journal,
    clock,
    signal,
    plan,
    look,
    onOutcome,
    beforeUpdate,
    onRemoved,
    onUnsettled,
    onWarning,
  }
  try {
    await sendOnce(run, open)
    return { left: left(), failure: undefined }
  } catch (error) {
    // Do not count records as created before a second look shows that they are not doubles.
    summary.created -= unsettled
    if (error instanceof Aborted) return { left: left(), failure: undefined }
    if (!(error instanceof KpiError) || (done === 0 && !error.mayBeDone)) throw error
    return { left: left(), failure: error }
  }
}

const run = async (
  work: DefinitionImport,
  prepared: Prepared,
  journal: Journal,
  file: RejectsFile,
): Promise<DefinitionEnding> => {
  const { rejects, summary } = prepared
  const { open, plans } = await divide(work, prepared, journal)
  tellPasswords(work, plans)
  if (work.options.maxErrors) await requireFewBad(summary, { ...work, rejects }, true)
  await work.beforeSending(open.flatMap((one) => (one.plan.action === 'update' ? [one.plan] : [])))
  await file.write(work.table, rejects, [], work.signal)
  const { left, failure } = await sendOpen(work, prepared, journal, open)
  await file.write(work.table, rejects)
  summary.rejected = rejects.count()
  if (left === 0) journal.finish()
  return { summary, left, failure, reasons: await countReasons(rejects) }
}

/**
 * Imports a file of definitions: all of it is read and checked first, then what differs from what the service has is
 * sent, row by row. The same command continues a run that was stopped or killed.
 */
export const importDefinitions = (work: DefinitionImport, file: RejectsFile): Promise<DefinitionEnding> =>
  withChecked(work, async (prepared) => {
    const { of } = work.kind
    const journal = beginJournal(work, prepared.checked.fingerprint, () => [], [
      of.title,
      of.plural.replaceAll('_', ' '),
    ])
    try {
      return await run(work, prepared, journal, file)
    } finally {
      journal.close()
      file.warnOfMovedFiles()
    }
  })
