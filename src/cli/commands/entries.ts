import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { entryPages } from '../../client/entry-pages.ts'
import { type Entry, entry, type EntryDraft } from '../../domain/resources/entry.ts'
import { type AnyRecord, asDraft, asPatch } from '../../domain/schema.ts'
import type { Act, Cli, Register } from '../cli.ts'
import { dateOfWord, rangeOfWords, todayAt } from '../day-words.ts'
import { addExamples } from '../examples.ts'
import { type FieldFlag, type FlagValues, mustBeRight, readFlags } from '../flags.ts'
import { printRecords } from '../output/print.ts'
import { addDelete } from '../verbs/delete.ts'
import { addGet } from '../verbs/get.ts'
import { addListOptions, applyListOptions, chooseColumns, type ListOptions } from '../verbs/list-options.ts'
import { addImport } from './entries-import.ts'

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

/** The pages of entries that are left by the list's options; as they come, where they need not be ordered. */
async function* listed(
  pages: AsyncIterable<readonly Entry[]>,
  options: ListOptions,
): AsyncGenerator<readonly AnyRecord[]> {
  const { limit, ...narrowing } = options
  if (options.sort !== undefined) {
    const all: Entry[] = []
    for await (const page of pages) all.push(...page)
    yield applyListOptions(entry, all, options)
    return
  }
  let room = limit === undefined ? Infinity : Number(limit)
  for await (const page of pages) {
    const kept = applyListOptions(entry, page, narrowing).slice(0, room)
    yield kept
    room -= kept.length
    if (room <= 0) return
  }
}

const addListCommand = (group: Command, act: Act): void => {
  const command = group
    .command('list')
    .description('list the entries of a range of days, by day')
    .option('--from <day>', 'first day: a date, today, -7d, this-month and the like', '-30d')
    .option('--to <day>', 'last day', 'today')
    .option('--user <user>', 'only of this user, by id, name or e-mail address')
    .option('--kpi <kpi>', 'only of this KPI, by id or name')
  addExamples(
    addListOptions(command),
    'entries list --user "Ann Lee" --from this-month',
    'entries list --kpi Revenue --from 2026-01-01 --to 2026-03-31 -o csv',
  )
  act(command, async (cli, _, options) => {
    const range = rangeOfWords(String(options['from']), String(options['to']), todayAt(cli.io.now()))
    applyListOptions(entry, [], options)
    const columns = chooseColumns(entry, options, cli.printing().format)
    await cli.withClient({ of: entry, verb: 'list' }, async (client) => {
      const { user_id: userId, kpi_id: kpiId } = asPatch(entry, mustBeRight(await readFlags(client, WHOSE, options)))
      const pages = entryPages(client, { ...range, userId: userId ?? undefined, kpiId })
      await printRecords(cli.io, cli.printing(), columns, listed(pages, options))
    })
  })
}

/** The entry that the flags give; of today, unless they say otherwise. */
const readEntry = async (cli: Cli, client: Client, flags: FlagValues): Promise<EntryDraft> => {
  const today = todayAt(cli.io.now())
  const { date } = flags
  const dated = typeof date === 'string' ? { ...flags, date: dateOfWord(date, today) } : flags
  const given = await readFlags(client, [...WHOSE, DATE, ...VALUES], dated)
  if (!VALUES.some(({ flag }) => flags[flag] !== undefined)) {
    given.faults.push('an entry needs --actual, --target or --notes')
  }
  const addToActual = flags['addToActual'] === true ? { addToActual: true } : {}
  return asDraft(entry, { entry_date: today, ...mustBeRight(given), ...addToActual })
}

const addAddCommand = (group: Command, act: Act): void => {
  const command = group
    .command('add')
    .description('add an entry, or update the one of this user, KPI and date; an empty value clears what is stored')
    .requiredOption('--user <user>', 'whose value it is, by id, name or e-mail address')
    .requiredOption('--kpi <kpi>', 'what it is a value of, by id or name')
    .option('--date <date>', 'the day it is for: a date, yesterday, -7d (default: today)')
    .option('--actual <number>', entry.fields.actual.about)
    .option('--target <number>', entry.fields.target.about)
    .option('--notes <text>', entry.fields.notes.about)
    .option('--add-to-actual', 'add the actual to the one that is stored')
  addExamples(
    command,
    'entries add --user ann@example.com --kpi Revenue --actual 12.5',
    'entries add --user "Ann Lee" --kpi Visits --date 2026-03-01 --actual 3 --add-to-actual --notes "two shops"',
  )
  act(command, async (cli, _, flags) => {
    const added = await cli.withClient({ of: entry, verb: 'add' }, async (client) =>
      client.entries.add(await readEntry(cli, client, flags)),
    )
    await cli.printOne(entry, added)
  })
}

/** `kpi entries …` */
export const entries: Register = (group, act) => {
  addListCommand(group, act)
  addGet(group, act, entry, (client, id) => client.entries.get(id), { name: '1' })
  addAddCommand(group, act)
  addDelete(group, act, entry, (client, id) => client.entries.remove(id), { name: '1' })
  addImport(group, act)
}
