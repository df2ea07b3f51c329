import type { CheckedFile } from '../entries/check.ts'
import { BETWEEN_NAMES, roleHeader } from '../columns/role-text.ts'
import type { MissingPlan } from './plan.ts'
import { listFirst } from '../../domain/count-text.ts'

const SHOWN = 3

/**
 * Returns a warning of new items whose names lack a part: in files for people, a group is often written once, in the
 * first of its rows.
 */
export const warningsOnJoinedNames = ({ plan }: CheckedFile, missing: MissingPlan | undefined): string[] => {
  const columns = plan.joined?.get('source')
  const names = (missing?.items ?? []).map(({ name }) => name)
  const lacking = names.filter((name) => name.split(BETWEEN_NAMES).length < (columns?.length ?? 0))
  if (lacking.length === 0 || lacking.length === names.length) return []
  const shown = listFirst(lacking, SHOWN, (name) => `"${name}"`)
  return [
    `${shown}: one of the columns ${roleHeader(plan, 'source')} is empty in their rows; if it is written only once for several rows, fill it in`,
  ]
}
