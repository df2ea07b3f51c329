import { bigintAt, type Block, numberAt } from '../external-sort/block.ts'
import { createSorter } from '../external-sort/sorter.ts'
import { onLines } from '../rejects/on-lines.ts'
import type { Rejects } from '../rejects/rejects.ts'
import type { AssignmentRow } from './rows.ts'

/** Collects the rows that ask for an assignment, in constant memory. */
export type RowCollection = {
  readonly add: (row: AssignmentRow) => void
  /** Rejects rows that ask for the same assignment, and returns how many rows are left. */
  readonly settle: (rejects: Rejects) => number
  /** Yields the rows that are left, user by user, each user's in the order of the file. */
  readonly rows: () => Generator<AssignmentRow>
  readonly close: () => void
}

const HAS = { target: 1, place: 2 } as const
/** Sets how many rows are sorted in memory; there are few assignments. */
const RUN_ROWS = 1 << 14
const BLOCK_ROWS = 1 << 10

/** Returns a sortable row; its key is the pair or the line, and `sort_order` is not part of it. */
const rowAt = (block: Block, at: number, isByPair: boolean): AssignmentRow => {
  const [flags, other] = [numberAt(block.flags, at), Number(bigintAt(block.values, at * 2 + 1))]
  const place = isByPair ? other : numberAt(block.third, at)
  return {
    line: numberAt(block.line, at),
    user: numberAt(block.first, at),
    kpi: isByPair ? numberAt(block.second, at) : other,
    target: flags & HAS.target ? bigintAt(block.values, at * 2) : undefined,
    place: flags & HAS.place ? place : undefined,
  }
}

const flagsOf = ({ target, place }: AssignmentRow): number =>
  (target === undefined ? 0 : HAS.target) | (place === undefined ? 0 : HAS.place)

/** Creates a collection of rows, which go to `folder` where they do not fit in memory. */
export const createRowCollection = (folder: string): RowCollection => {
  const [byPair, byLine] = [createSorter(folder, RUN_ROWS), createSorter(folder, RUN_ROWS)]
  const keep = (row: AssignmentRow): void => {
    const { user: first, line, kpi, target = 0n, place = 0 } = row
    byLine.add({
      first,
      second: line,
      third: place,
      line,
      flags: flagsOf(row),
      actual: target,
      target: BigInt(kpi),
      text: '',
    })
  }
  const rowsBy = function* (sorter: typeof byPair): Generator<AssignmentRow> {
    for (const block of sorter.blocks(BLOCK_ROWS)) {
      for (let at = 0; at < block.count; at += 1) {
        yield rowAt(block, at, sorter === byPair)
      }
    }
  }
  const settlePair = (row: AssignmentRow, lines: readonly number[], rejects: Rejects): void => {
    if (lines.length === 1) keep(row)
    else for (const line of lines) rejects.add(line, `the same user and KPI${onLines(lines)}`)
  }
  return {
    add: (row) => {
      const { user: first, kpi: second, line, target = 0n, place: third = 0 } = row
      byPair.add({
        first,
        second,
        third: 0,
        line,
        flags: flagsOf(row),
        actual: target,
        target: BigInt(third),
        text: '',
      })
    },
    settle: (rejects) => {
      let [open, lines]: [AssignmentRow | undefined, number[]] = [undefined, []]
      for (const row of rowsBy(byPair)) {
        if (open && open.user === row.user && open.kpi === row.kpi) {
          lines.push(row.line)
          continue
        }
        if (open) settlePair(open, lines, rejects)
        ;[open, lines] = [row, [row.line]]
      }
      if (open) settlePair(open, lines, rejects)
      return byLine.size()
    },
    rows: () => rowsBy(byLine),
    close: () => {
      for (const sorter of [byPair, byLine]) sorter.close()
    },
  }
}
