import { type Capability, NEWER_PROFILE } from '../../../../client/capabilities.ts'
import { assignment } from '../../../../domain/resources/assignment.ts'
import { entry } from '../../../../domain/resources/entry.ts'
import { mayCreateItems, namesSourceIds, requiresSources } from '../../../../reading/columns/owners.ts'
import type { ImportOptions } from '../../../../reading/options/options.ts'
import { headerOf, type Table } from '../../../../tabular/source/table.ts'
import { NEEDS_BREAKDOWN_ITEMS } from '../../../target/source.ts'

const ENTRIES: Capability = { of: entry, verb: 'add' }

const SOURCE_OF_ROWS: Capability = {
  ...NEEDS_BREAKDOWN_ITEMS,
  flag: {
    name: 'the source of rows',
    instead: `values belong to users there: --map user=COLUMN says which column names them, --user who has all; or use ${NEWER_PROFILE}`,
  },
}

/** Names the capability to create assignments, which only the classic interface has. */
const ASSIGNING: Capability = {
  of: assignment,
  verb: 'add',
  flag: {
    name: '--create-assignments',
    instead: 'assign the KPIs in the application, or with a classic profile',
    together:
      'is for files of users alone: assign the KPIs first (kpi assign add), or leave the sources out (--ignore)',
  },
}

/** Returns the capabilities that the flags of an import need, before anything is read. */
export const needsOfFlags = ({ source, map, upperRow, createAssignments }: ImportOptions): Capability[] => [
  ENTRIES,
  ...(source === undefined ? [] : [NEEDS_BREAKDOWN_ITEMS]),
  ...(map.has('source') || upperRow === 'items' ? [SOURCE_OF_ROWS] : []),
  ...(createAssignments ? [ASSIGNING] : []),
]

/**
 * Returns those capabilities and the one that the file adds: breakdown items, if nothing else names the owner of its
 * rows. Beside a user, they are optional, and only if the column surely names items.
 */
export const needsOfFile = async (table: Table, options: ImportOptions): Promise<Capability[]> => {
  const [needs, header] = [needsOfFlags(options), await headerOf(table)]
  if (requiresSources(header, options)) return [...needs, SOURCE_OF_ROWS]
  const mayBeItems = namesSourceIds(header, options) || mayCreateItems(header, options)
  return mayBeItems ? [...needs, { ...SOURCE_OF_ROWS, isOptional: true }] : needs
}
