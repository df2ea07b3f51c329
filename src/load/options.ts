/** What a column of a file can mean. */
export type Role = 'user' | 'source' | 'kpi' | 'date' | 'actual' | 'target' | 'notes'

export const ROLES: readonly Role[] = ['user', 'source', 'kpi', 'date', 'actual', 'target', 'notes']

/** What to do where a file gives a key more than once. */
export type OnDuplicate = (typeof ON_DUPLICATE)[number]

export const ON_DUPLICATE = ['error', 'first', 'last', 'sum'] as const

/** A row an entry, or a column a KPI or user. */
export const LAYOUTS = ['long', 'wide'] as const

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
  /** Whether an empty cell clears what is stored, instead of keeping it. */
  readonly clearEmpty: boolean
  /** Whether more than four decimals make a row a reject, instead of being rounded. */
  readonly strict: boolean
  readonly onDuplicate: OnDuplicate
  readonly createAssignments: boolean
}
