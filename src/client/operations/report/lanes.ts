import { REPORT_LIMIT, type ReportRow } from '../../../domain/resources/report-row.ts'
import type { DayRange } from '../../../domain/period.ts'

type Rows = readonly ReportRow[]

/** Reads the report of a range, whose days are expected to have so many rows each. */
type ReadRange = (range: DayRange & { readonly perDay: number }) => AsyncGenerator<Rows>

/** Bounds the ranges that are read at the same time, and the answers that are held of each. */
const LANES = 4
const HELD = 4
/** Sets the rows to aim at in a range: a few answers, so that the last one, which is not full, costs little. */
const LANE_ROWS = REPORT_LIMIT * 2.85

/** Returns a generator that runs ahead of its reader, by a few parts. */
const ahead = (source: AsyncGenerator<Rows>): AsyncGenerator<Rows> => {
  const next = (): Promise<IteratorResult<Rows>> => {
    const coming = source.next()
    // Whoever reads this part gets the error; nobody does after an earlier one.
    coming.catch(() => undefined)
    return coming
  }
  const coming = Array.from({ length: HELD }, next)
  return (async function* () {
    for (;;) {
      const part = await coming.shift()
      if (!part || part.done) return
      coming.push(next())
      yield part.value
    }
  })()
}

/** Reads a long report: cuts its days into ranges, reads a few of them at the same time, and returns them in order. */
export async function* readInLanes(read: ReadRange, { from, to }: DayRange, perDay: number): AsyncGenerator<Rows> {
  const lanes: AsyncGenerator<Rows>[] = []
  const days = Math.max(1, Math.floor(LANE_ROWS / perDay))
  let next = from
  while (lanes.length > 0 || next <= to) {
    while (lanes.length < LANES && next <= to) {
      const end = to - next < days * 1.5 ? to : next + days - 1
      lanes.push(ahead(read({ from: next, to: end, perDay })))
      next = end + 1
    }
    const lane = lanes.shift()
    if (lane) yield* lane
  }
}
