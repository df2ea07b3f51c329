import { warningsOnNearNames } from '../../changes/names/near-names.ts'
import { nextTurn } from '../../client/next-turn.ts'
import type { Client } from '../../client/client.ts'
import { isForbidden } from '../../client/operations/read-if-allowed.ts'
import { Aborted } from '../../client/transport.ts'
import { countText } from '../../domain/count-text.ts'
import { dayNextYear, dayOfInstant, FIRST_ENTRY_DAY } from '../../domain/day.ts'
import { KpiError } from '../../domain/errors.ts'
import { CIVIL_CALENDAR } from '../../domain/period.ts'
import { ADDS, type EntryBlock, numberAt } from '../../domain/entry-block.ts'
import { BATCH_LIMIT, entry, type EntryDraft } from '../../domain/resources/entry.ts'
import { scopeNeeded } from '../../domain/variants.ts'
import { type CheckedFile, checkFile } from '../../reading/entries/check.ts'
import { compareDefinitions } from '../../reading/missing/compare-definitions.ts'
import { type ExistingEntries, readExisting, type ReadWith, rememberFound } from '../existing/existing-entries.ts'
import { createPlanner, planAction, type Planner, readsFirst } from '../existing/planned-action.ts'
import { prefetchExisting, type PrefetchOptions } from '../existing/prefetch.ts'
import { createSorter, type Sorter } from '../../blocks/sorter.ts'
import type { ImportInput, Progress } from './import-types.ts'
import { emptySummary, type Summary } from '../../reading/entries/summary.ts'
import { rejectedEntries, requireFewBad, tooMuchRejected } from '../../reading/rejects/max-errors.ts'
import {
  notesOn,
  notesOnTable,
  notesOnYear,
  warningsOn,
  warningsOnDistant,
  warningsOnMapKpi,
  warningsOnScales,
  warningsOnPercent,
  warningsOnYear,
  warningsOnVanished,
} from '../../reading/entries/notes.ts'
import type { ImportOptions } from '../../reading/options/options.ts'
import { type MissingPlan, neededOf, planMissing } from '../../reading/missing/plan-missing.ts'
import { warningsOnJoinedNames } from '../../reading/missing/meant-names.ts'
import { isProvisionalDraft } from '../../reading/directory/lookup.ts'
import { moveDates, type MovedTo } from '../periods/move-dates.ts'
import { requireOneEntryPerPeriod } from '../periods/require-one-entry.ts'
import { onLines } from '../../reading/rejects/reason-counts.ts'
import { createRejects, type Rejects } from '../../reading/rejects/rejects.ts'
import { type Batch, cutBatches, type DuplicateSink } from '../../reading/rows/batches.ts'
import type { Restatements } from '../../reading/rows/restatements.ts'

/** Returns the given flags that need existing entries to be read. */
const flagsThatRead = ({ onlyChanges, onConflict }: ImportOptions, isVerified: boolean): string[] => [
  ...(onlyChanges ? ['--only-changes'] : []),
  ...(onConflict === 'skip' || onConflict === 'error' ? [`--on-conflict ${onConflict}`] : []),
  ...(isVerified ? ['--verify'] : []),
]

/**
 * Refuses flags that need existing entries to be read, if the key may not read them, before anything is read or sent.
 */
const requireReadAccess = async (
  client: Pick<Client, 'variant' | 'entries'>,
  options: ImportOptions,
  isVerified = false,
): Promise<void> => {
  const flags = flagsThatRead(options, isVerified)
  if (flags.length === 0 || client.variant === 'classic') return
  try {
    await client.entries.list({ from: FIRST_ENTRY_DAY, to: FIRST_ENTRY_DAY })
  } catch (error) {
    if (!isForbidden(error)) throw error
    const refusal = `${flags.join(', ')} cannot be used with this key: the import would have to read entries`
    throw new KpiError(
      'forbidden',
      `${refusal}, which needs the scope ${scopeNeeded(entry, 'list')}; nothing was sent`,
      {
        cause: error,
      },
    )
  }
}

/** Describes a file that has been read and checked: its good rows in batches, and the rejects with their reasons. */
type CheckedRows = CheckedFile & {
  readonly rejects: Rejects
  readonly summary: Summary
  readonly options: ImportOptions
  /** Marks the rows that later files of the run give again. */
  readonly restatements: Restatements | undefined
  /** Describes what has to be created first; undefined if nothing has. */
  readonly missing: MissingPlan | undefined
  /**
   * Yields the good rows in batches; may be called any number of times. If the file has a key more than once, this may
   * add rejects.
   */
  readonly batches: () => Generator<Batch>
}

/** Describes the rows of a checked file, and how to find their existing entries. */
export type Prepared = CheckedRows & {
  /** Finds existing entries: as they were before the run if all are read first, else as they are at each call. */
  readonly existing: ExistingEntries
  /** Creates a finder that reads all existing entries of the file at its first call. */
  readonly readAhead: (isUnsure?: PrefetchOptions['isUnsure'], by?: ReadWith) => ExistingEntries
  readonly decide: Planner
}

/** Marks entries so that the service adds their actuals to the stored ones. */
const addUp = ({ flags, count }: EntryBlock): void => {
  for (let at = 0; at < count; at += 1) flags[at] = numberAt(flags, at) | ADDS
}

const STOPPED = 'stopped before anything was sent; run the same command to continue'

/**
 * Returns a function that begins to pass over the rows, and returns a sink that rejects those of a repeated key. Each
 * pass finds the same ones in the same order, and only the first to find one rejects its rows.
 */
const rejectDuplicates = (rejects: Rejects, { reference }: CheckedFile): (() => DuplicateSink) => {
  const owner = reference.sources ? 'user or source' : 'user'
  let rejected = 0
  const reject: DuplicateSink = (places, bad) => {
    const reason = `the same ${owner}, KPI and date${onLines(places, bad)}`
    for (const place of places) {
      if (rejects.isFull()) throw tooMuchRejected(rejects)
      rejects.add(place, reason)
    }
  }
  return () => {
    let found = 0
    return (places, bad) => {
      found += 1
      if (found <= rejected) return
      rejected = found
      reject(places, bad)
    }
  }
}

/** Returns a function that yields the good rows in batches. */
const batchesOf = (
  sorter: Sorter,
  rejects: Rejects,
  checked: CheckedFile,
  { onDuplicate, onConflict }: ImportOptions,
): CheckedRows['batches'] => {
  const beginPass = rejectDuplicates(rejects, checked)
  return function* () {
    for (const batch of cutBatches(sorter.blocks(BATCH_LIMIT), onDuplicate, beginPass())) {
      const { block } = batch
      checked.reference.created?.realize(block)
      block.sources = checked.sourcesOfUsers
      if (onConflict === 'add') addUp(block)
      yield batch
    }
  }
}

/** Reports progress, and throws if the run is stopped. */
const report = ({ signal, onProgress }: ImportInput, progress: Progress): void => {
  if (signal.aborted) throw new Aborted(STOPPED)
  onProgress(progress)
}

/** Returns a function that reports how many rows are read, and throws if the run is stopped. */
const progressOf = (work: ImportInput, summary: Summary) => (): void =>
  report(work, { phase: 'read', done: summary.read })

/** Returns rows with the dates of KPIs that are not daily moved as `--period-dates` says, and says how many were. */
const withMovedDates = async (
  { client, onNote, signal }: ImportInput,
  [read, moved]: Sorters,
  { reference: { kpis } }: CheckedFile,
  to: MovedTo,
  onProgress: () => void,
): Promise<Sorter> => {
  const periods = { kpis: kpis.byId, calendar: client.calendar ?? CIVIL_CALENDAR }
  const count = await moveDates(read, moved, periods, to, async () => {
    await nextTurn(signal)
    onProgress()
  })
  read.clear()
  const dates = count === 1 ? '1 date was' : `${countText(count)} dates were`
  const where = to === 'next' ? 'the first day of the next week' : `the ${to} day of the KPI's period`
  if (count > 0) onNote(`${dates} moved to ${where} (--period-dates ${to})`)
  return moved
}

/** Holds the rows of a file as they are read, and room for them with other dates. */
type Sorters = readonly [read: Sorter, moved: Sorter]

/** Returns the fingerprint of a file, which is not that of an equal one before it in the run. */
const fingerprintInRun = ({ table, equalFiles }: ImportInput, fingerprint: string): string => {
  const equal = equalFiles?.get(fingerprint) ?? []
  equalFiles?.set(fingerprint, equal)
  if (!equal.includes(table)) equal.push(table)
  const at = equal.indexOf(table)
  return at === 0 ? fingerprint : `${fingerprint}-${at + 1}`
}

/** Sets after how many users it is reported that their assignments are fetched. */
const FEW_USERS = 20

/** Reads and checks all rows, and shows warnings and notes on them. */
const checkRows = async (work: ImportInput, sorters: Sorters, rejects: Rejects): Promise<CheckedRows> => {
  const { table, client, options, groups, chosen, assignments, restatements, onWarning, onNote } = work
  const { periodDates = 'as-is' } = options
  const [sorter] = sorters
  const summary = emptySummary()
  const onProgress = progressOf(work, summary)
  const onFetched = (done: number): void => {
    if (done % FEW_USERS === 0) report(work, { phase: 'assigned', done })
  }
  const yearAhead = dayNextYear(dayOfInstant(work.clock.now() / 1000))
  const places = { sorter, rejects, summary, yearAhead, restatements, signal: work.signal }
  const checked = await checkFile(table, client, options, {
    ...places,
    onProgress,
    onFetched,
    lists: { groups, chosen, assignments },
  })
  for (const warning of warningsOn(table, checked.formats, summary.read === 0)) onWarning(warning)
  for (const warning of [
    ...warningsOnPercent(checked),
    ...warningsOnYear(options, checked),
    ...warningsOnMapKpi(checked),
    ...warningsOnScales(checked),
    ...warningsOnVanished(options, checked),
    ...warningsOnDistant(checked),
  ])
    onWarning(warning)
  for (const warning of await compareDefinitions(client, checked, options)) onWarning(warning)
  for (const note of [...notesOnTable(table), ...notesOnYear(options, checked), ...notesOn(checked)]) onNote(note)
  work.onChecked?.(checked)
  const plan = options.create && (await planMissing(client, checked, options.create, options, work))
  const hasPeriods = checked.hasPeriods || (plan?.kpis.some(({ frequency_id }) => frequency_id !== 'D') ?? false)
  const isMoved = hasPeriods && periodDates !== 'as-is'
  const rows = isMoved ? await withMovedDates(work, sorters, checked, periodDates, onProgress) : sorter
  const batches = batchesOf(rows, rejects, checked, options)
  // Rows of a key that is there twice are rejected only now.
  const missing = plan && rows.mayRepeat() ? await neededOf(plan, batches(), work.signal) : plan
  for (const warning of [...warningsOnNearNames(missing?.near ?? []), ...warningsOnJoinedNames(checked, missing)])
    onWarning(warning)
  if (missing) work.onMissing?.(missing)
  const fingerprint = fingerprintInRun(work, checked.fingerprint)
  return { ...checked, fingerprint, hasPeriods, missing, rejects, summary, options, restatements, batches }
}

/** Makes the checks that need the rows in the order of their keys. */
const checkInOrder = async (work: ImportInput, rows: CheckedRows): Promise<void> => {
  const { summary, options, batches, hasPeriods } = rows
  const onProgress = progressOf(work, summary)
  if (options.maxErrors) {
    for (const _ of batches()) {
      await nextTurn(work.signal)
      onProgress()
    }
    await requireFewBad(summary, rejectedEntries({ ...rows, signal: work.signal }), true)
  }
  if (hasPeriods) await requireOneEntryPerPeriod(work, rows, onProgress)
}

/**
 * Adds how to find the existing entries of the rows; `onClose` receives the function that removes the temporary files.
 */
const withExisting = (work: ImportInput, rows: CheckedRows, onClose: (close: () => void) => void): Prepared => {
  const { client, folder, options, signal } = work
  const { reference, batches } = rows
  const drafts = function* (): Generator<readonly EntryDraft[]> {
    for (const batch of batches()) yield batch.drafts.filter((draft) => !isProvisionalDraft(draft))
  }
  const leavesOpen: PrefetchOptions['isUnsure'] = (draft, stored) =>
    planAction(draft, stored, reference, options.onConflict).action === 'send'
  const readAhead: Prepared['readAhead'] = (isUnsure = leavesOpen, by = reference) => {
    work.onProgress({ phase: 'stored', done: 0 })
    const ahead = prefetchExisting({ client, reference: by, folder, drafts, isUnsure, signal })
    onClose(ahead.close)
    return ahead
  }
  const isAll = readsFirst(options)
  const existing = isAll ? rememberFound(readAhead()) : readExisting(client, reference)
  return { ...rows, existing, readAhead, decide: createPlanner(existing, reference, options, isAll) }
}

/** Reads and checks the whole file; `close` removes its temporary files. */
export const openPrepared = async (work: ImportInput): Promise<{ prepared: Prepared; close: () => void }> => {
  const sorters: Sorters = [createSorter(work.folder), createSorter(work.folder)]
  const rejects = createRejects(work.folder)
  const closers = [...sorters, rejects].map((one) => one.close)
  const close = (): void => {
    for (const one of closers) one()
  }
  try {
    await requireReadAccess(work.client, work.options, work.verify !== undefined)
    const rows = await checkRows(work, sorters, rejects)
    await checkInOrder(work, rows)
    return { prepared: withExisting(work, rows, (one) => closers.push(one)), close }
  } catch (error) {
    close()
    throw error instanceof Aborted ? new Aborted(STOPPED, { tried: error.tried }) : error
  }
}

/** Reads and checks the whole file, runs `goOn`, and removes temporary files, however it ends. */
export const withPrepared = async <T>(work: ImportInput, goOn: (prepared: Prepared) => Promise<T>): Promise<T> => {
  const { prepared, close } = await openPrepared(work)
  try {
    return await goOn(prepared)
  } finally {
    close()
  }
}
