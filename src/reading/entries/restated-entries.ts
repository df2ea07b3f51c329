import { nextTurn } from '../../client/next-turn.ts'
import { createSorter } from '../../blocks/sorter.ts'
import type { Block, BlockRow } from '../../blocks/block.ts'
import { isBad, lineOf } from '../../blocks/packed-row.ts'
import { type Day, formatDay } from '../../domain/day.ts'
import { formatDecimal } from '../../domain/decimal.ts'
import { ACTUAL, decimalAt, NOTES, numberAt, TARGET } from '../../domain/entry-block.ts'
import { KpiError } from '../../domain/errors.ts'
import type { ImportOptions } from '../options/options.ts'
import { createRowReader } from '../rows/row-reader.ts'
import type { Table } from '../../tabular/source/table.ts'
import type { Begun } from './begin-file.ts'
import { decideByAll } from './check.ts'

/** Describes entries of which two files give other values: the files by their places, and the first such entry. */
export type RestatedEntries = {
  readonly files: readonly [one: number, other: number]
  readonly count: number
  readonly owner: string
  readonly kpi: string
  readonly day: Day
  /** Holds the lines and the actuals of both files. */
  readonly lines: readonly [number, number]
  readonly values: readonly [string, string]
}

/** Sets how far the lines of files are apart, so that a line says of which file it is. */
const LINES_A_FILE = 2 ** 32

/** Describes what is needed while files are read: the folder of temporary files, and what reports progress or stops. */
type ReadWork = { readonly folder: string; readonly onProgress: () => void }

/** Adds the entries of a file that can be imported to a sorter, with lines that say of which file they are. */
const addEntries = async (
  table: Table,
  begun: Begun,
  options: ImportOptions,
  { add, onProgress }: { readonly add: (row: BlockRow) => void; readonly onProgress: () => void },
): Promise<void> => {
  const { begun: known, formats, questions } = await decideByAll(table, begun, options, onProgress)
  // What is in doubt is asked when the file is imported.
  if (known.unclear || questions.length > 0) return
  const nothing = (): void => undefined
  const sink = {
    entry: (row: BlockRow) => (isBad(row) ? undefined : add(row)),
    reject: nothing,
    rounded: nothing,
    empty: nothing,
  }
  const reader = createRowReader(known.plan, options, known.reference, sink, formats)
  let isHeader = true
  for await (const rows of table.rows()) {
    for (const row of rows) {
      if (!isHeader) reader.read(row)
      isHeader = false
    }
    await nextTurn(undefined)
    onProgress()
  }
}

/** Holds one entry as a file gives it. */
type Given = Pick<BlockRow, 'owner' | 'kpi' | 'day' | 'flags' | 'actual' | 'target' | 'notes'> & {
  readonly file: number
  readonly line: number
}

const givenAt = (block: Block, at: number): Given => {
  const line = numberAt(block.line, at)
  return {
    owner: numberAt(block.owner, at),
    kpi: numberAt(block.kpi, at),
    day: numberAt(block.day, at),
    flags: numberAt(block.flags, at),
    actual: decimalAt(block, 'actual', at),
    target: decimalAt(block, 'target', at),
    notes: block.notes[at] ?? '',
    file: Math.floor(line / LINES_A_FILE),
    line: line % LINES_A_FILE,
  }
}

const isSameKey = (one: Given, other: Given): boolean =>
  one.owner === other.owner && one.kpi === other.kpi && one.day === other.day

/** Tells whether two entries give other values of the same kind. */
const areDifferent = (one: Given, other: Given): boolean => {
  const both = one.flags & other.flags
  return (
    ((both & ACTUAL.given) !== 0 && one.actual !== other.actual) ||
    ((both & TARGET.given) !== 0 && one.target !== other.target) ||
    ((both & NOTES.given) !== 0 && one.notes !== other.notes)
  )
}

const valueOf = ({ flags, actual }: Given): string =>
  (flags & ACTUAL.given) === 0 ? 'no actual' : formatDecimal(actual)

/** Collects pairs of files that give other values, by the entries of one key, of which each is of another file. */
const createPairs = (nameOf: (role: 'owner' | 'kpi', id: number) => string) => {
  const pairs = new Map<string, RestatedEntries>()
  const notePair = (one: Given, other: Given): void => {
    const key = `${one.file} ${other.file}`
    const before = pairs.get(key)
    const first = before ?? {
      files: [one.file, other.file] as const,
      count: 0,
      owner: nameOf('owner', one.owner),
      kpi: nameOf('kpi', one.kpi),
      day: one.day,
      lines: [one.line, other.line] as const,
      values: [valueOf(one), valueOf(other)] as const,
    }
    pairs.set(key, { ...first, count: first.count + 1 })
  }
  return {
    note: (all: readonly Given[]): void => {
      // What becomes of several rows of one file is settled within that file.
      const ofFile = Map.groupBy(all, ({ file }) => file)
      const singles = [...ofFile.values()].flatMap(([only, ...others]) => (only && others.length === 0 ? only : []))
      for (const [at, one] of singles.entries())
        for (const other of singles.slice(at + 1)) if (areDifferent(one, other)) notePair(one, other)
    },
    all: (): RestatedEntries[] => [...pairs.values()],
  }
}

const BLOCK_ROWS = 1 << 12

/** Finds the entries of which several files give other values, before any of them is imported. */
export const findRestated = async (
  files: readonly { readonly table: Table; readonly begun: Begun }[],
  options: ImportOptions,
  { folder, onProgress }: ReadWork,
): Promise<RestatedEntries[]> => {
  const reference = files[0]?.begun.reference
  if (!reference) return []
  const nameOf = (role: 'owner' | 'kpi', id: number): string =>
    (role === 'kpi'
      ? reference.kpis.byId.get(id)
      : id < 0
        ? reference.sources?.byId.get(-id)
        : reference.users.byId.get(id)
    )?.name ?? `#${Math.abs(id)}`
  const [sorter, pairs] = [createSorter(folder), createPairs(nameOf)]
  try {
    for (const [at, { table, begun }] of files.entries()) {
      const add = (row: BlockRow): void => sorter.add({ ...row, line: at * LINES_A_FILE + lineOf(row.line) })
      await addEntries(table, begun, options, { add, onProgress }).catch((error: unknown) => {
        // A file that cannot be read says so when it is imported.
        if (!(error instanceof KpiError) || error.code !== 'malformed') throw error
      })
    }
    let same: Given[] = []
    for (const block of sorter.blocks(BLOCK_ROWS)) {
      for (let at = 0; at < block.count; at += 1) {
        const given = givenAt(block, at)
        if (same[0] && !isSameKey(same[0], given)) {
          if (same.length > 1) pairs.note(same)
          same = []
        }
        same.push(given)
      }
      await nextTurn(undefined)
      onProgress()
    }
    if (same.length > 1) pairs.note(same)
    return pairs.all()
  } finally {
    sorter.close()
  }
}

/** Says of what entries two files give other values, with the first of them. */
export const sayRestated = (
  { count, owner, kpi, day, lines, values }: RestatedEntries,
  [one, other]: readonly [string, string],
): string =>
  `${one} and ${other} give other values of ${count === 1 ? '1 entry' : `${count} entries, such as`} ${count === 1 ? `(${kpi} of ${owner}` : `${kpi} of ${owner}`} on ${formatDay(day)}${count === 1 ? ')' : ''}: ${values[0]} on line ${lines[0]} of ${one}, ${values[1]} on line ${lines[1]} of ${other}`
