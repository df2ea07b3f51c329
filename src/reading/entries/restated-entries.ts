import { nextTurn } from '../../client/next-turn.ts'
import { createSorter, type Sorter } from '../../blocks/sorter.ts'
import type { BlockRow } from '../../blocks/block.ts'
import { lineOf } from '../../blocks/packed-row.ts'
import { type Day, formatDay } from '../../domain/day.ts'
import { formatDecimal } from '../../domain/decimal.ts'
import { ACTUAL, NOTES, numberAt, TARGET } from '../../domain/entry-block.ts'
import { KpiError } from '../../domain/errors.ts'
import type { ImportOptions } from '../options/options.ts'
import { Batch, cutBatches } from '../rows/batches.ts'
import { type GivenValues, Restatements, valuesAt, withEarlierValues } from '../rows/restatements.ts'
import { createRejects } from '../rejects/rejects.ts'
import type { Table } from '../../tabular/source/table.ts'
import type { Begun } from './begin-file.ts'
import { rehearseFile } from './check.ts'
import { emptySummary } from './summary.ts'

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

/** Describes a file whose header was read. */
type BegunFile = { readonly table: Table; readonly begun: Begun; readonly options: ImportOptions }

/** Describes what is needed while files are read: the folder of temporary files, and what reports progress or stops. */
type ReadWork = { readonly folder: string; readonly signal: AbortSignal; readonly onProgress: () => void }

/**
 * Passes the entries of a file on as its import will read them; returns what is in doubt, and has to be settled by flags. Throws if
 * its import would refuse the file for its rows, or cannot read it.
 */
const readEntries = async (
  { table, begun, options }: BegunFile,
  add: (row: BlockRow) => void,
  { folder, signal, onProgress }: ReadWork,
): Promise<KpiError | undefined> => {
  const rejects = createRejects(folder)
  try {
    return await rehearseFile(table, begun, options, {
      sorter: { add, clear: () => undefined },
      rejects,
      summary: emptySummary(),
      yearAhead: Infinity,
      signal,
      onProgress,
    })
  } finally {
    rejects.close()
  }
}

/** Holds one entry as a file gives it, and the places of its rows in the file. */
type Given = Pick<BlockRow, 'owner' | 'kpi' | 'day'> &
  GivenValues & { readonly file: number; readonly places: readonly number[] }

/** Tells whether two entries say other things of a value: other values, or that it is cleared. */
const areDifferent = (one: Given, other: Given): boolean => {
  const saysOther = ({ given, cleared }: typeof ACTUAL, isOther: boolean): boolean => {
    const [ones, others] = [one.flags & (given | cleared), other.flags & (given | cleared)]
    return ones !== 0 && others !== 0 && (ones !== others || (ones === given && isOther))
  }
  return (
    saysOther(ACTUAL, one.actual !== other.actual) ||
    saysOther(TARGET, one.target !== other.target) ||
    saysOther(NOTES, one.notes !== other.notes)
  )
}

const valueOf = ({ flags, actual }: Given): string =>
  (flags & ACTUAL.given) === 0 ? 'no actual' : formatDecimal(actual)

const firstLine = ({ places: [first = 0] }: Given): number => lineOf(first)

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
      lines: [firstLine(one), firstLine(other)] as const,
      values: [valueOf(one), valueOf(other)] as const,
    }
    pairs.set(key, { ...first, count: first.count + 1 })
  }
  return {
    note: (all: readonly Given[]): void => {
      for (const [at, one] of all.entries())
        for (const other of all.slice(at + 1)) if (areDifferent(one, other)) notePair(one, other)
    },
    all: (): RestatedEntries[] => [...pairs.values()],
  }
}

const isSameKey = ({ block: one }: Batch, at: number, { block: other }: Batch, next: number): boolean =>
  one.day[at] === other.day[next] && one.kpi[at] === other.kpi[next] && one.owner[at] === other.owner[next]

const BATCH_ROWS = 1 << 12

/** Holds the entries of several files in the order of their keys, before any of the files is imported. */
export class ComparedFiles {
  readonly #files: readonly BegunFile[]
  readonly #options: ImportOptions
  readonly #work: ReadWork
  readonly #sorter: Sorter
  /** Holds what is added to the places of each file, so that a place tells its file. */
  readonly #offsets: number[] = []
  /** Holds the files that cannot be read, or that are refused for their rows. */
  readonly #unread = new Set<number>()
  readonly #doubts = new Map<number, KpiError>()
  #hasOverlaps = false

  constructor(files: readonly BegunFile[], options: ImportOptions, work: ReadWork) {
    this.#files = files
    this.#options = options
    this.#work = work
    this.#sorter = createSorter(work.folder)
  }

  #fileOf(place: number): number {
    return this.#offsets.findLastIndex((offset) => offset <= place)
  }

  /** Reads the files; returns by file what is in doubt, and has to be settled by flags. */
  async read(): Promise<ReadonlyMap<number, KpiError>> {
    let next = 0
    for (const [file, one] of this.#files.entries()) {
      const offset = next
      this.#offsets.push(offset)
      const add = (row: BlockRow): void => {
        const line = offset + row.line
        next = lineOf(line) + 1
        this.#sorter.add({ ...row, line })
      }
      try {
        const doubt = await readEntries(one, add, this.#work)
        if (doubt) this.#doubts.set(file, doubt)
      } catch (error) {
        // A file that is refused for its rows says so when it is imported; until then what it corrects stands.
        if (!(error instanceof KpiError) || error.code !== 'malformed') throw error
        this.#unread.add(file)
      }
    }
    return this.#doubts
  }

  /** Finds the entries of which several files give other values, once the files are read. */
  async findRestated(): Promise<RestatedEntries[]> {
    const reference = this.#files[0]?.begun.reference
    const nameOf = (role: 'owner' | 'kpi', id: number): string =>
      (role === 'kpi'
        ? reference?.kpis.byId.get(id)
        : id < 0
          ? reference?.sources?.byId.get(-id)
          : reference?.users.byId.get(id)
      )?.name ?? `#${Math.abs(id)}`
    const pairs = createPairs(nameOf)
    for await (const entries of this.#overlaps()) {
      this.#hasOverlaps = true
      pairs.note(entries)
    }
    return pairs.all()
  }

  /**
   * Returns what becomes of the rows of files that others give again, by file, once it is known in which order they are imported:
   * the last one to give an entry counts. `nameOf` names a file.
   */
  async restatements(
    order: readonly number[],
    nameOf: (file: number) => string,
  ): Promise<ReadonlyMap<number, Restatements>> {
    const all = new Map<number, Restatements>()
    if (!this.#hasOverlaps) return all
    const marksOf = (file: number): Restatements => {
      const known = all.get(file) ?? new Restatements(this.#work.folder)
      all.set(file, known)
      return known
    }
    const { onDuplicate } = this.#options
    const ranks = new Map(order.map((file, rank) => [file, rank]))
    const rankOf = ({ file }: Given): number => ranks.get(file) ?? 0
    try {
      for await (const entries of this.#overlaps()) {
        const [last, ...earlier] = entries.toSorted((one, other) => rankOf(other) - rankOf(one))
        if (!last) continue
        const whole = earlier.reduce<Given>(withEarlierValues, last)
        const lacks = whole.flags & ~last.flags
        // A count cannot be handed on as a value that is counted again.
        if (onDuplicate === 'count' && (lacks & ACTUAL.given) !== 0) continue
        for (const { file, places } of earlier)
          for (const place of places) marksOf(file).leaveOut(place, nameOf(last.file))
        const place = onDuplicate === 'first' ? last.places[0] : last.places.at(-1)
        if (lacks !== 0 && place !== undefined) marksOf(last.file).complete(place, { ...whole, flags: lacks })
      }
      return all
    } catch (error) {
      for (const marks of all.values()) marks.close()
      throw error
    }
  }

  close(): void {
    this.#sorter.close()
  }

  #givenAt({ block, lines }: Batch, at: number): Given {
    const places = [lines[at] ?? 0].flat()
    const file = this.#fileOf(places[0] ?? 0)
    const offset = this.#offsets[file] ?? 0
    return {
      owner: numberAt(block.owner, at),
      kpi: numberAt(block.kpi, at),
      day: numberAt(block.day, at),
      ...valuesAt(block, at),
      file,
      places: places.map((place) => place - offset),
    }
  }

  /** Yields the entries of each key that several files give; what becomes of several rows of one file is settled within that file. */
  async *#overlaps(): AsyncGenerator<readonly Given[]> {
    if (!this.#sorter.mayRepeat()) return
    const [nothing, fileOf] = [(): void => undefined, (place: number): number => this.#fileOf(place)]
    let [before, last] = [new Batch(0), 0]
    let same: Given[] = []
    const isOverlap = (): boolean => same.length > 1
    const add = (batch: Batch, at: number): void => {
      const given = this.#givenAt(batch, at)
      if (!this.#unread.has(given.file)) same.push(given)
    }
    const blocks = this.#sorter.blocks(BATCH_ROWS)
    for (const batch of cutBatches(blocks, this.#options.onDuplicate, nothing, BATCH_ROWS, fileOf)) {
      for (let at = 0; at < batch.size; at += 1) {
        if (isSameKey(before, last, batch, at)) {
          if (same.length === 0) add(before, last)
          add(batch, at)
        } else if (same.length > 0) {
          if (isOverlap()) yield same
          same = []
        }
        ;[before, last] = [batch, at]
      }
      await nextTurn(undefined)
      this.#work.onProgress()
    }
    if (isOverlap()) yield same
  }
}

/** Says of what entries two files give other values, with the first of them. */
export const sayRestated = (
  { count, owner, kpi, day, lines, values }: RestatedEntries,
  [one, other]: readonly [string, string],
): string =>
  `${one} and ${other} give other values of ${count === 1 ? '1 entry' : `${count} entries, such as`} ${count === 1 ? `(${kpi} of ${owner}` : `${kpi} of ${owner}`} on ${formatDay(day)}${count === 1 ? ')' : ''}: ${values[0]} on line ${lines[0]} of ${one}, ${values[1]} on line ${lines[1]} of ${other}`
