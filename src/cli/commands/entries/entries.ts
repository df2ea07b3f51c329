import { type Command, Option } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import { type Day, formatDay } from '../../../domain/day.ts'
import { type Entry, entry, type EntryDraft, newerEntry } from '../../../domain/resources/entry.ts'
import { type AnyRecord, asDraft, type Resource } from '../../../domain/schema.ts'
import { addRange, daysOf, readRange } from '../../args/day-range.ts'
import { addExamples } from '../../args/examples.ts'
import { isPeriodOf, notItsPeriod, readDateDays, tellDay } from '../../args/entry-date.ts'
import { type FieldFlag, type ParsedFlags, requireNoFaults, readFlags } from '../../args/flags.ts'
import { faultOfDays, isPeriodWord, parseRelativeDate } from '../../args/relative-dates.ts'
import { type Act, type Cli, PACED, type Register } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { printRecords } from '../../output/print.ts'
import { addOutput } from '../../output/printed.ts'
import { emptyBecause, isShort, tellEmpty } from '../../output/short-answer.ts'
import { requireEntrySource, readSource } from '../../target/source.ts'
import { addGet } from '../verbs/all.ts'
import { addListOptions, addNameOptions, type ListOptions, type ListView, listView } from '../verbs/list-options.ts'
import { createNames, type Names } from '../verbs/reference-names.ts'
import { printSent } from '../verbs/send-each.ts'
import { addDeleteEntries } from './delete.ts'
import { addEnter } from './enter-command.ts'
import { addExport } from './export-command.ts'
import { addImport } from './import-command.ts'
import { needsOf, selected, WHOSE } from './selection.ts'
import { tellAdded } from './tell-added.ts'
import { addUndo } from './undo-command.ts'
import { addUpdateEntries } from './update.ts'

const { entry_date, actual, target, notes } = entry.fields
const DATE: FieldFlag = { flag: 'date', name: 'entry_date', field: entry_date }
const VALUES: readonly FieldFlag[] = [
  { flag: 'actual', name: 'actual', field: actual },
  { flag: 'target', name: 'target', field: target },
  { flag: 'notes', name: 'notes', field: notes },
]

/** Returns the entry resource as the variant shows it. */
const shownBy = ({ variant }: Pick<Client, 'variant'>): Resource => (variant === 'classic' ? entry : newerEntry)

/** Yields the entries that a view selects, page by page unless they are sorted. */
async function* listed(
  { select }: ListView,
  pages: AsyncIterable<readonly Entry[]>,
  { sort, limit }: ListOptions,
  names: Names,
): AsyncGenerator<readonly AnyRecord[]> {
  if (sort !== undefined) {
    const all: Entry[] = []
    for await (const page of pages) for (const one of page) all.push(one)
    yield await select(all, names)
    return
  }
  let room = limit === undefined ? Infinity : Number(limit)
  for await (const page of pages) {
    const kept = (await select(page, names)).slice(0, room)
    yield kept
    room -= kept.length
    if (room <= 0) return
  }
}

/** Counts the records that pass by. */
const counted = (
  pages: AsyncIterable<readonly AnyRecord[]>,
): { readonly chunks: AsyncIterable<readonly AnyRecord[]>; readonly count: () => number } => {
  let count = 0
  async function* chunks(): AsyncGenerator<readonly AnyRecord[]> {
    for await (const page of pages) {
      count += page.length
      yield page
    }
  }
  return { chunks: chunks(), count: () => count }
}

const addListCommand = (group: Command, act: Act): void => {
  const command = addNameOptions(
    addListOptions(
      addRange(group.command('list').description('list the entries of a range of days, by day'))
        .option('--user <list>', 'only of these users, by id, name or e-mail address, separated by commas')
        .addOption(
          new Option('--source <item>', 'only of this breakdown item, by id or name') //
            .conflicts('user'),
        )
        .option('--kpi <list>', 'only of these KPIs, by id or name'),
    ),
  )
  addExamples(
    command,
    'entries list --user "Ann Lee" --from this-month',
    'entries list --kpi Revenue --from 2026-01-01 --to 2026-03-31 -o csv',
  )
  addOutput(command, () => [entry, newerEntry].map((of) => ({ of, isList: true })))
  act(command, async (cli, _, options) => {
    const rangeOf = readRange(cli, options)
    const work = async (client: Client): Promise<void> => {
      const of = shownBy(client)
      const view = listView(of, options, cli.printing().format)
      const range = await rangeOf(client)
      const pages = await selected(client, range, options)
      const names = createNames(client)
      // Refuse a name in a filter that nothing has, even where there are no entries.
      await view.select([], names)
      const { chunks, count } = counted(listed(view, pages, options, names))
      await printRecords(cli.io, cli.printing(), await names.inUnits(view.columns, cli.printing()), chunks)
      if (count() === 0) await tellEmpty(cli, of, `${emptyBecause(options)} from ${daysOf(range)}`)
      else if (options.from === undefined) await cli.note(`listed ${daysOf(range)}; --from lists earlier days`)
    }
    await cli.withClient(needsOf('list', options.source), work, PACED)
  })
}

/** Declares `kpi entries add` and its flags. */
const declareAdd = (group: Command) =>
  group
    .command('add')
    .description('add an entry, or update the one of this user, KPI and date; an empty value clears what is stored')
    .option('--user <user>', 'whose value it is, by id, name or e-mail address (required, or --source)')
    .addOption(
      new Option('--source <item>', 'the breakdown item whose value it is, by id or name') //
        .conflicts('user'),
    )
    .requiredOption('--kpi <kpi>', 'what it is a value of, by id or name')
    .option(
      '--date <date>',
      'the day it is for: a date, yesterday, -7d; for a weekly KPI also a week, for a monthly one a month, and so on: last-month, 2026-W07 (default: today)',
    )
    .option('--actual <number>', entry.fields.actual.about)
    .option('--target <number>', entry.fields.target.about)
    .option('--notes <text>', entry.fields.notes.about)
    .option('--add-to-actual', 'add the actual to the one that is stored')
    .option('--dry-run', 'send nothing, and show the old and new values')

type AddFlags = ReturnType<ReturnType<typeof declareAdd>['opts']>

/** Adds the date that a word for a period gives: its first day, if the KPI has such periods. */
const addPeriod = async (client: Client, { fields, faults }: ParsedFlags, word: string, today: Day): Promise<void> => {
  const { kpi_id } = fields
  if (typeof kpi_id !== 'number') return
  const kpi = await client.kpis.get(kpi_id)
  const days = await readDateDays(client, word, today)
  if (isPeriodOf(kpi, days)) fields['entry_date'] = days.from
  else faults.push(notItsPeriod(word, days, kpi))
}

/** Returns the entry that the flags describe; today's, unless they give a date. */
const readEntry = async (cli: Cli, client: Client, flags: AddFlags): Promise<EntryDraft> => {
  const today = cli.today()
  const { date } = flags
  const period = date !== undefined && isPeriodWord(date) ? date : undefined
  const fault = date === undefined ? undefined : faultOfDays(date)
  const isDay = date !== undefined && period === undefined && fault === undefined
  const day = isDay ? parseRelativeDate(date, today.day).trim() : undefined
  const given = await readFlags(
    client,
    [...WHOSE, DATE, ...VALUES],
    { ...flags, date: day },
    { kpis: ({ kpi_id }) => (typeof kpi_id === 'number' ? [kpi_id] : []), note: (text) => cli.note(text) },
  )
  if (fault !== undefined) given.faults.push(`--date ${fault}`)
  if (period !== undefined) await addPeriod(client, given, period, today.day)
  if (flags.actual === undefined && flags.target === undefined && flags.notes === undefined) {
    given.faults.push('an entry needs --actual, --target or --notes')
  }
  const addToActual = flags.addToActual === true ? { addToActual: true } : {}
  const item = await readSource(client, flags, given)
  const fields = { entry_date: today.day, ...requireNoFaults(given), ...addToActual }
  await tellDay(cli, date, formatDay(fields.entry_date))
  if (!item) return asDraft(newerEntry, fields)
  requireEntrySource(cli, item)
  return asDraft(newerEntry, { ...fields, source_id: item.id })
}

const addAddCommand = (group: Command, act: Act): void => {
  const command = declareAdd(group)
  addExamples(
    command,
    'entries add --user ann@example.com --kpi Revenue --actual 12.5',
    'entries add --source North --kpi Visits --actual 40',
    'entries add --user ann@example.com --kpi Revenue --actual 12.5 --dry-run',
    'entries add --user "Ann Lee" --kpi Visits --date 2026-03-01 --actual 3 --add-to-actual --notes "two shops"',
  )
  addOutput(command, async () => [
    { of: entry, isList: false },
    { of: (await import('../verbs/dry-run-rows.ts')).changeRow, isList: true },
  ])
  act(command, async (cli, _, flags) => {
    if (flags.user === undefined && flags.source === undefined) {
      throw new UsageError('say whose value it is: --user <id|name|email>, or --source <item>')
    }
    await cli.withClient(needsOf('add', flags.source), async (client) => {
      const draft = await readEntry(cli, client, flags)
      if (flags.dryRun) {
        const { printPlannedAdd } = await import('./planned-add.ts')
        return printPlannedAdd(cli, client, shownBy(client), draft)
      }
      const say = isShort(cli) ? await tellAdded(cli, client, draft) : undefined
      const stored = await client.entries.add(draft)
      if (say) return say(stored)
      return printSent(
        cli,
        client,
        shownBy(client),
        { records: [stored], done: [draft], total: 1, failure: undefined },
        'created',
      )
    })
  })
}

/** Registers `kpi entries …` */
export const entries: Register = (group, act) => {
  addListCommand(group, act)
  addGet(group, act, entry, (client, id) => client.entries.get(id), { name: '1', shownBy })
  addAddCommand(group, act)
  addUpdateEntries(group, act)
  addEnter(group, act)
  addDeleteEntries(group, act)
  addImport(group, act)
  addUndo(group, act)
  addExport(group, act)
}
