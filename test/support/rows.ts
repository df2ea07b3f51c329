import { isBad, lineOf } from '../../src/blocks/packed-row.ts'
import { planColumns } from '../../src/reading/columns/columns.ts'
import { mayNameSources } from '../../src/reading/columns/owners.ts'
import { createColumnFormats } from '../../src/reading/detect/column-formats.ts'
import { createRowReader, type RowSink } from '../../src/reading/rows/row-reader.ts'
import type { BlockRow } from '../../src/blocks/block.ts'
import { neverPause } from '../../src/domain/pause.ts'
import type { ImportOptions } from '../../src/reading/options/options.ts'
import { fetchReference, type Reference } from '../../src/reading/directory/reference.ts'
import type { Client } from '../../src/client/client.ts'
import { optionsOf } from './import.ts'

/** What reading the rows of a file came to. */
export type ReadRows = {
  readonly entries: readonly BlockRow[]
  readonly rejects: readonly (readonly [line: number, ...reasons: string[]])[]
  readonly rounded: number
  readonly empty: number
  readonly reference: Reference
}

/** Reads rows as an import does: the first is the header, the others are on lines 2, 3, 4 … */
export const readTable = async (
  client: Client,
  [header = [], ...rows]: readonly (readonly string[])[],
  given: Partial<ImportOptions> = {},
): Promise<ReadRows> => {
  const options = optionsOf(given)
  const reference = await fetchReference(client, {
    createAssignments: options.createAssignments,
    sources: client.variant === 'v1' && mayNameSources(header, options),
  })
  const plan = planColumns({ header }, options, {
    kpi: reference.kpis,
    user: reference.users,
    source: reference.sources,
  })
  const entries: BlockRow[] = []
  const rejects: [number, ...string[]][] = []
  const counts = { rounded: 0, empty: 0 }
  const sink: RowSink = {
    entry: (row) => {
      if (!isBad(row)) entries.push(row)
    },
    reject: (place, reasons) => rejects.push([lineOf(place), ...reasons]),
    rounded: () => (counts.rounded += 1),
    empty: () => (counts.empty += 1),
  }
  const reader = createRowReader(plan, options, reference, sink, createColumnFormats(plan, options, reference))
  const numbered = rows.map((cells, at) => ({ line: at + 2, cells }))
  await reference.fetchAssignments(await reader.usersOf(numbered, neverPause))
  numbered.forEach(reader.read)
  return { entries, rejects, ...counts, reference }
}
