import type { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { entryPages } from '../../client/entry-pages.ts'
import { formatDay } from '../../domain/day.ts'
import { Fault } from '../../domain/errors.ts'
import { valueOfText } from '../../domain/field-value.ts'
import { type Entry, entry, type EntryPatch } from '../../domain/resources/entry.ts'
import { type AnyRecord, asPatch, type FieldValue } from '../../domain/schema.ts'
import type { Act, Register } from '../cli.ts'
import { rangeOfWords, todayAt } from '../day-words.ts'
import { UsageError } from '../exit.ts'
import { type FlagValues } from '../flags.ts'
import { resolveId } from '../names.ts'
import { printRecords } from '../output/print.ts'
import { addDelete } from '../verbs/delete.ts'
import { addGet } from '../verbs/get.ts'
import { addListOptions, applyListOptions, chooseColumns, type ListOptions } from '../verbs/list-options.ts'
import { addImport } from './entries-import.ts'

const idOf = async (client: Client, kind: 'user' | 'kpi', text: unknown): Promise<number | undefined> =>
  typeof text === 'string' ? resolveId(client, kind, text) : undefined

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
  act(addListOptions(command), async (cli, _, options) => {
    const range = rangeOfWords(String(options['from']), String(options['to']), todayAt(cli.io.now()))
    applyListOptions(entry, [], options)
    const columns = chooseColumns(entry, options, cli.printing().format)
    await cli.withClient(async (client) => {
      const userId = await idOf(client, 'user', options['user'])
      const kpiId = await idOf(client, 'kpi', options['kpi'])
      const pages = entryPages(client, { ...range, userId, kpiId })
      await printRecords(cli.io, cli.printing(), columns, listed(pages, options))
    })
  })
}

const VALUES = ['actual', 'target', 'notes'] as const

/** The fields of an entry that are given by name and meaning alike. */
const readValues = (flags: FlagValues): EntryPatch => {
  const values: Record<string, FieldValue> = {}
  for (const name of VALUES) {
    const text = flags[name]
    if (typeof text !== 'string') continue
    const value = valueOfText(entry.fields[name], text)
    if (value instanceof Fault) throw new UsageError(`--${name} ${value.message}`)
    values[name] = value
  }
  if (Object.keys(values).length === 0) throw new UsageError('an entry needs --actual, --target or --notes')
  return asPatch(entry, values)
}

const readDate = (text: string): number => {
  const day = valueOfText(entry.fields.entry_date, text)
  if (typeof day !== 'number')
    throw new UsageError(`--date ${day instanceof Fault ? day.message : 'must not be empty'}`)
  return day
}

const addAddCommand = (group: Command, act: Act): void => {
  const command = group
    .command('add')
    .description('add an entry, or update the one of this user, KPI and date; an empty value clears what is stored')
    .requiredOption('--user <user>', 'whose value it is, by id, name or e-mail address')
    .requiredOption('--kpi <kpi>', 'what it is a value of, by id or name')
    .option('--date <date>', 'the day it is for (default: today)')
    .option('--actual <number>', entry.fields.actual.about)
    .option('--target <number>', entry.fields.target.about)
    .option('--notes <text>', entry.fields.notes.about)
    .option('--add-to-actual', 'add the actual to the one that is stored')
  act(command, async (cli, _, flags) => {
    const values = readValues(flags)
    const today = formatDay(todayAt(cli.io.now()))
    const entry_date = readDate(typeof flags['date'] === 'string' ? flags['date'] : today)
    const added = await cli.withClient(async (client) => {
      const user_id = await idOf(client, 'user', flags['user'])
      const kpi_id = (await idOf(client, 'kpi', flags['kpi'])) ?? 0
      const addToActual = flags['addToActual'] === true ? { addToActual: true } : {}
      return client.entries.add({ ...values, ...addToActual, user_id, kpi_id, entry_date })
    })
    await cli.printOne(entry, added)
  })
}

/** `kpi entries …` */
export const entries: Register = (group, act) => {
  addListCommand(group, act)
  addGet(group, act, entry, (client, key) => client.entries.get(key))
  addAddCommand(group, act)
  addDelete(group, act, entry, (client, id) => client.entries.remove(id))
  addImport(group, act)
}
