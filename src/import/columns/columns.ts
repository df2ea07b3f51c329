import { Ambiguous } from '../../client/directory.ts'
import { Fault, type Issue, KpiError } from '../../domain/errors.ts'
import type { ImportOptions, Role } from '../options.ts'
import { type Lookup, mayNotRead } from '../permissions.ts'
import {
  type HeaderFindings,
  hasNameOfRole,
  isPeriodName,
  namedColumns,
  nearColumn,
  recognizeColumns,
  unassignedColumns,
} from './header.ts'
import { createNameColumn } from './name-column.ts'
import { faultOfDateHeadings, faultOfHeadless, faultOfUnknownHeadings } from './unusual-headers.ts'

/** Describes a column that holds the actuals of one KPI, or of one user. */
type WideColumn = { readonly at: number; readonly id: number }

/**
 * Describes what the columns of a file mean. A role without a column is given by a constant or by the headers of wide
 * columns.
 */
export type ColumnPlan = {
  readonly header: readonly string[]
  readonly roles: ReadonlyMap<Role, number>
  readonly wide: { readonly of: 'kpi' | 'user'; readonly columns: readonly WideColumn[] } | undefined
  /** Lists headers without a meaning, without the columns that the user asked to ignore. */
  readonly unused: readonly string[]
  /** Tells whether the file was exported for a spreadsheet, with a mark before notes that would run as formulas. */
  readonly isMarked?: boolean
}

/** Holds the KPIs and users that headers and cells may name, and the breakdown items if the file may name any. */
export type Directories = {
  readonly kpi: Lookup
  readonly user: Lookup
  readonly source?: Lookup | undefined
  /** Tells whether the service accepts breakdown items, whether there is a column of them or not. */
  readonly takesSources?: boolean
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

type Wide = NonNullable<ColumnPlan['wide']>

/** Lists the roles that make up an entry's key; a constant may stand for each. */
export const KEY_ROLES = ['user', 'source', 'kpi', 'date'] as const
type KeyRole = (typeof KEY_ROLES)[number]
/** Lists the roles of an entry's values. A wide file has only actuals, in the columns of KPIs or users. */
const VALUE_ROLES = ['actual', 'target', 'notes'] as const

/** Describes a reading of columns as KPIs, or as users: how many name one, even ambiguously, and what is wrong. */
type WideReading = Wide & {
  readonly named: number
  readonly doubt: string | undefined
  readonly faults: readonly (Issue & { readonly at: number })[]
}

const wideBy = (
  of: Wide['of'],
  found: HeaderFindings,
  directories: Directories,
  options: ImportOptions,
): WideReading => {
  const column = createNameColumn({ role: of, header: 'header', as: options.numbersAs?.get(of) }, directories[of])
  const columns: WideColumn[] = []
  const faults: (Issue & { at: number })[] = []
  let named = 0
  for (const at of unassignedColumns(found)) {
    const name = found.header[at] ?? ''
    const one = column.find(name)
    const isKnown = !(one instanceof Fault) || one instanceof Ambiguous
    // A number as a header need not be an id: --layout has to say so.
    if (isKnown && directories[of].unread === undefined) named += 1
    const blame = (message: string): void => {
      faults.push({ at, field: 'header', message })
    }
    const other = columns.find(({ id }) => !(one instanceof Fault) && id === one.id)
    if (one instanceof Fault) blame(`${one.message} (to leave the column out, use --ignore)`)
    else if (other) blame(`"${found.header[other.at]}" and "${name}" are both ${one.name}; keep one of the columns`)
    else columns.push({ at, id: one.id })
  }
  return { of, columns, named, faults, doubt: column.doubt() }
}

/** Tells whether a role has a column or a constant. */
const isGiven = ({ roles }: HeaderFindings, options: ImportOptions, role: KeyRole): boolean =>
  roles.has(role) || options[role] !== undefined

/** Tells whether a column or constant says whom entries belong to. */
const isOwned = (found: HeaderFindings, options: ImportOptions): boolean =>
  isGiven(found, options, 'user') || isGiven(found, options, 'source')

/** Tells whether the header can only be that of the long layout, with a row for each entry. */
const isSurelyLong = (found: HeaderFindings, options: ImportOptions): boolean => {
  if (options.layout === 'long') return true
  const hasBoth = isGiven(found, options, 'kpi') && isOwned(found, options)
  if (options.layout !== 'wide') return hasBoth || found.roles.has('actual') || hasNameOfRole(found, 'actual')
  if (hasBoth) found.issues.push({ field: 'layout', message: 'cannot be wide if both user and kpi are given' })
  return hasBoth
}

/** Returns the roles without a column or a constant. */
const lackingRoles = (found: HeaderFindings, wide: ColumnPlan['wide'], options: ImportOptions): Role[] => {
  const isLacking = (role: KeyRole): boolean => {
    if (wide?.of === role || role === 'source') return false
    return role === 'user' ? !isOwned(found, options) : !isGiven(found, options, role)
  }
  const lacking: Role[] = KEY_ROLES.filter(isLacking)
  const hasValues = wide !== undefined || VALUE_ROLES.some((role) => found.roles.has(role))
  return [...lacking, ...(hasValues ? [] : (['actual'] as const))]
}

/** Returns the columns to suggest for missing roles, beside those of a wide reading that has no other fault. */
const suggestedPlaces = (
  found: HeaderFindings,
  wide: ColumnPlan['wide'],
  options: ImportOptions,
): ReadonlySet<number | undefined> => {
  const ignored = new Set([...found.ignored, ...(wide?.columns ?? []).map(({ at }) => at)])
  const lacking = lackingRoles(found, wide, options).filter((role) => !options.map.has(role))
  return new Set(lacking.map((role) => nearColumn({ ...found, ignored }, role)))
}

/**
 * Finds the columns whose headers name KPIs or users; each holds actuals. Then no other column may be without a
 * meaning.
 */
const findWide = (found: HeaderFindings, options: ImportOptions, directories: Directories): ColumnPlan['wide'] => {
  if (isSurelyLong(found, options)) return undefined
  const [byKpi, byUser] = [wideBy('kpi', found, directories, options), wideBy('user', found, directories, options)]
  const moreUsers = !isOwned(found, options) && byUser.named > byKpi.named
  const best = isGiven(found, options, 'kpi') || moreUsers ? byUser : byKpi
  if (best.named === 0 && options.layout !== 'wide') return undefined
  const mayBeMeant = suggestedPlaces(found, best, options)
  const faults = best.faults.filter(({ at }) => !mayBeMeant.has(at))
  found.issues.push(...faults.map(({ field, message }) => ({ field, message })))
  if (best.doubt !== undefined) found.issues.push({ field: 'header', message: best.doubt })
  if (unassignedColumns(found).length === 0)
    found.issues.push({ field: 'header', message: `no column belongs to a ${best.of}` })
  for (const role of VALUE_ROLES) {
    if (found.roles.has(role))
      found.issues.push({
        field: role,
        message: `cannot have a column of its own if there is a column for each ${best.of}`,
      })
  }
  return best
}

/** Returns the faults of roles with both a constant and a column, as the column would be ignored silently. */
const doubleRoles = ({ header, roles }: HeaderFindings, options: ImportOptions): Issue[] =>
  KEY_ROLES.flatMap((role) => {
    const at = roles.get(role)
    if (at === undefined || options[role] === undefined) return []
    return [
      { field: role, message: `is given by --${role} and by the column "${header[at]}"; leave one out (--ignore)` },
    ]
  })

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
  const name = at === undefined ? undefined : found.header[at]?.trim()
  return name === undefined ? '' : `; did you mean "${name}"? --map ${role}=${/[, ]/.test(name) ? `"${name}"` : name}`
}

const faultOfLacking = (found: HeaderFindings, role: Role, directories: Directories): Issue => ({
  field: role,
  message: `no column is the ${role}; give one with --map ${role}=COLUMN${role === 'actual' ? '' : ` or --${role}`}${orBySource(role, directories)}${orByIds(role, directories)}${orNear(found, role)}`,
})

const requireLines = ({ header }: HeaderFindings): void => {
  if (header.some((name) => /\r(?!\n)/.test(name))) {
    throw new KpiError('malformed', 'the lines of the file end in CR alone; save it with line ends of LF or CRLF')
  }
}

const NOTHING_KNOWN =
  'a file has columns user, kpi, date and actual, or a column for each KPI or user; if this is a title, delete the lines above the header'
const UNCLEAR = 'the header does not say what each column is'

/** Refuses a file without a header, as every other fault follows from that. */
const requireNames = (found: HeaderFindings, options: ImportOptions, directories: Directories): void => {
  const fault = faultOfHeadless(found, options, directories)
  if (fault === undefined) return
  const seen = { header: found.header, roles: found.roles, wide: undefined, unused: [] }
  throw new UnclearHeader(fault, [], seen, lackingRoles(found, undefined, options))
}

/** Refuses a file with a column for each day, whatever else its header lacks. */
const rejectDateHeadings = (found: HeaderFindings, options: ImportOptions, { kpi, user }: Directories): void => {
  if (isGiven(found, options, 'date') || found.roles.has('actual') || hasNameOfRole(found, 'actual')) return
  const fault = faultOfDateHeadings(found, [kpi, user])
  if (!fault) return
  const seen = { header: found.header, roles: found.roles, wide: undefined, unused: [] }
  throw new UnclearHeader(UNCLEAR, [...found.issues, fault], seen, lackingRoles(found, undefined, options))
}

/** Returns the fault of unknown columns in a file without actuals, which may be meant to be wide. */
const faultOfWide = (found: HeaderFindings, options: ImportOptions, { kpi, user }: Directories): Issue[] => {
  if (options.layout === 'long') return []
  const suggested = [...suggestedPlaces(found, undefined, options)].filter((at) => at !== undefined)
  return faultOfUnknownHeadings({ ...found, ignored: new Set([...found.ignored, ...suggested]) }, [
    ...(isGiven(found, options, 'kpi') ? [] : [['KPI', kpi] as const]),
    ...(isOwned(found, options) ? [] : [['user', user] as const]),
  ])
}

/** Returns the names of the ignored columns. */
const unusedColumns = (found: HeaderFindings): string[] => {
  const nameless = [...found.header.keys()].filter((at) => found.header[at]?.trim() === '')
  return [
    ...unassignedColumns(found).map((at) => found.header[at] ?? ''),
    ...nameless.map((at) => `column ${at + 1}, which has no name`),
  ]
}

/** Finds the key columns. If one date is given for all rows, a month or week column is not taken for another date. */
const recogniseKeys = (found: HeaderFindings, keys: readonly KeyRole[], options: ImportOptions): void => {
  const isNamed = found.roles.has('date')
  recognizeColumns(found, keys)
  const at = found.roles.get('date')
  if (options.date === undefined || isNamed || at === undefined) return
  if (isPeriodName(found.header[at] ?? '')) found.roles.delete('date')
}

/** Finds out what each column means. Everything that is unclear is one `malformed` error with all its issues. */
export const planColumns = (
  header: readonly string[],
  options: ImportOptions,
  directories: Directories,
): ColumnPlan => {
  const found = namedColumns(header, options)
  const keys = KEY_ROLES.filter((role) => role !== 'source' || directories.source !== undefined)
  recogniseKeys(found, keys, options)
  requireNames(found, options, directories)
  rejectDateHeadings(found, options, directories)
  const wide = findWide(found, options, directories)
  if (!wide) recognizeColumns(found, VALUE_ROLES)
  requireLines(found)
  for (const { at } of wide?.columns ?? []) found.ignored.add(at)
  const plan = { header, roles: found.roles, wide, unused: unusedColumns(found) }
  const lacking = lackingRoles(found, wide, options)
  if (found.roles.size === 0 && !wide) {
    const names = header.filter((name) => name.trim() !== '').join(', ')
    const message = `cannot understand the header ${names}: ${NOTHING_KNOWN}`
    throw new UnclearHeader(message, found.issues, plan, lacking)
  }
  const missing = lacking
    // If a --map names no column, that error says more.
    .filter((role) => !options.map.has(role))
    .map((role) => faultOfLacking(found, role, directories))
  const ofWide =
    !wide && missing.some(({ field }) => field === 'actual') ? faultOfWide(found, options, directories) : []
  const issues = [...found.issues, ...doubleRoles(found, options), ...missing, ...ofWide]
  if (issues.length > 0) {
    throw new UnclearHeader(UNCLEAR, issues, plan, lacking)
  }
  return plan
}
