import { isMeantName } from '../../changes/names/doubtful-names.ts'
import { nearest } from '../../client/directory.ts'
import { countedText } from '../../domain/count-text.ts'
import { KpiError } from '../../domain/errors.ts'
import type { CheckedFile } from '../entries/check.ts'
import { listFlag } from '../options/flag-text.ts'
import type { ImportOptions } from '../options/options.ts'
import type { Missing } from '../directory/missing.ts'
import type { MissingKpi } from './plan.ts'

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
  isMapped || [...kpis].some((kpi) => present.has(kpi)) || [...owners].some((owner) => created.foundOwners().has(owner))

/** Sets how many KPIs have a fault of their own, and how many may be what one of them was called. */
const SHOWN = 5
const MOST_MEANT = 3

/** Returns the names of KPIs that earlier files had, and this one has not. */
const absentNames = ({ plan, reference }: CheckedFile, created: Missing, earlier: EarlierKpis): string[] => {
  const present = new Set([...created.foundKpis(), ...(plan.wide?.columns ?? []).map(({ kpi }) => kpi)])
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
