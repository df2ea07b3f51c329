import { unmarkText } from '../../codec/cell-text.ts'
import { Fault } from '../../domain/errors.ts'
import { fits } from '../../domain/decimal.ts'
import { checkText } from '../../domain/field-value.ts'
import { entry } from '../../domain/resources/entry.ts'
import type { ColumnPlan } from '../columns/columns.ts'
import { type ColumnFormats, nameFinder, unitIn } from '../detect/column-formats.ts'
import type { BlockRow } from '../../blocks/block.ts'
import { Misread, valueReader } from '../formats/evidence.ts'
import { percentOfFraction } from '../directory/percentages.ts'
import { faultOfSurplus, hasSurplusCells, type Row } from '../../tabular/source/table.ts'
import { COMPUTED, type ImportOptions, type Role } from '../options/options.ts'
import { ACTUAL, NOTES, TARGET } from '../../domain/entry-block.ts'
import type { Named } from '../../client/directory.ts'
import { type Day, formatDay } from '../../domain/day.ts'
import type { Pause } from '../../domain/pause.ts'
import { KEY_ROLES } from '../columns/roles.ts'
import { dayOfPart } from '../columns/heading-forms.ts'
import { partWithYear } from '../formats/part-of-year.ts'
import type { WideColumn, WideColumns } from '../columns/wide.ts'
import { whyNoDay } from '../formats/date-column.ts'
import { memoize, readDateCell } from '../formats/date-format.ts'
import { rejectMissingNames } from '../columns/name-column.ts'
import type { SourcesOfUsers } from '../../domain/entry-key.ts'
import type { Reference } from '../directory/reference.ts'
import { cellReader, type FirstLines, ownerReader, requireDistinctOwners } from './owner-reader.ts'
import { BAD, isBad, placeOf } from '../../blocks/packed-row.ts'

/** Describes the current row and its faults; one object is reused for all rows, to save allocations. */
type CurrentRow = {
  line: number
  /**
   * Holds the id of the KPI that was found: all its numbers have one unit, however rows name it and whatever columns
   * they are in.
   */
  kpi: number | undefined
  /** Holds the rounded-away digits of the last number, if numbers are added up. */
  beyond: string
  /** Tells whether one of its cells is not in its column's format. */
  isMisread: boolean
  readonly reasons: string[]
}

/** Holds the cells of a row, and which of them are stored as numbers. */
type ValueCells = Pick<Row, 'cells' | 'numbers'>

/** Creates a reader of values; `onRounded` is called for each that had more than four decimals. */
const createValueReader = (
  { roles, isMarked }: ColumnPlan,
  { strict, clearEmpty, onDuplicate, ...values }: ImportOptions,
  isFraction: (kpi: number) => boolean,
  formats: ColumnFormats,
  hand: CurrentRow,
  onRounded: (value: bigint) => void,
) => {
  const numberOf = (text: string, name: string, at: number, { cells, numbers }: ValueCells): bigint => {
    const column = formats.numbers.get(at)
    hand.beyond = ''
    if (!column) return 0n
    const cell = column.read(text, hand.line, hand.kpi, numbers?.[at], unitIn(formats, cells, at))
    if (cell instanceof Misread) hand.isMisread = true
    if (cell instanceof Fault) {
      hand.reasons.push(`${name} ${cell.message}`)
      return 0n
    }
    // A number that is a fraction is the percentage that it means.
    const isPercent = hand.kpi !== undefined && isFraction(hand.kpi) && !text.includes('%')
    const { value, beyond = '', rounded } = isPercent ? percentOfFraction(cell) : cell
    const as = isPercent ? ' as a percentage' : ''
    if (!fits(value)) hand.reasons.push(`${name} "${text}" is too large${as}`)
    else if (rounded && strict) hand.reasons.push(`${name} "${text}" has more than four decimals${as}`)
    else if (rounded) onRounded(value)
    if (COMPUTED.has(onDuplicate)) hand.beyond = beyond
    return fits(value) ? value : 0n
  }
  const notesOf = (text: string): string => {
    const value = checkText(entry.fields.notes, isMarked ? unmarkText(text) : text)
    if (!(value instanceof Fault)) return value ?? ''
    hand.reasons.push(`notes ${value.message}`)
    return ''
  }
  const columnOf = (role: Role, valueOf = (text: string): string => text) => {
    const at = roles.get(role)
    return at === undefined ? () => undefined : (cells: RowCells) => valueOf((cells[at] ?? '').trim())
  }
  const valueOf = valueReader(values)
  const [actualIn, targetIn, notesIn] = [columnOf('actual', valueOf), columnOf('target', valueOf), columnOf('notes')]
  const [actualAt, targetAt] = [roles.get('actual') ?? -1, roles.get('target') ?? -1]
  /** Returns whether a cell gives a value, clears it, or neither, as bits. */
  const flagOf = (text: string | undefined, bits: typeof ACTUAL): number => {
    if (text === undefined) return 0
    if (text !== '') return bits.given
    return clearEmpty ? bits.cleared : 0
  }
  return {
    flagOf,
    numberOf,
    /** Reads the values of a row that has a column for each of them. */
    valuesOf: (row: ValueCells) => {
      const { cells } = row
      const [actual, target, notes] = [actualIn(cells), targetIn(cells), notesIn(cells)]
      const number = actual ? numberOf(actual, 'actual', actualAt, row) : 0n
      const beyond = actual ? hand.beyond : ''
      return {
        flags: flagOf(actual, ACTUAL) | flagOf(target, TARGET) | flagOf(notes, NOTES),
        actual: number,
        target: target ? numberOf(target, 'target', targetAt, row) : 0n,
        notes: notes ? notesOf(notes) : '',
        beyond,
      }
    },
  }
}

/** Receives what the rows of a file yield. */
export type RowSink = {
  /** Receives an entry to import, or one marked as bad. */
  readonly entry: (row: BlockRow) => void
  /**
   * Receives the place of a row, or in a wide file of a cell, that cannot be imported, the reasons, and whether a cell
   * is not in its column's format.
   */
  readonly reject: (place: number, reasons: readonly string[], isMisread: boolean) => void
  /** Receives a value that was rounded, and its line. */
  readonly rounded: (value: bigint, line: number) => void
  /** Receives each row, or in a wide file each cell, without a value. */
  readonly empty: () => void
}

type RowCells = readonly string[]

/** Holds what a wide row says of all its entries. */
type WideKey = { owner: number | undefined; kpi: number | undefined; day: Day | undefined }

/** Tells whether the headers of wide columns give one of the roles. */
const headerGives = (wide: ColumnPlan['wide'], ...roles: readonly Role[]): boolean =>
  wide !== undefined && roles.some((role) => wide.of === role || wide.over === role)

const hasParts = (wide: ColumnPlan['wide']): boolean => wide?.columns.some(({ part }) => part !== undefined) === true

/** Returns the day of a part of a year, or why there is none: not every year has 53 weeks. */
const findPart = (part: string, year: string): Day | Fault => {
  const text = partWithYear(part, year)
  return dayOfPart(part, year) ?? new Fault(`"${text}" ${whyNoDay(text)}`)
}

/** Returns a function that gives the days of the parts of a year that head the columns. */
const createPartDays = (wide: ColumnPlan['wide']): ((year: string) => ReadonlyMap<string, Day | Fault>) => {
  const parts = (wide?.columns ?? []).flatMap(({ part }) => part ?? [])
  return memoize((year) => new Map(parts.map((part) => [part, findPart(part, year)])))
}

/** Creates a reader that passes what it finds in rows to a sink. */
export const createRowReader = (
  plan: ColumnPlan,
  options: ImportOptions,
  reference: Reference,
  sink: RowSink,
  formats: ColumnFormats,
) => {
  const { roles, wide, header } = plan
  const sourcesOfUsers = new Map<number, number>()
  const ownerIn = ownerReader(plan, options, reference, formats, sourcesOfUsers)
  const first: FirstLines = { user: 0, source: 0 }
  const dates = formats.date?.column
  const hand: CurrentRow = { line: 0, kpi: undefined, beyond: '', isMisread: false, reasons: [] }
  const { reasons } = hand
  const { flagOf, numberOf, valuesOf } = createValueReader(
    plan,
    options,
    reference.fractions(formats.givesPercent),
    formats,
    hand,
    (value) => sink.rounded(value, hand.line),
  )
  const findKpi = rejectMissingNames(plan, 'kpi', options, nameFinder(formats, 'kpi'))
  const kpiOf = cellReader(plan, 'kpi', options.kpi, findKpi)
  const dayOf = cellReader(
    plan,
    'date',
    options.date,
    memoize((text) => dates?.read(text.trim(), hand.line) ?? readDateCell(text.trim())),
  )
  // Read the cell without recording it for its column, to which it may not belong.
  const dayPerhaps = cellReader(plan, 'date', options.date, (text) => {
    const day = dates ? dates.format.read(text.trim()) : readDateCell(text.trim())
    return typeof day === 'number' ? day : new Fault(text)
  })
  const namesKeys = KEY_ROLES.some((role) => roles.has(role))
  const [givesOwner, givesKpi] = [headerGives(wide, 'user', 'source'), headerGives(wide, 'kpi')]
  const partDays = createPartDays(wide)
  const valueOf = valueReader(options)
  const givesDay = headerGives(wide, 'date') && !hasParts(wide)

  const accept = <T>(value: T | Fault): T | undefined => {
    if (!(value instanceof Fault)) return value
    if (value instanceof Misread) hand.isMisread = true
    reasons.push(value.message)
    return undefined
  }
  /**
   * Adds why an owner may not have values of a KPI, before the reasons from a place on. Those of a locked user stand only
   * beside others: the user may have just these values.
   */
  const addFaults = (owner: number | undefined, kpi: number | undefined, place: number): void => {
    if (owner === undefined || kpi === undefined) return
    const faults = reference.faultsOf(owner, kpi)
    if (faults.length === 0) return
    const isSure = reasons.length > 0 || !reference.mayBeStored(owner, kpi)
    if (isSure) reasons.splice(place, 0, ...faults)
  }
  const hasUnits = formats.units.length > 0
  /** Records which unit the value in a column has. */
  const noteUnits = (row: Row, at: number | undefined, kpi: number | undefined): void => {
    for (const unit of formats.units) unit.note(row, at ?? -1, kpi)
  }
  const add = (row: BlockRow): void => {
    if (!isBad(row)) first[row.owner < 0 ? 'source' : 'user'] ||= hand.line
    sink.entry(row)
  }

  const readLong = (row: Row): void => {
    const { line, cells } = row
    const owner = accept(ownerIn(cells))?.id
    const kpi = accept(kpiOf(cells))?.id
    hand.kpi = kpi
    const day = accept(dayOf(cells))
    const place = reasons.length
    const values = valuesOf(row)
    addFaults(owner, kpi, place)
    if (owner === undefined || kpi === undefined || day === undefined) return
    const mark = reasons.length > 0 ? BAD : 0
    const { flags, actual, target, notes, beyond } = values
    if (hasUnits && flags & ACTUAL.given) noteUnits(row, roles.get('actual'), kpi)
    if (hasUnits && flags & TARGET.given) noteUnits(row, roles.get('target'), kpi)
    if (flags > 0) add({ owner, kpi, day, line, flags: flags | mark, actual, target, notes, beyond })
    else if (mark === 0) sink.empty()
  }
  const shared: WideKey = { owner: undefined, kpi: undefined, day: undefined }
  /** Reads what the row itself says of all its entries; the headers of its columns say the rest. */
  const readShared = (cells: RowCells): void => {
    shared.owner = givesOwner ? undefined : accept(ownerIn(cells))?.id
    shared.kpi = givesKpi ? undefined : accept(kpiOf(cells))?.id
    shared.day = givesDay ? undefined : accept(dayOf(cells))
  }
  const dayIn = ({ day, part }: WideColumn): Day | Fault | undefined => {
    if (part === undefined) return day ?? shared.day
    return shared.day === undefined ? undefined : partDays(formatDay(shared.day).slice(0, 4)).get(part)
  }
  /** Rejects the value of a period that does not exist; an empty cell there is only counted. */
  const endWithoutDay = (text: string, place: number, before: number): void => {
    if (text === '') sink.empty()
    else if (!options.clearEmpty) sink.reject(place, reasons.splice(before), hand.isMisread)
  }
  const readWide = (row: Row, { columns }: WideColumns): void => {
    const { line, cells } = row
    readShared(cells)
    const held: BlockRow[] = []
    for (const column of columns) {
      const { at } = column
      const text = valueOf((cells[at] ?? '').trim())
      if (text === '' && !options.clearEmpty) {
        sink.empty()
        continue
      }
      const owner = column.owner ?? shared.owner
      const kpi = column.kpi ?? shared.kpi
      const before = reasons.length
      hand.kpi = kpi
      hand.beyond = ''
      if (hasUnits && text !== '') noteUnits(row, at, kpi)
      const actual = text === '' ? 0n : numberOf(text, header[at] ?? '', at, row)
      const day = dayIn(column)
      if (day instanceof Fault && text !== '') reasons.push(day.message)
      // Leave empty cells out: whether they have something to clear is found out later.
      if (text !== '') addFaults(owner, kpi, before)
      if (owner === undefined || kpi === undefined || day === undefined) continue
      if (day instanceof Fault) {
        endWithoutDay(text, placeOf(line, at), before)
        continue
      }
      const flags = flagOf(text, ACTUAL) | (reasons.length > before ? BAD : 0)
      const place = placeOf(line, at)
      const one = { owner, kpi, day, line: place, flags, actual, target: 0n, notes: '', beyond: hand.beyond }
      if (options.clearEmpty) held.push(one)
      else add(one)
      if (!options.clearEmpty && isBad(one)) sink.reject(place, reasons.splice(before), hand.isMisread)
    }
    // If empty cells clear, an empty cell cannot stand for a value that was imported: a row is imported whole, or not
    // at all.
    const mark = reasons.length > 0 ? BAD : 0
    for (const one of held) add({ ...one, flags: one.flags | mark })
  }
  /**
   * Adds the keys of a row with too many cells. The cells may have moved, so the keys that it gives are in doubt, too.
   */
  const addDoubtful = ({ line, cells }: Row): void => {
    if (reference.sources?.unread !== undefined) return
    const idOf = (found: Named | Fault): number | undefined => (found instanceof Fault ? undefined : found.id)
    const day = givesDay ? undefined : dayPerhaps(cells)
    shared.owner = givesOwner ? undefined : idOf(ownerIn(cells))
    shared.kpi = givesKpi ? undefined : idOf(kpiOf(cells))
    shared.day = day instanceof Fault ? undefined : day
    for (const column of wide?.columns ?? [{ at: 0 }]) {
      const [owner, kpi, on] = [column.owner ?? shared.owner, column.kpi ?? shared.kpi, dayIn(column)]
      if (owner === undefined || kpi === undefined || typeof on !== 'number') continue
      add({ owner, kpi, day: on, line, flags: BAD, actual: 0n, target: 0n, notes: '', beyond: '' })
    }
  }
  /**
   * Tells whether all cells of a row are empty, as spreadsheets leave such rows behind. If constants say everything
   * that rows have to say, no row is blank.
   */
  const isBlank = (cells: RowCells): boolean => namesKeys && cells.every((cell) => cell.trim() === '')
  return {
    sourcesOfUsers: sourcesOfUsers satisfies SourcesOfUsers,
    /** Refuses the file for faults that show only once all rows have been read. */
    finish: (): void => requireDistinctOwners(reference, first),
    /** Returns the users of rows that are not rejected for the names of their user or KPI. */
    usersOf: async (rows: readonly Row[], pause: Pause): Promise<Set<number>> => {
      const ids = new Set((wide?.columns ?? []).flatMap(({ owner = 0 }) => (owner > 0 ? owner : [])))
      for (const { cells } of givesOwner ? [] : rows) {
        const turn = pause()
        if (turn) await turn
        if (hasSurplusCells(cells, header) || (!givesKpi && kpiOf(cells) instanceof Fault)) continue
        const owner = ownerIn(cells)
        if (!(owner instanceof Fault) && owner.id > 0) ids.add(owner.id)
      }
      return ids
    },
    read: (row: Row): void => {
      if (isBlank(row.cells)) {
        sink.empty()
        return
      }
      reasons.length = 0
      hand.line = row.line
      const surplus = faultOfSurplus(row.cells, header)
      hand.isMisread = surplus !== undefined
      if (surplus !== undefined) {
        reasons.push(surplus)
        addDoubtful(row)
      } else if (wide) readWide(row, wide)
      else readLong(row)
      if (reasons.length > 0) sink.reject(row.line, reasons, hand.isMisread)
    },
  }
}
