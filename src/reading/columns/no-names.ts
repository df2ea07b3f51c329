import { isProvisional } from '../directory/provisional-id.ts'
import { memoize } from '../formats/date-format.ts'
import { isMeantName } from '../../changes/names/doubtful-names.ts'
import { Fault } from '../../domain/errors.ts'
import { type Named, looseName } from '../../client/directory.ts'
import { isNoNameOf } from '../directory/no-names.ts'
import { BETWEEN_NAMES } from './role-text.ts'
import { type NameRole, type ImportOptions, titleOfRole } from '../options/options.ts'
import type { ColumnPlan } from './columns.ts'

/** Returns a function that gives the parts of a name, each of which a column of its own holds. */
const namePartsIn = ({ joined }: Pick<ColumnPlan, 'joined'>, role: NameRole): ((name: string) => string[]) => {
  if (role === 'user' && (joined?.has('user') || joined?.has('name'))) return (name) => [name, ...name.split(' ')]
  const isJoined = joined?.has(role) === true
  return (name) => (isJoined ? name.split(BETWEEN_NAMES) : [name])
}

/** Returns a function that gives what of a name is no name: an error of a spreadsheet, or a word for no value. */
export const findNoName = (plan: ColumnPlan, role: NameRole): ((name: string) => string | undefined) => {
  const partsOf = namePartsIn(plan, role)
  const isNone = isNoNameOf(role)
  return (name) => partsOf(name).find(isNone)
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
