import { KINDS } from '../../domain/kinds.ts'
import type { Frequency } from '../../domain/period.ts'

/** Names what a column of a file can mean; `name` and `email` say more of users who are created. */
export type Role = 'user' | 'source' | 'kpi' | 'date' | 'actual' | 'target' | 'notes' | 'name' | 'email'

export const ROLES: readonly Role[] = ['user', 'source', 'kpi', 'date', 'actual', 'target', 'notes', 'name', 'email']

/** Lists the roles of columns beside that of users, which say more of those who are created. */
export const PERSON_ROLES: ReadonlySet<Role> = new Set(['name', 'email'])

/** Lists the roles of columns that name things, by ids or by names. */
export const NAME_ROLES = ['user', 'source', 'kpi'] as const
export type NameRole = (typeof NAME_ROLES)[number]

/** Returns the kind that a role names. */
export const kindOfRole = (role: NameRole): 'user' | 'kpi' | 'breakdown_item' =>
  role === 'source' ? 'breakdown_item' : role

/** Returns how messages call what a role names: user, KPI, breakdown item. */
export const titleOfRole = (role: NameRole): string => KINDS[kindOfRole(role)].of.title

/** Names what the numbers in such a column are. */
export type NumbersAs = 'ids' | 'names'

/** Lists the decimal signs of numbers. */
export const DECIMALS = ['.', ','] as const

/** Names what to do if a file gives a key more than once. */
export type OnDuplicate = (typeof ON_DUPLICATE)[number]

export const ON_DUPLICATE = ['error', 'first', 'last', 'sum', 'avg', 'max', 'min', 'count'] as const

/** Lists what to do if several files give other values of the same entry. */
export const ON_OVERLAP = ['later'] as const

/** Lists those that make one number of several, and so need the digits that are rounded away. */
export const COMPUTED: ReadonlySet<OnDuplicate> = new Set(['sum', 'avg', 'max', 'min'])

/** Lists the layouts: a row for each entry, a column for each KPI, user or breakdown item, or for each day or period. */
export const LAYOUTS = ['long', 'wide', 'dates'] as const

/** Lists what becomes of times of day: they are left out, or those that are midnight, nearly or in another time zone, are that midnight. */
export const TIMES = ['drop', 'round'] as const
export type TimesAs = (typeof TIMES)[number]

/** Lists what truth values are, such as TRUE and FALSE, in columns of values: 1 and 0. */
export const BOOLEANS_AS = ['numbers'] as const

/** Lists what 0.42 of a percentage KPI is: 0.42 %, or 42 %. */
export const PERCENT_AS = ['as-is', 'fraction'] as const
export type PercentAs = (typeof PERCENT_AS)[number]

/** Stands for all percentage KPIs that are not named. */
export const OTHER_KPIS = '*'

/** Lists what an import can create if the file names it and the service does not have it. */
export const CREATABLE = ['users', 'kpis', 'items', 'assignments'] as const
export type Creatable = (typeof CREATABLE)[number]

/** Lists what the names of owners that the service does not have become. */
export const OWNERS_AS = ['users', 'items'] as const

/** Lists what the upper of two heading rows of names may name. */
export const UPPER_ROWS = ['kpis', 'users', 'items'] as const

/** Describes how missing things are created. */
export type Creation = {
  readonly kinds: ReadonlySet<Creatable>
  /** Makes e-mail addresses out of people's names, such as `{name}@example.com`. */
  readonly emailPattern?: string | undefined
  /** Holds the frequency, unit and category of new KPIs, and the group of new breakdown items; found if undefined. */
  readonly frequency?: Frequency | undefined
  readonly unit?: string | undefined
  readonly category?: string | undefined
  readonly group?: string | undefined
}

/** Names what to do with an entry that exists already. */
export type OnConflict = (typeof ON_CONFLICT)[number]

export const ON_CONFLICT = ['update', 'skip', 'error', 'add'] as const

/** Names the dates that entries of KPIs with periods longer than a day get. */
export type PeriodDates = (typeof PERIOD_DATES)[number]

export const PERIOD_DATES = ['first', 'last', 'as-is', 'next'] as const

/** Describes how many rows may be rejected before an import gives up. */
export type MaxErrors = { readonly count: number } | { readonly percent: number }

/** Describes what the user said about a file; the rest is detected. */
export type ImportOptions = {
  readonly layout?: (typeof LAYOUTS)[number] | undefined
  /** Maps roles to headers. */
  readonly map: ReadonlyMap<Role, string>
  /** Lists columns to ignore. */
  readonly ignore: readonly string[]
  /** Lists the only columns to use, beside those of `map`; all if undefined. */
  readonly columns?: readonly string[] | undefined
  /** Lists the texts of rows that are left out; `none` says that all others are meant, even if they look like totals. */
  readonly ignoreRows?: readonly string[] | undefined
  /** Maps names in headers or cells to the KPIs that they mean. */
  readonly mapKpi?: ReadonlyMap<string, string> | undefined
  /** Says whether owners are users or breakdown items, if the file does not. */
  readonly as?: (typeof OWNERS_AS)[number] | undefined
  /** Says what the upper of two heading rows of names is; found if undefined. */
  readonly upperRow?: (typeof UPPER_ROWS)[number] | undefined
  /** Describes what to create; undefined if nothing is. */
  readonly create?: Creation | undefined
  /** Names the user, breakdown item, KPI or date of every row, by id or name. */
  readonly user?: string | undefined
  readonly source?: string | undefined
  readonly kpi?: string | undefined
  readonly date?: string | undefined
  /** Holds the year of dates that are written without one, such as `Jan`. */
  readonly year?: string | undefined
  /** Holds the word, such as `today`, that `date` was settled for; undefined where a date was given. */
  readonly dateWord?: string | undefined
  /** Says whether the numbers in columns of names are ids or names, if they may be both. */
  readonly numbersAs?: ReadonlyMap<NameRole, NumbersAs> | undefined
  /** Tells whether an empty cell clears what is stored, instead of keeping it. */
  readonly clearEmpty: boolean
  /** Lists the texts, in small letters, that stand for no value; those that are found are shown if undefined. */
  readonly missing?: ReadonlySet<string> | undefined
  /** Tells whether truth values are the numbers 1 and 0. */
  readonly booleans?: (typeof BOOLEANS_AS)[number] | undefined
  /** Says what becomes of times of day; they are refused if undefined. */
  readonly time?: TimesAs | undefined
  /** Says by KPI, and under `OTHER_KPIS` for all others, whether values of percentages are fractions; asked if not. */
  readonly percent?: ReadonlyMap<string, PercentAs> | undefined
  /** Says what words beside numbers and in headings mean, by their texts: `Cr` is `crore`; asked if it is not clear. */
  readonly scale?: ReadonlyMap<string, string> | undefined
  /** Tells whether more than four decimals reject a row, instead of being rounded. */
  readonly strict: boolean
  readonly onDuplicate: OnDuplicate
  /**
   * Says whether dates of KPIs that are not daily become the first or last day of their period, or those of weekly KPIs
   * the first day of the next week; refused if it matters.
   */
  readonly periodDates?: PeriodDates | undefined
  readonly createAssignments: boolean
  /** Names the decimal sign of numbers; detected if undefined. */
  readonly decimal?: (typeof DECIMALS)[number] | undefined
  /** Holds the date format, such as `DD.MM.YYYY`; detected if undefined. */
  readonly dateFormat?: string | undefined
  readonly onConflict: OnConflict
  /** Tells whether only entries that differ from the stored ones are sent. */
  readonly onlyChanges: boolean
  readonly maxErrors?: MaxErrors | undefined
  /** Tells whether to add also rows that an unfinished import may have added before. */
  readonly addAgain: boolean
}
