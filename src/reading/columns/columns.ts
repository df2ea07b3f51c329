import { type Issue, KpiError } from '../../domain/errors.ts'
import type { ImportOptions, Role } from '../options/options.ts'
import { delimiterName, DELIMITERS } from '../../tabular/source/text-format.ts'
import {
  faultsOfTwice,
  labelAt,
  type HeaderFindings,
  isYearName,
  listNames,
  namedColumns,
  roleOf,
  unassignedColumns,
} from './header.ts'
import { faultOfHeadless, faultOfLacking, faultOfUnknownHeadings } from './unclear-header.ts'
import { isMarkedDate, withoutSign } from './heading-forms.ts'
import { columnsHolding, Contents, type SampleRow } from './contents.ts'
import { type Heading, recognizeKeys, recognizeLayout } from './layout.ts'
import { recognizeAddressColumn, recognizePersonColumns } from './persons.ts'
import { timePartOf } from './name-words.ts'
import { type ColumnSearch, isGiven, isOwned, KEY_ROLES, lackingRoles, suggestedPlaces, withoutKpis } from './roles.ts'
import { isWholeDate } from '../formats/known-formats.ts'
import type { Directories, WideColumns } from './wide.ts'

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
  /** Tells whether the file was exported for a spreadsheet, with a mark before notes that would run as formulas. */
  readonly isMarked?: boolean
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
const faultOfParts = (header: readonly string[], { columns }: WideColumns): Issue => {
  const names = columns.slice(0, 2).map(({ at }) => `"${header[at]?.trim()}"`)
  return {
    field: 'date',
    message: `${names.join(' and ')} are parts of a year, and no column says of which: give it with --map date=COLUMN, or write the year into the header`,
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
const faultOfWide = ({ found, options, directories: { kpi, user } }: ColumnSearch): Issue[] => {
  if (options.layout === 'long') return []
  const suggested = [...suggestedPlaces(found, undefined, options)].filter((at) => at !== undefined)
  return faultOfUnknownHeadings({ ...found, ignored: new Set([...found.ignored, ...suggested]) }, [
    ...(isGiven(found, options, 'kpi') ? [] : [['KPI', kpi] as const]),
    ...(isOwned(found, options) ? [] : [['user', user] as const]),
  ])
}

/** Returns the names of the ignored columns. */
const unusedColumns = (found: HeaderFindings): string[] => {
  const used = new Set([...found.roles.values(), ...[...found.joined.values()].flat()])
  const nameless = [...found.header.keys()].filter((at) => labelAt(found, at) === '' && !used.has(at))
  return [
    ...unassignedColumns(found).map((at) => found.header[at] ?? ''),
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
  const contents = heading.contents ?? new Contents(header, [], undefined)
  const search = { found, options, directories, heading, contents }
  recognizeAddressColumn(withoutKpis(found, options), options, contents.sample)
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
    unused: unusedColumns(found),
    units: columnsHolding(found, contents, 'units'),
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
      role === 'date' && wide?.of === 'date' ? faultOfParts(header, wide) : faultOfLacking(search, role, wide),
    )
  const ofWide = !wide && missing.some(({ field }) => field === 'actual') ? faultOfWide(search) : []
  const given = KEY_ROLES.filter((role) => options[role] !== undefined)
  const issues = [...found.issues, ...faultsOfTwice(found, given), ...missing, ...ofWide]
  if (issues.length > 0) {
    throw new UnclearHeader(UNCLEAR + (missing.length > 0 ? hint : ''), issues, plan, lacking)
  }
  return plan
}
