import { type Command, Option } from '@commander-js/extra-typings'
import type { Needs } from '../../../client/capabilities.ts'
import type { Client } from '../../../client/client.ts'
import { entryPages } from '../../../client/operations/entry-pages.ts'
import { formatDay } from '../../../domain/day.ts'
import type { DayRange } from '../../../domain/period.ts'
import { type Entry, entry, type EntryDraft, newerEntry } from '../../../domain/resources/entry.ts'
import { type AnyRecord, asDraft, asPatch, type Resource, type Verb } from '../../../domain/schema.ts'
import { addExamples } from '../../args/examples.ts'
import { type FieldFlag, type FlagValues, requireNoFaults, readFlags } from '../../args/flags.ts'
import { parseRelativeDate, readRange } from '../../args/relative-dates.ts'
import { type Act, type Cli, PACED, type Register } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { printRecords } from '../../output/print.ts'
import { isShort, tellEmpty } from '../../output/short-answer.ts'
import { requireEntrySource, readSource, NEEDS_BREAKDOWN_ITEMS, type SourceFlag } from '../../target/source.ts'
import { addDelete, addGet } from '../verbs/all.ts'
import { addListOptions, addNameOptions, type ListOptions, type ListView, listView } from '../verbs/list-options.ts'
import { createNames, type Names } from '../verbs/reference-names.ts'
import { addExport } from './export-command.ts'
import { addImport } from './import-command.ts'
import { tellAdded } from './tell-added.ts'
import { addUndo } from './undo-command.ts'

const { user_id, kpi_id, entry_date, actual, target, notes } = entry.fields
const WHOSE: readonly FieldFlag[] = [
  { flag: 'user', name: 'user_id', field: user_id },
  { flag: 'kpi', name: 'kpi_id', field: kpi_id },
]
const DATE: FieldFlag = { flag: 'date', name: 'entry_date', field: entry_date }
const VALUES: readonly FieldFlag[] = [
  { flag: 'actual', name: 'actual', field: actual },
  { flag: 'target', name: 'target', field: target },
  { flag: 'notes', name: 'notes', field: notes },
]

/** Returns the capabilities that a command on entries needs: more where entries may belong to any breakdown item. */
const needsOf = (verb: Verb, source: string | undefined): Needs =>
  source === undefined ? { of: entry, verb } : [{ of: entry, verb }, NEEDS_BREAKDOWN_ITEMS]

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
    for await (const page of pages) all.push(...page)
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

/** Keeps only the entries of a breakdown item. */
async function* ofItem(pages: AsyncIterable<readonly Entry[]>, item: number): AsyncGenerator<readonly Entry[]> {
  for await (const page of pages) yield page.filter(({ source_id }) => source_id === item)
}

/** Returns the entries that the flags select, a page at a time. */
const selected = async (
  client: Client,
  range: DayRange,
  options: FlagValues & SourceFlag,
): Promise<AsyncIterable<readonly Entry[]>> => {
  const given = await readFlags(client, WHOSE, options)
  const item = await readSource(client, options, given)
  const { user_id, kpi_id: kpiId } = asPatch(entry, requireNoFaults(given))
  const userId = item?.user_id ?? user_id ?? undefined
  if (!item || userId !== undefined) return entryPages(client, { ...range, userId, kpiId })
  // Filter here too: not every service knows this filter.
  return ofItem(entryPages(client, { ...range, sourceId: item.id, kpiId }), item.id)
}

const addListCommand = (group: Command, act: Act): void => {
  const command = addNameOptions(
    addListOptions(
      group
        .command('list')
        .description('list the entries of a range of days, by day')
        .option('--from <day>', 'first day: a date, today, -7d, this-month and the like', '-30d')
        .option('--to <day>', 'last day', 'today')
        .option('--user <user>', 'only of this user, by id, name or e-mail address')
        .addOption(
          new Option('--source <item>', 'only of this breakdown item, by id or name') //
            .conflicts('user'),
        )
        .option('--kpi <kpi>', 'only of this KPI, by id or name'),
    ),
  )
  addExamples(
    command,
    'entries list --user "Ann Lee" --from this-month',
    'entries list --kpi Revenue --from 2026-01-01 --to 2026-03-31 -o csv',
  )
  act(command, async (cli, _, options) => {
    const rangeOf = readRange(options, cli.today().day)
    const work = async (client: Client): Promise<void> => {
      const of = shownBy(client)
      const view = listView(of, options, cli.printing().format)
      const range = await rangeOf(client)
      const pages = await selected(client, range, options)
      const { chunks, count } = counted(listed(view, pages, options, createNames(client)))
      await printRecords(cli.io, cli.printing(), view.columns, chunks)
      const days = `${formatDay(range.from)} to ${formatDay(range.to)}`
      if (count() === 0) await tellEmpty(cli, of, ` from ${days}`)
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
    .option('--date <date>', 'the day it is for: a date, yesterday, -7d (default: today)')
    .option('--actual <number>', entry.fields.actual.about)
    .option('--target <number>', entry.fields.target.about)
    .option('--notes <text>', entry.fields.notes.about)
    .option('--add-to-actual', 'add the actual to the one that is stored')

type AddFlags = ReturnType<ReturnType<typeof declareAdd>['opts']>

/** Returns the entry that the flags describe; today's, unless they give a date. */
const readEntry = async (cli: Cli, client: Client, flags: AddFlags): Promise<EntryDraft> => {
  const today = cli.today()
  const { date } = flags
  const dated = date === undefined ? flags : { ...flags, date: parseRelativeDate(date, today.day) }
  if (dated.date !== date) await cli.note(`--date ${date} is ${dated.date} in ${today.zone}`)
  const given = await readFlags(client, [...WHOSE, DATE, ...VALUES], dated)
  if (flags.actual === undefined && flags.target === undefined && flags.notes === undefined) {
    given.faults.push('an entry needs --actual, --target or --notes')
  }
  const addToActual = flags.addToActual === true ? { addToActual: true } : {}
  const item = await readSource(client, flags, given)
  const fields = { entry_date: today.day, ...requireNoFaults(given), ...addToActual }
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
    'entries add --user "Ann Lee" --kpi Visits --date 2026-03-01 --actual 3 --add-to-actual --notes "two shops"',
  )
  act(command, async (cli, _, flags) => {
    if (flags.user === undefined && flags.source === undefined) {
      throw new UsageError('say whose value it is: --user <id|name|email>, or --source <item>')
    }
    const [of, added] = await cli.withClient(needsOf('add', flags.source), async (client) => {
      const draft = await readEntry(cli, client, flags)
      const say = isShort(cli) ? await tellAdded(cli, client, draft) : undefined
      const stored = await client.entries.add(draft)
      await say?.(stored)
      return [shownBy(client), stored] as const
    })
    if (!isShort(cli)) await cli.printOne(of, added)
  })
}

/** Registers `kpi entries …` */
export const entries: Register = (group, act) => {
  addListCommand(group, act)
  addGet(group, act, entry, (client, id) => client.entries.get(id), { name: '1' }, undefined, shownBy)
  addAddCommand(group, act)
  addDelete(group, act, entry, (client, id) => client.entries.remove(id), { name: '1' })
  addImport(group, act)
  addUndo(group, act)
  addExport(group, act)
}
