import { didYouMeanName, nearest } from '../../client/nearest.ts'
import { kinds } from '../../changes/records/kind-fields.ts'
import type { Desired } from '../../changes/records/desired.ts'
import { type AccountRecord, isOfPerson, type Snapshot } from '../../changes/records/snapshot.ts'
import { whyNoName } from '../../changes/names/doubtful-names.ts'
import { Fault, type Issue } from '../../domain/errors.ts'
import { looseName, newName } from '../../domain/name-form.ts'
import { isNoName } from '../../domain/no-value-words.ts'
import { foldName, type HeaderFindings, unassignedColumns } from '../columns/header.ts'
import { isItemWord } from '../columns/owners.ts'
import { mapFlag, shellWord } from '../options/flag-text.ts'

/** Begins the role of a column whose cells are items of a group: `group-item:Shop`. */
const GROUP_ITEM = 'group-item:'

/** Returns the role of the column of a group's items. */
const roleOfGroup = (group: string): string => GROUP_ITEM + group

/** Returns the group that a role names; undefined if it is the role of something else. */
const groupOfRole = (role: string): string | undefined =>
  role.startsWith(GROUP_ITEM) && role.length > GROUP_ITEM.length ? role.slice(GROUP_ITEM.length).trim() : undefined

/** Returns a word as the role of the column of a group's items; undefined if it is none. */
export const asGroupRole = (word: string): string | undefined => (groupOfRole(word) === undefined ? undefined : word)

/** Says how such a role is given to a column. */
export const GROUP_ROLES = `, ${GROUP_ITEM}GROUP=COLUMN`

/** Describes a group as a file names it: one that the account has, or one that is to be created. */
type NamedGroup = { readonly name: string; readonly record: AccountRecord | undefined }

/** Describes a column whose cells are items of a group. */
export type GroupColumn = { readonly at: number; readonly header: string; readonly group: NamedGroup }

/** Creates what is missing, where the user says so. */
export const CREATE = '--create-missing'

/** Returns the group of a name, or why there is none. */
const findGroup = (snapshot: Snapshot, name: string, createMissing: boolean): NamedGroup | Fault => {
  const found = snapshot.find(['group'], name)
  if (!(found instanceof Fault)) return { name: found.name, record: found }
  if (createMissing) return { name: newName(name), record: undefined }
  return new Fault(found.message.includes('; ') ? found.message : `${found.message}; ${CREATE} creates it`)
}

/**
 * Finds the columns of groups: those that the user mapped, those that have the name of a group, and where what is missing is
 * created, those that are named for what groups are of.
 */
export const findGroupColumns = (
  found: HeaderFindings<string>,
  snapshot: Snapshot,
  createMissing: boolean,
): { readonly columns: readonly GroupColumn[]; readonly issues: readonly Issue[] } => {
  const { header, roles } = found
  const labelAt = (at: number): string => header[at]?.trim() ?? ''
  const issues: Issue[] = []
  const columns: GroupColumn[] = []
  for (const [role, at] of roles) {
    const name = groupOfRole(role)
    const group = name === undefined ? undefined : findGroup(snapshot, name, createMissing)
    if (group instanceof Fault) issues.push({ field: role, message: group.message })
    else if (group) columns.push({ at, header: labelAt(at), group })
  }
  const mapped = new Set(columns)
  for (const at of unassignedColumns(found)) {
    const group = snapshot.find(['group'], labelAt(at).replace(/^#/, "'#"))
    if (group instanceof Fault) {
      const isNew = createMissing && mayBeNewGroup(labelAt(at), snapshot)
      if (isNew) columns.push({ at, header: labelAt(at), group: { name: newName(labelAt(at)), record: undefined } })
      continue
    }
    const other = columns.find((one) => one.group.record === group)
    if (other && mapped.has(other)) continue
    if (other) {
      const [one, two] = [other.header, labelAt(at)].map((name) => mapFlag(roleOfGroup(group.name), name))
      issues.push({ field: roleOfGroup(group.name), message: `is both "${other.header}" and "${labelAt(at)}"; say which: ${one} or ${two}` }) // prettier-ignore
    } else columns.push({ at, header: labelAt(at), group: { name: group.name, record: group } })
  }
  return { columns, issues }
}

/** Returns the group that a column is nearly called for; undefined if there is none. */
const nearGroup = (name: string, snapshot: Snapshot): string | undefined =>
  nearest(
    name,
    snapshot.ofKind('group').map((one) => one.name),
  )

/** Tells whether a column is named for what groups are of, such as shops and regions, and not nearly as one that exists. */
const mayBeNewGroup = (name: string, snapshot: Snapshot): boolean =>
  isItemWord(foldName(name)) && nearGroup(name, snapshot) === undefined

/** Says how to take columns as those of groups: some are nearly called so, and others are named for what groups are of. */
export const hintAtGroups = (names: readonly string[], snapshot: Snapshot): string => {
  const near = names.flatMap((name) => {
    const group = nearGroup(name, snapshot)
    return group === undefined ? [] : [`; if ${name} is the group ${group}: ${mapFlag(roleOfGroup(group), name)}`]
  })
  const fresh = names.filter((name) => mayBeNewGroup(name, snapshot))
  const creates =
    fresh.length === 0
      ? ''
      : `; ${CREATE} takes ${fresh.join(' and ')} as ${fresh.length === 1 ? 'a group' : 'groups'} of people, and creates what is missing`
  return near.join('') + creates
}

/** Numbers what is beside the rows of a file, of which the lines are the places, behind any line. */
const BESIDE = 2 ** 32

/** Lists what a cell may ask for: a group, an item in it, and that the person of the row gets it; a category or a unit. */
const PARTS = ['group', 'group_item', 'user_group_item', 'category', 'unit'] as const

/** Matches what stands between the items of a list in one cell, and bounds how many there are. */
const LISTED = /[,;|\n]/
const MOST_LISTED = 64

/** Says at which place of a run a cell asks for something, and finds its line: by the file alone, whatever the account has. */
export const placesOfCells = (columns: number) => {
  const stride = PARTS.length * columns * MOST_LISTED
  return {
    placeOf: (line: number, at: number, part: (typeof PARTS)[number]): number =>
      BESIDE + line * stride + at * PARTS.length + PARTS.indexOf(part),
    lineOf: (place: number): number => (place < BESIDE ? place : Math.floor((place - BESIDE) / stride)),
  }
}

export type Places = ReturnType<typeof placesOfCells>

/** Describes an item that a cell names; `at` is its column, and of a further item of a list behind all columns. */
export type ItemCell = { readonly at: number; readonly item: NamedItem }

/** Returns the items of the cell in a column, of so many that rows have. */
export const itemCells = (items: readonly NamedItem[], at: number, columns: number): ItemCell[] =>
  items.map((item, nth) => ({ at: at + nth * columns, item }))

/** Describes a group item as a file names it: one that the account has, or one that is to be created. */
export type NamedItem = {
  readonly group: NamedGroup
  readonly name: string
  readonly record: AccountRecord | undefined
}

/** Returns a name as a reference, which would be an id without an apostrophe. */
export const asReference = (name: string): string => name.replace(/^(?='*#\d+$)/, "'")

const referenceTo = ({ name, record }: Pick<NamedItem, 'name' | 'record'>): string =>
  record?.id === undefined ? asReference(name) : `#${record.id}`

/** Returns the command that creates an item of a group, behind the one for the group where that is missing. */
const commandFor = ({ name, record }: NamedGroup, item: string): string => {
  const group = record ? '' : `kpi groups create --name ${shellWord(name)}; `
  return `${group}kpi group-items create --group ${shellWord(name)} --name ${shellWord(item)}`
}

/** Finds the group items that cells name, and holds those that are to be created. */
export class GroupItems {
  readonly #snapshot: Snapshot
  readonly #createMissing: boolean
  /** Tells whether words that may stand for no value are names. */
  readonly #isMeant: boolean
  readonly #groups = new Map<string, { readonly group: NamedGroup; readonly line: number; readonly at: number }>()
  readonly #items = new Map<string, { readonly item: NamedItem; readonly line: number; readonly at: number }>()

  constructor(
    snapshot: Snapshot,
    { createMissing, isMeant }: { readonly createMissing: boolean; readonly isMeant: boolean },
  ) {
    this.#snapshot = snapshot
    this.#createMissing = createMissing
    this.#isMeant = isMeant
  }

  /** Returns the group that a text names. */
  group(text: string): NamedGroup | Fault {
    return findGroup(this.#snapshot, text, this.#createMissing)
  }

  /**
   * Returns the items of a group, or of any, that a cell names: one or, where none has the whole text as its name and each part
   * is one, those of a list. A new name with a comma is refused, as it may be a list of new ones, unless the user says that names
   * are meant.
   */
  list(text: string, group: NamedGroup | undefined): readonly NamedItem[] | Fault {
    const whole = this.#find(text, group)
    const parts = text.split(LISTED).map((part) => part.trim()).filter((part) => part !== '') // prettier-ignore
    const isOne = this.#isMeant || parts.length < 2 || (!(whole instanceof Fault) && whole.record !== undefined)
    if (isOne) return whole instanceof Fault ? whole : [whole]
    const found = parts.flatMap((part) => {
      const item = parts.length > MOST_LISTED ? undefined : this.#find(part, group)
      return !item || item instanceof Fault || !item.record ? [] : [[item.record, item] as const]
    })
    if (found.length === parts.length) return [...new Map(found).values()]
    if (whole instanceof Fault) return whole
    return new Fault(
      `"${text}" may be one new group item${group ? ` in ${group.name}` : ''} or ${parts.length}: --by-name group_item takes it as one; for several, create each first: ${commandFor(whole.group, parts[0] ?? '')}`,
    )
  }

  #find(text: string, group: NamedGroup | undefined): NamedItem | Fault {
    const found =
      group && !group.record ? new Fault('') : this.#snapshot.find(['group_item'], text, group?.record ?? undefined)
    if (!(found instanceof Fault)) {
      const { group: of } = found.above
      if (isOfPerson(found)) return new Fault(`group item ${found.id} stands for a person, and cannot be given to one`)
      return { group: group ?? { name: of?.name ?? '', record: of }, name: found.name, record: found }
    }
    if (isNoName(text) && !this.#isMeant) return new Fault(`"${text}" ${whyNoName(text)}; leave the cell empty`)
    if (/^#\d+$/.test(text) || found.message.includes('more than one')) return found
    if (group && this.#createMissing) return { group, name: newName(text), record: undefined }
    const near = nearest(text, this.#itemsOf(group))
    const where = group ? ` in ${group.name}` : ''
    const way = group
      ? `; ${CREATE} creates it`
      : near === undefined
        ? '; name its group, too, in a column called group'
        : ''
    return new Fault(`there is no group item "${text}"${where}${didYouMeanName(near)}${way}`)
  }

  #itemsOf(group: NamedGroup | undefined): string[] {
    return this.#snapshot
      .ofKind('group_item')
      .filter((one) => group === undefined || one.above['group'] === group.record)
      .map(({ name }) => name)
  }

  /** Marks an item as needed by a row that can be imported, so that it is created if it is missing. */
  use({ item, at }: ItemCell, line: number): void {
    const { group, name, record } = item
    if (record) return
    const [ofGroup, ofItem] = [looseName(group.name), `${looseName(group.name)}\n${looseName(name)}`]
    if (!group.record && !this.#groups.has(ofGroup)) this.#groups.set(ofGroup, { group, line, at })
    if (!this.#items.has(ofItem)) this.#items.set(ofItem, { item, line, at })
  }

  /** Returns the groups and items that are to be created, each with the line that names it first. */
  desired({ placeOf }: Places): Desired[] {
    const groups = [...this.#groups.values()].map(({ group: { name }, line, at }) => {
      return { kind: kinds.group, line: placeOf(line, at, 'group'), values: { name }, references: {} }
    })
    const items = [...this.#items.values()].map(({ item: { group, name }, line, at }) => {
      const place = placeOf(line, at, 'group_item')
      return { kind: kinds.group_item, line: place, values: { name }, references: { group: referenceTo(group) } }
    })
    return [...groups, ...items]
  }
}

/** Returns what gives a user, as a reference names one, an item. */
export const desiredItemLink = (user: string, item: NamedItem, place: number): Desired => {
  const group = item.record ? {} : { group: referenceTo(item.group) }
  return {
    kind: kinds.user_group_item,
    line: place,
    values: {},
    references: { user, ...group, group_item: referenceTo(item) },
  }
}
