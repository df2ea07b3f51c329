import type { Client } from '../client/client.ts'
import { createDirectory, type Named } from '../client/directory.ts'
import { readIfAllowed } from '../client/operations/read-if-allowed.ts'
import { Fault } from '../domain/errors.ts'
import { fullName } from '../domain/resources/user.ts'
import { isColumnName } from '../import/columns/header.ts'
import { createNameColumn } from '../import/columns/name-column.ts'
import type { NameRole } from '../import/options.ts'
import { isPlainName } from './text-format.ts'

/** Returns the text for something with an id. */
export type Label = (id: number) => string

/** Describes the texts for all that a file names. */
export type Labels = { readonly user: Label; readonly kpi: Label; readonly source: Label }

/** Names everything by its id, if names cannot be read. */
const byId: Label = String

/**
 * Returns texts by names or ids, as far as an import finds each by them: an id that is another's name is marked as an
 * id.
 */
const labeller = (role: NameRole, list: readonly Named[], hasNames: boolean, mayStand = isPlainName): Label => {
  const directory = createDirectory(role, list)
  const finds = (text: string, id: number): boolean => {
    // A name that means something else in a column of its own could mean that in any column.
    const column = createNameColumn({ role, header: '', as: undefined }, directory)
    const found = mayStand(text) ? column.find(text) : new Fault('')
    return !(found instanceof Fault) && found.id === id && (column.numbers()?.as ?? 'ids') === 'ids' && !column.doubt()
  }
  const labels = new Map(
    [...directory.byId].map(([id, { name, email }]) => [
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
  role: NameRole,
  hasNames: boolean,
  reading: Promise<readonly Named[]>,
  mayStand = isPlainName,
): Promise<Label> => {
  const list = await readIfAllowed(client, reading)
  return list ? labeller(role, list, hasNames, mayStand) : byId
}

const usersOf = async (client: Client): Promise<Named[]> =>
  (await client.users.list()).map((user) => ({ id: user.id, email: user.email, name: fullName(user) }))

const readUsers = (client: Client, hasNames: boolean, mayStand = isPlainName): Promise<Label> =>
  labelsOf(client, 'user', hasNames, usersOf(client), mayStand)
const readKpis = (client: Client, hasNames: boolean, mayStand = isPlainName): Promise<Label> =>
  labelsOf(client, 'kpi', hasNames, client.kpis.list(), mayStand)

/** Reads the texts for cells; for breakdown items where there is a column of them. */
export const readLabels = async (client: Client, hasSources: boolean, hasNames: boolean): Promise<Labels> => {
  const items = hasSources ? labelsOf(client, 'source', hasNames, client.breakdownItems.list()) : byId
  const [user, kpi, source] = await Promise.all([readUsers(client, hasNames), readKpis(client, hasNames), items])
  return { user, kpi, source }
}

/** Tells whether a name may head a column without being taken for a column's own name. */
const mayHead = (name: string): boolean => isPlainName(name) && !isColumnName(name)

/** Reads the headings of wide files: names, so that no id is taken for that of something else. */
export const readHeadings = (client: Client, of: 'kpi' | 'user'): Promise<Label> =>
  of === 'kpi' ? readKpis(client, true, mayHead) : readUsers(client, true, mayHead)
