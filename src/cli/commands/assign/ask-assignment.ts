import type { Client } from '../../../client/client.ts'
import { createDirectory, type Named } from '../../../client/directory.ts'
import { formatDecimal } from '../../../domain/decimal.ts'
import { Fault } from '../../../domain/errors.ts'
import { assignment } from '../../../domain/resources/assignment.ts'
import type { Kpi } from '../../../domain/resources/kpi.ts'
import { fullName } from '../../../domain/resources/user.ts'
import { choiceOf, idText } from '../../args/ask-fields.ts'
import { type FlagValues, readText } from '../../args/flags.ts'
import { idsIn } from '../../args/names.ts'
import { askChoice, askValid, type Choice } from '../../args/prompt.ts'
import type { Cli } from '../../cli.ts'

/** Returns things as choices that can stand in a list: by id where a list would read the name otherwise. */
const listChoices = (title: string, list: readonly Named[]): Choice[] => {
  const directory = createDirectory(title, list)
  return list.map((one) => {
    const { name, value } = choiceOf(directory, one)
    return { name, value: /[,"]|^all$/i.test(value) ? idText(directory, one.id) : value }
  })
}

const askUser = async (cli: Cli, client: Client): Promise<string> => {
  const active = (await client.users.list()).filter(({ user_status_id }) => user_status_id !== 'L')
  if (active.length === 0) throw new Error('there is no active user to assign KPIs to; make one with: kpi users create')
  const named = active.map((user) => ({ id: user.id, email: user.email, name: fullName(user) }))
  return askChoice(cli, 'Who gets the KPI (--users)', listChoices('user', named))
}

/** Asks for one of the active KPIs that the users of a line do not all have. */
const askKpi = async (cli: Cli, client: Client, users: unknown): Promise<Kpi & { readonly text: string }> => {
  const ids =
    typeof users === 'string' && !/^\s*all\s*$/i.test(users) ? await idsIn(client, 'user', '--users', users) : []
  const held: Set<number>[] = []
  for (const id of ids) held.push(new Set((await client.assignments(id).list()).map((one) => one.id)))
  const isHeld = (id: number): boolean => held.length > 0 && held.every((own) => own.has(id))
  const open = (await client.kpis.list()).filter(({ id, is_active }) => is_active && !isHeld(id))
  const choices = listChoices('KPI', open)
  const text = choices.length === 0 ? '' : await askChoice(cli, 'Which KPI (--kpis)', choices)
  const chosen = open.find((_, at) => choices[at]?.value === text)
  if (!chosen) throw new Error('there is no active KPI left to assign; make one with: kpi kpis create')
  return { ...chosen, text }
}

/** Asks for the users' own target; undefined leaves them the KPI's. */
const askTarget = async (cli: Cli, kpi: Kpi | undefined): Promise<string | undefined> => {
  const usual = kpi?.target_default === null || kpi === undefined ? '' : `, ${formatDecimal(kpi.target_default)}`
  const text = await askValid(cli, `Target (--target; Enter for the KPI's${usual})`, (answer) => {
    const value = answer === '' ? null : readText(assignment.fields.user_target, answer)
    return value instanceof Fault ? value.message : undefined
  })
  return text === '' ? undefined : text
}

/**
 * Asks at the terminal for the user and the KPI that a line does not say, and then for the target, unless it is given or
 * the KPI has none. Returns the answers as flags.
 */
export const askAssignment = async (cli: Cli, client: Client, flags: FlagValues): Promise<Record<string, string>> => {
  const answers: Record<string, string> = {}
  if (flags['users'] === undefined && flags['group'] === undefined) answers['users'] = await askUser(cli, client)
  let kpi: (Kpi & { readonly text: string }) | undefined
  if (flags['kpis'] === undefined && flags['category'] === undefined) {
    kpi = await askKpi(cli, client, answers['users'] ?? flags['users'])
    answers['kpis'] = kpi.text
  }
  const target = flags['target'] !== undefined || kpi?.target_default === null ? undefined : await askTarget(cli, kpi)
  return target === undefined ? answers : { ...answers, target }
}
