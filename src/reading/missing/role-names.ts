import { listFlag, shellWord } from '../options/flag-text.ts'
import type { Issue } from '../../domain/errors.ts'
import type { CheckedFile } from '../entries/check.ts'
import { isYearName } from '../columns/date-headings.ts'
import { foldName, roleOf } from '../columns/header.ts'
import { namesTarget } from '../columns/name-words.ts'
import type { WideColumn } from '../columns/wide.ts'
import { type Role } from '../options/options.ts'
import { splitWord } from './total-names.ts'

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
  const leaves =
    columns.length > 0
      ? `${listFlag(
          '--ignore',
          columns.map(({ at }) => `#${at + 1}`),
        )} leaves its columns out`
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
