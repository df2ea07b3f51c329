/** What a column of a file can mean. */
export type Role = 'user' | 'source' | 'kpi' | 'date' | 'actual' | 'target' | 'notes'

export const ROLES: readonly Role[] = ['user', 'source', 'kpi', 'date', 'actual', 'target', 'notes']

/** The roles of columns that name things, by ids or by names. */
export const NAME_ROLES = ['user', 'source', 'kpi'] as const
export type NameRole = (typeof NAME_ROLES)[number]

/** What the numbers in such a column are. */
export type NumbersAs = 'ids' | 'names'

/** How the letters of a file may be written. */
export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const

/** What may stand between cells. */
export const SEPARATORS = [',', ';', '\t', '|'] as const
export type Separator = (typeof SEPARATORS)[number]

/** What a separator is called where it is said or typed. */
export const separatorName = (separator: string): string => (separator === '\t' ? 'tab' : separator)

/** The decimal signs of numbers. */
export const DECIMALS = ['.', ','] as const

/** What to do where a file gives a key more than once. */
export type OnDuplicate = (typeof ON_DUPLICATE)[number]

export const ON_DUPLICATE = ['error', 'first', 'last', 'sum'] as const

/** A row an entry, or a column a KPI or user. */
export const LAYOUTS = ['long', 'wide'] as const

/** What to do with an entry that is there already. */
export type OnConflict = (typeof ON_CONFLICT)[number]

export const ON_CONFLICT = ['update', 'skip', 'error', 'add'] as const

/** How many rows may be rejected before an import gives up. */
export type MaxErrors = { readonly count: number } | { readonly percent: number }

/** What the user said of a file; whatever is left out is found out. */
export type ImportOptions = {
  readonly layout?: (typeof LAYOUTS)[number] | undefined
  /** Which column means what: roles to headers. */
  readonly map: ReadonlyMap<Role, string>
  /** Columns to leave out. */
  readonly ignore: readonly string[]
  /** The user, breakdown item, KPI or date of every row, by id or name. */
  readonly user?: string | undefined
  readonly source?: string | undefined
  readonly kpi?: string | undefined
  readonly date?: string | undefined
  /** What the numbers in columns of names are, where they may be both. */
  readonly numbersAs?: ReadonlyMap<NameRole, NumbersAs> | undefined
  /** Whether an empty cell clears what is stored, instead of keeping it. */
  readonly clearEmpty: boolean
  /** Whether more than four decimals make a row a reject, instead of being rounded. */
  readonly strict: boolean
  readonly onDuplicate: OnDuplicate
  readonly createAssignments: boolean
  /** The decimal sign of numbers, where it need not be found out. */
  readonly decimal?: (typeof DECIMALS)[number] | undefined
  /** How dates are written, such as `DD.MM.YYYY`, where it need not be found out. */
  readonly dateFormat?: string | undefined
  readonly onConflict: OnConflict
  /** Whether only what differs from what is stored is sent. */
  readonly onlyChanges: boolean
  readonly maxErrors?: MaxErrors | undefined
  /** Adds also rows that an import which did not end may have added before. */
  readonly addAgain: boolean
}
