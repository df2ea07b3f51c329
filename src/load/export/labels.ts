import type { Client } from '../../client/client.ts'
import { createDirectory, type Named } from '../../client/directory.ts'
import { readIfAllowed } from '../../client/read-if-allowed.ts'
import { Fault } from '../../domain/errors.ts'
import { fullName } from '../../domain/resources/user.ts'
import { isColumnName } from '../columns/header.ts'
import { isPlainName } from './form.ts'

/** How a file calls something that has an id. */
export type Label = (id: number) => string

/** How a file calls what it speaks of. */
export type Labels = { readonly user: Label; readonly kpi: Label; readonly source: Label }

/** Calls everything by its id, as nothing more is known. */
const byId: Label = String

/** By names or by ids, as far as an import finds each by them: where an id is the name of another, it is marked as an id. */
const labeller = (title: string, list: readonly Named[], hasNames: boolean): Label => {
  const { byId: known, find } = createDirectory(title, list, true)
  const finds = (text: string, id: number): boolean => {
    const found = isPlainName(text) ? find(text) : new Fault('')
    return !(found instanceof Fault) && found.id === id
  }
  const labels = new Map(
    [...known].map(([id, { name, email }]) => [
      id,
      [...(hasNames ? [name, email] : []), String(id)].find((text) => text !== undefined && finds(text, id)) ??
        `#${id}`,
    ]),
  )
  return (id) => labels.get(id) ?? String(id)
}

/** Calls things by what an import finds them by: by ids alone where names are not wanted or cannot be read. */
const labelsOf = async (
  client: Client,
  title: string,
  hasNames: boolean,
  reading: Promise<readonly Named[]>,
): Promise<Label> => {
  const list = await readIfAllowed(client, reading)
  return list ? labeller(title, list, hasNames) : byId
}

const usersOf = async (client: Client): Promise<Named[]> =>
  (await client.users.list()).map((user) => ({ id: user.id, email: user.email, name: fullName(user) }))

const readUsers = (client: Client, hasNames: boolean): Promise<Label> =>
  labelsOf(client, 'user', hasNames, usersOf(client))
const readKpis = (client: Client, hasNames: boolean): Promise<Label> =>
  labelsOf(client, 'KPI', hasNames, client.kpis.list())

/** How the cells of a file call what it speaks of; breakdown items where there is a column for them. */
export const readLabels = async (client: Client, hasSources: boolean, hasNames: boolean): Promise<Labels> => {
  const items = hasSources ? labelsOf(client, 'breakdown item', hasNames, client.breakdownItems.list()) : byId
  const [user, kpi, source] = await Promise.all([readUsers(client, hasNames), readKpis(client, hasNames), items])
  return { user, kpi, source }
}

/** How the columns of a wide file are headed: by names, so that no id is taken for that of something else. */
export const readHeadings = async (client: Client, of: 'kpi' | 'user'): Promise<Label> => {
  const label = await (of === 'kpi' ? readKpis(client, true) : readUsers(client, true))
  return (id) => (isColumnName(label(id)) ? String(id) : label(id))
}
