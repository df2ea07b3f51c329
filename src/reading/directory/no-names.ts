import { isExactly, isMeantName, whyNoName } from '../../changes/names/doubtful-names.ts'
import { Ambiguous, type Named } from '../../client/directory.ts'
import { Fault } from '../../domain/errors.ts'
import { isNoName } from '../../domain/no-value-words.ts'
import { NoName } from '../formats/evidence.ts'
import { type ImportOptions, type NameRole, titleOfRole } from '../options/options.ts'
import type { Lookup } from './permissions.ts'

/** Tells whether a text is no name of a role; a KPI may count errors. */
export const isNoNameOf = (role: NameRole): ((text: string) => boolean) => {
  const mayCount = role === 'kpi'
  return (text) => isNoName(text, mayCount)
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
