import { isObject } from '../../../../codec/json.ts'
import { Fault } from '../../../../domain/errors.ts'
import { scaleNamed } from '../../../../domain/numbers/scales.ts'
import type { ColumnPlan } from '../../../../reading/columns/columns.ts'
import type { FormatFlags } from '../../../../reading/detect/column-formats.ts'
import {
  BOOLEANS_AS,
  DECIMALS,
  type ImportOptions,
  LAYOUTS,
  NAME_ROLES,
  type NumbersAs,
  ON_DUPLICATE,
  OWNERS_AS,
  PERCENT_AS,
  PERIOD_DATES,
  PERSON_ROLES,
  ROLES,
  TIMES,
  UPPER_ROWS,
} from '../../../../reading/options/options.ts'
import { delimiterName, DELIMITERS, ENCODINGS } from '../../../../tabular/source/text-format.ts'
import { percentTexts } from '../../../../reading/directory/percentages.ts'
import type { ParsedFormat } from '../../../../tabular/source/table.ts'
import type { RequestedFormat } from '../../../../reading/open-table.ts'
import type { ImportFlags } from '../import-command.ts'

/** Describes what was settled of a file: by flags, and by evidence. */
export type SettledFile = {
  readonly options: ImportOptions
  readonly reading: ParsedFormat
  /** Holds what the flags say of the rows. */
  readonly asked: RequestedFormat
  readonly plan: ColumnPlan
  readonly formats: FormatFlags
  /** Holds the date of all rows as it was given: `yesterday` is another day tomorrow. */
  readonly date: string | undefined
}

/** Describes how a mapping holds a flag: as a text, a list for one that takes a list, or an object for one of pairs. */
type SavedFlag = {
  /** Tells whether a value in the file of a mapping can be one of this flag. */
  readonly isValid: (value: unknown) => boolean
  /** Returns what is saved of a file; undefined for nothing. */
  readonly valueOf: (file: SettledFile) => unknown
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isList = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const isOneOf =
  (choices: readonly string[]) =>
  (value: unknown): boolean =>
    choices.some((one) => one === value)
const isNameRoles = (value: unknown): boolean => Array.isArray(value) && value.every(isOneOf(NAME_ROLES))
const isMap = (value: unknown): boolean =>
  isObject(value) && Object.entries(value).every(([role, column]) => isOneOf(ROLES)(role) && isText(column))

/** Tells whether a value gives KPIs by the texts that mean them; the flag cannot name a KPI with an equals sign. */
const isMapKpi = (value: unknown): boolean =>
  isObject(value) &&
  Object.entries(value).every(([name, kpi]) => name !== '' && isText(kpi) && !String(kpi).includes('='))

/** Tells whether a value says what words beside numbers stand for. */
const isScale = (value: unknown): boolean =>
  isObject(value) &&
  Object.entries(value).every(
    ([word, text]) => word !== '' && isText(text) && !(scaleNamed(String(text)) instanceof Fault),
  )

const isPercentText = (value: unknown): boolean => {
  const [as, ...kpi] = typeof value === 'string' ? value.split('=') : []
  return isOneOf(PERCENT_AS)(as) && (kpi.length === 0 || kpi.join('=') !== '')
}

/** Tells whether a value says what percentages are: of all, or of some KPIs. */
const isPercent = (value: unknown): boolean => Array.isArray(value) && value.every(isPercentText)

const nameOfColumn = ({ header }: ColumnPlan, at: number): string => {
  const name = header[at]?.trim() ?? ''
  const isOnly = header.filter((one) => one.trim() === name).length === 1
  return name !== '' && isOnly ? name : `#${at + 1}`
}

/** Returns the columns by their roles: in the words of the user, and those that were found by their names. */
const mapOf = ({ plan, options }: SettledFile): object => {
  const found = [...plan.roles]
    // Columns that say more of new users are found again where there are any.
    .filter(([role]) => !PERSON_ROLES.has(role))
    .map(([role, at]) => [role, nameOfColumn(plan, at)] as const)
  return Object.fromEntries([...found, ...options.map])
}

const layoutOf = ({ plan, options }: SettledFile): ImportOptions['layout'] =>
  options.layout ?? (plan.wide === undefined ? 'long' : plan.wide.of === 'date' ? 'dates' : 'wide')

const rolesWith = ({ numbersAs = new Map() }: ImportOptions, as: NumbersAs): string[] | undefined => {
  const roles = [...numbersAs].flatMap(([role, one]) => (one === as ? [role] : []))
  return roles.length > 0 ? roles : undefined
}

/** Returns the delimiter that was given, or the one that the file shows. */
const separatorOf = ({ asked, reading, plan }: SettledFile): string | undefined => {
  const isShown = reading.cellsOf === undefined && plan.header.length > 1
  const separator = asked.separator ?? (isShown ? reading.separator : undefined)
  return separator && delimiterName(separator)
}

/** Names the encoding that is assumed without evidence, which says nothing of the next file. */
const ASSUMED_ENCODING = 'utf-8'

const encodingOf = ({ asked, reading }: SettledFile): string | undefined =>
  asked.encoding ?? (reading.encoding === ASSUMED_ENCODING ? undefined : reading.encoding)

const textFlag = (valueOf: SavedFlag['valueOf'], isValid = isText): SavedFlag => ({ isValid, valueOf })

/** Marks a flag that says nothing of how a file is read, but what happens to its entries, or how the import runs. */
const NOT_SAVED = 'not saved'

/** Lists all flags of an import, and how mappings hold those that say how a file is read. */
export const IMPORT_FLAGS: { readonly [flag in keyof ImportFlags]-?: SavedFlag | typeof NOT_SAVED } = {
  layout: { isValid: isOneOf(LAYOUTS), valueOf: layoutOf },
  map: { isValid: isMap, valueOf: mapOf },
  mapKpi: {
    isValid: isMapKpi,
    valueOf: ({ options: { mapKpi } }) => mapKpi && Object.fromEntries(mapKpi),
  },
  columns: { isValid: isList, valueOf: ({ options }) => options.columns },
  ignore: { isValid: isList, valueOf: ({ options: { ignore } }) => (ignore.length > 0 ? ignore : undefined) },
  byId: { isValid: isNameRoles, valueOf: ({ options }) => rolesWith(options, 'ids') },
  byName: { isValid: isNameRoles, valueOf: ({ options }) => rolesWith(options, 'names') },
  as: textFlag(({ options }) => options.as, isOneOf(OWNERS_AS)),
  upperRow: textFlag(({ options }) => options.upperRow, isOneOf(UPPER_ROWS)),
  user: textFlag(({ options }) => options.user),
  source: textFlag(({ options }) => options.source),
  kpi: textFlag(({ options }) => options.kpi),
  date: textFlag(({ date }) => date),
  sheet: {
    isValid: isList,
    valueOf: ({ asked: { sheets = [] }, reading }) =>
      reading.cellsOf === 'workbook' && sheets.length > 0 ? sheets : undefined,
  },
  records: textFlag(({ asked }) => asked.records),
  separator: textFlag(separatorOf, isOneOf(DELIMITERS.map(delimiterName))),
  encoding: textFlag(encodingOf, isOneOf(ENCODINGS)),
  skipLines: textFlag(
    ({ asked }) => asked.skipLines?.toString(),
    (value) => typeof value === 'string' && /^\d{1,6}$/.test(value),
  ),
  rowNames: textFlag(({ asked }) => asked.rowNames?.name),
  ignoreRows: { isValid: isList, valueOf: ({ asked }) => asked.ignoreRows },
  decimal: textFlag(({ options, formats }) => options.decimal ?? formats.decimal, isOneOf(DECIMALS)),
  dateFormat: textFlag(({ options, formats }) => options.dateFormat ?? formats.dateFormat),
  empty: textFlag(({ options }) => (options.clearEmpty ? 'clear' : undefined), isOneOf(['keep', 'clear'])),
  missing: { isValid: isList, valueOf: ({ options: { missing } }) => missing && [...missing] },
  booleans: textFlag(({ options }) => options.booleans, isOneOf(BOOLEANS_AS)),
  time: textFlag(({ options }) => options.time, isOneOf(TIMES)),
  percent: { isValid: isPercent, valueOf: ({ options: { percent } }) => percent && percentTexts(percent) },
  scale: { isValid: isScale, valueOf: ({ options: { scale } }) => scale && Object.fromEntries(scale) },
  strict: { isValid: (value) => typeof value === 'boolean', valueOf: ({ options }) => options.strict || undefined },
  onDuplicate: textFlag(
    ({ options: { onDuplicate } }) => (onDuplicate === 'error' ? undefined : onDuplicate),
    isOneOf(ON_DUPLICATE),
  ),
  periodDates: textFlag(({ options }) => options.periodDates, isOneOf(PERIOD_DATES)),
  year: NOT_SAVED,
  sql: NOT_SAVED,
  fromDb: NOT_SAVED,
  mapping: NOT_SAVED,
  saveMapping: NOT_SAVED,
  explain: NOT_SAVED,
  onConflict: NOT_SAVED,
  onOverlap: NOT_SAVED,
  onlyChanges: NOT_SAVED,
  addAgain: NOT_SAVED,
  createAssignments: NOT_SAVED,
  createMissing: NOT_SAVED,
  yes: NOT_SAVED,
  emailPattern: NOT_SAVED,
  frequency: NOT_SAVED,
  unit: NOT_SAVED,
  category: NOT_SAVED,
  group: NOT_SAVED,
  dryRun: NOT_SAVED,
  summaryOnly: NOT_SAVED,
  rejects: NOT_SAVED,
  maxErrors: NOT_SAVED,
  verify: NOT_SAVED,
  receipt: NOT_SAVED,
  undo: NOT_SAVED,
  rate: NOT_SAVED,
  journal: NOT_SAVED,
}

/** Holds the flags that mappings hold, by the names that commander gives them. */
export const SAVED_FLAGS: ReadonlyMap<string, SavedFlag> = new Map(
  Object.entries(IMPORT_FLAGS).flatMap(([flag, saved]) => (saved === NOT_SAVED ? [] : [[flag, saved] as const])),
)
