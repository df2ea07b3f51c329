import type { Command, OptionValues } from '@commander-js/extra-typings'
import type { Client } from '../../../client/client.ts'
import type { Named } from '../../../client/directory.ts'
import { fullName } from '../../../domain/resources/user.ts'
import { idsIn, listedIn } from '../../args/names.ts'
import { UsageError } from '../../exit.ts'
import type { SelectedLinks } from './links.ts'

/** Adds the flags that select KPIs and users. */
export const addSelection = <Arguments extends unknown[], Flags extends OptionValues>(
  command: Command<Arguments, Flags>,
) =>
  command
    .option('--kpis <list>', 'KPIs by id or name, separated by commas; all for every active one')
    .option('--category <list>', 'the active KPIs of these categories')
    .option('--users <list>', 'users by id, name or e-mail address, separated by commas; all for every active one')
    .option('--group <list>', 'the active users who belong to an item of these groups')

/** Describes the flags that select KPIs and users. */
export type AssignSelection = {
  readonly kpis?: string | undefined
  readonly category?: string | undefined
  readonly users?: string | undefined
  readonly group?: string | undefined
}

/** Matches what stands for everything that is active. */
const ALL = /^\s*(?:all|\*)\s*$/i
const WORD = /^\s*all\s*$/i

/** Refuses `all` where something has that name. */
const requireNoneNamedAll = (flag: string, list: string | undefined, names: readonly Named[]): void => {
  const named = names.filter(({ name }) => WORD.test(name)).map(({ id }) => `"#${id}"`)
  if (list === undefined || !WORD.test(list) || named.length === 0) return
  throw new UsageError(
    `${flag} all may be ${named.join(' or ')}, which has that name, or everything; write ${named[0]}, or "*" for everything`,
  )
}

const isListed = (list: string | undefined): list is string => list !== undefined && !ALL.test(list)

/** Returns what a line does not say of which KPIs and which users. */
const missingParts = ({ kpis, category, users, group }: AssignSelection): string[] => [
  ...(kpis === undefined && category === undefined ? ['which KPIs (--kpis or --category)'] : []),
  ...(users === undefined && group === undefined ? ['which users (--users or --group)'] : []),
]

/** Tells whether a line says which KPIs and which users. */
export const isSelection = (selection: AssignSelection): boolean => missingParts(selection).length === 0

/** Refuses a line that does not say which KPIs and which users. */
export const requireSelection = (selection: AssignSelection): void => {
  const missing = missingParts(selection)
  if (missing.length > 0) throw new UsageError(`say ${missing.join(', and ')}`)
}

const kpisOf = async (client: Client, { kpis, category }: AssignSelection): Promise<readonly Named[]> => {
  const listed = isListed(kpis) ? await listedIn(client, 'kpi', '--kpis', kpis) : undefined
  if (listed && category === undefined) return listed
  const categories = category === undefined ? undefined : await idsIn(client, 'category', '--category', category)
  const all = await client.kpis.list()
  requireNoneNamedAll('--kpis', kpis, all)
  const active = all.filter(({ is_active }) => is_active)
  return active
    .filter((one) => categories?.includes(one.category_id ?? NaN) ?? true)
    .filter(({ id }) => listed?.some((one) => one.id === id) ?? true)
}

const usersOf = async (client: Client, { users, group }: AssignSelection): Promise<readonly Named[]> => {
  const listed = isListed(users) ? await listedIn(client, 'user', '--users', users) : undefined
  if (listed && group === undefined) return listed
  const groups = group === undefined ? undefined : await idsIn(client, 'group', '--group', group)
  const found: Named[] = []
  const all = (await client.users.list()).map((user) => ({ ...user, name: fullName(user) }))
  requireNoneNamedAll('--users', users, all)
  for (const { id, email, name, user_status_id } of all) {
    if (user_status_id === 'L' || (listed && !listed.some((one) => one.id === id))) continue
    const items = groups && (await client.userGroupItems(id).list())
    if (items?.some(({ group_id }) => groups?.includes(group_id)) ?? true) found.push({ id, email, name })
  }
  return found
}

/** Returns the selected users, and the KPIs that each of them has or gets. */
export const selectLinks = async (client: Client, selection: AssignSelection): Promise<SelectedLinks> => {
  const [known, users] = [await kpisOf(client, selection), await usersOf(client, selection)]
  if (known.length === 0) throw new UsageError(`no active KPI is in --category ${selection.category}`)
  if (users.length === 0) throw new UsageError(`no active user is in --group ${selection.group}`)
  return { users, known }
}

/** Returns the selection as a person wrote it, for a question. */
export const selectionText = ({ kpis, category, users, group }: AssignSelection): string => {
  const which = (list: string | undefined, within: string | undefined, title: string, whose: string): string =>
    [title, list ?? [], within === undefined ? [] : `of ${whose} ${within}`].flat().join(' ')
  return `${which(kpis, category, 'KPIs', 'category')} from ${which(users, group, 'users', 'group')}`
}
