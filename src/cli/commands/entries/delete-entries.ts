import type { Client } from '../../../client/client.ts'
import type { EntrySelection } from '../../../client/operations/queries.ts'
import { Aborted, mayBeDone } from '../../../client/transport.ts'
import { formatDay } from '../../../domain/day.ts'
import { isNotFound, KpiError } from '../../../domain/errors.ts'
import type { DayRange } from '../../../domain/period.ts'
import { type Entry, entry } from '../../../domain/resources/entry.ts'
import type { EntrySum } from '../../../domain/resources/entry-run.ts'
import { requestsText } from '../../../loading/requests-text.ts'
import { countKept, type EntriesChange, intendEntries, placesOf } from '../../../runs/entries-change.ts'
import type { NotedChange, RunRecord } from '../../../runs/run-record.ts'
import { daysOf, readRange, RECENT } from '../../args/day-range.ts'
import { requireDryRun } from '../../args/dry-run.ts'
import { requireConfirmation } from '../../args/prompt.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, exitOf, UsageError } from '../../exit.ts'
import { isPrintedAsData } from '../../output/short-answer.ts'
import { countOf } from '../../output/text.ts'
import { learnAccount } from '../../target/service-of.ts'
import { changeByRun, type EntriesRun, stoppedEntries } from '../changes/entries-by-run.ts'
import { isCutOff, ListErrors } from '../changes/list-errors.ts'
import { withRunRecord } from '../changes/recorded-run.ts'
import { deleteNamed, type Doomed, PLAIN, printDeleted, printPlannedDeletes, type Removal } from '../verbs/delete.ts'
import { createNames } from '../verbs/reference-names.ts'
import { sendEach } from '../verbs/send-each.ts'
import type { DeleteFlags } from './delete.ts'
import { createEntryWords } from './entry-words.ts'
import { needsOf, pagesOf, readSelected, type Selected } from './selection.ts'

const COMMAND = 'entries delete'

/** Sets how many ids of a kind stand in the address of a request, which may have 8 KiB. */
const IDS_AT_A_TIME = 250

/** Sets how many requests are made without a word beforehand. */
const FEW_REQUESTS = 10

/** Sets how many KPIs are named with their sums. */
const MOST_NAMED = 8

const entriesText = (count: number): string => countOf(count, 'entry', 'entries')

/** Describes what one request selects of entries, and what these come to. */
type FoundPart = { readonly selection: EntrySelection; readonly count: number }

/** Describes the entries of a range: what they come to by KPI, and each, where they have to be known. */
type Found = {
  readonly range: DayRange
  readonly selected: Selected
  readonly sums: readonly EntrySum[]
  readonly count: number
  /** Holds what each request of the service deletes, and how many entries that is. */
  readonly parts: readonly FoundPart[]
  readonly entries: readonly Entry[]
  /** Tells that the service deletes all of them in a request. */
  readonly isTogether: boolean
}

const partsOf = (ids: readonly number[] | undefined): (readonly number[] | undefined)[] =>
  ids === undefined
    ? [undefined]
    : Array.from({ length: Math.ceil(ids.length / IDS_AT_A_TIME) }, (_, at) =>
        ids.slice(at * IDS_AT_A_TIME, (at + 1) * IDS_AT_A_TIME),
      )

/** Returns the selections, each of one request, that are the same together. */
const selectionsOf = ({ from, to }: DayRange, { users, kpis, item }: Selected): EntrySelection[] => {
  const ofItem = item && (typeof item.user_id === 'number' ? { userIds: [item.user_id] } : { sourceIds: [item.id] })
  return partsOf(users).flatMap((userIds) => partsOf(kpis).map((kpiIds) => ({ from, to, userIds, kpiIds, ...ofItem })))
}

/** Adds up sums of parts, or entries, by KPI. */
const addUp = (sums: readonly EntrySum[]): readonly EntrySum[] =>
  [...Map.groupBy(sums, ({ kpi_id }) => kpi_id)].map(([kpi_id, some]) => ({
    kpi_id,
    entries: some.reduce((count, one) => count + one.entries, 0),
    actual: some.reduce<bigint | null>((sum, { actual }) => (actual === null ? sum : (sum ?? 0n) + actual), null),
  }))

const countOfSums = (sums: readonly EntrySum[]): number => sums.reduce((all, one) => all + one.entries, 0)

/** Returns what a service says of the sums of entries, by request; undefined where it does not say that, as those of others. */
const askSums = async (
  client: Client,
  range: DayRange,
  selected: Selected,
): Promise<(readonly [EntrySelection, EntrySum[]])[] | undefined> => {
  if (!client.isBundled()) return undefined
  const sums: (readonly [EntrySelection, EntrySum[]])[] = []
  try {
    for (const selection of selectionsOf(range, selected)) sums.push([selection, await client.entries.sums(selection)])
  } catch (error) {
    // An earlier version of the service has no such path.
    if (isNotFound(error)) return undefined
    throw error
  }
  return sums
}

const lookAt = async (client: Client, range: DayRange, flags: DeleteFlags, isListed: boolean): Promise<Found> => {
  const selected = await readSelected(client, flags)
  // An answer tells whether it is the bundled service.
  await learnAccount(client)
  const asked = await askSums(client, range, selected)
  const entries: Entry[] = []
  if (!asked || isListed) for await (const page of pagesOf(client, range, selected)) entries.push(...page)
  const sums = addUp(
    asked?.flatMap(([, some]) => some) ?? entries.map(({ kpi_id, actual }) => ({ kpi_id, entries: 1, actual })),
  )
  // Delete what was shown: of each part as many entries as were counted before the question.
  const counted = (asked ?? []).map(([selection, some]) => ({ selection, count: countOfSums(some) }))
  const parts = counted.filter(({ count }) => count > 0)
  return { range, selected, sums, count: countOfSums(sums), parts, entries, isTogether: asked !== undefined }
}

const nameOfRange = ({ range: { from, to }, count }: Found): string =>
  `${entriesText(count)} of ${from === to ? formatDay(from) : `${formatDay(from)} to ${formatDay(to)}`}`

/** Says what entries come to: by KPI, as values of several in different units have no sum. */
const sumsText = async (cli: Cli, client: Client, sums: readonly EntrySum[]): Promise<string> => {
  const names = createNames(client)
  const named = await Promise.all(
    sums.slice(0, MOST_NAMED).map(async ({ kpi_id, entries, actual }) => {
      const sum = actual === null ? 'no actuals' : `sum ${await names.valueOf(kpi_id, actual, cli.printing())}`
      const many = sums.length > 1 ? `: ${entriesText(entries)}` : ''
      return `${await names.nameOf('kpi', kpi_id)}${many}, ${sum}`
    }),
  )
  const others = sums.length - named.length
  return [...named, ...(others > 0 ? [`and ${countOf(others, 'more KPI')}`] : [])].join('; ')
}

/** Says what is deleted, and what that takes where it takes many requests. */
const sayWhat = async (cli: Cli, client: Client, found: Found): Promise<string> => {
  const { sums, count, isTogether } = found
  const requests =
    isTogether || client.isInProcess || count <= FEW_REQUESTS ? '' : `, in ${requestsText(count, client)}`
  return `delete ${nameOfRange(found)} (${await sumsText(cli, client, sums)})${requests}`
}

/** Describes each entry. */
const doomedOf = async (cli: Cli, client: Client, entries: readonly Entry[]): Promise<Doomed[]> => {
  const wordsFor = createEntryWords(cli, client)
  const doomed: Doomed[] = []
  for (const one of entries) doomed.push({ id: one.id, name: await wordsFor(one), dependents: { text: '' } })
  return doomed
}

/** Says whether a deletion is refused because there are not as many entries as were counted. */
const isMiscounted = (error: unknown): error is KpiError =>
  error instanceof KpiError && error.code === 'conflict' && error.issues.some(({ field }) => field === 'count')

/** Deletes what a request of the service selects, which keeps it under a run of its own, as the record notes before. */
const deleteTogether = (
  deletion: EntriesRun,
  which: Parameters<Client['entries']['removeMany']>[1],
  { name, count, places }: Pick<EntriesChange, 'name' | 'count' | 'places'>,
  onDeleted: (done: number) => void,
): Promise<void> =>
  changeByRun(
    deletion,
    { action: 'delete', name, count, places },
    (serviceRun) => deletion.client.entries.removeMany(serviceRun, which, count),
    onDeleted,
  )

/** Deletes an entry; one that has gone meanwhile is no failure. */
const deleteOne = (client: Client, id: number): Promise<void> =>
  client.entries.remove(id).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })

/** Deletes entries one by one, as services of others have it; the record notes them before. */
const deleteEach = async (
  { client, run, signal }: EntriesRun,
  entries: readonly Entry[],
  name: string,
  onDeleted: (done: number) => void,
): Promise<void> => {
  if (signal.aborted) throw new Aborted('it was interrupted')
  const change = intendEntries(run, { action: 'delete', name, count: entries.length })
  run.noteEntries(change, entries)
  let done = 0
  try {
    for (const { id } of entries) {
      if (signal.aborted) throw new Aborted('it was interrupted')
      await deleteOne(client, id)
      onDeleted((done += 1))
    }
  } catch (error) {
    const isUnknown = mayBeDone(error)
    if (done === 0 && !isUnknown) run.withdraw([change])
    else run.keepNoted(change, (at) => at < done || (isUnknown && at === done))
    if (done > 0) run.settle(change, 'done')
    throw error
  }
  run.settle(change, 'done')
}

/** Counts the entries that earlier parts of a run have deleted. */
const countBefore = (run: RunRecord): number =>
  run.changes().reduce((count, one) => count + (one.outcome === 'done' ? countKept(one) : 0), run.countEntries())

/** Deletes the entries of a range, and notes them. */
const deleteFound = async (cli: Cli, client: Client, found: Found, signal: AbortSignal): Promise<void> => {
  const { range, selected, parts, count, entries, isTogether } = found
  const doomed = isPrintedAsData(cli) ? await doomedOf(cli, client, entries) : []
  const name = nameOfRange(found)
  const content = [range.from, range.to, selected.users, selected.kpis, selected.item?.id]
  let done = 0
  try {
    await withRunRecord(cli, client, { command: COMMAND, content }, async ({ run, end }) => {
      const deletion = { cli, client, run, signal }
      const before = countBefore(run)
      if (before > 0) await cli.note(`${entriesText(before)} deleted before`)
      try {
        if (isTogether)
          for (const part of parts) {
            const [others, which] = [done, { name, count: part.count }]
            await deleteTogether(deletion, part.selection, which, (some) => (done = others + some))
          }
        else if (count > 0) await deleteEach(deletion, entries, name, (some) => (done = some))
      } catch (error) {
        if (!(error instanceof Error)) throw error
        const failure = isMiscounted(error) ? miscounted(error, count, done) : error
        throw stoppedEntries(deletion, failure, { done, verb: 'deleted', left: count - done })
      }
      end()
      await cli.note(count === 0 ? nothingIn(range) : `deleted ${entriesText(done)}`)
    })
  } catch (error) {
    if (done > 0 && !isTogether) await printDeleted(cli, doomed.slice(0, done))
    throw error
  }
  await printDeleted(cli, doomed)
}

/** Says that others have changed what was counted, and that the same command counts it anew where nothing was deleted. */
const miscounted = (error: KpiError, count: number, done: number): KpiError => {
  const what = `somebody has added or deleted some of the ${entriesText(count)} since they were counted`
  const goOn = done === 0 ? '; nothing was deleted; run the same command again' : ''
  return new KpiError('conflict', `${what}${goOn}`, { cause: error })
}

const nothingIn = (range: DayRange): string => `there are no such entries from ${daysOf(range)}`

/** Deletes the entries of a range of days, once that is confirmed. */
export const deleteRange = async (cli: Cli, flags: DeleteFlags): Promise<void> => {
  if (flags.from === undefined) throw new UsageError('say which: ids, or a range of days with --from and --to')
  requireDryRun(flags)
  const rangeOf = readRange(cli, flags, { ...RECENT, needsLast: true })
  const work = async (client: Client, signal: AbortSignal): Promise<void> => {
    const range = await rangeOf(client)
    const isListed = flags.dryRun ? flags.summaryOnly !== true : isPrintedAsData(cli)
    const found = await lookAt(client, range, flags, isListed)
    if (found.count === 0) {
      if (flags.dryRun) return printPlannedDeletes(cli, { what: nothingIn(range), deleted: 0 }, [], flags)
      // An earlier part of the run may have deleted them, whose answer was lost.
      return deleteFound(cli, client, found, signal)
    }
    const what = await sayWhat(cli, client, found)
    if (flags.dryRun) {
      const doomed = await doomedOf(cli, client, found.entries)
      return printPlannedDeletes(cli, { what, deleted: found.count }, doomed, flags)
    }
    await requireConfirmation(cli, flags.yes, what, true)
    if (flags.yes) await cli.note(what)
    await deleteFound(cli, client, found, signal)
  }
  const needs = [needsOf('list', flags.source), needsOf('remove', undefined)].flat()
  await cli.withClient(needs, work, { signal: cli.io.interruption() })
}

const isEntry = (record: Doomed['record']): record is Entry => record !== undefined && 'entry_date' in record

/** Names some entries that are deleted. */
const nameOfSome = (some: readonly Doomed[]): string =>
  some.length === 1 ? (some[0]?.name ?? '') : `${entriesText(some.length)} by their ids`

/** Holds what becomes of entries that are deleted by their ids. */
type ByIds = EntriesRun & {
  readonly places: ReadonlyMap<Doomed, number>
  readonly errors: ListErrors
  readonly onDeleted: (one: Doomed) => Promise<void>
}

/** Deletes entries together; finds those that are not there, which are refused, and deletes the others. */
const deleteSome = async (deleting: ByIds, some: readonly Doomed[]): Promise<void> => {
  const { places, errors, onDeleted } = deleting
  const change = { name: nameOfSome(some), count: some.length, places: some.map(({ place = 0 }) => place) }
  try {
    await deleteTogether(deleting, { ids: some.map(({ id }) => id) }, change, () => undefined)
  } catch (error) {
    if (!isMiscounted(error)) throw error
    const [only, ...others] = some
    if (only && others.length === 0)
      return errors.refuse(places.get(only) ?? 1, new KpiError('not_found', `there is no entry ${only.id}`))
    const half = Math.ceil(some.length / 2)
    await deleteSome(deleting, some.slice(0, half))
    return deleteSome(deleting, some.slice(half))
  }
  for (const one of some) await onDeleted(one)
}

/** Deletes entries one by one, as services of others have it; the record notes those of which it is known what they are. */
const deleteEachOf = async (
  { client, run, signal }: EntriesRun,
  doomed: readonly Doomed[],
  onDeleted: (one: Doomed) => Promise<void>,
): ReturnType<Removal['removeAll']> => {
  const known = doomed.filter(({ record }) => isEntry(record))
  const places = known.map(({ place = 0 }) => place)
  const intended = { action: 'delete', name: nameOfSome(doomed), count: known.length, places } as const
  const change = known.length > 0 ? intendEntries(run, intended) : undefined
  if (change !== undefined) run.noteEntries(change, known.map(({ record }) => record).filter(isEntry))
  const unknown = new Set<Doomed>()
  const send = async (one: Doomed): Promise<Record<string, never>> => {
    try {
      await client.entries.remove(one.id)
    } catch (error) {
      if (mayBeDone(error)) unknown.add(one)
      throw error
    }
    await onDeleted(one)
    return {}
  }
  const sent = await sendEach(doomed, send, { signal })
  if (change === undefined) return sent
  const done = new Set(sent.done)
  const isChanged = (one: Doomed | undefined): boolean => one !== undefined && (done.has(one) || unknown.has(one))
  if (known.some(isChanged)) run.keepNoted(change, (at) => isChanged(known[at]))
  else run.withdraw([change])
  if (known.some((one) => done.has(one))) run.settle(change, 'done')
  return sent
}

/** Deletes entries by their ids: together where the service takes that; returns those that were, and why others were not. */
const deleteDoomed = async (
  deletion: EntriesRun,
  doomed: readonly Doomed[],
  onDeleted: (one: Doomed) => Promise<void>,
): ReturnType<Removal['removeAll']> => {
  if (!deletion.client.isBundled()) return deleteEachOf(deletion, doomed, onDeleted)
  const done: Doomed[] = []
  const errors = new ListErrors(doomed.length)
  const deleting = {
    ...deletion,
    places: new Map(doomed.map((one, at) => [one, at + 1])),
    errors,
    onDeleted: (one: Doomed) => {
      done.push(one)
      return onDeleted(one)
    },
  }
  let at = 0
  try {
    for (; at < doomed.length; at += IDS_AT_A_TIME) await deleteSome(deleting, doomed.slice(at, at + IDS_AT_A_TIME))
    return { done, failure: errors.refused(done.length) }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // An earlier version of the service has no such path.
    if (done.length === 0 && isNotFound(error)) return deleteEachOf(deletion, doomed, onDeleted)
    return { done, failure: errors.ended(at + 1, error, done.length) }
  }
}

/** Holds the places in a line whose entries an earlier part of its run has deleted, or may have. */
const placesBegun = (run: RunRecord, isBegun: (change: NotedChange) => boolean): ReadonlySet<number> =>
  new Set(run.changes().flatMap((one) => (isBegun(one) ? (placesOf(one) ?? []) : [])))

/** Returns how the entries of a line are deleted, with a record of the run, which the same line continues. */
const removalOf = (deletion: EntriesRun, end: () => void): Removal => {
  const { cli, run } = deletion
  const done = placesBegun(run, ({ outcome }) => outcome === 'done')
  const begun = placesBegun(run, () => true)
  const gone = new Set<number>()
  const isBefore = (place: number): boolean => {
    if (begun.has(place)) gone.add(place)
    return begun.has(place)
  }
  return {
    ...PLAIN,
    isDeleted: isBefore,
    removeAll: async (doomed, onDeleted) => {
      // Where they cannot be read, only the record tells.
      const open = doomed.filter(({ record, place = 0 }) => record || !done.has(place) || !isBefore(place))
      if (gone.size > 0) await cli.note(`${entriesText(gone.size)} deleted before`)
      const result = await deleteDoomed(deletion, open, onDeleted)
      const { failure } = result
      if (!failure || (exitOf(failure) !== EXIT.workLeft && !isCutOff(failure))) end()
      const progress = { done: result.done.length, verb: 'deleted', left: open.length - result.done.length }
      return { ...result, failure: failure && stoppedEntries(deletion, failure, progress) }
    },
  }
}

/** Deletes entries by their ids, once that is confirmed. */
export const deleteByIds = (cli: Cli, ids: readonly string[], flags: DeleteFlags): Promise<void> =>
  deleteNamed(cli, entry, {
    names: ids,
    flags,
    from: (client) => {
      const { get } = client.entries
      return Promise.resolve({ get, wordsFor: createEntryWords(cli, client) })
    },
    removing: async (client, signal, _, work) => {
      await learnAccount(client)
      await withRunRecord(cli, client, { command: COMMAND, content: ids }, ({ run, end }) =>
        work(removalOf({ cli, client, run, signal }, end)),
      )
    },
  })
