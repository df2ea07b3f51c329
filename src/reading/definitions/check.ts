import { createHash } from 'node:crypto'
import { isMeantName } from '../../changes/names/doubtful-names.ts'
import { pauseEvery } from '../../client/next-turn.ts'
import { warnOfNearNames } from '../../changes/plan/near-created.ts'
import type { Plan } from '../../changes/plan/plan.ts'
import type { Policy } from '../../changes/plan/match.ts'
import { accessTo, readSnapshot } from '../../changes/records/access.ts'
import { type Desired, desiredName } from '../../changes/records/desired.ts'
import type { Snapshot } from '../../changes/records/snapshot.ts'
import { looseName, nameForm } from '../../domain/name-form.ts'
import { type AnyRecord, notesOnDefaults } from '../../domain/schema.ts'
import { desiredItemLink, hintAtGroups, placesOfCells } from '../group-items/columns.ts'
import { notesOnItems, notesOnMade } from '../group-items/notes.ts'
import { type ReadingFile, readRows, tellReading, withoutTwins } from '../entries/desired-rows.ts'
import { listFlag } from '../options/flag-text.ts'
import { textOfRows } from '../../tabular/source/table.ts'
import { createdBeside, type DefinitionKind, type DefinitionOptions, mayGiveItems } from './columns.ts'
import { meantRoles, type UnusedColumn } from './meanings.ts'
import { beginReading, type Begun, type DefinitionRow, type ReadingDefinitions } from './rows.ts'

/** Sets how many names are compared before signals and timers run. */
const NAMES_OF_TURN = 500

/** Returns what the flags of the command allow. */
const policyOf = (
  { of, kind }: DefinitionKind,
  { onConflict, onlyExisting, numbersAs }: DefinitionOptions,
): Policy => ({
  about: kind.name,
  existing: onConflict === 'error' ? 'refuse' : onConflict === 'skip' ? 'skip' : 'update',
  onlyExisting,
  isByIdAlone: of.newer === true,
  isMeant: ({ name }, field) => isMeantName(numbersAs, name === kind.name ? field : name),
  takesName: ({ name }, field) => `--by-name ${name === kind.name ? field : name}`,
})

/** Says of columns that are left out which of them mean something that a row may give, and how to take them. */
const meantBy = (columns: readonly UnusedColumn[], { plan, reader, snapshot }: Begun): string => {
  const meant = [...meantRoles(columns, plan.free, (role, texts) => reader.takes(role, texts))]
  const named = new Set(meant.map(([, name]) => name))
  const others = columns.map(({ name }) => name).filter((name) => !named.has(name))
  const atGroups = reader.mayGiveItems ? hintAtGroups(others, snapshot) : ''
  if (meant.length === 0) return atGroups
  const each = meant.map(([{ role }, name]) => `${name} is the ${role}`).join(' and ')
  return `; if ${each}: ${listFlag('--map', meant.map(([{ role }, name]) => `${role}=${name}`))}${atGroups}` // prettier-ignore
}

/** Returns what rows give people, and what of that is to be created; and reads what those people have now. */
const giveItems = async (
  { account, kind }: ReadingDefinitions,
  { plan, groupItems, snapshot }: Begun,
  rows: readonly DefinitionRow[],
) => {
  const giving = rows.filter(({ items }) => items.length > 0)
  if (giving.length === 0) return {}
  const all = rows.map(({ desired }) => desired)
  const places = placesOfCells(plan.header.length)
  for (const { items, desired } of giving) for (const cell of items) groupItems.use(cell, desired.line)
  const made = groupItems.desired(places)
  const links = giving.flatMap(({ items, desired }) =>
    items.map(({ item, at }) =>
      desiredItemLink(desiredName(desired), item, places.placeOf(desired.line, at, 'user_group_item')),
    ),
  )
  const whose = new Set(giving.map(({ desired }) => nameForm(desiredName(desired))))
  const isGiven = ({ email }: AnyRecord): boolean => whose.has(nameForm(String(email)))
  const held = snapshot.ofKind('user').flatMap(({ stored, id }) => (stored && isGiven(stored) ? (id ?? []) : []))
  snapshot.take('user_group_item', await accessTo(account).user_group_item.list(held))
  return {
    desired: [...all, ...made, ...links],
    lineOf: places.lineOf,
    parts: { main: kind.kind.name, beside: 'user_group_item' } as const,
    look: () => readSnapshot(account, [kind.kind.name, 'user_group_item'], isGiven),
  }
}

/** Returns what rows name that is to be created. */
const createNamed = ({ plan, missingNames }: Begun, rows: readonly DefinitionRow[]): Desired[] => {
  for (const { created, desired } of rows) for (const one of created) missingNames.use(one, desired.line)
  return missingNames.desired(placesOfCells(plan.header.length))
}

/** Rejects rows that name something new that is nearly something known, and returns the others. */
const withoutDoubts = async (
  { rejects, signal }: ReadingDefinitions,
  { missingNames }: Begun,
  rows: readonly DefinitionRow[],
): Promise<readonly DefinitionRow[]> => {
  const named = rows.flatMap(({ created }) => created)
  if (named.length === 0) return rows
  const doubts = await missingNames.doubts(named, pauseEvery(NAMES_OF_TURN, signal))
  return rows.filter(({ created, desired }) => {
    const reasons = created.flatMap((one) => {
      const doubt = missingNames.doubtOf(one, doubts)
      return doubt === undefined ? [] : [`${one.role}: ${doubt}`]
    })
    for (const reason of reasons) rejects.add(desired.line, reason)
    return reasons.length === 0
  })
}

/** Joins rows that give one record targets from several days on: the first of them asks for all. */
const joinDated = (all: readonly Desired[]): Desired[] => {
  const first = new Map<string, Desired>()
  for (const one of all) {
    const group = Object.entries(one.references).find(([name]) => name === 'group')?.[1] ?? ''
    const key = `${group}/${looseName(desiredName(one))}`
    const known = first.get(key)
    const datedTargets = [...(known?.datedTargets ?? []), ...(one.datedTargets ?? [])]
    if (!known) first.set(key, one)
    else
      first.set(key, {
        ...known,
        values: { ...known.values, ...one.values },
        references: { ...known.references, ...one.references },
        ...(datedTargets.length > 0 && { datedTargets }),
      })
  }
  return [...first.values()]
}

/** Reads and checks a whole file, as far as that needs nothing of what the service has of its rows. */
export const checkDefinitions = async (work: ReadingDefinitions) => {
  const { kind, options, rejects } = work
  const begun = await beginReading(work)
  const { plan, sample, reader, groups, snapshot } = begun
  const fingerprint = createHash('sha256').update(JSON.stringify(plan.header))
  // Keep what all rows name, also those that cannot be read.
  const names = new Map<number, string | undefined>()
  const { rows, read, empty } = await readRows<DefinitionRow>(work, options, (row) => {
    fingerprint.update(textOfRows([row]))
    names.set(row.line, reader.nameOf(row))
    return [reader.readRow(row)]
  })
  for (const note of begun.missingNames.notes()) work.onNote(note)
  const distinct = withoutTwins(await withoutDoubts(work, begun, rows), rejects, {
    keyOf: ({ identity }) => identity,
    lineOf: ({ desired }) => desired.line,
    same: ({ desired }) => `rows with the same ${kind.key} "${desiredName(desired)}"`,
  })
  const ofGroups = new Set(groups.map(({ at }) => at))
  const unused = plan.unused.flatMap((at): UnusedColumn[] => {
    return ofGroups.has(at)
      ? []
      : [{ name: plan.header[at]?.trim() ?? '', texts: sample.map((cells) => cells[at]?.trim() ?? '') }]
  })
  tellReading(work, {
    isEmpty: read === 0,
    remarks: reader.remarks(),
    unused: unused.map(({ name }) => name),
    meant: meantBy(unused, begun),
  })
  const given = await giveItems(work, begun, distinct)
  const desired = joinDated(distinct.map(({ desired: own }) => own))
  const made = createNamed(begun, distinct)
  return {
    snapshot,
    look: begun.look,
    roles: reader.roles,
    desired: [...made, ...desired],
    ...(made.length > 0 && { lineOf: placesOfCells(plan.header.length).lineOf, parts: { main: kind.kind.name } }),
    ...given,
    policy: policyOf(kind, options),
    names,
    fingerprint: fingerprint.digest('hex'),
    read,
    empty,
    rounded: rows.reduce((sum, { rounded }) => sum + rounded, 0),
  }
}

/** Describes a file of definitions that has been read and checked by itself, and the account as it was read. */
export type CheckedDefinitions = Awaited<ReturnType<typeof checkDefinitions>>

/** Holds what notes on a plan need. */
type Noting = Pick<ReadingFile, 'signal' | 'onNote' | 'onWarning'> & {
  readonly kind: DefinitionKind
  readonly snapshot: Snapshot
}

const KEPT_PASSWORDS =
  'passwords of people who exist already are left alone: they are taken only when people are created'

/** Notes that passwords of existing people are not changed. */
const tellPasswords = ({ onNote, kind }: Noting, { planned }: Plan): void => {
  const secrets = kind.kind.fields.filter(({ field }) => field.secret).map(({ name }) => name)
  const isKept = planned.some(({ record, desired }) => record?.stored && secrets.some((name) => name in desired.values))
  if (isKept) onNote(KEPT_PASSWORDS)
}

/** Warns of new names that are nearly known ones; notes defaults that depend on what new records refer to. */
const tellNewRecords = async (noting: Noting, { planned }: Plan): Promise<void> => {
  const { kind: definition, onNote } = noting
  const created = planned.filter(({ action }) => action === 'create')
  const [own, others] = [true, false].map((isOwn) =>
    created.filter(({ desired }) => (desired.kind.name === definition.kind.name) === isOwn),
  )
  await warnOfNearNames(noting, own ?? [], { kind: definition.kind.name, title: definition.of.title })
  if (mayGiveItems(definition)) await warnOfNearNames(noting, others ?? [])
  else for (const note of notesOnMade(planned, createdBeside(definition))) onNote(note)
  const defaults = (own ?? []).flatMap(({ changes }) => changes.map((one) => one.defaults ?? {}))
  for (const note of notesOnDefaults(definition.of, defaults, () => false)) onNote(note)
  if (mayGiveItems(definition)) for (const note of notesOnItems(planned, noting.snapshot)) onNote(note)
}

/** Says what is to be known of a plan before it is sent; of new records, where it does not continue an earlier run. */
export const tellPlanned = async (noting: Noting, plan: Plan, isContinued: boolean): Promise<void> => {
  tellPasswords(noting, plan)
  if (!isContinued) await tellNewRecords(noting, plan)
}
