import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import { createDirectory } from '../../../client/directory.ts'
import { formatDay } from '../../../domain/day.ts'
import { type Decimal, formatDecimal } from '../../../domain/decimal.ts'
import { Fault } from '../../../domain/errors.ts'
import { assignment } from '../../../domain/resources/assignment.ts'
import { entry } from '../../../domain/resources/entry.ts'
import { fullName, type User, user as users } from '../../../domain/resources/user.ts'
import { choiceOf } from '../../args/ask-fields.ts'
import { type DateDays, isPeriodOf, readDateDays, tellDay } from '../../args/entry-date.ts'
import { lineBeside } from '../../args/equivalent-line.ts'
import { readText } from '../../args/flags.ts'
import { resolveRecordId } from '../../args/names.ts'
import { askChoice, askForYes, askValid } from '../../args/prompt.ts'
import { type Cli, PACED } from '../../cli.ts'
import { countOf } from '../../output/text.ts'
import { isOneLine } from '../../output/width.ts'
import type { EnterFlags } from './enter-command.ts'
import { type AskedKpi, type EnteredKpi, isDue, questionOf, readEntered, undueLabel, withStored } from './enter-due.ts'
import { type EnteredValue, storeValues } from './enter-store.ts'

const labelOf = (user: User): string => fullName(user) || user.email

/** Returns the user of a line, or asks which of the active ones it is. */
const findUser = async (cli: Cli, client: Client, text: string | undefined): Promise<User> => {
  if (text !== undefined) return client.users.get(await resolveRecordId(client, users, text))
  const active = (await client.users.list()).filter(({ user_status_id }) => user_status_id === 'A')
  const [only, ...more] = active
  if (!only) throw new Error('there is no active user whose values could be entered; make one with: kpi users create')
  if (more.length === 0) return only
  const named = active.map((user) => ({ id: user.id, email: user.email, name: fullName(user) }))
  const directory = createDirectory('user', named)
  const choices = named.map((one) => ({ name: choiceOf(directory, one).name, value: String(one.id) }))
  const id = await askChoice(cli, 'Whose values (--user)', choices)
  return active.find((user) => String(user.id) === id) ?? only
}

/** Asks for the actual of one KPI; undefined leaves it as it is. */
const askActual = async (cli: Cli, asked: AskedKpi): Promise<Decimal | undefined> => {
  const faultOf = (text: string): string | undefined => {
    const value = text === '' ? null : readText(entry.fields.actual, text)
    return value instanceof Fault ? value.message : undefined
  }
  const text = await askValid(cli, questionOf(asked), faultOf)
  const value = text === '' ? undefined : readText(entry.fields.actual, text)
  return typeof value === 'bigint' ? value : undefined
}

/** Returns the line that enters one value. */
const lineOf = (command: CommandUnknownOpts, { email, id }: User, { kpi, day }: AskedKpi, actual: Decimal): string =>
  lineBeside(
    command,
    ['entries', 'add'],
    [
      ['--user', email || String(id)],
      ['--kpi', /^\d+$/.test(kpi.name) || !isOneLine(kpi.name) ? String(kpi.id) : kpi.name],
      ['--date', formatDay(day)],
      ['--actual', formatDecimal(actual)],
    ],
  )

const askAll = async (
  cli: Cli,
  command: CommandUnknownOpts,
  user: User,
  all: readonly AskedKpi[],
): Promise<EnteredValue[]> => {
  const values: EnteredValue[] = []
  for (const asked of all) {
    const actual = await askActual(cli, asked)
    if (actual === undefined) continue
    const draft = { user_id: user.id, kpi_id: asked.kpi.id, entry_date: asked.day, actual }
    values.push({ name: asked.kpi.name, draft, line: lineOf(command, user, asked, actual) })
  }
  return values
}

/** Returns why there is nothing to enter for a user at all, and the next step. */
const nothingToEnter = (command: CommandUnknownOpts, user: User, others: number): string => {
  if (others > 0)
    return `${labelOf(user)} has ${countOf(others, 'KPI')}, and none takes values: they are inactive or calculated`
  const line = lineBeside(command, ['assign', 'add'], [['--users', user.email || String(user.id)]])
  return `${labelOf(user)} has no KPIs; assign some with: ${line}`
}

/** Returns the KPIs to ask for, and says which others are not due. */
const chooseDue = async (
  cli: Cli,
  entered: readonly EnteredKpi[],
  days: DateDays,
  isAll: boolean,
): Promise<readonly EnteredKpi[]> => {
  const day = days.from
  const undue = isAll ? [] : entered.filter((one) => !isDue(one, day) || !isPeriodOf(one.kpi, days))
  if (undue.length > 0)
    await cli.note(`not due on ${formatDay(day)}: ${undue.map(undueLabel).join(', ')}; --all asks for all`)
  return entered.filter((one) => !undue.includes(one))
}

const enter = async (
  cli: Cli,
  client: Client,
  command: CommandUnknownOpts,
  flags: EnterFlags,
  signal: AbortSignal,
): Promise<void> => {
  const days = await readDateDays(client, flags.date ?? 'today', cli.today().day)
  const day = days.from
  await tellDay(cli, flags.date, formatDay(day))
  const user = await findUser(cli, client, flags.user)
  const whose = `${labelOf(user)} on ${formatDay(day)}`
  const { entered, others } = await readEntered(client, user.id, day)
  if (entered.length === 0) return cli.note(nothingToEnter(command, user, others))
  const asked = await withStored(client, user.id, day, await chooseDue(cli, entered, days, flags.all === true))
  if (asked.length === 0) return cli.note(`nothing of ${whose} is due`)
  await cli.note(`values of ${whose}`)
  const values = await askAll(cli, command, user, asked)
  if (values.length === 0) return cli.note('nothing was entered')
  await askForYes(cli, `store ${countOf(values.length, 'value')} of ${whose}`, true)
  await storeValues(client, values, whose, signal)
  await cli.note(`stored ${countOf(values.length, 'value')} of ${whose}; the same without questions:`)
  for (const { line } of values) await cli.note(line)
}

/** Runs `kpi entries enter`: asks for a day's values of a user, and stores them once all are confirmed. */
export const runEnter = (cli: Cli, command: CommandUnknownOpts, flags: EnterFlags): Promise<void> =>
  cli.withClient({ of: assignment, verb: 'list' }, (client, signal) => enter(cli, client, command, flags, signal), {
    ...PACED,
    signal: cli.io.interruption(),
  })
