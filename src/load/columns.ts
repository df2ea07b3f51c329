import { type Directory, type Named, nearest } from '../client/directory.ts'
import { Fault, type Issue, KpiError } from '../domain/errors.ts'
import { type ImportOptions, type Role, ROLES } from './options.ts'

/** A column that holds the actuals of one KPI, or of one user. */
export type WideColumn = { readonly at: number; readonly id: number }

/** What the columns of a file mean. A role without a column is a constant, or what the wide columns stand for. */
export type Plan = {
  readonly header: readonly string[]
  readonly roles: ReadonlyMap<Role, number>
  readonly wide: { readonly of: 'kpi' | 'user'; readonly columns: readonly WideColumn[] } | undefined
  /** Headers of a long file that mean nothing to us. */
  readonly unused: readonly string[]
}

/** The KPIs and users that headers and cells name. */
export type Directories = { readonly kpi: Directory<Named>; readonly user: Directory<Named> }

/** The columns that a rejects file has beside the original ones. Importing leaves them out. */
export const REJECT_COLUMNS = ['_line', '_reason'] as const

const SYNONYMS: Record<Role, readonly string[]> = {
  user: ['user', 'user id', 'userid', 'email', 'e mail', 'user name', 'username', 'person', 'reporter'],
  kpi: ['kpi', 'kpi id', 'kpiid', 'kpi name', 'measure', 'metric', 'indicator'],
  date: ['date', 'entry date', 'entrydate', 'day', 'period'],
  actual: ['actual', 'actual value', 'value', 'amount', 'result'],
  target: ['target', 'target value', 'goal', 'plan'],
  notes: ['notes', 'note', 'comment', 'comments', 'remark', 'remarks'],
}

const fold = (header: string): string =>
  header
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')

/** The column of a name that the user gave, or why there is none. */
const columnNamed = (header: readonly string[], name: string): number | Fault => {
  const exact = header.findIndex((one) => one.trim() === name)
  const at = exact >= 0 ? exact : header.findIndex((one) => fold(one) === fold(name))
  if (at >= 0) return at
  const near = nearest(name, header)
  return new Fault(
    `there is no column "${name}"; ${near === undefined ? `there are ${header.join(', ')}` : `did you mean "${near}"?`}`,
  )
}

/** What is known of the header so far. */
type Findings = { readonly roles: Map<Role, number>; readonly ignored: Set<number>; readonly issues: Issue[] }

/** The columns that the user named, and those that are to be left out. */
const namedColumns = (header: readonly string[], { map, ignore }: ImportOptions): Findings => {
  const found: Findings = { roles: new Map(), ignored: new Set(), issues: [] }
  for (const [role, name] of map) {
    const at = columnNamed(header, name)
    if (at instanceof Fault) found.issues.push({ field: role, message: at.message })
    else found.roles.set(role, at)
  }
  for (const name of ignore) {
    const at = columnNamed(header, name)
    if (at instanceof Fault) found.issues.push({ field: 'ignore', message: at.message })
    else found.ignored.add(at)
  }
  header.forEach((name, at) => {
    if (name.trim() === '' || REJECT_COLUMNS.some((column) => column === name)) found.ignored.add(at)
  })
  return found
}

/** Adds the roles that the remaining headers have by their own names. */
const recogniseColumns = (header: readonly string[], { roles, ignored, issues }: Findings): void => {
  const taken = new Set([...roles.values(), ...ignored])
  const named = new Set(roles.keys())
  header.forEach((name, at) => {
    const role = ROLES.find((one) => SYNONYMS[one].includes(fold(name)))
    if (!role || named.has(role) || taken.has(at)) return
    const other = roles.get(role)
    if (other === undefined) roles.set(role, at)
    else
      issues.push({ field: role, message: `is both "${header[other]}" and "${name}"; say which: --map ${role}=COLUMN` })
  })
}

type Wide = NonNullable<Plan['wide']>

const wideBy = (
  of: Wide['of'],
  header: readonly string[],
  rest: readonly number[],
  directories: Directories,
): Wide & { readonly faults: Issue[] } => {
  const columns: WideColumn[] = []
  const faults: Issue[] = []
  for (const at of rest) {
    const found = directories[of].find(header[at] ?? '')
    if (found instanceof Fault)
      faults.push({ field: 'header', message: `${found.message} (or leave the column out with --ignore)` })
    else columns.push({ at, id: found.id })
  }
  return { of, columns, faults }
}

/** Whether the remaining headers are names of KPIs or of users, each a column of actuals. */
const findWide = (
  header: readonly string[],
  rest: readonly number[],
  found: Findings,
  options: ImportOptions,
  directories: Directories,
): Plan['wide'] => {
  const given = (role: 'kpi' | 'user'): boolean => found.roles.has(role) || options[role] !== undefined
  if (options.layout === 'long' || found.roles.has('actual') || (given('kpi') && given('user'))) return undefined
  const byKpi = wideBy('kpi', header, rest, directories)
  const byUser = wideBy('user', header, rest, directories)
  const moreUsers = !given('user') && byUser.columns.length > byKpi.columns.length
  const best = given('kpi') || moreUsers ? byUser : byKpi
  if (best.columns.length === 0 && options.layout !== 'wide') return undefined
  found.issues.push(...best.faults)
  return best
}

const FLAGS: Partial<Record<Role, string>> = { user: ' or --user', kpi: ' or --kpi', date: ' or --date' }

const missingRoles = ({ roles }: Findings, wide: Plan['wide'], options: ImportOptions): Issue[] => {
  const has = (role: 'user' | 'kpi' | 'date'): boolean =>
    roles.has(role) || wide?.of === role || options[role] !== undefined
  const lacking: Role[] = (['user', 'kpi', 'date'] as const).filter((role) => !has(role))
  const hasValues = wide !== undefined || (['actual', 'target', 'notes'] as const).some((role) => roles.has(role))
  return [...lacking, ...(hasValues ? [] : (['actual'] as const))].map((role) => ({
    field: role,
    message: `no column is the ${role}; give one with --map ${role}=COLUMN${FLAGS[role] ?? ''}`,
  }))
}

/** Settles what each column means. Everything that is unclear is one `malformed` error with all its issues. */
export const planColumns = (header: readonly string[], options: ImportOptions, directories: Directories): Plan => {
  const found = namedColumns(header, options)
  recogniseColumns(header, found)
  const taken = new Set([...found.roles.values(), ...found.ignored])
  const rest = header.map((_, at) => at).filter((at) => !taken.has(at))
  const wide = findWide(header, rest, found, options, directories)
  if (found.roles.size === 0 && !wide) {
    throw new KpiError(
      'malformed',
      `nothing is known of the header ${header.join(', ')}: a file has columns user, kpi, date and actual, or a column for each KPI or user`,
    )
  }
  const issues = [...found.issues, ...missingRoles(found, wide, options)]
  if (issues.length > 0) throw new KpiError('malformed', 'the header does not say what each column is', { issues })
  return { header, roles: found.roles, wide, unused: wide ? [] : rest.map((at) => header[at] ?? '') }
}
