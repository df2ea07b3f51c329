import { listFlag, listValue, mapFlag } from '../options/flag-text.ts'
import { Fault, type Issue } from '../../domain/errors.ts'
import { showCell } from '../formats/evidence.ts'
import type { ImportOptions, NameRole } from '../options/options.ts'
import { SEVERAL_ROWS } from '../formats/time-of-day.ts'
import { faultsOfUnclear } from './content-faults.ts'
import { columnsHolding, type Contents } from './contents.ts'
import { itemColumns } from './item-words.ts'
import { foldName, type HeaderFindings, unassignedColumns } from './header.ts'
import { whatNumbersAre, whatNumbersMayBe } from './code-columns.ts'
import { mayHaveDecimals, namesIds, namesPlaces, namesTarget, timePartOf } from './name-words.ts'
import { repeatsDate } from './repeated-date.ts'
import { isOwned, mapsKpi } from './required-roles.ts'
import type { Directories } from './wide.ts'

/** Describes the columns that may hold the actuals of something that is created, and what is unclear about others. */
type ValueColumns = {
  readonly places: readonly number[]
  readonly unclear: readonly number[]
  readonly issues: Issue[]
}

/** Bounds the columns that a message names. */
const SHOWN_COLUMNS = 20

/** Returns the flag that names the columns used so far, or says what it does if they are many. */
const columnsFlag = ({ header, ignored }: HeaderFindings): string => {
  const names = header.flatMap((name, at) => (ignored.has(at) || name.trim() === '' ? [] : [name.trim()]))
  return names.length > SHOWN_COLUMNS ? '--columns, which lists all that are read,' : listFlag('--columns', names)
}

const nameIn = ({ header }: HeaderFindings, at: number): string => header[at]?.trim() ?? ''

/** Matches codes of countries and of their parts. */
const CODE_NAME = /^[A-Z]{2}$/
/** Sets how many other columns make a name such as `NO` one of their codes. */
const FELLOW_CODES = 2

/**
 * Tells whether a column is named by a code as its neighbours are: `NO` is a country beside `DE` and `ES`. Whole numbers
 * may be ids under any name, so that they stay unclear.
 */
const isCodeAmongCodes = (codes: number, name: string, isWhole: boolean): boolean =>
  !isWhole && CODE_NAME.test(name) && codes >= FELLOW_CODES

/**
 * Describes what columns are judged by: the item columns of the header, how many are named by other codes, and what the
 * cells of a column show its numbers to be instead of values.
 */
type Evidence = {
  readonly items: ReadonlySet<number>
  readonly codes: number
  readonly shownBy: (at: number) => string | undefined
}

const evidenceIn = (found: HeaderFindings, shownBy: Evidence['shownBy']): Evidence => ({
  shownBy,
  items: new Set(itemColumns(found)),
  codes: found.header.filter((one) => CODE_NAME.test(one.trim()) && !namesIds(one)).length,
})

/** Returns a function that tells whether the user says that a column holds values: by a KPI for it, or by `--columns`. */
const saysValues = (of: NameRole, options: ImportOptions): ((name: string) => boolean) => {
  if (of === 'kpi') return mapsKpi(options)
  const columns = new Set(options.columns?.map(foldName))
  return (name) => columns.has(foldName(name))
}

/** Returns the fault of numbers that hardly measure anything: parts of dates, dates without separators, ids, or what only their cells show. */
const faultOfUnlikely = (
  found: HeaderFindings,
  contents: Contents,
  at: number,
  of: NameRole,
  { items, codes, shownBy }: Evidence,
): Issue | undefined => {
  const name = nameIn(found, at)
  const part = timePartOf(name)
  const stamp = contents.of(at) === 'stamps' ? contents.first(at, 'stamp') : undefined
  const isWhole = contents.isWhole(at)
  const isId = namesIds(name) && !isCodeAmongCodes(codes, name, isWhole)
  const isNamed = part !== undefined || isId || items.has(at)
  // Codes may look like numbers with decimals; an index with decimals is a value.
  const isCode = (isId && !mayHaveDecimals(name)) || namesPlaces(name)
  const isUnlikely = (isWhole && isNamed) || (isCode && contents.of(at) !== 'nothing')
  const shown = stamp || isUnlikely ? undefined : shownBy(at)
  if (!stamp && !isUnlikely && shown === undefined) return undefined
  const namedFor =
    part === undefined ? (namesPlaces(name) ? 'coordinates or versions' : 'ids') : 'a part of a date or time'
  const what = stamp
    ? `holds numbers that look like dates, such as ${showCell(stamp)}`
    : `holds ${isWhole ? 'whole ' : ''}numbers${shown === undefined ? `, and is named for ${namedFor}` : ` ${shown}`}`
  const asDate =
    found.roles.has('date') || (!stamp && part === undefined) ? '' : `, ${mapFlag('date', name)} makes it the date`
  const asValue =
    of === 'kpi'
      ? `, --map-kpi ${listValue(`${name}=NAME`)} imports its numbers as the KPI of that name`
      : `, ${columnsFlag(found)} reads it as a ${of === 'user' ? 'user' : 'breakdown item'}`
  return {
    field: name,
    message: `${what}: --ignore ${listValue(name)} leaves the column out${asDate}${asValue}${part === 'time' ? SEVERAL_ROWS : ''}`,
  }
}

/** Tells whether a column only repeats the date of its row in another form, and so can be left out. */
const isRepeated = (found: HeaderFindings, contents: Contents, at: number, { dateFormat }: ImportOptions): boolean => {
  const part = contents.of(at) === 'stamps' ? 'date' : timePartOf(nameIn(found, at))
  return part !== undefined && contents.isWhole(at) && repeatsDate(found, contents.rows, at, part, dateFormat)
}

/** Returns the columns of numbers that may have the names of something that is created. */
const numberPlaces = (
  found: HeaderFindings,
  contents: Contents,
  of: NameRole,
  options: ImportOptions,
  named: readonly number[],
): ValueColumns => {
  // What the first rows leave blank may have values further down.
  const numbers = columnsHolding(found, contents, 'numbers', 'years', 'stamps', 'nothing')
  const isAlone = numbers.length === 1 && named.length === 0
  const evidence = evidenceIn(found, (at) => (isAlone ? undefined : whatNumbersAre(found, contents, at)))
  const [likely, unclear, issues]: [number[], number[], Issue[]] = [[], [], []]
  const isSaid = saysValues(of, options)
  const faultBy = (at: number, by: Evidence): Issue | undefined =>
    isSaid(nameIn(found, at)) ? undefined : faultOfUnlikely(found, contents, at, of, by)
  const refuse = (at: number, fault: Issue): void => {
    unclear.push(at)
    issues.push(fault)
  }
  for (const at of numbers) {
    const fault = faultBy(at, evidence)
    if (!fault) likely.push(at)
    else if (!isRepeated(found, contents, at, options)) refuse(at, fault)
  }
  // Ask about doubtful columns only if another column surely holds values. A KPI that exists already proves nothing.
  const mayBe = (at: number): string | undefined => whatNumbersMayBe(found, contents, at)
  const isSure = [...named, ...likely].some((at) => contents.of(at) !== 'nothing' && mayBe(at) === undefined)
  // A column that is called like the target is asked about by that name.
  const weaker = { ...evidence, shownBy: (at: number) => (namesTarget(nameIn(found, at)) ? undefined : mayBe(at)) }
  const places: number[] = []
  for (const at of likely) {
    const fault = of === 'kpi' && isSure ? faultBy(at, weaker) : undefined
    if (fault) refuse(at, fault)
    else places.push(at)
  }
  return { places, unclear, issues }
}

/** Returns the columns without a meaning so far whose numbers may be those of KPIs that are created. */
export const kpiPlaces = (found: HeaderFindings, contents: Contents, options: ImportOptions): number[] =>
  numberPlaces(found, contents, 'kpi', options, []).places.filter((at) => contents.of(at) !== 'nothing')

/**
 * Returns the columns that may hold the actuals of something that is created: those of numbers, and known names. Those
 * whose cells are numbers in part, or begin like numbers, are unclear, unless `--map-kpi` names them; those of codes are
 * left out.
 */
export const valueColumns = (
  found: HeaderFindings,
  contents: Contents,
  of: NameRole,
  known: Directories,
  options: ImportOptions,
): ValueColumns => {
  const named = unassignedColumns(found).filter((at) => !(known[of]?.find(found.header[at] ?? '') instanceof Fault))
  const rest = { ...found, ignored: new Set([...found.ignored, ...named]) }
  const { places, unclear, issues } = numberPlaces(rest, contents, of, options, named)
  const isMapped = mapsKpi(options)
  const meant = new Set(
    of === 'kpi' ? columnsHolding(rest, contents, 'mixed').filter((at) => isMapped(nameIn(found, at))) : [],
  )
  const mixed = columnsHolding(rest, contents, 'mixed', 'quantities', 'times').filter(
    (at) => !namesIds(nameIn(found, at)) && !meant.has(at),
  )
  const hasOwner = isOwned(found, options) || columnsHolding(rest, contents, 'texts').length > 0
  return {
    places: [...named, ...places, ...meant].toSorted((one, other) => one - other),
    unclear: [...unclear, ...mixed],
    issues: [...issues, ...faultsOfUnclear(found, contents, mixed, { of, isOwned: hasOwner })],
  }
}
