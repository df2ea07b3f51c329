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

/**
 * Returns the fault of a file that names items of one group, and new ones that would go into another; `group` names
 * that one.
 */
export const faultOfGroups = (
  groups: readonly Named[],
  found: readonly BreakdownItem[],
  group: string,
): Issue | undefined => {
  const target = findGroup(groups, group)?.id
  const others = found.filter(({ user_id, breakdown_id }) => user_id === null && breakdown_id !== target)
  const [first] = others
  if (!first) return undefined
  const known = groups.find(({ id }) => id === first.breakdown_id)?.name ?? String(first.breakdown_id)
  const more = others.length > 1 ? ` (and ${others.length - 1} more)` : ''
  return {
    field: first.name,
    message:
      `${more} is in the group "${known}", and the new breakdown items of this file would go into "${group}": --group ${JSON.stringify(known)} creates them beside it, --group ${JSON.stringify(group)} creates an item of that name there as well`.trim(),
  }
}
