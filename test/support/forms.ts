import type { Client } from '../../src/client/client.ts'
import { formatDay, LAST_ENTRY_DAY } from '../../src/domain/day.ts'
import { formatDecimal } from '../../src/domain/decimal.ts'
import { KpiError } from '../../src/domain/errors.ts'
import { isBadAt } from '../../src/blocks/packed-row.ts'
import { draftAt } from '../../src/domain/entry-block.ts'
import { checkFile } from '../../src/reading/entries/check.ts'
import type { ImportOptions } from '../../src/reading/options/options.ts'
import { createRejects } from '../../src/reading/rejects/rejects.ts'
import { createSorter } from '../../src/blocks/sorter.ts'
import { emptySummary, type Summary } from '../../src/reading/entries/summary.ts'
import type { Table } from '../../src/tabular/source/table.ts'
import { optionsOf } from './import.ts'

type Cells = readonly string[]

/** A file of cells, given out a few rows at a time as files are. */
export const tableOf = (rows: readonly Cells[], chunkRows = 7): Table => ({
  name: 'data.csv',
  reading: { gzip: false, encoding: 'utf-8', hasMark: false, separator: ',', evidence: [] },
  sha256: '',
  bytes: 0,
  mode: 0o644,
  rows: async function* () {
    for (let at = 0; at < rows.length; at += chunkRows) {
      yield rows.slice(at, at + chunkRows).map((cells, next) => ({ line: at + next + 1, cells }))
    }
  },
  above: [],
  upper: undefined,
  close: () => undefined,
})

/** What an import found in cells: entries and rejects a text each, in the order of their keys and lines. */
export type Found = {
  readonly entries: readonly string[]
  readonly rejects: readonly string[]
  readonly summary: Summary
}

/** Reads cells as an import does. */
export const readCells = async (
  client: Client,
  rows: readonly Cells[],
  folder: string,
  given: Partial<ImportOptions> = {},
): Promise<Found> => {
  const [sorter, rejects, summary] = [createSorter(folder, 1 << 10), createRejects(folder), emptySummary()]
  try {
    const places = { sorter, rejects, summary, yearAhead: LAST_ENTRY_DAY, signal: new AbortController().signal }
    await checkFile(tableOf(rows), client, optionsOf(given), { ...places, onProgress: () => undefined })
    const entries: string[] = []
    for (const block of sorter.blocks(100)) {
      for (let at = 0; at < block.count; at += 1) {
        if (isBadAt(block, at)) continue
        const { entry_date, actual, target } = draftAt(block, at)
        const shown = [actual, target].map((value) => (typeof value === 'bigint' ? formatDecimal(value) : '-'))
        entries.push([formatDay(entry_date), ...shown].join(' '))
      }
    }
    return {
      entries,
      rejects: (await Array.fromAsync(rejects.lines()))
        .flat()
        .map(({ line, reasons }) => `${line}: ${reasons.join('; ')}`),
      summary,
    }
  } finally {
    sorter.close()
    rejects.close()
  }
}

/** What an import found in cells, and what stopped it, a text an issue. */
export type Outcome = Pick<Found, 'entries' | 'rejects'> & { readonly stopped: readonly string[] }

/** Reads cells, or answers why that stopped. */
export const readOrStop = async (...given: Parameters<typeof readCells>): Promise<Outcome> => {
  try {
    return { ...(await readCells(...given)), stopped: [] }
  } catch (error) {
    if (!(error instanceof KpiError)) throw error
    return { entries: [], rejects: [], stopped: error.issues.map(({ field, message }) => `${field}: ${message}`) }
  }
}
