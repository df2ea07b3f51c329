import type { Client } from '../client/client.ts'
import { createDirectory, type Directory, type Named } from '../client/directory.ts'
import { mapWithPauses, pauseEvery } from '../client/next-turn.ts'
import { listNamed } from '../client/operations/kind-operations.ts'
import { readIfAllowed } from '../client/operations/read-if-allowed.ts'
import { Fault, KpiError } from '../domain/errors.ts'
import { newName, looseName } from '../domain/name-form.ts'
import type { Pause } from '../domain/pause.ts'
import { isColumnName } from '../reading/columns/header.ts'
import { createNameColumns } from '../reading/columns/name-column.ts'
import { kindOfRole, type NameRole, titleOfRole } from '../reading/options/options.ts'
import { isPlainName } from './text-format.ts'

/** Returns the text for something with an id. */
export type Label = (id: number) => string

/** Describes the texts for all that a file names. */
export type Labels = { readonly user: Label; readonly kpi: Label; readonly source: Label }

/** Tells whether a text may stand for something in its place. */
type MayStand = (text: string) => boolean

/** Describes the texts that are wanted: names alone; or ids, or names where they are preferred. */
type Wanted = {
  readonly hasNames: boolean
  readonly signal: AbortSignal
  readonly preferred?: 'ids' | 'names'
  readonly mayStand?: MayStand
}

/** Names everything by its id, if names cannot be read. */
const byId: Label = String

/** Tells whether a text would be an id in an account where something has it. */
const isLikeId = (text: string): boolean => /^#?\d+$/.test(text)

/** Returns a function that tells whether an import finds something by a text, whatever column it is in. */
const finderOf = (role: NameRole, directory: Directory<Named>): ((text: string, id: number) => boolean) => {
  const columnOf = createNameColumns(directory)
  return (text, id) => {
    // A name that means something else in a column of its own could mean that in any column.
    const column = columnOf({ role, header: '', as: undefined })
    const found = column.find(text)
    return !(found instanceof Fault) && found.id === id && (column.numbers()?.as ?? 'ids') === 'ids' && !column.doubt()
  }
}

/** Sets how many things are named in one turn, between which signals and timers run. */
const NAMED_PER_TURN = 500

/**
 * Returns texts by ids, or by names where these are better, as far as an import finds each by them: an id that is
 * another's name is marked as an id.
 */
const labelsById = async (
  role: NameRole,
  list: readonly Named[],
  preferred: 'ids' | 'names',
  mayStand: MayStand,
  pause: Pause,
): Promise<Label> => {
  const directory = createDirectory(role, list)
  const finds = finderOf(role, directory)
  const labels = new Map(
    await mapWithPauses(directory.byId, pause, ([id, { name, email }]) => [
      id,
      [...(preferred === 'names' ? [name, email] : []), String(id)].find(
        (text) => text !== undefined && mayStand(text) && finds(text, id),
      ) ?? `#${id}`,
    ]),
  )
  return (id) => labels.get(id) ?? String(id)
}

/**
 * Returns texts that are names in any account, with an apostrophe before those that would be ids. It throws for what has
 * no name that an import finds: its id may be that of something else in another account.
 */
const labelsByName = async (
  role: NameRole,
  list: readonly Named[],
  mayStand: MayStand,
  pause: Pause,
): Promise<Label> => {
  const directory = createDirectory(role, list)
  const finds = finderOf(role, directory)
  const labels = new Map(
    await mapWithPauses(directory.byId, pause, ([id, { name, email }]) => {
      const plain = [name, email].filter((text) => text !== undefined && mayStand(text) && !isLikeId(text))
      const marked = /^\s|\s$|[\r\n]/.test(name) ? [] : [`'${name}`]
      // A name of several lines is found by its words alone, unless another one has them, too.
      return [id, [...plain, ...marked, newName(name)].find((text) => text !== undefined && finds(text, id))]
    }),
  )
  return (id) => labels.get(id) ?? refuseName(role, id, directory)
}

/** Refuses to write something by its name. */
const refuseName = (role: NameRole, id: number, { byId }: Directory<Named>): never => {
  const name = byId.get(id)?.name ?? ''
  const alike = [...byId.values()].filter((one) => one.id !== id && looseName(one.name) === looseName(name))
  const why =
    alike.length > 0
      ? `${alike.map((one) => one.id).join(', ')} and ${id} have one name`
      : `${id} cannot be found by its name`
  throw new KpiError(
    'conflict',
    `--names: the ${titleOfRole(role)}${alike.length > 0 ? 's' : ''} ${why}, "${name}": rename one, or leave out --names; then ids are written, which mean the same in this account only`,
  )
}

/** Calls things by what an import finds them by: by ids where names are not wanted. */
const labelsOf = async (
  client: Client,
  role: NameRole,
  { hasNames, signal, preferred = 'ids', mayStand = isPlainName }: Wanted,
): Promise<Label> => {
  const list = await readIfAllowed(client, listNamed(client, kindOfRole(role)))
  const pause = pauseEvery(NAMED_PER_TURN, signal)
  if (list && hasNames) return labelsByName(role, list, mayStand, pause)
  if (hasNames)
    throw new KpiError(
      'forbidden',
      `--names: the key may not read the names of each ${titleOfRole(role)}; leave out --names, or use another key`,
    )
  return list ? labelsById(role, list, preferred, mayStand, pause) : byId
}

/** Reads the texts for cells; for breakdown items where there is a column of them. */
export const readLabels = async (
  client: Client,
  hasSources: boolean,
  wanted: Pick<Wanted, 'hasNames' | 'signal'>,
): Promise<Labels> => {
  const items = hasSources ? labelsOf(client, 'source', wanted) : byId
  const [user, kpi, source] = await Promise.all([
    labelsOf(client, 'user', wanted),
    labelsOf(client, 'kpi', wanted),
    items,
  ])
  return { user, kpi, source }
}

/** Tells whether a name may head a column without being taken for a column's own name. */
const mayHead = (name: string): boolean => isPlainName(name) && !isColumnName(name)

/** Reads the headings of wide files: names, so that no id is taken for that of something else. */
export const readHeadings = (
  client: Client,
  of: 'kpi' | 'user',
  asked: Pick<Wanted, 'hasNames' | 'signal'>,
): Promise<Label> => {
  const wanted: Wanted = { ...asked, preferred: 'names', mayStand: mayHead }
  return labelsOf(client, of, wanted)
}
