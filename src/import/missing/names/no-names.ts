import { isExactly, isMeantName, whyNoName } from '../../../changes/names/doubtful-names.ts'
import { Ambiguous, looseName, type Named } from '../../../client/directory.ts'
import { Fault } from '../../../domain/errors.ts'
import { isNoName } from '../../../domain/no-value-words.ts'
import type { ColumnPlan } from '../../columns/columns.ts'
import { BETWEEN_NAMES } from '../../columns/role-text.ts'
import { memoize } from '../../formats/date-format.ts'
import { NoName } from '../../formats/evidence.ts'
import { type ImportOptions, type NameRole, titleOfRole } from '../../options.ts'
import type { Lookup } from '../../permissions.ts'
import { isProvisional } from '../../provisional-id.ts'

/** Returns a function that gives the parts of a name, each of which a column of its own holds. */
const namePartsIn = ({ joined }: Pick<ColumnPlan, 'joined'>, role: NameRole): ((name: string) => string[]) => {
  if (role === 'user' && (joined?.has('user') || joined?.has('name'))) return (name) => [name, ...name.split(' ')]
  const isJoined = joined?.has(role) === true
  return (name) => (isJoined ? name.split(BETWEEN_NAMES) : [name])
}

/** Tells whether a text is no name of a role; a KPI may count errors. */
const isNoNameOf = (role: NameRole): ((text: string) => boolean) => {
  const mayCount = role === 'kpi'
  return (text) => isNoName(text, mayCount)
}

/** Returns a function that gives what of a name is no name: an error of a spreadsheet, or a word for no value. */
export const findNoName = (plan: ColumnPlan, role: NameRole): ((name: string) => string | undefined) => {
  const partsOf = namePartsIn(plan, role)
  const isNone = isNoNameOf(role)
  return (name) => partsOf(name).find(isNone)
}

/**
 * Restricts how names are found: what names nothing, such as `NA`, means only what has exactly that name, and not `Na`,
 * unless `--by-name` says that it is a name.
 */
export const exactNoNames = <T extends Named>(
  lookup: Lookup<T>,
  role: NameRole,
  numbersAs: ImportOptions['numbersAs'],
): Lookup<T> => {
  if (isMeantName(numbersAs, role)) return lookup
  const isNone = isNoNameOf(role)
  return {
    ...lookup,
    find: (text) => {
      const found = lookup.find(text)
      if (!isNone(text) || found instanceof Ambiguous) return found
      if (found instanceof Fault) {
        return new NoName(
          `"${text.trim()}" ${whyNoName(text)}, and there is no ${titleOfRole(role)} of that name; correct the file`,
        )
      }
      if (isExactly(found.name, text)) return found
      const way = numbersAs?.get(role) === 'ids' ? '' : `; --by-name ${role} takes "${found.name}" for it`
      return new Fault(
        `"${text.trim()}" may stand for no value, and no ${titleOfRole(role)} has exactly that name${way}`,
      )
    },
  }
}

/**
 * Returns a function that finds what a cell names, but nothing new for a word that `--missing` lists; an empty list means
 * all words that name nothing, unless `--by-name` says that they do.
 */
export const rejectMissingNames = (
  plan: ColumnPlan,
  role: NameRole,
  { missing, numbersAs }: Pick<ImportOptions, 'missing' | 'numbersAs'>,
  find: (text: string) => Named | Fault,
): ((text: string) => Named | Fault) => {
  if (missing === undefined) return find
  const isAll = missing.size === 0 && !isMeantName(numbersAs, role)
  const words = new Set([...missing].map(looseName))
  const isNone = isNoNameOf(role)
  const isMissing = (text: string): boolean => words.has(looseName(text)) || (isAll && isNone(text))
  const partsOf = namePartsIn(plan, role)
  return memoize((text) => {
    const found = find(text)
    if (found instanceof Fault || !isProvisional(found.id)) return found
    const word = partsOf(text.trim()).find(isMissing)
    return word === undefined
      ? found
      : new Fault(`"${word}" stands for no value, and there is no ${titleOfRole(role)} of that name`)
  })
}
