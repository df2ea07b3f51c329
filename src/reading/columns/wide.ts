import { listFlag } from '../options/flag-text.ts'
import type { ImportOptions, NameRole } from '../options/options.ts'
import { type HeaderFindings, labelAt, unassignedColumns } from './header.ts'
import type { ColumnSearch } from './roles.ts'
import { Ambiguous, type Named } from '../../client/directory.ts'
import type { Day } from '../../domain/day.ts'
import { Fault, type Issue } from '../../domain/errors.ts'
import type { Lookup } from '../directory/lookup.ts'
import type { DateHeadings } from './date-headings.ts'
import { createNameColumn } from './name-column.ts'

/** Names what the header of a wide column says of its entries. */
export type WideRole = NameRole | 'date'

/** Describes a column that holds actuals, and what its header says of them: of two header rows, two things. */
export type WideColumn = {
  readonly at: number
  /** Holds the user, or below 0 the breakdown item. */
  readonly owner?: number
  readonly kpi?: number
  readonly day?: Day
  /** Holds a part of a year, such as `Jan`; the row says which year. */
  readonly part?: string
}

/** Describes the columns of actuals of a wide file. */
export type WideColumns = {
  readonly of: WideRole
  /** Names what the other header row says, if there are two. */
  readonly over?: NameRole | undefined
  readonly columns: readonly WideColumn[]
  /** Holds the format of headers that are dates. */
  readonly dateFormat?: string | undefined
  /** Lists headings that are dates, and were read without the sign of a footnote. */
  readonly signed?: readonly string[] | undefined
  /** Tells whether a heading had no year but the one that the user gave. */
  readonly usesYear?: boolean
}

/** Holds the KPIs and users that headers and cells may name, and the breakdown items if the file may name any. */
export type Directories = {
  readonly kpi: Lookup
  readonly user: Lookup
  readonly source?: Lookup | undefined
  /** Returns a breakdown item with its owner number as the id. */
  readonly ownerOf?: ((item: Named) => Named) | undefined
  /** Tells whether the service accepts breakdown items, whether there is a column of them or not. */
  readonly takesSources?: boolean
}

/** Describes a fault of a column's header. */
type HeadingFault = Issue & { readonly at: number }

/** Describes a reading of columns by names: how many name one, even ambiguously, and what is wrong. */
export type WideReading = WideColumns & {
  readonly of: NameRole
  readonly named: number
  readonly doubt: string | undefined
  readonly faults: readonly HeadingFault[]
}

/** Returns what a name gives to a column. */
export const keyOf = (role: NameRole, one: Named, { ownerOf }: Directories): Pick<WideColumn, 'owner' | 'kpi'> => {
  if (role === 'kpi') return { kpi: one.id }
  return { owner: role === 'source' ? (ownerOf?.(one).id ?? -one.id) : one.id }
}

/** Returns a text that is the same for columns of the same entries. */
export const keyText = ({ owner, kpi, day, part }: WideColumn): string => JSON.stringify([owner, kpi, day, part])

/** Names the roles that say whom entries belong to. */
export type OwnerRole = 'user' | 'source'

/** Returns the kind of owner that more names are known of; if none is, the kind that may be created. */
export const ownerRoleBy = (
  { create, as }: ImportOptions,
  { source }: Directories,
  { users, items }: { readonly users: number; readonly items: number },
): OwnerRole => {
  if (source === undefined || users > items) return 'user'
  if (items > users || as === 'items') return 'source'
  return create === undefined || as === 'users' ? 'user' : 'source'
}

/** Counts the headers that name something that exists. */
export const countNamed = (found: HeaderFindings, places: readonly number[], { find, unread }: Lookup): number =>
  // A number as a header need not be an id: --layout has to say so.
  unread === undefined
    ? places.filter((at) => {
        const one = find(found.header[at] ?? '')
        return !(one instanceof Fault) || one instanceof Ambiguous
      }).length
    : 0

/** Returns the columns whose headers have no meaning and name nothing. */
export const strangeColumns = (found: HeaderFindings, lookups: readonly Lookup[]): number[] =>
  unassignedColumns(found).filter((at) => lookups.every(({ find }) => find(labelAt(found, at)) instanceof Fault))

/** Describes columns whose headers are names of KPIs, users or breakdown items. */
type NamedColumns = Pick<ColumnSearch, 'found' | 'directories' | 'options'> & {
  readonly of: NameRole
  readonly places: readonly number[]
}

/** Reads the headers of columns as names of KPIs, users or breakdown items. */
export const readWide = ({ of, found, directories, options, places }: NamedColumns): WideReading => {
  const lookup = directories[of]
  if (!lookup) return { of, columns: [], named: 0, faults: [], doubt: undefined }
  const column = createNameColumn({ role: of, header: 'header', as: options.numbersAs?.get(of) }, lookup)
  const columns: WideColumn[] = []
  const first = new Map<string, WideColumn>()
  const faults: HeadingFault[] = []
  for (const at of places) {
    const name = found.header[at] ?? ''
    const one = column.find(name)
    const blame = (message: string): void => {
      faults.push({ at, field: 'header', message })
    }
    if (one instanceof Fault) {
      blame(`${one.message} (to leave the column out, use --ignore)`)
      continue
    }
    const made = { at, ...keyOf(of, one, directories) }
    const key = keyText(made)
    const other = first.get(key)
    if (!other) first.set(key, made)
    if (other && options.onDuplicate === 'error')
      blame(
        `"${found.header[other.at]}" and "${name}" are both ${one.name}; keep one of the columns, as ${listFlag('--ignore', [`#${at + 1}`])} does, or say what becomes of two values: --on-duplicate sum adds them up`,
      )
    else columns.push(made)
  }
  return { of, columns, named: countNamed(found, places, lookup), faults, doubt: column.doubt() }
}

/** Reads the labels of the header row that gives no dates, as names. */
const readOther = (
  { columns, other }: DateHeadings,
  role: NameRole,
  directories: Directories,
  options: ImportOptions,
): { readonly columns: WideColumn[]; readonly issues: Issue[] } => {
  const lookup = directories[role]
  if (!other || !lookup) return { columns: [...columns], issues: [] }
  const names = createNameColumn({ role, header: 'header', as: options.numbersAs?.get(role) }, lookup)
  const issues: Issue[] = []
  const made = new Map<string, WideColumn>()
  const told = new Set<string>()
  for (const column of columns) {
    const text = other(column.at).trim()
    const one =
      text === '' ? new Fault(`column ${column.at + 1} has a date and no ${role} above or below it`) : names.find(text)
    if (one instanceof Fault) {
      if (!told.has(one.message)) issues.push({ field: 'header', message: one.message })
      told.add(one.message)
      continue
    }
    const next = { ...column, ...keyOf(role, one, directories) }
    const before = made.get(keyText(next))
    if (before)
      issues.push({
        field: 'header',
        message: `columns ${before.at + 1} and ${column.at + 1} are both "${text}" of the same day or period; leave one out (--ignore "#${column.at + 1}")`,
      })
    else made.set(keyText(next), next)
  }
  return { columns: [...made.values()], issues }
}

/** Returns the columns of a file with a column for each day or period; `over` is what the other header row names. */
export const wideByDates = (
  headings: DateHeadings,
  over: NameRole | undefined,
  directories: Directories,
  options: ImportOptions,
): { readonly wide: WideColumns; readonly issues: readonly Issue[] } => {
  const { other, columns: dated } = headings
  // Where the dates are in doubt there are no columns yet, and the other row is taken to name something.
  const isNamed = other !== undefined && (dated.length === 0 || dated.some(({ at }) => other(at).trim() !== ''))
  const read = {
    of: 'date',
    dateFormat: headings.format?.text,
    signed: headings.signed,
    usesYear: headings.usesYear === true,
  } as const
  if (!isNamed || over === undefined) {
    return { wide: { ...read, columns: headings.columns }, issues: headings.issues }
  }
  const { columns, issues } = readOther(headings, over, directories, options)
  return { wide: { ...read, over, columns }, issues: [...headings.issues, ...issues] }
}
