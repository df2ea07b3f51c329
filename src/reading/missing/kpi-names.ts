import { nearest } from '../../client/nearest.ts'
import { listFlag, shellWord } from '../options/flag-text.ts'
import { type Issue, KpiError } from '../../domain/errors.ts'
import type { CheckedFile } from '../entries/check.ts'
import { foldName, isYearName, roleOf } from '../columns/header.ts'
import { namesTarget } from '../columns/name-words.ts'
import type { WideColumn } from '../columns/wide.ts'
import type { ImportOptions, Role } from '../options/options.ts'
import { splitWord } from './total-names.ts'
import { isMeantName } from '../../changes/names/doubtful-names.ts'
import { countedText } from '../../domain/count-text.ts'
import type { Missing } from '../directory/missing.ts'
import type { MissingKpi } from './plan-missing.ts'

const roleNamed = (name: string): Role | undefined =>
  namesTarget(name) ? 'target' : isYearName(name) ? 'date' : roleOf(name)

/** Describes a KPI column of a wide file. */
type KpiColumn = { readonly name: string; readonly header: string }

/** Returns what the flags are that read a column as one of another KPI: of a certain one, or of any. */
const waysAsRole = (role: Role, header: string, of: KpiColumn | undefined): string => {
  const columns = [`actual=${of?.header ?? 'COLUMN'}`, `${role}=${header}`]
  return `--kpi ${of ? shellWord(of.name) : 'KPI'} ${listFlag('--map', columns)}`
}

/** Holds the roles that a new KPI named in a cell may have been meant for; any may have been by a header. */
const VALUE_ROLES: ReadonlySet<Role> = new Set(['target', 'notes'])

/** Returns the KPI whose target a name says to be: it stands beside the word. */
const targetOf = (name: string, others: readonly KpiColumn[]): KpiColumn | undefined => {
  const rests = new Set(splitWord(name, namesTarget).map(({ rest }) => rest))
  return others.find((other) => rests.has(foldName(other.name)))
}

/** Returns the fault of a header that makes a new KPI and may mean a role. */
const faultOfHeader = (name: string, header: string, others: readonly KpiColumn[]): Issue[] => {
  const beside = targetOf(name, others)
  const role = roleNamed(name) ?? (beside && 'target')
  if (role === undefined) return []
  const [only, ...more] = others
  const of = beside ?? (more.length === 0 ? only : undefined)
  const as = VALUE_ROLES.has(role) ? waysAsRole(role, header, of) : listFlag('--map', [`${role}=${header}`])
  const what = VALUE_ROLES.has(role) && of ? `${role} of "${of.name}"` : role
  const message = `would be a new KPI, and may be the ${what} instead: ${as} reads it so; ${listFlag('--map-kpi', [`${name}=${name}`])} makes it a KPI; ${listFlag('--ignore', [header])} leaves the column out`
  return [{ field: header, message }]
}

/** Returns the fault of a new KPI that cells, or headers above dates, call like a role of values. */
const faultOfCells = (name: string, columns: readonly WideColumn[]): Issue[] => {
  const role = roleNamed(name)
  if (role === undefined || !VALUE_ROLES.has(role)) return []
  const places = columns.map(({ at }) => `#${at + 1}`)
  const leaves =
    places.length > 0
      ? `${listFlag('--ignore', places)} leaves its columns out`
      : `${listFlag('--ignore-rows', [name])} leaves its rows out`
  const message = `would be a new KPI, and is called like the ${role} of one: ${leaves}; ${listFlag('--map-kpi', [`${name}=${name}`])} makes it a KPI`
  return [{ field: name, message }]
}

/** Returns the faults of new KPIs whose names are those of other columns of a file, such as targets and notes. */
export const faultsOfRoles = (
  { plan: { wide, header }, reference: { kpis } }: CheckedFile,
  created: readonly { readonly id: number; readonly name: string }[],
  isMeant: (name: string) => boolean,
): Issue[] => {
  const columns = (wide?.columns ?? []).filter(({ kpi }) => kpi !== undefined)
  const shown = columns.map(({ at, kpi = 0 }) => ({
    id: kpi,
    header: header[at]?.trim() ?? '',
    name: kpis.byId.get(kpi)?.name ?? '',
  }))
  return created
    .filter(({ name }) => !isMeant(name))
    .flatMap(({ id, name }) => {
      if (wide?.of !== 'kpi')
        return faultOfCells(
          name,
          columns.filter(({ kpi }) => kpi === id),
        )
      const own = shown.find((one) => one.id === id)?.header ?? name
      const others = shown.filter((one) => one.id !== id && roleNamed(one.name) === undefined)
      return faultOfHeader(name, own, others)
    })
}

/**
 * Describes the KPIs and owners of which earlier files of the same kind had entries, the latest of these files, and
 * whether the same mapping says so; a name may as well be that of a file of something else.
 */
export type EarlierKpis = {
  readonly file: string
  readonly isMapped: boolean
  readonly kpis: ReadonlySet<number>
  readonly owners: ReadonlySet<number>
}

/** Tells whether a file is of the same kind as those before: it has KPIs or owners in common with them. */
const isOfKind = (
  present: ReadonlySet<number | undefined>,
  created: Missing,
  { isMapped, kpis, owners }: EarlierKpis,
): boolean =>
  isMapped || [...kpis].some((kpi) => present.has(kpi)) || [...owners].some((owner) => created.foundOwners.has(owner))

/** Sets how many KPIs have a fault of their own, and how many may be what one of them was called. */
const SHOWN = 5
const MOST_MEANT = 3

/** Returns the names of KPIs that earlier files had, and this one has not. */
const absentNames = ({ plan, reference }: CheckedFile, created: Missing, earlier: EarlierKpis): string[] => {
  const present = new Set([...created.foundKpis, ...(plan.wide?.columns ?? []).map(({ kpi }) => kpi)])
  if (!isOfKind(present, created, earlier)) return []
  return [...earlier.kpis].flatMap((id) => {
    const one = present.has(id) ? undefined : reference.kpis.byId.get(id)
    return one?.is_active === true ? one.name : []
  })
}

const faultOf = (name: string, absent: readonly string[], file: string): { field: string; message: string } => {
  const near = nearest(name, absent)
  const meant = near === undefined ? absent : [near, ...absent.filter((one) => one !== near)]
  const ways = meant
    .slice(0, MOST_MEANT)
    .map((one) => `${listFlag('--map-kpi', [`${name}=${one}`])} imports it as "${one}"`)
  const are = meant
    .slice(0, MOST_MEANT)
    .map((one) => `"${one}"`)
    .join(', ')
  return {
    field: name,
    message: `would be a new KPI, and ${are} of ${file} ${meant.length === 1 ? 'is' : 'are'} not in this file: one may have another name now. ${ways.join(', ')}; ${listFlag('--map-kpi', [`${name}=${name}`])} creates it`,
  }
}

/**
 * Refuses new KPIs beside ones that earlier files of the same kind had and this one has not, as they may be these under
 * another name; `--map-kpi` says of each what it is, and `--kpi` or `--by-name kpi` that it is meant.
 */
export const requireNoRenames = (
  checked: CheckedFile,
  created: Missing,
  fresh: readonly MissingKpi[],
  { mapKpi, kpi, numbersAs }: ImportOptions,
  earlier: EarlierKpis,
): void => {
  if (isMeantName(numbersAs, 'kpi')) return
  const meant = new Set([...(mapKpi?.values() ?? []), kpi])
  const unsaid = fresh.filter(({ name }) => !meant.has(name))
  const absent = absentNames(checked, created, earlier)
  if (unsaid.length === 0 || absent.length === 0) return
  const issues = unsaid.slice(0, SHOWN).map(({ name }) => faultOf(name, absent, earlier.file))
  const more = unsaid.length - SHOWN
  throw new KpiError(
    'malformed',
    'it is not clear whether some KPIs are new or have other names now; nothing was sent',
    {
      issues: [...issues, ...(more > 0 ? [{ field: 'others', message: countedText(more, 'more new KPI') }] : [])],
    },
  )
}
