import type { Client } from '../../../client/client.ts'
import { createDirectory } from '../../../client/directory.ts'
import { type Day, formatDay, parseDay } from '../../../domain/day.ts'
import { type Decimal, formatDecimal } from '../../../domain/decimal.ts'
import { Fault } from '../../../domain/errors.ts'
import { assignment } from '../../../domain/resources/assignment.ts'
import { type Entry, entry, type EntryDraft } from '../../../domain/resources/entry.ts'
import type { Kpi } from '../../../domain/resources/kpi.ts'
import { fullName, type User, user as users } from '../../../domain/resources/user.ts'
import { readText } from '../../args/flags.ts'
import { resolveRecordId } from '../../args/names.ts'
import { askChoice, askForYes, askValid } from '../../args/prompt.ts'
import { parseRelativeDate } from '../../args/relative-dates.ts'
import type { Cli } from '../../cli.ts'
import { UsageError } from '../../exit.ts'
import { countOf, shellWord } from '../../output/text.ts'
import type { EnterFlags } from './enter-command.ts'

/** Describes a KPI that is asked for: its unit, the target that counts, and the value that is there already. */
type Asked = {
  readonly kpi: Kpi
  readonly unit: string
  readonly target: Decimal | null
  readonly held: Entry | undefined
}

const labelOf = (user: User): string => fullName(user) || user.email

/** Returns the user of a line, or asks which of the active ones it is. */
const findUser = async (cli: Cli, client: Client, text: string | undefined): Promise<User> => {
  if (text !== undefined) return client.users.get(await resolveRecordId(client, users, text))
  const active = (await client.users.list()).filter(({ user_status_id }) => user_status_id === 'A')
  const [only, ...more] = active
  if (only && more.length === 0) return only
  const chosen = await askChoice(
    cli,
    'Whose values (--user)',
    active.map(({ email }) => email),
  )
  const found = active.find(({ email }) => email === chosen)
  if (!found) throw new UsageError('there is no active user')
  return found
}

const dayOf = (cli: Cli, text: string): Day => {
  const date = parseRelativeDate(text, cli.today().day)
  const day = parseDay(date)
  if (day === undefined) throw new UsageError(`--date ${text} is not a date; write YYYY-MM-DD, today, yesterday or -7d`)
  return day
}

/** Returns the KPIs that a user enters, in the order of the entry screen. */
const readAsked = async (client: Client, user: User, day: Day): Promise<Asked[]> => {
  const [assignments, kpis, units] = [
    await client.assignments(user.id).list(),
    createDirectory('KPI', await client.kpis.list()).byId,
    createDirectory('unit', await client.units.list()).byId,
  ]
  const held = await client.entries.list({ from: day, to: day, userId: user.id })
  return assignments
    .toSorted((one, other) => one.sort_order - other.sort_order)
    .flatMap(({ id, user_target }) => {
      const kpi = kpis.get(id)
      if (!kpi || kpi.is_calculated || !kpi.is_active) return []
      const target = kpi.target_default === null ? null : (user_target ?? kpi.target_default)
      const own = held.find(({ kpi_id, user_id }) => kpi_id === id && user_id === user.id)
      return [{ kpi, unit: units.get(kpi.unit_id ?? NaN)?.name ?? '', target, held: own }]
    })
}

const questionOf = ({ kpi, unit, target, held }: Asked): string => {
  const facts = [
    unit,
    ...(target === null ? [] : [`target ${formatDecimal(target)}`]),
    ...(held?.actual === null || held?.actual === undefined ? [] : [`now ${formatDecimal(held.actual)}`]),
  ]
  return `${kpi.name} (${facts.join(', ')}; Enter leaves it)`
}

/** Asks for the actual of one KPI; undefined leaves it as it is. */
const askActual = async (cli: Cli, asked: Asked): Promise<Decimal | undefined> => {
  const faultOf = (text: string): string | undefined => {
    const value = text === '' ? null : readText(entry.fields.actual, text)
    return value instanceof Fault ? value.message : undefined
  }
  const text = await askValid(cli, questionOf(asked), faultOf)
  const value = text === '' ? undefined : readText(entry.fields.actual, text)
  return typeof value === 'bigint' ? value : undefined
}

const askAll = async (cli: Cli, all: readonly Asked[], user: User, day: Day): Promise<EntryDraft[]> => {
  const drafts: EntryDraft[] = []
  for (const asked of all) {
    const actual = await askActual(cli, asked)
    if (actual !== undefined) drafts.push({ user_id: user.id, kpi_id: asked.kpi.id, entry_date: day, actual })
  }
  return drafts
}

/** Stores all values: together where the service takes that, so that all are there or none. */
const store = async (client: Client, drafts: readonly EntryDraft[]): Promise<void> => {
  if (client.isBundled()) await client.entries.addMany(drafts)
  else for (const draft of drafts) await client.entries.put(draft)
}

const lineOf = ({ email }: User, asked: readonly Asked[], { kpi_id, entry_date, actual }: EntryDraft): string => {
  const name = asked.find(({ kpi }) => kpi.id === kpi_id)?.kpi.name ?? String(kpi_id)
  const words = [
    '--user',
    email,
    '--kpi',
    name,
    '--date',
    formatDay(entry_date),
    '--actual',
    formatDecimal(actual ?? 0n),
  ]
  return ['kpi', 'entries', 'add', ...words].map(shellWord).join(' ')
}

const enter = async (cli: Cli, client: Client, flags: EnterFlags): Promise<void> => {
  const day = dayOf(cli, flags.date)
  const user = await findUser(cli, client, flags.user)
  const asked = await readAsked(client, user, day)
  const whose = `${labelOf(user)} on ${formatDay(day)}`
  if (asked.length === 0) return cli.note(`${labelOf(user)} has no KPIs to enter; kpi assign add gives some`)
  await cli.note(`values of ${whose}`)
  const drafts = await askAll(cli, asked, user, day)
  if (drafts.length === 0) return cli.note('nothing was entered')
  await askForYes(cli, `store ${countOf(drafts.length, 'value')} of ${whose}`)
  await store(client, drafts)
  await cli.note(`stored ${countOf(drafts.length, 'value')} of ${whose}; the same without questions:`)
  for (const draft of drafts) await cli.note(lineOf(user, asked, draft))
}

/** Runs `kpi entries enter`: asks for a day's values of a user, and stores them once all are confirmed. */
export const runEnter = (cli: Cli, flags: EnterFlags): Promise<void> =>
  cli.withClient({ of: assignment, verb: 'list' }, (client) => enter(cli, client, flags))
