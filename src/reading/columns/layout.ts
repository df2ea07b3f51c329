import type { Issue } from '../../domain/errors.ts'
import type { ImportOptions, NameRole } from '../options/options.ts'
import { faultOfActual, faultOfOwner, faultOfSeveral, faultsOfTargets } from './content-faults.ts'
import { faultsOfNumericOwners, itemColumns, severalItemColumns } from './owners.ts'
import { columnsHolding, type Contents, contentsOf, type Sample } from './contents.ts'
import { columnsBelowDates, type DateHeadings, findDateHeadings } from './date-headings.ts'
import {
  hasNameOfRole,
  type HeaderFindings,
  isPeriodName,
  isYearName,
  recognizeColumns,
  unassignedColumns,
} from './header.ts'
import { askForDateParts, recognizeDate } from './date-columns.ts'
import {
  countNamed as countNames,
  type Directories,
  groupsAbove,
  readWide,
  strangeColumns,
  wideByDates,
  type WideColumns,
  type WideReading,
} from './wide.ts'
import { hasUnlikelyName, timePartOf } from './name-words.ts'
import { isGiven, isOfHeader, isOwned, KEY_ROLES, suggestedPlaces, VALUE_ROLES, withoutKpis } from './roles.ts'
import { valueColumns } from './value-columns.ts'

/** Describes the header of a file: its labels, those of a second row above them, and what the columns below hold. */
export type Heading = {
  readonly header: readonly string[]
  readonly upper?: readonly string[] | undefined
  /** Holds the labels above the header that were not taken for a row of it. */
  readonly above?: readonly string[] | undefined
  readonly contents?: Contents
}

/** Returns what the columns hold; nothing is known of them without rows. */
export const contentsIn = ({ header, contents }: Heading): Contents => contents ?? contentsOf(header, [], undefined)

/** Returns the cells of the first rows. */
export const sampleIn = (heading: Heading): Sample => contentsIn(heading).rows.map(({ cells }) => cells)

/** Tells whether the header can only be that of the long layout, with a row for each entry. */
const isSurelyLong = (found: HeaderFindings, options: ImportOptions): boolean => {
  if (options.layout === 'long') return true
  const hasBoth = isGiven(found, options, 'kpi') && isOwned(found, options)
  if (options.layout !== 'wide') return hasBoth || found.roles.has('actual') || hasNameOfRole(found, 'actual')
  if (hasBoth) found.issues.push({ field: 'layout', message: 'cannot be wide if both user and kpi are given' })
  return hasBoth
}

/** Returns the kind of owner that most headers name; if none does, the kind that may be created. */
const ownerRole = (found: HeaderFindings, options: ImportOptions, directories: Directories): 'user' | 'source' => {
  const [users, items] = [countNamed(found, 'user', directories), countNamed(found, 'source', directories)]
  if (directories.source === undefined || users > items) return 'user'
  if (items > users || options.as === 'items') return 'source'
  return options.create === undefined || options.as === 'users' ? 'user' : 'source'
}

const countNamed = (found: HeaderFindings, role: NameRole, directories: Directories): number => {
  const lookup = directories[role]
  return lookup ? countNames(found, unassignedColumns(found), lookup) : 0
}

/** Adds what is wrong with a wide reading to the other faults. */
const addFaults = (found: HeaderFindings, best: WideReading, options: ImportOptions): void => {
  const mayBeMeant = suggestedPlaces(found, best, options)
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

/**
 * Finds the columns whose headers name KPIs, users or breakdown items; each holds actuals. Then no other column may be
 * without a meaning, unless what is missing is created: then only columns of numbers are taken for such names.
 */
const findWide = (
  found: HeaderFindings,
  options: ImportOptions,
  directories: Directories,
  heading: Heading,
): WideColumns | undefined => {
  if (isSurelyLong(found, options)) return undefined
  const owner = ownerRole(found, options, directories)
  const [kpis, owners] = [countNamed(found, 'kpi', directories), countNamed(found, owner, directories)]
  const moreOwners = !isOwned(found, options) && owners > kpis
  const of = isGiven(found, options, 'kpi') || moreOwners ? owner : 'kpi'
  const mayCreate = creates(options, of)
  const { places, unclear, issues } = mayCreate
    ? valueColumns(found, contentsIn(heading), of, directories, options)
    : { places: unassignedColumns(found), unclear: [], issues: [] }
  const isNone = Math.max(of === 'kpi' ? kpis : owners, mayCreate ? places.length + unclear.length : 0) === 0
  if (isNone && options.layout !== 'wide') return undefined
  found.issues.push(...issues)
  const best = readWide(
    of,
    found,
    directories,
    options,
    places,
    groupsAbove(found, options, contentsIn(heading), heading.upper ?? heading.above),
  )
  addFaults(found, best, options)
  for (const at of unclear) found.ignored.add(at)
  return best
}

/** Tells whether headers may name things that are created. */
const creates = ({ create }: ImportOptions, role: NameRole): boolean => create?.kinds.has(KINDS[role]) === true

const KINDS = { kpi: 'kpis', user: 'users', source: 'items' } as const

/** Tells whether a column is named for actuals; below dates of an upper header row such a name is that of a KPI. */
const namesActual = (found: HeaderFindings, { dateFormat }: ImportOptions, { upper }: Heading): boolean => {
  const kpis = columnsBelowDates(found, upper, dateFormat)
  return hasNameOfRole({ ...found, ignored: new Set([...found.ignored, ...kpis]) }, 'actual')
}

/** Lists what columns hold that are no values. */
const NO_VALUES: ReadonlySet<string> = new Set(['texts', 'dates', 'nothing'])

/** Finds the columns for days or periods. A column of years says of which year the parts are. */
const findDates = (
  found: HeaderFindings,
  options: ImportOptions,
  directories: Directories,
  heading: Heading,
): WideColumns | undefined => {
  if (
    options.layout === 'long' ||
    options.layout === 'wide' ||
    options.date !== undefined ||
    found.roles.has('actual') ||
    namesActual(found, options, heading)
  )
    return undefined
  const places = strangeColumns(found, [directories.kpi, directories.user])
  const headings = findDateHeadings(found, places, heading.upper, {
    asked: options.dateFormat,
    least: options.layout === 'dates' ? 1 : 2,
    frequency: options.create?.frequency,
    holdsValues: (at) => !NO_VALUES.has(contentsIn(heading).of(at)),
    seemsToHoldValues: (at) => !NO_VALUES.has(contentsIn(heading).peek(at)),
  })
  if (!headings) return undefined
  const hasParts = headings.columns.some((column) => 'part' in column)
  if (!hasParts && found.roles.has('date')) return undefined
  const year = unassignedColumns(found).find((at) => isYearName(found.header[at] ?? ''))
  if (hasParts && year !== undefined && !found.roles.has('date')) found.roles.set('date', year)
  const { wide, issues } = wideByDates(
    headings,
    roleOfOther(found, headings, options, directories),
    directories,
    options,
  )
  found.issues.push(...issues)
  addValueFaults(found, 'date')
  return wide
}

/** Returns what the header row without dates names: KPIs, else owners, or nothing where columns and flags say both. */
const roleOfOther = (
  found: HeaderFindings,
  { columns, other }: DateHeadings,
  options: ImportOptions,
  directories: Directories,
): NameRole | undefined => {
  if (!isGiven(found, options, 'kpi')) return 'kpi'
  if (!isOwned(found, options) && itemColumns(found).length === 0) return ownerRole(found, options, directories)
  const labels = [...new Set(columns.map(({ at }) => other?.(at).trim() ?? ''))].filter((label) => label !== '')
  if (labels.length > 1) found.issues.push(faultOfLabels(labels))
  return undefined
}

const faultOfLabels = (labels: readonly string[]): Issue => ({
  field: 'header',
  message: `two header rows name dates and ${labels
    .slice(0, 2)
    .map((label) => `"${label}"`)
    .join(
      ', ',
    )}, but the KPI and whom rows belong to are given by columns or flags already: leave out --kpi or a column (--ignore)`,
})

/** Finds whom rows belong to by a column named for places, products and the like, if nothing else says it. */
const findItems = (found: HeaderFindings, options: ImportOptions, directories: Directories): void => {
  if (directories.source === undefined || isOwned(found, options) || options.as === 'users') return
  if (isGiven(found, options, 'kpi') && countNamed(found, ownerRole(found, options, directories), directories) > 0)
    return
  const [one, ...others] = itemColumns(withoutKpis(found, options))
  if (one === undefined) return
  found.roles.set('source', one)
  if (others.length > 0)
    found.issues.push(severalItemColumns([one, ...others].map((at) => found.header[at]?.trim() ?? '')))
}

/** Finds whom rows belong to: the only column of names, unless its cells are hardly names. */
const findOwner = (found: HeaderFindings, contents: Contents, role: 'user' | 'source'): void => {
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
const findByContent = (
  found: HeaderFindings,
  options: ImportOptions,
  directories: Directories,
  heading: Heading,
  wide: WideColumns | undefined,
): void => {
  const isOwnedByHeader = wide !== undefined && isOfHeader(wide, 'user')
  if (!isOwned(found, options) && !isOwnedByHeader)
    findOwner(
      found,
      contentsIn(heading),
      directories.source !== undefined && options.as !== 'users' ? 'source' : 'user',
    )
  if (wide) return
  if (!found.roles.has('actual')) findActual(found, contentsIn(heading))
  if (!options.map.has('target')) found.issues.push(...faultsOfTargets(found, contentsIn(heading)))
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
export const recognizeKeys = (found: HeaderFindings, options: ImportOptions, directories: Directories): void => {
  const keys = KEY_ROLES.filter((role) => role !== 'source' || directories.source !== undefined)
  const isNamed = found.roles.has('date')
  recognizeColumns(withoutKpis(found, options), keys)
  ownItems(found, options)
  const at = found.roles.get('date')
  if (options.date === undefined || isNamed || at === undefined) return
  if (isPeriodName(found.header[at] ?? '')) found.roles.delete('date')
}

/** Finds the columns of values: one each, or in a wide file those of actuals; and what only the cells of columns show. */
export const recognizeLayout = (
  found: HeaderFindings,
  options: ImportOptions,
  directories: Directories,
  heading: Heading,
): WideColumns | undefined => {
  const byDates = findDates(found, options, directories, heading)
  for (const { at } of byDates?.columns ?? []) found.ignored.add(at)
  const isCreating = options.create !== undefined
  if (isCreating && !byDates && !isGiven(found, options, 'date')) recognizeDate(found, contentsIn(heading), options)
  if (!byDates) askForDateParts(found, options, sampleIn(heading))
  findItems(found, options, directories)
  const wide = byDates ?? findWide(found, options, directories, heading)
  if (!wide) recognizeColumns(found, VALUE_ROLES)
  for (const { at } of wide?.columns ?? []) found.ignored.add(at)
  if (!isCreating) return wide
  found.issues.push(...faultsOfNumericOwners(found, contentsIn(heading), options, directories))
  findByContent(found, options, directories, heading, wide)
  return wide
}
