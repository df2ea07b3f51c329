import { createHash } from 'node:crypto'
import { isMeantName } from '../../changes/names/doubtful-names.ts'
import { warnOfNearNames } from '../../changes/plan/near-created.ts'
import type { Policy } from '../../changes/plan/match.ts'
import type { Plan } from '../../changes/plan/plan.ts'
import { accessTo, readSnapshot } from '../../changes/records/access.ts'
import type { Desired } from '../../changes/records/desired.ts'
import type { Snapshot } from '../../changes/records/snapshot.ts'
import { createDirectory } from '../../client/directory.ts'
import { Fault, type Issue, KpiError } from '../../domain/errors.ts'
import { groupItem } from '../../domain/resources/groups.ts'
import { fullName, user as userResource } from '../../domain/resources/user.ts'
import { asRecord } from '../../domain/schema.ts'
import { faultOfSurplus, requireHeader, type Row, rowsBelowHeader, sampleOf } from '../../tabular/source/table.ts'
import type { Sample } from '../columns/contents.ts'
import {
  foldName,
  type HeaderFindings,
  namedColumns,
  recognizeColumns,
  requireClear,
  unassignedColumns,
} from '../columns/header.ts'
import { createNameColumn, type NameColumn } from '../columns/name-column.ts'
import { roleHeader, roleText } from '../columns/roles.ts'
import { recognizePersons } from '../columns/persons.ts'
import { doubtsOf, requireNoDoubts } from '../detect/column-formats.ts'
import { exactNoNames, type Lookup } from '../directory/lookup.ts'
import { type ReadingFile, readRows, type RefusedRow, tellReading, withoutTwins } from '../entries/desired-rows.ts'
import type { ImportOptions, NumbersAs, Role } from '../options/options.ts'
import {
  desiredItemLink,
  findGroupColumns,
  type GroupColumn,
  GroupItems,
  hintAtGroups,
  type ItemCell,
  itemCells,
  type NamedItem,
  placesOfCells,
} from './columns.ts'
import { notesOnItems } from './notes.ts'

/** Lists the roles that columns of a file of group items have, beside those of groups. */
export const GROUP_ITEM_ROLES = ['user', 'group', 'group_item'] as const

/** Describes what the user said about a file of group items. */
export type GroupItemOptions = Pick<ImportOptions, 'ignore' | 'ignoreRows' | 'maxErrors' | 'addAgain'> & {
  readonly map: ReadonlyMap<string, string>
  /** Names the user of all rows. */
  readonly user?: string | undefined
  readonly numbersAs?: ReadonlyMap<string, NumbersAs> | undefined
  readonly createMissing: boolean
}

/** Lists the names of columns of group items, in the form that is compared, and of the groups that these lie in. */
const NAMES = {
  group: new Set(['group', ...groupItem.fields.group_id.called.split(', ')].map(foldName)),
  group_item: new Set(['group item', 'group items', ...groupItem.fields.name.called.split(', ')].map(foldName)),
}

/** Lists the columns of `kpi assign group-items list -o csv` by which an item is found again. */
const OWN_LIST = ['id', 'group_name', 'name'] as const
/** Lists the columns of such a list that say what others do. */
const IN_OWN_LIST = new Set(['id', 'group_id', 'user', 'created_at'])

/** Describes the columns of a file of group items: those of the user, and of an item in its group or one for each group. */
type Columns = {
  readonly header: readonly string[]
  readonly userIn: (cells: readonly string[]) => string
  readonly userHeader: string
  readonly group: number | undefined
  readonly item: number | undefined
  readonly groups: readonly GroupColumn[]
  readonly unused: readonly string[]
}

/** Tells whether a header is that of a list of the command line. */
const isOwnList = (header: readonly string[]): boolean => OWN_LIST.every((name) => header.includes(name))

/** Adds the columns of an item and of its group, of a list of the command line by its own names. */
const recognizeItems = (found: HeaderFindings<string>): void => {
  const { header, roles, ignored } = found
  const isOwn = isOwnList(header)
  for (const at of unassignedColumns(found)) {
    const name = header[at]?.trim() ?? ''
    if (isOwn && IN_OWN_LIST.has(name)) ignored.add(at)
    else if (isOwn && name === 'name') roles.set('group_item', at)
    else
      for (const role of ['group', 'group_item'] as const)
        if (!roles.has(role) && NAMES[role].has(foldName(name))) {
          roles.set(role, at)
          break
        }
  }
}

/** Returns the fault of a file in which no column gives an item. */
const faultOfNoItems = (found: HeaderFindings<string>, snapshot: Snapshot): Issue => {
  const names = unassignedColumns(found).map((at) => found.header[at]?.trim() ?? '')
  const known = snapshot.ofKind('group').map(({ name }) => name)
  const groups = known.length === 0 ? 'there are no groups yet' : `the groups are ${known.join(', ')}`
  return {
    field: 'group_item',
    message: `no column is a group item, or has the name of a group: ${groups}; give one with --map group_item=COLUMN, or --map group-item:GROUP=COLUMN${hintAtGroups(names, snapshot)}`,
  }
}

/** Finds out what each column means; everything that is unclear is one error. */
const planColumns = (
  header: readonly string[],
  { map, ignore, user, createMissing }: GroupItemOptions,
  sample: Sample,
  { users, snapshot }: { readonly users: Lookup; readonly snapshot: Snapshot },
): Columns => {
  const found = namedColumns(header, { map, ignore })
  const ofUser = namedColumns<Role>(header, { map: new Map(), ignore: [] })
  const [asked, ...others] = found.joined.get('user') ?? [found.roles.get('user')]
  if (asked !== undefined) ofUser.roles.set('user', asked)
  if (asked !== undefined && others.length > 0) ofUser.joined.set('user', found.joined.get('user') ?? [])
  for (const at of [...found.ignored, ...found.roles.values()]) if (at !== asked) ofUser.ignored.add(at)
  if (isOwnList(header) && header.includes('user_id')) ofUser.ignored.add(header.indexOf('user'))
  if (user === undefined) {
    recognizePersons(ofUser, sample, users)
    recognizeColumns(ofUser, ['user'])
  }
  const places = ofUser.joined.get('user') ?? [ofUser.roles.get('user') ?? []].flat()
  if (places[0] !== undefined) found.roles.set('user', places[0])
  if (places.length > 1) found.joined.set('user', places)
  recognizeItems(found)
  const { columns: groups, issues } = findGroupColumns(found, snapshot, createMissing)
  const [group, item] = [found.roles.get('group'), found.roles.get('group_item')]
  const lacksUser = user === undefined && places.length === 0
  const all = [
    ...found.issues,
    ...ofUser.issues,
    ...issues,
    ...(lacksUser
      ? [{ field: 'user', message: 'no column is the user; give one with --map user=COLUMN or --user' }]
      : []),
    ...(user !== undefined && places.length > 0 ? [{ field: 'user', message: 'is given by --user and by a column; leave one out (--ignore)' }] : []), // prettier-ignore
    ...(item === undefined && groups.length === 0 ? [faultOfNoItems(found, snapshot)] : []),
  ]
  requireClear(all)
  const taken = new Set([...places, ...groups.map(({ at }) => at)])
  return {
    header,
    userIn: user === undefined ? roleText({ header, roles: ofUser.roles, joined: ofUser.joined }, 'user') : () => user,
    userHeader:
      user === undefined ? roleHeader({ header, roles: ofUser.roles, joined: ofUser.joined }, 'user') : '--user',
    group,
    item,
    groups,
    unused: unassignedColumns(found).flatMap((at) => (taken.has(at) ? [] : (header[at] ?? ''))),
  }
}

/** Describes a group item that a row gives a user. */
type ItemRow = ItemCell & { readonly line: number; readonly user: number }

/** Creates the reader of the rows of a file. */
const rowReader = (
  { header, userIn, group: groupAt, item: itemAt, groups }: Columns,
  users: NameColumn,
  items: GroupItems,
): ((row: Row) => readonly (ItemRow | RefusedRow)[]) => {
  /** Returns what a row gives: an item of a list, and one of each group that has a column. */
  const itemsIn = (cells: readonly string[]): (ItemCell | string)[] => {
    const textAt = (at: number | undefined): string => cells[at ?? -1]?.trim() ?? ''
    const found: (ItemCell | string)[] = []
    const take = (given: readonly NamedItem[] | Fault, at: number, label = ''): void =>
      void found.push(...(given instanceof Fault ? [`${label}${given.message}`] : itemCells(given, at, header.length)))
    if (textAt(itemAt) !== '') {
      const named = textAt(groupAt) === '' ? undefined : items.group(textAt(groupAt))
      take(named instanceof Fault ? named : items.list(textAt(itemAt), named), itemAt ?? 0)
    } else if (textAt(groupAt) !== '' && itemAt !== undefined) found.push(`the group item is empty`)
    for (const { at, header: label, group } of groups)
      if (textAt(at) !== '') take(items.list(textAt(at), group), at, `${label}: `)
    return found
  }
  return ({ line, cells }) => {
    const surplus = faultOfSurplus(cells, header)
    if (surplus !== undefined) return [{ reasons: [surplus], isMisread: true }]
    const text = userIn(cells).trim()
    const user = text === '' ? new Fault('the user is empty') : users.find(text)
    const given = itemsIn(cells)
    const reasons = [
      ...(user instanceof Fault ? [user.message] : []),
      ...given.filter((one) => typeof one === 'string'),
    ]
    if (user instanceof Fault || reasons.length > 0) return [{ reasons, isMisread: false }]
    return given.flatMap((cell) => (typeof cell === 'string' ? [] : [{ ...cell, line, user: user.id }]))
  }
}

/** Returns what the flags allow: only the names of new groups and items are looked at. */
const policyOf = ({ numbersAs }: GroupItemOptions): Policy => ({
  isMeant: ({ name }) => name === 'user_group_item' || isMeantName(numbersAs, name),
  takesName: ({ name }) => `--by-name ${name}`,
})

const keyOf = ({ user, item: { group, name, record } }: ItemRow): string =>
  record ? `${user}/${record.id}` : `${user}/${foldName(group.name)}/${foldName(name)}`

/** Reads and checks a whole file, before anything is sent, and what its people have now. */
export const checkGroupItems = async (work: ReadingFile, options: GroupItemOptions) => {
  const { account, table, rejects, onProgress } = work
  const header = await requireHeader(table)
  const sample = await sampleOf(table)
  const snapshot = await readSnapshot(account, ['user', 'group_item'])
  const people = snapshot.ofKind('user').flatMap(({ stored, id }) => {
    const one = stored && asRecord(userResource, stored)
    return one && id !== undefined ? [{ id, name: fullName(one), email: one.email }] : []
  })
  const users = exactNoNames(createDirectory('user', people), 'user', options.numbersAs)
  const columns = planColumns(header, options, sample, { users, snapshot })
  const as = options.numbersAs?.get('user')
  const column = createNameColumn({ role: 'user', header: columns.userHeader, as }, users)
  for await (const { cells } of rowsBelowHeader(table, onProgress)) {
    const text = columns.userIn(cells).trim()
    if (text !== '') column.find(text)
  }
  requireNoDoubts(doubtsOf([column]))
  const ofAll = options.user === undefined ? undefined : column.find(options.user)
  if (ofAll instanceof Fault) throw new KpiError('malformed', `--user: ${ofAll.message}`)
  const { createMissing } = options
  const items = new GroupItems(snapshot, { createMissing, isMeant: isMeantName(options.numbersAs, 'group_item') })
  const readRow = rowReader(columns, column, items)
  const { rows: wanted, read, empty } = await readRows<ItemRow>(work, options, readRow)
  const rows = withoutTwins(wanted, rejects, {
    keyOf,
    lineOf: ({ line }) => line,
    same: () => 'the same user and group item',
  })
  const hint = hintAtGroups(columns.unused, snapshot)
  tellReading(work, { isEmpty: read === 0, unused: columns.unused, meant: hint })
  const places = placesOfCells(header.length)
  for (const row of rows) items.use(row, row.line)
  const made = items.desired(places)
  const links = rows.map(({ user, item, at, line }): Desired =>
    desiredItemLink(`#${user}`, item, places.placeOf(line, at, 'user_group_item')),
  )
  const whose = new Set(rows.map(({ user }) => user))
  snapshot.take('user_group_item', await accessTo(account).user_group_item.list([...whose]))
  const hash = createHash('sha256')
  for (const { user, item, line } of rows) hash.update(`${line} ${user} ${item.group.name} ${item.name}\n`)
  return {
    desired: [...made, ...links],
    lineOf: places.lineOf,
    parts: { main: 'user_group_item' } as const,
    snapshot,
    look: () => readSnapshot(account, ['user', 'user_group_item'], ({ id }) => whose.has(Number(id))),
    policy: policyOf(options),
    fingerprint: hash.digest('hex'),
    read,
    empty,
    rounded: 0,
  }
}

/** Describes a file of group items that has been read and checked. */
export type CheckedGroupItems = Awaited<ReturnType<typeof checkGroupItems>>

/** Warns of new groups and items that are nearly known ones, and says what is created and what people keep. */
export const tellGroupItems = async (
  { onNote, onWarning, signal }: Pick<ReadingFile, 'onNote' | 'onWarning' | 'signal'>,
  snapshot: Snapshot,
  { planned }: Plan,
): Promise<void> => {
  const created = planned.filter(({ action }) => action === 'create')
  await warnOfNearNames({ snapshot, onWarning, signal }, created)
  for (const note of notesOnItems(planned, snapshot)) onNote(note)
}
