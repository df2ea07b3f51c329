import type { Day, Instant } from './day.ts'
import { type Decimal, formatDecimal } from './decimal.ts'
import type { EntryKey } from './entry-key.ts'
import type { EntryValues } from './rules.ts'

/** Names a value of an entry. */
type ValueName = keyof EntryValues
const VALUES: readonly ValueName[] = ['actual', 'target', 'notes']

/**
 * Describes what an import made of an entry: the values that it changed, as they were and as it left them; `before` is
 * undefined for an entry that it created, of which `after` has the values that there are.
 */
export type EntryChange = {
  /** Names the owner, the KPI and the day of the entry. */
  readonly key: EntryKey
  readonly before: Partial<EntryValues> | undefined
  readonly after: Partial<EntryValues>
  /**
   * Holds the revision that the entry had before, where that is kept and not 0; of one that the import created, and that went
   * with its KPI, the revision that it had then, where something else had written it.
   */
  readonly revision?: number
  /** Holds what else was stored of an entry that was deleted: `before` has its values, and `after` none. */
  readonly gone?: GoneEntry
  /** Names the group item that was put onto the entry of an id, or taken off it; its values stay as they are. */
  readonly carried?: { readonly id: number; readonly item: number; readonly isOff?: true }
}

/** Describes an entry that was deleted, besides its key and values. */
type GoneEntry = {
  readonly id: number
  /** Holds the id of its set of group items, if it had one. */
  readonly set: number | null
  readonly createdAt: Instant
}

/** Tells whether an entry holds values. */
export const holds = (entry: EntryValues, values: Partial<EntryValues>): boolean =>
  VALUES.every((name) => values[name] === undefined || values[name] === entry[name])

/** Returns the values that differ, as they were and as they become; undefined if none does. */
export const changeBetween = (
  before: EntryValues,
  after: EntryValues,
): { readonly before: Partial<EntryValues>; readonly after: Partial<EntryValues> } | undefined => {
  const [hasActual, hasTarget] = [before.actual !== after.actual, before.target !== after.target]
  const hasNotes = before.notes !== after.notes
  if (!hasActual && !hasTarget && !hasNotes) return undefined
  const pick = ({ actual, target, notes }: EntryValues): Partial<EntryValues> => {
    // As nearly all changes of an import are.
    if (hasActual && !hasTarget && !hasNotes) return { actual }
    return { ...(hasActual && { actual }), ...(hasTarget && { target }), ...(hasNotes && { notes }) }
  }
  return { before: pick(before), after: pick(after) }
}

const shown = (value: Decimal | string | null): string => {
  if (value === null) return 'none'
  return typeof value === 'bigint' ? formatDecimal(value) : `"${value}"`
}

/** Says how an entry differs from what an import left: `actual is 5, not 3`. */
export const differenceOf = (entry: EntryValues, after: Partial<EntryValues>): string =>
  VALUES.flatMap((name) => {
    const { [name]: left } = after
    return left === undefined || left === entry[name] ? [] : `${name} is ${shown(entry[name])}, not ${shown(left)}`
  }).join(', ')

/** Says what an entry holds: `actual is 5`. */
export const valuesText = (entry: EntryValues): string =>
  VALUES.flatMap((name) => (entry[name] === null ? [] : `${name} is ${shown(entry[name])}`)).join(', ')

/** Holds a value in a line: a number counts ten-thousandths, as text where it would not be exact. */
type Cell = number | string | null
type Columns = { [name in ValueName]?: Cell[] }

/** Holds consecutive changes of the same values of one owner and KPI; each day counts from the one before it. */
type Line = {
  readonly owner: number
  readonly kpi: number
  readonly days: number[]
  readonly before?: Columns
  readonly after: Columns
  readonly revisions?: number[]
  /** Hold of deleted entries what else was stored. */
  readonly sets?: (number | null)[]
  readonly made?: Instant[]
  /** Holds the ids of entries that were deleted, or that got or lost a group item. */
  readonly ids?: number[]
  readonly carried?: number
  readonly isOff?: true
}

const cellOf = (value: Decimal | string | null | undefined): Cell => {
  if (typeof value !== 'bigint') return value ?? null
  const count = Number(value)
  return Number.isSafeInteger(count) ? count : String(value)
}

const namesIn = (values: Partial<EntryValues>): ValueName[] => VALUES.filter((name) => values[name] !== undefined)

const columnsFor = (names: readonly ValueName[]): Columns => Object.fromEntries(names.map((name) => [name, []]))

const push = (columns: Columns, values: Partial<EntryValues>): void => {
  for (const name of VALUES) columns[name]?.push(cellOf(values[name]))
}

/** Returns the values that a change is of: those that it changed, or all that a deleted entry had. */
const valuesOf = ({ before = {}, after, gone }: EntryChange): Partial<EntryValues> => (gone ? before : after)

/**
 * Tells whether two changes are of the same values: both of new entries, both of the same fields of old ones, both of entries
 * that were deleted, or that got or lost the same group item.
 */
const isAlike = (one: EntryChange, other: EntryChange): boolean =>
  one.key[0] === other.key[0] &&
  one.key[1] === other.key[1] &&
  (one.before === undefined) === (other.before === undefined) &&
  (one.revision === undefined) === (other.revision === undefined) &&
  (one.gone === undefined) === (other.gone === undefined) &&
  one.carried?.item === other.carried?.item &&
  one.carried?.isOff === other.carried?.isOff &&
  VALUES.every((name) => (valuesOf(one)[name] === undefined) === (valuesOf(other)[name] === undefined))

const beginLine = (change: EntryChange): Line => {
  const { before, after, revision, gone, carried } = change
  const [owner, kpi] = change.key
  return {
    owner,
    kpi,
    days: [],
    ...(before && { before: columnsFor(namesIn(valuesOf(change))) }),
    after: columnsFor(namesIn(after)),
    ...(revision !== undefined && { revisions: [] }),
    ...((gone ?? carried) && { ids: [] }),
    ...(gone && { sets: [], made: [] }),
    ...(carried && { carried: carried.item }),
    ...(carried?.isOff && { isOff: true }),
  }
}

/** Returns changes as lines of JSON, a few of which hold many: they take a tenth of what a line for each would. */
export const changesToText = (changes: readonly EntryChange[]): string => {
  const lines: Line[] = []
  let last: EntryChange | undefined
  for (const change of changes) {
    if (!last || !isAlike(last, change)) lines.push(beginLine(change))
    const line = lines.at(-1)
    if (!line) continue
    const day = change.key[2]
    line.days.push(line.days.length > 0 && last ? day - last.key[2] : day)
    if (line.before && change.before) push(line.before, change.before)
    push(line.after, change.after)
    if (change.revision !== undefined) line.revisions?.push(change.revision)
    const { gone, carried } = change
    if (gone) {
      line.sets?.push(gone.set)
      line.made?.push(gone.createdAt)
    }
    const id = gone?.id ?? carried?.id
    if (id !== undefined) line.ids?.push(id)
    last = change
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

const valueIn = (name: ValueName, cell: Cell | undefined): Decimal | string | null =>
  cell === null || cell === undefined ? null : name === 'notes' ? String(cell) : BigInt(cell)

const valuesAt = (columns: Columns, at: number): Partial<EntryValues> =>
  Object.fromEntries(VALUES.flatMap((name) => (columns[name] ? [[name, valueIn(name, columns[name][at])]] : [])))

const isLine = (value: unknown): value is Line =>
  typeof value === 'object' &&
  value !== null &&
  'days' in value &&
  Array.isArray(value.days) &&
  'owner' in value &&
  'kpi' in value &&
  'after' in value

/** Yields the changes of a line of text; none if it is no such line, as the last one where a crash cut it off. */
export function* changesIn(text: string): Generator<EntryChange> {
  let line: unknown
  try {
    line = JSON.parse(text)
  } catch {
    return
  }
  if (!isLine(line)) return
  const { owner, kpi, days, before, after, revisions, ids, sets, made, carried, isOff } = line
  let day: Day = 0
  for (const [at, step] of days.entries()) {
    day += step
    const revision = revisions?.[at]
    yield {
      key: [owner, kpi, day],
      before: before && valuesAt(before, at),
      after: valuesAt(after, at),
      ...(revision !== undefined && { revision }),
      ...(made && { gone: { id: ids?.[at] ?? 0, set: sets?.[at] ?? null, createdAt: made[at] ?? 0 } }),
      ...(carried !== undefined && { carried: { id: ids?.[at] ?? 0, item: carried, ...(isOff && { isOff }) } }),
    }
  }
}
