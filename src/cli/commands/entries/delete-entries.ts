import type { Client } from '../../../client/client.ts'
import type { EntrySelection } from '../../../client/operations/queries.ts'
import { Aborted } from '../../../client/transport.ts'
import { formatDay } from '../../../domain/day.ts'
import { isNotFound, KpiError } from '../../../domain/errors.ts'
import type { DayRange } from '../../../domain/period.ts'
import { type Entry, entry } from '../../../domain/resources/entry.ts'
import type { EntrySum } from '../../../domain/resources/entry-run.ts'
import { requestsText } from '../../../loading/requests-text.ts'
import { intendEntries } from '../../../runs/entries-change.ts'
import type { RunRecord } from '../../../runs/run-record.ts'
import { daysOf, readRange, RECENT } from '../../args/day-range.ts'
import { requireDryRun } from '../../args/dry-run.ts'
import { requireConfirmation } from '../../args/prompt.ts'
import type { Cli } from '../../cli.ts'
import { EXIT, IncompleteRun, UsageError } from '../../exit.ts'
import { isPrintedAsData } from '../../output/short-answer.ts'
import { countOf } from '../../output/text.ts'
import { learnAccount } from '../../target/service-of.ts'
import { isCutOff } from '../changes/list-errors.ts'
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

/** Describes the entries of a range: what they come to by KPI, and each, where they have to be known. */
type Found = {
  readonly range: DayRange
  readonly selected: Selected
  readonly sums: readonly EntrySum[]
  readonly count: number
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

/** Returns what a service says of the sums of entries; undefined where it does not say that, as those of others. */
const askSums = async (client: Client, range: DayRange, selected: Selected): Promise<EntrySum[] | undefined> => {
  if (!client.isBundled()) return undefined
  const sums: EntrySum[] = []
  try {
    for (const selection of selectionsOf(range, selected)) sums.push(...(await client.entries.sums(selection)))
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
  const sums = addUp(asked ?? entries.map(({ kpi_id, actual }) => ({ kpi_id, entries: 1, actual })))
  const count = sums.reduce((all, one) => all + one.entries, 0)
  return { range, selected, sums, count, entries, isTogether: asked !== undefined }
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

/** Holds what a deletion runs with: the record of its run, and what stops it. */
type Deletion = {
  readonly cli: Cli
  readonly client: Client
  readonly run: RunRecord
  readonly signal: AbortSignal
}

const stoppedBefore = (): Aborted => new Aborted('stopped before anything was deleted')

/** Deletes what a request of the service selects, which keeps it under a run of its own, as the record notes before. */
const deleteTogether = async (
  { cli, client, run, signal }: Deletion,
  which: Parameters<Client['entries']['removeMany']>[1],
  { name, count }: { readonly name: string; readonly count: number },
  onDeleted: (done: number) => void,
): Promise<void> => {
  if (signal.aborted) throw stoppedBefore()
  const serviceRun = Buffer.from(cli.io.random(16)).toString('hex')
  const id = intendEntries(run, { action: 'delete', name, count, serviceRun })
  for (let done = 0; ;) {
    try {
      const answer = await client.entries.removeMany(serviceRun, which, count)
      done = answer.entries
      onDeleted(done)
      if (answer.left === 0) break
    } catch (error) {
      const isRefused = error instanceof KpiError && (error.code === 'conflict' || error.code === 'not_found')
      // A try whose answer was lost may have deleted some.
      const isBegun = done > 0 || (isRefused && error.issues.some(({ field }) => field === 'run'))
      if (!isBegun && isRefused) run.withdraw([id])
      if (!isRefused || !error.issues.some(({ field }) => field === 'count')) throw error
      const said = isBegun ? `some were deleted, which kpi undo ${run.head.name} takes back` : 'nothing was deleted'
      throw new KpiError(
        'conflict',
        `somebody has added or deleted some of the ${entriesText(count)} since they were counted; ${said}; run the same command again`,
        { cause: error },
      )
    }
    if (signal.aborted) throw new Aborted('it was interrupted')
  }
  run.settle(id, 'done')
}

/** Deletes an entry; one that has gone meanwhile is no failure. */
const deleteOne = (client: Client, id: number): Promise<void> =>
  client.entries.remove(id).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })

/** Deletes entries one by one, as services of others have it; the record notes them before. */
const deleteEach = async (
  { client, run, signal }: Deletion,
  entries: readonly Entry[],
  name: string,
  onDeleted: (done: number) => void,
): Promise<void> => {
  if (signal.aborted) throw stoppedBefore()
  const change = intendEntries(run, { action: 'delete', name, count: entries.length })
  run.noteEntries(change, entries)
  for (const [at, { id }] of entries.entries()) {
    if (signal.aborted) {
      if (at > 0) throw new Aborted('it was interrupted')
      run.withdraw([change])
      throw stoppedBefore()
    }
    await deleteOne(client, id)
    onDeleted(at + 1)
  }
  run.settle(change, 'done')
}

/** Deletes the entries of a range, and notes them. */
const deleteFound = async (cli: Cli, client: Client, found: Found, signal: AbortSignal): Promise<void> => {
  const { range, selected, count, entries, isTogether } = found
  const doomed = isPrintedAsData(cli) ? await doomedOf(cli, client, entries) : []
  const name = nameOfRange(found)
  const content = [range.from, range.to, selected.users, selected.kpis, selected.item?.id]
  let done = 0
  try {
    await withRunRecord(cli, client, { command: COMMAND, content }, async ({ run, end }) => {
      const deletion = { cli, client, run, signal }
      if (!isTogether) await deleteEach(deletion, entries, name, (some) => (done = some))
      else {
        const parts = selectionsOf(range, selected)
        for (const part of parts) {
          const before = done
          // What is asked for in a single request was counted with it.
          const sums = parts.length === 1 ? found.sums : await client.entries.sums(part)
          const ofPart = sums.reduce((all, one) => all + one.entries, 0)
          if (ofPart > 0)
            await deleteTogether(deletion, part, { name, count: ofPart }, (some) => (done = before + some))
        }
      }
      end()
      await cli.note(`deleted ${entriesText(done)}`)
    })
  } catch (error) {
    if (done > 0 && !isTogether) await printDeleted(cli, doomed.slice(0, done))
    if (done === 0 || !(error instanceof Error) || !isCutOff(error)) throw error
    const left = `stopped with ${entriesText(count - done)} left; run the same command to continue`
    throw new IncompleteRun(EXIT.workLeft, 'work_left', [error.message, left])
  }
  await printDeleted(cli, doomed)
}

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
      const what = `there are no such entries from ${daysOf(range)}`
      if (flags.dryRun) return printPlannedDeletes(cli, { what, deleted: 0 }, [], flags)
      await cli.note(what)
      return printDeleted(cli, [])
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

/** Deletes entries by their ids: together where the service takes that; returns those that were, and why others were not. */
const deleteDoomed = async (
  deletion: Deletion,
  doomed: readonly Doomed[],
  onDeleted: (one: Doomed) => Promise<void>,
): ReturnType<Removal['removeAll']> => {
  const { client, run, signal } = deletion
  const name = (some: readonly Doomed[]): string =>
    some.length === 1 ? (some[0]?.name ?? '') : `${entriesText(some.length)} by their ids`
  const done: Doomed[] = []
  if (client.isBundled()) {
    try {
      for (let at = 0; at < doomed.length; at += IDS_AT_A_TIME) {
        const some = doomed.slice(at, at + IDS_AT_A_TIME)
        const which = { ids: some.map(({ id }) => id) }
        await deleteTogether(deletion, which, { name: name(some), count: some.length }, () => undefined)
        done.push(...some)
        for (const one of some) await onDeleted(one)
      }
      return { done, failure: undefined }
    } catch (error) {
      if (!(error instanceof Error)) throw error
      // An earlier version of the service has no such path.
      if (done.length > 0 || !isNotFound(error)) return { done, failure: error }
    }
  }
  const records = doomed.map(({ record }) => record).filter(isEntry)
  const change =
    records.length > 0 && intendEntries(run, { action: 'delete', name: name(doomed), count: records.length })
  if (change !== false) run.noteEntries(change, records)
  const send = async (one: Doomed): Promise<Record<string, never>> => {
    await client.entries.remove(one.id)
    await onDeleted(one)
    return {}
  }
  const sent = await sendEach(doomed, send, { signal })
  if (change !== false && sent.done.length > 0) run.settle(change, 'done')
  else if (change !== false && !(sent.failure instanceof KpiError && sent.failure.mayBeDone)) run.withdraw([change])
  return sent
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
      await work({
        ...PLAIN,
        removeAll: (doomed, onDeleted) =>
          withRunRecord(
            cli,
            client,
            { command: COMMAND, content: doomed.map(({ id }) => id) },
            async ({ run, end }) => {
              const result = await deleteDoomed({ cli, client, run, signal }, doomed, onDeleted)
              if (!result.failure || !isCutOff(result.failure)) end()
              return result
            },
          ),
      })
    },
  })
