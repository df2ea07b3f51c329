import type { Client } from '../client/client.ts'
import { createDirectory, type Directory, type Named } from '../client/directory.ts'
import { Fault } from '../domain/errors.ts'
import { fullName } from '../domain/resources/user.ts'
import type { Resource } from '../domain/schema.ts'
import { UsageError } from './exit.ts'

/** What can be called by name on the command line. */
export type NamedKind = 'kpi' | 'user' | 'category' | 'unit' | 'icon'

const TITLES: Record<NamedKind, string> = { kpi: 'KPI', user: 'user', category: 'category', unit: 'unit', icon: 'icon' }

const lists: Record<NamedKind, (client: Client) => Promise<readonly Named[]>> = {
  kpi: (client) => client.kpis.list(),
  user: async (client) =>
    (await client.users.list()).map((user) => ({ id: user.id, email: user.email, name: fullName(user) })),
  category: (client) => client.categories.list(),
  unit: (client) => client.units.list(),
  icon: (client) => client.icons.list(),
}

export const isNamedKind = (name: string): name is NamedKind => name in lists

/** Everything of a kind, to be found by id, name or e-mail address. */
export const directoryOf = async (client: Client, kind: NamedKind): Promise<Directory<Named>> =>
  createDirectory(TITLES[kind], await lists[kind](client))

/** The id of what a text names, in a directory; a text that names nothing, or too much, is wrong usage. */
export const idIn = (directory: Directory<Named>, text: string): number => {
  const found = directory.find(text)
  if (found instanceof Fault) throw new UsageError(found.message)
  return found.id
}

/** The ids of a list with commas between its names. All names that are not known are told at once. */
export const idsIn = (directory: Directory<Named>, list: string): number[] => {
  const found = list
    .split(',')
    .filter((text) => text.trim() !== '')
    .map((text) => directory.find(text))
  const faults = found.filter((one) => one instanceof Fault)
  if (faults.length > 0) throw new UsageError(faults.map(({ message }) => message).join('; '))
  return found.flatMap((one) => (one instanceof Fault ? [] : [one.id]))
}

/** The id of what a text names. A number is taken as the id without asking. */
export const resolveId = async (client: Client, kind: NamedKind, text: string): Promise<number> =>
  /^\d{1,15}$/.test(text.trim()) ? Number(text) : idIn(await directoryOf(client, kind), text)

/** The id of one of a resource, by id or, where it has names, by name. */
export const resolveRecordId = async (client: Client, of: Resource, text: string): Promise<number> => {
  if (isNamedKind(of.name)) return resolveId(client, of.name, text)
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new UsageError(`"${text}" is not the id of a ${of.title}`)
}

/** As `resolveRecordId`, also for the resources whose ids are letters. */
export const resolveKey = async (client: Client, of: Resource, text: string): Promise<number | string> =>
  of.fields['id']?.kind === 'choice' ? text : resolveRecordId(client, of, text)
