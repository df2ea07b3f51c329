import { listFlag, mapFlag } from '../options/flag-text.ts'
import type { ImportOptions } from '../options/options.ts'
import type { Contents } from './contents.ts'
import type { HeaderFindings } from './header.ts'
import { isGiven } from './required-roles.ts'

/** Describes labels above the header: one for each column, and the flags that else is needed to read a part of the columns. */
export type GroupsAbove = { readonly labels: readonly string[]; readonly flags: string }

/** Returns why two columns of one name are not read, if labels above the header tell them apart. */
export const faultOfGroups = (
  name: string,
  [one, other]: readonly [number, number],
  above: GroupsAbove | undefined,
): string | undefined => {
  const { labels = [], flags = '' } = above ?? {}
  const [first = '', second = ''] = [labels[one], labels[other]]
  if (first === '' || second === '' || first === second) return undefined
  const others = [...labels.keys()].filter((at) => at >= one && labels[at] !== first).map((at) => `#${at + 1}`)
  return `"${name}" stands below "${first}" and below "${second}", and names above those of KPIs are not read: import the columns of one after the other, as ${listFlag('--source', [first])} ${listFlag('--ignore', others)}${flags} does`
}

/** Returns the labels above columns, if they may be of groups, and the flags without which a part of them is not read. */
export const groupsAbove = (
  found: HeaderFindings,
  options: ImportOptions,
  contents: Contents,
  labels: readonly string[] | undefined,
): GroupsAbove | undefined => {
  if (labels === undefined || new Set(labels.filter((label) => label !== '')).size < 2) return undefined
  const at = [...found.header.keys()].find((place) => contents.peek(place) === 'dates')
  const isDated = at === undefined || isGiven(found, options, 'date')
  return { labels, flags: isDated ? '' : ` ${mapFlag('date', `#${at + 1}`)}` }
}
