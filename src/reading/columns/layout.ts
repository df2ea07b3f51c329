import type { ImportOptions, NameRole } from '../options/options.ts'
import { faultOfActual, faultOfOwner, faultOfSeveral, faultsOfTargets } from './content-faults.ts'
import { faultsOfNumericOwners, itemColumns, severalItemColumns } from './owners.ts'
import { columnsHolding, type Contents, truthColumns } from './contents.ts'
import { columnsBelowDates, type DateHeadings, findDateHeadings } from './date-headings.ts'
import {
  hasNameOfRole,
  type HeaderFindings,
  isPeriodName,
  isYearName,
  labelAt,
  recognizeColumns,
  unassignedColumns,
} from './header.ts'
import { readNameRows, recognizeDateBeside } from './name-headings.ts'
import { askForDateParts, recognizeDate } from './date-columns.ts'
import {
  countNamed as countNames,
  type OwnerRole,
  ownerRoleBy,
  readWide,
  strangeColumns,
  wideByDates,
  type WideColumns,
  type WideReading,
} from './wide.ts'
import type { FoundYear } from '../formats/file-years.ts'
import { hasUnlikelyName, timePartOf } from './name-words.ts'
import {
  type ColumnSearch,
  isGiven,
  isOfHeader,
  isOwned,
  KEY_ROLES,
  suggestedPlaces,
  VALUE_ROLES,
  withoutKpis,
} from './roles.ts'
import { valueColumns } from './value-columns.ts'

/** Describes the header of a file: its labels, those of a second row above them, and what the columns below hold. */
export type Heading = {
  readonly header: readonly string[]
  readonly upper?: readonly string[] | undefined
  /** Holds the labels above the header that were not taken for a row of it. */
  readonly above?: readonly string[] | undefined
  readonly contents?: Contents
  /** Lists the years that are named beside the rows of the file. */
  readonly years?: readonly FoundYear[]
}

/** Tells whether the header can only be that of the long layout, with a row for each entry. */
const isSurelyLong = ({ found, options }: ColumnSearch): boolean => {
  if (options.layout === 'long') return true
  const hasBoth = isGiven(found, options, 'kpi') && isOwned(found, options)
  if (options.layout !== 'wide') return hasBoth || found.roles.has('actual') || hasNameOfRole(found, 'actual')
  if (hasBoth) found.issues.push({ field: 'layout', message: 'cannot be wide if both user and kpi are given' })
  return hasBoth
}

/** Counts the headers without a meaning so far that name something that exists. */
const countNamed = ({ found, directories }: ColumnSearch, role: NameRole): number => {
  const lookup = directories[role]
  return lookup ? countNames(found, unassignedColumns(found), lookup) : 0
}

/** Returns the kind of owner that most headers name; if none does, the kind that may be created. */
const ownerRole = (search: ColumnSearch): OwnerRole =>
  ownerRoleBy(search.options, search.directories, {
    users: countNamed(search, 'user'),
    items: countNamed(search, 'source'),
  })

/** Adds what is wrong with a wide reading to the other faults. */
const addFaults = ({ found, contents, options }: ColumnSearch, best: WideReading): void => {
  const mayBeMeant = suggestedPlaces(found, best, options, contents)
  const faults = best.faults.filter(({ at }) => !mayBeMeant.has(at))
  found.issues.push(...faults.map(({ field, message }) => ({ field, message })))
  if (best.doubt !== undefined) found.issues.push({ field: 'header', message: best.doubt })
  if (unassignedColumns(found).length === 0)
    found.issues.push({ field: 'header', message: `no column belongs to a ${best.of}` })
  addValueFaults(found, best.of)
}

/** Adds the faults of columns for values of their own in a wide file. */
const addValueFaults = (found: HeaderFindings, of: WideColumns['of']): void => {
  for (const role of VALUE_ROLES) {
    if (found.roles.has(role))
      found.issues.push({
        field: role,
        message: `cannot have a column of its own if there is a column for each ${of === 'date' ? 'day or period' : of}`,
      })
  }
}

const KINDS = { kpi: 'kpis', user: 'users', source: 'items' } as const

/** Returns the columns without a meaning so far, but for those of truth values or units that name nothing, where others name something. */
const withoutMarks = ({ found, contents, directories }: ColumnSearch, of: NameRole): number[] => {
  const [places, lookup] = [unassignedColumns(found), directories[of]]
  if (lookup === undefined || countNames(found, places, lookup) === 0) return places
  // Watch them in all rows: other texts may stand further down.
  const isLeftOut = (at: number): boolean =>
    countNames(found, [at], lookup) === 0 && ['texts', 'units'].includes(contents.of(at))
  const units = places.filter((at) => contents.peek(at) === 'units')
  const marks = new Set([...truthColumns(found, contents), ...units].filter(isLeftOut))
  return places.filter((at) => !marks.has(at))
}

/**
 * Finds the columns whose headers name KPIs, users or breakdown items; each holds actuals. Then no other column may be
 * without a meaning but one of truth values, unless what is missing is created: then only columns of numbers are taken for
 * such names.
 */
const findWide = (search: ColumnSearch): WideColumns | undefined => {
  if (isSurelyLong(search)) return undefined
  const byNames = readNameRows(search)
  if (byNames) return byNames
  const { found, options, directories } = search
  const owner = ownerRole(search)
  const [kpis, owners] = [countNamed(search, 'kpi'), countNamed(search, owner)]
  const moreOwners = !isOwned(found, options) && owners > kpis
  const of = isGiven(found, options, 'kpi') || moreOwners ? owner : 'kpi'
  const mayCreate = options.create?.kinds.has(KINDS[of]) === true
  const { places, unclear, issues } = mayCreate
    ? valueColumns(search, of)
    : { places: withoutMarks(search, of), unclear: [], issues: [] }
  const isNone = Math.max(of === 'kpi' ? kpis : owners, mayCreate ? places.length + unclear.length : 0) === 0
  if (isNone && options.layout !== 'wide') return undefined
  found.issues.push(...issues)
  const best = readWide({ of, found, directories, options, places })
  addFaults(search, best)
  for (const at of unclear) found.ignored.add(at)
  return best
}

/** Tells whether a column is named for actuals; below dates of an upper header row such a name is that of a KPI. */
const namesActual = ({ found, options, heading }: ColumnSearch): boolean => {
  const kpis = columnsBelowDates(found, heading.upper, options.dateFormat)
  return hasNameOfRole({ ...found, ignored: new Set([...found.ignored, ...kpis]) }, 'actual')
}

/** Lists what columns hold that are no values. */
const NO_VALUES: ReadonlySet<string> = new Set(['texts', 'dates', 'nothing'])

/** Finds the columns for days or periods. A column of years says of which year the parts are. */
const findDates = (search: ColumnSearch): WideColumns | undefined => {
  const { found, options, directories, heading, contents } = search
  const { layout } = options
  if (layout === 'long' || layout === 'wide' || options.date !== undefined || found.roles.has('actual'))
    return undefined
  if (namesActual(search)) return undefined
  const places = strangeColumns(found, [directories.kpi, directories.user])
  const headings = findDateHeadings(found, places, heading.upper, {
    asked: options.dateFormat,
    year: options.year,
    least: layout === 'dates' ? 1 : 2,
    frequency: options.create?.frequency,
    holdsValues: (at) => !NO_VALUES.has(contents.of(at)),
    seemsToHoldValues: (at) => !NO_VALUES.has(contents.peek(at)),
  })
  if (!headings) return undefined
  const hasParts = headings.columns.some((column) => 'part' in column)
  if (!hasParts && found.roles.has('date')) return undefined
  const year = unassignedColumns(found).find((at) => isYearName(found.header[at] ?? ''))
  if (hasParts && year !== undefined && !found.roles.has('date')) found.roles.set('date', year)
  const { wide, issues } = wideByDates(headings, roleOfOther(search, headings), directories, options)
  found.issues.push(...issues)
  addValueFaults(found, 'date')
  return wide
}

/** Returns what the header row without dates names: KPIs, else owners, or nothing where columns and flags say both. */
const roleOfOther = (search: ColumnSearch, { columns, other }: DateHeadings): NameRole | undefined => {
  const { found, options } = search
  if (!isGiven(found, options, 'kpi')) return 'kpi'
  if (!isOwned(found, options) && itemColumns(found).length === 0) return ownerRole(search)
  const labels = [...new Set(columns.map(({ at }) => other?.(at).trim() ?? ''))].filter((label) => label !== '')
  const shown = labels.slice(0, 2).map((label) => `"${label}"`)
  if (labels.length > 1)
    found.issues.push({
      field: 'header',
      message: `two header rows name dates and ${shown.join(', ')}, but the KPI and whom rows belong to are given by columns or flags already: leave out --kpi or a column (--ignore)`,
    })
  return undefined
}

/** Finds whom rows belong to by a column named for places, products and the like, if nothing else says it. */
const findItems = (search: ColumnSearch): void => {
  const { found, options, directories } = search
  if (directories.source === undefined || isOwned(found, options) || options.as === 'users') return
  if (isGiven(found, options, 'kpi') && countNamed(search, ownerRole(search)) > 0) return
  const [one, ...others] = itemColumns(withoutKpis(found, options))
  if (one === undefined) return
  found.roles.set('source', one)
  if (others.length > 0) found.issues.push(severalItemColumns([one, ...others].map((at) => labelAt(found, at))))
}

/** Finds whom rows belong to: the only column of names, unless its cells are hardly names. */
const findOwner = ({ found, contents, options, directories }: ColumnSearch): void => {
  const role = directories.source !== undefined && options.as !== 'users' ? 'source' : 'user'
  const isPart = (at: number): boolean => timePartOf(found.header[at] ?? '') !== undefined
  const isOfNumbers = (at: number): boolean => contents.of(at) === 'mixed' && contents.others(at).areFew
  const texts = columnsHolding(found, contents, 'texts', 'addresses', 'mixed').filter(
    (at) => !isPart(at) && !isOfNumbers(at),
  )
  const [one, ...others] = texts.length > 0 ? texts : columnsHolding(found, contents, 'units')
  if (one === undefined) return
  const fault = faultOfOwner(found, contents, one, role)
  if (others.length > 0) found.issues.push(faultOfSeveral(found, role, [one, ...others]))
  else if (fault) found.issues.push(fault)
  else found.roles.set(role, one)
}

/** Finds what no name says by what the columns hold; only where what is missing is created, after it was shown. */
const findByContent = (search: ColumnSearch, wide: WideColumns | undefined): void => {
  const { found, options, contents } = search
  if (!isOwned(found, options) && !(wide && isOfHeader(wide, 'user'))) findOwner(search)
  if (wide) return
  if (!found.roles.has('actual')) findActual(found, contents)
  if (!options.map.has('target')) found.issues.push(...faultsOfTargets(found, contents))
}

/** Finds the only column of numbers; one that holds other texts, too, is asked about. */
const findActual = (found: HeaderFindings, contents: Contents): void => {
  const numbers = columnsHolding(found, contents, 'numbers')
  const unclear = columnsHolding(found, contents, 'mixed', 'quantities').filter(
    (at) => !hasUnlikelyName(found.header[at] ?? ''),
  )
  const [one, ...others] = [...numbers, ...unclear]
  if (one === undefined) return
  if (others.length > 0 || (numbers.length > 0 && hasUnlikelyName(found.header[one] ?? '')))
    found.issues.push(faultOfSeveral(found, 'actual', [one, ...others]))
  else if (numbers.length === 0) found.issues.push(faultOfActual(found, contents, one))
  else found.roles.set('actual', one)
}

/** Takes a column of people as one of breakdown items, as `--as items` says. */
const ownItems = ({ roles }: HeaderFindings, { as, map }: ImportOptions): void => {
  const at = roles.get('user')
  if (as !== 'items' || at === undefined || map.has('user') || roles.has('source')) return
  roles.delete('user')
  roles.set('source', at)
}

/** Finds the key columns. If one date is given for all rows, a month or week column is not taken for another date. */
export const recognizeKeys = (search: ColumnSearch): void => {
  const { found, options, directories } = search
  recognizeDateBeside(search)
  const keys = KEY_ROLES.filter((role) => role !== 'source' || directories.source !== undefined)
  const isNamed = found.roles.has('date')
  recognizeColumns(withoutKpis(found, options), keys)
  ownItems(found, options)
  const at = found.roles.get('date')
  if (options.date === undefined || isNamed || at === undefined) return
  if (isPeriodName(found.header[at] ?? '')) found.roles.delete('date')
}

/** Finds the columns of values: one each, or in a wide file those of actuals; and what only the cells of columns show. */
export const recognizeLayout = (search: ColumnSearch): WideColumns | undefined => {
  const { found, options, contents } = search
  const byDates = findDates(search)
  for (const { at } of byDates?.columns ?? []) found.ignored.add(at)
  const isCreating = options.create !== undefined
  if (!byDates && !isGiven(found, options, 'date')) recognizeDate(found, contents, options)
  if (!byDates) askForDateParts(found, options, contents.sample)
  findItems(search)
  const wide = byDates ?? findWide(search)
  if (!wide) recognizeColumns(found, VALUE_ROLES)
  for (const { at } of wide?.columns ?? []) found.ignored.add(at)
  if (!isCreating) return wide
  found.issues.push(...faultsOfNumericOwners(search))
  findByContent(search, wide)
  return wide
}
