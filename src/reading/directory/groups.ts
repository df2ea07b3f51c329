import { looseName, type Named } from '../../client/directory.ts'
import type { Issue } from '../../domain/errors.ts'
import type { BreakdownItem } from '../../domain/resources/breakdowns.ts'

/** Returns the id in a text such as `7` or `#7`. */
export const askedId = (text: string): number | undefined => {
  const [, id] = /^#?([1-9]\d{0,14})$/.exec(text) ?? []
  return id === undefined ? undefined : Number(id)
}

/** Returns the group that a text names, by its name or id. */
export const findGroup = <T extends Named>(groups: readonly T[], text: string): T | undefined =>
  groups.find(({ name }) => looseName(name) === looseName(text)) ?? groups.find(({ id }) => id === askedId(text))

/** Returns the ids of the groups that items are in, without those of persons. */
const groupsOf = (items: readonly BreakdownItem[]): Set<number> =>
  new Set(items.flatMap(({ user_id, breakdown_id }) => (user_id === null ? breakdown_id : [])))

/** Sets how many groups are offered. */
const OFFERED = 5

/**
 * Returns the id of the group of new items where the interface shows none: as given, else that of the other items of the
 * file; or the fault if nothing says which.
 */
export const groupWithoutNames = (
  asked: string | undefined,
  found: readonly BreakdownItem[],
  all: readonly BreakdownItem[],
): number | Issue => {
  const id = asked === undefined ? undefined : askedId(asked)
  if (id !== undefined) return id
  const [only, ...others] = groupsOf(found)
  if (asked === undefined && only !== undefined && others.length === 0) return only
  const why = asked === undefined ? 'new breakdown items need a group' : `"${asked}" is no id of a group`
  const known = [...groupsOf(all)].map((one) => {
    const names = all.filter(({ breakdown_id }) => breakdown_id === one).map(({ name }) => `"${name}"`)
    return `--group ${one} puts them beside ${names.slice(0, 2).join(', ')}`
  })
  const ways = known.length > 0 ? known.slice(0, OFFERED).join('; ') : 'give its id with --group ID'
  return { field: 'group', message: `${why}, and the newer interface does not name groups: ${ways}` }
}

/**
 * Returns the fault of a file that names items of one group, and new ones that would go into another; `group` names
 * that one.
 */
export const faultOfGroups = (
  groups: readonly Named[],
  found: readonly BreakdownItem[],
  group: string,
  isNew: boolean,
): Issue | undefined => {
  const target = findGroup(groups, group)?.id
  if (!isNew && target === undefined) return undefined
  const others = found.filter(({ user_id, breakdown_id }) => user_id === null && breakdown_id !== target)
  const [first] = others
  if (!first) return undefined
  const known = groups.find(({ id }) => id === first.breakdown_id)?.name ?? String(first.breakdown_id)
  const more = others.length > 1 ? ` (and ${others.length - 1} more)` : ''
  return {
    field: first.name,
    message:
      `${more} is in the group "${known}", and new breakdown items of this file would go into "${group}": --group ${JSON.stringify(known)} takes it, and creates others beside it; --group ${JSON.stringify(group)} creates an item of that name there as well`.trim(),
  }
}
