import { type Command, Option } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import { Aborted } from '../../../client/transport.ts'
import { formatDay } from '../../../domain/day.ts'
import { formatDecimal } from '../../../domain/decimal.ts'
import { isNotFound } from '../../../domain/errors.ts'
import type { DayRange } from '../../../domain/period.ts'
import { type Entry, entry } from '../../../domain/resources/entry.ts'
import { daysOf, readRange, RECENT } from '../../args/day-range.ts'
import { addExamples } from '../../args/examples.ts'
import type { Act, Cli } from '../../cli.ts'
import { EXIT, IncompleteRun, UsageError } from '../../exit.ts'
import { isPrintedAsData } from '../../output/short-answer.ts'
import { countOf } from '../../output/text.ts'
import {
  addDeleteOutput,
  deleteNamed,
  type Doomed,
  DRY_RUN,
  PLAIN,
  printDeleted,
  printPlannedDeletes,
} from '../verbs/delete.ts'
import { requireDryRun, SUMMARY_ONLY } from '../../args/dry-run.ts'
import { isCutOff } from '../changes/list-errors.ts'
import { sendEach } from '../verbs/send-each.ts'
import { createEntryWords } from './entry-words.ts'
import { needsOf, type SelectionFlags, selected } from './selection.ts'

const declareDelete = (group: Command) =>
  group
    .command('delete')
    .description('delete entries by id, or all of a range of days')
    .argument('[ids...]', 'ids')
    .option('--from <day>', 'first day of a range, with --to; or a period alone: last-month, 2026-Q3 and the like')
    .option('--to <day>', 'last day (default: the last day of the period in --from, today if that is earlier)')
    .option('--user <list>', 'only of these users, by id, name or e-mail address, separated by commas')
    .addOption(new Option('--source <item>', 'only of this breakdown item, by id or name').conflicts('user'))
    .option('--kpi <list>', 'only of these KPIs, by id or name')
    .option(...DRY_RUN)
    .option(...SUMMARY_ONLY)
    .option('-y, --yes', 'do not ask')

type DeleteFlags = ReturnType<ReturnType<typeof declareDelete>['opts']>

/** Describes the entries of a range, and what they come to. */
type Selected = { readonly entries: readonly Entry[]; readonly sum: bigint; readonly range: DayRange }

const readSelected = async (client: Client, range: DayRange, flags: SelectionFlags): Promise<Selected> => {
  const entries: Entry[] = []
  let sum = 0n
  for await (const page of await selected(client, range, flags)) {
    for (const one of page) {
      entries.push(one)
      sum += one.actual ?? 0n
    }
  }
  return { entries, sum, range }
}

/** Says what is deleted: how many entries, of which days, and the sum of their actuals. */
const sayWhat = ({ entries, sum, range: { from, to } }: Selected): string => {
  const days = from === to ? formatDay(from) : `${formatDay(from)} to ${formatDay(to)}`
  return `delete ${countOf(entries.length, 'entry', 'entries')} of ${days}, whose actuals come to ${formatDecimal(sum)}`
}

/** Deletes an entry; one that has gone meanwhile is no failure. */
const deleteOne = (client: Client, id: number): Promise<void> =>
  client.entries.remove(id).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })

/** Describes each entry, unless nobody is shown it. */
const doomedOf = async (cli: Cli, client: Client, { entries }: Selected, isShown: boolean): Promise<Doomed[]> => {
  const wordsFor = createEntryWords(cli, client)
  const doomed: Doomed[] = []
  if (isShown)
    for (const one of entries) doomed.push({ id: one.id, name: await wordsFor(one), dependents: { text: '' } })
  return doomed
}

const deleteAll = async (cli: Cli, client: Client, found: Selected, signal: AbortSignal): Promise<void> => {
  const { entries } = found
  const doomed = await doomedOf(cli, client, found, isPrintedAsData(cli))
  let done = 0
  try {
    for (const { id } of entries) {
      if (signal.aborted) throw new Aborted(done === 0 ? 'stopped before anything was deleted' : 'it was interrupted')
      await deleteOne(client, id)
      done += 1
    }
  } catch (error) {
    if (done > 0) await printDeleted(cli, doomed.slice(0, done))
    if (done === 0 || !(error instanceof Error) || !isCutOff(error)) throw error
    const left = `stopped with ${countOf(entries.length - done, 'entry', 'entries')} left; run the same command to continue`
    throw new IncompleteRun(EXIT.workLeft, 'work_left', [error.message, left])
  }
  await cli.note(`deleted ${countOf(done, 'entry', 'entries')}`)
  await printDeleted(cli, doomed)
}

const deleteRange = async (cli: Cli, flags: DeleteFlags): Promise<void> => {
  if (flags.from === undefined) throw new UsageError('say which: ids, or a range of days with --from and --to')
  requireDryRun(flags)
  const { requireConfirmation } = await import('../../args/prompt.ts')
  const rangeOf = readRange(cli, flags, { ...RECENT, needsLast: true })
  const work = async (client: Client, signal: AbortSignal): Promise<void> => {
    const range = await rangeOf(client)
    const found = await readSelected(client, range, flags)
    if (found.entries.length === 0) {
      const what = `there are no such entries from ${daysOf(range)}`
      if (flags.dryRun) return printPlannedDeletes(cli, { what, deleted: 0 }, [], flags)
      await cli.note(what)
      return printDeleted(cli, [])
    }
    if (flags.dryRun) {
      const doomed = await doomedOf(cli, client, found, !flags.summaryOnly)
      return printPlannedDeletes(cli, { what: sayWhat(found), deleted: found.entries.length }, doomed, flags)
    }
    await requireConfirmation(cli, flags.yes, sayWhat(found), true)
    if (flags.yes) await cli.note(sayWhat(found))
    await deleteAll(cli, client, found, signal)
  }
  const needs = [needsOf('list', flags.source), needsOf('remove', undefined)].flat()
  await cli.withClient(needs, work, { signal: cli.io.interruption() })
}

/** Registers `kpi entries delete` */
export const addDeleteEntries = (group: Command, act: Act): void => {
  const command = declareDelete(group)
  addExamples(
    command,
    'entries delete 1 2 --dry-run',
    'entries delete 1 2 --yes',
    'entries delete --from last-month --to yesterday --user "Ann Lee" --kpi Visits',
  )
  addDeleteOutput(command)
  act(command, async (cli, [ids], flags) => {
    const { from, to, user, source, kpi } = flags
    const isRange = [from, to, user, source, kpi].some((one) => one !== undefined)
    if (isRange && ids.length > 0) throw new UsageError('ids and a range of days are both given; give one of them')
    if (isRange || ids.length === 0) return deleteRange(cli, flags)
    return deleteNamed(cli, entry, {
      names: ids,
      flags,
      from: (client) => {
        const { get } = client.entries
        return Promise.resolve({ get, wordsFor: createEntryWords(cli, client) })
      },
      removing: (client, signal, _, work) =>
        work({
          ...PLAIN,
          removeAll: (doomed, onDeleted) =>
            sendEach(
              doomed,
              async (one) => {
                await client.entries.remove(one.id)
                await onDeleted(one)
                return {}
              },
              { signal },
            ),
        }),
    })
  })
}
