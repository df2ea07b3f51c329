import { columnsHolding, type Contents, truthColumns, wholeNumber } from './contents.ts'
import { labelAt, foldName, type HeaderFindings, unassignedColumns } from './header.ts'
import { listFlag, listValue, mapFlag } from '../options/flag-text.ts'
import { Fault, type Issue } from '../../domain/errors.ts'
import { showCell } from '../formats/evidence.ts'
import type { ImportOptions, NameRole } from '../options/options.ts'
import { SEVERAL_ROWS } from '../formats/time-of-day.ts'
import { faultsOfTruths, faultsOfUnclear } from './content-faults.ts'
import { itemColumns } from './owners.ts'
import { mayHaveDecimals, namesIds, namesPlaces, namesTarget, timePartOf } from './name-words.ts'
import { repeatsDate } from './date-columns.ts'
import { type ColumnSearch, isOwned, mapsKpi } from './roles.ts'

/** Sets how many rows show that numbers count them, and how many that they do so by other steps than one. */
const LEAST_COUNTED = 3
const LEAST_WITH_STEPS = 5
/** Sets how many steps from row to row show that numbers count rows of which some are missing. */
const LEAST_WITH_GAPS = 8
/** Sets how many rows show that numbers are codes, and how often each has to come at least on the average. */
const LEAST_CODED = 6
const LEAST_EACH = 2

const stepsOf = (numbers: readonly number[]): number[] =>
  numbers.slice(1).map((number, at) => number - (numbers[at] ?? 0))

const stepText = (step: number): string => (step === 1 ? 'one' : String(step))

/** Says how numbers count the rows: they rise or fall from each row to the next, by the same step but for some gaps. */
const countsRows = (numbers: readonly number[]): string | undefined => {
  const steps = stepsOf(numbers)
  const isRising = (steps[0] ?? 0) > 0
  if (!steps.every((step) => (isRising ? step > 0 : step < 0))) return undefined
  const sizes = Map.groupBy(steps.map(Math.abs), (size) => size)
  const [size = 0, same = []] = [...sizes].toSorted(([, one], [, other]) => other.length - one.length)[0] ?? []
  const way = isRising ? 'rise' : 'fall'
  if (steps.length + 1 < LEAST_WITH_STEPS && (sizes.size > 1 || !isRising || size > 1)) return undefined
  if (sizes.size === 1) return `that ${way} by ${stepText(size)} with the rows`
  if (steps.length < LEAST_WITH_GAPS || same.length * 2 < steps.length) return undefined
  return `that ${way} with the rows, mostly by ${stepText(size)}`
}

/** Says how numbers count blocks of rows: they rise by the same step after each so many rows. */
const countsBlocks = (numbers: readonly number[]): string | undefined => {
  const length = numbers.findIndex((number) => number !== numbers[0])
  const step = (numbers[length] ?? 0) - (numbers[0] ?? 0)
  const isBlock = (number: number, at: number): boolean => number === (numbers[0] ?? 0) + step * Math.floor(at / length)
  if (length < 2 || numbers.length < 3 * length || !numbers.every(isBlock)) return undefined
  return `that ${step > 0 ? 'rise' : 'fall'} by ${stepText(Math.abs(step))} after each ${length} rows`
}

/** Tells whether each text of one column always stands beside the same text of another, and each of that beside the same of this one. */
const areNamesOf = (texts: readonly string[], others: readonly string[]): boolean => {
  const [there, back] = [new Map<string, string>(), new Map<string, string>()]
  for (const [at, text] of texts.entries()) {
    const other = others[at] ?? ''
    if (text === '' || other === '') return false
    if ((there.get(text) ?? other) !== other || (back.get(other) ?? text) !== text) return false
    there.set(text, other)
    back.set(other, text)
  }
  return there.size > 1 && texts.length >= LEAST_EACH * there.size
}

/** Returns the columns of names and the one of dates: what values are of. */
const keysIn = (found: HeaderFindings, contents: Contents): number[] => {
  const { roles } = found
  const places = [roles.get('user'), roles.get('source'), roles.get('kpi'), ...unassignedColumns(found)]
  const names = places.filter((place) => place !== undefined && contents.peek(place) === 'texts')
  return [...names, roles.get('date')].filter((place) => place !== undefined)
}

/**
 * Returns what the whole numbers of a column show that they are instead of values: they count the rows, or are codes for
 * the names or dates of another column. The first rows show it.
 */
const whatNumbersAre = (found: HeaderFindings, contents: Contents, at: number): string | undefined => {
  const { rows } = contents
  if (rows.length < LEAST_COUNTED || !contents.isWhole(at)) return undefined
  const texts = contents.textsIn(at)
  const numbers = texts.map(wholeNumber)
  const counted = texts.includes('') ? undefined : (countsRows(numbers) ?? countsBlocks(numbers))
  if (counted !== undefined || rows.length < LEAST_CODED) return counted
  const named = keysIn(found, contents).find((place) => place !== at && areNamesOf(texts, contents.textsIn(place)))
  if (named === undefined) return undefined
  const noun = named === found.roles.get('date') ? 'dates' : 'names'
  return `that go with the ${noun} of "${labelAt(found, named)}", as codes do`
}

const FIRST_INSTANT = Date.UTC(2000) / 1000
const LAST_INSTANT = Date.UTC(2040) / 1000

/** Tells whether all numbers are seconds or milliseconds since 1970 of some years of this time. */
const areInstants = (numbers: readonly number[]): boolean =>
  [1, 1000].some((unit) =>
    numbers.every((number) => number >= FIRST_INSTANT * unit && number <= LAST_INSTANT * unit),
  ) && Math.max(...numbers) <= 1.2 * Math.min(...numbers)

/** Tells whether numbers come in the same order again and again. */
const comeAgain = (texts: readonly string[]): boolean => {
  for (let period = 2; period * LEAST_EACH <= texts.length; period += 1)
    if (texts.every((text, at) => at < period || text === texts[at - period])) return true
  return false
}

/** Tells whether few numbers tell rows of the same names and date apart. */
const tellRowsApart = (found: HeaderFindings, contents: Contents, texts: readonly string[]): boolean => {
  const keys = keysIn(found, contents).map((place) => contents.textsIn(place))
  const rowKeys = texts.map((_, at) => JSON.stringify(keys.map((of) => of[at])))
  const isFew = new Set(texts).size * LEAST_EACH <= texts.length
  const apart = new Set(rowKeys.map((key, at) => `${key} ${texts[at]}`))
  return isFew && new Set(rowKeys).size * LEAST_EACH <= texts.length && apart.size === texts.length
}

/**
 * Returns what the whole numbers of a column may be instead of values, beside a column that is more likely to hold some:
 * one number for all rows, a flag, years, points in time, or codes without names. The first rows show it.
 */
const whatNumbersMayBe = (found: HeaderFindings, contents: Contents, at: number): string | undefined => {
  const { rows } = contents
  if (rows.length < LEAST_CODED || !contents.isWhole(at)) return undefined
  const texts = contents.textsIn(at).filter((text) => text !== '')
  const numbers = texts.map(wholeNumber)
  if (texts.length < LEAST_CODED) return undefined
  if (contents.areTruths(at)) return undefined
  const distinct = new Set(texts)
  if (distinct.size === 1) return `that are ${texts[0]} in all rows`
  if (numbers.every((number) => number === 0 || number === 1)) return 'that are all 0 or 1, as flags are'
  if (contents.of(at) === 'years' && distinct.size * LEAST_EACH <= texts.length) return 'that look like years'
  if (areInstants(numbers)) return 'that look like seconds or milliseconds since 1970'
  if (texts.length < rows.length) return undefined
  if (comeAgain(texts)) return 'that come in the same order again and again, as codes do'
  return tellRowsApart(found, contents, texts)
    ? 'that tell rows of the same name and date apart, as codes do'
    : undefined
}

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
  { found, contents }: ColumnSearch,
  at: number,
  of: NameRole,
  { items, codes, shownBy }: Evidence,
): Issue | undefined => {
  const name = labelAt(found, at)
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
const isRepeated = ({ found, contents, options: { dateFormat } }: ColumnSearch, at: number): boolean => {
  const part = contents.of(at) === 'stamps' ? 'date' : timePartOf(labelAt(found, at))
  return part !== undefined && contents.isWhole(at) && repeatsDate(found, contents.rows, at, part, dateFormat)
}

/** Returns the columns of numbers that may have the names of something that is created. */
const numberPlaces = (search: ColumnSearch, of: NameRole, named: readonly number[]): ValueColumns => {
  const { found, contents, options } = search
  // Take empty columns, too: they may have values further down.
  const numbers = columnsHolding(found, contents, 'numbers', 'years', 'stamps', 'nothing')
  const isAlone = numbers.length === 1 && named.length === 0
  const evidence = evidenceIn(found, (at) => (isAlone ? undefined : whatNumbersAre(found, contents, at)))
  const [likely, unclear, issues]: [number[], number[], Issue[]] = [[], [], []]
  const isSaid = saysValues(of, options)
  const faultBy = (at: number, by: Evidence): Issue | undefined =>
    isSaid(labelAt(found, at)) ? undefined : faultOfUnlikely(search, at, of, by)
  const refuse = (at: number, fault: Issue): void => {
    unclear.push(at)
    issues.push(fault)
  }
  for (const at of numbers) {
    const fault = faultBy(at, evidence)
    if (!fault) likely.push(at)
    else if (!isRepeated(search, at)) refuse(at, fault)
  }
  // Ask about doubtful columns only if another column surely holds values. A KPI that exists already proves nothing.
  const mayBe = (at: number): string | undefined => whatNumbersMayBe(found, contents, at)
  const isSure = [...named, ...likely].some((at) => contents.of(at) !== 'nothing' && mayBe(at) === undefined)
  // A column that is called like the target is asked about by that name.
  const weaker = { ...evidence, shownBy: (at: number) => (namesTarget(labelAt(found, at)) ? undefined : mayBe(at)) }
  const places: number[] = []
  for (const at of likely) {
    const fault = of === 'kpi' && isSure ? faultBy(at, weaker) : undefined
    if (fault) refuse(at, fault)
    else places.push(at)
  }
  return { places, unclear, issues }
}

/** Returns the columns without a meaning so far whose numbers may be those of KPIs that are created. */
export const kpiPlaces = (search: ColumnSearch): number[] =>
  numberPlaces(search, 'kpi', []).places.filter((at) => search.contents.of(at) !== 'nothing')

/**
 * Returns the columns that may hold the actuals of something that is created: those of numbers, and known names. Those
 * whose cells are numbers in part, or begin like numbers, are unclear, unless `--map-kpi` names them; those of codes are
 * left out.
 */
export const valueColumns = (search: ColumnSearch, of: NameRole): ValueColumns => {
  const { found, contents, options, directories } = search
  const named = unassignedColumns(found).filter(
    (at) => !(directories[of]?.find(found.header[at] ?? '') instanceof Fault),
  )
  const rest = { ...found, ignored: new Set([...found.ignored, ...named]) }
  const { places, unclear, issues } = numberPlaces({ ...search, found: rest }, of, named)
  const isMapped = mapsKpi(options)
  const meant = new Set(
    of === 'kpi' ? columnsHolding(rest, contents, 'mixed').filter((at) => isMapped(labelAt(found, at))) : [],
  )
  const mixed = columnsHolding(rest, contents, 'mixed', 'quantities', 'times').filter(
    (at) => !namesIds(labelAt(found, at)) && !meant.has(at),
  )
  const all = [...named, ...places, ...meant]
  const truths = of === 'kpi' && all.length === 0 ? truthColumns(rest, contents) : []
  const hasOwner = isOwned(found, options) || columnsHolding(rest, contents, 'texts').length > 0
  return {
    places: all.toSorted((one, other) => one - other),
    unclear: [...unclear, ...mixed, ...truths],
    issues: [
      ...issues,
      ...faultsOfTruths(found, contents, truths),
      ...faultsOfUnclear(found, contents, mixed, { of, isOwned: hasOwner }),
    ],
  }
}
