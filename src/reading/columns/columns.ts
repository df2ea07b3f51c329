import { didYouMeanName } from '../../client/nearest.ts'
import { listFirst } from '../../domain/count-text.ts'
import { Fault, type Issue, KpiError } from '../../domain/errors.ts'
import { isWholeDate } from '../formats/known-formats.ts'
import { type Directories, strangeColumns, type WideColumns } from './wide.ts'
import { stripAffixes } from '../../domain/numbers/affixed-number.ts'
import type { ImportOptions, Role } from '../options/options.ts'
import { isProvisional, type Lookup, mayNotRead } from '../directory/lookup.ts'
import {
  faultsOfTwice,
  type HeaderFindings,
  isYearName,
  labelAt,
  listNames,
  namedColumns,
  nearColumn,
  roleOf,
  unassignedColumns,
} from './header.ts'
import { listFlag, mapFlag } from '../options/flag-text.ts'
import { namesTarget, timePartOf } from './name-words.ts'
import {
  type ColumnSearch,
  isGiven,
  isOwned,
  KEY_ROLES,
  lackingRoles,
  suggestedPlaces,
  VALUE_ROLES,
  withoutKpis,
} from './roles.ts'
import { kpiPlaces } from './value-columns.ts'
import { delimiterName, DELIMITERS } from '../../tabular/source/text-format.ts'
import { isMarkedDate, withoutSign } from './heading-forms.ts'
import { type FoundYear, yearFlags } from '../formats/file-years.ts'
import type { GivenUnit } from '../formats/number-words.ts'
import { columnsHolding, Contents, truthColumns, type SampleRow } from './contents.ts'
import { type Heading, recognizeKeys, recognizeLayout } from './layout.ts'
import { orLikeDates } from './date-columns.ts'
import { recognizeAddressColumn, recognizePersonColumns } from './persons.ts'
import { recognizeSplitNames } from './split-names.ts'

/** Sets how many headers are shown; there may be hundreds. */
const SHOWN = 3

const shownNames = (names: readonly string[]): string => listFirst(names, SHOWN, (name) => `"${name}"`)

/** Returns the fault of headers that name no KPIs or users, in a file that can only be wide. */
const faultOfUnknownHeadings = (
  found: HeaderFindings,
  lookups: readonly (readonly [what: string, Lookup])[],
): Issue[] => {
  if (lookups.some(([, { unread }]) => unread !== undefined)) return []
  const strange = strangeColumns(
    found,
    lookups.map(([, lookup]) => lookup),
  )
  const names = strange.map((at) => labelAt(found, at))
  if (names.length === 0 || lookups.length === 0) return []
  const what = lookups.map(([one]) => one).join(' or ')
  return [
    {
      field: 'header',
      message: `is not one with a column for each ${what} either: no ${what} is called ${shownNames(names)}`,
    },
  ]
}

const isNumber = (cell: string): boolean => !isWholeDate(cell) && stripAffixes(cell) !== undefined

type Owners = { readonly user: Lookup; readonly kpi: Lookup }

/**
 * Returns the roles of the cells beside numbers and a date, in order; `undefined` if they are more than a user and a
 * KPI.
 */
const namesOf = (cells: readonly string[], wanted: readonly Role[], { user, kpi }: Owners): Role[] | undefined => {
  if (cells.length !== wanted.length) return undefined
  const [first = '', second = ''] = cells
  const isKnown = (lookup: Lookup, name: string): boolean => !(lookup.find(name) instanceof Fault)
  const isTurned = wanted.length === 2 && (isKnown(kpi, first) || isKnown(user, second)) && !isKnown(user, first)
  return isTurned ? wanted.toReversed() : [...wanted]
}

/** Returns the roles of the columns, as far as a row shows them. */
const columnsOf = (row: readonly string[], options: ImportOptions, owners: Owners): readonly Role[] | undefined => {
  const wanted = (['user', 'kpi'] as const).filter((role) => options[role] === undefined)
  const date = row.findIndex(isWholeDate)
  const texts = [...row.keys()].filter((at) => at !== date && !isNumber(row[at] ?? ''))
  const numbers = [...row.keys()].filter((at) => isNumber(row[at] ?? ''))
  // If names are missing, the first numbers are ids.
  const owned = [...texts, ...numbers.splice(0, Math.max(0, wanted.length - texts.length))].toSorted((a, b) => a - b)
  const names = namesOf(
    owned.map((at) => row[at] ?? ''),
    wanted,
    owners,
  )
  if (!names || numbers.length < 1 || numbers.length > 2) return undefined
  const values: readonly Role[] = ['actual', 'target']
  return row.flatMap((_, at) =>
    at === date ? 'date' : (names[owned.indexOf(at)] ?? values[numbers.indexOf(at)] ?? []),
  )
}

/** Tells whether no column is the date, or only one whose header is itself a date. */
const lacksDate = ({ header, roles }: HeaderFindings, { date }: ImportOptions): boolean => {
  const at = roles.get('date')
  return at === undefined ? roles.size === 0 && date === undefined : isWholeDate(header[at]?.trim() ?? '')
}

/** Returns the fault of a first line that is a row: no column has a known name, one is a date and another a number. */
const faultOfHeadless = (found: HeaderFindings, options: ImportOptions, owners: Owners): string | undefined => {
  const row = found.header.map((name) => name.trim())
  if (!lacksDate(found, options) || row.some((name) => roleOf(name) !== undefined)) return undefined
  const [date, ...others] = row.filter(isWholeDate)
  const number = row.findLast(isNumber)
  if (date === undefined || others.length > 0 || number === undefined) return undefined
  const columns =
    columnsOf(row, options, owners)?.join(', ') ?? 'user, kpi, date and actual, and whatever else there is'
  return `the first line looks like a row, and not like a header, as "${date}" is a date and "${number}" a number: write a line above it that names the columns, separated as its cells are: ${columns}`
}

/** Returns what else to do if no header names a KPI or user: headers may be ids of things that the key cannot read. */
const orByIds = (role: Role, directories: Directories): string => {
  const unread = role === 'kpi' || role === 'user' ? directories[role].unread : undefined
  return unread === undefined ? '' : `; ${mayNotRead(unread)}, so the column headers have to be ids, with --layout wide`
}

/** Returns how else to say whom entries belong to, if they may belong to breakdown items. */
const orBySource = (role: Role, { takesSources }: Directories): string =>
  role === 'user' && takesSources ? ', or the source with --map source=COLUMN or --source' : ''

/** Returns a hint at a column whose name is nearly right. */
const orNear = (found: HeaderFindings, role: Role): string => {
  const at = nearColumn(found, role)
  const name = labelAt(found, at)
  return at === undefined ? '' : `${didYouMeanName(name)} ${mapFlag(role, name)}`
}

const YEAR = /^\d{4}$/

/** Returns how to read headers as names that are read as days or periods. */
const orAsNames = (header: readonly string[], wide: WideColumns | undefined): string => {
  const first = wide?.columns.find(({ at, part }) => part !== undefined || YEAR.test(header[at]?.trim() ?? ''))
  return wide?.of === 'date' && first
    ? `; if headers such as "${header[first.at]?.trim()}" are names and not dates: --layout wide`
    : ''
}

/** Returns what else columns that would be new KPIs may be: what the values belong to, of one KPI. */
const orOwners = (header: readonly string[], wide: WideColumns | undefined, what: string): string => {
  const columns = wide?.of === 'kpi' ? wide.columns : []
  if (columns.length === 0 || columns.some(({ kpi }) => kpi === undefined || !isProvisional(kpi))) return ''
  const names = columns.slice(0, SHOWN).map(({ at }) => `"${header[at]?.trim()}"`)
  const more = columns.length > SHOWN ? ' and the like' : ''
  return `; if ${names.join(', ')}${more} ${columns.length === 1 ? `is the ${what}` : `are the ${what}s`}, --kpi NAME says what is measured`
}

const ONE_USER = '--user ann@example.com puts all rows under one user, who is created'
const ONE_ITEM = '--source NAME puts all rows under one breakdown item, which is created'

/** Returns how to say whom rows belong to, where any name will do because it is created; undefined if none is. */
const owningByCreation = (
  { found: { header }, options: { create, as }, directories }: ColumnSearch,
  wide: WideColumns | undefined,
): string | undefined => {
  const mayBeItems = create?.kinds.has('items') === true && directories.source !== undefined
  if (as === 'items' && mayBeItems)
    return `--as items does not say where their names are: ${ONE_ITEM}, --map source=COLUMN takes them from a column${orOwners(header, wide, 'item')}`
  if (mayBeItems)
    return `no column says whose the values are: ${ONE_ITEM}, --map source=COLUMN takes them from a column${orOwners(header, wide, 'item')}; a new user needs an e-mail address: --user ann@example.com, or --map user=COLUMN`
  return create?.kinds.has('users') === true
    ? `no column is the user: ${ONE_USER}, --map user=COLUMN takes them from a column${orOwners(header, wide, 'user')}`
    : undefined
}

/** Returns how to take all columns of numbers as KPIs, if only a name says which of them holds the actuals. */
const orAllKpis = (search: ColumnSearch): string => {
  const { found, options } = search
  const at = found.roles.get('actual')
  if (at === undefined || options.layout !== undefined || VALUE_ROLES.some((role) => options.map.has(role))) return ''
  const nameOf = (place: number): string => labelAt(found, place)
  const others = kpiPlaces(search).map(nameOf)
  if (others.length === 0) return ''
  const left = others.filter((name) => !namesTarget(name))
  const targets = [...others, nameOf(found.roles.get('target') ?? at)].filter(namesTarget)
  const same = targets.map((name) => `${name}=${name}`)
  const mapped = same.length === 0 ? '' : ` ${listFlag('--map-kpi', same)}`
  const leave = left.length === 0 ? '' : `, and ${shownNames(left)} ${left.length === 1 ? 'is' : 'are'} left out`
  return `${leave}; --layout wide${mapped} makes KPIs of ${shownNames([nameOf(at), ...others])} instead`
}

/** Returns the fault of a role without a column or a constant, and how to give one. */
const faultOfLacking = (search: ColumnSearch, role: Role, wide: WideColumns | undefined): Issue => {
  const { found, options, directories } = search
  const named = orNear(found, role)
  const likely = named === '' && role === 'date' ? orLikeDates(found, search.contents, options) : named
  const near = likely + orAsNames(found.header, wide)
  const owning = role === 'user' ? owningByCreation(search, wide) : undefined
  if (owning !== undefined) return { field: role, message: owning + near }
  if (role === 'kpi' && options.create?.kinds.has('kpis') === true && directories.kpi.unread === undefined)
    return {
      field: role,
      message: `no column is the kpi: --kpi NAME says what is measured, and is created, --map kpi=COLUMN takes names from a column${wide ? '' : orAllKpis(search)}${near}`,
    }
  return {
    field: role,
    message: `no column is the ${role}; give one with --map ${role}=COLUMN${role === 'actual' ? '' : ` or --${role}`}${orBySource(role, directories)}${orByIds(role, directories)}${near}`,
  }
}

/**
 * Describes what the columns of a file mean. A role without a column is given by a constant or by the headers of wide
 * columns.
 */
export type ColumnPlan = {
  readonly header: readonly string[]
  readonly roles: ReadonlyMap<Role, number>
  /** Holds the columns of roles that are made of several. */
  readonly joined?: ReadonlyMap<Role, readonly number[]>
  readonly wide: WideColumns | undefined
  /** Lists headers without a meaning, without the columns that the user asked to ignore. */
  readonly unused: readonly string[]
  /** Lists columns without a meaning that only say which currency or unit the values of a row have. */
  readonly units?: readonly number[]
  /** Holds a row below the header that says which units the columns have. */
  readonly unitRow?: SampleRow | undefined
  /** Holds the unit that a title gives all numbers. */
  readonly tableUnit?: GivenUnit | undefined
  /** Tells whether the file was exported for a spreadsheet, with a mark before notes that would run as formulas. */
  readonly isMarked?: boolean
  /** Lists the years that are named beside the rows of the file. */
  readonly years?: readonly FoundYear[] | undefined
}

/** Reports an unclear header, and what is clear nevertheless. */
export class UnclearHeader extends KpiError {
  readonly seen: ColumnPlan
  /** Lists the roles without a column or a constant. */
  readonly lacking: readonly Role[]

  constructor(message: string, issues: readonly Issue[], seen: ColumnPlan, lacking: readonly Role[]) {
    super('malformed', message, { issues })
    this.seen = seen
    this.lacking = lacking
  }
}

/** Returns the fault of columns for parts of a year, if nothing says of which. */
const faultOfParts = (header: readonly string[], { columns }: WideColumns, years: readonly FoundYear[]): Issue => {
  const parts = new Set(columns.map(({ at, part }) => part ?? header[at]?.trim()))
  const names = [...parts].slice(0, 2).map((part) => `"${part}"`)
  return {
    field: 'date',
    message: `${names.join(' and ')} name no year${yearFlags(years)}; if a column says it: --map date=COLUMN`,
  }
}

const requireLines = ({ header }: HeaderFindings): void => {
  if (header.some((name) => /\r(?!\n)/.test(name))) {
    throw new KpiError('malformed', 'the lines of the file end in CR alone; save it with line ends of LF or CRLF')
  }
}

const NOTHING_KNOWN =
  'a file has columns user, kpi, date and actual, or a column for each KPI or user; if this is a title, delete the lines above the header'
const UNCLEAR = 'the header does not say what each column is'

/** Returns how to say that another line is the header, if this one has columns without a name, or the same twice. */
const orOtherLine = (header: readonly string[]): string =>
  header.some((name) => name.trim() === '') || new Set(header).size < header.length
    ? '; if another line is the header, say after how many: --skip-lines N'
    : ''

/** Returns how to say that cells are separated by another sign, if names of columns hold one. */
const orSeparator = (header: readonly string[]): string => {
  const sign = DELIMITERS.find((one) => header.some((name) => name.includes(one)))
  return sign === undefined
    ? ''
    : `; if cells are separated by ${delimiterName(sign)}: --separator '${delimiterName(sign)}'`
}

/** Refuses a file without a header, as every other fault follows from that. */
const requireNames = ({ found, options, directories, heading }: ColumnSearch): void => {
  if (heading.upper || found.header.some(isYearName)) return
  const fault = faultOfHeadless(found, options, directories)
  if (fault === undefined) return
  const seen = { header: found.header, roles: found.roles, wide: undefined, unused: [] }
  throw new UnclearHeader(fault, [], seen, lackingRoles(found, undefined, options))
}

/** Returns the fault of unknown columns in a file without actuals, which may be meant to be wide. */
const faultOfWide = ({ found, contents, options, directories: { kpi, user } }: ColumnSearch): Issue[] => {
  if (options.layout === 'long') return []
  const suggested = [...suggestedPlaces(found, undefined, options, contents)].filter((at) => at !== undefined)
  return faultOfUnknownHeadings({ ...found, ignored: new Set([...found.ignored, ...suggested]) }, [
    ...(isGiven(found, options, 'kpi') ? [] : [['KPI', kpi] as const]),
    ...(isOwned(found, options) ? [] : [['user', user] as const]),
  ])
}

const AS_TRUTHS = ', which holds truth values (--booleans numbers imports them as 1 and 0)'

/** Returns the names of the ignored columns. */
const unusedColumns = (found: HeaderFindings, contents: Contents): string[] => {
  const truths = new Set(truthColumns(found, contents))
  const used = new Set([...found.roles.values(), ...[...found.joined.values()].flat()])
  const nameless = [...found.header.keys()].filter((at) => labelAt(found, at) === '' && !used.has(at))
  return [
    ...unassignedColumns(found).map((at) => (found.header[at] ?? '') + (truths.has(at) ? AS_TRUTHS : '')),
    ...nameless.map((at) => `column ${at + 1}, which has no name`),
  ]
}

/** Sets how many headings are read in one turn. */
const HEADINGS_PER_TURN = 256

/**
 * Reads the headings of a file, and lets signals and timers run meanwhile, as thousands take a second: `planColumns`
 * finds what was read.
 */
export const readHeadings = async (
  heading: Heading & { readonly contents: Contents },
  { kpi, user }: Directories,
  nextTurn: () => Promise<void>,
): Promise<void> => {
  for (const row of [heading.header, heading.upper ?? []]) {
    for (const [at, text] of row.entries()) {
      if (at % HEADINGS_PER_TURN === HEADINGS_PER_TURN - 1) await nextTurn()
      const name = text.trim()
      isMarkedDate(withoutSign(name), undefined)
      isWholeDate(withoutSign(name))
      timePartOf(name)
      if (roleOf(name) === undefined) for (const { find } of [kpi, user]) find(name)
      heading.contents.peek(at)
    }
  }
}

/** Finds out what each column means. Everything that is unclear is one `malformed` error with all its issues. */
export const planColumns = (heading: Heading, options: ImportOptions, directories: Directories): ColumnPlan => {
  const { header } = heading
  const found = namedColumns(header, options)
  const contents = heading.contents ?? new Contents(header, [], {})
  const search = { found, options, directories, heading, contents }
  recognizeAddressColumn(withoutKpis(found, options), options, contents.sample)
  if (options.as !== 'items' && !isOwned(found, options))
    recognizeSplitNames(withoutKpis(found, options), contents.sample)
  recognizeKeys(search)
  requireNames(search)
  const wide = recognizeLayout(search)
  recognizePersonColumns(found, options, contents.sample)
  requireLines(found)
  const plan = {
    header,
    roles: found.roles,
    joined: found.joined,
    wide,
    unused: unusedColumns(found, contents),
    units: columnsHolding(found, contents, 'units'),
    years: heading.years,
  }
  const lacking = lackingRoles(found, wide, options)
  const hint = orOtherLine(header) + orSeparator(header)
  if (found.roles.size === 0 && !wide) {
    const names = listNames(header.filter((name) => name.trim() !== ''))
    const message = `cannot understand the header ${names}: ${NOTHING_KNOWN}${orSeparator(header)}`
    throw new UnclearHeader(message, found.issues, plan, lacking)
  }
  const missing = lacking
    // If a --map names no column, that error says more.
    .filter(
      (role) =>
        !options.map.has(role) &&
        found.issues.every(({ field }) => field !== role && !(role === 'user' && field === 'source')),
    )
    .map((role) =>
      role === 'date' && wide?.of === 'date'
        ? faultOfParts(header, wide, heading.years ?? [])
        : faultOfLacking(search, role, wide),
    )
  const ofWide = !wide && missing.some(({ field }) => field === 'actual') ? faultOfWide(search) : []
  const given = KEY_ROLES.filter((role) => options[role] !== undefined)
  const issues = [...found.issues, ...faultsOfTwice(found, given), ...missing, ...ofWide]
  if (issues.length > 0) {
    throw new UnclearHeader(UNCLEAR + (missing.length > 0 ? hint : ''), issues, plan, lacking)
  }
  return plan
}
